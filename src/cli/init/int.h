/*
 * A plan of a harness: which functions of the sources make the object, destroy
 * it, and are its operations, guessed from their types and names; and the text
 * that comes out.
 */
#ifndef CLI_INIT_INT_H
#define CLI_INIT_INT_H

#include "base/buf.h"
#include "debug/functions.h"

struct skipped { /* takes the object, and cannot be an operation */
  const struct function *function;
  const char *why;
};

struct harness_plan {
  const char *record;            /* "struct stack"; NULL: a global object */
  const char *name;              /* in FL_OBJECT */
  const struct function *create; /* returns the object, or NULL … */
  const struct function *set_up; /* … it is allocated and given to this one */
  const struct function *destroy, *invariant, *show; /* or NULL */
  VEC(const struct function *) operations;
  VEC(struct skipped) skipped;
};

/* False: nothing that threads could call is there.  `statics`: functions that
 * are not external are looked at as well. */
bool plan_make(const function_list *all, bool statics, struct harness_plan *p);
void plan_free(struct harness_plan *p);

/* Can the function be called by a harness, by a wrapper at least?  NULL, or why
 * not.  `first`: the parameter behind the object. */
const char *plan_refuses(const struct function *f, uint32_t first);

/* Does a part of the name, between underscores, stand in the list of words? */
bool plan_named(const char *name, const char *words);

/* The harness, with these lines as its #includes. */
void plan_write(const struct harness_plan *p, const char *includes,
                const char *command, struct buf *out);

#endif
