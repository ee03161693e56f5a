/*
 * Both threads raise their flag and wait for the other to lower his: neither
 * is blocked by a lock, and neither will ever get on.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: livelock
 * LINE: wait
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int flag[2];

static void pass(int me) {
  atomic_store(&flag[me], 1);
  while (atomic_load(&flag[!me])) /* wait */
    ;
  atomic_store(&flag[me], 0);
}

FL_OBJECT(door)
FL_OP(void, pass, FL_INT(0, 1))
