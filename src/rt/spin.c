/*
 * Spin loops.  A thread has come back to a step in exactly the same local state
 * (stack and registers).  On the way it has changed nothing, but for locks that
 * it took and gave back, and others have changed none of the locations that it
 * read.  It will go round for ever unless one of those is changed, so it is
 * parked until that happens, at a place where it holds no lock that it would
 * give back in the loop.  This is exact: a bounded retry loop has a counter in
 * its local state and is never parked.
 *
 * A thread that goes round goes back in the code at least once: straight code
 * pays for one comparison of program counters only.  When a thread has gone
 * back, its steps are recorded with a hash of the local state; a second meeting
 * of equal records parks the thread.  So a loop goes round at most twice more
 * than it must.  The records are part of a state's hash, and there are none
 * before.
 *
 *   T1: x = 0?  x = 0?              parked, until
 *   T2:                  x = 1      wakes T1
 */
#include "rt/spin.h"

#include "rt/engine.h"
#include "rt/writes.h"

#include "base/slow.h"

/* Steps that a loop without effect can consist of. */
static bool may_repeat(uint8_t kind) {
  switch (kind) {
  case EV_READ:
  case EV_ATOMIC_READ:
  case EV_CAS: /* changes memory or not, as the step will show */
  case EV_RMW:
  case EV_TRYLOCK:
  case EV_SEM_WAIT:
  case EV_FUTEX_WAIT:
  case EV_YIELD:
  case EV_CLOCK:
  case EV_WRITE:
  case EV_ATOMIC_WRITE:
  case EV_FD_READ:
  case EV_FD_WRITE:
  case EV_FD_POLL:
  case EV_LOCK: /* timed and try variants */
  case EV_RDLOCK:
  case EV_WRLOCK:
    return true;
  }
  return false;
}

/* A recursion without end, say: comparing such a stack costs too much. */
static bool is_deep(const struct fiber_state *f, int thread) {
  enum { DEEP = 256 << 10 };
  uint64_t top = fl__stack_top((uint32_t)thread);
  return top - (uint64_t)(uintptr_t)f->sp > DEEP;
}

static uint64_t local_state(int thread) {
  struct fiber_state *f = &E.fiber[thread];
  uint64_t top = fl__stack_top((uint32_t)thread);
  uint64_t at = (uint64_t)(uintptr_t)f->sp;
  struct hash128 h = hash128_long((void *)at, top - at);
  if (E.lent[thread].tls)
    h = hash128_join(h, hash128_long(E.lent[thread].tls, E.tls_size));
  uint64_t waited = 0;
  for (int i = 0; i < WAIT_PLACES; i++)
    waited += f->waited[i] != 0;
  if (UNLIKELY(E.options.c11))
    waited += fl__c11_progress(thread) * 8;
  uint64_t all[5] = {h.lo, h.hi, f->clock, f->random, waited};
  return hash64(all, sizeof all, 0); /* of much, without a seed: that is dear */
}

/* Does it give back, somewhere in the round, a lock that it holds here?  Then
 * a thread that could end the loop may be waiting for that lock. */
static bool gives_back(const struct spin *s, uint32_t round, uint32_t held) {
  for (uint32_t i = round; i < s->n; i++)
    if (s->at[i].held < held)
      return true;
  return false;
}

void fl__spin_forget(int thread) {
  if (LIKELY(!E.fiber[thread].looping))
    return;
  E.fiber[thread].looping = 0;
  E.spin[thread].n = 0;
  E.loopers &= ~(1u << thread);
}

void fl__spin_arrive(int thread, uint64_t from) {
  struct fiber_state *f = &E.fiber[thread];
  check_slow(E.live.parked >> thread & 1);
  if (UNLIKELY(E.awaits))
    fl__await_arrive(thread);
  if (!may_repeat(f->kind) && !fl__in_timed_wait(f, f->kind))
    return;
  if (LIKELY(!f->looping)) {
    if (LIKELY(f->pc > from))
      return;
    f->looping = 1;
    E.spin[thread].n = 0;
  }
  if (UNLIKELY(is_deep(f, thread)))
    return;
  struct spin *s = &E.spin[thread];
  struct spin_record now = {f->pc,           f->addr,
                            f->size,         local_state(thread),
                            .held = f->held, .kind = f->kind};
  for (uint32_t i = 0; i < s->n; i++)
    if (s->at[i].pc == now.pc && s->at[i].local == now.local) {
      if (gives_back(s, i, f->held))
        return; /* it waits where it holds no more than it must */
      if (UNLIKELY(E.awaits)) {
        if (fl__await(thread, i))
          return;
        continue;
      }
      assert(E.live.parked >> thread & 1); /* L1 */
      if (UNLIKELY(E.options.c11) && fl__c11_goes_on(thread, s, i)) {
        fl__spin_forget(thread);
        return;
      }
      f->spinning = 1;
      E.live.spinning |= 1u << thread;
      return;
    }
  if (s->n == SPIN_MAX)
    s->n = 0; /* a long loop, or none: begin again */
  assert(s->n < SPIN_MAX);
  s->at[s->n++] = now;
  s->pending = 1;
  E.loopers |= 1u << thread;
}

/* It writes the values that are there already, and reads nothing. */
bool fl__spin_is_blind(int thread) {
  const struct spin *s = &E.spin[thread];
  for (uint32_t i = 0; i < s->n; i++)
    if (s->at[i].kind != EV_WRITE && s->at[i].kind != EV_ATOMIC_WRITE &&
        s->at[i].kind != EV_YIELD)
      return false;
  return s->n > 0;
}

/* Threads in loops forget what they read there before. */
void fl__spin_changed(int thread, uint64_t addr, uint64_t size) {
  check_slow(size != 0);
  if (UNLIKELY(E.awaits)) {
    fl__await_changed(thread, addr, size);
    return;
  }
  for (uint32_t left = E.loopers & ~(1u << thread); left; left &= left - 1) {
    int t = __builtin_ctz(left);
    struct spin *s = &E.spin[t];
    for (uint32_t i = 0; i < s->n; i++)
      if (s->at[i].addr < addr + size && addr < s->at[i].addr + s->at[i].size) {
        if (!E.fiber[t].spinning) {
          fl__spin_forget(t);
          break;
        }
        if (UNLIKELY(E.options.c11))
          fl__c11_woken(t, s);
        s->n = 0;
        E.fiber[t].spun = 1;
        E.fiber[t].spinning = 0;
        E.live.spinning &= ~(1u << t);
        E.loopers &= ~(1u << t);
        break;
      }
  }
}

bool fl__spin_check_invariants(void) {
  assert(!(E.live.spinning & ~E.live.parked)); /* L1 */
  for (uint32_t t = 0; t < E.live.nfibers; t++) {
    assert(E.fiber[t].spinning == (E.live.spinning >> t & 1)); /* L1 */
    if (E.loopers >> t & 1)                                    /* L2 */
      assert(E.spin[t].n && E.spin[t].n <= SPIN_MAX);
  }
  return true;
}
