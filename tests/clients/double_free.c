/*
 * Two threads see the same pointer and both free it.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: double-free
 * CLIENT: drop\(\).*drop\(\)
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) box;

static void create(void) { atomic_store(&box, malloc(sizeof(int))); }

static void drop(void) {
  int *p = atomic_load(&box);
  if (!p)
    return;
  atomic_store(&box, NULL);
  free(p);
}

FL_OBJECT(box, create)
FL_OP(void, drop)
