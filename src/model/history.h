/*
 * A history is what a client saw: the operations of one execution, each with
 * the interval from its call to its return.  Nothing below the level of
 * operations (memory accesses, fences, switches) reaches this layer.
 *
 * Terms: "a before b" means a returned before b was called (real-time order).
 * An operation without a return is "pending" and may take effect or not.
 * Times are step numbers: a call has the number of the first access of its
 * operation, a return that of the last, so equal numbers do not order.
 *
 * Under C11 there is no global time: a is before b if the return of a happens
 * before the call of b.  Then the history is `partial`, and `before` says which
 * calls that are; times are those of the engine's steps, which extend the order
 * and say nothing besides.
 *
 * (H1) ops[i] is call i of the client; initial and final calls are included.
 * (H2) a pending operation has ret == HISTORY_PENDING; one that was never
 *      called has call == HISTORY_PENDING too and is left out of every order.
 * (H3) intervals of one thread never overlap: a later one has a larger call.
 */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "base/hash.h"
#include "model/client.h"
#include "model/value.h"

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_PENDING UINT32_MAX

struct hop {
  uint32_t call, ret;
  struct value result;
  uint64_t before; /* partial: mask of the calls that are before it */
};

struct history {
  const struct client *client;
  struct hop *ops; /* client->ncalls of them */
  /*
   * The execution ended because the pending operations wait, and each of them
   * is an operation that may wait (FL_BLOCKING): a witness must leave the
   * object in a state where all of them wait.
   */
  bool stuck;
  bool partial; /* at most HISTORY_PARTIAL calls */
};
enum { HISTORY_PARTIAL = 64 };

static inline bool hop_called(const struct hop *o) {
  return o->call != HISTORY_PENDING;
}
static inline bool hop_pending(const struct hop *o) {
  return o->ret == HISTORY_PENDING;
}
/* By the times; of a partial history it is history_before that counts. */
static inline bool hop_before(const struct hop *a, const struct hop *b) {
  return a->ret < b->call;
}

static inline bool history_before(const struct history *h, uint32_t a,
                                  uint32_t b) {
  if (h->partial)
    return hop_called(&h->ops[b]) && !hop_pending(&h->ops[a]) &&
           h->ops[b].before >> a & 1;
  return hop_before(&h->ops[a], &h->ops[b]);
}

void history_check_invariants(const struct history *h); /* asserts H1 to H3 */

/*
 * What decides linearizability and nothing else: results, which calls were
 * made, and the real-time order.  Equal digests of one client's histories,
 * equal verdicts.
 */
struct hash128 history_digest(const struct history *h);

#endif
