/*
 * Two threads look at the clock and keep what they saw: either can be first,
 * and nobody sees the same time twice.  Each makes a look and a store, so there
 * are 4!/(2! 2!) = 6 executions; only the looks depend on each other.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{one()} || {two()}; earlier()'
 * EXECUTIONS: 6
 * OUTCOMES: 0,0,1 0,0,2
 * RUN: explore %s --search=dpor --no-real-time --client \
 *     '{one()} || {two()}; earlier()'
 * EXECUTIONS: 2
 * OUTCOMES: 0,0,1 0,0,2
 * RUN: explore %s --client '{one()} || {two()}; earlier()'
 * OUTCOMES: 0,0,1 0,0,2
 * RUN: explore %s --search=dfs --client '{wakes()} || {measures()}'
 * OUTCOMES: 0,1
 * RUN: explore %s --search=dpor --client '{wakes()} || {measures()}'
 * OUTCOMES: 0,1
 * RUN: explore %s --client '{wakes()} || {measures()}'
 * OUTCOMES: 0,1
 */
#include <faultline.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

static atomic_long seen[2];

static int one(void) {
  seen[0] = now();
  return 0;
}
static int two(void) {
  seen[1] = now();
  return 0;
}
static int earlier(void) {
  return seen[0] == seen[1] ? 0 : seen[0] < seen[1] ? 1 : 2;
}

/* A sleep that lies between two looks of another thread. */
static atomic_int go, done;

static int wakes(void) {
  while (!go)
    sched_yield();
  sleep(1);
  done = 1;
  return 0;
}
static int measures(void) {
  long before = now();
  go = 1;
  while (!done)
    sched_yield();
  return now() - before >= 1000000000;
}

FL_OBJECT(clock_reader)
FL_OP(int, one)
FL_OP(int, two)
FL_OP(int, earlier)
FL_OP(int, wakes)
FL_OP(int, measures)
