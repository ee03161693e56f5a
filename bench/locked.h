/*
 * A serializable trace of threads that take turns: transactions of ten accesses
 * under one of 16 locks, half of them to about 1,000 variables of the locks,
 * the others to 100 variables of the thread.
 */
#ifndef LOCKED_H
#define LOCKED_H

#include "base/rng.h"
#include "model/txn.h"

#include <stdbool.h>

enum { LOCKED_LENGTH = 14, LOCKED_LOCKS = 16 };

struct step {
  uint8_t kind;
  uint32_t thread, object; /* locks are the first objects */
  bool release;            /* of an RMW */
};

static inline void locked_transaction(struct rng *r, uint32_t nthreads,
                                      struct step *to) {
  uint32_t t = (uint32_t)rng_below(r, nthreads), shared = 1000;
  uint32_t lock = (uint32_t)rng_below(r, LOCKED_LOCKS);
  *to++ = (struct step){TXN_BEGIN, t, 0, false};
  *to++ = (struct step){TXN_RMW, t, lock, false};
  for (uint32_t k = 0; k < 10; k++) {
    uint32_t x =
        LOCKED_LOCKS + (uint32_t)(rng_below(r, 2)
                                      ? lock + LOCKED_LOCKS * rng_below(r, 60)
                                      : shared + t * 100 + rng_below(r, 100));
    *to++ = (struct step){rng_below(r, 3) ? TXN_READ : TXN_WRITE, t, x, false};
  }
  *to++ = (struct step){TXN_RMW, t, lock, true};
  *to++ = (struct step){TXN_END, t, 0, false};
}

#endif
