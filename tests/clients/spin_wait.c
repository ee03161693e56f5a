/*
 * Operations with FL_BLOCKING that wait without the operating system: in a loop,
 * in one that yields, and by a futex.  Where the specification lets the call
 * wait there is no fault; a lost wake-up is one, and so is a loop that nobody
 * can end.
 *
 * RUN: %s -- -DWAIT=1
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{put(); get()} || {get(); put()} || {get()}' -- -DWAIT=2
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{put(); get()} || {get(); put()} || {get()}' -- -DWAIT=3
 * EXIT: 0
 * VERDICT: pass
 *
 * put() counts in two steps: with one of two lost, a get() waits in vain.
 *
 * RUN: %s --client '{put()} || {put()}; get(); get()' -- -DWAIT=1 -DLOSES
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: error: get\(\) waits for ever: no order of the calls lets it wait
 *
 * Where put() wakes nobody, a futex waits for ever; looking again and again is
 * enough.
 *
 * RUN: %s --client '{put()} || {get()}' -- -DWAIT=3 -DSILENT
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: error: (get|await)\(\) sleeps for ever: put\(\) changes count at line
 * RUN: %s --client '{put()} || {get()}' -- -DWAIT=2 -DSILENT
 * EXIT: 0
 * VERDICT: pass
 *
 * A loop that only writes waits for nothing.
 *
 * RUN: %s --client '{put()} || {get()}' -- -DWAIT=4
 * EXIT: 1
 * VERDICT: error
 * FAULT: endless-loop
 *
 * Without the attribute a wait that may last for ever is a fault.
 *
 * RUN: %s -- -DWAIT=1 -DMUST_RETURN
 * EXIT: 1
 * VERDICT: error
 * FAULT: livelock
 */
#include <faultline.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int count;
static volatile int scratch;

static void put(void) {
#ifdef LOSES
  atomic_store(&count, atomic_load(&count) + 1);
#else
  atomic_fetch_add(&count, 1);
#endif
#ifndef SILENT
  syscall(SYS_futex, &count, FUTEX_WAKE, 1, NULL, NULL, 0);
#endif
}

static void await(void) {
#if WAIT == 2
  sched_yield();
#elif WAIT == 3
  syscall(SYS_futex, &count, FUTEX_WAIT, 0, NULL, NULL, 0);
#elif WAIT == 4
  for (;;)
    scratch = 1;
#endif
}

static int get(void) {
  for (;;) {
    int seen = atomic_load(&count);
    if (seen == 0)
      await();
    else if (atomic_compare_exchange_strong(&count, &seen, seen - 1))
      return 1;
  }
}

#ifdef MUST_RETURN
#define FL_MAY_WAIT
#else
#define FL_MAY_WAIT , FL_BLOCKING
#endif

FL_OBJECT(semaphore)
FL_OP(void, put)
FL_OP(int, get FL_MAY_WAIT)
