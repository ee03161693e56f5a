/*
 * The states that an object can be in after some schedules of the same
 * operations, for the linearizability depth (hitting_depth.c).
 *
 * Sets of numbers are kept once: equal sets have equal numbers.  A `states` is
 * the set of states of the type after one schedule, of which a deterministic
 * type has one.  An `outcomes` is the set of the `states` after all schedules.
 */
#ifndef HISTORY_HITTING_HITTING_SETS_H
#define HISTORY_HITTING_HITTING_SETS_H

#include "base/map128.h"
#include "history/log_engine.h"

#define NO_OUTCOMES UINT32_MAX

struct number_sets {
  VEC(uint32_t) items;  /* the sets one after the other, each ascending */
  VEC(uint32_t) starts; /* of each set among the items */
  struct map128 known;
};

struct hitting_outcomes {
  const struct log_problem *p;
  struct meter *meter;
  struct number_sets states, outcomes;
  struct map128 after_one, after_all; /* what was asked before */
  VEC(uint32_t) scratch;
};

/* The states after one schedule, and those after one more operation;
 * NO_OUTCOMES: none, it is no witness. */
uint32_t states_initial(struct hitting_outcomes *o);
uint32_t states_after(struct hitting_outcomes *o, uint32_t states, uint32_t op);
/* The outcomes after no operation. */
uint32_t outcomes_initial(struct hitting_outcomes *o);
/* What follows when operation `op` of the problem comes next.  NO_OUTCOMES:
 * after some schedule it cannot come next. */
uint32_t outcomes_after(struct hitting_outcomes *o, uint32_t outcomes,
                        uint32_t op);
uint32_t outcomes_union(struct hitting_outcomes *o, uint32_t a, uint32_t b);
bool outcomes_include(const struct hitting_outcomes *o, uint32_t all,
                      uint32_t part);
uint64_t outcomes_bytes(const struct hitting_outcomes *o);
void outcomes_free(struct hitting_outcomes *o);

#endif
