/* Decisions on what is not so any more, or never was. */
#include "locate/kinds_int.h"

/* ---- check, then act ---- */

static bool is_act(const struct event *e) {
  return e->kind == EV_WRITE || e->kind == EV_ATOMIC_WRITE ||
         e->kind == EV_RMW || e->kind == EV_FREE;
}

/* `same`: only acts on the spot that was looked at; else only others. */
static void match_looks(const struct kind_query *q, uint32_t act, bool same,
                        enum kind kind) {
  const struct event *w = event_at(q, act);
  for (uint32_t look = act; look-- > 0;) {
    const struct event *r = event_at(q, look);
    uint64_t now[2];
    if (!same_call(r, w))
      continue;
    if (r->kind == EV_CALL)
      return;
    if (!is_plain_read(r) || same_spot(r, w) != same)
      continue;
    uint32_t change = last_foreign_write(q, r, r->thread, look, act);
    if (change == KIND_NO_EVENT || !is_concurrent(event_at(q, change)))
      continue;
    value_at(q, look, act, now);
    if (equal_values(now, r->value) ||
        !decisions_never(q->d, q->t, look, now, act))
      continue;
    add_match(q,
              &(struct kind_found){.kind = kind, .marks = {look, change, act}});
    return;
  }
}

static void match_acts(const struct kind_query *q, bool same, enum kind kind) {
  for (uint32_t i = 0; i < events_of(q); i++)
    if (is_act(event_at(q, i)) && is_concurrent(event_at(q, i)))
      match_looks(q, i, same, kind);
}

/*
 * A call looks at a word and acts; between the two another thread changes the
 * word to a value with which, in all other executions, nobody acts so.
 *
 *     T1 9 load full = 0
 *     T2 12 store full: 0 -> 1
 *     T1 12 store full: 1 -> 1      with full = 1 at line 9, never line 12
 *
 * n = n + 1 is not meant: there line 12 follows whatever was read.
 */
void match_check_then_set(const struct kind_query *q) {
  match_acts(q, true, KIND_CHECK_THEN_SET);
}

/* The same, with an act on another word. */
void match_check_then_act(const struct kind_query *q) {
  match_acts(q, false, KIND_CHECK_THEN_ACT);
}

/* ---- double success ---- */

/* The read of the spot that follows the change in its call, with nothing of the
 * call between that touches it. */
static uint32_t look_after(const struct kind_query *q, uint32_t change) {
  const struct event *c = event_at(q, change);
  for (uint32_t i = change + 1; i < events_of(q); i++) {
    const struct event *e = event_at(q, i);
    if (!same_call(e, c) || !(event_reads[e->kind] || event_writes[e->kind]) ||
        !overlaps(e, c))
      continue;
    return is_plain_read(e) && same_spot(e, c) ? i : KIND_NO_EVENT;
  }
  return KIND_NO_EVENT;
}

/* Whether the call has looked there before: then it goes round a loop, and the
 * look belongs to the next round. */
static bool looked_before(const struct kind_query *q, uint32_t look,
                          uint32_t change) {
  for (uint32_t i = change; i-- > 0;) {
    const struct event *e = event_at(q, i);
    if (!same_call(e, event_at(q, look)))
      continue;
    if (e->kind == EV_CALL)
      return false;
    if (kind_site(q->t, i) == kind_site(q->t, look))
      return true;
  }
  return false;
}

/*
 * Two threads change a word in one step each and look at it afterwards, at the
 * same line: both see what only the last one should.
 *
 *     T2 27 rmw strong: 2 -> 1
 *     T1 27 rmw strong: 1 -> 0
 *     T1 28 load strong = 0         T1 frees
 *     T2 28 load strong = 0         and so does T2
 */
void match_double_success(const struct kind_query *q) {
  for (uint32_t a = 0; a < events_of(q); a++) {
    const struct event *x = event_at(q, a);
    if (x->kind != EV_RMW || !is_concurrent(x))
      continue;
    uint32_t look = look_after(q, a);
    if (look == KIND_NO_EVENT || looked_before(q, look, a))
      continue;
    for (uint32_t b = a + 1; b < look; b++) {
      const struct event *y = event_at(q, b);
      if (y->kind != EV_RMW || !is_concurrent(y) || y->thread == x->thread ||
          !same_spot(x, y) || kind_site(q->t, a) != kind_site(q->t, b))
        continue;
      uint32_t other = look_after(q, b);
      if (other == KIND_NO_EVENT ||
          kind_site(q->t, look) != kind_site(q->t, other) ||
          !equal_values(event_at(q, look)->value, event_at(q, other)->value) ||
          !equal_values(event_at(q, look)->value, y->value))
        continue;
      add_match(q, &(struct kind_found){.kind = KIND_DOUBLE_SUCCESS,
                                        .marks = {a, look, b, other}});
    }
  }
}

/* ---- torn values ---- */

static bool is_part(const struct kind_query *q, uint32_t a, uint32_t b) {
  const struct event *x = event_at(q, a), *y = event_at(q, b);
  return same_call(x, y) && x->kind == y->kind && x->size == y->size &&
         kind_site(q->t, a) == kind_site(q->t, b) && kind_site(q->t, a) &&
         (x->addr + x->size == y->addr || y->addr + y->size == x->addr);
}

static bool is_conflict(const struct event *a, const struct event *b) {
  return same_spot(a, b) && a->thread != b->thread &&
         (is_write(a) || is_write(b));
}

static bool is_plain(const struct event *e) {
  return (e->kind == EV_READ || e->kind == EV_WRITE ||
          e->kind == EV_ATOMIC_READ || e->kind == EV_ATOMIC_WRITE) &&
         is_concurrent(e) && !(e->flags & EVENT_NO_VALUE);
}

static bool changes(const struct event *e) {
  return !is_write(e) || !equal_values(e->value, e->old);
}

/* Of another call: an access of the first part after `first`, one of the second
 * before `second`; from one place, if the parts may be rounds of a loop. */
static bool torn_by(const struct kind_query *q, uint32_t first, uint32_t second,
                    uint32_t *a, uint32_t *b) {
  bool loop = event_at(q, first)->pc == event_at(q, second)->pc;
  for (*b = 0; *b < second; ++*b) {
    const struct event *y = event_at(q, *b);
    if (!is_plain(y) || !is_conflict(y, event_at(q, second)) || !changes(y))
      continue;
    for (*a = first + 1; *a < events_of(q); ++*a) {
      const struct event *x = event_at(q, *a);
      if (is_plain(x) && is_conflict(x, event_at(q, first)) && changes(x) &&
          same_call(x, y) && is_write(x) == is_write(y) &&
          (!loop || is_part(q, *a, *b)))
        return true;
    }
  }
  return false;
}

/*
 * One place of the source reads or writes neighbouring words in two accesses (a
 * struct, a number of 128 bits, a string).  Another call comes to the first
 * word after it and to the second before it, to read both or to write both, and
 * at least one of the two writes something new.  If the one place is in a loop
 * over words, as for a string, the other call must have one such place too: a
 * loop over counters is no copy.
 *
 *     T1 12 read pair.lo = 0
 *     T2 8 write pair.lo: 0 -> 1;  8 write pair.hi: 0 -> 1
 *     T1 12 read pair.hi = 1
 */
void match_torn(const struct kind_query *q) {
  for (uint32_t second = 1; second < events_of(q); second++)
    for (uint32_t first = 0; first < second; first++) {
      uint32_t a, b;
      const struct event *x = event_at(q, first), *y = event_at(q, second);
      if (is_plain(x) && is_plain(y) && is_part(q, first, second) &&
          changes(x) && changes(y) && torn_by(q, first, second, &a, &b))
        add_match(q, &(struct kind_found){.kind = KIND_TORN,
                                          .marks = {first, second, a, b}});
    }
}

/* ---- a state that never was ---- */

/* Does the call change anything that others can see? */
static bool changes_nothing(const struct kind_query *q,
                            const struct event *of) {
  for (uint32_t i = 0; i < events_of(q); i++) {
    const struct event *e = event_at(q, i);
    if (same_call(e, of) && event_writes[e->kind])
      return false;
  }
  return true;
}

/* Are the two spots as far apart as the reads at `a` and `b` show them at one
 * moment of the call?  Before `a` they may be, if the call had begun. */
static bool ever_so(const struct kind_query *q, uint32_t a, uint32_t b) {
  const struct event *x = event_at(q, a), *y = event_at(q, b);
  int64_t seen = decisions_distance(q->t, a, b);
  /* The second spot when the first was read: undo what was written since. */
  uint64_t second = y->value[0], first = x->value[0];
  for (uint32_t i = b; i-- > a + 1;)
    if (is_write(event_at(q, i)) && same_spot(event_at(q, i), y))
      second = event_at(q, i)->old[0];
  for (uint32_t i = a + 1; i < b && (int64_t)(second - first) != seen; i++) {
    const struct event *e = event_at(q, i);
    if (is_write(e) && same_spot(e, x))
      first = e->value[0];
    if (is_write(e) && same_spot(e, y))
      second = e->value[0];
  }
  return (int64_t)(second - first) == seen;
}

static uint32_t return_of(const struct kind_query *q, uint32_t of) {
  for (uint32_t i = of + 1; i < events_of(q); i++)
    if (event_at(q, i)->kind == EV_RETURN &&
        same_call(event_at(q, i), event_at(q, of)))
      return i;
  return KIND_NO_EVENT;
}

/*
 * A call reads two numbers, finds them equal and returns without a change; at
 * no moment between the two reads were they equal.
 *
 *     T1 30 load head = 0
 *     T2 12 store tail: 0 -> 1;  T3 22 store head: 0 -> 1; …
 *     T1 31 load tail = 0 …         "empty", but there was always something
 *
 * Or it finds them so far apart that calls which see that never go on, while
 * calls that see another distance do, and at no moment were they so far apart.
 *
 *     T1 40 load head = 0
 *     T2 22 store head: 0 -> 1;  T3 12 store tail: 1 -> 2
 *     T1 41 load tail = 2           "full" of two, but it never had two
 *
 * The reads are the last two of the call.  A sum of two numbers is no decision.
 */
void match_false_state(const struct kind_query *q) {
  for (uint32_t b = 1; b < events_of(q); b++) {
    const struct event *y = event_at(q, b);
    if (!decisions_is_count(y) || !is_concurrent(y) ||
        return_of(q, b) == KIND_NO_EVENT || !changes_nothing(q, y))
      continue;
    uint32_t a = decisions_read_before(q->t, b);
    if (a == KIND_NO_EVENT)
      continue;
    bool last = true;
    for (uint32_t i = b + 1; i < return_of(q, b); i++)
      last &= !same_call(event_at(q, i), y);
    uint32_t change = last_foreign_write(q, event_at(q, a), y->thread, a, b);
    bool decides = equal_values(event_at(q, a)->value, y->value) ||
                   decisions_refuses(q->d, q->t, a, b);
    if (!last || change == KIND_NO_EVENT || !decides || ever_so(q, a, b))
      continue;
    add_match(q, &(struct kind_found){.kind = KIND_FALSE_STATE,
                                      .marks = {a, change, b}});
  }
}
