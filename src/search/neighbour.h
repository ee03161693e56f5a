/*
 * The neighbour of a failing execution: a good one that differs from it in one
 * switch of threads.  It tells what the failure hangs on.
 *
 * Words.  An execution is a sequence of turns: a thread makes steps until it is
 * interrupted (it could have gone on) or has to stop (it ended, or waits).  A
 * switch is moved later by k when the thread of the interrupted turn makes the
 * next k of its steps before the others go on, and earlier by k when the last k
 * steps of its turn are made at the beginning of its next one.  Moved far
 * enough, a switch is gone.  All else keeps its order, as far as the code still
 * takes those steps.
 *
 * (B1) the neighbour came to its end, and the judge called it good.
 * (B2) of all switches that interrupt a thread, moved by up to its turn, none
 *      that is moved by fewer steps leads to a good execution; of those that
 *      are moved equally far, none that is later.
 * (B3) only when none of them does, a turn is interrupted that was not.
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
  uint32_t turn;  /* the switch that was moved is at the end of this one, … */
  bool earlier;   /* … and was moved so or later, … */
  uint32_t moved; /* … by so many steps */
  uint32_t runs;
};

/* False: none was found within the bounds. */
bool neighbour_find(struct neighbour_search *n);

#endif
