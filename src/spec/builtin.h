/*
 * A built-in type: a table of roles that work on a state of 64-bit words.
 * Everything that the types share is done around them: binding roles to the
 * suite's operations, giving numbers to states, making values of the declared
 * return type.  A new type is one table of roles and one line in SPEC_TYPES.
 *
 * (B1) a state is encoded canonically: equal states, equal words (so sets are
 *      sorted), hence equal numbers.
 */
#ifndef SPEC_BUILTIN_H
#define SPEC_BUILTIN_H

#include "base/vec.h"
#include "spec/spec.h"

/* type, roles, settings, meaning */
#define SPEC_TYPES(_)                                                          \
  _(stack, "push pop top size is_empty clear", "empty capacity full ok",       \
    "last in, first out")                                                      \
  _(queue, "enqueue dequeue front size is_empty clear",                        \
    "empty capacity full ok", "first in, first out")                           \
  _(deque,                                                                     \
    "push_left push_right pop_left pop_right left right size is_empty clear",  \
    "empty capacity full ok", "a queue with two ends")                         \
  _(set, "add remove contains size is_empty clear", "ok",                      \
    "add and remove tell whether they changed the set")                        \
  _(map,                                                                       \
    "put get remove contains put_if_absent replace exchange take cas size "    \
    "is_empty clear",                                                          \
    "absent ok",                                                               \
    "put, put_if_absent, remove and replace tell whether the key was new, "    \
    "was there; exchange and take return the old value")                       \
  _(register, "read write cas exchange cas_fetch", "initial ok",               \
    "one value; cas(expected, new) tells whether it wrote, cas_fetch returns " \
    "what it saw")                                                             \
  _(counter,                                                                   \
    "inc dec add sub get reset fetch_inc fetch_dec fetch_add fetch_sub "       \
    "inc_fetch dec_fetch add_fetch sub_fetch",                                 \
    "initial ok",                                                              \
    "a number; fetch_inc returns the old one, inc_fetch the new one")          \
  _(pqueue, "insert remove_min min remove_max max size is_empty clear",        \
    "empty capacity full ok", "a priority queue: the smallest comes first")

struct builtin;
struct bound;

/* The state that a role works on: at[0 … len), with room for two words more
 * when the role `writes`. */
struct words {
  int64_t *at;
  uint32_t len;
};

/* What a role returns, apart from nothing, which every role may. */
enum gives {
  GIVES_STATUS, /* `ok`, or true */
  GIVES_FLAG,   /* a bool, or 0 and 1 */
  GIVES_NUMBER, /* how many */
  GIVES_DATA,   /* a value that was stored */
};

struct role {
  const char *names; /* the main one, then aliases, separated by spaces */
  uint8_t nargs;
  uint8_t data;          /* bit i: argument i is only stored and handed back */
  uint8_t variant;       /* for roles that share a function */
  bool writes, compares; /* `compares`: its arguments meet stored values, so
                            stored values are no mere data any more */
  enum gives gives;
  enum spec_answer (*apply)(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result);
};

struct builtin_type {
  const struct role *roles; /* ends with names == NULL */
  bool cell;                /* the state is one word that begins as `initial` */
  void (*print)(const int64_t *at, uint32_t len, struct buf *out);
};

/* An operation of the suite with its role. */
struct bound {
  const struct role *role;
  enum fl_type type;
  unsigned size;
  bool waits_empty, waits_full;
  struct value ok, empty, full, absent;
};

struct state {
  uint64_t hash;
  uint32_t at, len; /* in `words` */
};

struct builtin {
  struct spec spec; /* first: a builtin is a spec */
  const struct builtin_type *type;
  struct bound *ops; /* by index of the operation */
  uint32_t nops;
  uint32_t capacity; /* UINT32_MAX: no limit */
  int64_t initial;
  VEC(struct state) states; /* by number */
  VEC(int64_t) words;
  uint32_t *slots, nslots; /* hash table: number of a state + 1, or 0 */
  VEC(int64_t) scratch;
};

/* The number of the state with these words (B1). */
uint32_t builtin_intern(struct builtin *b, const int64_t *at, uint32_t len);

struct builtin *builtin_new(const char *name, const struct builtin_type *type,
                            uint32_t nops);

/* `v` as the engine would give it for a result of the declared type. */
struct value builtin_value(enum fl_type type, unsigned size, int64_t v);

static inline enum spec_answer give(const struct bound *op, int64_t v,
                                    struct value *result) {
  *result = builtin_value(op->type, op->size, v);
  return SPEC_RETURNS;
}

static inline enum spec_answer give_ok(const struct bound *op,
                                       struct value *result) {
  *result = op->ok;
  return SPEC_RETURNS;
}

static inline enum spec_answer give_absent(const struct bound *op,
                                           struct value *result) {
  *result = op->absent;
  return SPEC_RETURNS;
}

static inline enum spec_answer give_empty(const struct bound *op,
                                          struct value *result) {
  *result = op->empty;
  return op->waits_empty ? SPEC_WAITS : SPEC_RETURNS;
}

static inline enum spec_answer give_full(const struct bound *op,
                                         struct value *result) {
  *result = op->full;
  return op->waits_full ? SPEC_WAITS : SPEC_RETURNS;
}

/* Moves the words from `from` on by `by` places (words.c). */
void words_insert(struct words *w, uint32_t from, uint32_t by);
void words_delete(struct words *w, uint32_t from, uint32_t by);

/* The first i, a multiple of `stride`, with at[i] >= v: w is sorted. */
uint32_t words_find(const struct words *w, uint32_t stride, int64_t v);

/* Roles and printers that several types share (words.c). */
typedef enum spec_answer role_apply(const struct builtin *b,
                                    const struct bound *op, struct words *w,
                                    const int64_t *args, struct value *result);
role_apply role_size; /* variant: how many words an element has */
role_apply role_is_empty;
role_apply role_clear;
void print_list(const int64_t *at, uint32_t len, struct buf *out);

#define SPEC_TYPE_DECLARE(name, roles, settings, meaning)                      \
  extern const struct builtin_type builtin_##name;
SPEC_TYPES(SPEC_TYPE_DECLARE)
#undef SPEC_TYPE_DECLARE

#endif
