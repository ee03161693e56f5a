/*
 * Serializability under TSO: Enea and Farzan, "On atomicity in presence of
 * non-atomic writes", TACAS 2016.
 *
 * An execution has commits, and its writes are issues.  A trace has no commits:
 * it stands for the executions with commits at all possible places.  A write
 * that is done at once (TXN_RMW) reads, commits and is a fence; forks and joins
 * are fences too.  Marks (TXN_BEGIN, TXN_END) are not looked at: transactions
 * are in `txn`.
 *
 * docs/atomicity.md has the definitions, and the reading chosen where the paper
 * leaves one.
 */
#ifndef ATOMICITY_TSO_H
#define ATOMICITY_TSO_H

#include "atomicity/graph.h"

/* Whether read i is buffered: an earlier write of its thread to its object, and
 * no fence of the thread in between. */
void tso_buffered(const struct txn_event *e, uint32_t n, bool *buffered);

/* Whether events i < j of an execution are in conflict: the paper's (1). */
bool tso_conflict(const struct txn_event *e, uint32_t n, uint32_t i,
                  uint32_t j);

/* Of an execution, which may lack commits at its end.  Every pair of events is
 * looked at: quadratic. */
bool tso_serializable(const struct txn_event *e, uint32_t n,
                      struct conflict_cycle *cycle);

/* Whether an SC execution is equivalent: no cycle in the write contraction. */
bool tso_sc_equivalent(const struct txn_event *e, uint32_t n,
                       struct conflict_cycle *cycle);

/*
 * Robustness, from an SC execution (no commits): whether one of its reads could
 * be done before a write of another thread that it comes after, which makes a
 * TSO execution that is not equivalent to an SC one.  A program is robust if
 * and only if all of its SC executions are.  The cycle's first edge is from
 * the read to the write, the others lead from the write to the read.
 */
bool tso_robust(const struct txn_event *e, uint32_t n,
                struct conflict_cycle *cycle);

/* Every transaction of more than marks ends with a fence (or what is one). */
bool tso_transaction_fenced(const struct txn_event *e, uint32_t n);

enum trace_relation { TRACE_NONE, TRACE_DIRECTED, TRACE_UNDIRECTED };
enum tso_answer { TSO_NO, TSO_YES, TSO_UNKNOWN };

/*
 * Whether every execution of a trace is TSO-serializable.  Of a cycle, edges
 * from a later to an earlier event are undirected ones: the first event's
 * commit, or the second's, waits.
 *
 * Its executions are those in which the directed edges of the trace keep their
 * direction, or, with `keep_order`, those with the very operations of the trace
 * in their order (Definition 3 to the letter, in_order.h).
 *
 * tests/oracle/orient.c, which tries all valid orientations, defines the first;
 * the second is what all executions of a machine with that order of operations
 * say (tests/agree/atomicity_tso.c).
 */
struct tso_question {
  bool keep_order;
  uint64_t most;  /* steps, then it gives up; 0: never */
  uint64_t steps; /* that it took */
};
enum tso_answer tso_trace_answer(const struct txn_event *e, uint32_t n,
                                 struct tso_question *how,
                                 struct conflict_cycle *cycle);
/* With `steps` as `most`, and the order not kept. */
enum tso_answer tso_trace_serializable(const struct txn_event *e, uint32_t n,
                                       uint64_t steps,
                                       struct conflict_cycle *cycle);

#endif
