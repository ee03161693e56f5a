/*
 * What the executions of C programs tell about atomicity, by dpor, against all
 * executions (dfs): serializability under SC and under TSO, and robustness by
 * the executions under TSO and by the monitor that sees those under SC only.
 * Programs whose transactions all end with fences: Theorem 3.
 *
 * tests/agree/tso_machine.c compares dfs with a machine that shares no code
 * with the engine.
 */
#include "engine.h"

#include "atomicity/from_trace.h"
#include "atomicity/sc.h"
#include "atomicity/tso.h"

#ifdef __SANITIZE_ADDRESS__
enum { FILES = 1 };
#else
enum { FILES = 6 };
#endif
enum { PROGRAMS = 20 };

/* ---- programs ---- */

struct shape {
  uint32_t threads, ops, vars;
  bool fenced;
  bool crossed; /* begins with a store and ends with a load of another */
};

static void put_op(struct buf *b, uint32_t p, const struct shape *s,
                   struct rng *rng) {
  uint32_t v = (uint32_t)rng_below(rng, s->vars);
  switch (rng_below(rng, 12)) {
  case 0:
    buf_puts(b, "  atomic_thread_fence(memory_order_seq_cst);\n");
    break;
  case 1:
    buf_printf(b, "  atomic_exchange_explicit(&p%uv%u, 1, R);\n", p, v);
    break;
  case 2:
    buf_printf(b, "  atomic_store(&p%uv%u, 2);\n", p, v);
    break;
  case 3:
  case 4:
  case 5:
  case 6:
    buf_printf(b, "  r += atomic_load_explicit(&p%uv%u, R);\n", p, v);
    break;
  default:
    buf_printf(b, "  atomic_store_explicit(&p%uv%u, 3, R);\n", p, v);
  }
}

/* A thread: blocks of one to three accesses, some accesses outside. */
static void put_thread(struct buf *b, uint32_t p, uint32_t t,
                       const struct shape *s, struct rng *rng) {
  buf_printf(b, "static int p%ut%u(void) {\n  int r = 0;\n", p, t);
  if (s->crossed)
    buf_printf(b, "  atomic_store_explicit(&p%uv%u, 4, R);\n", p, t);
  for (uint32_t left = 1 + (uint32_t)rng_below(rng, s->ops); left;) {
    uint32_t len = 1 + (uint32_t)rng_below(rng, left < 3 ? left : 3);
    bool block = s->fenced || len > 1 || rng_below(rng, 2);
    buf_puts(b, block ? "  FL_ATOMIC_BEGIN;\n" : "");
    for (uint32_t i = 0; i < len; i++)
      put_op(b, p, s, rng);
    if (s->fenced)
      buf_puts(b, "  atomic_thread_fence(memory_order_seq_cst);\n");
    buf_puts(b, block ? "  FL_ATOMIC_END;\n" : "");
    left -= len;
  }
  if (s->crossed)
    buf_printf(b, "  r += atomic_load_explicit(&p%uv%u, R);\n", p, 1 - t);
  buf_printf(b, "  return r;\n}\nFL_OP(int, p%ut%u)\n", p, t);
}

static const struct shape shapes[] = {
    {.threads = 2, .ops = 4, .vars = 2},
    {.threads = 2, .ops = 3, .vars = 3},
    {.threads = 3, .ops = 2, .vars = 2},
    {.threads = 2, .ops = 2, .vars = 2, .fenced = true},
    {.threads = 2, .ops = 2, .vars = 2, .crossed = true},
    {.threads = 2, .ops = 2, .vars = 3, .crossed = true},
};

static void put_programs(struct buf *b, const struct shape **shape,
                         struct rng *rng) {
  buf_puts(b, "#include <faultline.h>\n#include <stdatomic.h>\n"
              "#define R memory_order_relaxed\nFL_OBJECT(programs)\n");
  for (uint32_t p = 0; p < PROGRAMS; p++) {
    shape[p] = &shapes[rng_below(rng, sizeof shapes / sizeof *shapes)];
    for (uint32_t v = 0; v < shape[p]->vars; v++)
      buf_printf(b, "static atomic_int p%uv%u;\n", p, v);
    for (uint32_t t = 0; t < shape[p]->threads; t++)
      put_thread(b, p, t, shape[p], rng);
  }
}

/* ---- answers ---- */

struct answers {
  bool sc, tso, robust, monitored, fenced;
};

struct look {
  struct answers *a;
  struct live_path *live;
  bool tso;
};

static bool holds(bool (*f)(const struct txn_event *, uint32_t,
                            struct conflict_cycle *),
                  const struct txn_list *l) {
  struct conflict_cycle c;
  bool yes = f(l->e.at, l->e.len, &c);
  conflict_cycle_free(&c);
  return yes;
}

static enum judgement note(void *ctx, enum rt_end end) {
  struct look *k = ctx;
  struct replay r;
  struct arena arena = {0};
  struct trace t = {0};
  struct txn_list l;
  CHECK_INT(end, RT_DONE);
  replay_init(&r, k->live->at, k->live->len);
  r.driver.every = !k->live->only_choices;
  CHECK_INT(rt_run_recorded(&r.driver, &arena, &t), RT_DONE);
  CHECK(!r.diverged);
  txn_from_trace(&t, k->tso, &l);
  if (k->tso) {
    k->a->tso &= holds(tso_serializable, &l);
    bool equivalent = holds(tso_sc_equivalent, &l);
    CHECK_INT(holds(txn_sc_equivalent, &l), equivalent);
    k->a->robust &= equivalent;
  } else {
    k->a->sc &= holds(sc_serializable, &l);
    k->a->monitored &= holds(tso_robust, &l);
    k->a->fenced &= tso_transaction_fenced(l.e.at, l.e.len);
  }
  txn_list_free(&l);
  replay_free(&r);
  arena_free(&arena);
  return JUDGE_GOOD;
}

static uint64_t explore(const struct client *c, bool tso, bool dpor,
                        struct answers *a) {
  static struct live_path live;
  struct look k = {a, &live, tso};
  struct explore x = {
      .judge = {note, &k}, .live = &live, .no_real_time = dpor, .all = true};
  rt_set_tso(tso);
  CHECK_INT(rt_prepare(engine.suite, c), RT_DONE);
  CHECK_INT(dpor ? explore_dpor(&x) : explore_dfs(&x), EXPLORE_ALL);
  return x.executions;
}

static struct { uint32_t sc[2], tso[2], robust[2], fenced; } seen;

static void compare(const struct client *c) {
  struct answers slow = {true, true, true, true, true}, fast = slow;
  explore(c, false, false, &slow);
  uint64_t all = explore(c, true, false, &slow);
  explore(c, false, true, &fast);
  uint64_t few = explore(c, true, true, &fast);
  CHECK(few <= all);
  CHECK_INT(fast.sc, slow.sc);
  CHECK_INT(fast.tso, slow.tso);
  CHECK_INT(fast.robust, slow.robust);
  CHECK_INT(fast.monitored, slow.monitored);
  CHECK_INT(fast.fenced, slow.fenced);
  CHECK_INT(slow.monitored, slow.robust);
  if (slow.robust && slow.sc) /* Theorem 2 */
    CHECK(slow.tso);
  if (slow.fenced) /* Theorem 3 */
    CHECK_INT(slow.tso, slow.robust && slow.sc);
  seen.sc[slow.sc]++;
  seen.tso[slow.tso]++;
  seen.robust[slow.robust]++;
  seen.fenced += slow.fenced;
}

struct job {
  char *so;
  const struct shape *shape[PROGRAMS];
};

static void run_file(void *arg) {
  const struct job *job = arg;
  engine_open(job->so, &(struct rt_options){.tso = true, .buffer = 4});
  for (uint32_t p = 0; p < PROGRAMS; p++) {
    struct buf text = {0};
    struct client c;
    for (uint32_t t = 0; t < job->shape[p]->threads; t++)
      buf_printf(&text, "%s{p%ut%u()}", t ? " || " : "", p, t);
    engine_client(&c, buf_text(&text));
    unsigned before = (unsigned)test_errors;
    compare(&c);
    if ((unsigned)test_errors != before)
      fprintf(stderr, "client %s\n", buf_text(&text));
    client_free(&c);
    buf_free(&text);
  }
  CHECK(seen.sc[0] && seen.sc[1]);
  CHECK(seen.tso[0] && seen.tso[1]);
  CHECK(seen.robust[0] && seen.robust[1]);
  CHECK(seen.fenced);
}

TEST(dpor_tells_what_all_executions_tell) {
  struct rng rng = {7};
  for (int i = 0; i < FILES; i++) {
    struct job job;
    struct buf text = {0};
    put_programs(&text, job.shape, &rng);
    job.so = engine_build(buf_text(&text), "-O1");
    unsigned before = (unsigned)test_errors;
    engine_child(run_file, &job);
    if ((unsigned)test_errors != before)
      fprintf(stderr, "%s\n", buf_text(&text));
    free(job.so);
    buf_free(&text);
  }
}

TEST_MAIN
