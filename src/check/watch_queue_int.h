/*
 * Inside the watch of a queue: values are put and removed, not looked at, and
 * none is put while another one that is equal is there or on its way.
 *
 * A value has the call of its insertion, and its return, `came`, from which on
 * it is certainly inside; a removal has its call and its return, `left`.  What
 * open removals take is not known: they may take any values that are inside.
 * In the order of `came`, let
 *
 *     N(t) be how many of the values that are inside came before t, and
 *     P(t) how many of the open removals were called before t.
 *
 * There is an order iff
 * (Q1) what was removed had been put, and not been removed before;
 * (Q2) of values that were removed none left before the removal of another one
 *      was called that came before its own insertion was;
 * (Q3) for each value v that was removed: N(insertion of v) <= P(left v);
 * (Q4) each removal that found nothing has a gap g of its interval in which no
 *      value is certainly inside that was removed, and N(g) <= P(g).
 *
 * Q1 and Q2 are those of complete histories (monitor_queue.c).  For the rest,
 * let open removals take values: each such value must be taken by a certain
 * time, by Q2 that of v's leaving if it came before v's insertion, by Q4 the
 * gap if it came before it.  So in the order of `came` the times only grow, and
 * those who must go first can be given to the removals that were called first:
 * it works out iff by each time no more values must be gone than removals were
 * called.  Hence each of these conditions is one by itself.
 *
 * Of the past remains, since nothing else can change any more:
 * - of values that have left between the calls of two open removals, the latest
 *   call of an insertion (Q2, Q3);
 * - gaps with N <= P and N > 0 (with N = 0 it stays so), where those count as
 *   one between which neither a removal that is open was called nor a value
 *   came that is inside: there are at most two for each open removal;
 * - of removals that found nothing, those that only such gaps explain.
 * That is all that the answers need.  For its past it also keeps what was
 * certainly inside in gaps that explain nothing.
 */
#ifndef CHECK_WATCH_QUEUE_INT_H
#define CHECK_WATCH_QUEUE_INT_H

#include "check/watch.h"

struct queue_value {
  datum value;
  uint64_t call;           /* of its insertion */
  uint64_t came;           /* WATCH_NEVER: the insertion is open */
  uint64_t taking, left;   /* its removal, while the insertion is open; 0 */
  bool crashed;            /* the insertion will not return */
  uint32_t earlier, later; /* of those inside, by `came`; or WATCH_NONE */
};

struct queue_left { /* a value that has left */
  datum value;
  uint64_t call, came, taking, left; /* insertion and removal */
};

struct queue_removal { /* an open one */
  uint64_t call;
  struct queue_left latest; /* of what left since then, but before the next of
                               these was called, what was put last: has the
                               latest call; 0: none */
  bool crashed;
};

/* Gaps that have the same future, from the first to the last that explains an
 * empty queue; a gap is called by the event before it. */
struct queue_gaps {
  uint64_t first, last;
};

struct queue_miss { /* found nothing */
  uint64_t call, ret;
};

struct queue_watch {
  struct watch watch;
  struct value_map map;
  VEC(struct queue_value) values;
  VEC(uint32_t) free;
  uint32_t first, last, ninside;
  VEC(struct queue_removal) removals; /* by call */
  uint64_t free_gap; /* the last one with N = 0: it is one for good */
  uint64_t mark;     /* the last event that begins new gaps */
  VEC(struct queue_gaps) gaps;
  VEC(struct queue_miss) misses; /* none lies inside of another one */
  /* For the past only: what was certainly inside since the call of the first
   * removal that may find nothing, or did.  When these are too many, since it
   * does not return, they are forgotten. */
  VEC(struct queue_left) covers;
  uint32_t prune_at;
  uint64_t covers_from; /* of what has left since this event, all are there */
};

/* watch_queue_past.c */
void queue_keep_cover(struct queue_watch *q, struct queue_left x);
bool watch_queue_past(struct watch *w, struct past *out);

#endif
