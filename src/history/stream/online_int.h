/*
 * Inside the check of a stream.
 *
 * A part is an object of its own: the whole object, or one key.  It holds
 * operations in the order of their calls, and stages of the frontier
 * (frontier_int.h): one just before the call of each open operation, and the
 * tip, after the last event.
 *
 * (O1) Operations that are open or crashed are pending in every stage after
 *      their call.
 * (O2) A stage knows the results of all operations that have returned.
 * So a return goes back to the stage before its call and comes forward again,
 * renewing the stages on its way:
 *   a: call  b: call  b: returns  c: call  a: returns
 *   the return of a begins at the stage before a's call and renews that of c
 * An event is gone through once more for each operation that was open then.
 * (O3) Operations before the next call of the first stage are kept only while
 *      that stage has a slot for them (compact).
 *
 * O1 and O2 say what the engine made of a stage; tests/agree/online.c compares
 * the answers that follow from them.
 *
 * With `lookahead` the tip is the only stage.  It stands before the oldest open
 * call, so that all results of what it comes to are known, and each event is
 * gone through once.
 */
#ifndef HISTORY_STREAM_ONLINE_INT_H
#define HISTORY_STREAM_ONLINE_INT_H

#include "history/exact/frontier_int.h"
#include "history/stream/online.h"
#include "history/stream/watch.h"

struct online_open {
  uint32_t process, op; /* op: index into the part's operations */
  bool lost;            /* given up */
  bool staged;          /* `before` is a stage; false if it is lost */
  bool cut;             /* T4 (spec/type.h) happened before this stage */
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
  struct watch *watch; /* NULL: the part is searched.  A part with a watch has
                          no operations and no stages */
  uint64_t bytes;      /* counted last time */
};

struct online_busy {
  uint32_t process;
  struct online_part *part;
};

struct online {
  struct type *type;
  struct type *own; /* the type of online_queue.c, if that is used; or NULL */
  struct online_options options;
  struct log log; /* names of functions */
  struct log_problem nothing;
  struct frontier *engine; /* has no stage of a part between two events */
  struct meter meter;
  struct online_part **buckets;
  uint32_t nbuckets, nparts;
  VEC(struct online_busy) busy;     /* processes with an open operation */
  struct value_map places;          /* process to its place in `busy` */
  VEC(struct frontier_stage) spare; /* stages to be used again */
  VEC(uint32_t *) states;           /* online_forget: states in use */
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
/* The engine goes on through the events before `until`.  False: there is no
 * order, or the budget has ended. */
bool online_advance(struct online *o, uint32_t until);
void online_violated(struct online *o, uint32_t line, char *text);

/* online_watch.c: a part with a watch. */
/* A call.  False: the part has no watch any more, and search goes on. */
bool online_watch_call(struct online *o, struct online_part *p,
                       uint32_t process, const struct log_op *op,
                       const struct type_op *t);
/* A return or another end; *err: the event is impossible.  False: as above. */
bool online_watch_end(struct online *o, struct online_part *p,
                      const struct log_event *ev, int *err, struct error *e);
/* Replaces the watch by a search of its past. */
void online_unwatch(struct online *o, struct online_part *p);

/* online_parts.c */
uint64_t part_hash(datum key);
struct online_part *part_find(const struct online *o, datum key);
struct online_part *part_new(struct online *o, datum key);
void part_free(struct online *o, struct online_part *p);
/* Forgets operations that no stage needs; frees the part if its state is the
 * initial one. */
void part_tidy(struct online *o, struct online_part *p);
void part_add_op(struct online_part *p, const struct log_op *op,
                 const struct type_op *prepared);
struct frontier_stage stage_spare(struct online *o);
void stage_recycle(struct online *o, struct frontier_stage *s);
/* Drops states of the type that no stage holds. */
void online_forget(struct online *o);

/* online_queue.c */
/* The type that unbounded queues are searched with; `inner` is the caller's. */
struct type *online_queue(struct type *inner);

/* online_text.c */
/* Why no order explains the return of `x`, the last event of the part. */
char *online_explain(struct online *o, struct online_part *p,
                     const struct online_open *x);
/* Whether the operation is one of the stream, not one of a watch's past. */
bool online_is_real(const struct log_op *op);
/* The same with `lookahead`: the engine is stuck at the return of `op`. */
char *online_explain_stuck(struct online *o, const struct log_op *op);

#endif
