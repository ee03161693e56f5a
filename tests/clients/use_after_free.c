/*
 * A reader follows a pointer that was freed after it was loaded.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: use-after-free
 * CLIENT: get\(\).*drop\(\)|drop\(\).*get\(\)
 * LINE: use
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) box;

static void create(void) {
  int *p = malloc(sizeof *p);
  *p = 7;
  atomic_store(&box, p);
}

static int get(void) {
  int *p = atomic_load(&box);
  return p ? *p : 0; /* use */
}

static void drop(void) { free(atomic_exchange(&box, NULL)); }

FL_OBJECT(box, create)
FL_OP(int, get)
FL_OP(void, drop)
