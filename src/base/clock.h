/*
 * The clock: seconds since some moment in the past, the same for all processes
 * of a machine.  It never goes back.  Deadlines everywhere are times of it.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

static inline double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
