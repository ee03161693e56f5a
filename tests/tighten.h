/*
 * A log with less room: where an operation returned right after another one was
 * called, it returns right before that.  So it may become a violation, by as
 * little as can be.
 */
#ifndef TESTS_TIGHTEN_H
#define TESTS_TIGHTEN_H

#include "base/rng.h"
#include "stream.h"

__attribute__((unused)) static void tighten(struct log *l, struct rng *r,
                                            uint32_t times) {
  struct stream s = stream_of(l);
  for (uint32_t i = 0; i < times && l->end > 1; i++) {
    uint32_t t = (uint32_t)rng_below(r, l->end - 1);
    uint32_t call = s.at[t], ret = s.at[t + 1];
    if (call == UINT32_MAX || ret == UINT32_MAX || call % 2 || ret % 2 == 0 ||
        call / 2 == ret / 2)
      continue;
    l->ops.at[call / 2].call = t + 1;
    l->ops.at[ret / 2].ret = t;
    s.at[t] = ret;
    s.at[t + 1] = call;
  }
  free(s.at);
}

#endif
