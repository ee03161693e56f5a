/*
 * Crashed removals never say which value they took, if any.
 *
 * Let the first t open removals and looks all be crashed removals, and let m be
 * the number of values inside that
 * - must be ahead of a value that was removed and at the front before the next
 *   removal or look was called, or
 * - came before an operation returned "empty", also before then.
 * Then m of the t removals took these m values.
 *
 *   put(1)  put(2)  a: remove() crashes  remove() = 2      a took 1: m = 1
 *
 * Which of the t removals took them does not matter to later events if no other
 * value inside was looked at before all t were called, and no "empty" result
 * needs a gap before then: the other values and gaps come after all t calls.
 * So the m values can go, with the first m of the removals.
 *
 * An operation that returns one of the m values later was called after all that
 * this value must be ahead of.  So was a look that returns one of the removed
 * values later; then the m values must be ahead of that one, too, and as many
 * fewer removals are left for other values ahead of it.
 *
 * Of the m values, one that was looked at counts as removed by the look that
 * was called last: no more is asked of such a value.
 */
#include "history/stream/watch_queue_int.h"

#include <assert.h>
#include <string.h>

/* Whether another value inside was looked at before then.  Those that are to go
 * have a level. */
static bool was_other_seen(const struct queue_watch *q, uint64_t before) {
  for (uint32_t i = 0; i < q->seen.len; i++) {
    const struct queue_value *v = queue_at(q, q->seen.at[i]);
    if (v->level == WATCH_NONE && v->first.ret < before)
      return true;
  }
  return false;
}

static void settle_seen(struct queue_watch *q) {
  for (uint32_t i = q->seen.len; i-- > 0;) {
    uint32_t id = q->seen.at[i];
    struct queue_value *v = queue_at(q, id);
    if (v->level == WATCH_NONE)
      continue;
    v->removal = v->latest;
    v->left = v->latest.call; /* no open look may return it */
    queue_leave(q, id);
    queue_unsee(q, id);
    queue_add_gone(q, id);
  }
}

static void settle_others(struct queue_watch *q, uint64_t before) {
  while (q->first != WATCH_NONE && queue_at(q, q->first)->came < before) {
    uint32_t id = q->first;
    queue_leave(q, id);
    queue_drop_value(q, id);
  }
}

void queue_give_to_crashed(struct queue_watch *q) {
  uint32_t t = 0;
  while (t < q->takers.len && q->takers.at[t].crashed)
    t++;
  if (!t || !q->ninside || q->watch.remembers)
    return;
  uint64_t last = q->takers.at[t - 1].call;
  uint64_t next = t < q->takers.len ? q->takers.at[t].call : WATCH_NEVER;
  uint64_t call = queue_missed_before(q, next);
  uint32_t n = queue_count_ahead(q, next, &call);
  if (!n || was_other_seen(q, last) || !queue_needs_no_gap(q, call, last))
    return;
  settle_seen(q);
  settle_others(q, call);
  q->nremovals -= n;
  q->takers.len -= n;
  memmove(q->takers.at, q->takers.at + n, q->takers.len * sizeof *q->takers.at);
  bool good = queue_fits(q) && queue_renew_gaps(q, 0, 0);
  assert(good);
  (void)good;
}
