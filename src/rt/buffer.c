/*
 * Store buffers: x86-TSO (Sewell et al., CACM 53(7), 2010).  Each thread has a
 * FIFO of stores that it has made and that memory does not have yet.  Its own
 * reads see them, the others' do not.  The buffer of thread t is scheduled as
 * thread RT_BUFFERS + t, whose step commits the oldest store.
 *
 * Stores are native: the hook is called, the thread goes on, and the store is
 * in memory.  So when the thread has come to its next access, what it stored is
 * taken out of memory again and put into the buffer; and while a thread runs,
 * its buffered stores lie in memory, in their order, over what was there.
 *
 * With the reduction, memory has some stores already (`through`): nobody
 * conflicts there.  Such a store takes its place in the buffer when others are
 * before it, and leaves at once when it comes to the head.  So the head of a
 * buffer is a store that memory does not have (B2), and a buffer is full when
 * it would be without the reduction.
 *
 * What a buffer does not take is stored when the buffer is empty: sequentially
 * consistent atomic stores (xchg), and what needs_empty says below.
 */
#include "rt/buffer.h"

#include "rt/access.h"
#include "rt/conflict.h"
#include "rt/engine.h"
#include "rt/marks.h"
#include "rt/record.h"
#include "rt/snapshot.h"

#include "base/slow.h"
#include "model/region.h"

#include <string.h>

struct store_buffer fl__buffer[RT_BUFFERS];
#define B fl__buffer

bool rt_tso(void) { return E.options.tso; }
uint32_t rt_buffer_size(void) { return E.options.buffer; }
int rt_owner(int thread) {
  return E.options.tso && thread >= RT_BUFFERS ? thread - RT_BUFFERS : thread;
}

static bool at_once;

bool rt_buffering(bool on) {
  bool was = !at_once;
  at_once = !on;
  return was;
}

/* ---- fences that are enforced ---- */

static struct {
  const uint64_t *pcs;
  uint32_t n;
} fences;

void rt_fences(const uint64_t *pcs, uint32_t n) {
  fences.pcs = pcs;
  fences.n = n;
}

static bool is_fenced(uint64_t place) {
  for (uint32_t i = 0; i < fences.n; i++)
    if (fences.pcs[i] == place)
      return true;
  return false;
}

bool fl__buffer_fences_return(uint32_t op) {
  return fences.n && is_fenced(RT_FENCE_RETURN(op));
}

/* ---- which accesses go into the buffer, and which wait for it ---- */

static bool in_own_stack(const struct fiber_state *f) {
  return fl__in_stacks(f->addr) &&
         fl__stack_owner(f->addr) == (uint64_t)(f - E.fiber);
}

static bool in_region(const struct fiber_state *f) {
  int t = (int)(f - E.fiber);
  return UNLIKELY(E.regions != NULL) &&
         ((E.live.inside >> t & 1) || fl__atomic_needs_step(t));
}

bool fl__buffer_takes(const struct fiber_state *f) {
  if (f->kind != EV_WRITE &&
      (f->kind != EV_ATOMIC_WRITE || f->order == __ATOMIC_SEQ_CST))
    return false;
  return !E.live.final && !at_once && f->size && f->size <= BUFFER_WIDEST &&
         fl__readable(f->addr, f->size) && !in_own_stack(f) && !in_region(f);
}

static bool needs_empty(const struct fiber_state *f) {
  switch (f->kind) {
  case EV_READ:
  case EV_ATOMIC_READ:
    return in_region(f) || is_fenced(f->pc - E.base);
  case EV_YIELD:
  case EV_STEP:
    return false;
  }
  return true;
}

bool fl__buffer_stops(const struct fiber_state *f) {
  int t = (int)(f - E.fiber);
  if (t >= RT_BUFFERS || !B[t].n)
    return false;
  return fl__buffer_takes(f) ? B[t].n >= E.options.buffer : needs_empty(f);
}

bool fl__buffer_drains(const struct fiber_state *f) {
  return !fl__buffer_takes(f) && needs_empty(f);
}

/* For a thread that joins it, a thread has ended when its stores are in
 * memory. */
bool fl__buffer_lets_join(const struct fiber_state *f) {
  return !fl__buffer_stops(f) && !(E.live.buffered >> f->other & 1);
}

/* A call that only stores is one step, from call to return.  Its stores are
 * committed behind that step, or the call would be longer than it must be. */
static bool waits_for_call(uint32_t t) {
  const struct fiber_state *f = &E.fiber[t];
  return f->status == FIBER_PARKED && f->kind == EV_STEP && !f->called &&
         f->call != EVENT_NO_CALL && B[t].at[0].call == f->call;
}

uint32_t fl__buffer_enabled(uint32_t on) {
  for (uint32_t left = E.live.buffered & on; left; left &= left - 1)
    if (fl__buffer_stops(&E.fiber[__builtin_ctz(left)]))
      on &= ~(left & -left);
  for (uint32_t left = E.live.waiting & on; left; left &= left - 1) {
    const struct fiber_state *f = &E.fiber[__builtin_ctz(left)];
    if (f->kind == EV_JOIN && !fl__buffer_lets_join(f))
      on &= ~(left & -left);
  }
  for (uint32_t left = E.live.buffered; left; left &= left - 1)
    if (!waits_for_call((uint32_t)__builtin_ctz(left)))
      on |= (left & -left) << RT_BUFFERS;
  return on;
}

/* ---- own stores while the thread runs ---- */

void fl__buffer_put_in(int t) {
  for (uint32_t i = 0; i < B[t].n; i++) {
    struct store *s = &B[t].at[i];
    if (s->through)
      continue;
    memcpy(s->under, (const void *)s->addr, s->size);
    memcpy((void *)s->addr, s->data, s->size);
  }
}

/* A buffered store has the bytes that code without hooks wrote over it. */
void fl__buffer_take_out(int t) {
  for (uint32_t i = B[t].n; i--;) {
    struct store *s = &B[t].at[i];
    if (s->through)
      continue;
    memcpy(s->data, (const void *)s->addr, s->size);
    memcpy((void *)s->addr, s->under, s->size);
  }
}

bool fl__buffer_has(int t, uint64_t addr, uint64_t size) {
  if (t >= RT_BUFFERS)
    return false;
  for (uint32_t i = 0; i < B[t].n; i++)
    if (B[t].at[i].addr < addr + size &&
        addr < B[t].at[i].addr + B[t].at[i].size)
      return true;
  return false;
}

/* ---- stores ---- */

/* The thread's own stores are in memory by now. */
void fl__buffer_begin(const struct fiber_state *f, struct store *s) {
  *s = (struct store){.addr = f->addr,
                      .size = (uint32_t)f->size,
                      .call = f->call,
                      .pc = f->pc,
                      .order = f->kind == EV_ATOMIC_WRITE ? f->order : 0,
                      .event = fl__record_last()};
  assert(s->size && s->size <= BUFFER_WIDEST);
  check_slow(!in_own_stack(f)); /* B3 */
  s->through = E.reduce && fl__conflict_free(f->addr, f->size);
  memcpy(s->under, (const void *)s->addr, s->size);
}

/* The store was made: takes it out of memory again. */
void fl__buffer_end(struct store *s) {
  memcpy(s->data, (const void *)s->addr, s->size);
  if (!s->through)
    memcpy((void *)s->addr, s->under, s->size);
  uint64_t value;
  memcpy(&value, s->data, sizeof value);
  if (s->size == sizeof value && value - STACK_BASE < STACK_SPAN)
    fl__stack_published(value);
}

bool fl__buffer_push(int t, const struct store *s) {
  check_slow(t < RT_BUFFERS);
  B[t].issued++;
  if (s->through && !B[t].n)
    return false; /* B2 */
  assert(B[t].n < BUFFER_MOST);
  B[t].at[B[t].n++] = *s;
  E.live.buffered |= 1u << t;
  return true;
}

bool fl__buffer_pop(int t) {
  assert(B[t].n);
  memmove(B[t].at, B[t].at + 1, --B[t].n * sizeof *B[t].at);
  if (!B[t].n)
    E.live.buffered &= ~(1u << t);
  return B[t].n && B[t].at[0].through;
}

/* ---- states ---- */

void fl__buffers_save(struct snapshot *s) {
  for (uint32_t t = 0; t < RT_BUFFERS; t++) {
    uint32_t head[2] = {B[t].n, B[t].issued};
    fl__snapshot_put(s, head, sizeof head);
    fl__snapshot_put(s, B[t].at, B[t].n * sizeof *B[t].at);
  }
}

const uint8_t *fl__buffers_load(const uint8_t *p) {
  for (uint32_t t = 0; t < RT_BUFFERS; t++) {
    uint32_t head[2];
    memcpy(head, p, sizeof head);
    p += sizeof head;
    B[t].n = head[0];
    B[t].issued = head[1];
    check_slow(B[t].n <= BUFFER_MOST);
    memcpy(B[t].at, p, B[t].n * sizeof *B[t].at);
    p += B[t].n * sizeof *B[t].at;
  }
  return p;
}

/* The state after loading ends with the buffers, which are empty there. */
void rt_set_tso(bool on) {
  assert(!E.in_fiber); /* R2 */
  const uint32_t none[RT_BUFFERS][2] = {{0}};
  if (on && !E.options.tso)
    fl__snapshot_put(&E.loaded, none, sizeof none);
  if (!on && E.options.tso)
    E.loaded.len -= sizeof none;
  E.options.tso = on;
}

/* Without the fields that only reports use. */
void fl__buffers_hash(struct snapshot *s) {
  for (uint32_t left = E.live.buffered; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left);
    fl__snapshot_put(s, &B[t].n, sizeof B[t].n);
    for (uint32_t i = 0; i < B[t].n; i++) {
      const struct store *e = &B[t].at[i];
      bool early = e->call == E.fiber[t].call && !E.fiber[t].called;
      uint64_t what[3] = {e->addr, e->size, (uint64_t)e->through << 1 | early};
      if (e->through)
        what[0] = what[1] = 0;
      fl__snapshot_put(s, what, sizeof what);
      if (!e->through)
        fl__snapshot_put(s, e->data, e->size);
    }
  }
}

bool fl__buffers_check_invariants(void) {
  for (uint32_t t = 0; t < RT_BUFFERS; t++) {
    assert(B[t].n <= E.options.buffer && B[t].n <= B[t].issued);
    assert((B[t].n > 0) == (E.live.buffered >> t & 1)); /* B2 */
    assert(!B[t].n || !B[t].at[0].through);             /* B2 */
    for (uint32_t i = 0; i < B[t].n; i++)               /* B3 */
      assert(!fl__in_stacks(B[t].at[i].addr) ||
             fl__stack_owner(B[t].at[i].addr) != t);
  }
  return true;
}
