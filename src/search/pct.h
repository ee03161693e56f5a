/*
 * Priorities of threads, as PCT and D-PCT use them: each thread gets a random
 * one when it first appears, the enabled thread with the highest steps, and at
 * a change point the thread that would step next falls below all others.
 *
 * (P1) priorities of different threads differ.
 * (P2) change point i of 1 … depth - 1 gives priority i, less than any that a
 *      thread begins with; so of two threads that fell, either can be the
 *      lower one, whichever fell first.
 *
 *     priorities T1 = 90, T2 = 70, change point 1 before the third step:
 *     T1 T1 (T1 falls to 1) T2 T2 T2 … T2 ends, T1 T1 …
 */
#ifndef SEARCH_PCT_H
#define SEARCH_PCT_H

#include "search/sample.h"

#define PCT_RANKS (UINT64_C(1) << 62) /* priorities that a thread may get */

enum {
  PCT_DEPTH = 3,
  PCT_MAX_DEPTH = 64,
  PCT_PATIENCE = 1000, /* steps; twice k if that is more */
};

struct pct {
  struct sample s; /* first: sample_run is given this */
  uint32_t depth;
  uint32_t known;                   /* mask: threads that have a priority */
  int64_t priority[RT_MAX_THREADS]; /* change points > 0, unfair ones < 0 */
  int64_t lowest; /* the last priority that was given for fairness */
  uint32_t starving[RT_MAX_THREADS]; /* steps since it could have stepped */
  bool unfair;                       /* a thread had to give way */
};

/* Before an execution. */
void pct_begin(struct pct *p);

/* Change point i is reached: the thread that would step next falls. */
void pct_lower(struct pct *p, uint32_t enabled, uint32_t i);

/*
 * The thread that steps next, by priority, in an execution of about k steps.  A
 * thread that could step waits for PCT_PATIENCE steps of others or twice k;
 * then the thread that runs in its place falls below all.  Without that, a
 * thread that waits in a loop and counts its rounds would never let the one it
 * waits for go on.
 */
int pct_next(struct pct *p, uint32_t enabled, int current, uint64_t k);

uint32_t pct_depth(const struct explore *x);

/* Fills the search's results: the bound and what it is made of. */
void pct_bound(struct explore *x, uint32_t depth);

/* After an execution: how many threads there were, and the length of the
 * longest fair one. */
void pct_end(struct pct *p, enum rt_end how, uint64_t *longest);

#endif
