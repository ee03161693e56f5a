/*
 * The directed part of a trace's event graph, with what the search for cycles
 * asks of it.
 *
 * Events of a thread lie in chains, sequences in which each event comes before
 * the next: its writes and fences; its reads that are not buffered; and for
 * each object, its buffered reads.  So an event, or a transaction, reaches of
 * each chain everything from some index on, and a row of numbers, one a chain,
 * tells all that it reaches.
 *
 * A row of a bucket are the events of one chain on one object.
 */
#ifndef ATOMICITY_CHAINS_H
#define ATOMICITY_CHAINS_H

#include "atomicity/tso.h"

struct chain_bucket {
  uint32_t chain, thread, object;
  bool reads, buffered;
  VEC(uint32_t) events;
  /* By position, one list behind the other; filled in by event_chains_dense. */
  uint32_t *index, *fence; /* in the chain; next_fence */
  uint32_t *txn, *event; /* of chain i at i * events.len: rows of the events */
};

struct chains {
  const struct txn_event *e;
  uint32_t n, nthreads, nobjects, ntxns;
  bool *buffered;
  uint32_t nchains;
  uint32_t *chain, *index; /* by event; marks have none, UINT32_MAX */
  uint32_t *event_row;     /* n rows of nchains: first index reached */
  uint32_t *txn_row;       /* ntxns rows */
  uint32_t *next_fence; /* by event: of its thread, at or after it; n: none */
  struct fences {
    VEC(uint32_t) at;
  } * fences; /* by thread */
  VEC(struct chain_bucket) buckets;
  uint32_t *bucket_of; /* by thread, object and kind: number + 1, or 0 */
  struct on_object {
    VEC(uint32_t) buckets;
  } * on;                      /* by object */
  struct conflict_graph edges; /* directed; few, with the same paths */
};

/* False: the directed edges alone make a cycle of transactions, which is given;
 * then rows are not there. */
bool event_chains_init(struct chains *c, const struct txn_event *e, uint32_t n,
                       struct conflict_cycle *cycle);
void event_chains_free(struct chains *c);
/* From now on buckets have these accesses only, which are sorted. */
void event_chains_restrict(struct chains *c, const uint32_t *events,
                           uint32_t n);

/* Copies what is known of events into their buckets, where the search reads it
 * in order. */
void event_chains_dense(struct chains *c);

/* a comes before b, or is it. */
static inline bool event_before(const struct chains *c, uint32_t a,
                                uint32_t b) {
  return c->event_row[(size_t)a * c->nchains + c->chain[b]] <= c->index[b];
}
/* The transaction of a comes before that of b, or is it. */
static inline bool txn_before(const struct chains *c, uint32_t a, uint32_t b) {
  return c->txn_row[(size_t)c->e[a].txn * c->nchains + c->chain[b]] <=
         c->index[b];
}

/* The events of bucket k that have an undirected edge with b:
 * events.at[*from .. *to). */
void event_chains_window(const struct chains *c, uint32_t b,
                         const struct chain_bucket *k, uint32_t *from,
                         uint32_t *to);

/* The first of a sorted list that is >= x. */
static inline uint32_t events_from(const uint32_t *at, uint32_t len,
                                   uint32_t x) {
  uint32_t from = 0, to = len;
  while (from < to) {
    uint32_t mid = from + (to - from) / 2;
    if (at[mid] < x)
      from = mid + 1;
    else
      to = mid;
  }
  return from;
}

/* The first event of the bucket whose index in its chain is >= index. */
uint32_t bucket_from(const struct chains *c, const struct chain_bucket *k,
                     uint32_t index);

#endif
