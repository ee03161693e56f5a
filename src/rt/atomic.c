/*
 * Regions that are not to be interrupted (rt_atomic), and the shadow call stack
 * that tells which activations a thread is in.
 *
 * The place of an activation is the pending access in the innermost function,
 * and in the others the call that they are in.  Each frame remembers its place
 * at the last access that the thread has made (`last`).  When the thread
 * arrives before the next access, it is inside of a region if one of its
 * activations can have come from the last place to this one without leaving the
 * region, or has not moved at all: the same call is still going on.
 *
 * (A1) of the history only E.live.inside matters: the next access sets `last`
 *      in every frame, to places that the thread's stack shows.  So frames are
 *      in snapshots, but not in hashes.
 * (A2) at most one thread is inside: the one that made the last step.  If it
 *      would have to wait there, for a lock that another thread holds, it ought
 *      not to have begun: the execution is left out, and those in which the
 *      others went first are the ones that count.
 * (A3) an access that may begin an execution of a region is a step, even if it
 *      conflicts with nothing: others must be able to run before it, since
 *      behind it they are not.
 *
 * For A2, with lines 10 and 11 atomic and a mutex that T2 holds:
 *   T1 at 10, T1 waits for the mutex at 11: left out.
 *   T2 unlocks, T1 at 10, T1 locks at 11: counts.
 *
 * A1 is no property of one state; tests/agree/atomic_dfs.c compares a search
 * over states with one over schedules.
 */
#include "rt/engine.h"
#include "rt/snapshot.h"

#include "base/slow.h"
#include "model/region.h"
#include "model/wake.h"

#include <string.h>

#define ELSEWHERE UINT64_MAX /* a place that no region has */

static uint32_t frames_of(const struct fiber_state *f) {
  return f->depth < SHADOW_FRAMES ? f->depth : SHADOW_FRAMES;
}

static uint64_t offset_of(uint64_t pc) {
  return pc - E.base < E.image_span ? pc - E.base : ELSEWHERE;
}

/* Where the activation of frame i is. */
static uint64_t place(int thread, uint32_t i) {
  const struct fiber_state *f = &E.fiber[thread];
  assert(i < frames_of(f));
  if (i + 1 < frames_of(f))
    return offset_of(E.shadow[thread][i + 1].pc);
  return i + 1 == f->depth ? offset_of(f->pc) : ELSEWHERE;
}

/* Is it still in the call, of a function or of the library, that it was in at
 * the last access? */
static bool has_not_moved(int thread, uint32_t i) {
  const struct fiber_state *f = &E.fiber[thread];
  if (i + 1 < frames_of(f))
    return E.shadow[thread][i + 1].last != 0;
  return i + 1 < f->depth || (f->visit && f->visit == f->last_visit);
}

/* The number of a place in the region, or -1. */
static int find(const struct region *r, uint64_t pc) {
  uint32_t lo = 0, hi = r->npcs;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (r->pcs[mid] < pc)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < r->npcs && r->pcs[lo] == pc ? (int)lo : -1;
}

/* Has an activation stayed in the region on its way? */
static bool stays(const struct region *r, uint64_t from, uint64_t to,
                  bool unmoved) {
  int b = find(r, to), a = b < 0 ? -1 : find(r, from);
  if (a < 0)
    return false;
  assert((uint32_t)a < r->npcs && (uint32_t)b < r->npcs);
  return unmoved || r->stays[(size_t)a * r->npcs + (size_t)b];
}

static bool is_inside(int thread) {
  const struct shadow_frame *s = E.shadow[thread];
  uint32_t n = frames_of(&E.fiber[thread]);
  for (uint32_t i = 0; i < n && s[i].last; i++) {
    uint64_t now = place(thread, i);
    bool unmoved = has_not_moved(thread, i);
    for (uint32_t k = 0; k < E.regions->len; k++)
      if (stays(&E.regions->at[k], s[i].last, now, unmoved))
        return true;
  }
  return false;
}

static bool is_in_some_region(int thread) {
  uint32_t n = frames_of(&E.fiber[thread]);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < E.regions->len; k++)
      if (find(&E.regions->at[k], place(thread, i)) >= 0)
        return true;
  return false;
}

bool fl__atomic_needs_step(int thread) {
  return !(E.live.inside >> thread & 1) && is_in_some_region(thread); /* A3 */
}

void fl__atomic_made(int thread) {
  struct fiber_state *f = &E.fiber[thread];
  uint32_t n = frames_of(f);
  for (uint32_t i = 0; i < n; i++)
    E.shadow[thread][i].last = place(thread, i);
  f->last_visit = f->visit;
  f->visit = 0;
}

void fl__atomic_arrive(int thread) {
  uint32_t bit = 1u << thread;
  if (!E.regions)
    return;
  E.live.inside &= ~bit;
  if (E.arrival == ARRIVED && is_inside(thread))
    E.live.inside |= bit;
  check_slow(!(E.live.inside & (E.live.inside - 1))); /* A2 */
}

void fl__shadow_keep(void) {
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    memcpy(E.start_shadow[t], E.shadow[t],
           frames_of(&E.fiber[t]) * sizeof **E.shadow);
}

void fl__shadow_restart(void) {
  E.live.inside = 0;
  assert(E.shadowing);
  for (uint32_t t = 0; t < E.live.nfibers; t++) {
    memcpy(E.shadow[t], E.start_shadow[t],
           frames_of(&E.fiber[t]) * sizeof **E.shadow);
    if (E.regions && E.fiber[t].status == FIBER_PARKED && is_inside((int)t))
      E.live.inside |= 1u << t;
  }
}

void fl__shadow_save(struct snapshot *s) {
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    fl__snapshot_put(s, E.shadow[t],
                     frames_of(&E.fiber[t]) * sizeof **E.shadow);
}

const uint8_t *fl__shadow_load(const uint8_t *p) {
  for (uint32_t t = 0; t < E.live.nfibers; t++) {
    size_t size = frames_of(&E.fiber[t]) * sizeof **E.shadow;
    memcpy(E.shadow[t], p, size);
    p += size;
  }
  if (!E.regions)
    E.live.inside = 0;
  return p;
}

/* Frames without a place.  Their stack pointers are above all others, so that
 * no later frame drops them (__tsan_func_entry). */
void fl__shadow_forget(void) {
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    for (uint32_t i = 0; i < frames_of(&E.fiber[t]); i++)
      E.shadow[t][i] = (struct shadow_frame){.sp = UINT64_MAX};
}

static uint64_t moved(uint64_t addr, uint64_t base) {
  return addr - base < E.image_span ? addr - base + E.base : addr;
}

void rt_wake_after(const struct added_wake *w) {
  static struct added_wake own;
  assert(!E.in_fiber && !E.recording); /* R2 */
  E.wake = w ? &own : NULL;
  if (!w)
    return;
  own = *w;
  own.addr = moved(w->addr, w->base);
  own.sleeper = moved(w->sleeper, w->base);
}

void rt_atomic(const struct regions *r) {
  static const struct regions none;
  assert(!E.in_fiber && !E.recording); /* R2 */
  E.regions = r && r->len ? r : E.wake ? &none : NULL;
  E.shadowing = E.regions ? SHADOW_REGIONS : 0;
  E.live.inside = 0;
}

bool rt_left_out(void) {
  bool was = E.left_out;
  E.left_out = false;
  return was;
}
