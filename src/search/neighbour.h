/*
 * The neighbour of a failing execution: a good one that differs from it in one
 * switch of threads.  It tells what the failure depends on.
 *
 * Words.  An execution is a sequence of turns: a thread makes steps until it is
 * interrupted (it could have gone on) or has to stop (it ended, or waits).  A
 * switch is moved later by k when the thread of the interrupted turn makes the
 * next k of its steps before the others go on, and earlier by k when the last k
 * steps of its turn are made at the beginning of its next one.  Moved far
 * enough, a switch is gone.  All other steps keep their order, as far as the
 * code still makes them.
 *
 *     failing              T1: r1    T2: r2 w2    T1: w1
 *     the switch behind r1, moved later by 1: T1: r1 w1    T2: r2 w2
 *
 * (B1) the neighbour came to its end, and the judge called it good.
 * (B2) no switch that interrupts a thread leads to a good execution when it is
 *      moved by fewer steps; of those that are moved equally far, no later one.
 * (B3) only when none of them does, a turn is interrupted that was not.
 * B2 and B3 are the order of the loops: tests/agree/neighbour.c
 */
#ifndef SEARCH_NEIGHBOUR_H
#define SEARCH_NEIGHBOUR_H

#include "search/explore.h"

struct neighbour_search {
  /* in */
  struct judge judge;
  const uint8_t *at; /* the failing execution of the prepared client */
  uint32_t len;
  uint32_t max_runs;
  uint64_t max_steps;     /* of all runs */
  struct live_path *live; /* see struct explore; or NULL */
  /* out */
  path good;      /* the caller frees it */
  uint32_t turn;  /* the moved switch is at the end of this turn, … */
  bool earlier;   /* … was moved earlier, or else later, … */
  uint32_t moved; /* … by so many steps */
  uint32_t runs;
};

/* False: none was found within the bounds. */
bool neighbour_find(struct neighbour_search *n);

#endif
