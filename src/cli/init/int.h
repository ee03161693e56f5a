/*
 * The plan of a harness: the functions of the sources that make the object,
 * destroy it, and are its operations, guessed from their types and names; and
 * the text of the harness.
 */
#ifndef CLI_INIT_INT_H
#define CLI_INIT_INT_H

#include "base/buf.h"
#include "debug/functions.h"

struct skipped { /* a function of the object that cannot be an operation */
  const struct function *function;
  const char *why;
};

struct harness_plan {
  const char *record;            /* "struct stack"; NULL: a global object */
  const char *name;              /* in FL_OBJECT */
  const struct function *create; /* returns the object; or NULL … */
  const struct function *set_up; /* … then this fills an allocated object */
  const struct function *destroy, *invariant, *show; /* or NULL */
  VEC(const struct function *) operations;
  VEC(struct skipped) skipped;
};

/* False: no function could be an operation.  `statics`: considers static
 * functions, too. */
bool plan_make(const function_list *all, bool statics, struct harness_plan *p);
void plan_free(struct harness_plan *p);

/* Why a harness cannot call the function, even by a wrapper; NULL: it can.
 * `first` is the first parameter after the object. */
const char *plan_refuses(const struct function *f, uint32_t first);

/* Is a part of the name, between underscores, in the list of words? */
bool plan_named(const char *name, const char *words);

/* The text of the harness, with these lines as its #includes. */
void plan_write(const struct harness_plan *p, const char *includes,
                const char *command, struct buf *out);

#endif
