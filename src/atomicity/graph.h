/*
 * The conflict graph of an execution: a node a transaction, and an edge from
 * one to another when an event of the first is in conflict with a later event
 * of the second.  An execution is serializable if and only if the graph has no
 * cycle (Papadimitriou, J.ACM 26(4), 1979).
 *
 * What is in conflict is the business of who adds the edges: sc.h, tso.h.
 */
#ifndef ATOMICITY_GRAPH_H
#define ATOMICITY_GRAPH_H

#include "base/vec.h"
#include "model/txn.h"

#include <stdbool.h>

/* Two events in conflict, the first before the second. */
struct txn_edge {
  uint32_t from, to;
};

/* `struct conflict_graph g = {0}` is empty. */
struct conflict_graph {
  VEC(struct txn_edge) edges; /* of events in different nodes */
  uint32_t nnodes;
  const uint32_t *node; /* by event: borrowed */
};

/* The nodes are numbered below nnodes. */
void conflict_graph_init(struct conflict_graph *g, const uint32_t *node,
                         uint32_t nnodes);
/* Nothing is added for events of one node, nor a second edge from one event to
 * one node when the two come together. */
void conflict_graph_add(struct conflict_graph *g, uint32_t from, uint32_t to);
void conflict_graph_free(struct conflict_graph *g);

/*
 * A shortest cycle through some node: edge i ends in the node that edge i + 1
 * begins in, the last in the first one's.  False: there is none.
 */
struct conflict_cycle {
  VEC(struct txn_edge) edges;
};
bool conflict_graph_cycle(const struct conflict_graph *g,
                          struct conflict_cycle *cycle);
void conflict_cycle_free(struct conflict_cycle *c);

/*
 * Transactions of a sequence: the outermost begin to its end, and every other
 * event by itself; a commit is in that of its write.  Fills in `txn` and gives
 * the number of transactions.
 */
uint32_t txn_assign(struct txn_event *e, uint32_t n);

#endif
