/*
 * Inside the watch of a stack or of a priority queue, a box: values are put,
 * looked at and removed, and none is put while an equal one is there or on its
 * way.
 *
 * Between event g and event g + 1 lies the gap g, and an operation takes effect
 * in a gap: it needs one of its interval.  Of a value it is known when it came
 * (the first return of any of its operations) and the last call of any of them:
 * it covers the gaps between, and if it was not removed all behind them.  An
 * open removal may have taken a value that is inside: that covers nothing then
 * from the call of the removal on, nor behind its own last call.
 *
 * What open removals take is a question of deadlines.  `by` is the gap by which
 * a value must be gone; the values that must be gone first go to the removals
 * that were called first, and that works out iff it can at all.  There is an
 * order iff there are deadlines with which the conditions of complete histories
 * hold (monitor_stack.c, monitor_pqueue.c):
 *
 * stack: values can be taken out one after the other, each when all of its
 *   operations, and the removal that is thought to have taken it, have a gap
 *   that no other value covers which is left;
 * priority queue: each removal and each look has a gap that no better value
 *   covers;
 * both: what found nothing has a gap that no value covers.
 *
 * Deadlines are looked for where something has no gap: of the first value (in
 * some order that works) of which an operation has none, all that covers one of
 * its gaps must be gone by then.  So each deadline follows from what is to be
 * explained, and when there are none left to try there is no order.
 *                                                     tests/agree/watch.c
 *
 * Of values that were removed remains what can still matter, `gone`.
 *
 * Priority queue: a value that was removed is forgotten when nothing is open
 * that was called before its last call, and it covers nothing of what has no
 * gap for good (one that no better value covers which is inside).
 *
 * Stack: let u have been removed, and x another value.  If x certainly came
 * before u was put, or left after u was removed, none of its operations lies
 * where u covers: x would be above u, and it is not.  So a set of values that
 * were removed can be forgotten when this holds of each of them and all others
 * that have an operation where it covers: the others are taken out first,
 * beside these gaps, which are `shut` to all that there is, and what is
 * forgotten after them.  A value that is inside, or on its way, leaves no
 * earlier than the first open removal was called.
 */
#ifndef HISTORY_STREAM_WATCH_BOX_INT_H
#define HISTORY_STREAM_WATCH_BOX_INT_H

#include "history/stream/watch.h"

struct box_look { /* somebody saw the value, and did not remove it */
  uint64_t call, ret;
  bool settled; /* it has a gap for good */
};

struct box_value {
  datum value, rank; /* rank: its priority */
  uint64_t call;     /* of its insertion */
  uint64_t put;      /* its return */
  uint64_t came;     /* WATCH_NEVER: it was not seen, its insertion is open */
  uint64_t last;     /* call of what is known of it */
  uint64_t taking;   /* the call of its removal */
  uint64_t left;     /* its return; WATCH_NEVER */
  uint64_t reach;    /* of one that was removed: it may turn out to cover until
                        here, since somebody who looks may have seen it */
  uint64_t by;       /* gap by which an open removal took it; WATCH_NEVER */
  bool open;         /* the insertion has not returned */
  bool crashed;      /* … and will not */
  bool settled;      /* its removal has a gap for good (priority queue) */
  bool guessed;      /* a crashed removal took it, before `left` */
  bool over;         /* forgotten, but its insertion is open */
  bool looking;      /* one of `lookers` */
  uint64_t again;    /* when it is looked at again whether looks are settled */
  VEC(struct box_look) looks;
};

struct box_span { /* of gaps */
  uint64_t from, to;
};

struct box_taker { /* an open removal, or what looks */
  uint64_t call;
  bool looks;
  bool crashed; /* it will not return */
  bool lost;    /* it is not known what it returns */
};

struct box_miss { /* found nothing, and has no gap for good */
  uint64_t call, ret;
  bool looks;
};

struct box_watch {
  struct watch watch;
  bool stack, largest; /* largest: the best priority */
  struct value_map map;
  VEC(struct box_value) values;
  VEC(uint32_t) free;
  VEC(uint32_t) inside;         /* stack: by `came`; else the best one last */
  VEC(uint32_t) gone;           /* removed */
  VEC(uint32_t) coming;         /* not seen: their insertions are open */
  VEC(uint32_t) taken;          /* inside, with a deadline */
  VEC(struct box_taker) takers; /* by call */
  VEC(struct box_miss) misses;
  VEC(struct box_span) shut; /* in order, none touches the next */
  VEC(uint32_t) lookers;     /* inside, with looks that are not settled */
  uint32_t prune_at;         /* length of `shut` */
  uint32_t forget_at;        /* of `gone` of a stack */
  uint32_t settle_at;        /* of `misses`, and `gone` of a priority queue */
  uint64_t look_bytes;       /* of values */
  struct watch_form looked, missed_look;
};

static inline struct box_value *box_at(const struct box_watch *b, uint32_t id) {
  return &b->values.at[id];
}

/* Does x come out before y? */
static inline bool box_better(const struct box_watch *b, datum x, datum y) {
  if (datum_is_number(x) && datum_is_number(y))
    return b->largest ? datum_to_number(x) > datum_to_number(y)
                      : datum_to_number(x) < datum_to_number(y);
  return b->largest ? datum_order(x, y) > 0 : datum_order(x, y) < 0;
}

/* The call of the first open removal. */
static inline uint64_t box_first_removal(const struct box_watch *b) {
  for (uint32_t i = 0; i < b->takers.len; i++)
    if (!b->takers.at[i].looks)
      return b->takers.at[i].call;
  return WATCH_NEVER;
}

/* watch_box.c */
void box_drop(struct box_watch *b, uint32_t id);
/* May somebody who looked while it was inside still say so? */
bool box_may_be_seen(const struct box_watch *b, const struct box_value *v);
bool box_has_needs(const struct box_value *v);

/* watch_box_decide.c */
enum watch_end box_decide(struct box_watch *b);
uint64_t box_first_open(const struct box_watch *b, uint64_t gap);
/* The shut span that has the gap; NULL: it is open. */
const struct box_span *box_shut_at(const struct box_watch *b, uint64_t gap);

/* watch_box_forget.c */
void box_settle(struct box_watch *b);
void box_forget(struct box_watch *b);

/* watch_box_past.c */
bool watch_box_past(struct watch *w, struct watch_past *out);

#endif
