/*
 * Recursion that is deep but ends: 1000 frames of more than 100 bytes.
 *
 * RUN: %s --client '{sum()} || {sum()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int calls;

__attribute__((noinline)) static int down(int n) {
  volatile char room[100];
  room[n % 100] = 1;
  return n == 0 ? 0 : room[n % 100] + down(n - 1);
}

static int sum(void) {
  atomic_fetch_add(&calls, 1);
  return down(1000);
}

FL_OBJECT(sum)
FL_OP(int, sum)
