/*
 * What the two sides of stress share: the caller's (stress.c) and the process
 * that runs user code (stress_child.c).
 *
 * (L1) the caller writes the log only while the child does not run a batch;
 *      it reads it then, and after the child has ended.
 * (L2) a record's `call` is written before the call is made, `raw` after it
 *      returned, then `ret`: zero means not yet.
 */
#ifndef SEARCH_STRESS_INT_H
#define SEARCH_STRESS_INT_H

#include "search/stress.h"

#include <assert.h>
#include <stddef.h>
#include <sys/types.h>

enum {
  RESTORES_MAX = 500,  /* in one process: pthread keys may be used up by them */
  TEXT_SIZE = 1 << 20, /* string results of one thread in one batch */
  TEXT_ENOUGH = TEXT_SIZE / 2,
  THREADS_MAX = CLIENT_MAX_THREADS + 1, /* 0 is the main thread */
};

struct stress_record {
  uint64_t call, ret;
  int64_t raw; /* the result; a string: offset of its text + 1, or 0 */
};

enum batch_state {
  BATCH_RUN,   /* the child works */
  BATCH_FULL,  /* the caller's turn; the child waits */
  BATCH_ENDED, /* the caller's turn; the child ends (R1) */
};

enum trouble { TROUBLE_NONE, TROUBLE_TEXT };

struct round_end {
  uint8_t invariant, moved;
};

/* The head of the shared memory. */
struct stress_shared {
  _Alignas(64) _Atomic uint32_t state; /* enum batch_state; a futex */
  volatile uint32_t done;              /* complete rounds in this batch */
  volatile uint32_t stop;              /* no more rounds in this batch */
  volatile uint32_t trouble;
  volatile uint32_t moved; /* in this round, a thread was elsewhere (T3) */
  uint32_t wanted;         /* rounds of this batch, at most `slots` */
  uint64_t first;          /* the number of the batch's first round */
  _Alignas(64) _Atomic uint64_t counter;
  struct {
    _Alignas(64) volatile uint64_t steps; /* calls begun and ended */
    uint64_t text_used;
  } thread[THREADS_MAX];
};

/* Of one client; (offsets are from `shared`.) */
struct stress_layout {
  uint32_t first[THREADS_MAX], count[THREADS_MAX]; /* ids; 0: see record_at */
  size_t records[THREADS_MAX]; /* in a slot; each on cache lines of its own */
  size_t slot_size, slots_at, ends_at, texts_at, size;
  uint32_t slots;
};

struct data_segment { /* writable memory of the object, as it was loaded */
  uint8_t *at, *copy;
  size_t size;
};

struct stress {
  struct stress_options options;
  struct stamps stamps;
  uint32_t stamped_for; /* `stamps` is for so many threads; 0: none yet */
  void *handle;
  VEC(struct data_segment) data;
  /* Copying these back is enough: as they were loaded, they have no pointer
   * into memory that is not copied and could have been changed. */
  bool restorable;
  uint8_t *tls_main;  /* the main thread's block, as it was loaded */
  uint8_t *tls_fresh; /* a new thread's */
  size_t tls_size;
  /* of the run */
  const struct fl_suite *suite;
  const struct client *client;
  const struct fl_op **ops; /* by number */
  uint32_t nops;
  uint64_t seed;
  struct stress_layout layout;
  struct stress_shared *shared;
  bool short_lived;   /* the last child ended after one round */
  pid_t owner, child; /* the caller's process; the one below it, or 0 */
};

static inline struct stress_record *record_of(const struct stress *s,
                                              uint32_t slot, uint32_t thread,
                                              uint32_t index) {
  const struct stress_layout *l = &s->layout;
  assert(slot < l->slots);
  return (struct stress_record *)((uint8_t *)s->shared + l->slots_at +
                                  slot * l->slot_size + l->records[thread]) +
         index;
}

/* The main thread's records are those of its initial, then its final calls. */
static inline struct stress_record *record_at(const struct stress *s,
                                              uint32_t slot, uint32_t id) {
  uint32_t t = s->client->calls[id].thread;
  uint32_t index = id - s->layout.first[t];
  if (!t && id >= s->client->ninit)
    index = s->client->ninit + id - client_first_final(s->client);
  return record_of(s, slot, t, index);
}

static inline struct round_end *round_end_of(const struct stress *s,
                                             uint32_t slot) {
  assert(slot < s->layout.slots);
  return (struct round_end *)((uint8_t *)s->shared + s->layout.ends_at) + slot;
}

static inline char *texts_of(const struct stress *s, uint32_t thread) {
  return (char *)s->shared + s->layout.texts_at + (size_t)thread * TEXT_SIZE;
}

/* Waits while *word is `value`, or until the time is over (0: for ever). */
void stress_futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t ms,
                       bool shared);
void stress_futex_wake(_Atomic uint32_t *word, bool shared);

/* The body of the process that runs user code. */
_Noreturn void stress_child(struct stress *s);

#endif
