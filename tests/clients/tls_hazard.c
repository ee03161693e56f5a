/*
 * Hazard pointers without the second look at `head`.  Where they are kept makes
 * no difference: thread-local variables that others have the addresses of, or
 * elements of an array.
 *
 * OPT: -O0 -O1 -O2
 * RUN: %s --no-save --no-html
 * EXIT: 1
 * FAULT: use-after-free
 * CLIENT: \{get\(\)\} \|\| \{drop\(\)\}
 * RUN: %s --no-save --no-html -- -DARRAY
 * EXIT: 1
 * FAULT: use-after-free
 * CLIENT: \{get\(\)\} \|\| \{drop\(\)\}
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef _Atomic(int *) hazard;
static _Atomic(int *) head;
static hazard *_Atomic reg[4];
static atomic_int nreg;

#ifdef ARRAY
static hazard slot[4];
static void *enter(void *object) {
  (void)object;
  int i = nreg++;
  reg[i] = &slot[i];
  return &slot[i];
}
#define OWN (*(hazard *)fl_thread())
#else
static _Thread_local hazard own;
static void *enter(void *object) {
  (void)object;
  reg[nreg++] = &own;
  return NULL;
}
#define OWN own
#endif

static void init(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
  head = p;
}

static int get(void) {
  int *p = head;
  OWN = p; /* too late: nobody looks at head again */
  int v = p ? *(volatile int *)p : 0;
  OWN = NULL;
  return v != 0;
}

static int drop(void) {
  int *p = atomic_exchange(&head, NULL);
  if (!p)
    return 0;
  for (int i = 0; i < nreg; i++)
    while (*reg[i] == p)
      ;
  free(p);
  return 1;
}

FL_OBJECT(hazards, init)
FL_OP(int, get)
FL_OP(int, drop)
FL_THREAD(enter)
