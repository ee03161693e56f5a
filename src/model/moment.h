/*
 * Calls and returns of operations in the order of time.  Of equal times the
 * call comes first: they do not order, and then the order of the moments says
 * the same as the times.
 */
#ifndef MODEL_MOMENT_H
#define MODEL_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct moment {
  uint64_t time;
  size_t op;
  bool returns;
};

/* For qsort. */
static inline int moment_order(const void *x, const void *y) {
  const struct moment *a = x, *b = y;
  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  if (a->returns != b->returns)
    return a->returns ? 1 : -1;
  return a->op < b->op ? -1 : a->op > b->op;
}

#endif
