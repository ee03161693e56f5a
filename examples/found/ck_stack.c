/*
 * ck_stack of Concurrency Kit (0.7.1): Treiber's stack with a counted
 * pointer, swapped by cmpxchg16b in inline assembly.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libck-dev
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <ck_stack.h>
#include <stdlib.h>

struct item {
  ck_stack_entry_t link;
  int value;
};
static ck_stack_t *make(void) {
  ck_stack_t *s = aligned_alloc(64, 64);
  ck_stack_init(s);
  return s;
}
static void drop(ck_stack_t *s) { free(s); }
static void push(ck_stack_t *s, int v) {
  struct item *i = aligned_alloc(16, sizeof *i);
  i->value = v;
  ck_stack_push_mpmc(s, &i->link);
}
static int pop(ck_stack_t *s) {
  ck_stack_entry_t *e = ck_stack_pop_mpmc(s);
  return e ? ((struct item *)e)->value : -1;
}

FL_OBJECT(stack, make, drop)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
