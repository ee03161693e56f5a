/*
 * Critical sections in C text: which statements a section must hold, and the
 * changes that make it one, so that every way out of it gives the lock back.
 *
 * A region is a run of neighbouring statements of one compound statement, or
 * the one statement of an if or a loop that has no braces, which then gets
 * them.  It can become a critical section when no jump from outside leads into
 * it: control enters at its beginning, and leaves at its end or by a return,
 * goto, break or continue that is known.
 */
#ifndef SOURCE_CRITICAL_H
#define SOURCE_CRITICAL_H

#include "source/ctext.h"
#include "source/edit.h"

struct cregion {
  const struct cfunction *function;
  uint32_t first, last; /* statements with one parent */
};

/* The smallest region that has everything on these lines.  False: there is
 * none; *why is a sentence about the function without its subject. */
bool cregion_of_lines(const struct ctext *c, const struct cfunction *f,
                      uint32_t first, uint32_t last, struct cregion *out,
                      const char **why);
/* The loop that the region is in; false when it is in none. */
bool cregion_loop(const struct ctext *c, struct cregion *r);
/* Everything that the function does; false: nothing. */
bool cregion_body(const struct ctext *c, const struct cfunction *f,
                  struct cregion *out);

/* Regions of one text in its order: those that overlap or are neighbours become
 * one.  Returns how many are left. */
uint32_t cregions_merge(const struct ctext *c, struct cregion *at, uint32_t n);

/* The lock is taken before the region and given back behind it; both texts are
 * statements. */
bool critical_wrap(const struct ctext *c, const struct cregion *r,
                   const char *lock, const char *unlock, struct edits *e,
                   const char **why);

/*
 * A critical section that is there already, and holds a part of the region, is
 * made to hold all of it: its lock is taken earlier, given back later, or not
 * given back in between.  `which` counts the locks that would do, from 0; false
 * with *why NULL: there are no more.  `what` gets words about what was done.
 */
bool critical_widen(const struct ctext *c, const struct cregion *r,
                    uint32_t which, struct edits *e, struct buf *what,
                    const char **why);

/*
 * A lock that the region gives back before it takes another one of the same
 * kind, as neighbours: it is given back behind that.  False with *why NULL:
 * there is none.
 */
bool critical_couple(const struct ctext *c, const struct cregion *r,
                     struct edits *e, struct buf *what, const char **why);

/*
 * The locks that are held around a region, counted by `which` from 0: the
 * statements that take it and give it back.  False: there are no more.
 */
bool critical_held(const struct ctext *c, const struct cregion *r,
                   uint32_t which, struct buf *lock, struct buf *unlock);

/* The lines of the critical section that a region is in, from the statement
 * that takes its lock to the one that gives it back; false: it is in none. */
bool critical_section_lines(const struct ctext *c, const struct cregion *r,
                            uint32_t *first, uint32_t *last);

#endif
