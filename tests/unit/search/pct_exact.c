/*
 * PCT and D-PCT with every answer of chance, each with its probability: no
 * seeds and no tolerance.  What each schedule's probability is, by definition;
 * and PCT's promise, for every bug that small programs can have.
 *
 * A bug of depth d is here any d orders "step a of one thread before step b of
 * another" that one schedule can have together; the promise is that a schedule
 * has them with a probability of at least 1/(n k^(d-1)).
 */
#include "sampled.h"

#include "search/blocks.h"
#include "search/pct.h"

/* ---- all answers of chance ---- */

/* The answers of one execution, the last of which is the next to change. */
struct answers {
  struct {
    uint64_t ways, taken;
    double of_first; /* probability of way 0; the others share the rest */
  } at[64];
  uint32_t n, len;
  uint64_t ranks[SAMPLED_THREADS]; /* that were given, sorted */
  uint32_t nranks;
  bool idle; /* no answers of this execution count: they are all 0 */
};

static uint64_t answer(struct answers *a, uint64_t ways, double of_first) {
  if (a->idle || ways == 1)
    return 0;
  if (!CHECK(a->n < 64))
    exit(1);
  if (a->n == a->len) {
    a->at[a->len].ways = ways;
    a->at[a->len].taken = 0;
    a->at[a->len++].of_first = of_first;
  }
  CHECK_INT(a->at[a->n].ways, ways); /* the same answers, the same questions */
  return a->at[a->n++].taken;
}

/* A priority: of those between which it can lie, one. */
static uint64_t rank(struct answers *a) {
  uint32_t n = a->nranks++;
  uint32_t at = (uint32_t)answer(a, n + 1, 1. / (n + 1));
  uint64_t low = at ? a->ranks[at - 1] : 0;
  uint64_t high = at < n ? a->ranks[at] : PCT_RANKS;
  memmove(a->ranks + at + 1, a->ranks + at, (n - at) * sizeof *a->ranks);
  return a->ranks[at] = low + (high - low) / 2;
}

static uint64_t below(void *ctx, uint64_t n) {
  struct answers *a = ctx;
  if (n == PCT_RANKS)
    return rank(a);
  return answer(a, n, 1. / (double)n);
}

static bool one_in(void *ctx, uint64_t n) {
  return !answer(ctx, n > 1 ? 2 : 1, 1. / (double)n);
}

static double probability(const struct answers *a) {
  double p = 1;
  for (uint32_t i = 0; i < a->len; i++)
    p *= a->at[i].taken ? (1 - a->at[i].of_first) / (double)(a->at[i].ways - 1)
                        : a->at[i].of_first;
  return p;
}

/* The next answers; false: there are no others. */
static bool next(struct answers *a) {
  while (a->len && a->at[a->len - 1].taken + 1 == a->at[a->len - 1].ways)
    a->len--;
  if (a->len)
    a->at[a->len - 1].taken++;
  return a->len;
}

/* ---- schedules ---- */

enum { PATHS = 256 };

struct exact {
  struct answers answers;
  uint32_t before; /* executions of a run that come before the one that counts */
  uint32_t seen;   /* of this run */
  struct live_path live;
  uint32_t code; /* of the last execution: digits base 4 */
  double of_code[SAMPLED_CODES];
};

static void begin(struct exact *x) {
  x->answers.n = x->answers.nranks = 0;
  x->answers.idle = x->seen < x->before;
}

static enum judgement judge(void *ctx, enum rt_end end) {
  struct exact *x = ctx;
  CHECK_INT(end, RT_DONE);
  x->code = 0;
  for (uint32_t i = 0; i < x->live.len; i++)
    x->code = x->code * SAMPLED_THREADS + x->live.at[i] % SAMPLED_THREADS;
  x->code %= SAMPLED_CODES;
  x->live.len = 0;
  x->seen++;
  begin(x);
  return JUDGE_GOOD;
}

enum how { BY_PCT, BY_DPCT, BY_BLOCKS, HOWS };

static enum explore_end run(enum how how, struct explore *x) {
  static const struct blocks one_call = {.most = 1};
  return how == BY_PCT    ? explore_pct(x)
         : how == BY_DPCT ? explore_dpct(x)
                          : explore_blocks(x, &one_call);
}

/* The probability of each schedule of the client. */
static struct exact *all_of(enum how how, const char *text, uint32_t depth,
                            const uint32_t *estimate) {
  struct exact *x = xcalloc(1, sizeof *x);
  struct dice dice = {below, one_in, &x->answers};
  struct client c;
  engine_client(&c, text);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  x->before = how == BY_PCT; /* the walk that finds k */
  do {
    struct explore e = {.judge = {judge, x},
                        .live = &x->live,
                        .all = true,
                        .dice = &dice,
                        .depth = depth,
                        .estimate = estimate,
                        .nestimates = c.ncalls,
                        .max_executions = 1 + x->before};
    x->seen = 0;
    begin(x);
    CHECK_INT(run(how, &e), EXPLORE_ALL);
    CHECK_INT(x->seen, 1 + x->before);
    x->of_code[x->code] += probability(&x->answers);
  } while (next(&x->answers));
  client_free(&c);
  return x;
}

static bool equal(double a, double b) { return a - b < 1e-9 && b - a < 1e-9; }

/* ---- by definition ---- */

static const struct exact_case {
  const char *client;
  uint32_t n, steps[SAMPLED_THREADS];
  uint32_t estimate[4]; /* of each call; of one call a thread … */
  bool single;          /* … if it has only one: a block is all of it */
} cases[] = {
    {"{s2()} || {s3()}", 2, {2, 3}, {2, 3}, true},
    {"{s3()} || {s3()}", 2, {3, 3}, {3, 3}, true},
    {"{s2(); s1()} || {s1(); s0()}", 2, {3, 2}, {2, 1, 1, 1}, false},
    {"{s2()} || {s2()} || {s1()}", 3, {2, 2, 1}, {2, 2, 1}, true},
    {"{s3()} || {s1()} || {s2()}", 3, {3, 1, 2}, {3, 1, 2}, true},
};
enum { CASES = sizeof cases / sizeof *cases };

static void definition(void *so) {
  engine_open(so, NULL);
  for (size_t i = 0; i < CASES; i++)
    for (uint32_t d = 1; d <= 4; d++)
      for (enum how how = 0; how < HOWS; how++) {
        const struct exact_case *c = &cases[i];
        if (how == BY_BLOCKS && !c->single)
          continue;
        struct exact *x = all_of(how, c->client, d, c->estimate);
        struct model *m = model_new(d, c->n, c->steps);
        double sum = 0;
        for (uint32_t code = 0; code < SAMPLED_CODES; code++) {
          sum += x->of_code[code];
          if (!CHECK(equal(x->of_code[code], m->of_code[code])))
            fprintf(stderr, "  %s, depth %u, way %u, path %x: %g, not %g\n",
                    c->client, d, how, code, x->of_code[code],
                    m->of_code[code]);
        }
        CHECK(equal(sum, 1));
        free(m);
        free(x);
      }
}

TEST(each_schedule_has_the_probability_of_the_definition) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(definition, so);
  free(so);
}

/* ---- the promise ---- */

struct promise {
  const struct exact_case *c;
  uint32_t k, nsteps; /* steps are numbered, thread by thread */
  uint32_t nschedules;
  struct {
    double p;
    uint8_t at[16]; /* by step: its place */
  } schedule[PATHS];
  struct {
    uint8_t a, b;
  } order[64]; /* step a before step b */
  uint32_t norders;
  uint32_t bugs, least; /* bugs; those met exactly as often as promised */
};

static void add_schedule(struct promise *m, const uint8_t *thread, double p) {
  uint32_t made[SAMPLED_THREADS] = {0}, first[SAMPLED_THREADS] = {0};
  for (uint32_t t = 1; t < m->c->n; t++)
    first[t] = first[t - 1] + m->c->steps[t - 1];
  if (!CHECK(m->nschedules < PATHS))
    return;
  m->schedule[m->nschedules].p = p;
  for (uint32_t i = 0; i < m->k; i++) {
    uint32_t t = thread[i];
    m->schedule[m->nschedules].at[first[t] + made[t]++] = (uint8_t)i;
  }
  m->nschedules++;
}

/* All schedules there are, also those that PCT never makes. */
static void add_schedules(struct promise *m, const struct exact *x,
                          uint8_t *thread, uint32_t n, uint32_t code) {
  if (n == m->k) {
    add_schedule(m, thread, x->of_code[code % SAMPLED_CODES]);
    return;
  }
  for (uint32_t t = 0; t < m->c->n; t++) {
    uint32_t made = 0;
    for (uint32_t i = 0; i < n; i++)
      made += thread[i] == t;
    if (made == m->c->steps[t])
      continue;
    thread[n] = (uint8_t)t;
    add_schedules(m, x, thread, n + 1, code * SAMPLED_THREADS + t + 1);
  }
}

static void add_orders(struct promise *m) {
  uint8_t owner[16], n = 0;
  for (uint32_t t = 0; t < m->c->n; t++)
    for (uint32_t i = 0; i < m->c->steps[t]; i++)
      owner[n++] = (uint8_t)t;
  for (uint8_t a = 0; a < n; a++)
    for (uint8_t b = 0; b < n; b++)
      if (owner[a] != owner[b] && CHECK(m->norders < 64)) {
        m->order[m->norders].a = a;
        m->order[m->norders++].b = b;
      }
}

static bool has(const struct promise *m, uint32_t schedule,
                const uint32_t *orders, uint32_t d) {
  const uint8_t *at = m->schedule[schedule].at;
  for (uint32_t i = 0; i < d; i++)
    if (at[m->order[orders[i]].a] > at[m->order[orders[i]].b])
      return false;
  return true;
}

static void check_bug(struct promise *m, const uint32_t *orders, uint32_t d) {
  double p = 0, bound = 1. / m->c->n;
  bool possible = false;
  for (uint32_t i = 1; i < d; i++)
    bound /= m->k;
  for (uint32_t i = 0; i < m->nschedules; i++)
    if (has(m, i, orders, d)) {
      possible = true;
      p += m->schedule[i].p;
    }
  m->bugs += possible;
  m->least += possible && equal(p, bound);
  if (possible && !CHECK(p > bound - 1e-9)) {
    fprintf(stderr, "  %s, depth %u: %g, promised %g:", m->c->client, d, p,
            bound);
    for (uint32_t i = 0; i < d; i++)
      fprintf(stderr, " %u<%u", m->order[orders[i]].a, m->order[orders[i]].b);
    fprintf(stderr, "\n");
  }
}

static void check_bugs(struct promise *m, uint32_t *orders, uint32_t chosen,
                       uint32_t d) {
  if (chosen == d) {
    check_bug(m, orders, d);
    return;
  }
  for (uint32_t i = chosen ? orders[chosen - 1] + 1 : 0; i < m->norders; i++) {
    orders[chosen] = i;
    check_bugs(m, orders, chosen + 1, d);
  }
}

static void promises(void *so) {
  uint32_t least = 0;
  engine_open(so, NULL);
  for (size_t i = 0; i < CASES; i++)
    for (uint32_t d = 1; d <= 3; d++)
      for (enum how how = 0; how < HOWS; how++) {
        const struct exact_case *c = &cases[i];
        if (how == BY_BLOCKS && !c->single)
          continue;
        struct exact *x = all_of(how, c->client, d, c->estimate);
        struct promise *m = xcalloc(1, sizeof *m);
        uint8_t thread[16];
        uint32_t orders[4];
        m->c = c;
        for (uint32_t t = 0; t < c->n; t++)
          m->k += c->steps[t];
        add_schedules(m, x, thread, 0, 0);
        add_orders(m);
        check_bugs(m, orders, 0, d);
        CHECK(m->bugs > 0);
        least += m->least;
        free(m);
        free(x);
      }
  CHECK(least > 0); /* no better promise can be made */
}

TEST(every_bug_is_met_as_often_as_promised) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(promises, so);
  free(so);
}

TEST_MAIN
