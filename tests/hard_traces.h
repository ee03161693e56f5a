/* Traces without commits on which the search under TSO works hard. */
#ifndef HARD_TRACES_H
#define HARD_TRACES_H

#include "base/rng.h"
#include "model/txn.h"

static inline struct txn_event hard_event(enum txn_kind kind, uint32_t thread,
                                          uint32_t object, uint32_t txn) {
  return (struct txn_event){
      .kind = (uint8_t)kind, .thread = thread, .object = object, .txn = txn};
}

/*
 * One transaction [w(x) r(y)] of thread 0, and single accesses of the others,
 * most of them writes.  So there is one place where a cycle can begin, nearly
 * all edges are undirected, and the search goes through the other threads in
 * all orders.  n >= 4.
 */
static inline void hard_trace(uint32_t threads, uint32_t vars, uint32_t n,
                              uint32_t fences, uint32_t reads, uint64_t seed,
                              struct txn_event *e) {
  struct rng r = {seed};
  uint32_t at = (uint32_t)rng_below(&r, n / 2);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t t = 1 + (uint32_t)rng_below(&r, threads - 1);
    uint32_t x = (uint32_t)rng_below(&r, vars);
    uint64_t what = rng_below(&r, 100);
    if (i == at)
      e[i] = hard_event(TXN_WRITE, 0, 0, n);
    else if (i == at + 1)
      e[i] = hard_event(TXN_READ, 0, 1, n);
    else if (what < fences)
      e[i] = hard_event(TXN_FENCE, t, 0, i);
    else
      e[i] = hard_event(what < fences + reads ? TXN_READ : TXN_WRITE, t, x, i);
  }
}

/* The same with every access but those of thread 0 done so many times, one
 * behind the other.  The answer is the same: equal accesses have the same
 * edges. */
static inline uint32_t hard_wide(const struct txn_event *e, uint32_t n,
                                 uint32_t times, struct txn_event *to) {
  uint32_t len = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < times; k++) {
      if (k && (e[i].thread == 0 || e[i].kind == TXN_FENCE))
        break;
      to[len] = e[i];
      to[len].txn = e[i].thread ? len + 1 : 0;
      len++;
    }
  return len;
}

/*
 * Ladder: transactions [w(x) r(y)] of threads that write variables of their own
 * and read those of the thread below, without fences: each could begin a cycle,
 * and there is no way back from the higher threads.
 */
static inline uint32_t ladder_trace(uint32_t threads, uint32_t vars, uint32_t n,
                                    struct txn_event *e) {
  struct rng r = {1};
  uint32_t i = 0, own = vars / threads;
  for (; i + 1 < n; i += 2) {
    uint32_t t = i / 2 % threads;
    uint32_t x = t * own + (uint32_t)rng_below(&r, own);
    uint32_t y = t ? (t - 1) * own + (uint32_t)rng_below(&r, own) : x;
    e[i] = hard_event(TXN_WRITE, t, x, i / 2);
    e[i + 1] = hard_event(TXN_READ, t, y, i / 2);
  }
  return i;
}

#endif
