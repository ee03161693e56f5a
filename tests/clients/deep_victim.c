/*
 * A fault that needs one call beside five of another thread: the tag has come
 * round.  None of the small clients has so many calls in a thread.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * CLIENT: \{victim\(\)\} \|\| \{(bump\(\); ){4}bump\(\)\}
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int tag, epoch;

static void bump(void) {
  atomic_fetch_add(&epoch, 1);
  atomic_store(&tag, (atomic_load(&tag) + 1) % 5);
}

static int victim(void) {
  int t = atomic_load(&tag);
  int before = atomic_load(&epoch), after = atomic_load(&epoch);
  return atomic_load(&tag) == t && after - before >= 5;
}

FL_OBJECT(tagged)
FL_OP(void, bump, FL_GROUP("writer"))
FL_OP(int, victim)
