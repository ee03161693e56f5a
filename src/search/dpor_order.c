/*
 * The events of an execution, their happens-before order (vector clocks:
 * Mattern 1989), and its races: pairs of dependent steps of different threads
 * that no step between them orders.
 *
 *     T1: x = 1   T2: y = 1   T2: r = x     one race: x = 1 and r = x
 */
#include "search/dpor_int.h"

enum dpor_answer dpor_depends(const struct dpor *d, const struct step_access *a,
                              const struct step_access *b) {
  if (!a->unsure && !b->unsure)
    return dpor_dependent(d, a, b) ? YES : NO;
  struct step_access a0 = access_least(a), a1 = access_most(a);
  struct step_access b0 = access_least(b), b1 = access_most(b);
  if (dpor_dependent(d, &a0, &b0))
    return YES;
  return dpor_dependent(d, &a1, &b1) ? MAYBE : NO;
}

static uint32_t *now_of(struct dpor *d, uint32_t thread) {
  return &d->now[thread * d->width];
}

static void join(const struct dpor *d, uint32_t *to, const uint32_t *from) {
  for (uint32_t t = 0; t < d->width; t++)
    to[t] = from[t] > to[t] ? from[t] : to[t];
}

/* Lays n rows out anew, with more columns. */
static void widen_rows(rows *r, uint32_t n, uint32_t from, uint32_t to) {
  rows wide = {0};
  vec_reserve(&wide, n * to + 1);
  memset(wide.at, 0, (size_t)n * to * sizeof *wide.at);
  for (uint32_t i = 0; i < n; i++)
    memcpy(&wide.at[i * to], &r->at[i * from], from * sizeof *wide.at);
  vec_free(r);
  *r = wide;
}

static void widen(struct dpor *d, uint32_t width) {
  uint32_t old = d->width;
  assert(width >= old && width <= THREADS);
  widen_rows(&d->clocks, d->events.len, old, width);
  widen_rows(&d->before, d->events.len, old, width);
  if (d->x->bound_preemptions)
    widen_rows(&d->arrived, d->events.len, old, width);
  for (uint32_t t = d->nthreads; t--;) {
    memmove(&d->now[t * width], &d->now[t * old], old * sizeof *d->now);
    memset(&d->now[t * width + old], 0, (width - old) * sizeof *d->now);
  }
  d->width = width;
}

static void grow_threads(struct dpor *d, uint32_t n) {
  if (n <= d->nthreads)
    return;
  if (n > d->width)
    widen(d, (n + 3) / 4 * 4);
  memset(now_of(d, d->nthreads), 0,
         (n - d->nthreads) * d->width * sizeof *d->now);
  d->nthreads = n;
  d->nkept = 0; /* what was kept has clocks of fewer threads */
}

/* A try that failed: the lock had an owner, or the semaphore was at 0, also for
 * a step that would have had to wait. */
static bool found_taken(const struct step_access *a) {
  return a->flags & RT_FAILED &&
         (a->kind == EV_TRYLOCK || a->kind == EV_SEM_WAIT);
}

/* Is such a step impossible whenever another thread's try fails?  Not for a
 * reader: it may enter where a writer's try fails. */
static bool waits_for_one(uint8_t kind) {
  return kind == EV_LOCK || kind == EV_COND_WAKE || kind == EV_SEM_WAIT;
}

/* May b have waited for its thread's store buffer, since a commit comes behind
 * event i? */
static bool buffer_held_up(const struct dpor *d, uint32_t i,
                           const struct step_access *b) {
  uint32_t buffer = b->thread + RT_BUFFERS;
  return b->drains && buffer < d->nthreads && d->places[buffer].len &&
         vec_last(&d->places[buffer]) > i;
}

/*
 * Did i enable j, which had to wait: could j not be made before i?
 *     T1: lock   T1: unlock   T2: lock     i is the unlock, j T2's lock: YES
 * When j's thread stood before j already, the engine has told whether it could
 * go on (also of threads that wait in a loop).  But another step than i may
 * have let it go on, unless both are about the one thing that j waited for.
 * When the thread did not stand there yet, kinds decide: a thread that unlocks
 * a mutex had it, but a semaphore may have been above 0 before, and a lock free
 * for another reader.  A try that failed between did not enable j, but j was
 * not possible before it either: the step that took the lock comes still
 * earlier.
 */
static enum dpor_answer enables(const struct dpor *d, uint32_t i, uint32_t j) {
  const struct dpor_event *a = &d->events.at[i], *b = &d->events.at[j];
  bool waits = b->a.flags & RT_WAITS;
  bool same = waits && access_dependent(&a->a, &b->a, false);
  if (i < d->moved[b->a.thread] || buffer_held_up(d, i, &b->a)) {
    if (!same || b->a.set)
      return waits ? MAYBE : NO;
    if (found_taken(&a->a))
      return waits_for_one(b->a.kind) ? YES : MAYBE;
    if (!access_releases(&a->a))
      return NO;
    return b->a.kind == EV_LOCK || b->a.kind == EV_COND_WAKE ||
                   b->a.kind == EV_ONCE
               ? YES
               : MAYBE;
  }
  if (a->enabled >> b->a.thread & 1)
    return NO;
  /* A thread that is to be woken waits for a signal and for the mutex: which of
   * them was lacking?  A thread that gives the mutex back had it. */
  if (b->a.kind == EV_COND_WAKE)
    same &= a->a.kind == EV_UNLOCK || a->a.kind == EV_COND_WAIT;
  else if (b->a.set)
    same &= rt_set(b->a.set)->n == 1;
  else
    same &= access_releases(&a->a) || !access_waits(b->a.kind);
  return same ? YES : MAYBE;
}

/* The first event of other threads that `clock` does not count; j when it
 * counts them all. */
static uint32_t first_outside(const struct dpor *d, const uint32_t *clock,
                              uint32_t thread, uint32_t j) {
  uint32_t first = j;
  for (uint32_t t = 0; t < d->nthreads; t++)
    if (t != thread && clock[t] < d->places[t].len &&
        d->places[t].at[clock[t]] < first)
      first = d->places[t].at[clock[t]];
  return first;
}

/*
 * The clock of event j and the races that it ends: with its immediate
 * predecessors in other threads.  There are two clocks: `clock` counts all that
 * is before j, `free_clock` only what is before it by other ways than steps
 * that enabled it.  An earlier step that is before j only because of those (the
 * lock's previous owner taking it) is in a race with j.  Only the first `made`
 * events are looked at: the others wait for ever, as j then does.
 */
static void order(struct dpor *d, uint32_t j, uint32_t made) {
  const struct dpor_event *e = &d->events.at[j];
  uint32_t thread = e->a.thread, free_clock[THREADS];
  uint32_t *clock = &d->clocks.at[(size_t)j * d->width];
  memcpy(clock, now_of(d, thread), d->width * sizeof *clock);
  memcpy(free_clock, clock, d->width * sizeof *clock);
  uint32_t end = first_outside(d, free_clock, thread, j);
  for (uint32_t i = made; i-- > end;) {
    const struct dpor_event *o = &d->events.at[i];
    if (o->a.thread == thread || free_clock[o->a.thread] >= o->no ||
        !dpor_dependent(d, &o->a, &e->a))
      continue;
    if (access_forced(&o->a, &e->a)) {
      join(d, clock, dpor_clock(d, i));
      join(d, free_clock, dpor_clock(d, i));
      end = first_outside(d, free_clock, thread, j);
      continue;
    }
    enum dpor_answer enabled = enables(d, i, j);
    bool open = enabled == MAYBE || clock[o->a.thread] >= o->no;
    join(d, clock, dpor_clock(d, i));
    if (enabled == NO) {
      join(d, free_clock, dpor_clock(d, i));
      end = first_outside(d, free_clock, thread, j);
    }
    if (enabled != YES)
      vec_push(&d->races,
               ((struct dpor_race){.first = i, .second = j, .open = open}));
  }
  clock[thread] = e->no; /* Q2 */
}

static void link_threads(struct dpor *d, const struct rt_logged *l) {
  uint32_t other = (uint32_t)l->addr;
  d->moved[l->kind == EV_CREATE ? other : l->thread] = d->seen;
  if (l->kind == EV_CREATE)
    join(d, now_of(d, other), now_of(d, l->thread));
  else
    join(d, now_of(d, l->thread), now_of(d, other));
  if (l->kind == EV_JOIN && rt_tso()) { /* the buffers of both are empty */
    grow_threads(d, 2 * RT_BUFFERS);
    join(d, now_of(d, l->thread), now_of(d, other + RT_BUFFERS));
    join(d, now_of(d, l->thread), now_of(d, l->thread + RT_BUFFERS));
  }
}

/* The same step with other answers is another step: a race with itself. */
static void note_alternatives(struct dpor *d, uint32_t j) {
  const struct step_access *a = &d->events.at[j].a;
  for (uint8_t i = 0; i < a->nanswers; i++)
    for (uint8_t v = 0; v < a->of[i]; v++)
      if (v != a->answer[i])
        vec_push(&d->races,
                 ((struct dpor_race){
                     .first = j, .second = j, .choice = i, .value = v}));
}

static void note_edges(const struct dpor *d, struct dpor_event *e) {
  uint32_t n = d->events.len;
  if (n) {
    const struct dpor_event *last = &d->events.at[n - 1];
    e->creates = last->creates;
    e->joins = last->joins;
    e->calls = last->calls;
    e->returns = last->returns;
  }
  if (!(e->a.flags & ACCESS_EDGES))
    return;
  if (e->a.flags & RT_CREATES)
    e->creates = n + 1;
  if (e->a.flags & RT_JOINS)
    e->joins = n + 1;
  if (e->a.flags & RT_CALLS)
    e->calls = n + 1;
  if (e->a.flags & RT_RETURNS)
    e->returns = n + 1;
}

static void add_event(struct dpor *d, struct dpor_event *e, uint32_t made) {
  uint32_t j = d->events.len;
  note_edges(d, e);
  vec_push(&d->events, *e);
  vec_reserve(&d->clocks, (j + 1) * d->width);
  vec_reserve(&d->before, (j + 1) * d->width);
  for (uint32_t t = 0; t < d->width; t++)
    d->before.at[(size_t)j * d->width + t] = d->places[t].len;
  if (d->x->bound_preemptions) {
    vec_reserve(&d->arrived, (j + 1) * d->width);
    memcpy(&d->arrived.at[(size_t)j * d->width], now_of(d, e->a.thread),
           d->width * sizeof *d->now);
  }
  order(d, j, made);
  vec_push(&d->places[e->a.thread], j); /* Q1 */
  assert(d->places[e->a.thread].len == e->no);
}

static void take_answers(struct step_access *a, const struct dpor_level *l) {
  a->nanswers = l->nanswers;
  memcpy(a->answer, l->answer, l->nanswers);
  memcpy(a->of, l->of, l->nanswers);
}

/* Is the step that was run again the one that was recorded? */
static bool is_same(const struct dpor_event *e, const struct rt_logged *l,
                    const struct dpor_level *level, uint32_t no) {
  const struct step_access *a = &e->a;
  return e->no == no && a->thread == l->thread && a->kind == l->kind &&
         a->flags == l->flags && a->addr == l->addr && a->size == l->size &&
         a->other == l->other && a->old == l->old && a->set == l->set &&
         a->nanswers == level->nanswers &&
         !memcmp(a->answer, level->answer, a->nanswers);
}

static void absorb_step(struct dpor *d, const struct rt_logged *l) {
  uint32_t j = d->seen++, no = ++d->count[l->thread];
  const struct dpor_level *level = &d->levels.at[j];
  if (j < d->events.len) {
    d->diverged |= !is_same(&d->events.at[j], l, level, no);
  } else {
    struct dpor_event e = {.a = access_of(l), .enabled = l->enabled, .no = no};
    take_answers(&e.a, level);
    add_event(d, &e, j);
    dpor_learn(d, &e.a);
    if (e.a.nanswers)
      note_alternatives(d, j);
  }
  memcpy(now_of(d, l->thread), dpor_clock(d, j), d->width * sizeof *d->now);
  d->moved[l->thread] = d->seen;
}

void dpor_absorb(struct dpor *d) {
  for (; d->absorbed < d->log.len; d->absorbed++) {
    const struct rt_logged *l = &d->log.at[d->absorbed];
    grow_threads(d, l->thread + 1u);
    if (l->flags & RT_LINK) {
      grow_threads(d, (uint32_t)l->addr + 1);
      link_threads(d, l);
    } else {
      absorb_step(d, l);
    }
  }
}

/*
 * The execution has ended and some threads wait for ever.  The steps that they
 * could not make race with the steps that took what they wait for.
 *     T1: lock a, lock b   T2: lock b, lock a: T1's lock b races with T2's
 */
void dpor_absorb_waiting(struct dpor *d) {
  struct waiting who[THREADS];
  uint32_t n = rt_waiting(who);
  for (uint32_t i = 0; i < n; i++) {
    struct rt_access next;
    uint8_t t = who[i].thread;
    rt_pending(t, &next);
    if (!access_waits(next.kind))
      continue;
    struct dpor_event e = {.a = {.thread = t,
                                 .kind = next.kind,
                                 .flags = RT_WAITS,
                                 .unsure = RT_CALLS | RT_RETURNS,
                                 .addr = next.addr,
                                 .size = next.size},
                           .no = d->count[t] + 1};
    grow_threads(d, t + 1u);
    add_event(d, &e, d->made);
  }
}

void dpor_forget(struct dpor *d, uint32_t n) {
  while (d->events.len > n) {
    d->events.len--;
    d->places[d->events.at[d->events.len].a.thread].len--;
  }
  while (d->races.len && vec_last(&d->races).second >= n)
    d->races.len--;
}
