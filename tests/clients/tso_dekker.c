/*
 * Dekker's lock: right under SC, not under TSO.
 *
 * RUN: %s --client '{add(0)} || {add(1)}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --memory-model=tso --client '{add(0)} || {add(1)}'
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: lock\(\): a fence between line 28 and line 30
 * RUN: %s --memory-model=tso --client '{add(0)} || {add(1)}' -- -DFENCE
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#ifdef FENCE
#define fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define fence() (void)0
#endif

static volatile int flag[2], turn;
static int counter;

static void lock(int me) {
  int other = 1 - me;
  flag[me] = 1;
  fence();
  while (flag[other]) {
    if (turn == me)
      continue;
    flag[me] = 0;
    while (turn != me)
      ;
    flag[me] = 1;
    fence();
  }
}

static void unlock(int me) {
  turn = 1 - me;
  flag[me] = 0;
}

static int add(int me) {
  lock(me);
  int n = ++counter;
  unlock(me);
  return n;
}

FL_OBJECT(dekker)
FL_OP(int, add, FL_INT(0, 1))
