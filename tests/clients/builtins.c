/*
 * The __sync_ and __atomic_ builtins; each is one step, so that two threads
 * with 4 of them each have C(8,4) = 70 executions.
 *
 * RUN: explore %s --search=dfs --client '{syncs()} || {atomics()}'
 * EXECUTIONS: 70
 * RUN: explore %s --client '{more()}'
 * EXIT: 0
 * OUTCOMES: 0
 */
#include <faultline.h>
#include <stdbool.h>

static long x;
static char flag;
static short s;

static long syncs(void) {
  __sync_fetch_and_add(&x, 5);
  __sync_sub_and_fetch(&x, 2);
  __sync_bool_compare_and_swap(&x, 3, 4);
  return __sync_fetch_and_or(&x, 8);
}

static long atomics(void) {
  long old = 0;
  __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
  __atomic_compare_exchange_n(&x, &old, 7, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_ACQUIRE);
  __atomic_store_n(&x, 9, __ATOMIC_RELEASE);
  return __atomic_exchange_n(&x, 1, __ATOMIC_SEQ_CST);
}

/* Returns how many of them did something else than they should. */
static int more(void) {
  int bad = 0;
  bad += __atomic_test_and_set(&flag, __ATOMIC_ACQUIRE);
  bad += !__atomic_test_and_set(&flag, __ATOMIC_ACQUIRE);
  __atomic_clear(&flag, __ATOMIC_RELEASE);
  bad += __sync_lock_test_and_set(&flag, 1) != 0;
  __sync_lock_release(&flag);
  bad += flag != 0;
  s = 6;
  bad += __atomic_fetch_nand(&s, 3, __ATOMIC_SEQ_CST) != 6 || s != ~2;
  bad += __atomic_and_fetch(&s, 15, __ATOMIC_SEQ_CST) != 13;
  bad += __atomic_xor_fetch(&s, 1, __ATOMIC_SEQ_CST) != 12;
  bad += __atomic_or_fetch(&s, 1, __ATOMIC_SEQ_CST) != 13;
  bad += __atomic_sub_fetch(&s, 14, __ATOMIC_SEQ_CST) != -1;
  bad += __sync_val_compare_and_swap(&s, -1, 2) != -1;
  bad += __sync_fetch_and_xor(&s, 3) != 2 || s != 1;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __sync_synchronize();
  s = 0;
  return bad;
}

FL_OBJECT(builtins)
FL_OP(long, syncs)
FL_OP(long, atomics)
FL_OP(int, more)
