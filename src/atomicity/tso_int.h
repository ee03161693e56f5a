/* What the analyses of TSO have in common. */
#ifndef ATOMICITY_TSO_INT_H
#define ATOMICITY_TSO_INT_H

#include "atomicity/tso.h"

static inline bool tso_fences(const struct txn_event *e) {
  return e->kind == TXN_FENCE || e->kind == TXN_RMW || e->kind == TXN_FORK ||
         e->kind == TXN_JOIN;
}

static inline bool tso_mark(const struct txn_event *e) {
  return e->kind == TXN_BEGIN || e->kind == TXN_END;
}

static inline bool tso_access(const struct txn_event *e) {
  return e->kind == TXN_READ || e->kind == TXN_WRITE || e->kind == TXN_RMW;
}

/* A fork and an event of its thread, or an event and the join; a before b. */
static inline bool tso_hand_over(const struct txn_event *a,
                                 const struct txn_event *b) {
  return (a->kind == TXN_FORK && a->object == b->thread) ||
         (b->kind == TXN_JOIN && b->object == a->thread);
}

/* Reads, writes and fences of one thread, a before b: kept in order. */
bool tso_same_thread(const struct txn_event *a, const struct txn_event *b,
                     bool a_buffered);

#endif
