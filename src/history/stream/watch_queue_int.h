/*
 * Inside the watch of a queue: values are put, looked at and removed, and none
 * is put while an equal one is there, on its way, or may still be seen.
 *
 * Of a value it is known
 *   call    of its insertion,
 *   came    the first return of any of its operations,
 *   front   the first return of what saw it at the front (looked at it, or
 *           removed it),
 *   last    the last call of what saw it there.
 * u must be ahead of v if u came before the call of v, or if front(u) is before
 * last(v): monitor_queue.c.  What open removals took is not known; they may
 * take any values that are inside.  One that does so ends the time of its value
 * at the front no earlier than it was called.
 *
 * Let the cone of some values be these and all that must be ahead of them, by
 * any number of such steps.  A step asks for a time before a `call`, or before
 * a `last`: so a cone is known by the latest of each in it.  Let P(t) be how
 * many of the open removals were called before t.  There is an order iff
 *
 * (Q1) what was seen had been put, and not been removed before;
 * (Q2) no value must be ahead of itself;
 * (Q3) for each t, of the values that are inside no more than t are in the cone
 *      of these: those that were removed, with P(front) <= t, and those that
 *      are inside and were seen, with P(front) < t;
 * (Q4) each operation that found nothing has a gap of its interval in which no
 *      value that was seen is between `came` and `last`, and such that Q3 holds
 *      also if all that came before the gap must be gone by then: for each
 *      t >= P(gap), of the values that are inside no more than t came before it
 *      or are in the cone of Q3.
 *
 * Why: let the values stand in an order.  Those that open removals took go to
 * them in that order, the first to the one that was called first.  So what was
 * at the front at t has no more than P(t) values ahead of it that are still
 * inside.  That is a question of jobs with deadlines, of which some must be
 * done before others: it has an answer iff for each t no more than t jobs must
 * be done by then, where a job has the deadlines of all that it must be ahead
 * of.  What was seen and not removed is such a job itself, one behind those
 * ahead of it.  Gaps do not depend on each other: of those with the same P the
 * last one asks for all that the others ask for.
 *
 * Of the past remains what such a question can still depend on:
 * - `gone`, of the values that were removed: those that may turn out to have
 *   been at the front later than is known, since somebody looks who was called
 *   before they had left; and of the others enough to have the same latest
 *   `call` and `last` in each cone that can be asked for (watch_queue_gone.c);
 * - gaps that are good and may still become bad.  Those count as one between
 *   which nothing was called that is open and takes or looks, and nothing came
 *   that is remembered;
 * - of operations that found nothing, those that only such gaps explain.
 * For its past it also keeps what was certainly inside in gaps that explain
 * nothing.
 */
#ifndef HISTORY_STREAM_WATCH_QUEUE_INT_H
#define HISTORY_STREAM_WATCH_QUEUE_INT_H

#include "history/stream/watch.h"

struct queue_sight { /* of something that saw a value at the front */
  uint64_t call, ret;
};

struct queue_value {
  datum value;
  uint64_t call;             /* of its insertion */
  uint64_t put;              /* its return; WATCH_NEVER */
  uint64_t came;             /* WATCH_NEVER: the insertion is open, and nobody
                                has seen it */
  struct queue_sight first;  /* returned first; ret is `front`, WATCH_NEVER */
  struct queue_sight latest; /* was called last; call is `last`, or 0 */
  struct queue_sight removal;
  uint64_t left;  /* who is called later cannot have seen it: when it was
                     removed; WATCH_NEVER: it was not */
  bool crashed;   /* the insertion will not return */
  bool over;      /* forgotten, but its insertion is open, or it may be seen */
  bool kept;      /* while others are forgotten */
  uint32_t level; /* seen and inside: the first t of Q3 */
  uint32_t earlier, later; /* of those inside, by `came`; or WATCH_NONE */
};

struct queue_taker { /* an open removal, or what looks */
  uint64_t call;
  bool looks;
  bool crashed; /* it will not return */
};

/* Gaps that have the same future, from the first to the last that explains an
 * empty queue; a gap is called by the event before it. */
struct queue_gaps {
  uint64_t first, last;
  /* When it was looked at: what is inside and came before, what is open and was
   * called before, and what was removed and came before. */
  uint32_t inside, called, gone;
};

struct queue_miss { /* found nothing */
  uint64_t call, ret;
  bool looks;
};

struct queue_cover { /* was certainly inside */
  uint64_t call, came, last, removed;
};

typedef VEC(uint32_t) queue_ids;

struct queue_row {       /* of a value that was removed */
  uint64_t time;         /* when it was at the front; or when it came */
  uint32_t id;           /* it */
  uint32_t call;         /* of it and those before: who has the latest call, */
  uint32_t last, second; /* the latest `last`, and the next to it; or NONE */
};
typedef VEC(struct queue_row) queue_rows;

struct queue_watch {
  struct watch watch;
  struct value_map map;
  VEC(struct queue_value) values;
  queue_ids free;
  uint32_t ncoming; /* nobody saw them, and their insertions did not return */
  uint32_t first, last, ninside; /* that have come and were not removed */
  queue_ids seen;                /* inside, and somebody looked at them */
  queue_rows gone, by_came;      /* removed: by front, and by came */
  queue_ids over;
  uint32_t forget_over_at;        /* its length */
  uint32_t forget_at;             /* length of `gone` */
  VEC(struct queue_taker) takers; /* by call */
  uint32_t nremovals;             /* of these */
  /* The latest call in the cone of each t of Q3.  Behind the last of them no
   * more values are in a cone than may be. */
  VEC(uint64_t) levels;
  uint64_t free_gap; /* the last one that explains for good */
  uint64_t mark;     /* the last event that begins new gaps */
  VEC(struct queue_gaps) gaps;
  VEC(struct queue_miss) misses; /* none lies inside of another one */
  /* For the past only: what was certainly inside, and forgotten, since the call
   * of the first operation that may find nothing, or did.  When these are too
   * many, since it does not return, they are forgotten. */
  VEC(struct queue_cover) covers;
  uint32_t prune_at;
  uint64_t covers_from; /* of what has left since this event, all are there */
  struct watch_form looked, missed_look;
};

static inline struct queue_value *queue_at(const struct queue_watch *q,
                                           uint32_t id) {
  return &q->values.at[id];
}

/* The call of the first that may still return. */
static inline uint64_t queue_first_open(const struct queue_watch *q) {
  for (uint32_t i = 0; i < q->takers.len; i++)
    if (!q->takers.at[i].crashed)
      return q->takers.at[i].call;
  return WATCH_NEVER;
}

/* The latest of a cone, and how many of those that were removed are in it, by
 * front and by came. */
struct queue_cone {
  uint64_t call, last;
  uint32_t nfront, ncame;
};

/* The last row of those before then, from the n-th on; NULL: no more. */
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
void queue_leave(struct queue_watch *q, uint32_t id); /* not inside any more */
void queue_unsee(struct queue_watch *q, uint32_t id); /* nor one of `seen` */
void queue_drop_value(struct queue_watch *q, uint32_t id);
/* May somebody who looks, and was called before it had left, still say so? */
bool queue_may_be_seen(const struct queue_watch *q,
                       const struct queue_value *v);

/* watch_queue_order.c */
/* Q2, before `id` is seen by what was called then. */
bool queue_can_be_seen(struct queue_watch *q, uint32_t id, uint64_t call);
/* Another value that shows why not; or WATCH_NONE. */
uint32_t queue_rival(const struct queue_watch *q, uint32_t id, uint64_t call);
bool queue_fits(struct queue_watch *q); /* Q3 */
/* Of those that are inside, how many came before this call, or must be ahead of
 * what was removed and at the front before then.  They came before what the
 * call is then, or were seen and now have a level. */
uint32_t queue_count_gone_before(struct queue_watch *q, uint64_t time,
                                 uint64_t *call);

/* watch_queue_crashed.c */
/* What only crashed removals can have taken, they took. */
void queue_give_to_crashed(struct queue_watch *q);

/* watch_queue_gaps.c: Q4 */
void queue_add_gap(struct queue_watch *q); /* behind the last event */
/* Something found nothing; then gaps must be renewed. */
void queue_add_miss(struct queue_watch *q, struct queue_miss m);
/* Something has returned, and a value turns out to have been inside: which gaps
 * are left?  False: something that found nothing has none. */
bool queue_renew_gaps(struct queue_watch *q, uint64_t from, uint64_t to);
/* Something found nothing, and all that came before must have been gone by
 * `next`: the latest of these times; or 0. */
uint64_t queue_missed_before(const struct queue_watch *q, uint64_t next);
/* If all that came before this time is gone: does nothing that found nothing
 * ask for a gap before `call`? */
bool queue_asks_no_gap(const struct queue_watch *q, uint64_t came,
                       uint64_t call);

/* watch_queue_gone.c */
void queue_add_gone(struct queue_watch *q, uint32_t id);
/* Somebody saw it before it left. */
void queue_change_gone(struct queue_watch *q, uint32_t id);
void queue_forget(struct queue_watch *q);

/* watch_queue_past.c */
void queue_keep_cover(struct queue_watch *q, const struct queue_value *v);
bool watch_queue_past(struct watch *w, struct watch_past *out);

#endif
