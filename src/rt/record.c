/*
 * The recording of one execution.  It is written as it happens into memory that
 * the worker may share with its parent, so that it can be read even when the
 * user's code takes the worker down.
 *
 * Values: a plain read's value is what memory holds when the step begins, a
 * plain write's what it holds when the step is over; atomics give theirs.
 * Until then the event is "open" and says that its value is unknown, and so
 * does one whose step the end of the execution cut off.
 *
 * (T1) at most one event is open, and it is one of the trace.
 */
#include "rt/record.h"

#include "rt/access.h"
#include "rt/buffer.h"
#include "rt/cage.h"
#include "rt/engine.h"
#include "rt/heap.h"

#include "base/arena.h"
#include "base/map128.h"

#include <assert.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  MAX_EVENTS = 1 << 16,
  MAX_FRAMES = 1 << 15,
  MAX_ACTIVATIONS = 1 << 16,
  MAX_BLOCKS = 1 << 14,
  MAX_NOTES = 64
};

static struct {
  struct trace *t;
  struct arena *arena;
  uint32_t open; /* number of the open event + 1, or 0 */
} R;

static struct event *open_event(void) {
  assert(R.open && R.open <= R.t->nevents); /* T1 */
  return &R.t->events[R.open - 1];
}

/* ---- call chains, interned for as long as the client is prepared ---- */

static struct frame chains[MAX_FRAMES] = {{0, 0}};
static uint32_t nchains = 1;
static struct map128 chain_ids;

static uint32_t chain_of(uint32_t parent, uint64_t pc) {
  assert(parent < nchains);
  uint64_t key[2] = {parent, pc};
  bool fresh;
  if (nchains == MAX_FRAMES)
    return parent;
  uint32_t *id = map128_put(&chain_ids, hash128(key, sizeof key, 0), &fresh);
  if (fresh) {
    chains[nchains] = (struct frame){pc, parent};
    if (R.t) {
      R.t->frames[nchains] = chains[nchains];
      R.t->nframes = nchains + 1;
    }
    *id = nchains++;
  }
  return *id;
}

uint32_t fl__chain(int thread) {
  uint32_t depth = E.fiber[thread].depth, id = 0;
  if (depth > SHADOW_FRAMES)
    depth = SHADOW_FRAMES;
  for (uint32_t i = 0; i < depth; i++) {
    uint64_t pc = E.shadow[thread][i].pc;
    /* The outermost call came from the engine: no place of the user's. */
    if (pc - E.base < E.image_span)
      id = chain_of(id, pc - E.base);
  }
  return id;
}

/* ---- activations ---- */

static uint32_t activate(const struct shadow_frame *s, uint32_t caller) {
  if (R.t->nactivations == MAX_ACTIVATIONS) {
    R.t->truncated = true;
    return caller;
  }
  assert(caller < R.t->nactivations);
  R.t->activations[R.t->nactivations] =
      (struct activation){fl__offset(s->pc), caller};
  return R.t->nactivations++;
}

/* An activation gets its number with its first event: most have none. */
static uint32_t activation_of(int thread) {
  struct shadow_frame *s = E.shadow[thread];
  uint32_t depth = E.fiber[thread].depth;
  if (depth > SHADOW_FRAMES)
    depth = SHADOW_FRAMES;
  uint32_t known = depth;
  while (known && !s[known - 1].activation)
    known--;
  for (uint32_t i = known; i < depth; i++)
    s[i].activation = activate(&s[i], i ? s[i - 1].activation : 0);
  return depth ? s[depth - 1].activation : 0;
}

/* ---- blocks ---- */

static struct block *add_block(void) {
  if (R.t->nblocks == MAX_BLOCKS) {
    R.t->truncated = true;
    return NULL;
  }
  return &R.t->blocks[R.t->nblocks++];
}

static void old_block(const struct block_info *b, void *ctx) {
  (void)ctx;
  struct block *to = add_block();
  if (!to)
    return;
  *to = (struct block){.base = b->base,
                       .size = b->size,
                       .elem_size = b->elem,
                       .alloc_event = UINT32_MAX,
                       .free_event = b->live ? UINT32_MAX : 0,
                       .alloc_pc = b->alloc_pc,
                       .free_pc = b->free_pc,
                       .alloc_chain = b->alloc_chain,
                       .alloc_call = b->alloc_call,
                       .alloc_thread = b->alloc_thread,
                       .free_thread = b->free_thread};
}

/* The newest block at an address. */
static struct block *block_at(uint64_t base) {
  for (uint32_t i = R.t->nblocks; i--;)
    if (R.t->blocks[i].base == base)
      return &R.t->blocks[i];
  return NULL;
}

/* ---- events ---- */

static struct event *add(enum event_kind kind, int thread, uint64_t pc) {
  assert(R.t && thread >= 0 && (uint32_t)thread < E.live.nfibers);
  if (R.t->nevents == MAX_EVENTS) {
    R.t->truncated = true;
    return NULL;
  }
  struct fiber_state *f = &E.fiber[thread];
  struct event *e = &R.t->events[R.t->nevents];
  *e = (struct event){.kind = kind,
                      .thread = (uint8_t)thread,
                      .step = E.live.steps,
                      .call = f->call,
                      .chain = fl__chain(thread),
                      .activation = activation_of(thread),
                      .pc = fl__offset(pc)};
  R.t->nevents++;
  return e;
}

static void copy_value(uint64_t to[2], const void *from, uint64_t size) {
  to[0] = to[1] = 0;
  if (from)
    memcpy(to, from, size < 16 ? size : 16);
}

/*
 * The first bytes at an address, which may be anything: what lies outside of
 * the engine's areas (`stdout`, a library's data, a mapped file) is read by the
 * kernel, which does not mind a bad address.
 */
static bool read_value(uint64_t to[2], uint64_t addr, uint64_t size) {
  if (fl__readable(addr, size ? size : 1)) {
    copy_value(to, (const void *)addr, size);
    return true;
  }
  size_t n = size < 16 ? (size_t)size : 16;
  struct iovec here = {to, n}, there = {(void *)addr, n};
  to[0] = to[1] = 0;
  return n && cage_call(SYS_process_vm_readv, getpid(), (long)&here, 1,
                        (long)&there, 1) == (long)n;
}

void fl__record_step(int thread) {
  struct fiber_state *f = &E.fiber[thread];
  R.open = 0;
  if (f->kind == EV_STEP || f->kind == EV_CREATE)
    return; /* its call and return are recorded; fl__spawn records itself */
  struct event *e = add(f->kind, thread, f->pc);
  if (!e)
    return;
  e->order = f->order;
  e->addr = f->addr;
  e->size = f->size;
  if (f->kind == EV_JOIN)
    e->value[0] = f->other;
  if (event_reads[f->kind] || event_writes[f->kind]) {
    if (!read_value(e->old, f->addr, f->size))
      e->flags = EVENT_NO_OLD | EVENT_NO_VALUE;
    else if (event_writes[f->kind])
      e->flags = EVENT_NO_VALUE;
    else
      memcpy(e->value, e->old, sizeof e->value);
    if (event_reads[f->kind] && UNLIKELY(E.options.tso) &&
        fl__buffer_has(thread, f->addr, f->size))
      e->flags |= EVENT_FORWARDED;
  }
  R.open = R.t->nevents;
}

uint32_t fl__record_last(void) {
  return E.recording && R.t->nevents ? R.t->nevents - 1 : 0;
}

void fl__record_issued(uint32_t event) {
  assert(event < R.t->nevents);
  R.t->events[event].flags |= EVENT_ISSUED;
}

void fl__record_commit(int thread, const struct store *s) {
  struct event *e = add(EV_COMMIT, thread, s->pc);
  if (!e)
    return;
  assert(s->event < R.t->nevents);
  const struct event *of = &R.t->events[s->event];
  e->order = s->order;
  e->addr = s->addr;
  e->size = s->size;
  e->call = of->call;
  e->chain = of->chain;
  e->activation = of->activation;
  e->issue = s->event;
  copy_value(e->value, s->data, s->size);
  if (!read_value(e->old, s->addr, s->size))
    e->flags = EVENT_NO_OLD;
}

/* The engine does not let the access happen: it has no value. */
void fl__record_refused(int thread) {
  fl__record_step(thread);
  if (R.open)
    open_event()->flags = EVENT_NO_OLD | EVENT_NO_VALUE;
  R.open = 0;
}

void fl__record_refused_touch(bool write, uint64_t addr, uint64_t size,
                              uint64_t pc) {
  struct event *e = add(write ? EV_WRITE : EV_READ, E.cur, pc);
  if (!e)
    return;
  e->addr = addr;
  e->size = size;
  e->flags = EVENT_NO_OLD | EVENT_NO_VALUE;
}

void fl__saw(enum event_kind kind, const void *old, const void *value,
             uint64_t size) {
  if (!E.recording || !R.open)
    return;
  struct event *e = open_event();
  e->kind = kind;
  if (old) {
    copy_value(e->old, old, size);
    e->flags &= (uint8_t)~EVENT_NO_OLD;
  }
  if (value) {
    copy_value(e->value, value, size);
    e->flags &= (uint8_t)~EVENT_NO_VALUE;
  }
  if (!event_writes[kind] || E.options.c11) /* memory may not tell what it was */
    R.open = 0;
}

static bool equal(const uint64_t a[2], const uint64_t b[2]) {
  return a[0] == b[0] && a[1] == b[1];
}

void fl__record_done_step(uint8_t kind, uint64_t addr, uint64_t size) {
  if (!R.open)
    return;
  struct event *e = open_event();
  uint64_t now[2];
  if (event_writes[kind] && e->kind == kind && read_value(now, addr, size)) {
    /* A fault may have come before the write itself: no change tells nothing.
     */
    bool known = E.arrival != FAULTED || !equal(now, e->old);
    if (known) {
      memcpy(e->value, now, sizeof now);
      e->flags &= (uint8_t)~EVENT_NO_VALUE;
    }
  }
  R.open = 0;
}

void fl__record_call(int thread) { add(EV_CALL, thread, 0); }

void fl__record_return(int thread, uint32_t call) {
  /* The last write's value must be known before the return is noted. */
  if (R.open) {
    struct event *e = open_event();
    fl__record_done_step(e->kind, e->addr, e->size);
  }
  struct event *e = add(EV_RETURN, thread, 0);
  if (e) {
    e->value[0] = E.calls[call].result.bits;
    e->value[1] = E.calls[call].result.kind;
    if (e->value[1] == VALUE_STRING && e->value[0])
      e->value[0] = (uint64_t)(uintptr_t)arena_strdup(
          R.arena, (const char *)(uintptr_t)e->value[0]);
  }
}

void fl__record_simple(enum event_kind kind, const volatile void *addr,
                       uint64_t value, uint64_t pc) {
  struct event *e = add(kind, E.cur, pc);
  if (e) {
    e->addr = (uint64_t)(uintptr_t)addr;
    e->value[0] = value;
  }
}

/* It belongs to no call: it may stand before the call's first access, or behind
 * the last. */
void fl__record_mark(enum event_kind kind, int thread, uint64_t pc) {
  struct event *e = add(kind, thread, pc);
  if (e)
    e->call = EVENT_NO_CALL;
}

void fl__record_annotation(enum event_kind kind, const volatile void *addr,
                           uint64_t pc) {
  struct event *e = add(kind, E.cur, pc);
  if (!e)
    return;
  e->addr = (uint64_t)(uintptr_t)addr;
  if (!E.self->called) /* it stands before the call's first access */
    e->call = EVENT_NO_CALL;
}

void fl__record_alloc(const void *p, uint64_t size, uint64_t elem,
                      uint64_t pc) {
  if (!E.in_fiber)
    return;
  struct event *e = add(EV_ALLOC, E.cur, pc);
  struct block *b = e ? add_block() : NULL;
  if (!b)
    return;
  e->addr = (uint64_t)(uintptr_t)p;
  e->size = size;
  *b = (struct block){.base = e->addr,
                      .size = size,
                      .elem_size = elem,
                      .alloc_event = R.t->nevents - 1,
                      .free_event = UINT32_MAX,
                      .alloc_pc = e->pc,
                      .alloc_chain = e->chain,
                      .alloc_call = e->call + 1, /* EVENT_NO_CALL gives 0 */
                      .alloc_thread = (uint8_t)E.cur};
}

void fl__record_free(const void *p, uint64_t pc) {
  struct block *b = block_at((uint64_t)(uintptr_t)p);
  if (!b)
    return;
  /* The FREE step itself was recorded when it began. */
  b->free_event = R.t->nevents ? R.t->nevents - 1 : 0;
  b->free_pc = fl__offset(pc);
  b->free_chain = fl__chain(E.cur);
  b->free_thread = (uint8_t)E.cur;
}

void fl__record_note(enum event_kind kind, int thread, uint64_t pc,
                     uint64_t addr, const char *text) {
  if (R.t->nnotes == MAX_NOTES)
    return;
  struct event *e = add(kind, thread, pc ? pc + E.base : 0);
  if (!e)
    return;
  e->addr = addr;
  e->value[0] = R.t->nnotes;
  R.t->notes[R.t->nnotes++] = arena_strdup(R.arena, text ? text : "");
}

static void *room(size_t size) {
  void *p = arena_room(R.arena, size); /* most of it is never used */
  if (!p)
    die("the memory for recordings is full");
  return p;
}

void fl__record_begin(struct arena *a, struct trace *t) {
  assert(!R.t && !E.recording);
  R.arena = a;
  R.open = 0;
  *t = (struct trace){0};
  t->events = room(MAX_EVENTS * sizeof *t->events);
  t->frames = room(MAX_FRAMES * sizeof *t->frames);
  t->activations = room(MAX_ACTIVATIONS * sizeof *t->activations);
  t->activations[0] = (struct activation){0};
  t->nactivations = 1;
  t->blocks = room(MAX_BLOCKS * sizeof *t->blocks);
  t->notes = room(MAX_NOTES * sizeof *t->notes);
  memcpy(t->frames, chains, nchains * sizeof *chains);
  t->nframes = nchains;
  t->history.client = E.client;
  R.t = t;
  for (int i = 0; i < RT_MAX_THREADS; i++)
    fl__heap_each(i, old_block, NULL);
  if (E.suite && E.suite->show)
    fl__record_note(EV_SHOW, 0, 0, 0, E.shown);
  /* Threads stand before their first access, perhaps in a block already. */
  for (uint32_t i = 0; i < E.live.nfibers; i++)
    for (uint32_t k = 0; k < E.fiber[i].marks; k++)
      fl__record_mark(EV_TXN_BEGIN, (int)i, 0);
}

void fl__record_sleepers(void) {
  for (uint32_t left = E.live.parked; left; left &= left - 1) {
    int thread = __builtin_ctz(left);
    struct fiber_state *f = &E.fiber[thread];
    if (f->kind != EV_SEM_WAIT || !f->can || f->can(f))
      continue;
    struct event *e = add(EV_SEM_WAIT, thread, f->pc);
    if (!e)
      return;
    e->addr = f->addr;
    e->size = f->size;
    e->flags = EVENT_NO_VALUE;
  }
}

void fl__record_next(void) {
  uint32_t end = R.t->nevents;
  for (uint32_t left = E.live.parked; left; left &= left - 1) {
    int thread = __builtin_ctz(left);
    const struct fiber_state *f = &E.fiber[thread];
    if (thread != E.fault.thread && f->status == FIBER_PARKED &&
        (event_reads[f->kind] || event_writes[f->kind]))
      fl__record_refused(thread);
  }
  R.t->nnext = R.t->nevents - end;
  R.t->nevents = end;
}

void fl__record_end(void) {
  struct trace *t = R.t;
  assert(t && t->nevents <= MAX_EVENTS && t->nframes == nchains);
  uint32_t n = fl__ncalls();
  const struct history *h = rt_history();
  t->history = *h;
  t->history.ops = room((n + 1) * sizeof *t->history.ops);
  memcpy(t->history.ops, h->ops, n * sizeof *h->ops);
  for (uint32_t i = 0; i < n; i++) { /* texts go along */
    struct value *v = &t->history.ops[i].result;
    if (v->kind == VALUE_STRING && v->bits)
      v->bits = (uint64_t)(uintptr_t)arena_strdup(
          R.arena, (const char *)(uintptr_t)v->bits);
  }
  R.t = NULL;
}
