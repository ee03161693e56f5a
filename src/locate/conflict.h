/*
 * The trace as the root-causing paper sees it: memory accesses in the order in
 * which they happened, program order po, and conflict order cf between accesses
 * of different threads that share a byte, at least one of them writing.  Locks,
 * fences, calls and the allocator's own work are not accesses.
 *
 * Terms: a "node" is an access, numbered in the order of the trace from 0.  An
 * "operation" is a run of consecutive nodes of one thread that belong to one
 * call.  "a reaches b" means: there is a path of po and cf edges from a to b
 * that leaves the thread of a; with a and b in one thread it comes back.
 *
 * False conflicts.  A conflict needs two threads, so what an operation does to
 * a block before it publishes it (initialisation) conflicts with nothing of
 * that time.  The edge from an initialising write to a reader who found the
 * block through the publishing write is real, but never starts a smallest
 * segment: the publishing write is later and reaches the reader too.  What is
 * left is memory that was freed and handed out again.  Bytes begin a new life
 * where an ACCESS_FRESH says so (every allocation does), and accesses in
 * different lives do not conflict.  Freeing a block is a write to all of it.
 *
 * (F1) nodes of a thread have positions 1, 2, …, in the order of the trace.
 * (F2) clock(b)[t] is the position of the last node of thread t with a path to
 *      b, 0 when there is none; for b's own thread it is b's position.
 * (F3) clocks and `back` never fall along a thread.
 * (F4) edges go forward in the trace: no node reaches itself.
 */
#ifndef LOCATE_CONFLICT_H
#define LOCATE_CONFLICT_H

#include "base/hash.h"
#include "model/trace.h"

#include <stdbool.h>
#include <stdint.h>

enum access_kind {
  ACCESS_READ,
  ACCESS_WRITE,  /* or read-modify-write */
  ACCESS_FRESH,  /* not a node: the bytes begin a new life */
  ACCESS_RETURN, /* not a node: the operation has returned */
};

#define ACCESS_NO_OP UINT32_MAX

struct access {
  uint8_t kind;
  uint32_t event;  /* what the caller knows it by */
  uint32_t thread; /* any number */
  uint32_t op;     /* any number, or ACCESS_NO_OP: an operation of its own */
  uint64_t addr, size;
};

struct accesses {
  struct access *at;
  uint32_t len, cap;
};

/* What of a recorded trace is an access; appended to `out`. */
void accesses_from_trace(const struct trace *t, struct accesses *out);

struct node {
  uint32_t event;
  uint32_t thread; /* from 0, in the order of their first nodes */
  uint32_t op;     /* from 0, in the order of their first nodes */
  uint32_t pos;    /* F1 */
  uint32_t back;   /* the last position of its thread that reaches it, or 0 */
  uint32_t cells, ncells;
  uint64_t addr, size;
  uint32_t returned; /* last of an operation: nodes before its return, or 0 */
  bool writes;
};

struct operation {
  uint32_t first, last; /* nodes */
  uint32_t id;          /* the caller's number */
};

struct conflicts {
  struct node *nodes;
  uint32_t nnodes, nthreads, nops, ncells;
  struct operation *ops;
  uint32_t *thread_ids; /* the caller's numbers */
  uint32_t *thread_at;  /* thread t has the nodes by_thread[thread_at[t] …] */
  uint32_t *by_thread;  /* in program order */
  uint32_t *cells;      /* a cell is a piece of memory in one of its lives */
  uint32_t *clocks;     /* F2: nnodes × nthreads */
  uint32_t *last_before; /* likewise: the last direct predecessor's position */
};

/*
 * Whether the real-time order between operations counts as an edge, from the
 * last node of an operation that returned to the first node of one that was
 * called later.  The paper leaves it out.  Without it, a trace that is not
 * linearizable only because of real time may have no cycle at all.
 */
enum { CONFLICTS_REAL_TIME = 1 };

void conflicts_init(struct conflicts *c, const struct access *a, uint32_t n,
                    unsigned flags);
void conflicts_free(struct conflicts *c);
void conflicts_check_invariants(const struct conflicts *c); /* F1 to F4 */

/* The node of thread `t` at position `pos` (from 1). */
static inline uint32_t node_at(const struct conflicts *c, uint32_t t,
                               uint32_t pos) {
  return c->by_thread[c->thread_at[t] + pos - 1];
}
static inline uint32_t thread_length(const struct conflicts *c, uint32_t t) {
  return c->thread_at[t + 1] - c->thread_at[t];
}
static inline const uint32_t *clock_of(const struct conflicts *c,
                                       uint32_t node) {
  return c->clocks + (size_t)node * c->nthreads;
}

/*
 * Of the class of equivalent traces: two traces of one client have the same
 * digest if and only if their threads made the same accesses and conflicting
 * ones came in the same order.  (Two executions that differ in the order of
 * locks alone are one trace here; good traces are to be counted once.)
 */
struct hash128 conflicts_digest(const struct conflicts *c);

bool node_reaches(const struct conflicts *c, uint32_t a, uint32_t b);

/* Whether there is an edge of cf (or of real time) from a to b: the definition,
 * by looking at both. */
bool node_conflicts(const struct conflicts *c, uint32_t a, uint32_t b);

struct conflict_edge {
  uint32_t from, to;
};
struct conflict_edges {
  struct conflict_edge *at;
  uint32_t len, cap;
};

/*
 * All edges, by target and then by source.  There can be as many as pairs of
 * nodes; the eliminators do without them.
 */
void conflict_edges(const struct conflicts *c, struct conflict_edges *out);

#endif
