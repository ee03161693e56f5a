/*
 * The engine's answers: of the execution that has ended, and of the state that
 * the one in progress is in.
 */
#include "rt/access.h"
#include "rt/buffer.h"
#include "rt/calls.h"
#include "rt/channel.h"
#include "rt/engine.h"
#include "rt/hooks.h"

#include <assert.h>
#include <string.h>

const struct history *rt_history(void) {
  uint32_t n = fl__ncalls();
  for (uint32_t i = 0; i < n; i++)
    E.history.ops[i] =
        (struct hop){E.times[i].call, E.times[i].ret, E.calls[i].result,
                     E.options.c11 ? E.calls[i].pre : 0};
  E.history.partial = E.options.c11;
  return &E.history;
}

struct hash128 rt_history_hash(void) {
  uint32_t n = fl__ncalls();
  if (n > 64)
    return history_digest(rt_history());
  struct {
    uint64_t done, open, stuck;
    struct live_call calls[64];
  } all;
  all.done = E.live.done;
  all.open = 0;
  all.stuck = E.history.stuck;
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    if (E.fiber[t].call != EVENT_NO_CALL && E.fiber[t].called)
      all.open |= 1ull << E.fiber[t].call;
  memcpy(all.calls, E.calls, n * sizeof *all.calls);
  for (uint32_t i = 0; i < n; i++)
    if (UNLIKELY(all.calls[i].result.kind == VALUE_STRING))
      /* The same in every process: what it says, not where it is. */
      all.calls[i].result.bits = value_text_hash(all.calls[i].result);
  return hash128_long(&all, offsetof(typeof(all), calls[n]));
}

const struct rt_fault *rt_fault(void) { return &E.fault; }
uint32_t rt_steps(void) { return E.live.steps; }
bool rt_call_done(uint32_t call) {
  assert(call < fl__ncalls());
  return E.times[call].ret != HISTORY_PENDING;
}
void rt_limit(uint32_t max_steps) { E.options.max_steps = max_steps; }
uint64_t rt_progress(void) { return E.progress; }
uint64_t rt_accesses(void) { return E.accesses; }

bool rt_reduce(bool on) {
  bool was = E.reduce;
  E.reduce = on;
  return was;
}
void rt_trail(struct rt_trail *t) { E.trail = t; }
void rt_folds(struct rt_folds *f) { E.folds = f; }
void rt_log(struct rt_log *l) { E.log = l; }

int rt_current(void) { return (int)E.live.current; }

static const struct store *oldest_store(int thread) {
  assert(thread < RT_BUFFERS && fl__buffer[thread].n);
  return &fl__buffer[thread].at[0];
}

void rt_pending(int thread, struct rt_access *out) {
  if (rt_is_buffer(thread)) {
    const struct store *s = oldest_store(rt_owner(thread));
    *out = (struct rt_access){EV_COMMIT, s->addr, s->size};
    return;
  }
  const struct fiber_state *f = &E.fiber[thread];
  assert(f->status == FIBER_PARKED);
  *out = (struct rt_access){f->kind, f->addr, f->size};
}

void rt_stand(int thread, struct rt_stand *out) {
  if (rt_is_buffer(thread)) {
    const struct store *s = oldest_store(rt_owner(thread));
    *out = (struct rt_stand){fl__offset(s->pc), s->call, true, 0};
    return;
  }
  const struct fiber_state *f = &E.fiber[thread];
  assert(f->status == FIBER_PARKED);
  *out = (struct rt_stand){fl__offset(f->pc), f->call, f->called, f->held};
}

bool rt_is_parked(int thread) {
  return E.fiber[thread].status == FIBER_PARKED;
}

bool rt_found_conflict(void) {
  bool found = E.conflicts != 0;
  E.conflicts = 0;
  return found;
}

bool rt_found_shared_stack(void) {
  bool found = E.new_marks != 0;
  E.new_marks = 0;
  return found;
}

uint32_t rt_waiting(struct waiting out[RT_MAX_THREADS]) {
  uint32_t n = 0;
  for (uint32_t t = 0; t < E.live.nfibers; t++) {
    struct fiber_state *f = &E.fiber[t];
    if (f->status != FIBER_PARKED || f->can == fl__clients_done)
      continue;
    out[n++] = (struct waiting){
        .thread = (uint8_t)t,
        .kind = f->kind,
        .spins = f->spinning,
        .holder = fl__holder(f->kind, f->addr),
        .pc = fl__offset(f->pc),
        .addr = f->kind == EV_JOIN ? f->other : f->addr,
        .call = f->call,
    };
  }
  return n;
}

bool fl__readable(uint64_t addr, uint64_t size) {
  if (addr - E.data_lo < E.data_span)
    return size <= E.data_span - (addr - E.data_lo);
  if (addr - HEAP_BASE < HEAP_SPAN)
    return size <= HEAP_SPAN - (addr - HEAP_BASE);
  if (addr - STACK_BASE < STACK_SPAN)
    return (addr - STACK_BASE) % STACK_SIZE >= STACK_GUARD &&
           (addr - STACK_BASE) % STACK_SIZE + size <= STACK_SIZE;
  if (addr - CHANNEL_BASE < CHANNEL_SPAN)
    return E.live.channels && size <= CHANNEL_SIZE;
  for (uint32_t t = 0; E.tls_size && t < E.live.nfibers; t++) {
    uint64_t in = addr - (uint64_t)(uintptr_t)E.lent[t].tls;
    if (E.lent[t].tls && in < E.tls_size)
      return size <= E.tls_size - in;
  }
  return false;
}
