/*
 * The roles of FL_SPEC, each written down by hand on an array of words: what
 * they return and how they change it.
 */
#ifndef ORACLE_ROLES_H
#define ORACLE_ROLES_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_WORDS = 256 };

/* A stack, queue or deque from left to right; a set or priority queue sorted;
 * a map as keys and values, sorted by key; a register's or counter's word. */
struct naive_object {
  int64_t at[NAIVE_WORDS];
  uint32_t len;
  uint32_t capacity; /* UINT32_MAX: none */
  int64_t initial;
};

enum naive_end {
  NAIVE_DONE,  /* without a value */
  NAIVE_FULL,  /* there was no room */
  NAIVE_NONE,  /* there was nothing: empty, or no such key */
  NAIVE_VALUE, /* *value; flags are 0 and 1 */
};

struct naive_role {
  const char *type, *name;
  uint32_t nargs;
  char gives; /* 's': a status, 'f': a flag, 'n': a number, 'd': data */
  enum naive_end (*apply)(struct naive_object *o, const int64_t *args,
                          int64_t *value);
};

extern const struct naive_role naive_roles[]; /* ends with type == NULL */

#endif
