/*
 * A cause is what the tool answers: a set of code blocks that must become
 * atomic.  It is at the same time the repair; "subsumes" is the order of the
 * root-causing paper (Definition 2): b subsumes b' when b' lies inside b, R
 * subsumes R' when every block of R' lies inside some block of R.
 *
 * (K1) the blocks of a cause are sorted (code_block_compare).
 * (K2) no two of them share a line: blocks that do are one block, since a
 *      thread that may not be stopped in either may not be stopped in both.
 * (K3) of a set of causes, none subsumes another.
 *
 * Blocks that lie side by side ([3,5] and [6,9]) stay two: a thread can be
 * stopped between them.  Causes are never changed; their blocks live in an
 * arena, the names of files and functions wherever the caller has them.
 *
 * Loops.  A block inside a loop's body is executed once a round, and a thread
 * can be stopped between two rounds.  A block that holds a loop holds all of
 * its rounds, and all of its lines.
 *   13  for (…) {
 *   15    t = c[i];        lines 15-16 in each round of the loop 13-17, or
 *   16    c[i] = t & ~1;   lines 13-17, the whole loop: the larger one
 *   17  }
 * (K4) a block with a loop around it lies inside of the loop's lines.
 */
#ifndef MODEL_CAUSE_H
#define MODEL_CAUSE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;

struct code_block {
  const char *file;               /* NULL when unknown */
  const char *function;           /* NULL when unknown */
  uint32_t first, last;           /* lines, both inside */
  uint32_t loop_first, loop_last; /* the innermost loop around the block: each
                                     round executes it anew; 0: there is none */
  bool whole_loop; /* its lines are those of a loop, all rounds of which belong
                      together; for words only: equal blocks may differ in it */
};

struct cause {
  const struct code_block *blocks;
  uint32_t nblocks;
};

/* By file, function, first line, last line: the order of reading. */
int code_block_compare(const struct code_block *a, const struct code_block *b);
bool code_block_covers(const struct code_block *outer,
                       const struct code_block *inner);
bool code_block_meets(const struct code_block *a, const struct code_block *b);
/* Whether a line, as a function's author counts them, is in the block. */
bool code_block_has_line(const struct code_block *b, const char *file,
                         const char *function, uint32_t line);

/* With its texts. */
struct cause cause_copy(struct arena *a, struct cause c);
/* The smallest cause that covers all of `n` blocks, in any order. */
struct cause cause_of(struct arena *a, const struct code_block *blocks,
                      uint32_t n);
/* The smallest cause that subsumes both: the paper's flatten. */
struct cause cause_join(struct arena *a, struct cause x, struct cause y);

bool cause_covers(struct cause outer, struct cause inner);
bool cause_equal(struct cause x, struct cause y);
int cause_compare(struct cause x, struct cause y); /* a total order */
uint64_t cause_lines(struct cause c);              /* how many lines inside */
void cause_print(struct cause c, struct buf *out); /* f.c:8-9, f.c:20 */
bool cause_is_sound(struct cause c);               /* K1, K2, K4 */
void cause_check_invariants(struct cause c);       /* asserts them */

/* A set of causes; `struct causes s = {0}` is empty. */
struct causes {
  struct cause *at;
  uint32_t len, cap;
};

/*
 * Adds `c`, unless it subsumes one that is there, and drops what subsumes it,
 * so that K3 stays true.  Whether it was added.
 */
bool causes_add(struct causes *s, struct cause c);
void causes_sort(struct causes *s);
bool causes_equal(const struct causes *x, const struct causes *y); /* sorted */
void causes_free(struct causes *s);
void causes_check_invariants(const struct causes *s); /* asserts K1 to K3 */

#endif
