/* A stack that gives nodes back while another thread still reads them. */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct node *next;
  int v;
};
static _Atomic(struct node *) head;

static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->v = v;
  n->next = atomic_load(&head);
  while (!atomic_compare_exchange_strong(&head, &n->next, n))
    ;
}
static int pop(void) {
  struct node *n = atomic_load(&head); /* first */
  while (n && !atomic_compare_exchange_strong(&head, &n, n->next))
    ; /* last */
  if (!n)
    return -1;
  int v = n->v;
  free(n);
  return v;
}
static void reset(void) { head = NULL; }

FL_OBJECT(freed, reset)
FL_OP(void, push, FL_DATA(1, 2))
FL_OP(int, pop)
