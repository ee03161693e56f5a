/*
 * Serializability under sequential consistency.
 *
 * Two events are in conflict when they are of one thread, or access one object
 * and not both read; a fork with the later events of its thread, a join with
 * the earlier ones.
 *
 * (A) sc_conflicts_all is the definition: every pair.
 * (B) sc_conflicts has edges with the same paths, and few: linear.
 * (C) the monitor says "no" if and only if the graph has a cycle.
 *                                             tests/agree/atomicity_sc.c
 */
#ifndef ATOMICITY_SC_H
#define ATOMICITY_SC_H

#include "atomicity/graph.h"

/* Add the edges; the nodes of g are by event. */
void sc_conflicts_all(const struct txn_event *e, uint32_t n,
                      struct conflict_graph *g);
void sc_conflicts(const struct txn_event *e, uint32_t n,
                  struct conflict_graph *g);

/* Whether the execution is SC-serializable, else a cycle of events. */
bool sc_serializable(const struct txn_event *e, uint32_t n,
                     struct conflict_cycle *cycle);

/*
 * On line: AeroDrome (Mathur and Viswanathan, ASPLOS 2020).  Events come one by
 * one (no commits; fences are nothing), memory does not depend on how many.
 * After a "no" nothing more may be added.
 */
struct sc_monitor;
struct sc_monitor *sc_monitor_new(void);
void sc_monitor_free(struct sc_monitor *m);
/* False: not serializable. */
bool sc_monitor_event(struct sc_monitor *m, enum txn_kind kind, uint32_t thread,
                      uint32_t object);
/* At the end of the trace: transactions that are open end here. */
bool sc_monitor_finish(struct sc_monitor *m);

#endif
