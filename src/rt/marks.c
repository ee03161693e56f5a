/*
 * Memory of one thread that others touch all the same: its stack, and its block
 * of the object's thread-local variables.  The owner's own accesses there are
 * no steps until another thread is seen, or a pointer to it is stored where
 * others can find it; then they are, for good: the units are marked, and an
 * exhaustive search begins again (rt_found_shared_stack).
 *
 * So what is a step depends on the marks that there were when an execution
 * began.  A path means the same with the same marks only: it carries them
 * (search/replay.c).
 *
 * A stack also ends: what lies below its owner's stack pointer belongs to
 * functions that have returned.  Code parks inside of a call to a hook, so its
 * frame has no red zone below the pointer that is seen there.
 */
#include "rt/marks.h"

#include "rt/fault.h"

#include "base/slow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 16 };

static uint64_t *marks_of[2 * RT_TLS]; /* a bit for each unit; NULL: none */

static uint64_t bytes_of(uint32_t whose) {
  return whose < RT_TLS ? STACK_SIZE : E.tls_size;
}

static uint32_t units_of(uint32_t whose) {
  return (uint32_t)((bytes_of(whose) + UNIT - 1) / UNIT);
}

static bool put(uint32_t whose, uint32_t unit) {
  assert(whose < 2 * RT_TLS && unit < units_of(whose));
  uint64_t **bits = &marks_of[whose];
  if (!*bits)
    *bits = xcalloc(units_of(whose) / 64 + 1, sizeof **bits);
  uint64_t bit = 1ull << unit % 64;
  bool news = !((*bits)[unit / 64] & bit);
  (*bits)[unit / 64] |= bit;
  *(whose < RT_TLS ? &E.stack_shared : &E.tls_shared) |= 1u << whose % RT_TLS;
  return news;
}

void fl__mark(uint32_t whose, uint64_t offset, uint64_t size) {
  assert(whose < 2 * RT_TLS && offset < bytes_of(whose));
  uint64_t bytes = bytes_of(whose);
  for (uint64_t at = offset / UNIT * UNIT; at < offset + size && at < bytes;
       at += UNIT)
    E.new_marks += put(whose, (uint32_t)(at / UNIT));
}

/*
 * The object that it points to is shared from now on.  How large that is nobody
 * knows; what lies further off is found when another thread touches it.  The
 * marks are in time for this execution; but in the next one the owner's earlier
 * accesses there are steps too, and were none in this one.
 */
void fl__stack_published(uint64_t pointer) {
  enum { REACH = 128 };
  assert(fl__in_stacks(pointer));
  uint64_t in = pointer - STACK_BASE;
  fl__mark((uint32_t)(in / STACK_SIZE), in % STACK_SIZE, REACH);
}

bool fl__marked(uint32_t whose, uint64_t offset, uint64_t size) {
  check_slow(whose < 2 * RT_TLS && size);
  const uint64_t *bits = marks_of[whose];
  uint32_t units = units_of(whose);
  for (uint64_t i = offset / UNIT; i <= (offset + size - 1) / UNIT; i++)
    if (bits && i < units && (bits[i / 64] >> i % 64 & 1))
      return true;
  return false;
}

void fl__forget_marks(void) {
  for (uint32_t w = 0; w < 2 * RT_TLS; w++) {
    free(marks_of[w]);
    marks_of[w] = NULL;
  }
  E.stack_shared = E.tls_shared = E.new_marks = 0;
}

void rt_marks(rt_mark_list *out) {
  check_slow(fl__marks_check_invariants());
  vec_clear(out);
  for (uint32_t w = 0; w < 2 * RT_TLS; w++)
    for (uint32_t i = 0; marks_of[w] && i < units_of(w); i++) {
      if (i % 64 == 0 && !marks_of[w][i / 64]) {
        i += 63;
        continue;
      }
      if (!(marks_of[w][i / 64] >> i % 64 & 1))
        continue;
      struct rt_mark *last = out->len ? &vec_last(out) : NULL;
      if (last && last->whose == w && last->first + last->n == i)
        last->n++;
      else
        vec_push(out, ((struct rt_mark){(uint8_t)w, i, 1}));
    }
}

void fl__add_mark(const struct rt_mark *m) {
  if (m->whose >= 2 * RT_TLS)
    return;
  for (uint32_t i = m->first; i < units_of(m->whose) && i - m->first < m->n;
       i++)
    put(m->whose, i);
}

void rt_set_marks(const rt_mark_list *marks) {
  assert(!E.in_fiber); /* R2 */
  uint32_t news = E.new_marks;
  fl__forget_marks();
  for (uint32_t i = 0; i < marks->len; i++)
    fl__add_mark(&marks->at[i]);
  E.new_marks = news;
  check_slow(fl__marks_check_invariants());
}

bool fl__marks_check_invariants(void) {
  for (uint32_t w = 0; w < 2 * RT_TLS; w++) {
    uint32_t mask = w < RT_TLS ? E.stack_shared : E.tls_shared;
    assert((marks_of[w] != NULL) == (mask >> w % RT_TLS & 1)); /* M1 */
  }
  return true;
}

bool rt_has_marks(void) { return E.stack_shared || E.tls_shared; }

/* ---- what has returned ---- */

/* A thread that has woken from a wait does not touch the object that it waited
 * at, which may be gone by then.  Nor does a futex wake: it names an address,
 * and what the waiter does with the word when it sees the new value, which may
 * be to free it, is done before (glibc relies on that in its own locks). */
bool fl__only_wakes(const struct fiber_state *f) {
  return f->kind == EV_COND_WAKE || f->kind == EV_WAIT_OVER ||
         f->kind == EV_FUTEX_WOKEN || f->kind == EV_FUTEX_WAKE ||
         (f->kind == EV_BARRIER && f->can);
}

/*
 * Where the stack of the code ends that called the hook in which the thread is
 * parked: behind the hook's return address.  A copy of that in the hook's own
 * frames makes the stack end lower, which is safe.
 */
uint64_t fl__stack_end(int thread) {
  enum { MOST = 96 }; /* words, of hooks and of fl__switch */
  const struct fiber_state *f = &E.fiber[thread];
  const uint64_t *sp = f->sp;
  const uint64_t *top = (const uint64_t *)fl__stack_top((uint32_t)thread);
  if (f->status != FIBER_PARKED)
    return fl__stack_top((uint32_t)thread);
  if ((uint64_t)(uintptr_t)sp - fl__stack_bottom((uint32_t)thread) >=
      STACK_SIZE)
    return (uint64_t)(uintptr_t)sp;
  for (const uint64_t *p = sp + PORT_SAVED_WORDS; p < top && p < sp + MOST; p++)
    if (*p == f->pc)
      return (uint64_t)(uintptr_t)(p + 1);
  return (uint64_t)(uintptr_t)sp;
}

bool fl__stack_dead(int thread, uint64_t addr) {
  assert(fl__in_stacks(addr));
  int owner = (int)fl__stack_owner(addr);
  const struct fiber_state *f = &E.fiber[owner];
  if (owner == thread || fl__only_wakes(&E.fiber[thread]))
    return false;
  if ((uint32_t)owner >= E.live.nfibers || f->status != FIBER_PARKED)
    return true;
  uint64_t sp = (uint64_t)(uintptr_t)f->sp;
  /* Code that has a stack of its own there: what it has left is alive. */
  if (sp - fl__stack_bottom((uint32_t)owner) >= STACK_SIZE)
    return false;
  return addr < fl__stack_end(owner);
}

/* The text says whose stack it was; the report adds variable and function where
 * it knows them. */
void fl__stack_fault(int thread, uint64_t addr, bool write, uint64_t pc) {
  int owner = (int)fl__stack_owner(addr);
  const char *verb = write ? "writes to" : "reads";
  char whose[32] = "the main thread";
  if (owner)
    snprintf(whose, sizeof whose, "T%d", owner);
  if (owner == thread)
    fl__fill_fault(FAULT_USE_AFTER_RETURN, pc, addr,
                   "%s a local variable of a function that has returned", verb);
  else if (E.fiber[owner].status == FIBER_PARKED)
    fl__fill_fault(FAULT_USE_AFTER_RETURN, pc, addr,
                   "%s a local variable of a function of %s that has returned",
                   verb, whose);
  else
    fl__fill_fault(FAULT_USE_AFTER_RETURN, pc, addr,
                   "%s a local variable of %s, which has ended", verb, whose);
}
