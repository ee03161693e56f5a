/*
 * Happens-before of an execution, as vector clocks: what each thread knows of
 * the others.  (hb of C11: program order, what synchronises, and nothing else;
 * the order in which the scheduler ran the steps is not part of it.)
 *
 * Words.  An epoch of a thread is what it does between two moments at which
 * others can learn of it.  A clock says for each thread up to which of its
 * epochs all is known.  A view is the clock that is handed over: by the last
 * write to an atomic location to acquire loads that read it, by an unlock to
 * the next lock, and so on.  A place is an address that has a view: an atomic
 * location, or an object that synchronises (a mutex, a futex word, …).
 *
 * Rules, those of C++20:
 *   store release          view = clock
 *   store relaxed          view = clock at the last release fence, if any; it
 *                          does not continue a release sequence
 *   read-modify-write      the same, joined with the view that was there
 *   load acquire           clock += view
 *   load relaxed           pending += view; an acquire fence: clock += pending
 *   plain store            the place has no view any more
 *   unlock, post, signal … view += clock;  lock, wait, wake …  clock += view
 *   code without hooks     as acquire loads, release stores and both
 *
 * Which view is read, and what becomes of it, is decided by whoever keeps the
 * writes: under SC a location has its last write only, and the table in here
 * has its view.  A memory model with lists of writes gives each write of a list
 * a `struct order_clock` of its own, filled by fl__order_write_view when the
 * write is made (for a read-modify-write from the view of the write that it
 * reads, else from an empty one), and calls fl__order_read_view with the view
 * of the write that a load reads.  It then answers fl__order_settle for atomic
 * accesses itself, and the table is left to the objects that synchronise.
 *
 * All this is done while E.ordering only, which is fixed when a client is
 * prepared (E.live.ordered says that a snapshot has clocks).  What a step does
 * to the clocks is noted when the thread is about to make it and done when it
 * is known how it turned out: when the thread has come to its next step, or in
 * it to something else that has to do with the order (a fence, a new thread).
 *
 * (O1) thread t's own entry of its clock is larger than in all views and
 *      clocks of others, once t has made a step since it was last handed over.
 * (O2) no two entries of the table have the same granule, offset and size.
 */
#ifndef RT_ORDER_H
#define RT_ORDER_H

#include "rt/engine.h"

struct order_clock {
  uint32_t at[RT_MAX_THREADS];
};

/* ---- one access or synchronisation ---- */

static inline bool fl__order_acquires(int order) {
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}
static inline bool fl__order_releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}

/* Thread t has read a write with this view … */
void fl__order_read_view(int t, const struct order_clock *view,
                         int order) FL_HIDDEN;
/* … or writes: *view has that of the write which a read-modify-write reads, and
 * gets its own. */
void fl__order_write_view(int t, int order, bool rmw,
                          struct order_clock *view) FL_HIDDEN;

void fl__order_fence(int order) FL_HIDDEN;
/* The running thread synchronises by an object: what was released there comes
 * before what it does now; what it did comes before who acquires there. */
void fl__order_acquire(uint64_t object) FL_HIDDEN;
void fl__order_release(uint64_t object) FL_HIDDEN;
/* Thread `by` starts thread t; thread t is over for thread `by`. */
void fl__order_fork(int by, int t) FL_HIDDEN;
void fl__order_join(int by, int t) FL_HIDDEN;
/* An atomic write to a location that is none of the steps. */
void fl__order_hidden(uint64_t addr, uint64_t size) FL_HIDDEN;

/* ---- steps ---- */

/* The pending access of t is about to be made … */
void fl__order_making(int t) FL_HIDDEN;
/* … and is made now. */
void fl__order_settle(void) FL_HIDDEN;

/* ---- state ---- */

void fl__order_begin(void) FL_HIDDEN; /* a client is about to be prepared */
void fl__order_save(struct snapshot *s) FL_HIDDEN;
const uint8_t *fl__order_load(const uint8_t *p) FL_HIDDEN;
/* The clock of a thread; valid until the next step. */
const struct order_clock *fl__order_clock(int t) FL_HIDDEN;
/* Views and what is kept for fences: calls `each` with what tells them apart. */
void fl__order_each_view(void (*each)(void *ctx, uint64_t where, uint64_t what,
                                      const struct order_clock *view),
                         void *ctx) FL_HIDDEN;
/* O1, O2; for check_slow and tests. */
bool fl__order_check_invariants(void) FL_HIDDEN;

#endif
