/* The examples of the paper (see atomicity/tso.h). */
#include "atomicity/sc.h"
#include "atomicity/tso.h"
#include "test.h"

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

TEST_MAIN
