/*
 * TSO on small programs.  The machine of tso_machine.h gives all executions, by
 * brute force; the analyses must agree with each other on them.
 */
#include "atomicity/sc.h"
#include "atomicity/settled.h"
#include "atomicity/tso.h"
#include "base/rng.h"
#include "hard_traces.h"
#include "oracle/orient.h"
#include "paper_rows.h"
#include "test.h"
#include "tso_traces.h"

/* ---- all executions of a program ---- */

struct verdicts {
  bool sc_serializable;  /* all SC executions */
  bool tso_serializable; /* all TSO executions */
  bool traces;           /* all traces, by the fast one */
  bool robust;           /* all TSO executions are equivalent to SC ones */
  bool monitored;        /* the monitor on all SC executions */
  bool fenced;
};

static void see_sc(const struct tso_execution *x, void *arg) {
  struct verdicts *v = arg;
  struct txn_event e[TSO_EVENTS];
  struct conflict_cycle c;
  uint32_t n = convert(x, false, e);
  v->sc_serializable &= sc_serializable(e, n, &c);
  conflict_cycle_free(&c);
  v->monitored &= tso_robust(e, n, &c);
  conflict_cycle_free(&c);
  v->fenced &= tso_transaction_fenced(e, n);
  /* Every order of operations is a trace: commits may be early. */
  v->traces &= tso_trace_serializable(e, n, 0, &c) == TSO_YES;
  conflict_cycle_free(&c);
}

static void see_tso(const struct tso_execution *x, void *arg) {
  struct verdicts *v = arg;
  struct txn_event e[TSO_EVENTS];
  struct conflict_cycle c;
  uint32_t n = convert(x, true, e);
  if (v->tso_serializable)
    v->tso_serializable &= tso_serializable(e, n, &c), conflict_cycle_free(&c);
  if (v->robust)
    v->robust &= tso_sc_equivalent(e, n, &c), conflict_cycle_free(&c);
}

static struct verdicts explore(const struct tso_program *p) {
  struct verdicts v = {true, true, true, true, true, true};
  struct tso_result r;
  tso_enumerate(p, &(struct tso_options){.seen = see_sc, .arg = &v}, &r);
  tso_result_free(&r);
  tso_enumerate(
      p, &(struct tso_options){.tso = true, .seen = see_tso, .arg = &v}, &r);
  tso_result_free(&r);
  return v;
}

/* ---- one trace ---- */

/* Its operations in a random order that buffers allow: any. */
static uint32_t random_order(struct rng *r, const struct tso_program *p,
                             uint8_t *order) {
  uint32_t left[TSO_THREADS] = {0}, n = 0, all = 0;
  for (uint32_t t = 0; t < p->nthreads; t++)
    for (uint32_t i = 0; p->thread[t][i].kind != TSO_STOP; i++)
      if (p->thread[t][i].kind != TSO_BEGIN && p->thread[t][i].kind != TSO_END)
        left[t]++, all++;
  while (n < all) {
    uint32_t t = (uint32_t)rng_below(r, p->nthreads);
    if (left[t])
      left[t]--, order[n++] = (uint8_t)t;
  }
  return n;
}

struct trace_seen {
  struct txn_event e[TSO_EVENTS];
  uint32_t n;
  bool serializable;
};

static void see_trace(const struct tso_execution *x, void *arg) {
  struct trace_seen *s = arg;
  struct txn_event e[TSO_EVENTS];
  struct conflict_cycle c;
  uint32_t n = convert(x, true, e);
  s->serializable &= tso_serializable(e, n, &c);
  conflict_cycle_free(&c);
  s->n = convert(x, false, s->e);
}

static void trace_of(struct rng *r, const struct shape *shape, bool all,
                     struct trace_seen *s) {
  struct tso_program p = random_program(r, shape);
  uint8_t order[TSO_EVENTS];
  uint32_t n = random_order(r, &p, order);
  struct tso_result result;
  s->serializable = true;
  /* Without commits until they must be: one execution is enough. */
  tso_enumerate(
      &p,
      &(struct tso_options){
          .tso = all, .order = order, .norder = n, .seen = see_trace, .arg = s},
      &result);
  tso_result_free(&result);
}

static void put_trace(const struct trace_seen *s) {
  for (uint32_t i = 0; i < s->n; i++)
    fprintf(stderr, "  t%u %c(%u) txn %u\n", s->e[i].thread,
            "rwxf"[s->e[i].kind], s -> e[i].object, s->e[i].txn);
}

/* Consecutive edges meet in transactions; a cycle's edges are conflicts, and
 * those against the order of the trace are undirected. */
static void check_cycle(const struct trace_seen *s,
                        const struct conflict_cycle *c) {
  bool buffered[TSO_EVENTS];
  tso_buffered(s->e, s->n, buffered);
  CHECK(c->edges.len >= 2);
  for (uint32_t k = 0; k < c->edges.len; k++) {
    struct txn_edge e = c->edges.at[k];
    struct txn_edge next = c->edges.at[(k + 1) % c->edges.len];
    uint32_t i = e.from < e.to ? e.from : e.to;
    uint32_t j = e.from < e.to ? e.to : e.from;
    enum trace_relation r = tso_trace_relation(s->e, buffered, i, j);
    CHECK(r == TRACE_UNDIRECTED || (r == TRACE_DIRECTED && e.from < e.to));
    CHECK_INT(s->e[e.to].txn, s->e[next.from].txn);
    CHECK(s->e[e.from].txn != s->e[e.to].txn);
  }
}

/* The cycle's undirected edges, in its direction, and all directed edges make
 * no cycle of events. */
static void check_orientation(const struct trace_seen *s,
                              const struct conflict_cycle *c) {
  bool buffered[TSO_EVENTS];
  static bool after[TSO_EVENTS][TSO_EVENTS];
  tso_buffered(s->e, s->n, buffered);
  for (uint32_t i = 0; i < s->n; i++)
    for (uint32_t j = 0; j < s->n; j++)
      after[i][j] =
          i < j && tso_trace_relation(s->e, buffered, i, j) == TRACE_DIRECTED;
  for (uint32_t k = 0; k < c->edges.len; k++)
    after[c->edges.at[k].from][c->edges.at[k].to] = true;
  for (uint32_t k = 0; k < s->n; k++)
    for (uint32_t i = 0; i < s->n; i++)
      for (uint32_t j = 0; after[i][k] && j < s->n; j++)
        after[i][j] |= after[k][j];
  for (uint32_t i = 0; i < s->n; i++)
    CHECK(!after[i][i]);
}

static bool same_answer(const struct trace_seen *s, uint64_t seed,
                        uint32_t *yes, uint32_t *no) {
  bool slow = tso_trace_slow(s->e, s->n);
  struct conflict_cycle c;
  enum tso_answer fast = tso_trace_serializable(s->e, s->n, 0, &c);
  bool same = (fast == TSO_YES) == slow && fast != TSO_UNKNOWN;
  if (!same) {
    fprintf(stderr, "seed %llu: slow %d, fast %d\n", (unsigned long long)seed,
            slow, fast == TSO_YES);
    put_trace(s);
    CHECK(!"they differ");
  }
  if (same && !slow) {
    check_cycle(s, &c);
    check_orientation(s, &c);
  }
  conflict_cycle_free(&c);
  *(slow ? yes : no) += 1;
  return same;
}

static void compare_fast(uint64_t seeds, const struct shape *shapes,
                         uint32_t nshapes, uint32_t *yes, uint32_t *no) {
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    struct rng r = {seed};
    struct trace_seen s = {.n = 0};
    trace_of(&r, &shapes[rng_below(&r, nshapes)], false, &s);
    if (!same_answer(&s, seed, yes, no))
      return;
  }
}

TEST(the_search_finds_what_all_orientations_have) {
  static const struct shape shapes[] = {
      {2, 4, 2, 10, 0, false}, {2, 5, 3, 20, 5, false}, {3, 3, 2, 10, 5, false},
      {3, 3, 3, 25, 5, false}, {3, 4, 4, 15, 0, false}, {2, 6, 4, 30, 0, false},
      {3, 3, 4, 0, 0, true},   {3, 4, 3, 40, 10, false}};
  uint32_t yes = 0, no = 0;
  compare_fast(20000, shapes, sizeof shapes / sizeof *shapes, &yes, &no);
  CHECK(yes > 2000);
  CHECK(no > 2000);
  paper_row(PAPER_THEOREMS, "Theorem 7: 20,000 traces of programs",
            "exceptions", 20000 - yes - no);
}

/* A trace of random events: transactions of up to `len`, forks and joins not
 * among them; so many percent are fences, read-modify-writes, reads. */
struct mix {
  uint32_t threads, vars, events, len, fences, rmws, reads;
};

static void mixed_trace(struct rng *r, const struct mix *m,
                        struct trace_seen *s) {
  uint32_t txn[8], left[8] = {0}, ntxns = 0;
  s->n = m->events;
  for (uint32_t i = 0; i < s->n; i++) {
    uint32_t t = (uint32_t)rng_below(r, m->threads);
    uint64_t what = rng_below(r, 100);
    if (!left[t]) {
      txn[t] = ntxns++;
      left[t] = 1 + (uint32_t)rng_below(r, m->len);
    }
    left[t]--;
    enum txn_kind kind = what < m->fences                        ? TXN_FENCE
                         : what < m->fences + m->rmws            ? TXN_RMW
                         : what < m->fences + m->rmws + m->reads ? TXN_READ
                                                                 : TXN_WRITE;
    uint32_t x = kind == TXN_FENCE ? 0 : (uint32_t)rng_below(r, m->vars);
    s->e[i] = hard_event(kind, t, x, txn[t]);
  }
}

static uint32_t undirected(const struct trace_seen *s) {
  bool buffered[TSO_EVENTS];
  uint32_t n = 0;
  tso_buffered(s->e, s->n, buffered);
  for (uint32_t i = 0; i < s->n; i++)
    for (uint32_t j = i + 1; j < s->n; j++)
      n += tso_trace_relation(s->e, buffered, i, j) == TRACE_UNDIRECTED;
  return n;
}

/* More threads: cycles through up to six undirected edges, and thousands of
 * traces in which there is a knot but no solution of any profile. */
TEST(profiles_with_more_threads) {
  static const struct mix mixes[] = {
      {3, 4, 12, 2, 15, 0, 60},  {3, 6, 14, 2, 15, 3, 50},
      {4, 6, 14, 2, 10, 0, 60},  {4, 5, 14, 3, 20, 5, 50},
      {5, 8, 16, 2, 10, 0, 50},  {6, 8, 18, 2, 5, 0, 50},
      {5, 10, 20, 2, 15, 5, 60}, {3, 3, 12, 3, 10, 0, 70}};
  uint32_t yes = 0, no = 0;
  for (uint64_t seed = 1; seed <= 24000; seed++) {
    struct rng r = {seed};
    struct trace_seen s = {.n = 0};
    mixed_trace(&r, &mixes[seed % 8], &s);
    if (undirected(&s) <= 24 && !same_answer(&s, seed, &yes, &no))
      return;
  }
  CHECK(yes > 8000);
  CHECK(no > 4000);
}

/* One place where a cycle can begin, and single accesses else.  Done many times
 * each, the accesses have the same answer. */
TEST(hard_traces) {
  uint32_t yes = 0, no = 0;
  for (uint64_t seed = 1; seed <= 4000; seed++) {
    struct trace_seen s = {.n = 16 + (uint32_t)(seed % 3)};
    static struct txn_event wide[20 * 30];
    struct conflict_cycle c;
    hard_trace(4 + seed % 4, 6 + seed % 5, s.n, 10, 10, seed, s.e);
    if (undirected(&s) > 20)
      continue;
    uint32_t before = yes;
    if (!same_answer(&s, seed, &yes, &no))
      return;
    uint32_t n = hard_wide(s.e, s.n, 30, wide);
    CHECK_INT(tso_trace_serializable(wide, n, 0, &c),
              yes > before ? TSO_YES : TSO_NO);
    conflict_cycle_free(&c);
  }
  CHECK(yes > 500);
  CHECK(no > 500);
}

/* The command sets no limit to such traces (docs/atomicity.md): here is
 * what the hardest ones take. */
TEST(traces_of_64_events) {
  enum { N = 64 };
  uint64_t most[2] = {0};
  for (uint32_t threads = 3; threads <= 16; threads++)
    for (uint32_t vars = 8; vars <= 32; vars *= 2)
      for (uint64_t seed = 1; seed <= 60; seed++)
        for (int keep = 0; keep < 2; keep++) {
          struct txn_event e[N];
          struct conflict_cycle c;
          struct tso_question q = {.keep_order = keep};
          hard_trace(threads, vars, N, 10, 10, seed, e);
          CHECK(tso_trace_answer(e, N, &q, &c) != TSO_UNKNOWN);
          conflict_cycle_free(&c);
          most[keep] = q.steps > most[keep] ? q.steps : most[keep];
        }
  CHECK(most[0] > 100000);
  CHECK(most[1] > 100000);
  CHECK(most[0] < 2000000);
  CHECK(most[1] < 2000000);
}

/* The steps of the hardest of 300 hard traces, beside the bound of section 6.2:
 * ((2m)^2)^(2k) choices of profiles, for k threads and m variables. */
static uint64_t hardest(uint32_t threads, uint32_t vars, uint32_t times,
                        bool keep_order) {
  enum { N = 64 };
  static struct txn_event e[N], wide[N * 100];
  uint64_t most = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct tso_question q = {.keep_order = keep_order};
    struct conflict_cycle c;
    hard_trace(threads, vars, N, 10, 10, seed, e);
    uint32_t n = hard_wide(e, N, times, wide);
    CHECK(tso_trace_answer(wide, n, &q, &c) != TSO_UNKNOWN);
    conflict_cycle_free(&c);
    most = q.steps > most ? q.steps : most;
  }
  return most;
}

TEST(the_cost_grows_with_threads_and_variables_alone) {
  static const struct {
    uint32_t threads, vars, times;
  } rows[] = {{3, 16, 1},  {4, 16, 1},  {6, 16, 1},  {8, 16, 1},
              {12, 16, 1}, {16, 16, 1}, {8, 4, 1},   {8, 8, 1},
              {8, 32, 1},  {8, 64, 1},  {4, 16, 10}, {4, 16, 100}};
  const char *table = "Section 6.2: steps of the hardest of 300 hard traces of "
                      "64 events";
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char row[80];
    uint32_t k = rows[i].threads, m = rows[i].vars, times = rows[i].times;
    uint64_t steps = hardest(k, m, times, false);
    double bound = 1;
    for (uint32_t j = 0; j < 4 * k; j++)
      bound *= 2 * m;
    CHECK((double)steps < bound);
    CHECK(steps < 2000000);
    snprintf(row, sizeof row, "%u threads, %u variables%s", k, m,
             times == 10    ? ", each access 10 times"
             : times == 100 ? ", each access 100 times"
                            : "");
    paper_row(table, row, "steps", steps);
    if (times == 1)
      paper_row(table, row, "steps with --keep-order", hardest(k, m, 1, true));
  }
}

/* With few steps it may be given up, but never answered otherwise. */
TEST(a_limit_of_steps_gives_no_wrong_answer) {
  uint32_t unknown = 0;
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    struct trace_seen s = {.n = 30};
    struct conflict_cycle c;
    hard_trace(5, 8, s.n, 10, 10, seed, s.e);
    enum tso_answer all = tso_trace_serializable(s.e, s.n, 0, &c);
    conflict_cycle_free(&c);
    enum tso_answer few = tso_trace_serializable(s.e, s.n, seed % 60, &c);
    CHECK(few == all || few == TSO_UNKNOWN);
    conflict_cycle_free(&c);
    unknown += few == TSO_UNKNOWN;
  }
  CHECK(unknown > 20);
}

/*
 * Theorem 5.  The executions of a trace are those in which its directed edges
 * keep their direction: operations of different threads that no directed edge
 * holds may change places.  With the very same order of operations it would not
 * hold, see below.
 */
enum { IDS = TSO_THREADS * TSO_OPS };

struct order_seen {
  uint8_t before[IDS][IDS]; /* in an execution, of accesses in conflict */
  bool serializable;
};

struct class_of_traces {
  struct txn_event e[TSO_EVENTS];
  uint32_t n;
  uint8_t directed[IDS][IDS]; /* of different threads */
};

static struct {
  VEC(struct order_seen) orders;
  VEC(struct class_of_traces) classes;
} all;

static uint32_t id_of(const struct tso_event *e) {
  return (uint32_t)e->thread * TSO_OPS + e->op;
}

/* When an access takes effect: writes with their commit, reads at once, but
 * those from the buffer after the write's commit if another comes in between.
 */
static void order_of(const struct tso_execution *x, struct order_seen *o) {
  unsigned commit[TSO_EVENTS];
  memset(o, 0, sizeof *o);
  for (unsigned i = 0; i < x->n; i++)
    commit[i] = i;
  for (unsigned i = 0; i < x->n; i++)
    if (x->event[i].kind == TSO_COMMIT)
      commit[x->event[i].issue] = i;
  for (unsigned i = 0; i < x->n; i++)
    for (unsigned j = 0; j < x->n; j++) {
      const struct tso_event *a = &x->event[i], *b = &x->event[j];
      bool ra = a->kind == TSO_READ, rb = b->kind == TSO_READ;
      bool wa = a->kind == TSO_WRITE || a->kind == TSO_RMW;
      bool wb = b->kind == TSO_WRITE || b->kind == TSO_RMW;
      if (a->thread == b->thread || a->var != b->var || !(ra || wa) ||
          !(rb || wb) || (ra && rb))
        continue;
      unsigned at = commit[i], bt = commit[j];
      for (unsigned k = 0; k < x->n; k++) { /* sources in the buffer */
        const struct tso_event *w = &x->event[k];
        if (w->kind != TSO_WRITE)
          continue;
        if (ra && a->forwarded && w->thread == a->thread && w->var == a->var &&
            k < i && bt > k && bt < commit[k])
          at = commit[k];
        if (rb && b->forwarded && w->thread == b->thread && w->var == b->var &&
            k < j && at > k && at < commit[k])
          bt = commit[k];
      }
      o->before[id_of(a)][id_of(b)] = at < bt;
    }
}

static void see_class(const struct tso_execution *x, void *arg) {
  struct trace_seen s = {.serializable = true};
  static struct class_of_traces c;
  static struct order_seen o;
  bool buffered[TSO_EVENTS];
  uint32_t k = 0;
  (void)arg;
  see_trace(x, &s);
  order_of(x, &o);
  o.serializable = s.serializable;
  while (k < all.orders.len && memcmp(&all.orders.at[k], &o, sizeof o))
    k++;
  if (k == all.orders.len)
    vec_push(&all.orders, o);
  tso_buffered(s.e, s.n, buffered);
  memset(&c, 0, sizeof c);
  for (uint32_t i = 0; i < s.n; i++)
    for (uint32_t j = i + 1; j < s.n; j++)
      if (s.e[i].thread != s.e[j].thread)
        c.directed[id_of(&x->event[s.e[i].at])][id_of(&x->event[s.e[j].at])] =
            tso_trace_relation(s.e, buffered, i, j) == TRACE_DIRECTED;
  for (k = 0; k < all.classes.len; k++)
    if (!memcmp(all.classes.at[k].directed, c.directed, sizeof c.directed))
      return;
  c.n = s.n;
  memcpy(c.e, s.e, sizeof c.e);
  vec_push(&all.classes, c);
}

static bool keeps(const struct order_seen *o, const struct class_of_traces *c) {
  for (uint32_t p = 0; p < IDS; p++)
    for (uint32_t q = 0; q < IDS; q++)
      if (c->directed[p][q] && o->before[q][p])
        return false;
  return true;
}

TEST(orientations_are_executions) {
  static const struct shape shapes[] = {{2, 3, 2, 10, 5, false},
                                        {3, 2, 2, 10, 5, false},
                                        {2, 3, 3, 20, 5, false},
                                        {3, 2, 1, 15, 5, false}};
  uint32_t yes = 0, no = 0;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    struct rng r = {seed};
    struct tso_program p = random_program(&r, &shapes[rng_below(&r, 4)]);
    struct tso_result result;
    vec_clear(&all.orders);
    vec_clear(&all.classes);
    tso_enumerate(&p, &(struct tso_options){.tso = true, .seen = see_class},
                  &result);
    tso_result_free(&result);
    for (uint32_t k = 0; k < all.classes.len; k++) {
      const struct class_of_traces *c = &all.classes.at[k];
      bool slow = tso_trace_slow(c->e, c->n), executions = true;
      for (uint32_t i = 0; i < all.orders.len && executions; i++)
        executions =
            all.orders.at[i].serializable || !keeps(&all.orders.at[i], c);
      *(slow ? &yes : &no) += 1;
      if (!CHECK_INT(slow, executions)) {
        struct trace_seen s = {.n = c->n};
        memcpy(s.e, c->e, sizeof s.e);
        fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
        put_trace(&s);
        return;
      }
    }
  }
  vec_free(&all.orders);
  vec_free(&all.classes);
  CHECK(yes > 300);
  CHECK(no > 200);
  paper_row(PAPER_THEOREMS,
            "Theorems 4 and 5, where operations that no directed edge holds "
            "change places: 500 programs",
            "exceptions", 0); /* the first one ends the test */
}

/* With the order of operations kept, a trace may be serializable though an
 * orientation has a cycle; never the other way round. */
TEST(the_order_of_one_trace_has_fewer_executions) {
  static const struct shape shapes[] = {{2, 3, 2, 10, 5, false},
                                        {3, 2, 2, 10, 5, false},
                                        {2, 4, 3, 20, 5, false},
                                        {3, 3, 3, 30, 10, false}};
  uint32_t fewer = 0;
  for (uint64_t seed = 1; seed <= 4000; seed++) {
    struct rng r = {seed};
    struct trace_seen s = {.n = 0};
    trace_of(&r, &shapes[rng_below(&r, 4)], true, &s);
    bool slow = tso_trace_slow(s.e, s.n);
    CHECK(!slow || s.serializable);
    fewer += !slow && s.serializable;
  }
  CHECK(fewer > 0);
  CHECK(fewer < 200);
  paper_row(PAPER_THEOREMS,
            "Theorem 5, Definition 3 to the letter: 4,000 traces", "exceptions",
            fewer);
}

/* Definition 3 to the letter: the search among commits alone finds what all
 * executions with that order of operations have. */
TEST(the_order_of_operations_kept) {
  static const struct shape shapes[] = {
      {2, 3, 2, 10, 5, false}, {3, 2, 2, 10, 5, false},
      {2, 4, 3, 20, 5, false}, {3, 3, 3, 30, 10, false},
      {2, 5, 2, 5, 0, false},  {2, 4, 1, 10, 5, false},
      {4, 2, 3, 10, 0, false}, {3, 3, 2, 10, 0, true}};
  uint32_t yes = 0, no = 0, fewer = 0;
  for (uint64_t seed = 1; seed <= 6000; seed++) {
    struct rng r = {seed};
    struct trace_seen s = {.n = 0};
    struct conflict_cycle c;
    struct tso_question kept = {.keep_order = true};
    trace_of(&r, &shapes[seed % 8], true, &s);
    enum tso_answer fast = tso_trace_answer(s.e, s.n, &kept, &c);
    if (!CHECK_INT(fast == TSO_YES, s.serializable) ||
        !CHECK(fast != TSO_UNKNOWN)) {
      fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
      put_trace(&s);
      conflict_cycle_free(&c);
      return;
    }
    if (fast == TSO_NO) {
      check_cycle(&s, &c);
      check_orientation(&s, &c);
    }
    conflict_cycle_free(&c);
    fewer += s.serializable && !tso_trace_slow(s.e, s.n);
    *(s.serializable ? &yes : &no) += 1;
  }
  CHECK(yes > 500);
  CHECK(no > 500);
  CHECK(fewer > 20);
}

static bool meets_a_store(const struct trace_seen *s) {
  struct settled seen = {0};
  for (uint32_t i = 0; i < s->n; i++)
    settled_event(&seen, s->e[i].kind, s->e[i].thread, s->e[i].object);
  bool met = seen.met;
  settled_free(&seen);
  return met;
}

/* Where a theorem decides a trace, it says what all orientations do. */
TEST(theorems_decide_traces) {
  static const struct shape shapes[] = {
      {2, 4, 2, 0, 0, true},   {3, 3, 3, 0, 5, true},   {2, 5, 4, 30, 0, true},
      {3, 4, 6, 10, 0, false}, {2, 4, 2, 50, 0, false}, {3, 3, 3, 0, 60, false},
      {3, 2, 8, 0, 0, false},  {2, 3, 2, 20, 5, false}};
  uint32_t second = 0, third = 0, left = 0, converse = 0;
  for (uint64_t seed = 1; seed <= 8000; seed++) {
    struct rng r = {seed};
    struct trace_seen s = {.n = 0};
    struct conflict_cycle c;
    trace_of(&r, &shapes[seed % 8], false, &s);
    bool slow = tso_trace_slow(s.e, s.n);
    enum tso_theorem by = tso_trace_theorem(s.e, s.n, &c);
    bool same = !by || slow == (by == TSO_THEOREM_2);
    if (!CHECK(same)) {
      fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
      put_trace(&s);
    }
    CHECK_INT(c.edges.len != 0, by == TSO_THEOREM_3);
    CHECK_INT(meets_a_store(&s), undirected(&s) != 0);
    if (by == TSO_THEOREM_3) {
      check_cycle(&s, &c);
      check_orientation(&s, &c);
    }
    conflict_cycle_free(&c);
    if (!same)
      return;
    /* Fenced, and no "no" of the trace itself under SC: its neighbours decide,
     * either way. */
    converse += !by && tso_transaction_fenced(s.e, s.n) && !slow;
    second += by == TSO_THEOREM_2;
    third += by == TSO_THEOREM_3;
    left += !by;
  }
  CHECK(second > 300);
  CHECK(third > 200);
  CHECK(left > 300);
  CHECK(converse > 20);
}

/* Robustness by all TSO executions, and by SC executions only; Theorem 2. */
TEST(robustness_is_seen_in_sc_executions) {
  static const struct shape shapes[] = {{2, 4, 2, 5, 0, false},
                                        {2, 3, 2, 0, 5, false},
                                        {2, 4, 2, 15, 5, false},
                                        {3, 2, 3, 0, 0, false}};
  uint32_t robust = 0, not_robust = 0, converse = 0;
  for (uint64_t seed = 1; seed <= 800; seed++) {
    struct rng r = {seed};
    struct tso_program p = random_program(&r, &shapes[rng_below(&r, 4)]);
    struct verdicts v = explore(&p);
    if (!CHECK_INT(v.monitored, v.robust) ||
        !CHECK_INT(v.traces, v.tso_serializable) ||
        !CHECK(!(v.robust && v.sc_serializable) || v.tso_serializable)) {
      fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
      return;
    }
    *(v.robust ? &robust : &not_robust) += 1;
    converse += v.tso_serializable && !(v.robust && v.sc_serializable);
  }
  CHECK(robust > 20);
  CHECK(not_robust > 20);
  CHECK(converse > 0); /* the reverse of Theorem 2 does not hold */
  paper_row(PAPER_THEOREMS, "Theorem 2: 800 programs", "exceptions",
            800 - robust - not_robust);
  paper_answer("The reverse of Theorem 2", "800 programs", "holds",
               converse == 0);
}

/* Theorem 3. */
TEST(transaction_fenced_programs) {
  static const struct shape shapes[] = {
      {2, 3, 2, 0, 5, true}, {3, 2, 2, 0, 5, true}, {2, 4, 3, 10, 0, true}};
  uint32_t yes = 0, no = 0;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    struct rng r = {seed};
    struct tso_program p = random_program(&r, &shapes[rng_below(&r, 3)]);
    struct verdicts v = {true, true, true, true, true, true};
    struct tso_result result;
    tso_enumerate(&p, &(struct tso_options){.seen = see_sc, .arg = &v},
                  &result);
    tso_result_free(&result);
    CHECK(v.fenced);
    if (!CHECK_INT(v.traces, v.monitored && v.sc_serializable)) {
      fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
      return;
    }
    *(v.traces ? &yes : &no) += 1;
  }
  CHECK(yes > 10);
  CHECK(no > 10);
  paper_row(PAPER_THEOREMS, "Theorem 3: 500 programs", "exceptions",
            500 - yes - no);
}

TEST_MAIN
