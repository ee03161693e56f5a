/*
 * C11: the events of an execution, the writes of each location in mo, and what
 * a load, a store or a read-modify-write may choose.
 */
#include "rt/writes_int.h"

#include "rt/access.h"
#include "rt/fault.h"
#include "rt/marks.h"
#include "rt/park.h"
#include "rt/record.h"
#include "rt/snapshot.h"

#include "base/slow.h"

#include <stdlib.h>
#include <string.h>

struct c11_graph fl__c11;

enum { HEAD = 6 }; /* numbers at the beginning of a saved state */

bool rt_c11(void) { return E.options.c11; }

/* The state after loading ends with an empty graph. */
void rt_set_c11(bool on) {
  const uint32_t none[HEAD] = {0};
  if (on == E.options.c11)
    return;
  assert(!E.in_fiber && !E.options.tso); /* R2 */
  if (on)
    fl__snapshot_put(&E.loaded, none, sizeof none);
  else
    E.loaded.len -= sizeof none;
  E.options.c11 = on;
}

static struct c11_thread *me(void) { return &G.thread[E.cur]; }

static _Noreturn void full(const char *what) {
  fl__refuse(0, "an execution has too many %s for the memory model c11", what);
}

static void join(struct c11_view *to, const struct c11_view *from) {
  for (int i = 0; i < C11_THREADS; i++)
    to->seen[i] = to->seen[i] > from->seen[i] ? to->seen[i] : from->seen[i];
  to->calls |= from->calls;
}

static bool acquires(int order) {
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}
static bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}

/* ---- events ---- */

static struct c11_event *add_event(int thread, enum c11_kind kind, int order) {
  struct c11_thread *t = &G.thread[thread];
  if (G.nevents == C11_EVENTS)
    return NULL;
  struct c11_event *e = &G.event[G.nevents++];
  *e = (struct c11_event){.thread = (uint8_t)thread,
                          .kind = (uint8_t)kind,
                          .order = (uint8_t)order,
                          .seq = ++t->seq,
                          .at = C11_NONE,
                          .before = C11_NONE,
                          .from = C11_NONE,
                          .write = C11_NONE,
                          .sc = C11_NONE,
                          .object = C11_NONE};
  t->now.seen[thread] = t->seq;
  memcpy(e->seen, t->now.seen, sizeof e->seen);
  return e;
}

static struct c11_event *need_event(enum c11_kind kind, int order) {
  struct c11_event *e = add_event(E.cur, kind, order);
  if (!e)
    full("events");
  return e;
}

static void link_event(struct c11_event *e, uint16_t at) {
  e->at = at;
  e->before = G.location[at].events;
  G.location[at].events = (uint16_t)(e - G.event);
}

/* ---- locations ---- */

static bool overlaps(const struct c11_location *l, uint64_t addr,
                     uint64_t size) {
  return !l->dead && l->addr < addr + size && addr < l->addr + l->size;
}

/* A thread whose access to the location, or write, does not happen before what
 * thread t does next; -1: there is none. */
static int unordered(uint16_t at, const struct c11_thread *t, bool writes) {
  for (uint16_t i = G.location[at].events; i != C11_NONE; i = G.event[i].before)
    if ((!writes || G.event[i].kind & C11_WRITE) &&
        !c11_hb(&G.event[i], t->now.seen))
      return G.event[i].thread;
  return -1;
}

static void take_value(struct c11_write *w, uint64_t addr, uint64_t size) {
  w->value[0] = w->value[1] = 0;
  memcpy(w->value, (const void *)addr, size);
}

static uint16_t new_location(uint64_t addr, uint64_t size) {
  if (G.nlocations == C11_LOCATIONS || G.nwrites == C11_WRITES)
    full("locations");
  struct c11_write *w = &G.write[G.nwrites];
  *w = (struct c11_write){.event = C11_NONE, .next = C11_NONE};
  take_value(w, addr, size);
  G.location[G.nlocations] = (struct c11_location){.addr = addr,
                                                   .size = (uint32_t)size,
                                                   .first = (uint16_t)G.nwrites,
                                                   .last = (uint16_t)G.nwrites,
                                                   .events = C11_NONE};
  G.nwrites++;
  return (uint16_t)G.nlocations++;
}

/* The location of the running thread's atomic access. */
static uint16_t location(uint64_t addr, uint64_t size) {
  bool other_size = false;
  for (uint32_t i = 0; i < G.nlocations; i++) {
    struct c11_location *l = &G.location[i];
    if (!overlaps(l, addr, size))
      continue;
    if (l->addr == addr && l->size == size) {
      if (l->since && me()->now.seen[l->whose] < l->since)
        fl__refuse(0, "an atomic access that is not ordered with one of "
                      "another size to the same memory is not modelled");
      return (uint16_t)i;
    }
    if (unordered((uint16_t)i, me(), false) >= 0)
      fl__refuse(0, "an atomic access that is not ordered with one of another "
                    "size to the same memory is not modelled");
    l->dead = other_size = true;
  }
  uint16_t at = new_location(addr, size);
  if (other_size) {
    G.location[at].whose = (uint8_t)E.cur;
    G.location[at].since = need_event(C11_PLAIN, 0)->seq;
  }
  return at;
}

/* V1: the first place in mo that the running thread may read, or write behind.
 */
static uint32_t bound(uint16_t at) {
  uint32_t least = 0;
  for (uint16_t i = G.location[at].events; i != C11_NONE;
       i = G.event[i].before) {
    const struct c11_event *e = &G.event[i];
    if (!c11_hb(e, me()->now.seen))
      continue;
    uint32_t place = G.write[e->kind & C11_WRITE ? e->write : e->from].place;
    least = place > least ? place : least;
  }
  return least;
}

static bool has_glued(uint16_t write) {
  uint16_t next = G.write[write].next;
  return next != C11_NONE && G.write[next].glued;
}

/* ---- choices ---- */

struct option {
  uint16_t write; /* is read, or comes before what is written */
  bool fails;     /* a compare-and-swap */
};
static struct option options[C11_CHOICES];
static uint32_t noptions;

static void offer(uint16_t write, bool fails) {
  if (noptions == C11_CHOICES)
    full("writes of one location");
  options[noptions++] = (struct option){write, fails};
}

static struct option decide(void) {
  assert(noptions); /* V4 */
  return options[noptions == 1 ? 0 : fl__choose((int)noptions)];
}

static struct c11_candidate candidate(uint16_t at, enum c11_kind kind,
                                      int order, uint16_t write) {
  struct c11_candidate c = {.thread = E.cur,
                            .kind = (uint8_t)kind,
                            .order = (uint8_t)order,
                            .at = at,
                            .before = me()->now.seen};
  struct c11_view seen = me()->now;
  if (write != C11_NONE) {
    c.reads = 2 * G.write[write].place;
    c.writes = c.reads + 1;
    if (kind & C11_READ && acquires(order))
      join(&seen, &G.write[write].carried);
  }
  memcpy(c.seen, seen.seen, sizeof c.seen);
  return c;
}

/* V3 */
static bool sc_allows(uint16_t at, enum c11_kind kind, int order,
                      uint16_t write) {
  if (!G.nsc || write == G.location[at].last)
    return true; /* V4 */
  struct c11_candidate c = candidate(at, kind, order, write);
  return fl__c11_sc_allows(&c);
}

/* The writes of a location, the newest first, down to the bound. */
static uint32_t newest_first(uint16_t at, uint16_t out[C11_WRITES]) {
  uint32_t n = 0, least = bound(at);
  for (uint16_t w = G.location[at].first; w != C11_NONE; w = G.write[w].next)
    if (G.write[w].place >= least)
      out[n++] = w;
  for (uint32_t i = 0; i < n / 2; i++) {
    uint16_t other = out[i];
    out[i] = out[n - 1 - i];
    out[n - 1 - i] = other;
  }
  return n;
}

/* ---- data races ---- */

/* A race has no meaning, so that nothing more can be said of the execution. */
#define RACE                                                                   \
  "a data race with %s access of T%d to the same memory, which nothing "       \
  "orders "                                                                    \
  "with this access: under the memory model c11 the execution has no meaning"

/* The other thread of a race with a plain access, or -1. */
static int races(int t, uint64_t addr, uint64_t size, bool writes) {
  const uint16_t *seen = G.thread[t].now.seen;
  for (uint32_t i = 0; i < G.ntouches; i++) {
    const struct c11_touch *p = &G.touch[i];
    if (p->addr < addr + size && addr < p->addr + p->size && p->thread != t &&
        (writes || p->writes) && seen[p->thread] < p->seq)
      return p->thread;
  }
  return -1;
}

/* False: no room. */
static bool touch(int t, uint64_t addr, uint64_t size, bool writes) {
  struct c11_touch now = {addr, size, G.thread[t].seq, (uint8_t)t, writes};
  for (uint32_t i = 0; i < G.ntouches; i++) {
    struct c11_touch *p = &G.touch[i];
    if (p->addr == addr && p->size == size && p->thread == t &&
        p->writes == writes) {
      p->seq = now.seq;
      return true;
    }
  }
  if (G.ntouches == C11_TOUCHES)
    return false;
  G.touch[G.ntouches++] = now;
  return true;
}

/* ---- loops ---- */

/* What the thread read last at the location; C11_NONE: nothing. */
static uint16_t last_read(int thread, uint16_t at) {
  for (uint16_t i = G.location[at].events; i != C11_NONE; i = G.event[i].before)
    if (G.event[i].thread == thread && G.event[i].kind & C11_READ)
      return G.event[i].from;
  return C11_NONE;
}

static bool has_newer(int thread, uint16_t at) {
  uint16_t w = last_read(thread, at);
  return w != C11_NONE && G.write[w].next != C11_NONE;
}

static bool in_round(const struct c11_thread *t, uint16_t at) {
  for (uint32_t i = 0; i < t->must; i++)
    if (t->round[i] == at)
      return true;
  return false;
}

static void add_round(struct c11_thread *t, const struct spin *s, uint32_t i) {
  if (s->at[i].kind != EV_ATOMIC_READ && s->at[i].kind != EV_CAS &&
      s->at[i].kind != EV_RMW)
    return;
  for (uint32_t l = 0; l < G.nlocations; l++)
    if (!G.location[l].dead && G.location[l].addr == s->at[i].addr &&
        G.location[l].size == s->at[i].size && !in_round(t, (uint16_t)l))
      t->round[t->must++] = (uint16_t)l;
}

bool fl__c11_goes_on(int thread, const struct spin *s, uint32_t round) {
  struct c11_thread *t = &G.thread[thread];
  t->must = 0;
  for (uint32_t i = round; i < s->n; i++)
    add_round(t, s, i);
  for (uint32_t i = 0; i < t->must; i++)
    if (has_newer(thread, t->round[i]))
      return true;
  t->must = 0;
  return false;
}

void fl__c11_woken(int thread, const struct spin *s) {
  fl__c11_goes_on(thread, s, 0);
}

/* Behind a futile round: may the thread read once more what it read?  Only if
 * there is something else to read at another location that is still to come. */
static uint16_t forbidden(uint16_t at) {
  struct c11_thread *t = me();
  if (!t->must || !in_round(t, at))
    return C11_NONE;
  if (!has_newer(E.cur, at))
    return C11_NONE;
  for (uint32_t i = 0; i < t->must; i++)
    if (t->round[i] != at && has_newer(E.cur, t->round[i]))
      return C11_NONE;
  return last_read(E.cur, at);
}

uint64_t fl__c11_progress(int thread) { return G.thread[thread].progress; }

static void has_read(uint16_t at, uint16_t write) {
  struct c11_thread *t = me();
  t->progress += last_read(E.cur, at) != write;
  if (!t->must)
    return;
  if (last_read(E.cur, at) != write) {
    t->must = 0;
    return;
  }
  for (uint32_t i = 0; i < t->must; i++)
    if (t->round[i] == at)
      t->round[i] = t->round[--t->must];
}

/* ---- events of atomics ---- */

/* The event comes: edges of psc, then itself. */
static struct c11_event *come(uint16_t at, enum c11_kind kind, int order,
                              uint16_t write) {
  struct c11_candidate c = candidate(at, kind, order, write);
  int sc = fl__c11_sc_add(&c);
  if (sc < 0)
    full("seq_cst operations");
  if (kind & C11_READ && kind <= C11_RMW) {
    has_read(at, write);
    join(acquires(order) ? &me()->now : &me()->pending,
         &G.write[write].carried);
  }
  struct c11_event *e = need_event(kind, order);
  e->sc = (uint16_t)sc;
  if (at != C11_NONE) {
    const struct c11_location *l = &G.location[at];
    int other = races(E.cur, l->addr, l->size, kind & C11_WRITE);
    if (other >= 0)
      fl__refuse(0, RACE, "a plain", other);
    link_event(e, at);
  }
  if (kind & C11_READ && kind <= C11_RMW)
    e->from = write;
  return e;
}

static void put_behind(uint16_t at, uint16_t before, uint16_t w) {
  struct c11_location *l = &G.location[at];
  G.write[w].next = G.write[before].next;
  G.write[before].next = w;
  for (uint16_t i = w, place = (uint16_t)(G.write[before].place + 1);
       i != C11_NONE; i = G.write[i].next)
    G.write[i].place = place++;
  if (l->last == before)
    l->last = w;
}

/* The event writes. */
static void write_value(struct c11_event *e, uint16_t before, int order,
                        const void *value, uint64_t size) {
  if (G.nwrites == C11_WRITES)
    full("writes");
  uint16_t n = (uint16_t)G.nwrites++;
  struct c11_write *w = &G.write[n];
  *w = (struct c11_write){.event = (uint16_t)(e - G.event),
                          .glued = (e->kind & C11_READ) != 0};
  memcpy(w->value, value, size);
  w->carried = releases(order) ? me()->now : me()->fenced;
  if (w->glued)
    join(&w->carried, &G.write[before].carried);
  e->write = n;
  put_behind(e->at, before, n);
  struct c11_location *l = &G.location[e->at];
  if (l->last == n)
    memcpy((void *)l->addr, value, size);
  else if (E.loopers) /* memory stays, but there is something new to read */
    fl__spin_changed(E.cur, l->addr, size);
  uint64_t pointer = w->value[0];
  if (size == 8 && fl__in_stacks(pointer))
    fl__stack_published(pointer);
}

void fl__c11_load(uint64_t addr, uint64_t size, int order, void *value) {
  static uint16_t all[C11_WRITES];
  uint16_t at = location(addr, size), not = forbidden(at);
  uint32_t n = newest_first(at, all);
  noptions = 0;
  for (uint32_t i = 0; i < n; i++)
    if (all[i] != not &&sc_allows(at, C11_READ, order, all[i]))
      offer(all[i], false);
  uint16_t from = decide().write;
  come(at, C11_READ, order, from);
  memcpy(value, G.write[from].value, size);
}

void fl__c11_store(uint64_t addr, uint64_t size, int order, const void *value) {
  static uint16_t all[C11_WRITES];
  uint16_t at = location(addr, size);
  uint32_t n = newest_first(at, all);
  noptions = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!has_glued(all[i]) /* V2 */ && sc_allows(at, C11_WRITE, order, all[i]))
      offer(all[i], false);
  uint16_t before = decide().write;
  write_value(come(at, C11_WRITE, order, before), before, order, value, size);
}

void fl__c11_rmw_read(uint64_t addr, uint64_t size, int order, void *old) {
  static uint16_t all[C11_WRITES];
  uint16_t at = location(addr, size), not = forbidden(at);
  uint32_t n = newest_first(at, all);
  noptions = 0;
  for (uint32_t i = 0; i < n; i++)
    if (all[i] != not &&!has_glued(all[i]) &&
        sc_allows(at, C11_RMW, order, all[i]))
      offer(all[i], false);
  uint16_t from = decide().write;
  come(at, C11_RMW, order, from);
  memcpy(old, G.write[from].value, size);
}

void fl__c11_rmw_write(uint64_t size, int order, const void *value) {
  struct c11_event *e = &G.event[G.nevents - 1];
  assert(e->kind == C11_RMW && e->thread == E.cur);
  write_value(e, e->from, order, value, size);
}

bool fl__c11_cas(uint64_t addr, uint64_t size, int order, int fail_order,
                 bool may_fail, void *expected, const void *desired) {
  static uint16_t all[C11_WRITES];
  uint16_t at = location(addr, size), not = forbidden(at);
  uint32_t n = newest_first(at, all);
  noptions = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool equal = !memcmp(G.write[all[i]].value, expected, size);
    if (equal && !has_glued(all[i]) && sc_allows(at, C11_RMW, order, all[i]))
      offer(all[i], false);
    if ((!equal || may_fail) &&
        all[i] != not &&sc_allows(at, C11_READ, fail_order, all[i]))
      offer(all[i], true);
  }
  struct option o = decide();
  struct c11_event *e = come(at, o.fails ? C11_READ : C11_RMW,
                             o.fails ? fail_order : order, o.write);
  if (!o.fails)
    write_value(e, o.write, order, desired, size);
  e->failed = o.fails;
  memcpy(expected, G.write[o.write].value, size);
  return !o.fails;
}

void fl__c11_fence(int order) {
  struct c11_thread *t = me();
  if (order == __ATOMIC_RELAXED)
    return;
  if (acquires(order))
    join(&t->now, &t->pending);
  come(C11_NONE, C11_FENCE, order, C11_NONE);
  if (releases(order))
    t->fenced = t->now;
}

/* ---- threads and what else synchronises ---- */

static uint16_t object_at(uint64_t addr) {
  for (uint32_t i = 0; i < G.nobjects; i++)
    if (G.object[i].addr == addr)
      return (uint16_t)i;
  if (G.nobjects == C11_OBJECTS)
    full("synchronization objects");
  G.object[G.nobjects] = (struct c11_object){.addr = addr};
  return (uint16_t)G.nobjects++;
}

void fl__c11_release(uint64_t object) {
  join(&G.object[object_at(object)].view, &me()->now);
}
void fl__c11_acquire(uint64_t object) {
  join(&me()->now, &G.object[object_at(object)].view);
}

static void add_sync(uint64_t addr) {
  uint16_t o = object_at(addr);
  struct c11_event *e = need_event(C11_SYNC, 0);
  e->object = o;
  e->nth = (uint16_t)G.object[o].events++;
}

void fl__c11_sync(uint8_t kind, uint64_t addr, uint64_t other) {
  switch (kind) {
  case EV_YIELD:
  case EV_CLOCK:
  case EV_STEP:
  case EV_CREATE:
    return;
  case EV_LOCK:
    fl__c11_acquire(addr);
    add_sync(addr);
    return;
  case EV_UNLOCK:
    add_sync(addr);
    fl__c11_release(addr);
    return;
  case EV_COND_WAKE: /* with the mutex */
    fl__c11_acquire(other);
    add_sync(other);
    return;
  case EV_COND_WAIT:
    add_sync(other);
    fl__c11_release(other);
    add_sync(addr);
    return;
  case EV_TRYLOCK: /* fl__tried */
  case EV_SIGNAL:
  case EV_BROADCAST:
  case EV_FUTEX_WAIT:
  case EV_FUTEX_WOKEN:
  case EV_FUTEX_WAKE:
  case EV_WAIT_OVER:
    add_sync(addr);
    return;
  case EV_SEM_POST:
    add_sync(addr);
    fl__c11_release(addr);
    return;
  case EV_JOIN:
    fl__c11_join((int)other);
    return;
  default: /* both: it may order more than the standard says, never less */
    fl__c11_acquire(addr);
    add_sync(addr);
    fl__c11_release(addr);
  }
}

void fl__c11_join(int thread) { join(&me()->now, &G.thread[thread].now); }

void fl__c11_fork(int thread, int child) {
  join(&G.thread[child].now, &G.thread[thread].now);
}

uint64_t fl__c11_calls(void) { return me()->now.calls; }

void fl__c11_returned(uint32_t call) {
  if (call < 64)
    me()->now.calls |= 1ull << call;
}

/* ---- plain accesses ---- */

/* Writes that the access makes to locations; their values are known behind it.
 */
static uint16_t plain_writes[C11_LOCATIONS];
static uint32_t nplain;

static bool mixes(int t, uint64_t addr, const char *what) {
  fl__fill_fault_of(t, FAULT_UNMODELLED, addr, "%s", what);
  return false;
}

/* One event for the thread's plain accesses between two others. */
static bool mark(int t, uint64_t addr, uint64_t size) {
  struct c11_event *e = NULL;
  for (uint32_t i = G.nevents; i-- && !e;)
    if (G.event[i].thread == t)
      e = &G.event[i];
  if (e && e->kind == C11_PLAIN) {
    if (e->addr != addr || e->size != size)
      e->size = 0;
    return true;
  }
  e = add_event(t, C11_PLAIN, 0);
  if (e)
    e->addr = addr, e->size = size;
  return e != NULL;
}

/* All that was done at the location happens before. */
static bool write_plainly(int t, uint16_t at) {
  struct c11_event *e = add_event(t, C11_WRITE, 0);
  if (!e || G.nwrites == C11_WRITES)
    return false;
  uint16_t n = (uint16_t)G.nwrites++;
  G.write[n] = (struct c11_write){.event = (uint16_t)(e - G.event)};
  e->write = n;
  link_event(e, at);
  put_behind(at, G.location[at].last, n);
  plain_writes[nplain++] = at;
  return true;
}

bool fl__c11_plain(int t, uint8_t kind, uint64_t addr, uint64_t size) {
  static const char full[] =
      "an execution has too many accesses for the memory model c11";
  bool writes = kind != EV_READ;
  nplain = 0;
  if (!mark(t, addr, size))
    return mixes(t, addr, full);
  int other = races(t, addr, size, writes);
  for (uint32_t i = 0; i < G.nlocations && other < 0; i++)
    if (overlaps(&G.location[i], addr, size))
      other = unordered((uint16_t)i, &G.thread[t], !writes);
  if (other >= 0) {
    fl__fill_fault_of(t, FAULT_UNMODELLED, addr, RACE, "another", other);
    return false;
  }
  if (!touch(t, addr, size, writes))
    return mixes(t, addr, full);
  for (uint32_t i = 0; i < G.nlocations && writes; i++) {
    if (!overlaps(&G.location[i], addr, size))
      continue;
    if (kind == EV_FREE)
      G.location[i].dead = true;
    else if (!write_plainly(t, (uint16_t)i))
      return mixes(t, addr, full);
  }
  return true;
}

void fl__c11_plain_made(void) {
  for (uint32_t i = 0; i < nplain; i++) {
    const struct c11_location *l = &G.location[plain_writes[i]];
    take_value(&G.write[l->last], l->addr, l->size);
  }
}

/* ---- states ---- */

void fl__c11_begin(void) {
  G.nevents = G.nwrites = G.nlocations = G.nobjects = G.nsc = G.ntouches = 0;
  memset(G.thread, 0, sizeof G.thread);
}

/* Calls f for each part of the state. */
#define PARTS(f)                                                               \
  f(G.event, G.nevents) f(G.write, G.nwrites) f(G.location, G.nlocations)      \
      f(G.object, G.nobjects) f(G.touch, G.ntouches)                           \
          f(G.thread, E.live.nfibers) f(G.sc, G.nsc) f(G.edge, G.nsc)

void fl__c11_save(struct snapshot *s) {
  uint32_t head[HEAD] = {G.nevents,  G.nwrites, G.nlocations,
                         G.nobjects, G.nsc,     G.ntouches};
  fl__snapshot_put(s, head, sizeof head);
#define PUT(at, n) fl__snapshot_put(s, at, (n) * sizeof *at);
  PARTS(PUT)
}

const uint8_t *fl__c11_load_state(const uint8_t *p) {
  uint32_t head[HEAD];
  memcpy(head, p, sizeof head);
  p += sizeof head;
  G.nevents = head[0], G.nwrites = head[1], G.nlocations = head[2];
  G.nobjects = head[3], G.nsc = head[4], G.ntouches = head[5];
#define GET(at, n) memcpy(at, p, (n) * sizeof *at), p += (n) * sizeof *at;
  PARTS(GET)
  /* Threads that do not exist yet have seen nothing. */
  memset(&G.thread[E.live.nfibers], 0,
         (C11_THREADS - E.live.nfibers) * sizeof *G.thread);
  return p;
}

/* A write, by its thread and place there. */
static uint32_t name_of_write(uint16_t w) {
  if (w == C11_NONE || G.write[w].event == C11_NONE)
    return UINT32_MAX;
  const struct c11_event *e = &G.event[G.write[w].event];
  return (uint32_t)e->thread << 16 | e->seq;
}

static int by_address(const void *x, const void *y) {
  uint16_t a = *(const uint16_t *)x, b = *(const uint16_t *)y;
  uint64_t p = G.location[a].addr, q = G.location[b].addr;
  return p < q ? -1 : p > q ? 1 : a < b ? -1 : a > b;
}

static void hash_event(struct snapshot *s, const struct c11_event *e) {
  uint64_t addr = e->at != C11_NONE       ? G.location[e->at].addr
                  : e->object != C11_NONE ? G.object[e->object].addr
                                          : 0;
  uint64_t what[3] = {(uint64_t)e->kind | (uint64_t)e->order << 8 |
                          (uint64_t)e->failed << 16 |
                          (uint64_t)name_of_write(e->from) << 32,
                      addr, e->object != C11_NONE ? e->nth : 0};
  fl__snapshot_put(s, what, sizeof what);
}

static void hash_location(struct snapshot *s, const struct c11_location *l) {
  uint64_t what[3] = {l->addr, (uint64_t)l->size << 8 | l->dead,
                      (uint64_t)l->whose << 16 | l->since};
  fl__snapshot_put(s, what, sizeof what);
  fl__snapshot_put(s, G.write[l->first].value, sizeof G.write->value);
  for (uint16_t w = l->first; w != C11_NONE; w = G.write[w].next) {
    uint32_t name = name_of_write(w);
    fl__snapshot_put(s, &name, sizeof name);
  }
}

static void hash_graph(struct snapshot *s) {
  uint16_t order[C11_LOCATIONS];
  for (int t = 0; t < C11_THREADS; t++) {
    fl__snapshot_put(s, &G.thread[t].seq, sizeof G.thread[t].seq);
    for (uint32_t i = 0; G.thread[t].seq && i < G.nevents; i++)
      if (G.event[i].thread == t)
        hash_event(s, &G.event[i]);
  }
  for (uint32_t i = 0; i < G.nlocations; i++)
    order[i] = (uint16_t)i;
  qsort(order, G.nlocations, sizeof *order, by_address);
  for (uint32_t i = 0; i < G.nlocations; i++)
    hash_location(s, &G.location[order[i]]);
}

void fl__c11_hash(struct snapshot *s) {
  hash_graph(s);
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    for (uint32_t i = 0; i < G.thread[t].must; i++)
      fl__snapshot_put(s, &G.location[G.thread[t].round[i]].addr,
                       sizeof G.location->addr);
}

struct hash128 rt_graph_hash(void) {
  static struct snapshot s;
  s.len = 0;
  hash_graph(&s);
  return hash128_long(s.bytes, s.len);
}
