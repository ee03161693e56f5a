/*
 * Crashed removals, which never say what they took, if anything.
 *
 * Let the first t of all that take or look have crashed, and let m values that
 * are inside be in the cone of what was removed and at the front before the
 * next one was called, or have come before something found nothing before that:
 * then m of these took those.  Which of them does not matter to what is still
 * to come, if nothing else that is inside was seen before all of them were
 * called, and nothing that found nothing asks for a gap before then: the other
 * values, and gaps, have all t before them.  So both can go, m values and as
 * many removals, the first ones.
 *
 * Whoever says later that he took or saw one of those values was called behind
 * what it must be ahead of.  So was whoever says later that he saw one of those
 * that were removed; then the m must be ahead of that one, too, and as many
 * removals less are left for others ahead of it.
 *
 * Of those values, one that was seen counts as if who was called last of those
 * that saw it had removed it: of such a value no more is asked for.
 */
#include "history/stream/watch_queue_int.h"

#include <assert.h>
#include <string.h>

/* Those that were seen and must have been gone have a level. */
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
    v->left = v->latest.call; /* nobody who is open may have seen it */
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
  uint32_t n = queue_count_gone_before(q, next, &call);
  if (!n || was_other_seen(q, last) || !queue_asks_no_gap(q, call, last))
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
