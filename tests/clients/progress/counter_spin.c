/*
 * While the thread that holds the lock is stopped, no other one gets on.  Where
 * its operation is declared to wait, it may.
 *
 * RUN: %s -- -DCONDITION=lock_free
 * EXIT: 1
 * VERDICT: error
 * FAULT: progress
 * CLIENT: ^\{inc\(\)\} \|\| \{inc\(\)\}$
 * OUTPUT: inc\(\) is not lock-free: here it waits for another thread
 * OUTPUT: spins on lock
 * LINE: spin
 * RUN: %s -- -DCONDITION=obstruction_free
 * EXIT: 1
 * FAULT: progress
 * OUTPUT: inc\(\) is not obstruction-free
 * RUN: %s --search=dpor -- '-DCONDITION=wait_free, 1000'
 * EXIT: 1
 * FAULT: progress
 * OUTPUT: inc\(\) is not wait-free: here it waits for another thread
 * RUN: %s -- -DCONDITION=lock_free -DWAITS
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int lock;
static int n;

static void inc(void) {
  while (atomic_exchange(&lock, 1)) /* spin */
    ;
  n++;
  atomic_store(&lock, 0);
}

FL_OBJECT(counter)
#ifdef WAITS
FL_OP(void, inc, FL_BLOCKING)
#else
FL_OP(void, inc)
#endif
FL_PROGRESS(CONDITION)
