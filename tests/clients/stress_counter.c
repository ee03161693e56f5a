/*
 * Real threads: an update that gives way in the middle is lost soon, on one
 * processor too; a locked one never is.  The specification is a built-in type,
 * or the object itself.
 *
 * RUN: %s --search=stress --object lossy
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * OUTPUT: Failing client, shortened
 * RUN: %s --search=stress --object locked
 * EXIT: 0
 * VERDICT: pass
 * OUTPUT: 20 random clients of 2 threads with up to 500 calls
 * RUN: %s --search=stress --object locked --max-executions 300 --client \
 *     '{add(); add()} || {add()}'
 * EXIT: 0
 * VERDICT: pass
 * OUTPUT: rounds? of this client on real threads
 * RUN: %s --search=stress --object itself --ops 60
 * EXIT: 1
 * VERDICT: violation
 */
#include <faultline.h>
#include <pthread.h>
#include <sched.h>

static long lossy_n, locked_n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long bump(void) {
  long n = __atomic_load_n(&lossy_n, __ATOMIC_SEQ_CST);
  if (n % 8 == 5)
    sched_yield();
  __atomic_store_n(&lossy_n, n + 1, __ATOMIC_SEQ_CST);
  return n + 1;
}

static long add(void) {
  pthread_mutex_lock(&lock);
  long n = ++locked_n;
  pthread_mutex_unlock(&lock);
  return n;
}

FL_OBJECT(lossy)
FL_OP(long, bump)
FL_SPEC(counter, inc_fetch = bump)

FL_OBJECT(locked)
FL_OP(long, add)
FL_SPEC(counter, inc_fetch = add)

FL_OBJECT(itself)
FL_OP(long, bump)
