/*
 * Strong d-hitting families of schedules ("Checking Linearizability Using
 * Hitting Families", Ozkan, Majumdar and Niksic, PPoPP 2019, Algorithm 1): few
 * orders of the operations in which every d of them that may come in some order
 * do come in it, each as late as possible.  Most histories that are
 * linearizable have a witness among them for a small d, their linearizability
 * depth.
 *
 * An index of a schedule is a thread and a tuple of d - 1 operations.  Tuples
 * in which a later element precedes an earlier one in the history are left out:
 * the algorithm's claim does not hold for those, and nothing is lost. Different
 * indices can have the same schedule, which counts once.
 *
 * Operations are inserted thread by thread, each behind those that precede it.
 *
 * (T1) every schedule is a linear extension of the real-time order.
 * (T2) every d-tuple of operations that can come in that order is strongly hit.
 * (T3) with d = n the family has all linear extensions: no witness, no
 *      linearizability.
 *
 * A known order of operations (hints) makes no other families: schedules that
 * do not follow it are no witnesses.
 */
#ifndef HISTORY_HITTING_HITTING_H
#define HISTORY_HITTING_HITTING_H

#include "history/log_check.h"

struct hitting_depth {
  uint32_t d;
  uint64_t indices; /* m n (n-1) … (n-d+2), the paper's bound; UINT64_MAX - 1:
                       more than that */
  uint64_t distinct; /* schedules, of those that were made */
  bool whole;        /* they are the whole family */
  bool witness;
};

struct hitting {
  /* LINEARIZABLE with the depth of the witness; VIOLATION when the family of
   * depth n has none; else UNKNOWN. */
  enum log_verdict verdict;
  uint32_t depth;
  const char *limit; /* UNKNOWN: why it went no further */
  VEC(uint32_t) order;
  VEC(struct hitting_depth) depths;
  uint64_t steps;
};

/*
 * Depths 1, 2, … up to `most` (0: up to n).  With `all`, the families of all
 * these depths are made as a whole, for tables; else it ends with the first
 * witness.
 */
void check_hitting(const struct log_problem *p, uint32_t most, bool all,
                   const struct log_budget *b, struct hitting *out);
void hitting_free(struct hitting *h);

/* What makes the schedules, for tests: calls `each` with each one at least
 * once, until it says false; now and then with NULL, to hear whether to go on.
 */
typedef bool hitting_fn(void *ctx, const uint16_t *schedule, uint32_t n);
void hitting_family(const struct log_problem *p, uint32_t d, hitting_fn *each,
                    void *ctx);

/* How concurrent a history is: the paper's Table 1. */
struct hitting_shape {
  uint32_t ops, threads;
  uint32_t level; /* operations that are open at one time, at most */
  uint64_t pairs; /* that are concurrent */
};
struct hitting_shape hitting_shape(const struct log_problem *p);

#endif
