/*
 * C11 (rt_options.c11): the execution graphs of RC11 (Lahav, Vafeiadis, Kang,
 * Hur, Dreyer, "Repairing sequential consistency in C/C++11", PLDI 2017, with
 * the release sequences of C++20), one event after the other.
 *
 * Words.  A location is what atomics access.  Its writes have a total order,
 * mo.  An event of a thread knows what happens before it (hb): how many events
 * of each thread.  A view is that, with the calls of the client that have
 * returned before.  A write carries the view that whoever reads it with acquire
 * takes over.
 *
 * sb ∪ rf has no circle (RC11 forbids it), so each thread runs in its order and
 * an event comes when all that it depends on is there.  Then only an access of
 * an atomic has a choice: a load may read each write that coherence allows, a
 * store takes a place in mo, a read-modify-write the place right behind what it
 * reads.  Memory holds the last write in mo, which plain accesses see.
 *
 * (V1) a load reads nothing that is in mo before a write that happens before
 *      it, or before what a read read that happens before it.  A store's place
 *      is behind all these.
 * (V2) nothing comes between a write and the read-modify-write that read it.
 * (V3) psc has no circle (writes_sc.c).
 * (V4) there always is a choice: the last write, the last place.
 * The newest is alternative 0: a driver that always answers 0 has sequential
 * consistency.
 */
#ifndef RT_WRITES_H
#define RT_WRITES_H

#include "rt/engine.h"

#include "base/buf.h"

/* The hooks of atomics, when their step is made.  `value`, `old` and the like
 * have `size` bytes. */
void fl__c11_load(uint64_t addr, uint64_t size, int order,
                  void *value) FL_HIDDEN;
void fl__c11_store(uint64_t addr, uint64_t size, int order,
                   const void *value) FL_HIDDEN;
/* A read-modify-write: what it reads, then what it writes. */
void fl__c11_rmw_read(uint64_t addr, uint64_t size, int order,
                      void *old) FL_HIDDEN;
void fl__c11_rmw_write(uint64_t size, int order, const void *value) FL_HIDDEN;
/* A compare-and-swap; *expected becomes what was read. */
bool fl__c11_cas(uint64_t addr, uint64_t size, int order, int fail_order,
                 bool may_fail, void *expected, const void *desired) FL_HIDDEN;
void fl__c11_fence(int order) FL_HIDDEN;

/* The running thread makes a step on a synchronization object; it succeeded, or
 * is yet to (fl__tried). */
void fl__c11_sync(uint8_t kind, uint64_t addr, uint64_t other) FL_HIDDEN;
void fl__c11_release(uint64_t object) FL_HIDDEN;
void fl__c11_acquire(uint64_t object) FL_HIDDEN;
void fl__c11_join(int thread) FL_HIDDEN; /* has ended */
void fl__c11_fork(int thread, int child) FL_HIDDEN;

/* The calls that happen before what the running thread does now; and one more.
 */
uint64_t fl__c11_calls(void) FL_HIDDEN;
void fl__c11_returned(uint32_t call) FL_HIDDEN;

/* Thread t is about to make a plain access, or to free a block; false: it is a
 * data race with an access before, and E.fault says so.  Behind the access, the
 * second one. */
bool fl__c11_plain(int t, uint8_t kind, uint64_t addr, uint64_t size) FL_HIDDEN;
void fl__c11_plain_made(void) FL_HIDDEN;

/* A thread's loop has gone round without effect.  Could it have read something
 * else on the way?  Then it will: it goes on, and reads something else. */
bool fl__c11_goes_on(int thread, const struct spin *s,
                     uint32_t round) FL_HIDDEN;
/* Changes whenever the thread reads another write of a location than before:
 * then it has not gone round, whatever the values are. */
uint64_t fl__c11_progress(int thread) FL_HIDDEN;
/* The same for one that is woken. */
void fl__c11_woken(int thread, const struct spin *s) FL_HIDDEN;

/* All that was done happens before all that will be. */
void fl__c11_begin(void) FL_HIDDEN;

struct snapshot;
void fl__c11_save(struct snapshot *s) FL_HIDDEN;
const uint8_t *fl__c11_load_state(const uint8_t *p) FL_HIDDEN;
/* The graph, however it came about; and what threads in loops have to do. */
void fl__c11_hash(struct snapshot *s) FL_HIDDEN;

#endif
