/*
 * A lock that follows the lines: it is held while control is in given lines of
 * a function and in no others, as a report says it and however they lie among
 * the statements.  Text to be compiled and searched, not to be kept: each
 * statement and each condition of the function first tells a GNU C helper where
 * it is, and the helper takes the lock and gives it back.
 *
 *     while (x) {             while (({ AT(&held, 1, 0); x; })) {
 *       f();         is         AT(&held, 1, 0); f();
 *       g();                    AT(&held, 0, 0); g();
 *
 * (L1) a statement is in the lines if one of its own tokens is, those of its
 *      children left out.
 * (L2) lines of two blocks never share a critical section: between them the
 *      lock is given back.
 */
#ifndef SOURCE_LINE_LOCKS_H
#define SOURCE_LINE_LOCKS_H

#include "source/ctext.h"
#include "source/edit.h"

struct locked_lines {
  uint32_t first, last; /* both inside */
  bool again; /* each statement and condition by itself, however often */
  /* Each round of the loop with these lines by itself; 0: there is none. */
  uint32_t loop_first, loop_last;
};

/* The helper's definition and that of its mutex; `name` is free for both. */
void line_locks_declare(const char *name, bool shared, bool first_user,
                        const char *line_end, struct buf *out);

/* Blocks that come first win.  False: the text cannot be changed, and *why is a
 * sentence about the function without its subject. */
bool line_locks_write(const struct ctext *c, const struct cfunction *f,
                      const struct locked_lines *at, uint32_t n,
                      const char *name, struct edits *e, const char **why);

#endif
