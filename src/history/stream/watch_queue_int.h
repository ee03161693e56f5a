/*
 * Inside the watch of a queue.  The operations are insertions (put), removals
 * and looks (peek); a removal or look may also return "empty".  A value is
 * inserted only if no equal one is inside, has an open insertion, or may still
 * be returned by an open look.
 *
 * Four times describe a value v:
 *   call(v)   the call of its insertion;
 *   came(v)   the first return of any operation on v;
 *   front(v)  the first return of a removal or look that returned v;
 *   last(v)   the last call of a removal or look that returned v.
 * u must be ahead of v if came(u) < call(v) or front(u) < last(v), as in
 * monitor_queue.c.  An open removal may have taken any value that is inside;
 * that value was at the front no earlier than the removal was called.
 *
 * The cone of some values is these values and all that must be ahead of one of
 * them, directly or not.  Each step compares with a call(v) or a last(v), so
 * that the latest call and the latest last in a cone are all it depends on.
 * P(t) is the number of open removals that were called before time t.
 *
 * The history has an order iff these conditions hold.  They are decided, not
 * asserted: the comments name who does it.
 *
 * (Q1) A value that was returned had been inserted, and not removed before
 *      (watch_queue.c).
 *        put(1)  remove() = 1  remove() = 1      the last one is wrong
 * (Q2) No value must be ahead of itself (queue_can_be_seen).
 *        put(1)  put(2)  remove() = 2  remove() = 1      wrong: 1 is ahead of
 *        2, since it came before, and 2 of 1, since it was at the front before
 * (Q3) For each t, at most t values that are inside lie in the cone of
 *      - the removed values v with P(front(v)) <= t, and
 *      - the values v inside that were looked at with P(front(v)) < t
 *      (queue_fits).
 *        put(1)  put(2)  a: remove()…  remove() = 2      good: a took 1
 *        put(1)  put(2)  remove() = 2                    wrong for t = 0
 * (Q4) The interval of each operation that returned "empty" has a gap (a moment
 *      between two events) at which no v with came(v) < gap < last(v) was
 *      inside, and (Q3) holds also if all values that came before the gap must
 *      be gone by then: for each t >= P(gap), at most t values that are inside
 *      came before the gap or lie in the cone of (Q3) (watch_queue_gaps.c).
 *        put(1)  a: remove()…  peek() = empty      good: a took 1
 *        put(1)  peek() = empty                    wrong: 1 is inside
 *
 * Why: line the values up.  Those that open removals took go to them in that
 * order, the first value to the removal that was called first.  So a value that
 * was at the front at time t has at most P(t) values ahead of it that are still
 * inside.  These are jobs with deadlines, where some jobs come before others:
 * they can be done in time iff for each t at most t jobs are due by t, where a
 * job is due when the first job behind it is.  A value that was looked at and
 * is inside is such a job itself, due one later than those ahead of it.  Gaps
 * do not depend on each other: of gaps with the same P, the last asks for all
 * that the others ask for.
 *
 * The watch remembers what these questions can still depend on:
 * - `gone`: removed values of which last(v) may still change, because an open
 *   look was called before they left; and as many others as give each cone that
 *   can be asked for the same latest call and last (watch_queue_gone.c);
 * - gaps that are good and may still become bad.  Gaps count as one if no open
 *   removal or look was called between them, and no remembered value came;
 * - operations that returned "empty" and that only such gaps explain;
 * - for search (watch_queue_past.c), values that were certainly inside in gaps
 *   that explain nothing.
 *
 * queue_check_invariants checks the structure itself:
 * (Q5) `first` to `last` by `later` are the `ninside` values that came and were
 *      not removed, sorted by came.
 * (Q6) `takers` are sorted by call; `nremovals` of them are removals.
 * (Q7) `gone` and `by_came` hold the same values, by front and by came.
 * (Q8) `misses` are sorted by call and by return: none lies inside another.
 */
#ifndef HISTORY_STREAM_WATCH_QUEUE_INT_H
#define HISTORY_STREAM_WATCH_QUEUE_INT_H

#include "history/stream/watch.h"

struct queue_sight { /* the interval of a removal or look that returned v */
  uint64_t call, ret;
};

struct queue_value {
  datum value;
  uint64_t call;             /* of its insertion */
  uint64_t put;              /* return of its insertion; or WATCH_NEVER */
  uint64_t came;             /* WATCH_NEVER: nothing on v has returned yet */
  struct queue_sight first;  /* returned first; ret is front(v), WATCH_NEVER */
  struct queue_sight latest; /* was called last; call is last(v), or 0 */
  struct queue_sight removal;
  uint64_t left;  /* return of its removal: a look that is called later cannot
                     return v; WATCH_NEVER: v was not removed */
  bool crashed;   /* the insertion will not return */
  bool over;      /* forgotten but for its name: its insertion is open, or an
                     open look may still return it */
  bool kept;      /* queue_forget: this one is remembered */
  uint32_t level; /* looked at and inside: the first t of (Q3) */
  uint32_t earlier, later; /* neighbours in the list of (Q5); or WATCH_NONE */
};

struct queue_taker { /* an open removal or look */
  uint64_t call;
  bool looks;
  bool crashed; /* it will not return */
};

/* Gaps at which the queue may have been empty, from `first` to `last`, which
 * later events treat alike.  The number of a gap is the time of the event
 * before it. */
struct queue_gaps {
  uint64_t first, last;
  /* Counted when the gaps were last examined: values inside that came before
   * them, open removals and looks called before them, and removed values that
   * came before them. */
  uint32_t inside, called, gone;
};

struct queue_miss { /* a removal or look that returned "empty" */
  uint64_t call, ret;
  bool looks;
};

struct queue_cover { /* a forgotten value that was certainly inside */
  uint64_t call, came, last, removed;
};

typedef VEC(uint32_t) queue_ids;

/* A removed value, with the maxima of its row and all rows before it. */
struct queue_row {
  uint64_t time;         /* front(v) in `gone`, came(v) in `by_came` */
  uint32_t id;           /* v */
  uint32_t call;         /* the value with the latest call(…) */
  uint32_t last, second; /* the values with the two latest last(…); or NONE */
};
typedef VEC(struct queue_row) queue_rows;

struct queue_watch {
  struct watch watch;
  struct value_map map;
  VEC(struct queue_value) values;
  queue_ids free;
  uint32_t ncoming; /* values of which no operation has returned yet */
  uint32_t first, last, ninside; /* values inside: (Q5) */
  queue_ids seen;                /* values inside that a look returned */
  queue_rows gone, by_came;      /* removed values that are remembered: (Q7) */
  queue_ids over;                /* forgotten values whose name is needed */
  uint32_t forget_over_at; /* length of `over` at which names are dropped */
  uint32_t forget_at;      /* length of `gone` at which values are forgotten */
  VEC(struct queue_taker) takers; /* open removals and looks: (Q6) */
  uint32_t nremovals;             /* of these */
  /* levels.at[t]: the latest call(…) in the cone of (Q3) for t.  For greater t
   * (Q3) holds for certain. */
  VEC(uint64_t) levels;
  uint64_t free_gap; /* the last gap at which the queue can have been empty,
                        whatever comes later */
  uint64_t mark;     /* the last event that begins new gaps */
  VEC(struct queue_gaps) gaps;
  VEC(struct queue_miss) misses; /* (Q8) */
  /* For watch_queue_past only: forgotten values that were certainly inside
   * during an operation that returned "empty", or that is open and may.  If
   * these become too many they are dropped. */
  VEC(struct queue_cover) covers;
  uint32_t prune_at;
  uint64_t covers_from; /* `covers` is complete for what left after this */
  struct watch_form looked, missed_look;
};

static inline struct queue_value *queue_at(const struct queue_watch *q,
                                           uint32_t id) {
  return &q->values.at[id];
}

/* The call of the first removal or look that may still return. */
static inline uint64_t queue_first_open(const struct queue_watch *q) {
  for (uint32_t i = 0; i < q->takers.len; i++)
    if (!q->takers.at[i].crashed)
      return q->takers.at[i].call;
  return WATCH_NEVER;
}

/* A cone: the latest call(…) and last(…) in it, and how many rows of `gone` and
 * of `by_came` it has taken in. */
struct queue_cone {
  uint64_t call, last;
  uint32_t nfront, ncame;
};

/* Skips the rows before `time`, from the n-th on.  Returns the last of these;
 * NULL: there are none. */
static inline const struct queue_row *rows_before(const queue_rows *rows,
                                                  uint32_t *n, uint64_t time) {
  uint32_t from = *n, to = rows->len;
  while (*n < to) {
    uint32_t mid = *n + (to - *n) / 2;
    if (rows->at[mid].time < time)
      *n = mid + 1;
    else
      to = mid;
  }
  return to > from ? &rows->at[to - 1] : NULL;
}

/* watch_queue.c */
void queue_leave(struct queue_watch *q, uint32_t id); /* out of the list */
void queue_unsee(struct queue_watch *q, uint32_t id); /* out of `seen` */
void queue_drop_value(struct queue_watch *q, uint32_t id);
bool queue_check_invariants(const struct queue_watch *q); /* Q5 to Q8 */
/* Whether an open look, called before v left, may still return v. */
bool queue_may_be_seen(const struct queue_watch *q,
                       const struct queue_value *v);

/* watch_queue_order.c */
/* Whether (Q2) still holds if a removal or look called at `call` returns it. */
bool queue_can_be_seen(struct queue_watch *q, uint32_t id, uint64_t call);
/* Another value that shows why it does not; or WATCH_NONE. */
uint32_t queue_rival(const struct queue_watch *q, uint32_t id, uint64_t call);
bool queue_fits(struct queue_watch *q); /* Q3 */
/*
 * The number of values inside that came before *call, or must be ahead of a
 * value that was removed and was at the front before `time`.
 *   put(1) put(2) remove() = 2 | time: 1 is counted, since it is ahead of 2
 * On return the counted values are those inside that came before *call, and
 * those of `seen` that have a level.
 */
uint32_t queue_count_ahead(struct queue_watch *q, uint64_t time,
                           uint64_t *call);

/* watch_queue_crashed.c */
/* Removes the values that only crashed removals can have taken, with as many of
 * these removals. */
void queue_give_to_crashed(struct queue_watch *q);

/* watch_queue_gaps.c: Q4 */
void queue_add_gap(struct queue_watch *q); /* after the last event */
/* An operation returned "empty".  The caller renews the gaps then. */
void queue_add_miss(struct queue_watch *q, struct queue_miss m);
/* An operation has returned; if it returned a value, that was certainly inside
 * from `from` to `to`.  Drops gaps at which the queue cannot have been empty.
 * False: an operation that returned "empty" has no gap left. */
bool queue_renew_gaps(struct queue_watch *q, uint64_t from, uint64_t to);
/* The latest time such that values that came before it must have been gone at
 * `next`, because an operation returned "empty" in between; 0: there is none.
 */
uint64_t queue_missed_before(const struct queue_watch *q, uint64_t next);
/* Suppose that all values that came before `came` are gone.  Whether every
 * operation that returned "empty" then has a gap that stays good, or has all
 * its gaps after `call`. */
bool queue_needs_no_gap(const struct queue_watch *q, uint64_t came,
                        uint64_t call);

/* watch_queue_gone.c */
void queue_add_gone(struct queue_watch *q, uint32_t id);
/* A look returned a value that has left since: last(v) has changed. */
void queue_change_gone(struct queue_watch *q, uint32_t id);
void queue_forget(struct queue_watch *q);

/* watch_queue_past.c */
void queue_keep_cover(struct queue_watch *q, const struct queue_value *v);
bool watch_queue_past(struct watch *w, struct watch_past *out);

#endif
