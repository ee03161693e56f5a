/*
 * Small clients of a long history: hints where to look for the fault.
 *
 * Two calls that overlap may have disturbed each other.  A window begins with
 * two such calls.  The calls before them become the client's initial calls, in
 * an order that explains their results; from the two on, each thread's next
 * calls run concurrently.  Later calls are left out.
 *     T1: a1    a2--a3       the window of a2 and b1, width 1:
 *     T2:     b1---- b2      init a1, then {a2} || {b1}
 *
 * Whether such a client fails is for the engine to find out.
 *
 * (W1) a thread's calls stand in a client in their order, without gaps: those
 *      that are initial, then those that are concurrent.
 * (W2) windows come in the order in which their calls begin to overlap, the
 *      last one first.
 */
#ifndef SEARCH_STRESS_WINDOWS_H
#define SEARCH_STRESS_WINDOWS_H

#include "base/vec.h"
#include "model/history.h"

/* Where to look. */
struct hint {
  const struct history *history;
  uint32_t end; /* a time: later calls play no part */
  /* All calls that had returned before `end`, initial ones included and final
   * ones not, in an order that keeps that of each thread. */
  const uint32_t *order;
  uint32_t len;
};

struct window {
  uint32_t first, second; /* ids; the first was called earlier */
};
typedef VEC(struct window) window_list;

/* Every two calls of different threads that overlap, W2. */
void windows_find(const struct hint *h, window_list *out);

/*
 * The client of a window, with up to `width` concurrent calls a thread; of
 * width 1 it has the two calls alone.  Without `init` it has no initial calls.
 */
void window_client(const struct hint *h, struct window w, uint32_t width,
                   bool init, struct client *out);

#endif
