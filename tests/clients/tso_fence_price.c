/*
 * Two calls that take notice of each other: under SC only one of them enters,
 * under TSO both may look before they are seen.  Fences mend that, and so do
 * lines that are atomic, from the store to the load.  What forbids fewer of the
 * correct schedules comes first.
 *
 * a and b: the fences.  Each is a store, its commit, a load, and the call that
 * enters: 146 correct schedules, of which 38 have both commits before the loads
 * and 4 have the store and the load of a thread side by side.
 *
 * c and d: the lines.  One function loads everything, and a fence in it makes
 * the loads before wait for a store that is only noise.
 *
 * RUN: %s --memory-model=tso --client '{a()} || {b()}'
 * EXIT: 1
 * VERDICT: error
 * OUTPUT: error: a\(\) needs a fence between line 43 and line 44
 * OUTPUT: They forbid 108 of the 146 correct schedules of this client; to make
 * OUTPUT: atomic lines 43-44 of tso_fence_price.c, in a\(\); and lines 48-49 in
 * OUTPUT: instead forbids 142\.
 * RUN: %s --memory-model=tso --client '{c()} || {d()}'
 * EXIT: 1
 * VERDICT: error
 * OUTPUT: lines 57-58 of tso_fence_price.c, in c\(\)
 * OUTPUT: What a fence does instead:
 * OUTPUT: It forbids 1,523 of the 1,736 correct schedules of this client
 * OUTPUT: that can be atomic instead: 1,248\.
 */
#include <assert.h>
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x, y, noise, idle, inside;

#define SET(P, V) atomic_store_explicit(&(P), V, memory_order_relaxed)
#define GET(P) atomic_load_explicit(&(P), memory_order_relaxed)

static void enter(void) { assert(!atomic_fetch_add(&inside, 1)); }

static __attribute__((noinline)) int look(atomic_int *p) { return GET(*p); }

static void a(void) {
  SET(x, 1);
  if (!GET(y))
    enter();
}
static void b(void) {
  SET(y, 1);
  if (!GET(x))
    enter();
}

static void c(void) {
  SET(noise, 1);
  (void)(look(&idle) + look(&idle) + look(&idle));
  atomic_fetch_add(&noise, 1);
  SET(x, 1);
  if (!look(&y))
    enter();
}

static void d(void) {
  atomic_exchange(&y, 1);
  if (!look(&x))
    enter();
}

FL_OBJECT(notice)
FL_OP(void, a)
FL_OP(void, b)
FL_OP(void, c)
FL_OP(void, d)
