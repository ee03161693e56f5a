/*
 * A watch is the monitor of a stream (online.h) of one object, or of one key.
 * After each event it knows whether the history so far has an order, without a
 * search.  Open operations count as pending.  It remembers of the past only
 * what can still matter.  Its answers are those of search: tests/agree/watch.c
 *
 * A watch makes assumptions, and checks them as it goes.  Before an event that
 * breaks one it gives way to search and hands over its past: a short history
 * that every continuation treats like the real one.  The past has all open
 * operations as they are; other operations may have other intervals, or fresh
 * values that no later event uses.
 *
 * Times count the events from 1.
 */
#ifndef HISTORY_STREAM_WATCH_H
#define HISTORY_STREAM_WATCH_H

#include "history/log_engine.h"

#define WATCH_NEVER UINT64_MAX
#define WATCH_NONE UINT32_MAX

/* Values that no file has: of the kind of DATUM_NONE and DATUM_TRUE, but beyond
 * them. */
static inline datum watch_fresh_value(uint32_t i) {
  return (datum)(i + 1) << 5 | 2;
}

enum watch_end {
  WATCH_GOOD,
  WATCH_BAD,    /* the history has no order; `why` says so in words */
  WATCH_CANNOT, /* an assumption fails; nothing was changed */
  WATCH_TIRED   /* the answer would take too long */
};

struct watch_op { /* an open operation */
  uint32_t process;
  bool lost;     /* given up: open for too long */
  uint64_t call; /* time */
  struct log_op op;
  struct type_op t;
};

/* The past of a watch.  Its times are those of the watch times PAST_SCALE:
 * there is room between two events. */
enum { PAST_SCALE = 64 };
struct watch_past_op {
  struct log_op op;
  struct type_op t;
  uint64_t call, ret; /* WATCH_NEVER: pending */
};
struct watch_past {
  VEC(struct watch_past_op) ops;
  uint64_t end; /* a time after all others; whoever uses it counts it up */
};

struct watch;
struct watch_kind {
  /* Called when an operation is called; x->t is the operation as the type sees
   * it. */
  enum watch_end (*called)(struct watch *w, const struct watch_op *x);
  /* Called when it returns; t is the operation with its result. */
  enum watch_end (*returned)(struct watch *w, const struct watch_op *x,
                             const struct type_op *t);
  /* Called when it is known to have taken no effect. */
  enum watch_end (*dropped)(struct watch *w, const struct watch_op *x);
  /* Called when it will not return, and may take effect at any time. */
  void (*crashed)(struct watch *w, const struct watch_op *x);
  /* Called when it has been open for long.  True: the watch remembers others
   * for its sake, and gives it up. */
  bool (*gives_up)(struct watch *w, const struct watch_op *x);
  /* The past: operations that have returned or crashed.  False: the watch has
   * forgotten too much. */
  bool (*past)(struct watch *w, struct watch_past *out);
  bool (*is_new)(const struct watch *w); /* its state is the initial one */
  uint64_t (*bytes)(const struct watch *w);
  void (*free)(struct watch *w);
};

/* An operation of the stream, as a pattern for operations of the past. */
struct watch_form {
  bool known;
  struct log_op op;
  struct type_op t;
};

/* A map from values to numbers.  No TABLE of base/table.h: values are taken
 * out, and the map of one of many keys begins with 8 slots and shrinks. */
struct value_slot {
  datum value;
  uint32_t id; /* WATCH_NONE: free */
};
struct value_map {
  struct value_slot *slots;
  uint32_t n, size;
};
/* Adds the value, or changes its number. */
void value_map_put(struct value_map *m, datum value, uint32_t id);
/* WATCH_NONE: the map does not have it. */
uint32_t value_map_get(const struct value_map *m, datum value);
void value_map_drop(struct value_map *m, datum value);

struct watch {
  const struct watch_kind *kind;
  struct type *type;
  uint64_t now;               /* time of the last event */
  VEC(struct watch_op) open;  /* in no order */
  struct value_map processes; /* process to the place of its open operation */
  uint64_t look_at;           /* when long-open operations are searched for */
  bool remembers, hastens;    /* struct online_options */
  struct buf why;
  /* Patterns: an insertion or write, an operation that returned a value, an
   * open one that may, and one that returned "empty". */
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
/* Bytes of what all kinds share, without the struct itself. */
static inline uint64_t watch_bytes(const struct watch *w) {
  return w->open.cap * sizeof *w->open.at +
         w->processes.size * sizeof *w->processes.slots;
}

/* An operation joins `open`, which has one of each process; the k-th leaves. */
void watch_open(struct watch *w, struct watch_op x);
void watch_close(struct watch *w, uint32_t k);

void form_learn(struct watch_form *f, const struct log_op *op,
                const struct type_op *t);
/* Adds an operation like *f.  value: its argument or result; DATUM_NONE: that
 * of the pattern. */
void past_add(struct watch_past *p, const struct watch_form *f, datum value,
              uint64_t call, uint64_t ret);

#endif
