/* Locks that let two threads in, data behind two locks or a shared one. */
#include "locate/kinds_int.h"

#include "base/err.h"

#include <stdlib.h>

/* ---- broken mutual exclusion ---- */

static bool is_data(const struct event *e) {
  return (e->kind == EV_READ || e->kind == EV_WRITE) && is_concurrent(e);
}

/* The last read of the spot that the call made before `at`: one that only
 * reads.  KIND_NO_EVENT: none. */
static uint32_t test_before(const struct kind_query *q, uint32_t at,
                            const struct event *spot) {
  const struct event *e = event_at(q, at);
  for (uint32_t i = at; i-- > 0;) {
    const struct event *r = event_at(q, i);
    if (!same_call(r, e))
      continue;
    if (r->kind == EV_CALL)
      return KIND_NO_EVENT;
    if (is_plain_read(r) && same_spot(r, spot))
      return i;
  }
  return KIND_NO_EVENT;
}

/* Where the call sets the word back to `free`, or the end of the trace. */
static uint32_t release_after(const struct kind_query *q, uint32_t set,
                              const uint64_t free[2]) {
  const struct event *e = event_at(q, set);
  for (uint32_t i = set + 1; i < events_of(q); i++)
    if (same_call(event_at(q, i), e) && is_write(event_at(q, i)) &&
        same_spot(event_at(q, i), e) &&
        equal_values(event_at(q, i)->value, free))
      return i;
  return events_of(q);
}

/* Plain accesses of the same data that two sections make: true, and which. */
static bool clash(const struct kind_query *q, uint32_t a, uint32_t a_end,
                  uint32_t b, uint32_t b_end, uint32_t *x, uint32_t *y) {
  for (uint32_t i = a + 1; i < a_end; i++) {
    const struct event *e = event_at(q, i);
    if (!is_data(e) || !same_call(e, event_at(q, a)))
      continue;
    for (uint32_t k = b + 1; k < b_end; k++) {
      const struct event *o = event_at(q, k);
      if (is_data(o) && same_call(o, event_at(q, b)) && overlaps(e, o) &&
          (is_write(e) || is_write(o))) {
        *x = i;
        *y = k;
        return true;
      }
    }
  }
  return false;
}

/* A call that writes what is free gives back, unless it has taken nothing since
 * the test: then it counts, as readers do, from what another has set. */
static bool sets(const struct kind_query *q, uint32_t test, uint32_t set) {
  const struct event *s = event_at(q, set);
  if (!equal_values(s->value, event_at(q, test)->value))
    return true;
  for (uint32_t i = test + 1; i < set; i++)
    if (same_call(event_at(q, i), s) && is_write(event_at(q, i)) &&
        overlaps(event_at(q, i), s))
      return false;
  return s->kind == EV_RMW;
}

/* Thread T2 sets the word at `set`, over what another thread has set. */
static void match_word(const struct kind_query *q, uint32_t set) {
  const struct event *s = event_at(q, set);
  if (!is_write(s) || s->kind == EV_CAS || !is_concurrent(s) ||
      s->flags & EVENT_NO_VALUE)
    return;
  uint32_t test = test_before(q, set, s);
  if (test == KIND_NO_EVENT)
    return;
  const uint64_t *free = event_at(q, test)->value;
  uint32_t other = last_foreign_write(q, s, s->thread, test, set);
  if (!sets(q, test, set) || other == KIND_NO_EVENT ||
      !is_concurrent(event_at(q, other)) ||
      equal_values(event_at(q, other)->value, free))
    return;
  uint32_t other_test = test_before(q, other, s);
  if (event_reads[event_at(q, other)->kind] &&
      equal_values(event_at(q, other)->old, free))
    other_test = other; /* an exchange that got it */
  if (other_test == KIND_NO_EVENT ||
      !equal_values(value_read(event_at(q, other_test)), free))
    return;
  uint32_t end = release_after(q, set, free);
  uint32_t other_end = release_after(q, other, free), x, y;
  if ((end == events_of(q) && other_end == events_of(q)) || other_end < set ||
      !clash(q, set, end, other, other_end, &x, &y))
    return;
  add_match(
      q, &(struct kind_found){.kind = KIND_BROKEN_LOCK,
                              .marks = {test, set, other_test, other, x, y}});
}

/*
 * A word is set before and set back after a section of plain accesses.  Two
 * threads find it free, then both set it, and both touch the same data before
 * either has set it back.
 *
 *     T1 6 load busy = 0        T2 6 load busy = 0
 *     T2 8 rmw busy: 0 -> 1     T1 8 rmw busy: 1 -> 1     the result is ignored
 *     T1 9 write n              T2 9 write n              both inside
 *     T1 10 store busy: 1 -> 0  T2 10 store busy: 0 -> 0
 *
 * A flag that is never set back is no lock: that is a check, then an act.
 */
void match_broken_lock(const struct kind_query *q) {
  for (uint32_t i = 0; i < events_of(q); i++)
    match_word(q, i);
}

/* The last time before `before` that the call only reads the spot. */
static uint32_t last_test(const struct kind_query *q, uint32_t call_of,
                          const struct event *spot, uint32_t before) {
  for (uint32_t i = before; i-- > 0;) {
    const struct event *r = event_at(q, i);
    if (!same_call(r, event_at(q, call_of)))
      continue;
    if (r->kind == EV_CALL)
      return KIND_NO_EVENT;
    if (is_plain_read(r) && same_spot(r, spot))
      return i;
  }
  return KIND_NO_EVENT;
}

/* A word that the call sets to another value than it found there, to set it
 * back or to be cut off before. */
static bool is_flag(const struct kind_query *q, uint32_t at) {
  const struct event *e = event_at(q, at);
  if (!is_write(e) || e->kind == EV_CAS || !is_concurrent(e) ||
      e->flags & (EVENT_NO_VALUE | EVENT_NO_OLD) ||
      equal_values(e->value, e->old))
    return false;
  for (uint32_t i = 0; i < at; i++)
    if (is_write(event_at(q, i)) && same_call(event_at(q, i), e) &&
        same_spot(event_at(q, i), e))
      return equal_values(event_at(q, i)->old, e->old);
  return true;
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void match_flags(const struct kind_query *q, uint32_t a, uint32_t b) {
  const struct event *s = event_at(q, a), *o = event_at(q, b);
  uint32_t x, y, none = events_of(q);
  uint32_t end = release_after(q, a, s->old);
  uint32_t other_end = release_after(q, b, o->old);
  uint32_t test = last_test(q, a, o, end);
  uint32_t other_test = last_test(q, b, s, other_end);
  if (test == KIND_NO_EVENT || other_test == KIND_NO_EVENT ||
      (end == none && other_end == none))
    return;
  uint32_t in = later(a, test), other_in = later(b, other_test);
  if (in > other_end || other_in > end ||
      !clash(q, in, end, other_in, other_end, &x, &y))
    return;
  add_match(q, &(struct kind_found){
                   .kind = KIND_BROKEN_FLAGS,
                   .marks = {test, a, other_test, b, x, y,
                             end == none ? KIND_NO_EVENT : end,
                             other_end == none ? KIND_NO_EVENT : other_end}});
}

/*
 * A lock of loads and stores: each thread sets a word of its own, looks at the
 * word of the other, and sets its own back after a section of plain accesses.
 * Both have set theirs and looked at the other's before either has set it back,
 * and both touch the same data.
 *
 *     T1 8 load want[1] = 0         T2 8 load want[0] = 0
 *     T1 9 store want[0]: 0 -> 1    T2 9 store want[1]: 0 -> 1
 *     T1 10 write n                 T2 10 write n               both inside
 *     T1 11 store want[0]: 1 -> 0   T2 11 store want[1]: 1 -> 0
 *
 * Words that nobody looks at before going in are marks for others, no lock.
 */
void match_broken_flags(const struct kind_query *q) {
  for (uint32_t a = 0; a < events_of(q); a++)
    for (uint32_t b = a + 1; is_flag(q, a) && b < events_of(q); b++)
      if (is_flag(q, b) && event_at(q, a)->thread != event_at(q, b)->thread &&
          !overlaps(event_at(q, a), event_at(q, b)))
        match_flags(q, a, b);
}

/* ---- two locks ---- */

enum { MOST_HELD = 6 };
struct held_lock {
  uint64_t addr;
  uint32_t event;
  bool shared;
};
struct held_locks {
  struct held_lock at[MOST_HELD];
  uint32_t len;
};

static void acquire(struct held_locks *h, const struct event *e, uint32_t at) {
  if (h->len < MOST_HELD)
    h->at[h->len++] = (struct held_lock){e->addr, at, e->kind == EV_RDLOCK};
}

static void let_go(struct held_locks *h, uint64_t addr) {
  for (uint32_t i = h->len; i-- > 0;)
    if (h->at[i].addr == addr) {
      for (h->len--; i < h->len; i++)
        h->at[i] = h->at[i + 1];
      return;
    }
}

/* Of a wait, the mutex is not known: that which was taken last. */
static void follow(struct held_locks *h, struct held_locks *waiting,
                   const struct event *e, uint32_t at) {
  switch (e->kind) {
  case EV_TRYLOCK:
    if (!e->value[0])
      return;
    /* fallthrough */
  case EV_LOCK:
  case EV_RDLOCK:
  case EV_WRLOCK:
    acquire(h, e, at);
    return;
  case EV_UNLOCK:
    let_go(h, e->addr);
    return;
  case EV_COND_WAIT:
    waiting->len = h->len != 0;
    if (h->len)
      waiting->at[0] = h->at[--h->len];
    return;
  case EV_COND_WAKE:
    if (waiting->len && h->len < MOST_HELD)
      h->at[h->len++] =
          (struct held_lock){waiting->at[0].addr, at, waiting->at[0].shared};
    waiting->len = 0;
    return;
  default:
    return;
  }
}

static bool excluded(const struct held_locks *a, const struct held_locks *b) {
  for (uint32_t i = 0; i < a->len; i++)
    for (uint32_t k = 0; k < b->len; k++)
      if (a->at[i].addr == b->at[k].addr)
        return true; /* shared by both: another fault than this kind */
  return false;
}

static bool is_conflicting(const struct event *a, const struct event *b) {
  bool both = (event_reads[a->kind] || event_writes[a->kind]) &&
              (event_reads[b->kind] || event_writes[b->kind]);
  return both && a->thread != b->thread && overlaps(a, b) &&
         (event_writes[a->kind] || event_writes[b->kind]);
}

/* The lock that the section of event `i` begins with; KIND_NO_EVENT: none. */
static uint32_t section_of(const struct held_locks *held, uint32_t i) {
  return held[i].len ? held[i].at[0].event : KIND_NO_EVENT;
}

/* After the access at `x` comes that at `y` of another thread.  Does something
 * of y's call also come before something of x's, in one of the two sections? */
static bool comes_back(const struct kind_query *q,
                       const struct held_locks *held, uint32_t x, uint32_t y) {
  for (uint32_t i = 0; i < events_of(q); i++) {
    const struct event *from = event_at(q, i);
    if (!same_call(from, event_at(q, y)))
      continue;
    for (uint32_t k = i + 1; k < events_of(q); k++) {
      const struct event *to = event_at(q, k);
      if (same_call(to, event_at(q, x)) && is_conflicting(from, to) &&
          (section_of(held, i) == section_of(held, y) ||
           section_of(held, k) == section_of(held, x)))
        return true;
    }
  }
  return false;
}

static struct held_locks *follow_locks(const struct kind_query *q) {
  struct held_locks now[32] = {{{{0}}}}, waiting[32] = {{{{0}}}};
  struct held_locks *held = xcalloc(events_of(q) + 1u, sizeof *held);
  for (uint32_t i = 0; i < events_of(q); i++) {
    const struct event *e = event_at(q, i);
    if (e->thread < 32)
      follow(&now[e->thread], &waiting[e->thread], e, i);
    if (e->thread < 32 && is_concurrent(e))
      held[i] = now[e->thread];
  }
  return held;
}

/*
 * Plain accesses of the same data in sections of different locks: both threads
 * hold some, and none that the other holds.  And the two calls cannot be put
 * one after the other: an access of the second comes before one of the first,
 * inside of one of the sections.
 *
 *     T2 49 lock locks[0];  55 read buckets[1]
 *     T1 76 lock locks[1];  77 read map.buckets;  88 write buckets[1]
 *     T2 62 write map.buckets
 */
void match_two_locks(const struct kind_query *q) {
  struct held_locks *held = follow_locks(q);
  for (uint32_t y = 1; y < events_of(q); y++)
    for (uint32_t x = 0; x < y && held[y].len; x++) {
      const struct event *a = event_at(q, x), *b = event_at(q, y);
      if (held[x].len && is_data(a) && is_data(b) && is_conflicting(a, b) &&
          !excluded(&held[x], &held[y]) && comes_back(q, held, x, y))
        add_match(q, &(struct kind_found){.kind = KIND_TWO_LOCKS,
                                          .marks = {x, section_of(held, x), y,
                                                    section_of(held, y)}});
    }
  free(held);
}

/* ---- a shared lock for a write ---- */

/* The lock that both hold shared, when none that both hold excludes the other;
 * NULL: there is no such lock. */
static const struct held_lock *shared_lock(const struct held_locks *a,
                                           const struct held_locks *b,
                                           const struct held_lock **other) {
  const struct held_lock *found = NULL;
  for (uint32_t i = 0; i < a->len; i++)
    for (uint32_t k = 0; k < b->len; k++) {
      if (a->at[i].addr != b->at[k].addr)
        continue;
      if (!a->at[i].shared || !b->at[k].shared)
        return NULL;
      found = &a->at[i];
      *other = &b->at[k];
    }
  return found;
}

/* Where the thread of event `of` gives the lock back, or KIND_NO_EVENT. */
static uint32_t given_back(const struct kind_query *q, uint32_t of,
                           uint64_t lock) {
  for (uint32_t i = of + 1; i < events_of(q); i++)
    if (event_at(q, i)->kind == EV_UNLOCK && event_at(q, i)->addr == lock &&
        same_call(event_at(q, i), event_at(q, of)))
      return i;
  return KIND_NO_EVENT;
}

static void match_shared(const struct kind_query *q,
                         const struct held_locks *held, uint32_t x,
                         uint32_t y) {
  bool first = is_write(event_at(q, x));
  uint32_t write = first ? x : y, other = first ? y : x;
  const struct held_lock *b, *a = shared_lock(&held[write], &held[other], &b);
  if (!a)
    return;
  uint32_t end = given_back(q, write, a->addr);
  uint32_t other_end = given_back(q, other, a->addr);
  if (b->event > end || a->event > other_end)
    return; /* one after the other */
  add_match(q, &(struct kind_found){.kind = KIND_SHARED_LOCK,
                                    .marks = {write, a->event, end, other,
                                              b->event, other_end}});
}

/*
 * Plain data are written under a lock that is taken shared, for readers, and
 * another thread, which has it too, reads or writes them meanwhile.
 *
 *     T1 20 read-lock mu;  21 read map.first = &n
 *     T2 50 read-lock mu;  54 write map.first: &n -> NULL
 */
void match_shared_lock(const struct kind_query *q) {
  struct held_locks *held = follow_locks(q);
  for (uint32_t y = 1; y < events_of(q); y++)
    for (uint32_t x = 0; x < y && held[y].len; x++)
      if (held[x].len && is_data(event_at(q, x)) && is_data(event_at(q, y)) &&
          is_conflicting(event_at(q, x), event_at(q, y)))
        match_shared(q, held, x, y);
  free(held);
}

/* ---- hand over hand ---- */

static bool takes(const struct event *e) {
  return e->kind == EV_LOCK || e->kind == EV_RDLOCK || e->kind == EV_WRLOCK ||
         (e->kind == EV_TRYLOCK && e->value[0]);
}

/* The next lock that the call takes behind `at`, or KIND_NO_EVENT. */
static uint32_t next_lock(const struct kind_query *q, uint32_t at) {
  for (uint32_t i = at + 1; i < events_of(q); i++)
    if (same_call(event_at(q, i), event_at(q, at)) && takes(event_at(q, i)))
      return i;
  return KIND_NO_EVENT;
}

/* The block that the value of a pointer leads into, or NULL. */
static const struct block *target_of(const struct kind_query *q, uint32_t at) {
  const struct trace *t = q->t->trace;
  const struct event *e = event_at(q, at);
  bool known =
      is_known_read(e) || (is_write(e) && !(e->flags & EVENT_NO_VALUE));
  if (!known || e->size != sizeof(void *))
    return NULL;
  uint64_t pointer = is_write(e) ? e->value[0] : value_read(e)[0];
  for (uint32_t k = 0; k < t->nblocks; k++)
    if (pointer - t->blocks[k].base < t->blocks[k].size)
      return &t->blocks[k];
  return NULL;
}

/* Whether the call takes a lock in the block, up to event `last`. */
static bool locks_in(const struct kind_query *q, const struct block *b,
                     uint32_t last) {
  for (uint32_t i = 0; i <= last; i++)
    if (takes(event_at(q, i)) && same_call(event_at(q, i), event_at(q, last)) &&
        event_at(q, i)->addr - b->base < b->size)
      return true;
  return false;
}

static void match_gap(const struct kind_query *q, uint32_t unlock) {
  uint32_t lock = next_lock(q, unlock), read = KIND_NO_EVENT, change = 0;
  bool leads_there = false;
  if (lock == KIND_NO_EVENT ||
      event_at(q, lock)->addr == event_at(q, unlock)->addr)
    return;
  for (uint32_t i = unlock; i-- > 0;) {
    const struct event *e = event_at(q, i);
    const struct block *to =
        same_call(e, event_at(q, unlock)) ? target_of(q, i) : NULL;
    if (!to || !locks_in(q, to, lock))
      continue;
    leads_there |= event_at(q, lock)->addr - to->base < to->size;
    uint32_t one = last_foreign_write(q, e, e->thread, unlock, lock);
    if (read == KIND_NO_EVENT && one != KIND_NO_EVENT) {
      read = i;
      change = one;
    }
  }
  if (leads_there && read != KIND_NO_EVENT)
    add_match(q, &(struct kind_found){.kind = KIND_COUPLING,
                                      .marks = {read, unlock, change, lock}});
}

/*
 * A pointer is read or written under a lock, the lock is given back, and then
 * the lock in the block that it leads to is taken.  In between the thread holds
 * none, and another one changes that pointer or an earlier one of the way: the
 * block is no longer where it was found.
 *
 *     T1 36 lock root.mu;  38 read root.kid[0] = &n;  46 unlock root.mu
 *     T2 74 write root.kid[0]: &n -> NULL
 *     T1 47 lock n.mu
 */
void match_coupling(const struct kind_query *q) {
  struct held_locks *held = follow_locks(q);
  for (uint32_t i = 0; i < events_of(q); i++)
    if (event_at(q, i)->kind == EV_UNLOCK && is_concurrent(event_at(q, i)) &&
        !held[i].len)
      match_gap(q, i);
  free(held);
}
