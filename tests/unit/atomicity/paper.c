/*
 * The examples of the paper (see atomicity/tso.h).
 *
 * The text that we have lacks the figures, so the two programs after Theorem 2
 * are rebuilt from what is said of them.
 *
 * Left: "every event is a transaction and events in the same thread are not in
 * conflict", "both reads don't see the value written by the other thread": two
 * threads, each with a write and a read of the other's variable.  There is no
 * other choice but names.
 *
 * Right: "the events in thread 1 are not in conflict", so they are w(x) and a
 * read of another variable (or a buffered read and a read, which needs more
 * events); "it admits only one execution where the events of thread 1 take
 * place in between the two events of thread 2", and that one is not
 * SC-serializable. So thread 2 has one transaction, its first event is in
 * conflict with w(x) and its second with r(y): r(x) or w(x), then w(y).  Both
 * are tested.
 *
 * Figure 2 is the task pool of Figure 1, which we have, with one task.
 */
#include "atomicity/sc.h"
#include "atomicity/settled.h"
#include "atomicity/tso.h"
#include "oracle/orient.h"
#include "paper_rows.h"
#include "test.h"
#include "tso_machine.h"

enum { X, Y, P };

static struct txn_event ev(enum txn_kind kind, uint32_t thread, uint32_t object,
                           uint32_t txn) {
  return (struct txn_event){
      .kind = (uint8_t)kind, .thread = thread, .object = object, .txn = txn};
}
static struct txn_event commit(uint32_t issue, const struct txn_event *e) {
  struct txn_event c = e[issue];
  c.kind = TXN_COMMIT;
  c.issue = issue;
  return c;
}

static bool yes(bool (*f)(const struct txn_event *, uint32_t,
                          struct conflict_cycle *),
                const struct txn_event *e, uint32_t n) {
  struct conflict_cycle c;
  bool holds = f(e, n, &c);
  CHECK(holds == !c.edges.len);
  conflict_cycle_free(&c);
  return holds;
}

static bool trace(const struct txn_event *e, uint32_t n) {
  struct conflict_cycle c;
  bool holds = tso_trace_serializable(e, n, 0, &c) == TSO_YES;
  conflict_cycle_free(&c);
  CHECK_INT(holds, tso_trace_slow(e, n));
  return holds;
}

/* ---- all executions of a program, or of one trace ---- */

struct all {
  uint32_t executions, serializable, equivalent, sc_serializable;
};

/* Operations between marks are a transaction. */
static uint32_t events_of(const struct tso_execution *x, bool commits,
                          struct txn_event *out) {
  static const uint8_t kinds[] = {[TSO_WRITE] = TXN_WRITE,
                                  [TSO_READ] = TXN_READ,
                                  [TSO_FENCE] = TXN_FENCE,
                                  [TSO_COMMIT] = TXN_COMMIT};
  uint32_t at[TSO_EVENTS], txn[TSO_THREADS] = {0}, n = 0;
  for (unsigned i = 0; i < x->n; i++) {
    const struct tso_event *e = &x->event[i];
    at[i] = n;
    txn[e->thread] += e->kind == TSO_BEGIN;
    if (e->kind == TSO_BEGIN || e->kind == TSO_END ||
        (e->kind == TSO_COMMIT && !commits))
      continue;
    out[n] = ev(kinds[e->kind], e->thread, e->var,
                txn[e->thread] * TSO_THREADS + e->thread);
    if (e->kind == TSO_COMMIT) {
      out[n].issue = at[e->issue];
      out[n].txn = out[at[e->issue]].txn;
    }
    n++;
  }
  return n;
}

static void see_tso(const struct tso_execution *x, void *arg) {
  struct all *a = arg;
  struct txn_event e[TSO_EVENTS];
  uint32_t n = events_of(x, true, e);
  a->executions++;
  a->serializable += yes(tso_serializable, e, n);
  a->equivalent += yes(tso_sc_equivalent, e, n);
}
static void see_sc(const struct tso_execution *x, void *arg) {
  struct all *a = arg;
  struct txn_event e[TSO_EVENTS];
  uint32_t n = events_of(x, false, e);
  a->executions++;
  a->sc_serializable += yes(sc_serializable, e, n);
}

static struct all run(const struct tso_program *p, bool tso,
                      const uint8_t *order, unsigned norder) {
  struct all a = {0};
  struct tso_result r;
  tso_enumerate(p,
                &(struct tso_options){.tso = tso,
                                      .order = order,
                                      .norder = norder,
                                      .seen = tso ? see_tso : see_sc,
                                      .arg = &a},
                &r);
  tso_result_free(&r);
  return a;
}

#define ALONE(...) TSO_B, __VA_ARGS__, TSO_E

TEST(the_left_program) {
  struct tso_program p = {2,
                          {{ALONE(TSO_W(X, 1)), ALONE(TSO_R(Y))},
                           {ALONE(TSO_W(Y, 1)), ALONE(TSO_R(X))}}};
  struct all tso = run(&p, true, NULL, 0), sc = run(&p, false, NULL, 0);
  CHECK_INT(tso.executions, 80);
  CHECK_INT(tso.serializable, tso.executions); /* TSO-serializable */
  CHECK(tso.equivalent < tso.executions);      /* not robust */
  CHECK_INT(sc.sc_serializable, sc.executions);
}

/* Its only sequence is r2(x) w1(x) r1(y) w2(y), or with w2(x). */
TEST(the_right_program) {
  struct tso_program p[] = {{2,
                             {{ALONE(TSO_W(X, 1)), ALONE(TSO_R(Y))},
                              {TSO_B, TSO_R(X), TSO_W(Y, 1), TSO_E}}},
                            {2,
                             {{ALONE(TSO_W(X, 1)), ALONE(TSO_R(Y))},
                              {TSO_B, TSO_W(X, 2), TSO_W(Y, 1), TSO_E}}}};
  const uint8_t order[] = {1, 0, 0, 1};
  for (int i = 0; i < 2; i++) {
    struct all tso = run(&p[i], true, order, 4);
    struct all sc = run(&p[i], false, order, 4);
    CHECK(tso.executions > 1);
    CHECK_INT(tso.serializable, tso.executions); /* TSO-serializable */
    CHECK_INT(sc.executions, 1);
    CHECK_INT(sc.sc_serializable, 0); /* not SC-serializable */
  }
}

/* ---- single executions ---- */

/* After Theorem 2, left: every event is a transaction; not robust. */
TEST(tso_serializable_and_not_robust) {
  struct txn_event e[] = {ev(TXN_WRITE, 0, X, 0), ev(TXN_WRITE, 1, Y, 1),
                          ev(TXN_READ, 0, Y, 2),  ev(TXN_READ, 1, X, 3),
                          ev(TXN_FENCE, 0, 0, 4), ev(TXN_FENCE, 1, 0, 5)};
  e[4] = commit(0, e);
  e[5] = commit(1, e);
  CHECK(yes(tso_serializable, e, 6));
  CHECK(!yes(tso_sc_equivalent, e, 6));
  CHECK(trace(e, 4));
  /* From SC executions: the last read of this one could be done first. */
  struct txn_event sc[] = {e[0], e[2], e[1], e[3]};
  CHECK(!yes(tso_robust, sc, 4));
}

/* Right: thread 1 is between the two events of thread 2's transaction. */
TEST(tso_serializable_and_not_sc_serializable) {
  struct txn_event e[] = {ev(TXN_READ, 1, X, 0),  ev(TXN_WRITE, 0, X, 1),
                          ev(TXN_FENCE, 0, 0, 1), ev(TXN_READ, 0, Y, 2),
                          ev(TXN_WRITE, 1, Y, 0), ev(TXN_FENCE, 1, 0, 0)};
  struct txn_event sc[] = {e[0], e[1], e[3], e[4]};
  e[2] = commit(1, e);
  e[5] = commit(4, e);
  CHECK(!yes(sc_serializable, sc, 4));
  CHECK(trace(sc, 4));
  CHECK(yes(tso_serializable, e, 6));
  CHECK(yes(tso_sc_equivalent, e, 6));
  CHECK(!tso_transaction_fenced(sc, 4));
}

/* Figure 2: the task pool with one task, which both threads take.  X is head,
 * Y tail, P the task's place; transactions 0 and 1 are of thread 0. */
TEST(the_task_pool) {
  struct txn_event e[18] = {
      ev(TXN_READ, 0, X, 0),  ev(TXN_WRITE, 0, X, 0), ev(TXN_READ, 1, Y, 2),
      ev(TXN_WRITE, 1, Y, 2), ev(TXN_READ, 0, X, 1),  ev(TXN_READ, 0, Y, 1),
      ev(TXN_READ, 1, X, 3),  ev(TXN_READ, 1, Y, 3),  ev(TXN_READ, 0, P, 1),
      ev(TXN_READ, 1, P, 3),  ev(TXN_WRITE, 0, P, 1), ev(TXN_WRITE, 1, P, 3)};
  e[12] = commit(1, e);
  e[13] = commit(3, e);
  e[14] = commit(10, e);
  e[15] = commit(11, e);
  CHECK(!yes(tso_serializable, e, 16));
  CHECK(!yes(tso_sc_equivalent, e, 16));
  CHECK(!trace(e, 12));
  paper_answer("Figure 2", "(a), (c): the execution", "TSO-serializable",
               yes(tso_serializable, e, 16));
  paper_answer("Figure 2", "(b): the execution", "SC-equivalent",
               yes(tso_sc_equivalent, e, 16));
  paper_answer("Figure 2", "(d): its trace", "TSO-serializable", trace(e, 12));
}

/* The same with every access of Figure 1: head and tail are read again for the
 * place in the pool. */
TEST(the_task_pool_access_by_access) {
  enum { OPS = 8 };
  static const struct {
    enum txn_kind kind;
    uint8_t own; /* 1: the own pointer, 2: the other's, 0: the pool */
    uint8_t txn;
  } ops[OPS] = {{TXN_READ, 1, 0}, {TXN_WRITE, 1, 0}, {TXN_READ, 1, 1},
                {TXN_READ, 2, 1}, {TXN_READ, 1, 1},  {TXN_READ, 0, 1},
                {TXN_READ, 1, 1}, {TXN_WRITE, 0, 1}};
  struct txn_event e[24];
  uint32_t n = 0, issue[4], nissues = 0;
  for (uint32_t i = 0; i < OPS; i++)
    for (uint32_t t = 0; t < 2; t++) {
      uint32_t x = !ops[i].own ? P : (ops[i].own == 1) == (t == 0) ? X : Y;
      if (ops[i].kind == TXN_WRITE)
        issue[nissues++] = n;
      e[n++] = ev(ops[i].kind, t, x, 2 * t + ops[i].txn);
    }
  uint32_t trace_len = n;
  for (uint32_t i = 0; i < nissues; i++)
    e[n] = commit(issue[i], e), n++;
  CHECK(!yes(tso_serializable, e, n));
  CHECK(!yes(tso_sc_equivalent, e, n));
  CHECK(!trace(e, trace_len));
}

/* A read between a write of its thread and the commit does not conflict with a
 * commit of another thread in between: exception (i). */
TEST(parallel_reads_and_commits) {
  struct txn_event e[] = {ev(TXN_WRITE, 0, X, 0), ev(TXN_WRITE, 1, X, 1),
                          ev(TXN_READ, 0, X, 2), ev(TXN_FENCE, 1, 0, 1),
                          ev(TXN_FENCE, 0, 0, 0)};
  bool buffered[5];
  e[3] = commit(1, e);
  e[4] = commit(0, e);
  tso_buffered(e, 5, buffered);
  CHECK(buffered[2]);
  CHECK(yes(tso_serializable, e, 5));
  CHECK(yes(tso_sc_equivalent, e, 5));
  /* In one transaction with the write: between them, but parallel. */
  e[2].txn = 0;
  CHECK(yes(tso_serializable, e, 5));
}

/* ---- Definition 3, and theorems about one trace ---- */

static bool kept(const struct txn_event *e, uint32_t n) {
  struct conflict_cycle c;
  struct tso_question q = {.keep_order = true};
  enum tso_answer a = tso_trace_answer(e, n, &q, &c);
  conflict_cycle_free(&c);
  return a == TSO_YES;
}

/* The smallest trace on which the readings of Definition 3 differ: if w2 may be
 * issued before r1, its commit may come between w1's and r1. */
TEST(the_smallest_trace_with_two_answers) {
  struct txn_event e[] = {ev(TXN_WRITE, 0, X, 0), ev(TXN_READ, 0, X, 0),
                          ev(TXN_WRITE, 1, X, 1)};
  struct tso_program p = {
      2, {{TSO_B, TSO_W(X, 1), TSO_R(X), TSO_E}, {TSO_B, TSO_W(X, 2), TSO_E}}};
  const uint8_t orders[][3] = {{0, 0, 1}, {0, 1, 0}};
  struct all one = run(&p, true, orders[0], 3);
  struct all other = run(&p, true, orders[1], 3);
  CHECK(!trace(e, 3));
  CHECK(kept(e, 3));
  CHECK_INT(one.serializable, one.executions);
  CHECK(other.serializable < other.executions);
}

/* A buffered read is free to come before the other thread's write in both. */
TEST(an_order_that_does_not_help) {
  struct txn_event e[] = {ev(TXN_WRITE, 0, X, 0), ev(TXN_WRITE, 1, X, 1),
                          ev(TXN_READ, 0, X, 0)};
  CHECK(!trace(e, 3));
  CHECK(!kept(e, 3));
}

/* Threads one and two with a transaction [w(x) w(y) fence] each: the trace is
 * SC-serializable, and each of its executions is equivalent to one under SC;
 * not to a serializable one always.  So Theorem 3 does not hold of one trace.
 */
TEST(the_third_theorem_is_about_programs) {
  struct txn_event e[] = {ev(TXN_WRITE, 0, X, 0), ev(TXN_WRITE, 1, X, 1),
                          ev(TXN_WRITE, 0, Y, 0), ev(TXN_WRITE, 1, Y, 1),
                          ev(TXN_FENCE, 0, 0, 0), ev(TXN_FENCE, 1, 0, 1)};
  struct tso_program p = {2,
                          {{ALONE(TSO_W(X, 1), TSO_W(Y, 1), TSO_F)},
                           {ALONE(TSO_W(X, 2), TSO_W(Y, 2), TSO_F)}}};
  const uint8_t order[] = {0, 1, 0, 1, 0, 1};
  struct all tso = run(&p, true, order, 6), sc = run(&p, false, order, 6);
  struct conflict_cycle c;
  CHECK(tso_transaction_fenced(e, 6));
  CHECK_INT(sc.sc_serializable, sc.executions);
  CHECK_INT(tso.equivalent, tso.executions);
  CHECK(tso.serializable < tso.executions);
  CHECK(!trace(e, 6));
  CHECK(!kept(e, 6));
  CHECK_INT(tso_trace_theorem(e, 6, &c), TSO_NO_THEOREM);
}

/* One transaction after the other, each with a fence: the trace is serializable
 * though the program is not robust. */
TEST(a_program_that_is_not_robust_has_serializable_traces) {
  struct txn_event e[] = {ev(TXN_WRITE, 0, X, 0), ev(TXN_READ, 0, Y, 0),
                          ev(TXN_FENCE, 0, 0, 0), ev(TXN_WRITE, 1, Y, 1),
                          ev(TXN_READ, 1, X, 1),  ev(TXN_FENCE, 1, 0, 1)};
  struct conflict_cycle c;
  CHECK(!yes(tso_robust, e, 6));
  CHECK(trace(e, 6));
  CHECK_INT(tso_trace_theorem(e, 6, &c), TSO_THEOREM_2);
}

/* Fenced, and not serializable in its own order: the transaction of thread 1 is
 * around two of thread 0. */
TEST(the_third_theorem_decides_a_trace) {
  struct txn_event e[] = {ev(TXN_READ, 1, X, 0),  ev(TXN_WRITE, 0, X, 1),
                          ev(TXN_FENCE, 0, 0, 1), ev(TXN_WRITE, 0, Y, 2),
                          ev(TXN_FENCE, 0, 0, 2), ev(TXN_READ, 1, Y, 0),
                          ev(TXN_FENCE, 1, 0, 0)};
  struct conflict_cycle c;
  CHECK_INT(tso_trace_theorem(e, 7, &c), TSO_THEOREM_3);
  CHECK_INT(c.edges.len, 3);
  conflict_cycle_free(&c);
  CHECK(!trace(e, 7));
  e[6].kind = TXN_READ; /* no fence ends it: the search has to tell */
  CHECK_INT(tso_trace_theorem(e, 7, &c), TSO_NO_THEOREM);
  CHECK(!trace(e, 7));
}

/* Who joins a thread meets no store of it; others may. */
TEST(a_joined_thread_has_ended) {
  for (uint32_t reader = 0; reader < 3; reader += 2) {
    struct settled s = {0};
    settled_event(&s, TXN_WRITE, 1, X);
    settled_event(&s, TXN_JOIN, 0, 1);
    settled_event(&s, TXN_READ, reader, X);
    CHECK_INT(s.met, reader != 0);
    settled_free(&s);
  }
}

TEST(a_read_modify_write_is_no_late_store) {
  struct settled s = {0};
  settled_event(&s, TXN_BEGIN, 0, 0);
  settled_event(&s, TXN_WRITE, 0, X);
  settled_event(&s, TXN_RMW, 0, Y);
  settled_event(&s, TXN_END, 0, 0);
  settled_event(&s, TXN_WRITE, 1, X);
  settled_event(&s, TXN_FENCE, 1, 0);
  CHECK(!s.met);
  CHECK(s.unfenced); /* the write by itself */
  settled_free(&s);
}

TEST_MAIN
