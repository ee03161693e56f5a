/*
 * 16-byte compare-and-swap: two counters that are always equal.
 *
 * RUN: explore %s --client '{increment()} || {increment()} || {get()}; get()' \
 *     -- -mcx16
 * EXIT: 0
 * OUTCOMES: 0,0,0,2 0,0,1,2 0,0,2,2
 */
#include <faultline.h>
#include <stdint.h>

typedef unsigned __int128 pair; /* two counters: high half and low half */

static pair counters;

static pair load(void) {
  return __sync_val_compare_and_swap(&counters, (pair)0, (pair)0);
}

static int increment(void) {
  pair old = load();
  for (;;) {
    pair both = old + (((pair)1 << 64) | 1);
    pair seen = __sync_val_compare_and_swap(&counters, old, both);
    if (seen == old)
      return 0;
    old = seen;
  }
}

static int get(void) {
  pair now = load();
  return (uint64_t)(now >> 64) == (uint64_t)now ? (int)now : -1;
}

FL_OBJECT(counters)
FL_OP(int, increment)
FL_OP(int, get)
