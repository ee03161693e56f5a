/*
 * A sum over cells, in a loop: locks in each round do not repair it (-DROUNDS),
 * one around the whole loop does (-DWHOLE).
 *
 * OPT: -O0 -O1 -O2
 * RUN: %s --width=400
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: 1\. lines 45-46 of loop_whole.c, in shift\(\); and lines 53-58 in total\(\) \
 *     \(the whole loop\)
 * OUTPUT: with lines 53-58 in total\(\), in each round of this loop instead
 * RUN: %s -- -DROUNDS
 * EXIT: 1
 * VERDICT: violation
 * RUN: %s -- -DWHOLE
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int cell[3];

static void take(int wanted) {
  if (wanted)
    pthread_mutex_lock(&lock);
}
static void give(int wanted) {
  if (wanted)
    pthread_mutex_unlock(&lock);
}

#ifdef ROUNDS
enum { ROUND = 1, LOOP = 0, SHIFT = 1 };
#elif defined WHOLE
enum { ROUND = 0, LOOP = 1, SHIFT = 1 };
#else
enum { ROUND = 0, LOOP = 0, SHIFT = 0 };
#endif

/* Moves one from cell 0 to cell 2. */
static void shift(void) {
  take(SHIFT);
  cell[0] = cell[0] - 1;
  cell[2] = cell[2] + 1;
  give(SHIFT);
}

static int total(void) {
  int sum = 0;
  take(LOOP);
  for (int i = 0; i < 3; i++) {
    take(ROUND);
    int c = cell[i];
    give(ROUND);
    sum += c;
  }
  give(LOOP);
  return sum;
}

FL_OBJECT(cells)
FL_OP(void, shift)
FL_OP(int, total)
