/*
 * A reference count that is looked at and then changed, in three operations.
 * -DFIXED compares and swaps.
 *
 * RUN: %s --width=400
 * VERDICT: violation
 * KIND: check-then-act
 * OUTPUT: insert\(\) checks .* at line 36 and acts on it at line 38: .* lines 36-38 in insert
 * OUTPUT: strong\(&c->slot\[k\]\.refs, &seen, seen \+ 1\), where seen is what line 51 reads
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct entry {
  atomic_int refs;
};
struct cache {
  struct entry slot[2];
};

static struct cache *cache_new(void) { return calloc(1, sizeof(struct cache)); }
static void cache_free(struct cache *c) { free(c); }

/* Becomes live with one reference; false if it is already. */
static bool insert(struct cache *c, int k) {
#ifdef FIXED
  int zero = 0;
  if (!atomic_compare_exchange_strong(&c->slot[k].refs, &zero, 1))
    return false;
#else
  if (atomic_load(&c->slot[k].refs) != 0)
    return false;
  atomic_store(&c->slot[k].refs, 1);
#endif
  return true;
}

static bool acquire(struct cache *c, int k) {
#ifdef FIXED
  int n = atomic_load(&c->slot[k].refs);
  while (n > 0)
    if (atomic_compare_exchange_weak(&c->slot[k].refs, &n, n + 1))
      return true;
  return false;
#else
  if (atomic_load(&c->slot[k].refs) == 0)
    return false;
  atomic_fetch_add(&c->slot[k].refs, 1);
  return true;
#endif
}

/* -1: nothing to release; else the references that are left. */
static int release(struct cache *c, int k) {
#ifdef FIXED
  int n = atomic_load(&c->slot[k].refs);
  while (n > 0)
    if (atomic_compare_exchange_weak(&c->slot[k].refs, &n, n - 1))
      return n - 1;
  return -1;
#else
  if (atomic_load(&c->slot[k].refs) == 0)
    return -1;
  return atomic_fetch_sub(&c->slot[k].refs, 1) - 1;
#endif
}

FL_OBJECT(cache, cache_new, cache_free)
FL_OP(bool, insert, FL_INT(0, 1))
FL_OP(bool, acquire, FL_INT(0, 1))
FL_OP(int, release, FL_INT(0, 1))
