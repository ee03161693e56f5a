/*
 * Code that depends on what Faultline does not control: said as such, with the
 * place and the functions that it does not model.  Status 3, not a fault.
 *
 * RUN: %s --no-save --no-html
 * EXIT: 3
 * VERDICT: unknown
 * FAULT: divergence
 * OUTPUT: does not model: times
 */
#include <faultline.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong x;

/* The system's own clock, past the library: no two runs agree. */
static unsigned long now(void) {
  struct tms t;
  struct timespec at;
  times(&t);
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &at);
  return (unsigned long)at.tv_nsec;
}

static int step(void) {
  x = now();
  return (int)(x % 7);
}

FL_OBJECT(clockwork)
FL_OP(int, step)
