/*
 * Two threads both see room for one more element: the second writes just
 * behind the heap block.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: out-of-bounds
 * CLIENT: add\([12]\).*add\([12]\)
 * LINE: write
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { CAPACITY = 1 };

static atomic_int count;
static int *values;

static void create(void) { values = calloc(CAPACITY, sizeof *values); }

static int add(int value) {
  if (atomic_load(&count) == CAPACITY)
    return 0;
  int i = atomic_fetch_add(&count, 1);
  values[i] = value; /* write */
  return 1;
}

FL_OBJECT(array, create)
FL_OP(int, add, FL_INT(1, 2))
