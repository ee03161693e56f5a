/* Between the files of the tree; nobody else includes this. */
#ifndef LOCATE_TREE_INT_H
#define LOCATE_TREE_INT_H

#include "locate/tree.h"

struct tree {
  const struct steps *g;
  struct tree_options o;
  uint32_t *order; /* states from the root on; those that follow come first */
  uint32_t norder;
  uint32_t *component; /* by state; 0: not met */
  uint32_t *depth;     /* by state, from the root */
  uint8_t *leads;      /* by state: enum race_leads */
  uint8_t *kind;       /* by state: enum race_kind */
  uint32_t *rivals;    /* by state */
  bool circles;
};

/* Fills order, component, depth, leads and circles (tree_order.c). */
void tree_sort(struct tree *t);

static inline uint64_t tree_plus(uint64_t a, uint64_t b) {
  return a > TREE_MANY - b ? TREE_MANY : a + b;
}

/* With this step, no good execution is left, and the race has decided it. */
static inline bool tree_decides(const struct tree *t, uint32_t state,
                                const struct step_edge *e) {
  return t->leads[e->to] == LEADS_BAD &&
         tree_leads_by(t, state, e->thread) == LEADS_BAD &&
         tree_race(t, state, e->thread) > RACE_WG;
}

#endif
