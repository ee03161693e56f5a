/*
 * A pair that is read in a loop without the lock.  The accesses of get() are
 * all on one line, and between them control is on the others: what must be
 * atomic is the whole loop, also where the compiler has unrolled it.
 *
 * CC: gcc
 * OPT: -O0 -O1 -O2
 * RUN: %s --no-save
 * EXIT: 1
 * OUTPUT: lines 28-32 of get\(\)
 * OUTPUT: Searched again without interrupting them: no fault in
 */
#include <faultline.h>
#include <pthread.h>

static volatile int a[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set(int v) {
  pthread_mutex_lock(&lock);
  a[0] = v;
  a[1] = v;
  pthread_mutex_unlock(&lock);
}

static int get(void) {
  int s = 0, i = 0;
  do {
    s = s * 10;
    s += a[i];
    i++;
  } while (i < 2);
  return s;
}

FL_OBJECT(pair)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, get)
