/*
 * Inside the check of a stream.
 *
 * A part is an object of its own: all of it, or one key.  It holds operations
 * in the order of their calls, and stages of the frontier (frontier_int.h): one
 * from just before the call of each open operation, and the tip, behind the
 * last event.
 *
 * (O1) open operations, and those that crashed, are pending in every stage
 *      behind their call.
 * (O2) stages know the results of all operations that have returned.
 * So a return goes back to the stage before its call and comes forward again,
 * renewing the stages on its way: an event is gone through again once for each
 * operation that was open then.
 * (O3) operations before the first stage's next call are kept only while that
 *      stage has a slot for them.
 *
 * With `lookahead` the tip is the only stage.  It stands before the call of the
 * oldest open operation, so that all results are known of what it comes to, and
 * each event is gone through once.
 */
#ifndef HISTORY_STREAM_ONLINE_INT_H
#define HISTORY_STREAM_ONLINE_INT_H

#include "history/exact/frontier_int.h"
#include "history/stream/online.h"
#include "history/stream/watch.h"

struct online_open {
  uint32_t process, op; /* op: index into the part's operations */
  bool lost;            /* given up */
  bool staged;          /* `before` is a stage; not if it is lost */
  bool cut;             /* T4, on the way to this stage */
  struct frontier_stage before;
};

struct online_part {
  datum key;
  uint64_t hash;
  struct online_part *next; /* in its bucket */
  struct log_problem problem;
  struct log_op *logged; /* problem.ops[i].op is &logged[i] */
  uint32_t cap;
  uint32_t time;                /* of the next event */
  uint32_t line;                /* of the last return, as its event said */
  VEC(struct online_open) open; /* by call */
  struct frontier_stage tip;
  bool tip_cut;
  struct watch *watch; /* that decides; NULL: search does.  While there is one
                          the part has no operations and no stages */
  uint64_t bytes;      /* as it was counted last */
};

struct online_busy {
  uint32_t process;
  struct online_part *part;
};

struct online {
  struct type *type;
  struct type *own; /* the same, if it is one for streams; else NULL */
  struct online_options options;
  struct log log; /* names of functions */
  struct log_problem nothing;
  struct frontier *engine; /* its stage is nobody's between two events */
  struct meter meter;
  struct online_part **buckets;
  uint32_t nbuckets, nparts;
  VEC(struct online_busy) busy;     /* processes with an open operation */
  struct value_map places;          /* of these, by process */
  VEC(struct frontier_stage) spare; /* stages to be used again */
  VEC(uint32_t *) states;           /* while others are dropped */
  VEC(uint32_t) kept;
  uint64_t forget_at;
  uint64_t held; /* by parts */
  uint64_t events, bad_event;
  uint32_t bad_line;
  const char *limit;
  bool violated;
  char *text;
};

/* online.c */
/* Goes through the events before `until` from where the engine is.  False:
 * there is no order, or the budget has ended. */
bool online_advance(struct online *o, uint32_t until);
void online_violated(struct online *o, uint32_t line, char *text);

/* online_watch.c: a part with a watch. */
/* A call.  False: the part has no watch any more, and search goes on. */
bool online_watch_call(struct online *o, struct online_part *p,
                       uint32_t process, const struct log_op *op,
                       const struct type_op *t);
/* A return or another end; *err: it cannot be.  False: as above. */
bool online_watch_end(struct online *o, struct online_part *p,
                      const struct log_event *ev, int *err, struct error *e);
/* From the watch to search. */
void online_unwatch(struct online *o, struct online_part *p);

/* online_parts.c */
uint64_t part_hash(datum key);
struct online_part *part_find(const struct online *o, datum key);
struct online_part *part_new(struct online *o, datum key);
void part_free(struct online *o, struct online_part *p);
/* Forgets what no stage needs; drops the part when it is as it was at first. */
void part_tidy(struct online *o, struct online_part *p);
void part_add_op(struct online_part *p, const struct log_op *op,
                 const struct type_op *prepared);
struct frontier_stage stage_spare(struct online *o);
void stage_recycle(struct online *o, struct frontier_stage *s);
/* Drops states of the type that no stage has. */
void online_forget(struct online *o);

/* online_queue.c */
/* The type to check an unbounded queue with; `inner` is the caller's. */
struct type *online_queue(struct type *inner);

/* online_text.c */
/* Why the return of `x`, which is the part's last event, cannot be. */
char *online_explain(struct online *o, struct online_part *p,
                     const struct online_open *x);
/* Operations that stand for those that a watch has forgotten are not told. */
bool online_is_told(const struct log_op *op);
/* The same with `lookahead`: the engine is stuck at the return of `op`. */
char *online_explain_stuck(struct online *o, const struct log_op *op);

#endif
