/*
 * Two threads replace the same old pointer: one new block is lost.  That is a
 * finding only when asked for.
 *
 * RUN: %s --client '{set()} || {set()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --leaks --client '{set()} || {set()}'
 * EXIT: 1
 * VERDICT: error
 * FAULT: leak
 * RUN: %s --leaks --client 'set(); {set()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) box;

static void init(void) {}

static void set(void) {
  int *old = atomic_load(&box);
  int *p = malloc(sizeof *p);
  *p = 1;
  atomic_store(&box, p);
  free(old);
}

static void fini(void) { free(atomic_exchange(&box, NULL)); }

FL_OBJECT(box, init, fini)
FL_OP(void, set)
