/*
 * An operation that starts a thread and joins it, and whose result depends on
 * which of the two is faster.  With plain stores that is a data race inside of
 * the call; with atomic ones it may be meant, and the object itself is no
 * specification.
 *
 * OPT: -O0 -O1 -O2
 * RUN: %s --no-save --no-html
 * EXIT: 1
 * VERDICT: violation
 * FAULT: sequential
 * CLIENT: ^\{op\(\)\}$
 * OUTPUT: races
 * RUN: %s --no-save --no-html -- -DATOMIC
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: no specification
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef ATOMIC
typedef atomic_long number;
#else
typedef volatile long number;
#endif

static number z;

static void *child(void *arg) {
  *(number *)arg = 2;
  return 0;
}

static long op(void) {
  number s = 0;
  pthread_t t;
  pthread_create(&t, 0, child, (void *)&s);
  s = 1;
  pthread_join(t, 0);
  return s;
}

static long other(void) { return z++; }

FL_OBJECT(own_thread)
FL_OP(long, op)
FL_OP(long, other)
