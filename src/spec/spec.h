/*
 * A specification is a sequential object: states, and what each call returns
 * and leads to.  Checkers see states as small numbers.
 *
 * Most are deterministic: a call has one answer, which `apply` gives.  Others
 * leave a choice, as a queue does that may be out of order by one place.  They
 * have `choose`, which is asked for one alternative after the other: number 0,
 * 1, 2, …, until it says SPEC_NONE.
 *
 *     state [1, 2, 3]   dequeue()   0: returns 1, next [2, 3]
 *                                   1: returns 2, next [1, 3]
 *                                   2: SPEC_NONE
 *
 * What the call has returned is known when it is `wanted`: then `choose` may
 * leave out what returns something else (or not; checkers compare all the
 * same).  So a relation, which can only say whether a result is allowed, is
 * asked for that result and answers with one alternative or none.  A call that
 * has not returned is asked about with `wanted` NULL: S8.
 *
 * (S1) equal numbers behave equally.  Different numbers may be equal states
 *      too: that costs time, never truth.   tests/unit/spec/builtin.c
 * (S2) `apply` and `choose` are functions: same arguments, same answer.
 * (S6) alternatives are numbered without a gap, and there is an end.  Two may
 *      be equal.                        tests/agree/linearize_brute.c
 * (S7) a call may wait where one of its alternatives is SPEC_WAITS.  With none
 *      at all it cannot be next, and does not wait either.
 *                                       tests/agree/linearize_brute.c
 * (S8) without a wanted result all alternatives are there, with their results:
 *      a relation tries every result that the operation can have.  One that
 *      cannot `guesses`.
 *
 * (S9) calls may take effect together, as two that exchange values: all but the
 *      last of such a class, in any order, answer SPEC_JOINS, the last one
 *      SPEC_RETURNS.  Between them *next knows which calls are in the class,
 *      and no other call has an alternative.  Calls of a class overlap: which
 *      ones can be in it is for the checker to see (check.h, K7), but no two
 *      are of one thread.  What a call gets may be known only at the end of the
 *      class: without a wanted result, that of SPEC_JOINS means nothing.
 *                                       tests/agree/meetings.c
 *
 * Results that need no reason (FL_MAY_FAIL) are no alternatives: whether a call
 * may have one depends on the history (check.h, K6).
 */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "base/err.h"
#include "base/hash.h"
#include "base/slow.h"
#include "model/client.h"
#include "model/refutation.h"
#include "model/value.h"

#include <faultline.h>
#include <stdint.h>

enum spec_answer {
  SPEC_RETURNS, /* *result and *next are set */
  SPEC_WAITS,   /* the call would wait in this state: it cannot be next */
  SPEC_FAULT,   /* the object itself fails when run sequentially like this */
  SPEC_NONE,    /* the call has no alternative of this number */
  SPEC_JOINS,   /* as SPEC_RETURNS, but together with the calls that come next:
                   S9 */
};

struct spec {
  const char *name; /* "stack", …, "implementation" */
  uint32_t initial; /* the state in which the client's initial calls begin */
  enum spec_answer (*apply)(struct spec *s, const struct client *c,
                            uint32_t state, uint32_t call, struct value *result,
                            uint32_t *next);
  /* Not NULL: it leaves a choice, and this is asked instead of `apply`. */
  enum spec_answer (*choose)(struct spec *s, const struct client *c,
                             uint32_t state, uint32_t call,
                             const struct value *wanted, uint32_t which,
                             struct value *result, uint32_t *next);
  /* It leaves alternatives out where no result is wanted.  So a history in
   * which calls are pending is never found to be wrong. */
  bool guesses;
  bool joins; /* S9: it may answer SPEC_JOINS */
  /* A hash of the state.  Equal states have equal hashes in every process,
   * where the type can tell that they are equal.  NULL: there is none. */
  struct hash128 (*digest)(struct spec *s, uint32_t state);
  /* The same of what the object holds, where `digest` also says which calls were
   * made: equal before and after a call that has changed nothing.  NULL: `digest`
   * does. */
  struct hash128 (*contents)(struct spec *s, uint32_t state);
  void (*free)(struct spec *s);
  /*
   * Initial calls have taken effect in `initial` already, and checkers leave
   * them out.  True of the implementation, whose initial calls are made once
   * before all executions.
   */
  bool skips_init;
  /* This call changes no state and fails in none, whatever its alternatives,
   * so checkers need no alternative to placing it.  NULL: no such call is
   * known. */
  bool (*only_reads)(struct spec *s, const struct client *c, uint32_t call);
  /* Operations that are FL_RELAXED, by index; NULL: none is.  Their calls only
   * read, and return a number that may be approximate (check.h, K5). */
  bool *relaxed;  /* the specification owns it */
  bool by_thread; /* it looks at which thread makes a call */
  /* Operations with FL_MAY_FAIL, by index, others NULL; NULL: there is none. */
  const struct fl_op **may_fail; /* the specification owns the table */
  /* The same for FL_OUT_OF_ORDER and FL_PER_PRODUCER. */
  const struct fl_op **reorders;
  /*
   * Limits that end a check with CHECK_UNKNOWN, besides its own budget; 0:
   * none.  A call of the implementation may take as long as all calls before
   * it.
   */
  double deadline; /* of the monotonic clock, in seconds */
  uint64_t max_bytes;
  uint64_t (*bytes)(const struct spec *s); /* of its states; NULL: not known */
  /* Drops all states but the initial one. */
  void (*forget)(struct spec *s);
};

static inline bool spec_is_relaxed(const struct spec *s, const struct client *c,
                                   uint32_t call) {
  return s->relaxed && s->relaxed[c->calls[call].op];
}

/* May the call have returned this without a reason? */
enum spec_excuse {
  EXCUSE_NONE,
  EXCUSE_OVERLAPPED, /* if another call overlaps it */
  EXCUSE_ALWAYS
};
enum spec_excuse spec_excuse_of(const struct spec *s, const struct client *c,
                                uint32_t call, struct value result);

/* The weaker reading that the call has, for explanations; *reach: of
 * FL_OUT_OF_ORDER. */
enum reading spec_reading_of(const struct spec *s, const struct client *c,
                             uint32_t call, uint32_t *reach);

/* Drops the states if they take much memory.  No state may be in use. */
void spec_make_room(struct spec *s);
/* The option whose limit is reached; NULL: none.  `bytes` is the memory of the
 * checker itself. */
const char *spec_limit(const struct spec *s, uint64_t bytes);

/* S2, for check_slow. */
bool spec_answers_again(struct spec *s, const struct client *c, uint32_t state,
                        uint32_t call, const struct value *wanted,
                        uint32_t which, enum spec_answer answer,
                        const struct value *result, const uint32_t *next);

/* The answer of a deterministic specification. */
static inline enum spec_answer
spec_apply(struct spec *s, const struct client *c, uint32_t state,
           uint32_t call, struct value *result, uint32_t *next) {
  check_slow(!s->choose);
  enum spec_answer a = s->apply(s, c, state, call, result, next);
  check_slow(spec_answers_again(s, c, state, call, NULL, 0, a, result, next));
  return a;
}

/* One alternative.  Of a deterministic specification there is number 0. */
static inline enum spec_answer
spec_choose(struct spec *s, const struct client *c, uint32_t state,
            uint32_t call, const struct value *wanted, uint32_t which,
            struct value *result, uint32_t *next) {
  if (!s->choose)
    return which ? SPEC_NONE : spec_apply(s, c, state, call, result, next);
  enum spec_answer a =
      s->choose(s, c, state, call, wanted, which, result, next);
  check_slow(
      spec_answers_again(s, c, state, call, wanted, which, a, result, next));
  return a;
}

/*
 * The built-in type that FL_SPEC of `suite` names, its roles bound to the
 * suite's operations.  A type, role or function that does not exist, or a role
 * with the wrong number of arguments, is ERR_INPUT with the harness's file and
 * line and the list of what exists.  NULL and no error: the suite has no
 * FL_SPEC, so its implementation is its specification.
 *
 * FL_SPEC is a list of `role = function` and of settings:
 *     empty = V     what pop, top and the like return when there is nothing;
 *                   without it they wait
 *     capacity = N  how many elements fit; without it there is no limit
 *     full = V      what push returns when the container is full; without it a
 *                   push that returns bool returns false, any other waits
 *     ok = V        what push, write, … return when they return a number
 *     absent = V    what a map's get returns for a key that is not there
 *                   (NULL when get returns a pointer)
 *     initial = V   what a register or counter begins with (0)
 * An operation that is marked FL_BLOCKING waits instead of returning `empty`
 * or `full`, so pop and try_pop can stand in one suite.  One role may be given
 * to several functions, and every operation of the suite must have one.
 */
struct spec *spec_builtin(const struct fl_suite *suite, struct error *e);
void spec_free(struct spec *s);

/* Takes FL_RELAXED, FL_MAY_FAIL and the like of the suite's operations into the
 * specification that was made for it.  What says nothing of an operation is
 * ERR_INPUT with its line. */
int spec_take_readings(struct spec *s, const struct fl_suite *suite,
                       struct error *e);

/* Does the operation have the attribute? */
static inline bool spec_op_has(const struct fl_op *o, enum fl_item_kind kind) {
  for (unsigned i = 0; i < o->nitems; i++)
    if (o->items[i].kind == kind)
      return true;
  return false;
}

/*
 * For `faultline specs` and error texts: the type, its roles and settings
 * separated by spaces, one line of meaning.
 */
struct spec_type_info {
  const char *type, *roles, *settings, *meaning;
};
extern const struct spec_type_info spec_types[]; /* ends with type == NULL */

/*
 * Whether the values that argument `arg` of operation `op` takes are only
 * stored and handed back by the type (so clients that differ by a renaming of
 * them are the same test).  False without FL_SPEC, and false when one of them
 * is also `empty`, `absent` or `initial`, which no renaming may touch.
 */
bool spec_arg_is_data(const struct fl_suite *suite, uint32_t op, uint32_t arg);

#endif
