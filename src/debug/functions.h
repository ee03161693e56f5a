/*
 * The functions of an object as C declares them, from its debug information:
 * what a harness could call.
 */
#ifndef DEBUG_FUNCTIONS_H
#define DEBUG_FUNCTIONS_H

#include "base/arena.h"
#include "base/vec.h"
#include "debug/lines.h"

enum c_kind {
  C_VOID,
  C_BOOL,
  C_INTEGER,
  C_ENUM,
  C_STRING,  /* char * */
  C_RECORD,  /* a pointer to a struct or union */
  C_CELL,    /* a pointer to an integer, an enum or a bool that is not const */
  C_POINTER, /* void *, and to anything else */
  C_OTHER,   /* a number with a point, a struct, … */
};

struct c_type {
  enum c_kind kind;
  const char *text;   /* "unsigned", "const struct stack *" */
  const char *record; /* C_RECORD: "struct stack", or the typedef's name */
  bool complete;      /* … which has a size */
  const char *cell;   /* C_CELL: what it points to, "int" */
  const char *values; /* C_ENUM: its first enumerators, "A, B" */
};

enum { FUNCTION_PARAMS = 8 };

struct function {
  const char *name;
  const char *file; /* as the compiler was given its unit */
  uint32_t line;
  bool external, variadic;
  struct c_type returns;
  uint32_t nparams; /* all of them, even those that are not described */
  struct {
    const char *name; /* or NULL */
    struct c_type type;
  } params[FUNCTION_PARAMS];
};
typedef VEC(struct function) function_list;

/* In the order of file and line; texts belong to the arena.  Nothing of C++,
 * and nothing that a system header defines. */
void functions_read(struct lines *l, struct arena *a, function_list *out);

#endif
