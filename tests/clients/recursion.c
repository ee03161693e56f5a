/*
 * Recursion without end, entered only while another thread has opened the
 * way: a finding, not the end of the tool.
 *
 * RUN: %s --client '{descend()} || {open()}'
 * EXIT: 1
 * VERDICT: error
 * FAULT: stack-overflow
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int deep;

__attribute__((noinline)) static int down(int n) {
  volatile char room[512];
  room[n & 511] = 1;
  int below = n < 0 ? 0 : down(n + 1);
  return below + room[n & 511];
}

static int descend(void) { return atomic_load(&deep) ? down(0) : 0; }

static void open(void) {
  atomic_store(&deep, 1);
  atomic_store(&deep, 0);
}

FL_OBJECT(well)
FL_OP(int, descend)
FL_OP(void, open)
