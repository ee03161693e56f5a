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
 *      every one of them may wait (S7).
 * (K3) a sequential fault of the specification ends that order only: the
 *      answer is SPEC_FAULT when there is such an order and no witness.  The
 *      call that fails may be one that K2 leaves out: whether it waits was
 *      asked.
 * (K5) relaxed calls (spec.h) are in no order.  One that returned asks more of
 *      an order.  What a call changes is the difference that it makes, there,
 *      to what the specification returns for the relaxed call.  The changes by
 *      calls that precede the relaxed one count, those by calls that it
 *      precedes do not, each of the others may count or not.  The result lies
 *      between the smallest and the largest sum.
 *          T1 |-----push(1)-----|           the order is pop() push(1);
 *          T2 |-size()=1-| |-pop()=empty-|  size() lies between 0 and 1
 * (K6) a call that returned what needs no reason (spec_excuse_of) may stand at
 *      any place of an order and change nothing there.  Unless it is
 *      EXCUSE_ALWAYS, the criterion must leave it open in which order it and
 *      some other call come: they overlap.
 *          T1 |--put(1)--|         put(2) was refused while put(1) went on
 *          T2  |-put(2)=full-|
 * (K7) calls that take effect together (S9) come one behind the other, and the
 *      criterion orders none of them before another one.  An order ends with a
 *      complete class.  Of a stuck history, the pending operations must not
 *      have been able to form one.  This is set linearizability: Neiger, PODC
 *      1994.                                tests/agree/meetings.c
 *          T1 |--exchange(1)=2--|           both together
 *          T2    |--exchange(2)=1--|
 * (K8) by happens-before it is enough that there is an order of calls that
 *      change the state where they stand in it, which keeps the order of each
 *      thread, and that each other call that returned is explained by what it
 *      has seen: a set of calls of the order that, put in its order, lead to a
 *      state in which the call returns what it did and changes nothing.  a
 *      comes before b if both are calls of one thread, or a is an initial or b
 *      a final call.  The set of a call has what comes before the call or
 *      before a member, and nothing that the call comes before.  A call that
 *      another one comes before has seen no less than it.  What a call has
 *      seen is in the order before what the call comes before.
 *          T1 |-put(x)-| |-put(y)=full-|    room for 2, [a] before: the order
 *          T2 |-get()=a-| |-get()=empty-|   is put(x) get(); put(y) has seen
 *                                           put(x), the last get() only get()
 *      A pending call is in the order or in none.  Where calls take effect
 *      together (K7) there is no such way: an order of all has to be there.
 * Where the specification leaves a choice, it explains an order when it does by
 * some choice of alternatives.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/vec.h"
#include "model/criterion.h"
#include "model/history.h"
#include "model/refutation.h"
#include "spec/spec.h"

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
  expected_list also; /* NO: what it allows there besides, by another choice */
  enum bound bound;   /* of `expected`: that of a relaxed call */
  const char *limit;  /* UNKNOWN: which one; the option, if there is one */
  uint64_t applied;   /* calls of spec_apply: the effort */
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
 * set of configurations that some order of the operations so far leads to, and
 * which open operations with FL_MAY_FAIL have been overlapped.
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
