/* One-line primitives, as many code bases have them. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

static inline int load(atomic_int *p) {
  return atomic_load(p);
}
static inline void store(atomic_int *p, int v) {
  atomic_store(p, v);
}
static inline bool cas(atomic_int *p, int old, int new) {
  return atomic_compare_exchange_strong(p, &old, new);
}
