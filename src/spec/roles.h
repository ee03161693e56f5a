/*
 * The text of FL_SPEC's roles, `push = stack_push, pop = stack_pop,
 * empty = -1`, as the preprocessor left it: names and what stands behind their
 * equals signs.  That is a word (a function), or a constant: a C expression of
 * integers, characters, casts, true, false, NULL and the limits of <limits.h>
 * and <stdint.h>, or a string.
 */
#ifndef SPEC_ROLES_H
#define SPEC_ROLES_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct role_text {
  char *name;
  char *source;   /* what stands behind the equals sign */
  char *word;     /* it is a name, without & and parentheses; or NULL */
  char *text;     /* it is a string literal; or NULL */
  bool is_number; /* it is a constant (true, NULL are words too) */
  int64_t number;
};
typedef VEC(struct role_text) role_texts;

/* NULL, or what is wrong with the text: a phrase to be freed. */
char *roles_read(role_texts *out, const char *text);
void roles_free(role_texts *r);

/* The value of a constant expression; false when it is none. */
bool constant_read(const char *text, int64_t *value);

#endif
