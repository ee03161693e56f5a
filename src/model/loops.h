/*
 * The loops of source files, by their lines, and when a thread goes on to the
 * next round of one.  Compilers rotate, peel and unroll loops, so machine code
 * cannot tell; the order of the source can: inside of a round control goes
 * down the page.
 *
 *   10  while (n) {        A thread is at 12, then at 13: the same round.
 *   12    t = a[i];        At 13, then at 12, or at 12, then at 12 again, at
 *   13    a[i++] = t + 1;  whatever address: the next round.
 *   14  }
 *
 * A position is a line, with two exceptions.  The lines of one statement or
 * condition are one, since its parts are not executed in their order.  What
 * steps a for loop (`i++`) stands at the top and is executed at the end.
 *
 * (O1) loops of a file are nested or have no line in common; an outer one
 *      stands before those inside of it.
 */
#ifndef MODEL_LOOPS_H
#define MODEL_LOOPS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct loop {
  uint32_t first, last; /* lines, both inside */
  /* The clause of a for that steps it: from here, to there; line 0: none. */
  uint32_t step_line, step_column, step_end_line, step_end_column;
};

struct loops_file {
  char *file;
  VEC(struct loop) loops;
  uint32_t *begins; /* of each line: the line where its statement begins */
  uint32_t nlines;  /* lines from 1 have an entry */
};

struct loops {
  /* Fills in what a file has; the name is there.  NULL: nothing is known. */
  void (*read)(struct loops_file *f);
  VEC(struct loops_file *) files;
};

void loops_free(struct loops *l);
/* Of a file, which is read when it is asked for first. */
struct loops_file *loops_of_file(struct loops *l, const char *file);

/* Adds a loop that lines first to last are in; it becomes as large as those
 * that it crosses. */
void loops_add(struct loops_file *f, struct loop loop);

/* The innermost loop that has both lines, or NULL. */
const struct loop *loops_around(const struct loops_file *f, uint32_t first,
                                uint32_t last);
/* The same of those that have more lines than [first, last]. */
const struct loop *loops_beyond(const struct loops_file *f, uint32_t first,
                                uint32_t last);
/* Widens [*first, *last] until it has each loop wholly, lies in it, or shares
 * no line with it. */
void loops_close(const struct loops_file *f, uint32_t *first, uint32_t *last);

/* A number that grows as control goes down the page. */
uint64_t loops_position(const struct loops_file *f, uint32_t line,
                        uint32_t column);

void loops_check_invariants(const struct loops_file *f); /* O1 */

#endif
