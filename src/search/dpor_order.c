/* The events of an execution, their happens-before order, and its races. */
#include "search/dpor_int.h"

#include <assert.h>
#include <string.h>

bool dpor_dependent(const struct dpor *d, const struct access *a,
                    const struct access *b) {
  return access_dependent(a, b, d->real_time);
}

/* The same for steps of which it is not known how they will turn out. */
enum answer dpor_depends(const struct dpor *d, const struct access *a,
                         const struct access *b) {
  if (!a->unsure && !b->unsure)
    return dpor_dependent(d, a, b) ? YES : NO;
  struct access a0 = access_least(a), a1 = access_most(a);
  struct access b0 = access_least(b), b1 = access_most(b);
  if (dpor_dependent(d, &a0, &b0))
    return YES;
  return dpor_dependent(d, &a1, &b1) ? MAYBE : NO;
}

/* Is event i before event j (i < j) in the happens-before order? */
bool dpor_before(const struct dpor *d, uint32_t i, uint32_t j) {
  const struct dpor_event *e = &d->events.at[i];
  return d->events.at[j].clock[e->a.thread] >= e->no;
}

static void join(struct dpor *d, uint32_t *to, const uint32_t *from) {
  for (uint32_t t = 0; t < d->nthreads; t++)
    if (from[t] > to[t])
      to[t] = from[t];
}

/*
 * Did i enable j, which had to wait: could j not be made before i?  When j's
 * thread stood before j already, the engine has told whether it could go on
 * (also of threads that wait in a loop), but what let it go on may be another
 * step than i, unless both are about the one thing that j waited for.  When it
 * did not stand there, kinds decide: whoever unlocks a mutex had it, but a
 * semaphore may have been above 0 before, and a lock free for another reader.
 */
static enum answer enables(const struct dpor *d, uint32_t i, uint32_t j) {
  const struct dpor_event *a = &d->events.at[i], *b = &d->events.at[j];
  bool waits = b->a.flags & RT_WAITS;
  bool same = waits && access_dependent(&a->a, &b->a, false);
  if (i < d->moved[b->a.thread]) {
    if (!same)
      return waits ? MAYBE : NO;
    if (!access_releases(&a->a))
      return NO;
    return b->a.kind == EV_LOCK || b->a.kind == EV_COND_WAKE ? YES : MAYBE;
  }
  if (a->enabled >> b->a.thread & 1)
    return NO;
  return same ? YES : MAYBE;
}

/*
 * The clock of event j and the races that it ends: its immediate predecessors
 * in other threads.  Two clocks: all that is before j, and what is before it
 * by other ways than steps that enabled it; an earlier step that is only
 * before j because of those (the lock's previous owner taking it) is a race.
 */
static void order(struct dpor *d, uint32_t j) {
  struct dpor_event *e = &d->events.at[j];
  uint32_t free_clock[THREADS];
  memcpy(e->clock, d->now[e->a.thread], sizeof e->clock);
  memcpy(free_clock, e->clock, sizeof free_clock);
  for (uint32_t i = j; i--;) {
    const struct dpor_event *o = &d->events.at[i];
    if (o->a.thread == e->a.thread || free_clock[o->a.thread] >= o->no ||
        !dpor_dependent(d, &o->a, &e->a))
      continue;
    enum answer enabled = enables(d, i, j);
    bool open = enabled == MAYBE || e->clock[o->a.thread] >= o->no;
    join(d, e->clock, o->clock);
    if (enabled == NO)
      join(d, free_clock, o->clock);
    if (enabled != YES)
      vec_push(&d->races, ((struct race){i, j, open}));
  }
  e->clock[e->a.thread] = e->no;
}

static void link_threads(struct dpor *d, const struct rt_logged *l) {
  uint32_t other = (uint32_t)l->addr;
  d->moved[l->kind == EV_CREATE ? other : l->thread] = d->seen;
  if (l->kind == EV_CREATE)
    join(d, d->now[other], d->now[l->thread]);
  else
    join(d, d->now[l->thread], d->now[other]);
}

static void grow_threads(struct dpor *d, uint32_t n) {
  if (n > d->nthreads)
    d->nthreads = n;
}

struct access dpor_access_of(const struct rt_logged *l) {
  return (struct access){.thread = l->thread,
                         .kind = l->kind,
                         .flags = l->flags,
                         .joined = l->joined,
                         .addr = l->addr,
                         .size = l->size,
                         .other = l->other,
                         .old = l->old,
                         .expected = l->expected};
}

uint32_t dpor_new_node(struct dpor *d, const struct access *a) {
  uint32_t n = d->free_nodes;
  if (n != NONE) {
    d->free_nodes = d->nodes.at[n].next;
  } else {
    n = d->nodes.len;
    vec_push(&d->nodes, (struct wake){0});
  }
  d->nodes.at[n] = (struct wake){*a, NONE, NONE};
  return n;
}

void dpor_free_node(struct dpor *d, uint32_t n) {
  for (uint32_t c = d->nodes.at[n].child, next; c != NONE; c = next) {
    next = d->nodes.at[c].next;
    dpor_free_node(d, c);
  }
  d->nodes.at[n].next = d->free_nodes;
  d->free_nodes = n;
}

void dpor_append_child(struct dpor *d, uint32_t parent, uint32_t fresh) {
  uint32_t last = d->nodes.at[parent].child;
  if (last == NONE) {
    d->nodes.at[parent].child = fresh;
    return;
  }
  while (d->nodes.at[last].next != NONE)
    last = d->nodes.at[last].next;
  d->nodes.at[last].next = fresh;
}

void dpor_take_answers(struct access *a, const struct level *l) {
  a->nanswers = l->nanswers;
  memcpy(a->answer, l->answer, l->nanswers);
  a->of = l->nanswers ? l->of[l->nanswers - 1] : 0;
}

bool dpor_same_step(const struct access *a, const struct access *b) {
  return a->thread == b->thread && a->nanswers == b->nanswers &&
         !memcmp(a->answer, b->answer, a->nanswers);
}

bool dpor_sleeps(const struct level *l, const struct access *a) {
  for (uint32_t i = 0; i < l->sleep.len; i++)
    if (dpor_same_step(&l->sleep.at[i], a))
      return true;
  return false;
}

/* Steps of one thread with other answers are other steps. */
static void add_alternatives(struct dpor *d, uint32_t k, uint8_t prescribed) {
  const struct level *l = &d->levels.at[k];
  for (uint8_t i = prescribed; i < l->nanswers; i++)
    for (uint8_t v = (uint8_t)(l->answer[i] + 1); v < l->of[i]; v++) {
      struct access a = d->events.at[k].a;
      a.nanswers = (uint8_t)(i + 1);
      a.of = l->of[i];
      a.answer[i] = v;
      a.unsure = RT_FAILED | RT_RETURNS | RT_CREATES | RT_JOINS;
      if (!dpor_sleeps(l, &a))
        dpor_append_child(d, l->root, dpor_new_node(d, &a));
    }
}

/* Makes events of what the engine has logged since. */
void dpor_absorb(struct dpor *d) {
  for (; d->absorbed < d->log.len; d->absorbed++) {
    const struct rt_logged *l = &d->log.at[d->absorbed];
    grow_threads(d, l->thread + 1u);
    if (l->flags & RT_LINK) {
      grow_threads(d, (uint32_t)l->addr + 1);
      link_threads(d, l);
      continue;
    }
    struct access a = dpor_access_of(l);
    uint32_t j = d->seen++;
    dpor_take_answers(&a, &d->levels.at[j]);
    uint32_t no = ++d->count[l->thread];
    if (j < d->events.len) { /* replayed: must be what was recorded */
      const struct dpor_event *e = &d->events.at[j];
      assert(e->no == no && access_same(&e->a, &a));
    } else {
      struct dpor_event e = {.a = a, .enabled = l->enabled, .no = no};
      vec_push(&d->events, e);
      order(d, j);
      /* The branch that is being taken, as it turned out. */
      uint32_t c = d->nodes.at[d->levels.at[j].root].child;
      uint8_t prescribed = d->nodes.at[c].a.nanswers;
      d->nodes.at[c].a = a;
      add_alternatives(d, j, prescribed);
    }
    memcpy(d->now[l->thread], d->events.at[j].clock, sizeof d->now[0]);
    d->moved[l->thread] = d->seen;
  }
}

/*
 * The execution has ended and some wait for ever.  The steps that they could
 * not make race with those that took away what they wait for.
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
    vec_push(&d->events, e);
    order(d, d->events.len - 1);
  }
}
