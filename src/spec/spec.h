/*
 * A specification is a sequential object: states, and what each call returns
 * and leads to.  Checkers see states as small numbers.
 *
 * (S1) equal numbers behave equally.  Different numbers may be equal states
 *      too: that costs time, never truth.   tests/unit/spec/builtin.c
 * (S2) spec_apply is a function: same state and same call, same answer.
 */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "base/err.h"
#include "base/hash.h"
#include "base/slow.h"
#include "model/client.h"
#include "model/value.h"

#include <faultline.h>
#include <stdint.h>

enum spec_answer {
  SPEC_RETURNS, /* *result and *next are set */
  SPEC_WAITS,   /* the call would wait in this state: it cannot be next */
  SPEC_FAULT,   /* the object itself fails when run sequentially like this */
};

struct spec {
  const char *name; /* "stack", …, "implementation" */
  uint32_t initial; /* the state in which the client's initial calls begin */
  enum spec_answer (*apply)(struct spec *s, const struct client *c,
                            uint32_t state, uint32_t call, struct value *result,
                            uint32_t *next);
  /* A hash of the state.  Equal states have equal hashes in every process,
   * where the type can tell that they are equal.  NULL: there is none. */
  struct hash128 (*digest)(struct spec *s, uint32_t state);
  void (*free)(struct spec *s);
  /*
   * Initial calls have taken effect in `initial` already, and checkers leave
   * them out.  True of the implementation, whose initial calls are made once
   * before all executions.
   */
  bool skips_init;
  /* This call changes no state and fails in none, so checkers need no
   * alternative to placing it.  NULL: no such call is known. */
  bool (*only_reads)(struct spec *s, const struct client *c, uint32_t call);
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

/* Drops the states if they take much memory.  No state may be in use. */
void spec_make_room(struct spec *s);
/* The option whose limit is reached; NULL: none.  `bytes` is the memory of the
 * checker itself. */
const char *spec_limit(const struct spec *s, uint64_t bytes);

/* S2, for check_slow. */
bool spec_answers_again(struct spec *s, const struct client *c, uint32_t state,
                        uint32_t call, enum spec_answer answer,
                        const struct value *result, const uint32_t *next);

static inline enum spec_answer
spec_apply(struct spec *s, const struct client *c, uint32_t state,
           uint32_t call, struct value *result, uint32_t *next) {
  enum spec_answer a = s->apply(s, c, state, call, result, next);
  check_slow(spec_answers_again(s, c, state, call, a, result, next));
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
