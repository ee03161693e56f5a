/*
 * Vector clocks of the on-line monitor.  A clock has a number for each thread:
 * how many epochs of it come before.  An epoch is a transaction of a thread, or
 * some of its events outside of transactions, between which the thread's clock
 * does not change.
 *
 * Objects do not have clocks.  They name the epoch of their last write and
 * those of the reads since; an epoch that has ended keeps its clock in a `shot`
 * as long as an object names it.
 *
 * (1) a clock that has (t, number) of an ended epoch has all of its shot.  So
 *     when clock[number's thread] >= number, there is nothing to take up.
 * (2) a shot that has the number of a running transaction is in the list
 *     `pending` of its thread, and takes up its clock when it ends.
 * (3) shots of running transactions are not filled in: the thread's clock is
 *     theirs.
 */
#ifndef ATOMICITY_CLOCKS_H
#define ATOMICITY_CLOCKS_H

#include "base/vec.h"

#include <stdbool.h>
#include <string.h>

#define NO_SHOT UINT32_MAX /* a thread has none */
#define MANY UINT32_MAX    /* as the thread of an epoch: see `readers` */

struct epoch {
  uint32_t thread, number, shot; /* number 0: none */
};

struct clock_object {
  struct epoch write;
  struct epoch read; /* since the write; MANY: shot is a row of readers */
};

struct clock_reader {
  uint32_t number, shot; /* number 0: has not read */
};

struct clock_thread {
  uint32_t depth; /* of begins */
  uint32_t shot;  /* of its epoch, or NO_SHOT */
  bool changed;   /* the clock has grown since the begin */
  bool seen;      /* it has had an event */
  VEC(uint32_t) pending;
};

struct clocks {
  uint32_t nthreads, cap; /* cap: components of a clock, a multiple of 4 */
  uint32_t words;         /* of a set of threads */
  struct clock_thread *thread;
  uint32_t *clock;   /* cap a thread */
  uint32_t *running; /* by thread: number of its transaction, or UINT32_MAX */
  uint32_t nobjects, objects_cap;
  struct clock_object *object;
  uint32_t nshots; /* shot 0 is nobody's */
  uint32_t *shots; /* cap a shot */
  uint64_t *waits; /* words a shot: in whose `pending` it is */
  uint8_t *marked; /* while shots are collected */
  VEC(uint32_t) free_shots;
  struct clock_reader *readers; /* cap a row */
  uint32_t nrows, rows_cap;
  VEC(uint32_t) free_rows; /* all of their numbers are 0 */
};

void clocks_free(struct clocks *m);
void clocks_threads(struct clocks *m, uint32_t thread); /* room for it */
void clocks_objects(struct clocks *m, uint32_t object);

/* A shot that no object names. */
uint32_t clocks_shot(struct clocks *m);
/* A row without readers. */
uint32_t clocks_row(struct clocks *m);
/* (2) for a shot that has just been filled in. */
void clocks_keep_pending(struct clocks *m, uint32_t shot);

static inline uint32_t *clock_of(const struct clocks *m, uint32_t t) {
  return m->clock + (size_t)t * m->cap;
}
static inline uint32_t *clock_of_shot(const struct clocks *m, uint32_t shot) {
  return m->shots + (size_t)shot * m->cap;
}
static inline struct clock_reader *readers_of(const struct clocks *m,
                                              uint32_t row) {
  return m->readers + (size_t)row * m->cap;
}

typedef uint32_t clock_four __attribute__((vector_size(16), may_alias));

/* a := a join b; whether a has changed. */
static inline bool clock_join(uint32_t *restrict a, const uint32_t *restrict b,
                              uint32_t n) {
  clock_four change = {0};
  for (uint32_t i = 0; i < n; i += 4) {
    clock_four x = *(const clock_four *)(a + i), y = *(clock_four *)(b + i);
    clock_four less = (clock_four)(x < y);
    change |= less;
    *(clock_four *)(a + i) = (y & less) | (x & ~less);
  }
  return change[0] | change[1] | change[2] | change[3];
}

#endif
