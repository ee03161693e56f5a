/*
 * Inside the watch of a stack or a priority queue, together called a box.  The
 * operations are insertions (put), removals and looks (peek); a removal or look
 * may also return "empty".  A value is inserted only if no equal one is inside
 * or has an open insertion.
 *
 * The gap g lies between the events g and g + 1.  An operation takes effect in
 * a gap of its interval.  A value covers the gaps from the first return of an
 * operation on it (`came`) to the last call of one (`last`); if it was not
 * removed it also covers all later gaps.  An open removal may have taken a
 * value that is inside: then the value covers nothing after the call of that
 * removal, nor after its own `last`.
 *
 * Which values the open removals took is a question of deadlines.  A value that
 * must be gone by a gap has that gap as its deadline, `by`.  The values with
 * the earliest deadlines go to the removals that were called first; if that
 * does not work, nothing does.  The history has an order iff there are
 * deadlines such that these conditions hold (box_decide), as for complete
 * histories (monitor_stack.c, monitor_pqueue.c):
 *
 * (B1) Stack: values can be taken out one after the other.  A value can be
 *      taken out when each operation on it, and the open removal that took it,
 *      has a gap that no other value covers which is still there.
 *        put(1)  put(2)  remove() = 1      wrong: 2 covers all gaps of remove
 *        put(1)  put(2)  a: remove()…  remove() = 1      good: a took 2
 * (B2) Priority queue: each removal and look has a gap that no better value
 *      covers.
 *        put(1)  put(2)  remove() = 2      wrong if 1 is better: it covers all
 * (B3) Both: each operation that returned "empty" has a gap that no value
 *      covers.
 *        put(1)  peek() = empty            wrong
 *
 * Deadlines are searched for where an operation has no gap: all values that
 * cover one of its gaps must be gone by that gap.  So each deadline follows
 * from an operation, and when no gap is left to try there is no order.
 *                                                     tests/agree/watch.c
 *
 * Removed values that can still matter are remembered in `gone`.
 *
 * Priority queue: a removed value v is forgotten when no open operation was
 * called before last(v), and v covers no gap of an operation that is not
 * settled.  An operation is settled if it has a gap that no better value inside
 * covers, whatever open removals took.
 *
 * Stack: let u be a removed value and x another one.  If x certainly came
 * before u was inserted, or left after u was removed, then no operation on x
 * takes effect where u covers: x is not above u.  So a set of removed values
 * can be forgotten if for each u of it this holds of all others that have an
 * operation where u covers.  The others are taken out first, in other gaps: the
 * gaps that u covers are `shut` for them.  The forgotten values come after
 * them.  A value that is inside or has an open insertion leaves no earlier than
 * the first open removal was called.
 *   put(1)  put(2)  remove() = 2  remove() = 1      nothing is open: both are
 *   forgotten, and the gaps that 1 covers are shut
 *
 * box_check_invariants checks the structure itself:
 * (B4) `inside` is sorted: of a stack by came, of a priority queue with the
 *      best priority last.
 * (B5) `taken` are the values with a deadline; all of them are inside.
 * (B6) `takers` are sorted by call.
 * (B7) `shut` is sorted, and no span touches the next.
 */
#ifndef HISTORY_STREAM_WATCH_BOX_INT_H
#define HISTORY_STREAM_WATCH_BOX_INT_H

#include "history/stream/watch.h"

struct box_look { /* a look that returned the value */
  uint64_t call, ret;
  bool settled; /* it has a gap, whatever comes later */
};

struct box_value {
  datum value, rank; /* rank: its priority */
  uint64_t call;     /* of its insertion */
  uint64_t put;      /* the return of its insertion */
  uint64_t came;     /* WATCH_NEVER: no operation on it has returned yet */
  uint64_t last;     /* the last call of an operation on it */
  uint64_t taking;   /* the call of its removal */
  uint64_t left;     /* the return of its removal; or WATCH_NEVER */
  uint64_t reach;    /* removed: if an open look returns it, it covers all gaps
                        until here */
  uint64_t by;       /* its deadline; WATCH_NEVER: it has none */
  bool open;         /* the insertion has not returned */
  bool crashed;      /* … and will not */
  bool settled;      /* priority queue: its removal has a gap, whatever comes
                        later */
  bool guessed;      /* a crashed removal took it, before `left` */
  bool over;         /* forgotten but for its name: its insertion is open */
  bool looking;      /* one of `lookers` */
  uint64_t again;    /* when its looks are examined again */
  VEC(struct box_look) looks;
};

struct box_span { /* of gaps */
  uint64_t from, to;
};

struct box_taker { /* an open removal or look */
  uint64_t call;
  bool looks;
  bool crashed; /* it will not return */
  bool lost;    /* given up: what it returns will not be used */
};

struct box_miss { /* returned "empty"; its gaps may still become covered */
  uint64_t call, ret;
  bool looks;
};

struct box_watch {
  struct watch watch;
  bool stack;   /* else a priority queue */
  bool largest; /* the largest priority comes out first */
  struct value_map map;
  VEC(struct box_value) values;
  VEC(uint32_t) free;
  VEC(uint32_t) inside;         /* came and not removed: (B4) */
  VEC(uint32_t) gone;           /* removed, and remembered */
  VEC(uint32_t) coming;         /* no operation on them has returned */
  VEC(uint32_t) taken;          /* inside, with a deadline: (B5) */
  VEC(struct box_taker) takers; /* (B6) */
  VEC(struct box_miss) misses;
  VEC(struct box_span) shut; /* (B7) */
  VEC(uint32_t) lookers;     /* inside, with looks that are not settled */
  /* Lengths at which a step is taken: `shut` is joined, values of a stack are
   * forgotten, misses and values of a priority queue are settled. */
  uint32_t prune_at, forget_at, settle_at;
  uint64_t look_bytes; /* of all `looks` */
  struct watch_form looked, missed_look;
};

static inline struct box_value *box_at(const struct box_watch *b, uint32_t id) {
  return &b->values.at[id];
}

/* Whether priority x comes out before y. */
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
/* Whether an open look, called before the value left, may still return it. */
bool box_may_be_seen(const struct box_watch *b, const struct box_value *v);
/* Whether its removal or a look at it is not settled. */
bool box_has_needs(const struct box_value *v);
bool box_check_invariants(const struct box_watch *b); /* B4 to B7 */

/* watch_box_decide.c */
enum watch_end box_decide(struct box_watch *b);
/* The shut span that contains the gap; NULL: the gap is not shut. */
const struct box_span *box_shut_at(const struct box_watch *b, uint64_t gap);

/* watch_box_forget.c */
void box_settle(struct box_watch *b);
void box_forget(struct box_watch *b);

/* watch_box_past.c */
bool watch_box_past(struct watch *w, struct watch_past *out);

#endif
