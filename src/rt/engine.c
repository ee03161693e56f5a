/*
 * The engine's state and its invariants; executions from their beginning to
 * their end, in one go (rt_run) and step by step (rt_step).
 */
#include "rt/engine.h"

#include "rt/bound.h"
#include "rt/buffer.h"
#include "rt/calls.h"
#include "rt/execute.h"
#include "rt/order.h"
#include "rt/progress.h"
#include "rt/race.h"
#include "rt/record.h"
#include "rt/snapshot.h"

#include "base/slow.h"

struct engine fl__e;

/* ---- invariants ---- */

static uint32_t first_threads(uint32_t n) {
  return n < 32 ? (1u << n) - 1 : UINT32_MAX;
}

bool fl__engine_check_invariants(void) {
  const struct live *l = &E.live;
  uint32_t all = first_threads(l->nfibers);
  uint32_t named = l->parked | l->waiting | l->transit | l->clients |
                   l->spinning | l->keyed | l->arenas | l->inside | l->buffered;
  assert(!E.in_fiber); /* R2 */
  assert(l->nfibers <= RT_MAX_THREADS);
  assert(!(named & ~all));            /* E3 */
  assert(!(l->waiting & ~l->parked)); /* E4 */
  for (uint32_t left = l->parked; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    const struct fiber_state *f = &E.fiber[t];
    assert(f->status == FIBER_PARKED);
    assert((f->can != NULL) == (l->waiting >> t & 1)); /* F1 */
    assert(f->call == EVENT_NO_CALL || f->call < fl__ncalls());
  }
  return fl__spin_check_invariants() && fl__keys_check_invariants() &&
         (!E.options.tso || fl__buffers_check_invariants()) &&
         (!E.ordering ||
          (fl__order_check_invariants() && fl__race_check_invariants()));
}

/* ---- running ---- */

struct rt_conditions rt_suspend_conditions(void) {
  struct rt_conditions before = {E.always, E.watches};
  E.always = E.watches = 0;
  return before;
}

void rt_resume_conditions(struct rt_conditions before) {
  E.always = before.always;
  E.watches = before.watches;
}

/* To the prepared state.  Threads stand before their first access there,
 * which need not be a step. */
static int restart(const struct rt_driver *d) {
  assert(!E.in_fiber); /* R2 */
  rt_restore(&E.start);
  if (UNLIKELY(E.stack_shared))
    fl__clean_shared();
  if (UNLIKELY(E.shadowing))
    fl__shadow_restart();
  E.fault.kind = FAULT_NONE;
  fl__bound_begin();
  int end = FL_GOES_ON;
  if (E.reduce)
    for (uint32_t t = 0; t < E.live.nfibers && end == FL_GOES_ON; t++)
      if (E.live.parked >> t & 1) {
        if (E.stepwise)
          fl__clean_below((int)t);
        end = fl__run_locals((int)t, end, d);
      }
  if (UNLIKELY(E.watches))
    fl__progress_begin();
  if (UNLIKELY(E.always | E.watches) && end == FL_GOES_ON && !fl__may_be_so())
    return RT_FAULT;
  return end;
}

/* The caller runs again: its own thread-local variables, and the history. */
static void give_back(int end) {
  if (E.options.uses_tls)
    fl__use_thread_pointer(E.own_thread_pointer);
  E.history.stuck = end == RT_STUCK;
}

/* The threads have begun their next calls, which may be some of those. */
static void leave_calls_out(const struct rt_driver *d) {
  E.without = d ? d->without : NULL;
  for (uint32_t t = 1; E.without && t <= E.client->nthreads; t++) {
    const struct fiber_state *f = &E.fiber[t];
    if (f->status == FIBER_PARKED && f->call != EVENT_NO_CALL && !f->called &&
        E.without[f->call])
      fl__leave_call_out((int)t);
  }
}

static enum rt_end finish(int begun, const struct rt_driver *d) {
  leave_calls_out(d);
  enum rt_end end = begun == FL_GOES_ON ? fl__run(d) : (enum rt_end)begun;
  if (end == RT_DONE)
    fl__bound_ended();
  E.without = NULL;
  give_back((int)end);
  return end;
}

enum rt_end rt_run(const struct rt_driver *d) {
  E.stepwise = 0;
  return finish(restart(d), d);
}

enum rt_end rt_run_on(const struct snapshot *s, const struct rt_driver *d) {
  assert(!E.in_fiber); /* R2 */
  rt_restore(s);
  if (UNLIKELY(E.stack_shared))
    fl__clean_shared();
  E.stepwise = 0;
  E.fault.kind = FAULT_NONE;
  fl__bound_begin();
  return finish(FL_GOES_ON, d);
}

enum rt_end rt_run_recorded(const struct rt_driver *d, struct arena *a,
                            struct trace *t) {
  assert(!E.reduce); /* a trace shows every access as a step */
  E.stepwise = 0;
  E.shadowing |= SHADOW_CHAINS;
  int begun = restart(d);
  fl__record_begin(a, t);
  E.recording = 1;
  enum rt_end end = begun == FL_GOES_ON ? fl__run(d) : (enum rt_end)begun;
  give_back((int)end);
  if (end == RT_STUCK || (end == RT_FAULT && (E.fault.kind == FAULT_DEADLOCK ||
                                              E.fault.kind == FAULT_LIVELOCK)))
    fl__record_sleepers();
  if (end == RT_FAULT) {
    fl__record_note(EV_FAULT, E.fault.thread, E.fault.pc, E.fault.addr,
                    E.fault.text);
    fl__record_next();
  }
  fl__record_end();
  E.recording = 0;
  E.shadowing &= (uint8_t)~SHADOW_CHAINS;
  return end;
}

/* ---- step by step ---- */

uint32_t rt_enabled(void) { return fl__enabled(); }

enum rt_end rt_begin(const struct rt_driver *d) {
  E.stepwise = 1;
  int end = restart(d);
  if (end == FL_GOES_ON)
    end = fl__run_transit(d);
  return end == FL_GOES_ON ? RT_STOPPED : (enum rt_end)end;
}

/* The final calls belong to the last step: nothing is decided in them. */
enum rt_end rt_step(int thread, const struct rt_driver *d) {
  assert(!E.in_fiber); /* R2 */
  E.stepwise = 1;
  int end = fl__bound_is_near() ? fl__at_bound() : FL_GOES_ON;
  if (end != FL_GOES_ON)
    return (enum rt_end)end;
  check_slow(fl__engine_check_invariants());
  check_slow(fl__enabled() >> thread & 1);
  if (!rt_is_buffer(thread))
    fl__clean_below(thread);
  end = fl__execute_step(thread, d);
  if (end == FL_GOES_ON)
    end = fl__run_transit(d);
  if (end == FL_GOES_ON && E.live.final)
    end = (int)fl__run(d);
  else if (end == FL_GOES_ON && !fl__enabled())
    end = (int)fl__blocked();
  give_back(end);
  return end == FL_GOES_ON ? RT_STOPPED : (enum rt_end)end;
}
