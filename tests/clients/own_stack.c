/*
 * Accesses to a thread's own stack are no steps: two threads with one access
 * to shared memory each have 2 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{local()} || {local()}'
 * EXIT: 0
 * EXECUTIONS: 2
 * OUTCOMES: 10,10
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x;

static int local(void) {
  volatile int sum[4] = {1, 2, 3, 4};
  for (int i = 1; i < 4; i++)
    sum[0] += sum[i];
  atomic_fetch_add(&x, 1);
  return sum[0];
}

FL_OBJECT(stacks)
FL_OP(int, local)
