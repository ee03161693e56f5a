/*
 * Treiber's stack with hazard pointers (Michael, 2004): before a thread follows
 * a pointer it says so in its record, and looks whether the pointer is still
 * the top; a node is freed only when nobody has it in a record.
 *
 * Wrong: the second look is missing.  Between the load of the top and the
 * record the node can be popped and freed.
 * With -DRELAXED the record is written by a relaxed store.  On x86 it waits in
 * the store buffer while the second look is made; only --memory-model=tso shows
 * that.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s --memory-model=tso
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: use-after-free
 * BLAME: follow
 * RUN: %s --memory-model=tso -- -DRELAXED
 * FAULT: use-after-free
 * BLAME: record
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { RECORDS = 4, EMPTY = -1 };

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

struct node {
  int value;
  struct node *next;
};

static _Atomic(struct node *) top;
static _Atomic(struct node *) hazards[RECORDS];
static atomic_int records;

/* Each thread has a record of its own. */
static void *enter(void *none) {
  (void)none;
  return &hazards[atomic_fetch_add(&records, 1)];
}

static void push(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_weak(&top, &n->next, n))
    ;
}

/* Frees it, or leaves it lying when somebody looks at it. */
static void retire(struct node *n) {
  for (int i = 0; i < RECORDS; i++)
    if (atomic_load(&hazards[i]) == n)
      return; /* real ones keep a list and try again */
  free(n);
}

static int pop(void) {
  _Atomic(struct node *) *hazard = fl_thread();
  struct node *n;
  for (;;) {
    n = atomic_load(&top);
    if (!n)
      return EMPTY;
    atomic_store_explicit(hazard, n, ORDER); /* record */
#ifndef WRONG
    if (atomic_load(&top) != n)
      continue;
#endif
    struct node *next = n->next; /* follow */
    if (atomic_compare_exchange_strong(&top, &n, next))
      break;
  }
  int value = n->value;
  atomic_store(hazard, NULL);
  retire(n);
  return value;
}

FL_OBJECT(stack)
FL_THREAD(enter)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
