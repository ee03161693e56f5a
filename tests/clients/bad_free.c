/*
 * free() of a pointer into the middle of a block, when two threads move it.
 *
 * RUN: %s --client '{step()} || {drop()}'
 * EXIT: 1
 * VERDICT: error
 * FAULT: bad-free
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) text;

static void create(void) { atomic_store(&text, malloc(32)); }

static void step(void) {
  atomic_fetch_add((_Atomic(size_t) *)&text, 16);
  atomic_fetch_sub((_Atomic(size_t) *)&text, 16);
}

static void drop(void) { free(atomic_exchange(&text, NULL)); }

FL_OBJECT(text, create)
FL_OP(void, step)
FL_OP(void, drop)
