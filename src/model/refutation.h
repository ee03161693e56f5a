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

typedef VEC(struct value) expected_list;
/* A relaxed call may return more than one number: the smallest, or the largest,
 * stands for them. */
enum bound { BOUND_EXACT, BOUND_LEAST, BOUND_MOST };

/* A weaker reading that does not allow the result either. */
enum reading {
  READING_NONE,
  READING_RELAXED,      /* FL_RELAXED */
  READING_OUT_OF_ORDER, /* FL_OUT_OF_ORDER(reach) */
  READING_PER_PRODUCER, /* FL_PER_PRODUCER */
  READING_TOGETHER,     /* calls that overlap take effect together */
};

struct refutation {
  VEC(uint32_t)
  order; /* ids of calls; the last one is the one that disagrees */
  struct value expected; /* what the specification returns for it there */
  bool waits;            /* … or it would wait there */
  expected_list also;    /* what it allows there besides, if it has a choice */
  enum bound bound;      /* of `expected` */
  bool alone; /* what it returned needs no reason if another call overlaps it,
                 and none does */
  enum reading reading;
  uint32_t reach;
};
typedef VEC(struct refutation) refutation_list;

#endif
