/*
 * Random programs for the machine of tso_machine.h, and its executions as
 * events of transactions.
 */
#ifndef TSO_TRACES_H
#define TSO_TRACES_H

#include "base/rng.h"
#include "model/txn.h"
#include "tso_machine.h"

struct shape {
  uint32_t threads, ops, vars;
  unsigned fences, rmws; /* in percent */
  bool fenced;           /* every transaction ends with a fence */
};

static inline uint8_t percent(struct rng *r) {
  return (uint8_t)rng_below(r, 100);
}

static inline struct tso_op random_op(struct rng *r, const struct shape *s) {
  struct tso_op op = {.var = (uint8_t)rng_below(r, s->vars),
                      .value = (uint8_t)(1 + rng_below(r, 9))};
  unsigned what = percent(r);
  op.kind = what < s->fences             ? TSO_FENCE
            : what < s->fences + s->rmws ? TSO_RMW
            : rng_below(r, 2)            ? TSO_READ
                                         : TSO_WRITE;
  return op;
}

static inline struct tso_program random_program(struct rng *r,
                                                const struct shape *s) {
  struct tso_program p = {.nthreads = (uint8_t)s->threads};
  for (uint32_t t = 0; t < s->threads; t++) {
    uint32_t left = 1 + (uint32_t)rng_below(r, s->ops), n = 0;
    while (left) {
      uint32_t len = 1 + (uint32_t)rng_below(r, left < 3 ? left : 3);
      p.thread[t][n++] = (struct tso_op){.kind = TSO_BEGIN};
      for (uint32_t i = 0; i < len; i++)
        p.thread[t][n++] = random_op(r, s);
      if (s->fenced)
        p.thread[t][n++] = (struct tso_op){.kind = TSO_FENCE};
      p.thread[t][n++] = (struct tso_op){.kind = TSO_END};
      left -= len;
    }
    assert(n <= TSO_OPS);
  }
  return p;
}

/* Without marks; with or without commits. */
static inline uint32_t convert(const struct tso_execution *x, bool commits,
                               struct txn_event *out) {
  static const uint8_t kinds[] = {
      [TSO_WRITE] = TXN_WRITE, [TSO_READ] = TXN_READ,
      [TSO_RMW] = TXN_RMW,     [TSO_SC_WRITE] = TXN_RMW,
      [TSO_FENCE] = TXN_FENCE, [TSO_COMMIT] = TXN_COMMIT};
  uint32_t at[TSO_EVENTS], n = 0;
  uint32_t txn[TSO_THREADS] = {0};
  for (unsigned i = 0; i < x->n; i++) {
    const struct tso_event *e = &x->event[i];
    at[i] = n;
    if (e->kind == TSO_BEGIN)
      txn[e->thread]++;
    if (e->kind == TSO_BEGIN || e->kind == TSO_END ||
        (e->kind == TSO_COMMIT && !commits))
      continue;
    struct txn_event *o = &out[n++];
    *o = (struct txn_event){.kind = kinds[e->kind],
                            .thread = e->thread,
                            .object = e->var,
                            .at = i,
                            .txn = txn[e->thread] * TSO_THREADS + e->thread};
    if (e->kind == TSO_COMMIT) {
      o->issue = at[e->issue];
      o->txn = out[o->issue].txn;
    }
  }
  return n;
}

#endif
