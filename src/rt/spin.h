/*
 * Threads that go round in loops until another thread changes what they read.
 * spin.c finds them and parks them; await.c does so in a way that suits
 * searches over traces (rt_awaits), and is used while E.awaits.
 *
 * (L1) E.live.spinning has the threads whose fiber_state says `spinning`.  All
 *      of them are parked.
 * (L2) E.loopers has the threads with records in E.spin; those of others are
 *      never read.
 */
#ifndef RT_SPIN_H
#define RT_SPIN_H

#include "rt/fiber.h"

enum { SPIN_MAX = 24 };

/* A step of a loop, as it was when the thread came to it. */
struct spin_record {
  uint64_t pc, addr, size;
  uint64_t local;   /* hash of the thread's local state */
  uint64_t changed; /* await.c: by others, since the step was made … */
  uint64_t value;   /* … in which this was read */
  uint32_t held;    /* locks, when it came here */
  uint32_t kind;    /* of its step */
};
struct spin {
  uint32_t n;
  uint32_t pending; /* await.c: the last one's step is still to be made */
  uint32_t round;   /* where the round begins that led to an await */
  struct spin_record at[SPIN_MAX];
};

/* The thread has come to its next step by one that was made at pc `from`. */
void fl__spin_arrive(int thread, uint64_t from) FL_HIDDEN;
/* The thread has changed [addr, addr+size): wakes those that wait for that. */
void fl__spin_changed(int thread, uint64_t addr, uint64_t size) FL_HIDDEN;
void fl__spin_forget(int thread) FL_HIDDEN;
/* Nobody can end the loop of a thread that spins: it reads nothing. */
bool fl__spin_is_blind(int thread) FL_HIDDEN;

/* Half of a timed wait: when it has timed out, all is as it was before. */
static inline bool fl__in_timed_wait(const struct fiber_state *f,
                                     uint8_t kind) {
  return UNLIKELY(f->in_wait) && (kind == EV_COND_WAIT || kind == EV_WAIT_OVER);
}

void fl__await_arrive(int thread) FL_HIDDEN;
/* The thread stands where it did before the steps of the records from `round`
 * on: its next step is an await.  False: that round does not count. */
bool fl__await(int thread, uint32_t round) FL_HIDDEN;
void fl__await_changed(int thread, uint64_t addr, uint64_t size) FL_HIDDEN;

/* L1 and L2; for check_slow and tests. */
bool fl__spin_check_invariants(void) FL_HIDDEN;

#endif
