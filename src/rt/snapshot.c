/*
 * The complete native state of an execution, as one run of bytes: scheduler
 * state, results so far, the object's data, heap arenas as far as used, the
 * stacks in use, thread-local blocks.  Restoring is the same walk with the
 * copies turned round.
 * bench/engine.c prints the size and the cost of both.
 */
#include "rt/int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static inline void put(struct snapshot *s, const void *from, size_t n) {
  if (UNLIKELY(s->len + n > s->cap)) {
    s->cap = (uint32_t)((s->len + n) * 2);
    s->bytes = xrealloc(s->bytes, s->cap);
  }
  memcpy(s->bytes + s->len, from, n);
  s->len += (uint32_t)n;
}

void fl__snapshot_put(struct snapshot *s, const void *from, size_t n) {
  put(s, from, n);
}

static inline const uint8_t *get(void *to, const uint8_t *from, size_t n) {
  memcpy(to, from, n);
  return from + n;
}

static inline uint64_t stack_top(uint32_t t) {
  return STACK_BASE + (uint64_t)(t + 1) * STACK_SIZE;
}
static inline uint8_t *arena_at(uint32_t t) {
  return (uint8_t *)(HEAP_BASE + (uint64_t)t * ARENA_SIZE);
}
static inline uint8_t *shadow_at(uint32_t t) {
  return (uint8_t *)(SHADOW_BASE + (uint64_t)t * (ARENA_SIZE / 16));
}
static inline uint32_t ncalls(void) { return E.client ? E.client->ncalls : 0; }

static void save_library_tls(struct snapshot *s, uint32_t t) {
  put(s, E.lent[t].errno_at, sizeof(int));
  for (uint32_t i = 0; i < E.nlibraries; i++)
    if (E.library[i].restored)
      put(s, (void *)E.lent[t].library[i], E.library[i].size);
}

static inline void save_arena(struct snapshot *s, uint32_t t) {
  if (t)
    put(s, arena_at(t), E.live.arena_used[t]);
  else
    fl__pages_save(PAGES_ARENA, s, HEAP_BASE, E.live.arena_used[0]);
}

void rt_save(struct snapshot *s) {
  s->len = 0;
  uint32_t n = E.live.nfibers;
  put(s, &E.live, sizeof E.live);
  put(s, E.fiber, n * sizeof *E.fiber);
  put(s, E.calls, ncalls() * sizeof *E.calls);
  put(s, E.times, ncalls() * sizeof *E.times);
  fl__pages_save(PAGES_DATA, s, E.data_lo, E.data_span);
  for (uint32_t left = E.live.arenas; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left);
    save_arena(s, t);
    put(s, shadow_at(t), E.live.arena_used[t] / 16);
  }
  for (uint32_t t = 0; t < n; t++) {
    struct fiber_state *f = &E.fiber[t];
    if (f->status == FIBER_PARKED)
      put(s, f->sp, stack_top(t) - (uint64_t)(uintptr_t)f->sp);
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
  if (E.live.keys) {
    put(s, E.key_value, n * sizeof *E.key_value);
    put(s, E.key_destructor, sizeof E.key_destructor);
  }
}

void rt_restore(const struct snapshot *s) {
  uint64_t used[RT_MAX_THREADS];
  uint32_t arenas = E.live.arenas;
  for (uint32_t left = arenas; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left);
    used[t] = E.live.arena_used[t];
  }
  const uint8_t *p = get(&E.live, s->bytes, sizeof E.live);
  uint32_t n = E.live.nfibers;
  p = get(E.fiber, p, n * sizeof *E.fiber);
  p = get(E.calls, p, ncalls() * sizeof *E.calls);
  p = get(E.times, p, ncalls() * sizeof *E.times);
  p = fl__pages_restore(PAGES_DATA, p, E.data_lo, E.data_span);
  for (uint32_t left = arenas | E.live.arenas; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left);
    uint64_t now = E.live.arena_used[t];
    /* What was allocated since was never allocated. */
    if (arenas >> t & 1 && used[t] > now)
      memset(shadow_at(t) + now / 16, 0, (used[t] - now) / 16);
    if (now) {
      p = t ? get(arena_at(t), p, now)
            : fl__pages_restore(PAGES_ARENA, p, HEAP_BASE, now);
      p = get(shadow_at(t), p, now / 16);
    }
  }
  for (uint32_t t = 0; t < n; t++) {
    struct fiber_state *f = &E.fiber[t];
    if (f->status == FIBER_PARKED)
      p = get(f->sp, p, stack_top(t) - (uint64_t)(uintptr_t)f->sp);
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
  if (E.live.keys) {
    p = get(E.key_value, p, n * sizeof *E.key_value);
    p = get(E.key_destructor, p, sizeof E.key_destructor);
  }
  assert(p == s->bytes + s->len);
}

void snapshot_free(struct snapshot *s) {
  free(s->bytes);
  *s = (struct snapshot){0};
}

/*
 * Left out: step numbers (two ways to a state differ in them), shadow bytes
 * (the block headers say the same), which steps spin detection has seen.
 */
struct hash128 rt_hash(bool with_history) {
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
    put(&s, E.calls, ncalls() * sizeof *E.calls);
  fl__pages_save(PAGES_DATA, &s, E.data_lo, E.data_span);
  for (uint32_t left = E.live.arenas; left; left &= left - 1)
    save_arena(&s, (uint32_t)__builtin_ctz(left));
  for (uint32_t t = 0; t < n; t++) {
    struct fiber_state *f = &E.fiber[t];
    if (f->status == FIBER_PARKED)
      put(&s, f->sp, stack_top(t) - (uint64_t)(uintptr_t)f->sp);
    if (E.lent[t].tls)
      put(&s, E.lent[t].tls, E.tls_size);
    if (E.options.uses_tls)
      save_library_tls(&s, t);
  }
  if (E.live.keys)
    put(&s, E.key_value, n * sizeof *E.key_value);
  /* How far a thread has come in showing that it goes round in circles: else
   * the second round would be a state that is known, and never be parked. */
  for (uint32_t left = E.loopers; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left), round[2] = {t, E.spin[t].n};
    put(&s, round, sizeof round);
  }
  return hash128(s.bytes, s.len, 0);
}
