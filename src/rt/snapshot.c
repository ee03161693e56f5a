/*
 * The complete native state of an execution, as one run of bytes: scheduler
 * state, results so far, the object's data, heap arenas as far as used, the
 * stacks in use, thread-local blocks.  Restoring is the same walk with the
 * copies turned round.  bench/engine.c prints the size and the cost of both.
 */
#include "rt/snapshot.h"
#include "base/slow.h"
#include "rt/bound.h"
#include "rt/buffer.h"
#include "rt/cage.h"
#include "rt/channel.h"
#include "rt/engine.h"
#include "rt/heap.h"
#include "rt/order.h"
#include "rt/race.h"
#include "rt/writes.h"

#include <stdlib.h>
#include <string.h>

static inline void put(struct snapshot *s, const void *from, size_t n) {
  if (UNLIKELY(s->len + n > s->cap)) {
    if (s->len + n > UINT32_MAX)
      die("a state of the program takes more than 4 GB, or a thread runs on a "
          "stack that the code has made itself");
    s->cap =
        s->len + n > UINT32_MAX / 2 ? UINT32_MAX : (uint32_t)(s->len + n) * 2;
    s->bytes = xrealloc(s->bytes, s->cap);
  }
  memcpy(s->bytes + s->len, from, n);
  s->len += (uint32_t)n;
}

void fl__snapshot_put(struct snapshot *s, const void *from, size_t n) {
  put(s, from, n);
}

static inline const uint8_t *get(void *to, const uint8_t *from, size_t n) {
  check_slow(to || !n);
  memcpy(to, from, n);
  return from + n;
}

/* From its stack pointer to the top. */
static inline size_t stack_bytes(uint32_t t) {
  return fl__stack_top(t) - (uint64_t)(uintptr_t)E.fiber[t].sp;
}

static void save_library_tls(struct snapshot *s, uint32_t t) {
  put(s, E.lent[t].errno_at, sizeof(int));
  for (uint32_t i = 0; i < E.nlibraries; i++)
    if (E.library[i].restored)
      put(s, (void *)E.lent[t].library[i], E.library[i].size);
}

static inline void save_arena(struct snapshot *s, uint32_t t) {
  if (t)
    fl__pages_put(s, fl__arena_base(t),
                  fl__arena_base(t) + E.live.arena_used[t]);
  else
    fl__pages_save(PAGES_ARENA, s, HEAP_BASE, E.live.arena_used[0]);
}

static void put_keys(struct snapshot *s, uint32_t threads) {
  check_slow(fl__keys_check_invariants());
  put(s, E.key, E.live.keys * sizeof *E.key);
  put(s, &E.live.keyed, sizeof E.live.keyed);
  for (uint32_t t = 0; t < threads; t++)
    if (E.live.keyed >> t & 1)
      put(s, E.key_value[t], E.live.keys * sizeof *E.key_value[t]);
}

static const uint8_t *get_keys(const uint8_t *p, uint32_t threads) {
  p = get(E.key, p, E.live.keys * sizeof *E.key);
  p = get(&E.live.keyed, p, sizeof E.live.keyed);
  for (uint32_t t = 0; t < threads; t++)
    if (E.live.keyed >> t & 1)
      p = get(E.key_value[t], p, E.live.keys * sizeof *E.key_value[t]);
  return p;
}

void rt_save(struct snapshot *s) {
  assert(!E.in_fiber); /* R2 */
  s->len = 0;
  uint32_t n = E.live.nfibers;
  put(s, &E.live, sizeof E.live);
  put(s, E.fiber, n * sizeof *E.fiber);
  put(s, E.calls, fl__ncalls() * sizeof *E.calls);
  put(s, E.times, fl__ncalls() * sizeof *E.times);
  fl__pages_save(PAGES_DATA, s, E.data_lo, E.data_span);
  for (uint32_t left = E.live.arenas; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left);
    save_arena(s, t);
    put(s, fl__arena_shadow(t), E.live.arena_used[t] / HEAP_GRANULE);
  }
  for (uint32_t t = 0; t < n; t++) {
    struct fiber_state *f = &E.fiber[t];
    if (f->status == FIBER_PARKED)
      put(s, f->sp, stack_bytes(t));
    if (E.lent[t].tls)
      put(s, E.lent[t].tls, E.tls_size);
    if (E.options.uses_tls)
      save_library_tls(s, t);
  }
  put(s, &E.loopers, sizeof E.loopers);
  for (uint32_t left = E.loopers; left; left &= left - 1) {
    const struct spin *spin = &E.spin[__builtin_ctz(left)];
    put(s, spin, offsetof(struct spin, at) + spin->n * sizeof *spin->at);
  }
  if (E.live.keys)
    put_keys(s, n);
  if (E.live.channels)
    fl__channels_save(s);
  if (UNLIKELY(E.options.tso))
    fl__buffers_save(s);
  if (UNLIKELY(E.live.ordered))
    fl__order_save(s), fl__race_save(s);
  if (UNLIKELY(E.options.c11))
    fl__c11_save(s);
  if (UNLIKELY(E.shadowing))
    fl__shadow_save(s);
}

void rt_restore(const struct snapshot *s) {
  cage_end_copy();
  uint64_t used[RT_MAX_THREADS];
  uint32_t arenas = E.live.arenas, channels = E.live.channels;
  for (uint32_t left = arenas; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left);
    used[t] = E.live.arena_used[t];
  }
  assert(!E.in_fiber && s->len >= sizeof E.live); /* R2 */
  const uint8_t *p = get(&E.live, s->bytes, sizeof E.live);
  fl__bound_begin(); /* N1: whatever raised the bound was on another way */
  uint32_t n = E.live.nfibers;
  p = get(E.fiber, p, n * sizeof *E.fiber);
  p = get(E.calls, p, fl__ncalls() * sizeof *E.calls);
  p = get(E.times, p, fl__ncalls() * sizeof *E.times);
  p = fl__pages_restore(PAGES_DATA, p, E.data_lo, E.data_span);
  for (uint32_t left = arenas | E.live.arenas; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left);
    uint64_t now = E.live.arena_used[t];
    /* Blocks that were allocated since were never allocated. */
    if (arenas >> t & 1 && used[t] > now)
      memset(fl__arena_shadow(t) + now / HEAP_GRANULE, 0,
             (used[t] - now) / HEAP_GRANULE);
    if (now) {
      p = t ? fl__pages_get(p, fl__arena_base(t), fl__arena_base(t) + now)
            : fl__pages_restore(PAGES_ARENA, p, HEAP_BASE, now);
      p = get(fl__arena_shadow(t), p, now / HEAP_GRANULE);
    }
  }
  for (uint32_t t = 0; t < n; t++) {
    struct fiber_state *f = &E.fiber[t];
    if (f->status == FIBER_PARKED)
      p = get(f->sp, p, stack_bytes(t));
    if (E.lent[t].tls)
      p = get(E.lent[t].tls, p, E.tls_size);
    if (E.options.uses_tls) {
      p = get(E.lent[t].errno_at, p, sizeof(int));
      for (uint32_t i = 0; i < E.nlibraries; i++)
        if (E.library[i].restored)
          p = get((void *)E.lent[t].library[i], p, E.library[i].size);
    }
    E.spin[t].n = 0;
  }
  p = get(&E.loopers, p, sizeof E.loopers);
  for (uint32_t left = E.loopers; left; left &= left - 1) {
    struct spin *spin = &E.spin[__builtin_ctz(left)];
    p = get(spin, p, offsetof(struct spin, at));
    p = get(spin->at, p, spin->n * sizeof *spin->at);
  }
  if (E.live.keys)
    p = get_keys(p, n);
  if (E.live.channels)
    p = fl__channels_load(p);
  else if (UNLIKELY(channels))
    fl__channels_forget();
  if (UNLIKELY(E.options.tso))
    p = fl__buffers_load(p);
  E.ordering = (uint8_t)E.live.ordered;
  if (UNLIKELY(E.live.ordered))
    p = fl__race_load(fl__order_load(p));
  if (UNLIKELY(E.options.c11))
    p = fl__c11_load_state(p);
  if (UNLIKELY(p != s->bytes + s->len))
    p = fl__shadow_load(p);
  else if (UNLIKELY(E.shadowing))
    fl__shadow_forget();
  assert(p == s->bytes + s->len);
  check_slow(fl__pages_check_invariants());
}

void snapshot_free(struct snapshot *s) {
  free(s->bytes);
  *s = (struct snapshot){0};
}

static void put_arena(struct snapshot *s, uint32_t t) {
  if (t)
    fl__pages_put(s, fl__arena_base(t),
                  fl__arena_base(t) + E.live.arena_used[t]);
  else
    fl__pages_digest(PAGES_ARENA, s, HEAP_BASE, E.live.arena_used[0]);
}

/* Results as they are in every process: the text of a string, not its
 * address. */
static void put_calls(struct snapshot *s) {
  for (uint32_t i = 0; i < fl__ncalls(); i++) {
    struct live_call c = E.calls[i];
    if (UNLIKELY(c.result.kind == VALUE_STRING))
      c.result.bits = value_text_hash(c.result);
    put(s, &c, sizeof c);
  }
}

/*
 * The records of threads in loops.  Without them the second round would be a
 * known state, and the thread would never be parked; and of two ways to a state
 * the first would decide what its successors are.
 */
static void put_spins(struct snapshot *s) {
  uint32_t looping = 0;
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    looping |= (uint32_t)E.fiber[t].looping << t;
  put(s, &looping, sizeof looping);
  for (uint32_t left = E.loopers; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left), head[2] = {t, E.spin[t].n};
    put(s, head, sizeof head);
    put(s, E.spin[t].at, E.spin[t].n * sizeof *E.spin[t].at);
  }
}

/* Globals and heap. */
static void put_shared(struct snapshot *s) {
  fl__pages_digest(PAGES_DATA, s, E.data_lo, E.data_span);
  for (uint32_t left = E.live.arenas; left; left &= left - 1)
    put_arena(s, (uint32_t)__builtin_ctz(left));
}

static void put_tls(struct snapshot *s, uint32_t t) {
  if (E.lent[t].tls)
    put(s, E.lent[t].tls, E.tls_size);
  if (E.options.uses_tls)
    save_library_tls(s, t);
}

struct hash128 rt_hash_contents(void) {
  static struct snapshot s;
  s.len = 0;
  put_shared(&s);
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    put_tls(&s, t);
  if (E.live.keys)
    put_keys(&s, E.live.nfibers);
  if (E.live.channels)
    fl__channels_save(&s);
  if (UNLIKELY(E.live.buffered))
    fl__buffers_hash(&s);
  return hash128_long(s.bytes, s.len);
}

/*
 * Left out: step numbers (two ways to a state differ in them), shadow bytes
 * (the block headers say the same).  Where data races are looked for, what
 * threads know of each other's accesses is a part of the state.
 */
struct hash128 rt_hash(bool with_history) {
  assert(!E.in_fiber); /* R2 */
  static struct snapshot s;
  s.len = 0;
  uint32_t n = E.live.nfibers;
  struct live l = E.live;
  l.steps = l.locals = l.current = 0;
  if (!with_history)
    l.done = 0;
  put(&s, &l, offsetof(struct live, arena_used));
  for (uint32_t t = 0; t < n; t++)
    put(&s, &E.fiber[t], FIBER_HASHED);
  if (with_history)
    put_calls(&s);
  put_shared(&s);
  for (uint32_t t = 0; t < n; t++) {
    struct fiber_state *f = &E.fiber[t];
    if (f->status == FIBER_PARKED)
      put(&s, f->sp, stack_bytes(t));
    put_tls(&s, t);
  }
  if (E.live.keys)
    put_keys(&s, n);
  if (E.live.channels)
    fl__channels_save(&s);
  put_spins(&s);
  if (UNLIKELY(E.live.buffered))
    fl__buffers_hash(&s);
  if (UNLIKELY(E.options.c11))
    fl__c11_hash(&s);
  struct hash128 h = hash128_long(s.bytes, s.len);
  if (LIKELY(!E.ordering))
    return h;
  struct hash128 races = fl__race_digest();
  return races.lo | races.hi ? hash128_join(h, races) : h;
}

struct hash128 rt_hash_memory(void) {
  static struct snapshot s;
  s.len = 0;
  put(&s, &E.live.keys, sizeof E.live.keys);
  put(&s, &E.live.arenas, sizeof E.live.arenas);
  /* All of it: fl__pages_digest looks at what changed since. */
  put(&s, (const void *)E.data_lo, E.data_span);
  for (uint32_t left = E.live.arenas; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left);
    put(&s, &E.live.arena_used[t], sizeof E.live.arena_used[t]);
    put(&s, (const void *)fl__arena_base(t), E.live.arena_used[t]);
    fl__heap_forget_sites((int)t, s.bytes + s.len - E.live.arena_used[t]);
  }
  if (E.lent[0].tls)
    put(&s, E.lent[0].tls, E.tls_size);
  if (E.options.uses_tls)
    save_library_tls(&s, 0);
  if (E.live.keys)
    put_keys(&s, 1);
  if (E.live.channels)
    fl__channels_save(&s);
  /* Threads that the constructor created: where they are is state too.  Those
   * of the client stand before their first calls. */
  for (uint32_t t = 1 + (E.client ? E.client->nthreads : 0); t < E.live.nfibers;
       t++) {
    put(&s, &E.fiber[t], FIBER_HASHED);
    if (E.fiber[t].status == FIBER_PARKED)
      put(&s, E.fiber[t].sp, stack_bytes(t));
  }
  return hash128(s.bytes, s.len, 0);
}
