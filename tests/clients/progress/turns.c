/*
 * Two threads that take the object from each other can do so for ever.  One
 * alone keeps it.
 *
 * RUN: %s --threads=2 --ops=2 --init=1
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DCONDITION=lock_free
 * EXIT: 1
 * VERDICT: error
 * FAULT: progress
 * CLIENT: ^\{claim\(1\)\} \|\| \{claim\(2\)\}$
 * OUTPUT: not lock-free: 4 steps lead back to the state before them
 * OUTPUT: and so on: the last 4 steps again and again
 * RUN: %s --memory-model=tso -- -DCONDITION=lock_free
 * EXIT: 1
 * FAULT: progress
 * OUTPUT: again and again
 * RUN: %s --search=random -- '-DCONDITION=wait_free, 8'
 * EXIT: 1
 * FAULT: progress
 * OUTPUT: not wait-free: 4 steps lead back
 */
#include <faultline.h>
#include <stdatomic.h>

#ifndef CONDITION
#define CONDITION obstruction_free
#endif

atomic_int owner;

static void claim(int me) {
  do
    atomic_store(&owner, me);
  while (atomic_load(&owner) != me);
}

FL_OBJECT(turns)
FL_OP(void, claim, FL_INT(1, 2))
FL_PROGRESS(CONDITION)
