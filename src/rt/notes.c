/*
 * What searches are told of each step: the log, with all that the dependence of
 * steps is decided by; the trail, with just the thread; and the folds, which
 * are the accesses of critical sections that are one step.
 */
#include "rt/notes.h"

#include "rt/access.h"
#include "rt/buffer.h"
#include "rt/marks.h"

#include <assert.h>
#include <string.h>

void fl__note(const struct rt_logged *what) {
  struct rt_log *l = E.log;
  if (l->len == l->cap) {
    l->cap = l->cap ? 2 * l->cap : 256;
    l->at = xrealloc(l->at, l->cap * sizeof *l->at);
  }
  l->at[l->len++] = *what;
}

void fl__note_edge(uint8_t flags) {
  assert(!(flags & RT_LINK));
  for (uint32_t k = E.log->len; k--;)
    if (!(E.log->at[k].flags & RT_LINK)) {
      E.log->at[k].flags |= flags;
      return;
    }
}

void fl__leave_trail(int t, uint8_t flag) {
  struct rt_trail *r = E.trail;
  if (r->len == r->cap) {
    r->cap = r->cap ? 2 * r->cap : 256;
    r->at = xrealloc(r->at, r->cap);
  }
  assert(t < RT_TRAIL_EMPTY && !(flag & ~(RT_TRAIL_EARLY | RT_TRAIL_EMPTY)));
  r->at[r->len++] = (uint8_t)(t | flag);
}

/* That threads conflict on a guarded location may turn out later, and is no
 * news: every access under the lock is noted. */
void fl__note_fold(int t) {
  const struct fiber_state *f = &E.fiber[t];
  if (f->kind == EV_YIELD || !f->held)
    return;
  vec_push(&E.folds->at, ((struct rt_fold){fl__offset(f->pc), f->addr, f->size,
                                           (uint8_t)t, f->kind}));
}

static uint64_t value_before(const struct fiber_state *f) {
  uint64_t old = 0;
  if (f->size <= 8 && fl__readable(f->addr, f->size))
    memcpy(&old, (const void *)f->addr, f->size);
  return old;
}

/* The step's thread has called functions, or returned from some: other threads
 * may or may not look at their variables now.  Accesses behind a join belong to
 * the step that let it go on. */
static void note_stack(const struct rt_logged *l, uint64_t was) {
  if (!was)
    return;
  uint64_t now =
      E.arrival == ENDED ? fl__stack_top(l->thread) : fl__stack_end(l->thread);
  uint32_t k = (uint32_t)(l - E.log->at);
  while (k && E.log->at[k].flags & RT_LINK)
    k--;
  struct rt_logged *step = &E.log->at[k];
  struct rt_span *span = step == l ? &step->own : &step->theirs;
  if (now == was || step->flags & RT_LINK)
    return;
  uint64_t lo = now < was ? now : was, hi = now < was ? was : now;
  span->lo = !span->hi || lo < span->lo ? lo : span->lo;
  span->hi = hi > span->hi ? hi : span->hi;
}

uint32_t fl__note_step(int t, bool transit, bool issues) {
  const struct fiber_state *f = &E.fiber[t];
  bool wait = f->kind == EV_COND_WAIT || f->kind == EV_COND_WAKE;
  if (E.live.final || (transit && f->kind != EV_JOIN))
    return NOT_LOGGED;
  fl__note(&(struct rt_logged){
      .thread = (uint8_t)t,
      .kind = f->kind,
      .flags =
          (uint8_t)((transit ? RT_LINK : 0) | (issues ? RT_ISSUED : 0) |
                    (f->can || f->spun || f->await ? RT_WAITS : 0) |
                    (!f->called && f->call != EVENT_NO_CALL ? RT_CALLS : 0)),
      .enabled = E.enabled,
      .set = (uint16_t)f->await,
      .addr = f->kind == EV_JOIN ? f->other : f->addr,
      .size = f->size,
      .other = wait ? f->other : 0,
      .old = value_before(f),
      .intrudes = fl__intrudes(f),
      .stores = E.options.tso ? fl__buffer[t].issued : 0,
      .drains = E.options.tso && fl__buffer_drains(f)});
  return E.log->len - 1;
}

void fl__note_choice(uint32_t at) {
  assert(at < E.log->len);
  struct rt_logged *l = &E.log->at[at];
  uint32_t n = (uint32_t)E.alternatives;
  l->answers = l->answers * (n + 1) + (uint32_t)E.chosen + 1;
}

void fl__complete_note(uint32_t at, const struct fiber_state *f,
                       uint32_t returned, uint64_t sp) {
  assert(at < E.log->len && E.returned >= returned);
  struct rt_logged *l = &E.log->at[at];
  l->expected = f->expected;
  note_stack(l, sp);
  if (l->flags & RT_LINK) /* belongs to the step that let it go on */
    fl__note_edge((uint8_t)((l->flags & RT_CALLS) |
                            (E.returned != returned ? RT_RETURNS : 0)));
  if (f->failed)
    l->flags |= RT_FAILED;
  if (E.arrival == ARRIVED && f->kind == EV_JOIN && f->call != EVENT_NO_CALL) {
    l->flags |= RT_JOINS;
    l->joined = (uint8_t)f->other;
  } else if (E.arrival == ENDED && E.suite && l->thread &&
             !(E.live.clients >> l->thread & 1)) {
    l->flags |= RT_JOINS;
    l->joined = l->thread;
  }
  if (E.returned != returned)
    l->flags |= RT_RETURNS;
}

void fl__note_commit(int t, const struct store *s) {
  const struct fiber_state *f = &E.fiber[t];
  const struct store_buffer *b = &fl__buffer[t];
  assert(b->n && b->n <= b->issued);
  bool calls = f->call == s->call && s->call != EVENT_NO_CALL && !f->called;
  /* A thread that joins it may go on then. */
  bool created = !E.client || (uint32_t)t > E.client->nthreads;
  uint64_t old = 0;
  if (s->size <= 8)
    memcpy(&old, (const void *)s->addr, s->size);
  fl__note(&(struct rt_logged){
      .thread = (uint8_t)(t + RT_BUFFERS),
      .kind = EV_COMMIT,
      .flags = (uint8_t)((calls ? RT_CALLS : 0) | (created ? RT_JOINS : 0)),
      .joined = (uint8_t)t,
      .enabled = E.enabled,
      .addr = s->addr,
      .size = s->size,
      .old = old,
      .stores = b->issued - b->n});
}
