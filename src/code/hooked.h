/*
 * Which lines of the source the runtime sees: those with a call of a hook or of
 * a function that is modelled, or with a site; and those whose code touches
 * memory without one.
 */
#ifndef CODE_HOOKED_H
#define CODE_HOOKED_H

#include "base/vec.h"
#include "debug/lines.h"
#include "model/site.h"

/* Names belong to the lines.  A line without an entry has no code that touches
 * memory which others could see. */
struct hooked_line {
  const char *file;
  uint32_t line;
  bool hooked;  /* a thread can be stopped here */
  bool touches; /* memory that is not on the stack, nor constant */
};
typedef VEC(struct hooked_line) hooked_list;

/* Sorted by file and line.  `sites` are those of the object. */
int hooked_lines(struct lines *l, const site_list *sites, hooked_list *out,
                 struct error *e);

/* NULL: no entry. */
const struct hooked_line *hooked_line(const hooked_list *h, const char *file,
                                      uint32_t line);

#endif
