/* The on-line monitor and both conflict graphs agree on random traces. */
#include "atomicity/sc.h"
#include "base/rng.h"
#include "test.h"

enum { MOST = 4000, THREADS = 20 };

/* What a trace may be at most.  A thread that is inside of a transaction stays
 * on but for one event in `inside`, or almost nothing would be serializable. */
struct shape {
  uint32_t threads, vars, locks, events, inside;
  uint32_t stay_alive; /* of so many joins one is done */
};

struct random {
  struct rng rng;
  struct txn_event e[2 * MOST];
  uint32_t n, nthreads, nvars, nlocks, joins;
  uint32_t depth[THREADS], held[THREADS]; /* lock + 1 */
  bool forked[THREADS], joined[THREADS];
};

static void put(struct random *r, enum txn_kind kind, uint32_t t, uint32_t x) {
  r->e[r->n] = (struct txn_event){.kind = kind, .thread = t, .object = x};
  r->n++;
}

static bool held(const struct random *r, uint32_t lock) {
  for (uint32_t t = 0; t < r->nthreads; t++)
    if (r->held[t] == lock + 1)
      return true;
  return false;
}

static void close_thread(struct random *r, uint32_t t) {
  if (r->held[t])
    put(r, TXN_RMW, t, r->nvars + r->held[t] - 1);
  r->held[t] = 0;
  while (r->depth[t])
    r->depth[t]--, put(r, TXN_END, t, 0);
}

static void random_event(struct random *r, uint32_t t) {
  uint64_t what = rng_below(&r->rng, 100);
  uint32_t x = (uint32_t)rng_below(&r->rng, r->nvars);
  uint32_t l = (uint32_t)rng_below(&r->rng, r->nlocks);
  uint32_t u = (uint32_t)rng_below(&r->rng, r->nthreads);
  if (what < 30)
    put(r, TXN_READ, t, x);
  else if (what < 50)
    put(r, TXN_WRITE, t, x);
  else if (what < 66 && r->depth[t] < 3)
    r->depth[t]++, put(r, TXN_BEGIN, t, 0);
  else if (what < 82 && r->depth[t])
    r->depth[t]--, put(r, TXN_END, t, 0);
  else if (what < 90 && !r->held[t] && !held(r, l))
    r->held[t] = l + 1, put(r, TXN_RMW, t, r->nvars + l);
  else if (what < 96 && r->held[t]) {
    put(r, TXN_RMW, t, r->nvars + r->held[t] - 1);
    r->held[t] = 0;
  } else if (what < 98 && u != t && u > 0 && !r->forked[u]) {
    r->forked[u] = true;
    put(r, TXN_FORK, t, u);
  } else if (u != t && r->forked[u] && !r->joined[u] && u > 0 &&
             !rng_below(&r->rng, r->joins)) {
    close_thread(r, u);
    r->joined[u] = true;
    put(r, TXN_JOIN, t, u);
  }
}

/* Some threads run from the start, the others when they are forked. */
static void random_trace(struct random *r, const struct shape *s,
                         uint64_t seed) {
  r->rng = (struct rng){seed};
  r->n = 0;
  memset(r->depth, 0, sizeof r->depth);
  memset(r->held, 0, sizeof r->held);
  memset(r->joined, 0, sizeof r->joined);
  r->nthreads = 2 + (uint32_t)rng_below(&r->rng, s->threads - 1);
  r->nvars = 1 + (uint32_t)rng_below(&r->rng, s->vars);
  r->nlocks = 1 + (uint32_t)rng_below(&r->rng, s->locks);
  r->joins = s->stay_alive;
  bool all = rng_below(&r->rng, 2);
  for (uint32_t t = 0; t < r->nthreads; t++)
    r->forked[t] = all || t == 0;
  uint64_t want = 4 + rng_below(&r->rng, s->events - 4);
  uint64_t stay = rng_below(&r->rng, 12), t = 0;
  for (uint64_t i = 0; i < 6 * want && r->n < want; i++) {
    bool open = r->depth[t] || r->held[t];
    if ((!stay || !rng_below(&r->rng, stay)) &&
        (!open || !s->inside || !rng_below(&r->rng, s->inside)))
      t = rng_below(&r->rng, r->nthreads);
    if (r->forked[t] && !r->joined[t])
      random_event(r, (uint32_t)t);
  }
  if (rng_below(&r->rng, 3)) /* else some stay open */
    for (uint32_t u = 0; u < r->nthreads; u++)
      close_thread(r, u);
}

static bool graph_says(const struct random *r, uint32_t ntxns, bool all) {
  static uint32_t node[2 * MOST];
  struct conflict_graph g;
  struct conflict_cycle c;
  for (uint32_t i = 0; i < r->n; i++)
    node[i] = r->e[i].txn;
  conflict_graph_init(&g, node, ntxns);
  (all ? sc_conflicts_all : sc_conflicts)(r->e, r->n, &g);
  bool cyclic = conflict_graph_cycle(&g, &c);
  for (uint32_t i = 0; i < c.edges.len; i++) {
    const struct txn_edge *e = &c.edges.at[i];
    const struct txn_edge *next = &c.edges.at[(i + 1) % c.edges.len];
    CHECK(e->from < e->to);
    CHECK(node[e->from] != node[e->to]);
    CHECK_INT(node[e->to], node[next->from]);
  }
  CHECK(!cyclic || c.edges.len >= 2);
  conflict_cycle_free(&c);
  conflict_graph_free(&g);
  return !cyclic;
}

/* A "no" is right for the events up to the one that it was said at. */
static bool monitor_says(struct random *r) {
  struct sc_monitor *m = sc_monitor_new();
  bool ok = true;
  uint32_t i = 0, n = r->n;
  while (i < n && ok) {
    ok = sc_monitor_event(m, r->e[i].kind, r->e[i].thread, r->e[i].object);
    i++;
  }
  if (!ok) {
    r->n = i;
    CHECK(!graph_says(r, txn_assign(r->e, i), false));
    r->n = n;
  }
  ok = ok && sc_monitor_finish(m);
  sc_monitor_free(m);
  return ok;
}

/* Whether all agree, and on what; pairs: all of them are looked at too. */
static bool agree(const struct shape *s, uint64_t seed, bool pairs,
                  uint32_t *yes, uint32_t *no) {
  static struct random r;
  random_trace(&r, s, seed);
  uint32_t ntxns = txn_assign(r.e, r.n);
  bool linear = graph_says(&r, ntxns, false);
  bool slow = pairs ? graph_says(&r, ntxns, true) : linear;
  bool online = monitor_says(&r);
  *(slow ? yes : no) += 1;
  if (slow == linear && slow == online)
    return true;
  fprintf(stderr, "seed %llu: all pairs %d, linear %d, monitor %d\n",
          (unsigned long long)seed, slow, linear, online);
  return CHECK(!"they differ");
}

TEST(monitor_and_graphs_agree) {
  static const struct shape shape = {5, 6, 2, 60, 0, 1};
  uint32_t yes = 0, no = 0;
  for (uint64_t seed = 1; seed <= 60000; seed++)
    if (!agree(&shape, seed, true, &yes, &no))
      return;
  CHECK(yes > 10000);
  CHECK(no > 10000);
}

/* Transactions overlap, and few pairs of them conflict. */
TEST(many_threads_and_variables) {
  static const struct shape shapes[] = {{20, 60, 4, 200, 0, 2},
                                        {20, 200, 8, 400, 0, 2},
                                        {9, 12, 3, 120, 4, 2},
                                        {20, 40, 4, 300, 20, 2},
                                        {16, 8, 2, 200, 30, 2}};
  uint32_t yes = 0, no = 0;
  for (uint64_t seed = 1; seed <= 15000; seed++)
    if (!agree(&shapes[seed % 5], seed, seed % 10 < 5, &yes, &no))
      return;
  CHECK(yes > 2000);
  CHECK(no > 2000);
}

/* So long that the clocks of old transactions are collected many times. */
TEST(long_traces) {
  static const struct shape shapes[] = {{6, 8, 2, MOST, 500, 100},
                                        {20, 20, 3, MOST, 300, 100},
                                        {12, 6, 2, MOST, 300, 100},
                                        {4, 3, 1, MOST, 1000, 100}};
  uint32_t yes = 0, no = 0;
  for (uint64_t seed = 1; seed <= 2000; seed++)
    if (!agree(&shapes[seed % 4], seed, false, &yes, &no))
      return;
  CHECK(yes > 300);
  CHECK(no > 300);
}

/* More threads than a word has bits. */
TEST(many_threads) {
  for (uint32_t n = 2; n <= 200; n += 33)
    for (int cyclic = 0; cyclic < 2; cyclic++) {
      struct sc_monitor *m = sc_monitor_new();
      bool ok = true;
      /* t reads t, then writes t + 1, in one transaction: a long cycle when the
       * last writes what the first has read. */
      for (uint32_t t = 0; t < n; t++) {
        ok &= sc_monitor_event(m, TXN_BEGIN, t, 0);
        ok &= sc_monitor_event(m, TXN_WRITE, t, t);
      }
      for (uint32_t t = 0; t < n && ok; t++) {
        uint32_t x = t + 1 < n ? t + 1 : cyclic ? 0 : n;
        ok = ok && sc_monitor_event(m, TXN_READ, t, x);
      }
      for (uint32_t t = 0; t < n && ok; t++)
        ok = ok && sc_monitor_event(m, TXN_END, t, 0);
      ok = ok && sc_monitor_finish(m);
      CHECK_INT(ok, !cyclic);
      sc_monitor_free(m);
    }
}

TEST_MAIN
