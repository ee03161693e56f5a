/*
 * A weak compare-and-swap may fail without reason, when asked to.  Clang hands
 * weak and strong ones over alike, so there the option has no effect (and the
 * tool says so).
 *
 * CC: gcc
 *
 * RUN: %s --client '{once()} || {get()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --spurious-cas --client '{once()} || {get()}'
 * EXIT: 1
 * VERDICT: violation
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int x;

static bool once(void) {
  int zero = 0;
  return atomic_compare_exchange_weak(&x, &zero, 1);
}

static int get(void) { return atomic_load(&x); }

FL_OBJECT(x)
FL_OP(bool, once)
FL_OP(int, get)
