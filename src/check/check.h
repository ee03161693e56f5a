/*
 * Is there an order of the operations, consistent with real time, in which the
 * specification returns what was returned?  tests/oracle/brute.c defines the
 * answer.
 *
 * (K1) an order holds every operation that returned, in an order that the
 *      criterion allows, and may hold pending ones, whose result is free.
 *      Operations that were never called, and initial calls when the
 *      specification `skips_init`, are in no order.
 * (K2) of a `stuck` history no pending operation is in the order, and after it
 *      every one of them waits.
 * (K3) a sequential fault of the specification ends that order only: the
 *      answer is SPEC_FAULT when there is such an order and no witness.  The
 *      call that fails may be one that K2 leaves out: whether it waits was
 *      asked.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/vec.h"
#include "model/history.h"
#include "model/refutation.h"
#include "spec/spec.h"

enum criterion {
  CRITERION_LINEARIZABLE, /* real-time order of all operations */
  CRITERION_SEQUENTIAL,   /* order within each thread only; initial calls come
                             first and final calls last all the same */
};

enum check_answer {
  CHECK_YES,
  CHECK_NO,
  CHECK_UNKNOWN,    /* the budget ended, or a limit of the specification */
  CHECK_SPEC_FAULT, /* the specification failed on a sequential run */
};

struct check {
  enum check_answer answer;
  VEC(uint32_t)
  order;                 /* YES: a witness, ids of calls.  NO: a prefix of an
                            order that the specification explains, with as many
                            operations that returned as any.  UNKNOWN: the same,
                            as far as it was seen.  SPEC_FAULT: the sequential
                            run that fails, its last call included */
  uint32_t stuck_at;     /* NO: a call that cannot follow `order` (of a stuck
                            history also: one that ought to wait and does not) */
  struct value expected; /* NO: what the specification returns for it there;
                            kind VALUE_VOID and `waits` if it would wait */
  bool waits;
  const char *limit;       /* UNKNOWN: which one; the option, if there is one */
  uint64_t applied;        /* calls of spec_apply: the effort */
  struct check_work *work; /* memory that the next check uses again */
};

/* Wing–Gong–Lowe with memo of (linearized set, state).  budget in calls of
 * spec_apply, 0 for none.  `out` is {0} at first and cleared by each check;
 * reuse it for speed. */
void check_linearize(const struct history *h, struct spec *s,
                     enum criterion criterion, uint64_t budget,
                     struct check *out);

void check_free(struct check *c);

/*
 * Why is it not linearizable: every order that real time allows, each cut at
 * the first call that disagrees, shortest explanations first; orders with a
 * common failing prefix are one line.  At most `max` lines; *more tells how
 * many were left out.
 */
void check_refutations(const struct history *h, struct spec *s,
                       enum criterion criterion, uint32_t max,
                       refutation_list *out, uint32_t *more);
void check_free_refutations(refutation_list *list);

/*
 * The standing of a history that is not complete: what decides whether it will
 * be linearizable.  A configuration is a state of the specification, the open
 * operations that have taken effect, and their results.  The standing is the
 * set of configurations that some order of the operations so far leads to.
 *     T1 |-push(1)-|         [1], pop has not taken effect
 *     T2    |-pop()- …       [1], pop has returned "empty"
 *                            [], pop has returned 1
 * Take two histories of one client in which the same operations have returned
 * and the same are open.  If their standings are equal, they are linearizable
 * or not alike, however they go on.                 tests/agree/standing.c
 *
 * *out is a hash of the set.  False: the standing is not known.  It has more
 * than `most` configurations, or the specification has no digests or fails.
 */
bool check_standing(const struct history *h, struct spec *s, uint32_t most,
                    struct hash128 *out);

#endif
