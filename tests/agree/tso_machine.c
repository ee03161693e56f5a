/*
 * The engine under TSO against the brute-force machine of tests/tso_machine.h,
 * on random programs: dfs runs as many executions, and dfs, stateful (with and
 * without the reduction) and dpor find the same outcomes, with stores of all
 * widths, plain and atomic, and buffers of all sizes.
 */
#include "tso_outcomes.h"

enum { PROGRAMS = 150, MOST_OPS = 3 };

/* ---- a program as C ---- */

static const char *const types[] = {"unsigned char", "short", "int", "long"};

struct dress { /* how the operations are written */
  const char *type[VARS];
  bool atomic[VARS];
};

static void put_write(struct buf *b, const struct dress *d,
                      const struct tso_op *op, struct rng *rng) {
  static const char *const order[] = {"relaxed", "release"};
  if (d->atomic[op->var])
    buf_printf(b, "  atomic_store_explicit(&v%d, %d, memory_order_%s);\n",
               op->var, op->value, order[rng_below(rng, 2)]);
  else
    buf_printf(b, "  v%d = %d;\n", op->var, op->value);
}

static void put_op(struct buf *b, const struct dress *d,
                   const struct tso_op *op, struct rng *rng) {
  switch (op->kind) {
  case TSO_WRITE:
    put_write(b, d, op, rng);
    break;
  case TSO_SC_WRITE:
    buf_printf(b, "  __atomic_store_n((%s *)&v%d, %d, __ATOMIC_SEQ_CST);\n",
               d->type[op->var], op->var, op->value);
    break;
  case TSO_READ:
    if (d->atomic[op->var])
      buf_printf(b, "  r = r * 8 + (int)atomic_load(&v%d);\n", op->var);
    else
      buf_printf(b, "  r = r * 8 + (int)v%d;\n", op->var);
    break;
  case TSO_RMW:
    buf_printf(b,
               "  r = r * 8 + (int)__atomic_exchange_n((%s *)&v%d, %d, "
               "__ATOMIC_RELAXED);\n",
               d->type[op->var], op->var, op->value);
    break;
  case TSO_ADD:
    buf_printf(b,
               "  r = r * 8 + (int)__atomic_fetch_add((%s *)&v%d, %d, "
               "__ATOMIC_ACQ_REL);\n",
               d->type[op->var], op->var, op->value);
    break;
  case TSO_FENCE:
    buf_puts(b, "  atomic_thread_fence(memory_order_seq_cst);\n");
  }
}

static void put_program(struct buf *b, const struct tso_program *p,
                        struct rng *rng) {
  struct dress d;
  buf_puts(b, "#include <faultline.h>\n#include <stdatomic.h>\n");
  for (int v = 0; v < VARS; v++) {
    d.type[v] = types[rng_below(rng, 4)];
    d.atomic[v] = rng_below(rng, 2);
    buf_printf(b, d.atomic[v] ? "_Atomic %s v%d;\n" : "volatile %s v%d;\n",
               d.type[v], v);
  }
  buf_puts(b, "FL_OBJECT(machine)\n");
  for (unsigned t = 0; t < p->nthreads; t++) {
    buf_printf(b, "static int t%u(void) {\n  int r = 0;\n", t);
    for (const struct tso_op *op = p->thread[t]; op->kind != TSO_STOP; op++)
      put_op(b, &d, op, rng);
    buf_printf(b, "  return r;\n}\nFL_OP(int, t%u)\n", t);
  }
  buf_puts(b, "static int end(void) { return (int)v0 * 8 + (int)v1; }\n"
              "FL_OP(int, end)\n");
}

/* ---- random programs ---- */

static void random_machine(struct tso_program *p, struct rng *rng) {
  memset(p, 0, sizeof *p);
  p->nthreads = (uint8_t)(2 + rng_below(rng, 4) / 3);
  for (unsigned t = 0; t < p->nthreads; t++) {
    uint64_t n =
        p->nthreads == 3 ? 1 + rng_below(rng, 2) : 1 + rng_below(rng, MOST_OPS);
    for (uint64_t i = 0; i < n; i++)
      p->thread[t][i] = random_op(rng);
  }
}

static void of_machine(const struct tso_program *p, const struct tso_result *r,
                       struct outcomes *o) {
  for (unsigned i = 0; i < r->noutcomes; i++) {
    int results[TSO_THREADS + 1] = {0};
    unsigned k = 0;
    for (unsigned t = 0; t < p->nthreads; t++)
      for (const struct tso_op *op = p->thread[t]; op->kind != TSO_STOP; op++)
        if (op->kind == TSO_READ || op->kind == TSO_RMW || op->kind == TSO_ADD)
          results[t] = results[t] * 8 + r->outcome[i].reg[k++];
    results[p->nthreads] =
        r->outcome[i].memory[0] * 8 + r->outcome[i].memory[1];
    add_outcome(o, results, p->nthreads + 1u);
  }
}

static enum judgement note(void *ctx, enum rt_end end) {
  struct outcomes *o = ctx;
  const struct history *h = rt_history();
  int results[TSO_THREADS + 1];
  CHECK_INT(end, RT_DONE);
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    results[i] = (int)h->ops[i].result.bits;
  add_outcome(o, results, h->client->ncalls);
  return JUDGE_GOOD;
}

/* ---- */

struct job {
  char *so;
  struct tso_program p;
  uint32_t buffer;
  unsigned number;
};

static uint64_t explore(enum search how, struct outcomes *o) {
  struct explore x = {.judge = {note, o}, .no_reduction = how == UNREDUCED};
  enum explore_end end = how == DFS    ? explore_dfs(&x)
                         : how == DPOR ? explore_dpor(&x)
                                       : explore_stateful(&x);
  CHECK_INT(end, EXPLORE_ALL);
  CHECK_INT(x.blocked, 0);
  return x.executions;
}

static void compare(void *arg) {
  const struct job *job = arg;
  struct rt_options o = {.tso = job->buffer != 0, .buffer = job->buffer};
  engine_open(job->so, &o);
  struct client c;
  engine_client(&c, job->p.nthreads == 2 ? "{t0()} || {t1()}; end()"
                                         : "{t0()} || {t1()} || {t2()}; end()");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  struct tso_result r;
  tso_enumerate(
      &job->p,
      &(struct tso_options){.tso = job->buffer != 0, .buffer = job->buffer},
      &r);
  struct outcomes expected = {0};
  of_machine(&job->p, &r, &expected);
  for (int how = 0; how < SEARCHES; how++) {
    struct outcomes found = {0};
    uint64_t executions = explore((enum search)how, &found);
    if (how == DFS && job->buffer) /* under SC a fence is no step */
      CHECK_INT(executions, r.executions);
    bool same = same_outcomes(&found, &expected);
    CHECK(same);
    if (!same || test_errors)
      fprintf(stderr, "program %u, %s, buffer %u: %u outcomes, expected %u\n",
              job->number, search_name[how], job->buffer, found.at.len,
              expected.at.len);
    vec_free(&found.at);
  }
  vec_free(&expected.at);
  tso_result_free(&r);
}

TEST(all_searches_agree_with_the_machine) {
  struct rng rng = {20};
  for (unsigned i = 0; i < PROGRAMS; i++) {
    struct job job = {.number = i};
    struct buf text = {0};
    random_machine(&job.p, &rng);
    put_program(&text, &job.p, &rng);
    engine_cc = i % 4 == 3 ? "clang" : NULL;
    job.so = engine_build(buf_text(&text), i % 3 ? "-O1" : "-O0");
    job.buffer = (uint32_t)rng_below(&rng, 4);
    int before = (int)test_errors;
    engine_child(compare, &job);
    if ((int)test_errors != before) {
      fprintf(stderr, "%s\n", buf_text(&text));
      return;
    }
    free(job.so);
    buf_free(&text);
  }
}

TEST_MAIN
