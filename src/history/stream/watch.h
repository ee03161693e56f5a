/*
 * A watch is the monitor of a stream (online.h) of one object, or of one key:
 * it knows after each event whether there is an order, without search, and
 * keeps of the past only what can still matter.  It answers what search answers
 * for the history so far, in which open operations are pending.
 *                                                     tests/agree/watch.c
 *
 * A watch has assumptions, which it checks on its way.  Before an event that
 * breaks one it gives way to search: it says a short history that every
 * continuation treats like the one that was (its past).  That one has the open
 * operations as they are; of the others some may have other intervals, or
 * values that nobody uses.
 *
 * Times count the events from 1.
 */
#ifndef HISTORY_STREAM_WATCH_H
#define HISTORY_STREAM_WATCH_H

#include "history/log_engine.h"

#define WATCH_NEVER UINT64_MAX
#define WATCH_NONE UINT32_MAX

/* No file has such values: of the kind of DATUM_NONE and DATUM_TRUE, but beyond
 * them. */
static inline datum watch_fresh_value(uint32_t i) {
  return (datum)(i + 1) << 5 | 2;
}

enum watch_end {
  WATCH_GOOD,
  WATCH_BAD,    /* no order explains it: `why` */
  WATCH_CANNOT, /* an assumption fails; nothing was changed */
  WATCH_TIRED   /* it would take too long to know */
};

struct watch_op { /* an open operation */
  uint32_t process;
  bool lost;     /* open for too long: it is not known when it returns */
  uint64_t call; /* time */
  struct log_op op;
  struct type_op t;
};

/* Operations of the past; times are those of the watch times PAST_SCALE, so
 * that something can happen between two events. */
enum { PAST_SCALE = 64 };
struct watch_past_op {
  struct log_op op;
  struct type_op t;
  uint64_t call, ret; /* WATCH_NEVER: pending */
};
struct watch_past {
  VEC(struct watch_past_op) ops;
  uint64_t end; /* a time behind all others, to be counted up */
};

struct watch;
struct watch_kind {
  const char *shape; /* of the types that it is for (spec/type.h) */
  struct watch *(*make)(struct type *t);
  /* An operation was called; what the type makes of it is x->t. */
  enum watch_end (*called)(struct watch *w, const struct watch_op *x);
  /* It returned, and t is what the type makes of it now. */
  enum watch_end (*returned)(struct watch *w, const struct watch_op *x,
                             const struct type_op *t);
  /* As if it had not been called. */
  enum watch_end (*dropped)(struct watch *w, const struct watch_op *x);
  /* It will not return. */
  void (*crashed)(struct watch *w, const struct watch_op *x);
  /* It is open for long: is it given up, since others are remembered for it?
   * NULL: what reads is. */
  bool (*gives_up)(struct watch *w, const struct watch_op *x);
  /* The operations that are not open any more, or crashed.  False: they are
   * not known. */
  bool (*past)(struct watch *w, struct watch_past *out);
  bool (*is_new)(const struct watch *w); /* as it was at first */
  uint64_t (*bytes)(const struct watch *w);
  void (*free)(struct watch *w);
};

/* An operation that was seen: others are made from it. */
struct watch_form {
  bool known;
  struct log_op op;
  struct type_op t;
};

/* Things by value. */
struct value_slot {
  datum value;
  uint32_t id; /* WATCH_NONE: free */
};
struct value_map {
  struct value_slot *slots;
  uint32_t n, size;
};
/* Adds it, or changes what it leads to. */
void value_map_put(struct value_map *m, datum value, uint32_t id);
uint32_t value_map_get(const struct value_map *m, datum value); /* or NONE */
void value_map_drop(struct value_map *m, datum value);

struct watch {
  const struct watch_kind *kind;
  struct type *type;
  uint64_t now;               /* the last event */
  VEC(struct watch_op) open;  /* in no order */
  struct value_map processes; /* that have one, to its place there */
  uint64_t look_at;           /* when those that are open for long are found */
  bool remembers, hastens;    /* online.h */
  struct buf why;
  /* What puts a value, what got one, what is to get one, what got none. */
  struct watch_form put, got, getting, missed;
};

struct watch *watch_queue(struct type *t);
struct watch *watch_box(struct type *t); /* stack, pqueue, max-pqueue */
struct watch *watch_register(struct type *t);
struct watch *watch_list(struct type *t);
struct watch *watch_set(struct type *t); /* or multiset, one element */

/* For operations on one object of this type; NULL: there is none. */
struct watch *watch_new(struct type *t);
void watch_free(struct watch *w);
/* Of what all kinds have, without themselves. */
static inline uint64_t watch_bytes(const struct watch *w) {
  return w->open.cap * sizeof *w->open.at +
         w->processes.size * sizeof *w->processes.slots;
}

/* An operation joins those that are open, which have one for each process; the
 * k-th of them leaves. */
void watch_open(struct watch *w, struct watch_op x);
void watch_close(struct watch *w, uint32_t k);

void form_learn(struct watch_form *f, const struct log_op *op,
                const struct type_op *t);
/* value: what it puts or got; DATUM_NONE: as it was. */
void past_add(struct watch_past *p, const struct watch_form *f, datum value,
              uint64_t call, uint64_t ret);

#endif
