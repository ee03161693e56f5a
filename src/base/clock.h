/*
 * The clock: seconds since some moment in the past, the same for all processes
 * of a machine.  It never goes back.  Deadlines everywhere are times of it.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void) { /* the same in nanoseconds */
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double clock_now(void) { return (double)clock_ns() * 1e-9; }

#endif
