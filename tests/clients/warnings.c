/*
 * A project whose own flags make warnings errors: the hooks bring none.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --client '{set(1)} || {get()}' -- -Wall -Wextra -Werror
 * VERDICT: pass
 * OUTCOMES: -,0 -,1
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x;

static int get(void) {
  atomic_thread_fence(memory_order_seq_cst);
  return x;
}

static void set(int i) { x = i; }

FL_OBJECT(x, NULL)
FL_OP(int, get)
FL_OP(void, set, FL_INT(1, 2))
