/*
 * Time stamps of real threads: when was an operation called, when had it
 * returned, as cheaply as the machine allows.
 *
 * "a before b" may be recorded only if it is true: a had returned before b was
 * called.  (An order that is not recorded is no mistake: it only allows more.)
 * Three things could make a record too strong:
 *
 * (T1) The stamp of a call taken too late, or that of a return too early.  The
 *      call is stamped before it is made and the return after it was made.
 *      machine_ticks waits until all earlier instructions have executed, and
 *      machine_ticks_hold behind the call's stamp keeps the operation from
 *      beginning before the stamp was read.  A store of the operation may still
 * be in the store buffer when its return is stamped, and become visible later:
 *      that is the truth about the machine, and such an operation did return.
 * (T2) Clocks of two processors that differ.  Let C_q(t) = C_p(t) + d; d is
 *      constant, since the counter is invariant (machine_has_ticks, or we do
 *      not use it).  When a message that carries p's time x is received and
 * then q's clock shows y, then y - x = d + (time under way) >= d.  So the least
 *      y - x of many messages is an upper bound of d; `margin` is the largest
 *      of these bounds over all pairs of processors, both ways.  We record
 *      a before b only if ret(a) + margin < call(b): with a on p and b on q,
 *      C_p(call b) = C_q(call b) - d > C_p(ret a) + margin - d >= C_p(ret a).
 * (T3) A thread that is not where it was put.  Threads are bound to the
 *      processors that were measured; machine_ticks names the processor that
 *      it read, and an execution in which another name appears is discarded.
 *
 * The order must also be that of intervals on one line, in which a thread's
 * own calls follow each other (H3 of model/history.h).  A margin breaks that:
 * two threads that each make two calls within one margin have no such order.
 *     margin 50:  T1 [100, 110] [120, 130]: the first does not end before the
 *     second begins.  So a thread waits after each return until the margin is
 *     over (stamp_pass), and the second begins after 160.
 *
 * Where there is no invariant counter or the bound is large, a shared counter
 * is stepped by each stamp instead.  Its steps are totally ordered and locked
 * instructions are full fences, so a smaller number is earlier in time; the
 * price is one cache line that all threads pull at, and fences that hide what
 * a store buffer does.
 */
#ifndef SEARCH_STAMP_H
#define SEARCH_STAMP_H

#include "rt/machine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum stamp_clock { STAMP_ANY, STAMP_TSC, STAMP_COUNTER };
enum { STAMP_MAX_CPUS = 16 };

struct stamps {
  enum stamp_clock clock; /* never STAMP_ANY */
  uint64_t margin;        /* in ticks of the clock; 0 for the counter */
  uint32_t ncpus;         /* the processors to bind threads to */
  uint16_t cpu[STAMP_MAX_CPUS];
};

/*
 * Chooses processors for so many threads and a clock.  STAMP_TSC is a wish
 * that is not fulfilled where the clock would not be sound: see `clock`.
 */
void stamps_init(struct stamps *s, enum stamp_clock clock, uint32_t nthreads);

/* Binds the calling thread to one of the processors; false: not possible. */
bool stamps_bind(const struct stamps *s, uint32_t thread);

/* One thread's view. */
struct stamper {
  _Atomic uint64_t *counter; /* NULL: the time stamp counter */
  uint64_t margin;
  uint32_t cpu;   /* where it is bound */
  uint32_t moved; /* not 0: it was elsewhere (T3) */
};

static inline uint64_t stamp_read(struct stamper *s) {
  uint32_t cpu;
  uint64_t t = machine_ticks(&cpu);
  s->moved |= cpu ^ s->cpu;
  return t;
}

static inline uint64_t stamp_call(struct stamper *s) {
  if (s->counter)
    return atomic_fetch_add(s->counter, 1) + 1;
  uint64_t t = stamp_read(s);
  machine_ticks_hold();
  return t;
}

static inline uint64_t stamp_return(struct stamper *s) {
  return s->counter ? atomic_fetch_add(s->counter, 1) + 1 : stamp_read(s);
}

/* Between a return and the next call. */
static inline void stamp_pass(struct stamper *s, uint64_t ret) {
  if (!s->counter)
    while (stamp_read(s) <= ret + s->margin && !s->moved)
      machine_pause();
}

#endif
