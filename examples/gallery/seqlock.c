/*
 * A seqlock, as kernels use it for the time of day: a writer makes the number
 * odd, writes, and makes it even again; a reader that finds it odd, or changed,
 * reads again.
 *
 * Wrong: the reader looks at the number only before it reads.  A writer that
 * comes after that look gives it half of the old pair and half of the new one.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s --memory-model=tso
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: first
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_uint seq;
static atomic_int seconds, nanos; /* written together */

static void set_time(int now) {
  unsigned s;
  do /* writers exclude each other */
    s = atomic_load(&seq);
  while (s % 2 || !atomic_compare_exchange_weak(&seq, &s, s + 1));
  atomic_store_explicit(&seconds, now, memory_order_relaxed);
  atomic_store_explicit(&nanos, now, memory_order_relaxed);
  atomic_store_explicit(&seq, s + 2, memory_order_release);
}

static int get_time(void) {
  unsigned s;
  int a, b;
  do {
    while ((s = atomic_load_explicit(&seq, memory_order_acquire)) % 2)
      ;
    a = atomic_load_explicit(&seconds, memory_order_relaxed); /* first */
    b = atomic_load_explicit(&nanos, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
#ifdef WRONG
  } while (false);
#else
  } while (atomic_load_explicit(&seq, memory_order_relaxed) != s);
#endif
  return a * 10 + b;
}

FL_OBJECT(clock)
FL_OP(void, set_time, FL_INT(1, 2))
FL_OP(int, get_time)
