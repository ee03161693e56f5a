/*
 * A structure tree is what an operation can do, step by step, as D-PCT sees it
 * (the CGVT paper, section III B; we keep its types and its `num`):
 *
 *   R  root       the whole operation
 *   S  sequence   num visible accesses, one after the other: the only leaves
 *   L  loop       its children, time and again: θ times, which is a number that
 *                 the code tells (rounds.h), or else the same for all loops
 *   C  selection  one of its children, all of them branches, or none
 *   B  branch     its children
 *
 * (T1) num of the others is how many children they have, and is not 0, except
 *      for the root of an operation that touches nothing.
 * (T2) two sequences never stand side by side.
 * (T3) children stand in the order of the program, branches in that of their
 *      lines in the source.
 * (T4) a branch never holds a selection alone: `else if` is one more branch.
 */
#ifndef CODE_TREE_H
#define CODE_TREE_H

#include "base/buf.h"
#include "base/vec.h"
#include "debug/lines.h"

enum flow_type {
  FLOW_ROOT,
  FLOW_SEQUENCE,
  FLOW_LOOP,
  FLOW_SELECTION,
  FLOW_BRANCH
};

enum { FLOW_NONE = 0, FLOW_THETA = 1 };

struct flow_node {
  uint8_t type;
  bool irregular;             /* a loop that can be entered at several places */
  uint32_t num;               /* see above */
  uint32_t rounds;            /* of a loop; 0: the code does not tell */
  uint32_t first, next, last; /* child, sibling; FLOW_NONE (the root is 0) */
  uint64_t pc, end;           /* of its first and its last access */
};

struct flow_tree {
  VEC(struct flow_node) nodes;
  uint64_t entry;
  /* What the tree does not hold. */
  bool recursion; /* calls of a function that is being called already */
  bool indirect;  /* calls through pointers */
  bool unknown;   /* jumps that could not be followed */
  bool truncated; /* more than FLOW_MAX_NODES */
};
enum { FLOW_MAX_NODES = 20000 };

/* Steps of an execution in which loops go round as often as the code tells, or
 * else theta times, and selections take the longest branch: SUM of the paper,
 * where theta is 1.  At most UINT32_MAX. */
uint32_t flow_sum(const struct flow_tree *t, uint32_t theta);

/* Is there a loop whose rounds the code does not tell? */
bool flow_has_open_loop(const struct flow_tree *t);

/* One line a node, with its places and its part of the sum. */
void flow_print(const struct flow_tree *t, struct lines *l, uint32_t theta,
                struct buf *out);

/* All in one line: R(S2 L(S1 C(B(S1) B(S3)))); a loop that goes round four
 * times is L*4(…). */
void flow_brief(const struct flow_tree *t, struct buf *out);

/* Asserts T1, T2, T4.  T3 is checked where a selection is closed: it needs the
 * lines. */
void flow_check_invariants(const struct flow_tree *t);
void flow_tree_free(struct flow_tree *t);

#endif
