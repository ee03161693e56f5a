/*
 * Traces that SC-serializability decides, without a search (see tso.h).
 *
 * A trace is settled when no access meets a store of another thread that may
 * still be in the buffer.  Then it has no undirected edges, all of its
 * executions have one order of conflicting accesses, that of the trace itself,
 * and each is equivalent to it: what Theorem 2 of the paper asks of a program
 * holds of the trace.  If it is SC-serializable, it is TSO-serializable.
 *
 * When every transaction ends with a fence, the order of the trace with all
 * commits at once has one conflict graph of transactions under SC and under
 * TSO: the events of two transactions of a thread are ordered by the fence
 * between them.  If it is not SC-serializable, it is not TSO-serializable: this
 * half of Theorem 3 holds of one trace.
 *
 * The other halves are about programs, and do not: a trace with fences may be
 * SC-serializable, and all of its executions equivalent to executions under SC,
 * and one of these is not serializable.
 *
 *   [w1(x) w1(y) f1] || [w2(x) w2(y) f2] in the order
 *   w1(x) w2(x) w1(y) w2(y) f1 f2: the second store of thread 2 can be
 *   committed before that of thread 1, though not the first.
 *
 * (S1) memory depends on the numbers of threads and objects alone: an
 *      entry for each of them, by construction.
 */
#ifndef ATOMICITY_SETTLED_H
#define ATOMICITY_SETTLED_H

#include "atomicity/graph.h"

struct settled_thread {
  uint64_t fences; /* so far */
  uint32_t depth;  /* of marked transactions */
  bool open;       /* the last event of the running one is no fence */
  uint32_t joiner; /* who has joined it, + 1 */
};

/* `struct settled s = {0}` has seen nothing. */
struct settled {
  VEC(struct settled_thread) threads;
  VEC(struct {
    uint32_t thread;
    uint64_t fences;
  })
  writes;        /* by object: last;
      thread + 1, its fences then */
  bool met;      /* a store that may be in a buffer: the trace is not settled */
  bool unfenced; /* a transaction, by marks, that does not end with a fence */
};

void settled_event(struct settled *s, enum txn_kind kind, uint32_t thread,
                   uint32_t object);
/* Transactions that are open end here. */
void settled_finish(struct settled *s);
void settled_free(struct settled *s);

/* How SC-serializability tells TSO-serializability, if it does. */
enum tso_theorem { TSO_NO_THEOREM, TSO_THEOREM_2, TSO_THEOREM_3 };
static inline enum tso_theorem tso_theorem(bool sc_serializable, bool met,
                                           bool fenced) {
  return sc_serializable ? (met ? TSO_NO_THEOREM : TSO_THEOREM_2)
                         : (fenced ? TSO_THEOREM_3 : TSO_NO_THEOREM);
}

/* The theorem that decides a trace without commits; if it is the third, the
 * answer is "no" with this cycle. */
enum tso_theorem tso_trace_theorem(const struct txn_event *e, uint32_t n,
                                   struct conflict_cycle *cycle);

#endif
