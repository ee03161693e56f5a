/*
 * Nobody can step: does the execution end as it may, in a deadlock, or in a
 * loop that nobody ends?
 */
#include "rt/execute.h"
#include "rt/fault.h"
#include "rt/record.h"

#include <assert.h>
#include <stdio.h>

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
static void begin_calls(void) {
  for (uint32_t left = E.live.parked; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    struct fiber_state *f = &E.fiber[t];
    if (f->called || f->call == EVENT_NO_CALL)
      continue;
    E.live.steps++;
    fl__begin_call(t);
  }
}

bool fl__in_blocking_call(const struct fiber_state *f) {
  if (f->call == EVENT_NO_CALL)
    return false;
  assert(f->call < fl__ncalls());
  const struct fl_op *op = E.ops[E.client->calls[f->call].op];
  bool blocking = false;
  for (unsigned i = 0; i < op->nitems; i++)
    blocking |= op->items[i].kind == FL_ITEM_BLOCKING;
  return blocking;
}

/* All threads that are left are in operations that may wait: for a lock, or in
 * a loop until a location changes.  After them, main is in its final calls. */
static bool may_wait(void) {
  if (!E.live.clients)
    return E.suite && !E.preparing && E.live.final &&
           fl__in_blocking_call(&E.fiber[0]);
  bool may = true;
  for (uint32_t left = E.live.clients; left; left &= left - 1)
    may &= fl__in_blocking_call(&E.fiber[__builtin_ctz(left)]);
  return may;
}

static enum rt_end endless(int thread) {
  fl__fill_fault_of(thread, FAULT_ENDLESS, E.fiber[thread].addr,
                    "it goes round for ever, and reads nothing that another "
                    "thread could change");
  return RT_FAULT;
}

/* The first thread that goes round a loop without looking at anything, or -1. */
static int blind(void) {
  for (uint32_t left = E.live.spinning; left; left &= left - 1)
    if (fl__spin_is_blind(__builtin_ctz(left)))
      return __builtin_ctz(left);
  return -1;
}

static enum rt_end livelock(void) {
  char names[200];
  int first = __builtin_ctz(E.live.spinning);
  fl__fill_fault_of(first, FAULT_LIVELOCK, E.fiber[first].addr,
                    "%s can never go on: each waits in a loop or for a lock, "
                    "and nobody changes what they wait for",
                    name_list(E.live.parked, names, sizeof names));
  return RT_FAULT;
}

static enum rt_end deadlock(void) {
  char names[200];
  uint32_t mask = E.live.parked;
  int first = mask ? __builtin_ctz(mask & ~1u ? mask & ~1u : mask) : 0;
  fl__fill_fault_of(first, FAULT_DEADLOCK, E.fiber[first].addr,
                    "%s wait for each other or for nobody",
                    name_list(mask, names, sizeof names));
  return RT_FAULT;
}

/*
 * If nobody can step only because a thread waits inside of atomic lines, no
 * schedule has them in one piece.  If the others could not step either, atomic
 * lines have nothing to do with it: a deadlock stays one, and a repair that
 * leads to it is none.
 */
enum rt_end fl__blocked(void) {
  assert(!fl__enabled());
  if (UNLIKELY(E.live.inside) && fl__enabled_outside()) {
    E.left_out = true;
    return RT_LEFT_OUT;
  }
  begin_calls();
  int thread = blind();
  if (thread >= 0)
    return endless(thread);
  if (may_wait())
    return RT_STUCK;
  return E.live.spinning ? livelock() : deadlock();
}
