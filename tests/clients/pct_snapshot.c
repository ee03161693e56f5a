/*
 * A snapshot of a pair that looks twice and compares: wrong when the pair was
 * changed and changed back in between (ABA), which needs a third constraint on
 * the order of steps.  Every strategy that draws executions finds it with a
 * fixed seed, and what it found can be replayed (tests/cli/search.sh).
 *
 * RUN: %s --search=pct --depth 3 --client '{set(1); set(0); set(1)} || {get()}'
 * VERDICT: violation
 * FAULT: not-linearizable
 * RUN: %s --search=dpct --client '{set(1); set(0); set(1)} || {get()}'
 * VERDICT: violation
 * RUN: %s --search=pos --client '{set(1); set(0); set(1)} || {get()}'
 * VERDICT: violation
 * RUN: %s --search=random --client '{set(1); set(0); set(1)} || {get()}'
 * VERDICT: violation
 * RUN: %s --search=pct --preemptions 0 --client \
 *     '{set(1); set(0); set(1)} || {get()}'
 * EXIT: 0
 * VERDICT: pass
 * OUTPUT: with at most 0 preemptions
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int left, right;

static void set(int value) {
  atomic_store(&left, value);
  atomic_store(&right, value);
}

/* The halves are equal whenever no set() is under way. */
static int get(void) {
  int a = atomic_load(&left), b = atomic_load(&right);
  if (a != atomic_load(&left))
    return -1;
  return 10 * a + b;
}

static int get_again(void) {
  int seen = get();
  return seen == get() ? seen : -1;
}

FL_OBJECT(pair)
FL_OP(void, set, FL_INT(0, 1))
FL_OP(int, get)
FL_OP(int, get_again)
