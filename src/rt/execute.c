/*
 * Executing steps: makes the pending access of a thread, and lets the thread
 * run to its next one.
 *
 * Everything between the driver's answer and the switch to the fiber is inline
 * in fl__run: it is the hot loop of every search, and a step costs less than
 * the calls would.
 */
#include "rt/execute.h"

#include "rt/access.h"
#include "rt/always.h"
#include "rt/bound.h"
#include "rt/buffer.h"
#include "rt/calls.h"
#include "rt/conflict.h"
#include "rt/fault.h"
#include "rt/heap.h"
#include "rt/marks.h"
#include "rt/notes.h"
#include "rt/order.h"
#include "rt/park.h"
#include "rt/progress.h"
#include "rt/race.h"
#include "rt/writes.h"

#include "base/slow.h"

#include <string.h>

/* Lets fiber t run until it parks. */
FL_INLINE void resume(int t) {
  struct fiber_state *f = &E.fiber[t];
  check_slow(!E.in_fiber && (uint32_t)t < E.live.nfibers); /* R2, E3 */
  E.cur = t;
  E.self = f;
  if (UNLIKELY(E.options.uses_tls))
    fl__use_thread_pointer(E.lent[t].thread_pointer);
  E.progress++;
  E.quiet = 0;
  E.arrival = ARRIVED; /* what the last execution ended with is over */
  if (UNLIKELY(E.options.uses_fenv))
    fl__float_set(f->fp);
  E.in_fiber = 1;
  fl__enter_fiber(f->sp, &E.engine_sp);
  E.in_fiber = 0;
  if (UNLIKELY(E.options.uses_fenv)) {
    f->fp = fl__float_now();
    fl__float_set(FLOAT_DEFAULT);
  }
}

static bool can_join(struct fiber_state *f) {
  return f->kind == EV_JOIN && f->can && f->can(f) &&
         (!E.options.tso || fl__buffer_lets_join(f));
}

void fl__let_go_on(void) {
  if (E.suite && !E.live.clients && !E.live.final && !E.live.buffered &&
      E.fiber[0].can == fl__clients_done) {
    E.live.final = 1;
    E.live.transit |= 1;
    for (uint32_t t = 1; E.ordering && t <= E.client->nthreads; t++)
      fl__order_join(0, (int)t);
  }
  for (uint32_t left = E.live.waiting; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    if (can_join(&E.fiber[t]))
      E.live.transit |= 1u << t;
  }
}

static void ended(int t) {
  struct fiber_state *f = &E.fiber[t];
  assert(f->status == FIBER_PARKED && !(E.live.parked >> t & 1));
  f->status = FIBER_DONE;
  f->call = EVENT_NO_CALL;
  if (E.recording)
    fl__record_simple(EV_EXIT, NULL, 0, 0);
  E.live.clients &= ~(1u << t);
  if (E.loopers) /* a thread that tries to join it in a loop can go on */
    fl__spin_changed(t, fl__handle_of_thread(t), 1);
  if (t)
    fl__let_go_on();
}

/* ---- one access ---- */

enum counted_as { AS_STEP, AS_TRANSIT, AS_LOCAL };

/* The access that a thread makes, as it was pending. */
struct access_made {
  struct fiber_state *f;
  int t;
  uint8_t kind;
  bool issues;     /* a store that goes into the buffer */
  bool buffered;   /* the thread has stores in its buffer */
  bool stores;     /* a store whose effect is seen by comparing … */
  uint64_t old[2]; /* … with the bytes before it */
  uint64_t addr, size, pc;
  uint32_t logged;   /* where the log has it, or NOT_LOGGED */
  uint32_t returned; /* calls, before it … */
  uint64_t sp;       /* … and where the stack ended; 0: it does not matter */
};

static struct store storing; /* the store that `issues` */

FL_INLINE void peek(uint64_t to[2], uint64_t addr, uint64_t size) {
  const void *p = (const void *)addr;
  to[0] = to[1] = 0;
  if (LIKELY(size == 8))
    memcpy(to, p, 8);
  else if (LIKELY(size == 4))
    memcpy(to, p, 4);
  else
    memcpy(to, p, size);
}

/* A loop that stores the value that is there already has changed nothing
 * (gcc's atomic_init is such a store). */
FL_INLINE bool stored_the_same(const struct access_made *m) {
  uint64_t now[2];
  if (!m->stores)
    return false;
  peek(now, m->addr, m->size);
  return now[0] == m->old[0] && now[1] == m->old[1];
}

/*
 * A final call runs when all threads have ended, so that its order with what
 * they did is fixed: it conflicts with none of them.  Not so beside threads
 * that operations have created, which may go on.
 */
static inline bool is_behind_all(int t) {
  return !t && E.live.final && E.client &&
         E.live.nfibers == E.client->nthreads + 1;
}

static __attribute__((noinline)) bool refuse_heap(const struct access_made *m) {
  E.self = m->f;
  if (E.recording)
    fl__record_refused(m->t);
  fl__heap_fault(m->addr, m->size, event_writes[m->kind], m->pc);
  return true;
}

static __attribute__((noinline)) bool
refuse_stack(const struct access_made *m) {
  E.self = m->f;
  if (E.recording)
    fl__record_refused(m->t);
  fl__stack_fault(m->t, m->addr, event_writes[m->kind], m->pc);
  return true;
}

static __attribute__((noinline)) bool refuse_race(const struct access_made *m) {
  if (is_behind_all(m->t) || !fl__race(m->t))
    return false;
  if (E.recording)
    fl__record_refused(m->t);
  return true;
}

/* Is the access a fault?  Then E.fault is filled. */
FL_INLINE bool is_refused(const struct access_made *m) {
  if (m->addr - HEAP_BASE < HEAP_SPAN && m->kind != EV_FREE &&
      UNLIKELY(!fl__heap_check(m->addr, m->size)) && !fl__only_wakes(m->f))
    return refuse_heap(m);
  if (UNLIKELY(fl__in_stacks(m->addr)) && fl__stack_dead(m->t, m->addr))
    return refuse_stack(m);
  return false;
}

/* While E.shadowing: the access is about to be made … */
static __attribute__((noinline)) void follow(int t) {
  if (E.recording)
    fl__record_step(t);
  if (E.regions)
    fl__atomic_made(t);
  if (UNLIKELY(E.wake != NULL))
    fl__wake_added(&E.fiber[t]);
}

/* … and the thread has come to the next one, or to its end. */
static __attribute__((noinline)) void followed(int t, uint8_t kind,
                                               uint64_t addr, uint64_t size) {
  if (E.recording)
    fl__record_done_step(kind, addr, size);
  fl__atomic_arrive(t);
}

static uint8_t trail_flag(const struct access_made *m, enum counted_as as) {
  if (m->kind == EV_STEP)
    return RT_TRAIL_EMPTY;
  bool early = as == AS_LOCAL && !m->f->called && m->f->call != EVENT_NO_CALL;
  return early ? RT_TRAIL_EARLY : 0;
}

/* Counts and notes the access, which may begin its call. */
FL_INLINE void count(struct access_made *m, enum counted_as as) {
  struct fiber_state *f = m->f;
  E.accesses += m->kind != EV_STEP;
  m->logged = UNLIKELY(E.log != NULL)
                  ? fl__note_step(m->t, as == AS_TRANSIT, m->issues)
                  : NOT_LOGGED;
  if (LIKELY(as == AS_STEP)) {
    E.live.steps++;
    E.live.current = (uint32_t)m->t;
  }
  if (UNLIKELY(E.trail != NULL) && as != AS_TRANSIT)
    fl__leave_trail(m->t, trail_flag(m, as));
  if (!f->called && f->call != EVENT_NO_CALL && as != AS_LOCAL) {
    if (as == AS_TRANSIT) /* a join: later than the thread's last return */
      E.live.steps++;
    fl__begin_call(m->t);
  }
  /* An access that is a fault conflicts too. */
  if (E.reduce && m->size && LIKELY(!is_behind_all(m->t)))
    fl__conflict_note(m->t, m->kind, m->addr, m->size);
}

/* The thread makes the access, and comes to its next one (B1: while it runs,
 * its own stores are in memory). */
FL_INLINE void make(struct access_made *m, const struct rt_driver *d) {
  struct fiber_state *f = m->f;
  m->buffered = UNLIKELY(E.live.buffered >> m->t & 1);
  if (m->buffered)
    fl__buffer_put_in(m->t);
  m->stores = (m->kind == EV_WRITE || m->kind == EV_ATOMIC_WRITE) &&
              m->size <= 16 && fl__readable(m->addr, m->size) && !m->issues;
  if (m->stores)
    peek(m->old, m->addr, m->size);
  if (UNLIKELY(E.shadowing))
    follow(m->t);
  if (m->issues)
    fl__buffer_begin(f, &storing);
  fl__reached(m->pc);
  m->returned = E.returned;
  m->sp = m->logged != NOT_LOGGED && E.stack_shared ? fl__stack_end(m->t) : 0;
  if (UNLIKELY(E.ordering))
    fl__order_making(m->t);
  f->silent = f->failed = 0;
  f->spun = 0;
  f->can = NULL;
  resume(m->t);
  while (UNLIKELY(E.arrival == CHOOSES)) {
    E.chosen = d && d->choose ? d->choose(d->ctx, E.alternatives) : 0;
    if (m->logged != NOT_LOGGED)
      fl__note_choice(m->logged);
    resume(m->t);
  }
  if (UNLIKELY(E.ordering))
    fl__order_settle();
  if (UNLIKELY(E.shadowing))
    followed(m->t, m->kind, m->addr, m->size);
  if (m->issues)
    fl__buffer_end(&storing);
  if (m->buffered)
    fl__buffer_take_out(m->t);
  if (m->issues)
    fl__issue(m->t, &storing);
  if (m->logged != NOT_LOGGED)
    fl__complete_note(m->logged, f, m->returned, m->sp);
}

/* A pointer into a stack that others can find now. */
FL_INLINE void look_for_stack_pointer(uint64_t addr) {
  uint64_t value;
  if (!fl__readable(addr, 8))
    return;
  memcpy(&value, (const void *)addr, 8);
  if (UNLIKELY(fl__in_stacks(value)))
    fl__stack_published(value);
}

FL_INLINE bool has_changed(const struct access_made *m) {
  uint8_t kind = m->kind;
  return !m->f->silent && kind != EV_READ && kind != EV_ATOMIC_READ &&
         kind != EV_FD_POLL && kind != EV_YIELD && kind != EV_CLOCK &&
         kind != EV_STEP && kind != EV_FENCE && !stored_the_same(m) &&
         !fl__in_timed_wait(m->f, kind);
}

/* Tells the threads in loops what the access has changed. */
FL_INLINE void spread(const struct access_made *m) {
  uint8_t kind = m->kind;
  if (!has_changed(m))
    return;
  if (E.loopers && !(m->issues && !storing.through))
    fl__spin_changed(m->t, m->addr, m->size ? m->size : 1);
  if (kind != EV_LOCK && kind != EV_UNLOCK && kind != EV_RDLOCK &&
      kind != EV_WRLOCK && kind != EV_TRYLOCK)
    fl__spin_forget(m->t);
}

/* The thread has ended, or the whole program. */
static __attribute__((noinline)) int leave(int t) {
  if (E.arrival != EXITED) {
    assert(E.arrival == ENDED);
    ended(t);
    return t ? FL_GOES_ON : RT_DONE;
  }
  if (E.exit_status == 0)
    return RT_DONE;
  fl__fill_fault_of(t, FAULT_EXIT, 0, "the program ended with status %d",
                    E.exit_status);
  return RT_FAULT;
}

static inline bool is_plain(uint8_t kind) {
  return kind == EV_READ || kind == EV_WRITE || kind == EV_FREE;
}

/* The thread stands before its next access. */
FL_INLINE void park(int t, uint64_t from) {
  struct fiber_state *f = &E.fiber[t];
  uint32_t bit = 1u << t;
  if (LIKELY(!f->can)) {
    E.live.parked |= bit;
    fl__spin_arrive(t, from);
  } else if (f->can != fl__clients_done) {
    E.live.parked |= bit;
    E.live.waiting |= bit;
    if (can_join(f))
      E.live.transit |= bit;
    fl__spin_arrive(t, from);
  } else if (!E.live.clients && E.live.final) {
    E.live.transit |= bit;
  }
}

/* Executes the pending access of t up to its next one. */
FL_INLINE int execute_one(int t, enum counted_as as,
                          const struct rt_driver *d) {
  struct fiber_state *f = &E.fiber[t];
  struct access_made m = {.f = f,
                          .t = t,
                          .kind = f->kind,
                          .addr = f->addr,
                          .size = f->size,
                          .pc = f->pc};
  check_slow(f->status == FIBER_PARKED && !f->spinning);
  E.live.parked &= ~(1u << t);
  E.live.waiting &= ~(1u << t);
  m.issues = UNLIKELY(E.options.tso) && as != AS_TRANSIT && fl__buffer_takes(f);
  count(&m, as);
  if (is_refused(&m))
    return RT_FAULT;
  bool ordered = UNLIKELY(E.ordering) && as == AS_STEP && !E.regions;
  if (ordered && refuse_race(&m))
    return RT_FAULT;
  bool plain = UNLIKELY(E.options.c11) && is_plain(m.kind);
  if (plain && !fl__c11_plain(t, m.kind, m.addr, m.size))
    return RT_FAULT;
  make(&m, d);
  if (plain)
    fl__c11_plain_made();
  if (E.arrival == FAULTED)
    return RT_FAULT;
  if (ordered && m.kind == EV_CAS && !f->failed &&
      fl__race_swapped(t, m.addr, m.size, m.pc))
    return RT_FAULT;
  if (m.size == 8 && event_writes[m.kind] && !m.issues)
    look_for_stack_pointer(m.addr);
  spread(&m);
  if (UNLIKELY(E.arrival != ARRIVED))
    return leave(t);
  park(t, m.pc);
  return FL_GOES_ON;
}

/* ---- accesses that are no steps ---- */

/* May the pending access run without being a step of its own? */
static bool is_local(const struct fiber_state *f) {
  if (f->status != FIBER_PARKED || f->can || f->spinning)
    return false;
  if (UNLIKELY(E.regions != NULL) && fl__atomic_needs_step((int)(f - E.fiber)))
    return false;
  if (UNLIKELY(fl__intrudes(f))) /* its owner may return, which is no step */
    return false;
  if (UNLIKELY(E.options.tso)) {
    if (E.always || fl__buffer_stops(f)) /* always.c: the buffer must be empty
                                            before the next call begins */
      return false;
    if (fl__buffer_takes(f) || f->kind == EV_FENCE)
      return true; /* others see it when it is committed */
  }
  switch (f->kind) {
  case EV_READ:
  case EV_WRITE:
  case EV_ATOMIC_READ:
  case EV_ATOMIC_WRITE:
  case EV_FREE:
  case EV_CLOCK:
    return fl__conflict_free(f->addr, f->size) || fl__guarded(f);
  case EV_RMW:
  case EV_CAS: /* a choice belongs to a step */
    return !E.options.spurious_cas &&
           (fl__conflict_free(f->addr, f->size) || fl__guarded(f));
  case EV_UNLOCK:
    return fl__guarded(f);
  case EV_YIELD:
    return true;
  }
  return false;
}

/*
 * An execution that ends in accesses that are no steps has ended before others
 * could show that they conflict: the last of them counts as shared from now on,
 * and the search looks again.
 */
__attribute__((noinline)) int fl__run_locals(int t, int end,
                                             const struct rt_driver *d) {
  uint64_t addr = 0, size = 0;
  while (end == FL_GOES_ON && is_local(&E.fiber[t])) {
    if (fl__bound_is_near() && (end = fl__at_bound()) != FL_GOES_ON) {
      if (end == RT_CUT) /* a loop without a step */
        break;
      return end;
    }
    E.live.locals++;
    if (E.fiber[t].size) {
      addr = E.fiber[t].addr;
      size = E.fiber[t].size;
    }
    if (UNLIKELY(E.folds != NULL))
      fl__note_fold(t);
    check_slow(!(E.live.waiting >> t & 1)); /* F1: it need not wait */
    end = execute_one(t, AS_LOCAL, d);
  }
  /* Behind the end of all others nobody will show anything. */
  if (end != FL_GOES_ON && size && !is_behind_all(t))
    fl__conflict_force(addr, size);
  return end;
}

/* ---- steps ---- */

__attribute__((noinline)) bool fl__may_be_so(void) {
  return (!E.always || fl__always_holds()) &&
         (!E.watches || fl__nobody_waits());
}

FL_INLINE int execute_step(int t, const struct rt_driver *d) {
  int end;
  if (UNLIKELY(E.options.tso) && t >= RT_BUFFERS) {
    end = fl__commit(t - RT_BUFFERS, d);
  } else {
    end = execute_one(t, AS_STEP, d);
    if (UNLIKELY(E.reduce))
      end = fl__run_locals(t, end, d);
  }
  if (UNLIKELY(E.always | E.watches) && end == FL_GOES_ON && !fl__may_be_so())
    return RT_FAULT;
  return end;
}

int fl__execute_step(int thread, const struct rt_driver *d) {
  return execute_step(thread, d);
}

__attribute__((noinline)) int fl__execute_transit(int thread,
                                                  const struct rt_driver *d) {
  assert((uint32_t)thread < E.live.nfibers);
  if (E.stepwise)
    fl__clean_below(thread);
  int end = execute_one(thread, AS_TRANSIT, d);
  return E.reduce ? fl__run_locals(thread, end, d) : end;
}

__attribute__((noinline)) int fl__run_transits(const struct rt_driver *d) {
  while (E.live.transit) {
    int t = __builtin_ctz(E.live.transit);
    E.live.transit &= E.live.transit - 1;
    int end = fl__execute_transit(t, d);
    if (end != FL_GOES_ON)
      return end;
  }
  return FL_GOES_ON;
}

/* ---- deciding ---- */

FL_INLINE uint32_t enabled_outside(void) {
  uint32_t on = E.live.parked & ~E.live.waiting;
  for (uint32_t left = E.live.waiting; UNLIKELY(left); left &= left - 1) {
    int t = __builtin_ctz(left);
    if (E.fiber[t].can(&E.fiber[t]))
      on |= 1u << t;
  }
  on &= ~E.live.spinning;
  return UNLIKELY(E.live.buffered) ? fl__buffer_enabled(on) : on;
}

uint32_t fl__enabled_outside(void) { return enabled_outside(); }

FL_HOT uint32_t fl__enabled(void) {
  uint32_t on = enabled_outside();
  return UNLIKELY(E.live.inside) ? on & E.live.inside : on;
}

int fl__stay(uint32_t enabled) {
  assert(enabled);
  return enabled >> E.live.current & 1 ? (int)E.live.current
                                       : __builtin_ctz(enabled);
}

FL_HOT enum rt_end fl__run(const struct rt_driver *d) {
  for (;;) {
    int end = fl__run_transit(d);
    if (end != FL_GOES_ON)
      return (enum rt_end)end;
    check_slow(fl__engine_check_invariants());
    uint32_t enabled = E.enabled = fl__enabled();
    if (!enabled)
      return fl__blocked();
    if (fl__bound_is_near() && (end = fl__at_bound()) != FL_GOES_ON)
      return (enum rt_end)end;
    int t;
    if (!d || E.live.final)
      t = fl__stay(enabled);
    else if ((enabled & (enabled - 1)) || d->every) {
      t = d->pick(d->ctx, enabled, (int)E.live.current);
      if (t < 0)
        return RT_STOPPED;
      assert(enabled >> t & 1);
    } else
      t = __builtin_ctz(enabled);
    if (UNLIKELY(E.watches)) {
      if (!fl__makes_progress(t))
        return RT_FAULT;
      fl__clean_below(rt_owner(t));
    }
    end = execute_step(t, d);
    if (end != FL_GOES_ON)
      return (enum rt_end)end;
  }
}
