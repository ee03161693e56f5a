/*
 * Results that are pointers: equal means the block of the same call, whatever
 * its address.  take gives each block to one caller; grab may give one to two.
 *
 * RUN: %s --client '{make(); take()} || {make()} || {take()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'make(); {grab()} || {grab()}'
 * EXIT: 1
 * VERDICT: violation
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void *) box;

static void *make(void) {
  void *p = malloc(8);
  atomic_store(&box, p);
  return p;
}

static void *take(void) { return atomic_exchange(&box, NULL); }

static void *grab(void) {
  void *p = atomic_load(&box);
  atomic_store(&box, NULL);
  return p;
}

FL_OBJECT(box)
FL_OP(void *, make)
FL_OP(void *, take)
FL_OP(void *, grab)
