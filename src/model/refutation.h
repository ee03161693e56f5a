/*
 * A refutation shows that a history is wrong by one order of its calls that
 * real time allows: up to the last call of the order, the specification returns
 * what the calls returned; for the last call it returns something else.
 *
 * Example: push(1) || pop:2.  The order push(1), pop is refuted at pop, which
 * has to return 1.
 */
#ifndef MODEL_REFUTATION_H
#define MODEL_REFUTATION_H

#include "base/vec.h"
#include "model/value.h"

#include <stdbool.h>
#include <stdint.h>

struct refutation {
  VEC(uint32_t)
  order; /* ids of calls; the last one is the one that disagrees */
  struct value expected; /* what the specification returns for it there */
  bool waits;            /* … or it would wait there */
};
typedef VEC(struct refutation) refutation_list;

#endif
