/* The scheduler: executes steps, asks the driver, ends executions. */
#include "rt/int.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct engine fl__e;

/* ---- on the fiber's side ---- */

void fl__wait(enum event_kind kind, const volatile void *addr, uint64_t other,
              uint64_t pc, bool (*can)(struct fiber_state *f)) {
  struct fiber_state *f = E.self;
  f->kind = kind;
  f->addr = (uint64_t)(uintptr_t)addr;
  f->size = 1;
  f->pc = pc;
  f->other = other;
  f->can = can;
  f->visit = f->visits;
  E.arrival = ARRIVED;
  fl__switch(&f->sp, E.engine_sp);
}

void fl__leave(enum arrival how) {
  E.arrival = how;
  fl__switch(&E.self->sp, E.engine_sp);
}

int fl__choose(int n) {
  E.alternatives = n;
  fl__leave(CHOOSES);
  return E.chosen;
}

static void fill_fault(enum fault kind, uint64_t pc, uint64_t addr,
                       const char *format, va_list ap) {
  if (!pc)
    pc = E.self->pc;
  E.fault =
      (struct rt_fault){.kind = kind,
                        .pc = pc - E.base < E.image_span ? pc - E.base : 0,
                        .addr = addr,
                        .thread = (uint8_t)(E.self - E.fiber)};
  vsnprintf(E.fault.text, sizeof E.fault.text, format, ap);
}

void fl__fill_fault(enum fault kind, uint64_t pc, uint64_t addr,
                    const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  fill_fault(kind, pc, addr, format, ap);
  va_end(ap);
}

_Noreturn void fl__faulted(void) {
  fl__leave(FAULTED);
  __builtin_unreachable();
}

_Noreturn void fl__fault(enum fault kind, uint64_t pc, uint64_t addr,
                         const char *format, ...) {
  if (!E.in_fiber)
    die("%s while the object was being loaded", fault_words[kind]);
  va_list ap;
  va_start(ap, format);
  fill_fault(kind, pc, addr, format, ap);
  va_end(ap);
  fl__faulted();
}

_Noreturn void fl__exit_program(int status) {
  E.exit_status = status;
  fl__leave(EXITED);
  __builtin_unreachable();
}

_Noreturn void fl__end_thread(void *value) {
  if (E.live.keys)
    fl__run_key_destructors();
  E.self->exit_value = value;
  fl__leave(ENDED);
  __builtin_unreachable();
}

static void spawned_body(void) {
  struct fiber_state *f = E.self;
  fl__end_thread(f->start(f->start_arg));
}

int fl__spawn(void *(*start)(void *), void *arg, uint64_t pc) {
  /* What the new thread does must not come before this call. */
  if ((E.self->call != EVENT_NO_CALL && !E.self->called) || E.options.tso)
    point(EV_CREATE, NULL, 0, pc);
  int t = fl__new_number(pc);
  fl__fiber_begin(t, spawned_body);
  E.fiber[t].start = start;
  E.fiber[t].start_arg = arg;
  if (E.options.uses_fenv) /* else what the engine has met is there */
    E.fiber[t].fp = fl__float_now();
  if ((uint64_t)(uintptr_t)arg - STACK_BASE < STACK_SPAN)
    fl__stack_published((uint64_t)(uintptr_t)arg);
  E.live.keyed &= ~(1u << t);
  E.live.transit |= 1u << t;
  if (E.log && !E.live.final)
    fl__note_edge(RT_CREATES);
  if (E.log && !E.live.final)
    fl__note(&(struct rt_logged){.thread = (uint8_t)E.cur,
                                 .kind = EV_CREATE,
                                 .flags = RT_LINK,
                                 .addr = (uint64_t)t});
  if (E.recording)
    fl__record_simple(EV_CREATE, NULL, (uint64_t)t, pc);
  return t;
}

/* ---- the engine's side ---- */

/* Lets fiber t run until it parks. */
FL_INLINE void resume(int t) {
  struct fiber_state *f = &E.fiber[t];
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

/* Who can go on at once, as nothing else can be seen to happen: the main thread
 * when all others are done, and who joins one that has ended. */
void fl__let_go_on(void) {
  if (E.suite && !E.live.clients && !E.live.final && !E.live.buffered &&
      E.fiber[0].can == fl__clients_done) {
    E.live.final = 1;
    E.live.transit |= 1;
  }
  for (uint32_t left = E.live.waiting; left; left &= left - 1) {
    int w = __builtin_ctz(left);
    struct fiber_state *o = &E.fiber[w];
    if (o->kind == EV_JOIN && o->can && o->can(o) &&
        (!E.options.tso || fl__buffer_lets_join(o)))
      E.live.transit |= 1u << w;
  }
}

static void ended(int t) {
  struct fiber_state *f = &E.fiber[t];
  f->status = FIBER_DONE;
  f->call = EVENT_NO_CALL;
  if (E.recording)
    fl__record_simple(EV_EXIT, NULL, 0, 0);
  E.live.clients &= ~(1u << t);
  if (E.loopers) /* who tries to join it in a loop can go on */
    fl__spin_changed(t, fl__handle_of_thread(t), 1);
  if (t)
    fl__let_go_on();
}

static inline void look_for_stack_pointer(uint64_t addr) {
  uint64_t value;
  if (!fl__readable(addr, 8))
    return;
  memcpy(&value, (const void *)addr, 8);
  if (UNLIKELY(value - STACK_BASE < STACK_SPAN))
    fl__stack_published(value);
}

enum how { STEP, TRANSIT, LOCAL };

/* The bytes of a store's target, before and after: a loop that stores what is
 * there already has changed nothing (gcc's atomic_init is such a store). */
static inline void peek(uint64_t to[2], uint64_t addr, uint64_t size) {
  const void *p = (const void *)addr;
  to[0] = to[1] = 0;
  if (LIKELY(size == 8))
    memcpy(to, p, 8);
  else if (LIKELY(size == 4))
    memcpy(to, p, 4);
  else
    memcpy(to, p, size);
}

static inline bool is_silent(const uint64_t old[2], uint64_t addr,
                             uint64_t size) {
  uint64_t now[2];
  peek(now, addr, size);
  return now[0] == old[0] && now[1] == old[1];
}

/* The pending access of t is about to be made … */
static __attribute__((noinline)) void follow(int t) {
  if (E.recording)
    fl__record_step(t);
  if (E.regions)
    fl__atomic_made(t);
}

/* … and now t has come to the next one, or to its end. */
static __attribute__((noinline)) void followed(int t, uint8_t kind,
                                               uint64_t addr, uint64_t size) {
  if (E.recording)
    fl__record_done_step(kind, addr, size);
  fl__atomic_arrive(t);
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

/* Executes the pending access of t up to its next one. */
FL_INLINE int execute_one(int t, enum how how, const struct rt_driver *d) {
  struct fiber_state *f = &E.fiber[t];
  uint32_t bit = 1u << t;
  uint8_t kind = f->kind;
  uint64_t addr = f->addr, size = f->size, from = f->pc, old[2];
  E.live.parked &= ~bit;
  E.live.waiting &= ~bit;
  E.accesses += kind != EV_STEP;
  bool issues =
      UNLIKELY(E.options.tso) && how != TRANSIT && fl__buffer_takes(f);
  uint32_t logged = UNLIKELY(E.log != NULL)
                        ? fl__note_step(t, how == TRANSIT, issues)
                        : UINT32_MAX;
  if (LIKELY(how == STEP)) {
    E.live.steps++;
    E.live.current = (uint32_t)t;
  }
  if (UNLIKELY(E.trail != NULL) && how != TRANSIT)
    fl__leave_trail(t, kind == EV_STEP ? RT_TRAIL_EMPTY
                       : how == LOCAL && !f->called && f->call != EVENT_NO_CALL
                           ? RT_TRAIL_EARLY
                           : 0);
  if (!f->called && f->call != EVENT_NO_CALL && how != LOCAL) {
    f->called = 1;
    if (how == TRANSIT) /* a join: later than the thread's last return */
      E.live.steps++;
    E.times[f->call].call = E.live.steps;
    E.calls[f->call].pre = E.live.done;
    if (UNLIKELY(E.recording))
      fl__record_call(t, f->call);
  }
  /* An access that is a fault conflicts too. */
  if (E.reduce && size && LIKELY(!is_behind_all(t)))
    fl__conflict_note(t, kind, addr, size);
  if (addr - HEAP_BASE < HEAP_SPAN && kind != EV_FREE &&
      UNLIKELY(!fl__heap_check(addr, size)) && !fl__only_wakes(f)) {
    E.self = f;
    if (UNLIKELY(E.recording))
      fl__record_refused(t);
    fl__heap_fault(addr, size, event_writes[kind], f->pc);
    return RT_FAULT;
  }
  if (UNLIKELY(addr - STACK_BASE < STACK_SPAN) && fl__stack_dead(t, addr)) {
    E.self = f;
    if (UNLIKELY(E.recording))
      fl__record_refused(t);
    fl__stack_fault(t, addr, event_writes[kind], f->pc);
    return RT_FAULT;
  }
  bool own = UNLIKELY(E.live.buffered >> t & 1);
  if (own)
    fl__buffer_put_in(t);
  bool stores = (kind == EV_WRITE || kind == EV_ATOMIC_WRITE) && size <= 16 &&
                fl__readable(addr, size) && !issues;
  if (stores)
    peek(old, addr, size);
  if (UNLIKELY(E.shadowing))
    follow(t);
  struct store *store = &E.storing;
  if (issues)
    fl__buffer_begin(f, store);
  uint32_t returned = E.returned;
  uint64_t sp = logged != UINT32_MAX && E.stack_shared ? fl__stack_end(t) : 0;
  f->silent = f->failed = 0;
  f->spun = 0;
  f->can = NULL;
  resume(t);
  while (UNLIKELY(E.arrival == CHOOSES)) {
    E.chosen = d && d->choose ? d->choose(d->ctx, E.alternatives) : 0;
    if (logged != UINT32_MAX)
      fl__note_choice(&E.log->at[logged]);
    resume(t);
  }
  if (UNLIKELY(E.shadowing))
    followed(t, kind, addr, size);
  if (issues)
    fl__buffer_end(store);
  if (own)
    fl__buffer_take_out(t);
  if (issues)
    fl__issue(t, store);
  if (logged != UINT32_MAX)
    fl__complete_note(logged, f, returned, sp);
  if (E.arrival == FAULTED)
    return RT_FAULT;
  if (size == 8 && event_writes[kind] && !issues)
    look_for_stack_pointer(addr);
  bool changed = !f->silent && kind != EV_READ && kind != EV_ATOMIC_READ &&
                 kind != EV_YIELD && kind != EV_CLOCK && kind != EV_STEP &&
                 kind != EV_FENCE && !(stores && is_silent(old, addr, size)) &&
                 !fl__in_timed_wait(f, kind);
  if (changed) {
    if (E.loopers && !(issues && !store->through))
      fl__spin_changed(t, addr, size ? size : 1);
    if (kind != EV_LOCK && kind != EV_UNLOCK && kind != EV_RDLOCK &&
        kind != EV_WRLOCK && kind != EV_TRYLOCK)
      fl__spin_forget(t);
  }
  if (UNLIKELY(E.arrival != ARRIVED)) {
    if (E.arrival == EXITED) {
      if (E.exit_status == 0)
        return RT_DONE;
      E.fault = (struct rt_fault){.kind = FAULT_EXIT, .thread = (uint8_t)t};
      E.fault.pc = f->pc - E.base < E.image_span ? f->pc - E.base : 0;
      snprintf(E.fault.text, sizeof E.fault.text,
               "the program ended with status %d", E.exit_status);
      return RT_FAULT;
    }
    ended(t);
    return t ? FL_GOES_ON : RT_DONE;
  }
  if (LIKELY(!f->can)) {
    E.live.parked |= bit;
    fl__spin_arrive(t, from);
  } else if (f->can != fl__clients_done) {
    E.live.parked |= bit;
    E.live.waiting |= bit;
    if (f->kind == EV_JOIN && f->can(f) &&
        (!E.options.tso || fl__buffer_lets_join(f)))
      E.live.transit |= bit;
    fl__spin_arrive(t, from);
  } else if (!E.live.clients && E.live.final) {
    E.live.transit |= bit;
  }
  return FL_GOES_ON;
}

/* May the pending access run without being a step of its own? */
static bool is_local(const struct fiber_state *f) {
  if (f->status != FIBER_PARKED || f->can || f->spinning)
    return false;
  if (UNLIKELY(E.regions != NULL) && fl__atomic_needs_step((int)(f - E.fiber)))
    return false;
  if (UNLIKELY(fl__intrudes(f))) /* its owner may return, which is no step */
    return false;
  if (UNLIKELY(E.options.tso)) {
    if (fl__buffer_stops(f))
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
 * could show that they conflict: make a step of the last one, and look again.
 */
__attribute__((noinline)) int fl__run_locals(int t, int end,
                                             const struct rt_driver *d) {
  uint64_t addr = 0, size = 0;
  while (end == FL_GOES_ON && is_local(&E.fiber[t])) {
    if (fl__bound_is_near() && (end = fl__at_bound()) != FL_GOES_ON)
      return end;
    E.live.locals++;
    if (E.fiber[t].size) {
      addr = E.fiber[t].addr;
      size = E.fiber[t].size;
    }
    if (UNLIKELY(E.folds != NULL))
      fl__note_fold(t);
    end = execute_one(t, LOCAL, d);
  }
  /* Behind the end of all others nobody will show anything. */
  if (end != FL_GOES_ON && size && !is_behind_all(t))
    fl__conflict_force(addr, size);
  return end;
}

FL_INLINE int execute_step(int t, const struct rt_driver *d) {
  if (UNLIKELY(E.options.tso) && t >= RT_BUFFERS)
    return fl__commit(t - RT_BUFFERS, d);
  int end = execute_one(t, STEP, d);
  return UNLIKELY(E.reduce) ? fl__run_locals(t, end, d) : end;
}

__attribute__((noinline)) int fl__execute_transit(int t,
                                                  const struct rt_driver *d) {
  if (E.stepwise)
    fl__clean_below(t);
  int end = execute_one(t, TRANSIT, d);
  return E.reduce ? fl__run_locals(t, end, d) : end;
}

/* Who could step if no line were atomic. */
FL_INLINE uint32_t can_step(void) {
  uint32_t on = E.live.parked & ~E.live.waiting;
  for (uint32_t left = E.live.waiting; UNLIKELY(left); left &= left - 1) {
    int t = __builtin_ctz(left);
    if (E.fiber[t].can(&E.fiber[t]))
      on |= 1u << t;
  }
  on &= ~E.live.spinning;
  return UNLIKELY(E.live.buffered) ? fl__buffer_enabled(on) : on;
}

FL_HOT uint32_t fl__enabled(void) {
  uint32_t on = can_step();
  return UNLIKELY(E.live.inside) ? on & E.live.inside : on;
}

static const char *name_list(uint32_t mask, char *out, size_t size) {
  size_t len = 0;
  out[0] = 0;
  for (; mask; mask &= mask - 1) {
    int t = __builtin_ctz(mask);
    len +=
        (size_t)snprintf(out + len, len < size ? size - len : 0,
                         t ? "%sT%d" : "%sthe main thread", len ? ", " : "", t);
  }
  return out;
}

/* A thread that waits at the first step of its call has called all the same. */
static void call_the_waiting(void) {
  for (uint32_t left = E.live.parked; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    struct fiber_state *f = &E.fiber[t];
    if (f->called || f->call == EVENT_NO_CALL)
      continue;
    f->called = 1;
    E.times[f->call].call = ++E.live.steps;
    E.calls[f->call].pre = E.live.done;
    if (E.recording)
      fl__record_call(t, f->call);
  }
}

bool fl__in_blocking_call(const struct fiber_state *f) {
  if (f->call == EVENT_NO_CALL)
    return false;
  const struct fl_op *op = E.ops[E.client->calls[f->call].op];
  bool blocking = false;
  for (unsigned i = 0; i < op->nitems; i++)
    blocking |= op->items[i].kind == FL_ITEM_BLOCKING;
  return blocking;
}

static void blame(int thread, enum fault kind) {
  uint64_t pc = E.fiber[thread].pc;
  E.fault = (struct rt_fault){.kind = kind, .thread = (uint8_t)thread};
  E.fault.pc = pc - E.base < E.image_span ? pc - E.base : 0;
  E.fault.addr = E.fiber[thread].addr;
}

static enum rt_end endless(int thread) {
  blame(thread, FAULT_ENDLESS);
  snprintf(E.fault.text, sizeof E.fault.text,
           "it goes round for ever, and reads nothing that another thread "
           "could change");
  return RT_FAULT;
}

/*
 * Nobody can step: what does that mean?  If it is only because a thread waits
 * inside of atomic lines, no schedule has them in one piece.  If the others
 * could not step either, atomic lines have nothing to do with it: a deadlock
 * stays one, and a repair that leads to it is none.
 */
enum rt_end fl__blocked(void) {
  if (UNLIKELY(E.live.inside) && can_step()) {
    E.left_out = true;
    return RT_LEFT_OUT;
  }
  call_the_waiting();
  bool may_wait = E.live.clients != 0;
  for (uint32_t left = E.live.clients; left; left &= left - 1) {
    struct fiber_state *f = &E.fiber[__builtin_ctz(left)];
    may_wait &= !f->spinning && fl__in_blocking_call(f);
  }
  if (may_wait)
    return RT_STUCK;
  char who[200];
  uint32_t mask = E.live.parked;
  int first = mask ? __builtin_ctz(mask & ~1u ? mask & ~1u : mask) : 0;
  if (E.live.spinning)
    first = __builtin_ctz(E.live.spinning);
  for (uint32_t left = E.live.spinning; left; left &= left - 1)
    if (fl__spin_is_blind(__builtin_ctz(left)))
      return endless(__builtin_ctz(left));
  blame(first, E.live.spinning ? FAULT_LIVELOCK : FAULT_DEADLOCK);
  snprintf(E.fault.text, sizeof E.fault.text,
           E.live.spinning ? "%s can never go on: each waits in a loop or for "
                             "a lock, and nobody changes what they wait for"
                           : "%s wait for each other or for nobody",
           name_list(mask, who, sizeof who));
  return RT_FAULT;
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

/* Without a driver: stay with the current thread while it is enabled. */
int fl__stay(uint32_t enabled) {
  return enabled >> E.live.current & 1 ? (int)E.live.current
                                       : __builtin_ctz(enabled);
}

static FL_HOT enum rt_end run(const struct rt_driver *d) {
  for (;;) {
    int end = fl__run_transit(d);
    if (end != FL_GOES_ON)
      return (enum rt_end)end;
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
    end = execute_step(t, d);
    if (end != FL_GOES_ON)
      return (enum rt_end)end;
  }
}

/* ---- running ---- */

/* To the prepared state.  Threads stand before their first access there,
 * which need not be a step. */
static int restart(const struct rt_driver *d) {
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
  return end;
}

static enum rt_end finish(int begun, const struct rt_driver *d) {
  enum rt_end end = begun == FL_GOES_ON ? run(d) : (enum rt_end)begun;
  if (E.options.uses_tls)
    fl__use_thread_pointer(E.own_thread_pointer);
  if (end == RT_DONE)
    fl__bound_ended();
  E.history.stuck = end == RT_STUCK;
  return end;
}

enum rt_end rt_run(const struct rt_driver *d) {
  E.stepwise = 0;
  return finish(restart(d), d);
}

enum rt_end rt_run_on(const struct snapshot *s, const struct rt_driver *d) {
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
  restart(d);
  fl__record_begin(a, t);
  E.recording = 1;
  enum rt_end end = run(d);
  if (E.options.uses_tls)
    fl__use_thread_pointer(E.own_thread_pointer);
  E.history.stuck = end == RT_STUCK;
  if (end == RT_FAULT)
    fl__record_note(EV_FAULT, E.fault.thread, E.fault.pc, E.fault.addr,
                    E.fault.text);
  fl__record_end();
  E.recording = 0;
  E.shadowing &= (uint8_t)~SHADOW_CHAINS;
  return end;
}

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
  E.stepwise = 1;
  int end = fl__bound_is_near() ? fl__at_bound() : FL_GOES_ON;
  if (end != FL_GOES_ON)
    return (enum rt_end)end;
  if (!rt_is_buffer(thread))
    fl__clean_below(thread);
  end = execute_step(thread, d);
  if (end == FL_GOES_ON)
    end = fl__run_transit(d);
  if (end == FL_GOES_ON && E.live.final)
    end = (int)run(d);
  else if (end == FL_GOES_ON && !fl__enabled())
    end = (int)fl__blocked();
  if (E.options.uses_tls)
    fl__use_thread_pointer(E.own_thread_pointer);
  E.history.stuck = end == RT_STUCK;
  return end == FL_GOES_ON ? RT_STOPPED : (enum rt_end)end;
}
