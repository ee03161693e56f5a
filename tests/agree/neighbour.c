/*
 * The nearest good execution against all executions: whenever one of them is
 * the failing one with a switch moved, the search finds one that is moved at
 * most as far; what it finds is good and complete.
 *
 * Which outcomes fail is drawn, so that the good ones lie anywhere.
 */
#include "search/neighbour.h"
#include "engine_inputs.h"

#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 8, PROGRAMS = 4 };
#else
enum { CLIENTS = 8, PROGRAMS = 12 };
#endif
enum { MOST_EXECUTIONS = 3000, FAILING = 12, NOT_ONE = 1000000 };

static struct live_path live;

/* An execution with all its steps; who could step when it was made. */
struct execution {
  path threads;
  bool chose; /* another answer than the first: not compared */
  VEC(uint32_t) enabled;
  bool bad;
};

struct seen {
  uint64_t bad_class;
  VEC(struct execution) all;
};

static bool is_bad(uint64_t bad_class, enum rt_end end) {
  struct engine_record r = {.history = *rt_history(), .end = end};
  if (end == RT_FAULT)
    return true;
  return engine_outcome(&r).lo % 3 == bad_class;
}

struct follower {
  struct replay r;
  struct execution *e;
};

static int follow_pick(void *ctx, uint32_t enabled, int current) {
  struct follower *f = ctx;
  int t = enabled & (enabled - 1)
              ? f->r.driver.pick(f->r.driver.ctx, enabled, current)
              : __builtin_ctz(enabled);
  vec_push(&f->e->threads, (uint8_t)t);
  vec_push(&f->e->enabled, enabled);
  return t;
}

static int follow_choose(void *ctx, int n) {
  struct follower *f = ctx;
  int k = f->r.driver.choose(f->r.driver.ctx, n);
  f->e->chose |= k != 0;
  return k;
}

static enum judgement note(void *ctx, enum rt_end end) {
  struct seen *s = ctx;
  struct execution e = {.bad = is_bad(s->bad_class, end)};
  struct follower f = {.e = &e};
  replay_init(&f.r, live.at, live.len);
  struct rt_driver driver = {follow_pick, follow_choose, &f, .every = true};
  rt_run(&driver);
  replay_free(&f.r);
  vec_push(&s->all, e);
  live.len = 0;
  return JUDGE_GOOD;
}

static enum judgement judge(void *ctx, enum rt_end end) {
  return is_bad(*(uint64_t *)ctx, end) ? JUDGE_BAD : JUDGE_GOOD;
}

/* ---- the definition ---- */

/* The steps with the switch in front of step `at` moved later by k: the next k
 * of the thread before it come first. */
static bool later(const path *p, uint32_t at, uint32_t k, path *out) {
  uint8_t thread = p->at[at - 1];
  uint32_t left = k;
  vec_clear(out);
  for (uint32_t i = 0; i < at; i++)
    vec_push(out, p->at[i]);
  for (uint32_t i = 0; i < k; i++)
    vec_push(out, thread);
  for (uint32_t i = at; i < p->len; i++)
    if (left && p->at[i] == thread)
      left--;
    else
      vec_push(out, p->at[i]);
  return left == 0;
}

/* … earlier by k: the last k of the thread's turn come where it goes on. */
static bool earlier(const path *p, uint32_t at, uint32_t k, path *out) {
  uint8_t thread = p->at[at - 1];
  uint32_t i = at - k;
  vec_clear(out);
  for (uint32_t j = 0; j < i; j++)
    vec_push(out, p->at[j]);
  for (i = at; i < p->len && p->at[i] != thread; i++)
    vec_push(out, p->at[i]);
  if (i == p->len)
    return false; /* it was not interrupted */
  for (uint32_t j = 0; j < k; j++)
    vec_push(out, thread);
  for (; i < p->len; i++)
    vec_push(out, p->at[i]);
  return true;
}

static bool same(const path *a, const path *b) {
  return a->len == b->len && !memcmp(a->at, b->at, a->len);
}

/* How many steps of the turn that begins at `at`, or ends there. */
static uint32_t turn_length(const path *p, uint32_t at, int step) {
  uint32_t n = 1;
  for (uint32_t i = at;
       i + (uint32_t)step < p->len && p->at[i + (uint32_t)step] == p->at[at];
       i += (uint32_t)step)
    n++;
  return n;
}

static uint32_t next_turn_length(const path *p, uint32_t at) {
  for (uint32_t i = at; i < p->len; i++)
    if (p->at[i] == p->at[at - 1])
      return turn_length(p, i, 1);
  return 0;
}

/* A move that leads to a good execution. */
struct move {
  uint32_t steps; /* NOT_ONE: there is none */
  uint32_t turn;
  bool earlier;
  path to;
};

static bool comes_first(const struct move *a, const struct move *b) {
  if (a->steps != b->steps)
    return a->steps < b->steps;
  if (a->turn != b->turn)
    return a->turn > b->turn;
  return !a->earlier && b->earlier;
}

static bool is_good(const struct seen *s, const path *p) {
  for (uint32_t i = 0; i < s->all.len; i++)
    if (!s->all.at[i].bad && !s->all.at[i].chose &&
        same(&s->all.at[i].threads, p))
      return true;
  return false;
}

static void offer(struct move *best, struct move now, const struct seen *s) {
  if (!comes_first(&now, best) || !is_good(s, &now.to))
    return;
  vec_free(&best->to);
  *best = now;
  best->to = (path){0};
  for (uint32_t i = 0; i < now.to.len; i++)
    vec_push(&best->to, now.to.at[i]);
}

/* The first of all moves whose steps are those of a good execution. */
static struct move first_move(const struct seen *s, const struct execution *e) {
  const path *p = &e->threads;
  struct move best = {.steps = NOT_ONE}, now = {0};
  for (uint32_t at = 1; at < p->len; at++) {
    if (p->at[at] == p->at[at - 1])
      continue;
    if (e->enabled.at[at] >> p->at[at - 1] & 1) {
      uint32_t most = next_turn_length(p, at);
      now.earlier = false;
      for (now.steps = 1; now.steps <= most; now.steps++)
        if (later(p, at, now.steps, &now.to))
          offer(&best, now, s);
      most = turn_length(p, at - 1, -1);
      now.earlier = true;
      for (now.steps = 1; now.steps <= most; now.steps++)
        if (earlier(p, at, now.steps, &now.to))
          offer(&best, now, s);
    }
    now.turn++;
  }
  vec_free(&now.to);
  return best;
}

/* ---- */

static uint32_t compared, exact;

static bool check_found(const struct neighbour_search *n,
                        const struct seen *s) {
  struct replay r;
  replay_init(&r, n->good.at, n->good.len);
  enum rt_end end = rt_run(&r.driver);
  bool ok = CHECK(end == RT_DONE || end == RT_STUCK) &
            CHECK(!is_bad(s->bad_class, end)) & CHECK(!r.diverged);
  replay_free(&r);
  return ok;
}

static bool compare_one(struct seen *s, const struct execution *e) {
  struct neighbour_search n = {.judge = {judge, &s->bad_class},
                               .at = e->threads.at,
                               .len = e->threads.len,
                               .max_runs = 100000,
                               .max_steps = 1000000};
  struct move want = first_move(s, e);
  bool found = neighbour_find(&n), ok = true;
  struct move have = {n.moved, n.turn, n.earlier, {0}};
  for (uint32_t i = 0; i < n.good.len; i++)
    if (!(n.good.at[i] & PATH_CHOICE))
      vec_push(&have.to, n.good.at[i]);
  if (found)
    ok = check_found(&n, s);
  if (want.steps != NOT_ONE) {
    ok &= CHECK(found) && CHECK(!comes_first(&want, &have));
    /* One that comes first takes other steps than the failing one. */
    if (ok && !comes_first(&have, &want)) {
      ok &= CHECK(same(&have.to, &want.to));
      exact++;
    }
  }
  compared++;
  vec_free(&n.good);
  vec_free(&have.to);
  vec_free(&want.to);
  return ok;
}

static void release(struct seen *s) {
  for (uint32_t i = 0; i < s->all.len; i++) {
    vec_free(&s->all.at[i].threads);
    vec_free(&s->all.at[i].enabled);
  }
  vec_free(&s->all);
}

static bool compare(const struct client *c, struct rng *rng) {
  if (rt_prepare(engine.suite, c) != RT_DONE)
    return true;
  struct seen s = {.bad_class = rng_below(rng, 3)};
  struct explore x = {.judge = {note, &s},
                      .max_executions = MOST_EXECUTIONS,
                      .live = &live,
                      .all = true};
  bool ok = true;
  if (explore_dfs(&x) == EXPLORE_ALL && !x.cut)
    for (uint32_t i = 0; i < FAILING && s.all.len && ok; i++) {
      struct execution *e = &s.all.at[rng_below(rng, s.all.len)];
      ok &= !e->bad || e->chose || compare_one(&s, e);
    }
  if (!ok)
    fprintf(stderr, "  client %s, class %d\n", engine_text(c),
            (int)s.bad_class);
  release(&s);
  return ok;
}

static void compare_random(uint64_t seed) {
  struct engine_draw d = engine_draw_begin(seed, 2, 2, 1);
  for (uint32_t i = 0; i < CLIENTS && !test_errors && engine_draw(&d); i++)
    compare(&d.client, &d.rng);
  engine_draw_end(&d);
}

static void compare_afek(const struct engine_object *o) {
  (void)o;
  compare_random(5);
  CHECK(compared > 5);
  CHECK(exact > 0);
}

static void compare_object(const struct engine_object *o) {
  (void)o;
  compare_random(11);
}

TEST(the_nearest_is_as_near_as_any_on_objects) {
  engine_each_object("-O1", compare_object);
  for (size_t i = 0; i < ENGINE_OBJECTS; i++)
    if (!strncmp(engine_objects[i].name, "Afek", 4))
      engine_one_object(&engine_objects[i], "-O1", compare_afek);
}

TEST(the_nearest_is_as_near_as_any_on_random_programs) {
  engine_each_program(
      &(struct engine_programs){.count = PROGRAMS, .compare = compare_random});
}

TEST_MAIN
