/*
 * Which locations do two threads touch, one of them writing?  A table from
 * 8-byte granules to the threads that read and wrote there, over all executions
 * since the client was prepared.  Another process can be told of it
 * (rt_knowledge), together with the marks of stacks that others touch.
 *
 * With guards (rt_guards) the table also has the mutex that a location is only
 * ever touched under.  Then a critical section is one step, which begins with
 * the lock (Lipton, CACM 18(12), 1975):
 *
 *   T1: lock(m), x = 1, y = 1, unlock(m)      one step, if all threads touch
 *   T2: lock(m), y, x, unlock(m)              x and y under m only
 *
 * (G1) an access under the location's mutex commutes with all that others can
 *      do before this thread gives the mutex back: they would need it for a
 *      conflicting access.
 * (G2) an unlock commutes with all that others did since the access before it:
 *      to depend on it, they would have had to look at the mutex without
 *      waiting for it (try, destroy, overwrite), which no one ever does to this
 *      one.
 * (G3) news makes steps of accesses that were none, never the other way round;
 *      and a search that has made such an access as no step hears of it.  So a
 *      path means the same when it is run again.
 *
 * Taking a lock stays a step of its own, or deadlocks would be missed; so does
 * the first access of a call, or the call would begin before its first step.
 * A location that turns out to be touched without its mutex, and a mutex that
 * is tried, are found like a conflict: the search begins again.  (The first
 * such access of an execution can be reached without the unfinished sections of
 * others: what these did commutes with all that came later.)
 *
 * G1 and G2 are about all executions, not about a state;
 * tests/agree/stateful_dfs.c searches with and without guards.
 */
#include "rt/conflict.h"

#include "rt/engine.h"
#include "rt/marks.h"

#include "base/slow.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

struct granule_use {
  uint64_t granule; /* address / 8; 0 is empty */
  uint64_t guard;   /* granule of the mutex, or one of the words below */
  uint32_t readers, writers;
  uint32_t how; /* mask: MET_… */
};
/* Steps have accessed it plainly, atomically. */
enum { MET_PLAIN = 1, MET_ATOMIC = 2, MIXED = 3 };

/* What a guard can be instead.  LOCKED: the granule is itself a mutex, and only
 * locked and unlocked; TRIED: it is also tried. */
enum { NOT_MET, LOCKED, TRIED };
#define NO_GUARD UINT64_MAX

/* An access of more granules than MOST_GRANULES is kept as a range, and is
 * always a step.  When there are MOST_RANGES, all that follow become one. */
enum { MOST_GRANULES = 4096, MOST_RANGES = 64 };
struct range_use {
  uint64_t lo, hi; /* granules, both inclusive */
  uint32_t readers, writers;
};

static bool granules_is_free(const struct granule_use *e) {
  return !e->granule;
}
static bool granules_has(void *ctx, const struct granule_use *e, uint64_t g) {
  (void)ctx;
  return e->granule == g;
}
static uint32_t granules_hash(void *ctx, uint64_t granule) {
  (void)ctx;
  return (uint32_t)((granule * 0x9e3779b97f4a7c15u) >> 32);
}
static uint32_t granules_rehash(void *ctx, const struct granule_use *e) {
  return granules_hash(ctx, e->granule);
}
TABLE(granules, struct granule_use, uint64_t, 2)

static struct {
  struct granules granules;
  struct range_use ranges[MOST_RANGES];
  uint32_t nranges;
  bool reads;  /* several readers conflict too */
  bool guards; /* what is guarded is no branching point */
} T;

/* There is a table. */
static inline struct granule_use *find(uint64_t granule) {
  return granules_find(&T.granules, NULL, granule);
}

/* The entry of a granule, made when there is none. */
static inline struct granule_use *entry_of(uint64_t granule) {
  check_slow(granule != 0);
  struct granule_use *e = granules_put(&T.granules, NULL, granule);
  if (!e->granule) {
    e->granule = granule;
    T.granules.len++;
  }
  return e;
}

/* What is known of the granule: by itself, and as a part of ranges. */
static inline struct granule_use with_ranges(const struct granule_use *e,
                                             uint64_t granule) {
  struct granule_use all = *e;
  for (uint32_t i = 0; UNLIKELY(i < T.nranges); i++) {
    const struct range_use *r = &T.ranges[i];
    if (granule < r->lo || granule > r->hi)
      continue;
    all.readers |= r->readers;
    all.writers |= r->writers;
    all.guard = NO_GUARD;
  }
  return all;
}

static inline bool conflicts(const struct granule_use *e) {
  uint32_t all = e->readers | e->writers;
  return (e->writers || T.reads) && (all & (all - 1));
}

/* Must an access of it be a step? */
static bool is_open(const struct granule_use *e, uint64_t granule) {
  struct granule_use all = with_ranges(e, granule);
  return conflicts(&all) && (!T.guards || all.guard == NO_GUARD);
}

/* The same range, or the last one, which takes all that have no room. */
static struct range_use *range_of(uint64_t lo, uint64_t hi) {
  assert(T.nranges <= MOST_RANGES);
  for (uint32_t i = 0; i < T.nranges; i++)
    if (T.ranges[i].lo == lo && T.ranges[i].hi == hi)
      return &T.ranges[i];
  if (T.nranges == MOST_RANGES)
    return &T.ranges[MOST_RANGES - 1];
  T.ranges[T.nranges] = (struct range_use){.lo = lo, .hi = hi};
  return &T.ranges[T.nranges++];
}

/* How much is known of the ranges; news makes it larger. */
static uint32_t weigh_ranges(const struct range_use *r, uint64_t n) {
  uint32_t sum = 0;
  for (uint64_t i = 0; i < n; i++)
    sum += (uint32_t)(__builtin_popcount(r[i].readers) +
                      __builtin_popcount(r[i].writers));
  return sum;
}

/* A search that has made accesses of its bytes as no steps hears of it (G3). */
static void note_range(uint64_t lo, uint64_t hi, uint32_t readers,
                       uint32_t writers) {
  if (!T.granules.slots)
    granules_grow(&T.granules, NULL);
  struct range_use *r = range_of(lo, hi), had = *r;
  r->lo = lo < r->lo ? lo : r->lo;
  r->hi = hi > r->hi ? hi : r->hi;
  r->readers |= readers;
  r->writers |= writers;
  E.conflicts += r->lo != had.lo || r->hi != had.hi ||
                 r->readers != had.readers || r->writers != had.writers;
}

static bool is_mutex(uint64_t granule, uint64_t most) {
  const struct granule_use *e = find(granule);
  return e->granule && e->guard && e->guard <= most;
}

/* The one mutex that a thread holds, as granule; it must be a mutex and nothing
 * else in all executions. */
static uint64_t guard_of(const struct fiber_state *f) {
  bool one = f->held == 1 && f->mutexes;
  return one && is_mutex(f->mutexes / 8, TRIED) ? f->mutexes / 8 : NO_GUARD;
}

static uint64_t guard_by(int thread, uint8_t kind) {
  switch (kind) {
  case EV_LOCK:
  case EV_UNLOCK:
    return LOCKED;
  case EV_TRYLOCK:
    return TRIED;
  }
  return guard_of(&E.fiber[thread]);
}

static uint64_t both_guards(uint64_t a, uint64_t b) {
  if (a == b || b == NOT_MET)
    return a;
  if (a == NOT_MET)
    return b;
  return a <= TRIED && b <= TRIED ? TRIED : NO_GUARD;
}

void fl__conflict_note(int thread, uint8_t kind, uint64_t addr, uint64_t size) {
  check_slow(size && thread < RT_MAX_THREADS);
  /* A lock, a semaphore and the like change memory that can also be read, set
   * up, or freed. */
  bool writes = event_writes[kind] || !event_reads[kind];
  if (!addr)
    return;
  uint64_t last = (addr + size - 1) / 8;
  if (last - addr / 8 >= MOST_GRANULES) {
    uint32_t bit = 1u << thread;
    note_range(addr / 8, last, writes ? 0 : bit, writes ? bit : 0);
    return;
  }
  uint64_t guard = guard_by(thread, kind);
  for (uint64_t g = addr / 8; g <= last; g++) {
    struct granule_use *e = entry_of(g);
    bool before = is_open(e, g);
    uint64_t had = e->guard;
    if (writes)
      e->writers |= 1u << thread;
    else
      e->readers |= 1u << thread;
    e->guard = both_guards(e->guard, guard);
    check_slow(!before || is_open(e, g)); /* G3 */
    if (!before && is_open(e, g))
      E.conflicts++;
    else if (T.guards && (had == LOCKED || had == TRIED) && e->guard != had)
      E.conflicts++; /* what this mutex guards becomes steps, or its unlocks */
  }
}

bool fl__conflict_is_mixed(uint64_t addr, uint64_t size, bool plain) {
  uint64_t last = (addr + size - 1) / 8;
  bool mixed = last - addr / 8 >= MOST_GRANULES;
  for (uint64_t g = addr / 8; g <= last && !mixed; g++) {
    struct granule_use *e = entry_of(g);
    uint32_t had = e->how;
    e->how |= plain ? MET_PLAIN : MET_ATOMIC;
    E.conflicts += e->how == MIXED && had != MIXED;
    mixed |= e->how == MIXED;
  }
  return mixed;
}

void fl__conflict_force(uint64_t addr, uint64_t size) {
  if (!addr)
    return;
  fl__conflict_note(0, EV_WRITE, addr, size);
  fl__conflict_note(1, EV_WRITE, addr, size);
  uint64_t last = (addr + size - 1) / 8;
  for (uint64_t g = addr / 8; g <= last && last - g < MOST_GRANULES; g++) {
    struct granule_use *e = entry_of(g);
    E.conflicts += T.guards && e->guard != NO_GUARD;
    e->guard = NO_GUARD;
  }
}

void fl__conflict_looked_at(uint64_t addr, uint64_t size) {
  enum { LOOKS = RT_MAX_THREADS - 1 };
  if (!E.reduce)
    return;
  if (E.live.nfibers == RT_MAX_THREADS) /* there is such a thread */
    fl__conflict_force(addr, size);
  else
    fl__conflict_note(LOOKS, EV_READ, addr, size);
}

bool fl__conflict_free(uint64_t addr, uint64_t size) {
  uint64_t last = (addr + (size ? size - 1 : 0)) / 8;
  if (last - addr / 8 >= MOST_GRANULES)
    return false;
  if (!T.granules.slots)
    return true;
  for (uint64_t g = addr / 8; g <= last; g++) {
    struct granule_use *e = find(g);
    struct granule_use all = with_ranges(e, g);
    if (conflicts(&all))
      return false;
  }
  return true;
}

bool fl__guarded(const struct fiber_state *f) {
  if (!T.guards || !T.granules.slots ||
      (!f->called && f->call != EVENT_NO_CALL))
    return false;
  uint64_t guard = guard_of(f);
  if (guard == NO_GUARD)
    return false;
  uint64_t last = (f->addr + (f->size ? f->size - 1 : 0)) / 8;
  if (last - f->addr / 8 >= MOST_GRANULES)
    return false;
  bool unlocks = f->kind == EV_UNLOCK;
  if (unlocks && f->addr / 8 != guard)
    return false;
  for (uint64_t g = f->addr / 8; g <= last; g++) {
    struct granule_use e = with_ranges(find(g), g);
    if (unlocks ? e.guard > LOCKED : conflicts(&e) && e.guard != guard)
      return false;
  }
  return true;
}

void fl__conflict_forget(void) {
  granules_clear(&T.granules);
  T.nranges = 0;
  T.reads = false;
}

void rt_reduce_less(void) { T.reads = true; }

void rt_guards(bool on) {
  T.guards = on && !E.options.tso && !E.options.c11 && !E.regions;
}

/* ---- for other processes ---- */

struct knowledge_head {
  char magic[8];
  uint64_t granules, marks, ranges;
};
static const char magic[8] = "FLKNOW3";

/* The object may lie elsewhere in the other process: its granules count from
 * where it begins.  Addresses of all else are fixed (layout.h). */
#define IN_IMAGE (1ull << 63)

static uint64_t granule_sent(uint64_t g) {
  return g * 8 - E.base < E.image_span ? (g - E.base / 8) | IN_IMAGE : g;
}

static uint64_t granule_here(uint64_t sent) {
  return sent & IN_IMAGE ? (sent & ~IN_IMAGE) + E.base / 8 : sent;
}

static uint32_t count_units(const rt_mark_list *l) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->len; i++)
    n += l->at[i].n;
  return n;
}

void rt_knowledge(struct buf *out) {
  rt_mark_list marks = {0};
  rt_marks(&marks);
  struct knowledge_head head = {
      .granules = T.granules.len, .marks = marks.len, .ranges = T.nranges};
  memcpy(head.magic, magic, sizeof magic);
  buf_put(out, &head, sizeof head);
  for (uint32_t i = 0; T.granules.len && i <= T.granules.mask; i++)
    if (T.granules.slots[i].granule) {
      struct granule_use e = T.granules.slots[i];
      e.granule = granule_sent(e.granule);
      if (e.guard > TRIED && e.guard != NO_GUARD)
        e.guard = granule_sent(e.guard);
      buf_put(out, &e, sizeof e);
    }
  buf_put(out, marks.at, marks.len * sizeof *marks.at);
  vec_free(&marks);
  for (uint32_t i = 0; i < T.nranges; i++) {
    struct range_use r = T.ranges[i];
    r.lo = granule_sent(r.lo);
    r.hi = granule_sent(r.hi);
    buf_put(out, &r, sizeof r);
  }
}

/* How much is known of it, which news makes larger; of its guard too, whether
 * guards are on now or not. */
static uint32_t weight(const struct granule_use *e) {
  if (!conflicts(e))
    return 0;
  uint32_t mixed = e->how == MIXED;
  return mixed + (e->guard == NO_GUARD ? 3 : e->guard == TRIED ? 2 : 1);
}

/* Returns the weight of what the other process knew. */
static uint32_t learn_granules(const char *at, uint64_t n) {
  uint32_t theirs = 0;
  for (uint64_t i = 0; i < n; i++, at += sizeof(struct granule_use)) {
    struct granule_use sent;
    memcpy(&sent, at, sizeof sent);
    uint64_t g = granule_here(sent.granule);
    if (!g)
      continue;
    struct granule_use *e = entry_of(g);
    if (sent.guard > TRIED && sent.guard != NO_GUARD)
      sent.guard = granule_here(sent.guard);
    e->readers |= sent.readers;
    e->writers |= sent.writers;
    e->how |= sent.how;
    e->guard = both_guards(e->guard, sent.guard);
    theirs += weight(&sent);
  }
  return theirs;
}

/* Returns how many units the other process has marked. */
static uint32_t learn_marks(const char *at, uint64_t n) {
  uint32_t theirs = 0;
  for (uint64_t i = 0; i < n; i++, at += sizeof(struct rt_mark)) {
    struct rt_mark m;
    memcpy(&m, at, sizeof m);
    fl__add_mark(&m);
    theirs += m.n;
  }
  return theirs;
}

static uint32_t learn_ranges(const char *at, uint64_t n) {
  uint32_t theirs = 0;
  for (uint64_t i = 0; i < n; i++, at += sizeof(struct range_use)) {
    struct range_use r;
    memcpy(&r, at, sizeof r);
    note_range(granule_here(r.lo), granule_here(r.hi), r.readers, r.writers);
    theirs += weigh_ranges(&r, 1);
  }
  return theirs;
}

static uint32_t count_conflicts(void) {
  uint32_t n = weigh_ranges(T.ranges, T.nranges);
  for (uint32_t i = 0; T.granules.len && i <= T.granules.mask; i++) {
    const struct granule_use *e = &T.granules.slots[i];
    n += e->granule ? weight(e) : 0;
  }
  return n;
}

/*
 * What this process knows and the other did not counts as newly found: the
 * others must hear of it before all search the same graph.
 */
bool rt_learn(const struct buf *knowledge) {
  struct knowledge_head head;
  if (knowledge->len < sizeof head)
    return false;
  memcpy(&head, knowledge->at, sizeof head);
  uint64_t room = knowledge->len - sizeof head;
  uint64_t granules = head.granules * sizeof(struct granule_use);
  uint64_t marks = head.marks * sizeof(struct rt_mark);
  if (memcmp(head.magic, magic, sizeof magic) ||
      head.granules > room / sizeof(struct granule_use) ||
      head.marks > room / sizeof(struct rt_mark) || head.ranges > MOST_RANGES ||
      granules + marks + head.ranges * sizeof(struct range_use) != room)
    return false;
  const char *at = knowledge->at + sizeof head;
  uint32_t theirs = learn_granules(at, head.granules);
  uint32_t units = learn_marks(at + granules, head.marks);
  theirs += learn_ranges(at + granules + marks, head.ranges);
  rt_mark_list all = {0};
  rt_marks(&all);
  E.conflicts = count_conflicts() - theirs;
  E.new_marks = count_units(&all) - units;
  vec_free(&all);
  return true;
}
