/*
 * A trace of the engine, or of a file, as events of transactions.
 *
 * Transactions are the blocks between `begin` and `end` when the trace has
 * such; else its operations.  Everything else is a transaction by itself.
 *
 * Objects are bytes that are always accessed together; an access of several is
 * several events, one behind the other.  An allocation begins new ones.  What
 * is done to locks and other things to wait for counts as an access to them.
 * Threads that nobody of the trace created, and that have ended, were joined by
 * the main thread, 0, before its next event.
 */
#ifndef ATOMICITY_FROM_TRACE_H
#define ATOMICITY_FROM_TRACE_H

#include "atomicity/graph.h"
#include "model/trace.h"
#include "model/txn.h"

/* `struct txn_list l = {0}` is empty.  `at` of an event is its index in the
 * trace. */
struct txn_list {
  VEC(struct txn_event) e;
  uint32_t ntxns;
  bool commits; /* some event is a commit */
  bool issues;  /* some store went into a buffer */
  bool split;   /* some access, beside other threads, is of several objects */
  bool blocks;  /* transactions are marked blocks */
};

/* `tso`: stores that are not marked as issued were made at once. */
void txn_from_trace(const struct trace *t, bool tso, struct txn_list *out);
void txn_list_free(struct txn_list *l);

/* Of an execution under TSO that was ended before its buffers were empty: the
 * stores in them are committed at the end.  `at` is the store's. */
void txn_commit_rest(struct txn_list *l);

/* tso_sc_equivalent for events that come from a trace, whose accesses may be of
 * several objects (equivalent.c). */
bool txn_sc_equivalent(const struct txn_event *e, uint32_t n,
                       struct conflict_cycle *cycle);

/* The number of the marked block, among those of its thread from 1 on, that
 * the event is in, a commit as its store; 0: none. */
uint32_t txn_block(const struct trace *t, uint32_t event);

#endif
