/*
 * The strongly connected components of a directed graph that a root reaches, in
 * an order in which a component comes before those that lead to it.
 *
 * Tarjan, SIAM J. Comput. 1(2), 1972.  Differs: no recursion, since graphs of
 * states are millions of edges deep.  Nodes are numbers below `nodes`; the
 * graph itself is the user's.  Example: of 0 -> 1, 1 -> 2, 2 -> 1, 2 -> 3 and
 * the root 0, the components are {3}, {1, 2}, {0}.
 *
 * (G1) `complete` is called once for each component that the root reaches.
 * (G2) all nodes that a component leads to are complete before it, or in it.
 * (G3) the first node of a component is the one that the search met first.
 */
#ifndef BASE_SCC_H
#define BASE_SCC_H

#include "base/vec.h"

#include <stdbool.h>

struct scc {
  void *ctx;
  /* Asked for the edges of a node one by one.  `*at` is the user's place among
   * them, 0 at first; false: there are no more. */
  bool (*next)(void *ctx, uint32_t node, uint32_t *at, uint32_t *to);
  /* Called with the nodes of a component, which are complete afterwards. */
  void (*complete)(void *ctx, const uint32_t *nodes, uint32_t n);
  /* The search's own. */
  uint32_t *low;       /* by node: when the first was met that it leads back to;
                          0: not met; SCC_COMPLETE */
  uint32_t *place;     /* by node: among its edges */
  VEC(uint32_t) calls; /* nodes from the root to where the search is … */
  VEC(uint32_t) begun; /* … and when they were met */
  VEC(uint32_t) open;  /* nodes that are met and not complete */
  uint32_t met;
};
#define SCC_COMPLETE UINT32_MAX

void scc_init(struct scc *s, uint32_t nodes);
/* The search is not to enter `node`, as if it were complete. */
void scc_leave_out(struct scc *s, uint32_t node);
void scc_from(struct scc *s, uint32_t root);
static inline bool scc_is_complete(const struct scc *s, uint32_t node) {
  return s->low[node] == SCC_COMPLETE;
}
void scc_free(struct scc *s);

#endif
