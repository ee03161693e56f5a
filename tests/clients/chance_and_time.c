/*
 * rand() and the clocks give the same in every execution, and sleeping takes
 * no time: the result of the only thread is always the same one.
 *
 * RUN: explore %s --search=dfs --client '{seed_and_draw()} || {nap()}'
 * EXIT: 0
 * OUTCOMES: 1,0
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_int x;

static int seed_and_draw(void) {
  srand(7);
  int first = rand();
  srand(7);
  atomic_fetch_add(&x, 1);
  return first == rand();
}

static int nap(void) {
  time_t before = time(NULL);
  sleep(1000);
  atomic_fetch_add(&x, 1);
  return time(NULL) < before;
}

FL_OBJECT(chance)
FL_OP(int, seed_and_draw)
FL_OP(int, nap)
