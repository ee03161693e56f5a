/*
 * The object as the generators see it (private to search/generate*.c): values
 * without repetition, and interchangeable arguments in classes.
 *
 * (O1) arguments of one class have equal lists; lists of different classes are
 *      disjoint.  A class value is named by its index in the list.
 *      push(1 2 3) and remove(1 2 3) share a class, set(7 8) has its own
 */
#ifndef SEARCH_GENERATE_OBJECT_H
#define SEARCH_GENERATE_OBJECT_H

#include "search/generate.h"

#include <assert.h>

#define NO_CLASS UINT32_MAX

struct own_arg {
  int64_t *values;
  uint32_t count;
  uint32_t klass; /* or NO_CLASS: values mean something */
};

/* What an operation does, as far as was seen (G9). */
enum own_role {
  ROLE_UNKNOWN,
  ROLE_READS,   /* it never changes the object */
  ROLE_CHANGES, /* what the constructor or another call has left */
};

struct own_op {
  struct own_arg args[CLIENT_MAX_ARGS];
  uint32_t nargs;
  uint32_t group;
  bool returns, waits;
  bool usable; /* each argument has a value */
  enum own_role role;
};

struct own_object {
  struct own_op *ops;
  uint32_t nops;
  uint32_t nclasses;
};

void own_object_init(struct own_object *to, const struct gen_object *from);
void own_object_free(struct own_object *o);
void own_object_check_invariants(const struct own_object *o); /* asserts O1 */

/* How many values argument `a` can take when `used` says how many of each
 * class have been used: all, or the used ones and the next fresh one. */
static inline uint32_t own_choices(const struct own_arg *a,
                                   const uint32_t *used) {
  if (a->klass == NO_CLASS || used[a->klass] >= a->count)
    return a->count;
  return used[a->klass] + 1;
}

static inline void own_use(const struct own_arg *a, uint32_t index,
                           uint32_t *used) {
  assert(index < a->count);
  if (a->klass != NO_CLASS && index >= used[a->klass])
    used[a->klass] = index + 1;
}

/* Asserts that a generated client has G4 to G6 and G11. */
void generated_check_invariants(const struct own_object *o,
                                const struct gen_limits *l,
                                const struct client *c);

/* generate_final on the generator's own copy: adds the calls to `c` (G11). */
void own_add_final(const struct own_object *o, const struct gen_limits *l,
                   struct client *c);

struct enumeration; /* where generator_next is */

struct generator {
  struct own_object object;
  struct gen_limits limits;
  struct enumeration *at;
};

#endif
