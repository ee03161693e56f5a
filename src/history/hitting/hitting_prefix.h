/*
 * Prefixes of a history, for its linearizability depth and for counting its
 * schedules: sets of operations that have, with each of them, all that precede
 * it.  Schedules come to one by adding an operation after the other.
 */
#ifndef HISTORY_HITTING_HITTING_PREFIX_H
#define HISTORY_HITTING_HITTING_PREFIX_H

#include "history/log_engine.h"

#define NO_OP UINT32_MAX

/* The operations of one history without pending ones, by call. */
struct depth_ops {
  uint32_t n;
  uint32_t *op; /* index in the problem */
  uint32_t *call, *ret;
  uint64_t *hint;
  uint32_t *rank, *returns; /* by return */
  uint8_t *slot; /* of operations that are open together all differ */
  /* The operations that can come before the k-th return are those from
   * first[k] on. */
  uint32_t *first;
  VEC(uint32_t) callable;
};

/* A set of operations that has, with each of them, all that precede it: the
 * first `layer` returns, not the next one, and those whose slots are in `open`.
 */
struct depth_prefix {
  uint64_t open;
  uint64_t hint; /* the largest of its operations, or 0 */
  uint32_t layer;
};

static inline bool prefix_has(const struct depth_ops *o,
                              const struct depth_prefix *p, uint32_t op) {
  if (p->layer == o->n || o->rank[op] < p->layer)
    return true;
  return o->call[op] < o->ret[o->returns[p->layer]] &&
         p->open >> o->slot[op] & 1;
}

/* The next operation that can come after the prefix, from *cursor on. */
static inline uint32_t prefix_next(const struct depth_ops *o,
                                   const struct depth_prefix *p,
                                   uint32_t *cursor) {
  while (*cursor < o->first[p->layer + 1]) {
    uint32_t op = o->callable.at[(*cursor)++];
    if (!(p->open >> o->slot[op] & 1))
      return op;
  }
  return NO_OP;
}

static inline uint32_t prefix_start(const struct depth_ops *o,
                                    const struct depth_prefix *p) {
  return o->first[p->layer];
}

static inline uint32_t prefix_width(const struct depth_ops *o,
                                    const struct depth_prefix *p) {
  uint32_t n = 0;
  for (uint32_t at = prefix_start(o, p); prefix_next(o, p, &at) != NO_OP;)
    n++;
  return n;
}

static inline struct depth_prefix
prefix_with(const struct depth_ops *o, struct depth_prefix p, uint32_t op) {
  p.open |= (uint64_t)1 << o->slot[op];
  if (o->hint[op] != LOG_NO_HINT && o->hint[op] > p.hint)
    p.hint = o->hint[op];
  for (; p.layer < o->n; p.layer++) {
    uint64_t bit = (uint64_t)1 << o->slot[o->returns[p.layer]];
    if (!(p.open & bit))
      break;
    p.open &= ~bit;
  }
  return p;
}

static inline bool is_effectful_pending(const struct type_op *o) {
  return op_is_pending(o) && !o->only_reads;
}

/* The operations that returned and, of the pending ones that can have an
 * effect, the `completed`, a bit each: these return last.  False: more than 64
 * are open at one time; ops_close all the same. */
bool ops_open(struct depth_ops *o, const struct log_problem *p,
              uint32_t completed);
void ops_close(struct depth_ops *o);

#endif
