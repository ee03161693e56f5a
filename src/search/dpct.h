/*
 * The number of steps that an execution still has to make, from an estimate for
 * each call of the client.
 *
 * (D1) while a call runs, its rest is the estimate less the steps made.
 * (D2) a call that has made as many steps as estimated and is not done has
 *      outgrown the estimate: its rest is the estimate once more.
 * (D3) a call that is done has no rest, however few steps it took.
 * (D4) `steps` is the sum of the rests of all calls.
 * (D5) after D2 nobody knows that a step is the last one, nor when all calls
 *      are done and a thread of the object's own still steps.
 *
 *     estimate 3, 5 steps made:  rest 3 2 1 | 3 2 1, then the call ends: 0
 */
#ifndef SEARCH_DPCT_H
#define SEARCH_DPCT_H

#include "model/client.h"
#include "rt/rt.h"

struct remaining {
  const uint32_t *estimate; /* by call; 0 counts as 1, a call is a step */
  uint32_t nthreads;
  struct {
    uint32_t call, end; /* the current call; behind the thread's last one */
    uint32_t made;      /* steps of the current call */
  } thread[RT_MAX_THREADS];
  uint64_t steps; /* D4 */
  bool outgrown;  /* D2 of some call */
};

/* Before the first step of a client. */
void remaining_begin(struct remaining *r, const struct client *c,
                     const uint32_t *estimate);

/* `thread` made a step; done(call) tells whether a call has returned. */
void remaining_step(struct remaining *r, int thread, bool (*done)(uint32_t));

/* The next of how many steps is the next one?  As D5 wants it, at least 2. */
uint64_t remaining_odds(const struct remaining *r);

/* Asserts D4. */
void remaining_check_invariants(const struct remaining *r);

#endif
