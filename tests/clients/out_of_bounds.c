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

struct array {
  atomic_int count;
  int values[CAPACITY];
};

static struct array *create(void) { return calloc(1, sizeof(struct array)); }

static int add(struct array *a, int value) {
  if (atomic_load(&a->count) == CAPACITY)
    return 0;
  int i = atomic_fetch_add(&a->count, 1);
  a->values[i] = value; /* write */
  return 1;
}

FL_OBJECT(array, create, free)
FL_OP(int, add, FL_INT(1, 2))
