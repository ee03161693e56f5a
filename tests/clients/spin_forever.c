/*
 * A lock that is never given back: the second increment waits for ever.
 * Already two calls of one thread do, so this is no concurrency fault.
 *
 * RUN: %s --client '{increment()} || {increment()}'
 * EXIT: 1
 * VERDICT: error
 * FAULT: livelock
 */
#include <faultline.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int locked;
static int counter;

static void increment(void) {
  while (atomic_exchange(&locked, 1))
    sched_yield();
  counter++;
}

FL_OBJECT(counter)
FL_OP(void, increment)
