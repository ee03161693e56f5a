/*
 * Strong d-hitting families of schedules ("Checking Linearizability Using
 * Hitting Families", Ozkan, Majumdar and Niksic, PPoPP 2019, Algorithm 1): few
 * orders of the operations, such that every d-tuple of operations is strongly
 * hit by one of them: its operations come in the order of the tuple, each as
 * late as possible.  Most linearizable histories have a witness among them for
 * a small d.
 *
 * Two numbers of a history:
 * - the *first witness* is the smallest d whose family has a witness.  It
 *   depends on the schedules that the family happens to have;
 * - the *linearizability depth* (Definition 4.2) is the smallest d with a
 *   d-tuple of operations such that every schedule that strongly hits it is a
 *   witness.  It depends on the history alone, and is not smaller.
 *
 * An index of a schedule is a thread and a tuple of d - 1 operations.  Tuples
 * in which a later element precedes an earlier one in the history are left out:
 * the algorithm's claim does not hold for them, and nothing is lost, since the
 * earlier one changes nothing (hitting_depth.c).  Different indices can have
 * the same schedule, which counts once.
 *
 * Operations are inserted thread by thread, each after those that precede it.
 *   T1: a  T2: b  (concurrent), d = 1      schedules: b a (thread 1), a b
 *
 * (S1) Every schedule is a linear extension of the real-time order.
 * (S2) Every d-tuple of operations is strongly hit.
 * (S3) With d = n the family has all linear extensions: without a witness the
 *      history is not linearizable.
 * try_schedule checks S1; tests/agree/hitting.c checks all three against brute
 * force.
 *
 * Hints make no other families: schedules that do not follow them are no
 * witnesses.
 */
#ifndef HISTORY_HITTING_HITTING_H
#define HISTORY_HITTING_HITTING_H

#include "history/log_check.h"

struct hitting_depth {
  uint32_t d;
  uint64_t indices; /* m n (n-1) … (n-d+2), the paper's bound; UINT64_MAX - 1:
                       more than that */
  uint64_t distinct; /* distinct schedules of those that were made */
  bool whole;        /* they are the whole family */
  bool witness;
};

struct hitting {
  /* LINEARIZABLE with the first witness; VIOLATION when the family of depth n
   * has none; else UNKNOWN. */
  enum log_verdict verdict;
  uint32_t witness;   /* the d of its family; 0: none was found */
  const char *limit;  /* UNKNOWN: why it went no further */
  bool needs_pending; /* no schedule of the operations that returned is a
                         witness, but one with pending operations may be */
  VEC(uint32_t) order;
  VEC(struct hitting_depth) depths;
  uint64_t steps;
};

/* Tries the depths 1, 2, … up to `most` (0: up to n) until a witness is found.
 * With `all`, makes the whole families of all these depths, for tables. */
void check_hitting(const struct log_problem *p, uint32_t most, bool all,
                   const struct log_budget *b, struct hitting *out);
void hitting_free(struct hitting *h);

struct linear_depth {
  uint32_t depth;    /* 0: not determined */
  uint32_t beyond;   /* it is more than that */
  const char *limit; /* why it is not determined */
  /* Indices of operations: the tuple that every schedule which strongly hits it
   * proves the history with; the pending ones that take effect; and one of
   * those schedules. */
  VEC(uint32_t) tuple;
  VEC(uint32_t) completed;
  VEC(uint32_t) order;
  uint64_t steps;
};

/* Finds the linearizability depth if it is at most `most` (0: n).  `witness` is
 * the first witness, if it is known, else 0: the depth is not smaller. */
void hitting_find_depth(const struct log_problem *p, uint32_t most,
                        uint32_t witness, const struct log_budget *b,
                        struct linear_depth *out);
void linear_depth_free(struct linear_depth *d);

/* How many schedules the operations that returned have, and how many of these
 * are witnesses; UINT64_MAX: as many, or more.  False: the budget has ended. */
struct hitting_counts {
  uint64_t schedules, witnesses;
};
bool hitting_count(const struct log_problem *p, const struct log_budget *b,
                   struct hitting_counts *out);

/* Makes the schedules of a family, for tests: calls `each` with each of them at
 * least once, until it returns false; now and then with NULL, to ask whether to
 * go on. */
typedef bool hitting_fn(void *ctx, const uint16_t *schedule, uint32_t n);
void hitting_family(const struct log_problem *p, uint32_t d, hitting_fn *each,
                    void *ctx);

/* How concurrent a history is: the paper's Table 1. */
struct hitting_shape {
  uint32_t ops, threads;
  uint32_t level; /* the most operations that are open at one time */
  uint64_t pairs; /* of concurrent operations */
};
struct hitting_shape hitting_shape(const struct log_problem *p);

#endif
