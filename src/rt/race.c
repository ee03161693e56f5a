/* Notes of accesses, and which of them race (race.h). */
#include "rt/race.h"

#include "rt/conflict.h"
#include "rt/fault.h"
#include "rt/order.h"
#include "rt/snapshot.h"

#include "base/slow.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

/* A class is a bit; SET_… are the classes that an access races with. */
enum race_class {
  PLAIN_READ = 1,
  PLAIN_WRITE = 2,
  ATOMIC_READ = 4,
  ATOMIC_WRITE = 8
};
static const uint8_t races_with[16] = {
    [PLAIN_READ] = PLAIN_WRITE | ATOMIC_WRITE,
    [PLAIN_WRITE] = PLAIN_READ | PLAIN_WRITE | ATOMIC_READ | ATOMIC_WRITE,
    [ATOMIC_READ] = PLAIN_WRITE,
    [ATOMIC_WRITE] = PLAIN_READ | PLAIN_WRITE,
};
/* An access stands for earlier ones of these classes: they race with no more
 * than it does. */
static const uint8_t stands_for[16] = {
    [PLAIN_READ] = PLAIN_READ | ATOMIC_READ,
    [PLAIN_WRITE] = PLAIN_READ | PLAIN_WRITE | ATOMIC_READ | ATOMIC_WRITE,
    [ATOMIC_READ] = ATOMIC_READ,
    [ATOMIC_WRITE] = ATOMIC_READ | ATOMIC_WRITE,
};

struct race_note {
  uint64_t granule;
  uint8_t offset, size, thread, class;
  uint32_t epoch;
  uint64_t pc;
  uint16_t next; /* in its chain: index + 1 */
};

/* An access of more granules than MOST_GRANULES is not looked at; when there
 * are MOST_NOTES, accesses are not noted any more. */
enum { CHAINS = 64, MOST_GRANULES = 512, MOST_NOTES = UINT16_MAX - 1 };

static struct {
  uint16_t first[CHAINS];
  VEC(struct race_note) note;
} N;

static uint32_t chain_of(uint64_t granule) {
  return (uint32_t)((granule * 0x9e3779b97f4a7c15u) >> 58) % CHAINS;
}

static bool overlaps(const struct race_note *n, uint32_t offset,
                     uint32_t size) {
  return n->offset < offset + size && offset < (uint32_t)n->offset + n->size;
}

static bool knows(int t, const struct race_note *n) {
  return fl__order_clock(t)->at[n->thread] >= n->epoch;
}

/* Where the index of note i stands. */
static uint16_t *link_to(uint32_t i) {
  uint16_t *at = &N.first[chain_of(N.note.at[i].granule)];
  while (*at != i + 1)
    at = &N.note.at[*at - 1].next;
  return at;
}

/* The last note takes its place. */
static void drop(uint32_t i) {
  *link_to(i) = N.note.at[i].next;
  uint32_t last = N.note.len - 1;
  if (i != last) {
    *link_to(last) = (uint16_t)(i + 1);
    N.note.at[i] = N.note.at[last];
  }
  N.note.len--;
}

static void push(struct race_note n) {
  if (N.note.len == MOST_NOTES)
    return;
  uint16_t *first = &N.first[chain_of(n.granule)];
  n.next = *first;
  vec_push(&N.note, n);
  *first = (uint16_t)N.note.len;
}

/* ---- accesses ---- */

/* The access of t, as far as it lies in one granule. */
struct race_piece {
  uint64_t granule;
  uint32_t offset, size;
  int t;
  uint8_t class;
};

static const struct race_note *find_race(const struct race_piece *p) {
  for (uint32_t i = N.first[chain_of(p->granule)]; i;
       i = N.note.at[i - 1].next) {
    const struct race_note *n = &N.note.at[i - 1];
    if (n->granule == p->granule && n->thread != p->t &&
        overlaps(n, p->offset, p->size) && (races_with[p->class] & n->class) &&
        !knows(p->t, n))
      return n;
  }
  return NULL;
}

/* Drops the notes that the access stands for, and makes its own; one of the
 * same thread, class and bytes is used again. */
static void note(const struct race_piece *p, uint64_t pc) {
  uint32_t i = N.first[chain_of(p->granule)];
  uint32_t epoch = fl__order_clock(p->t)->at[p->t];
  bool noted = false;
  while (i) {
    struct race_note *n = &N.note.at[i - 1];
    uint32_t next = n->next;
    bool below = n->granule == p->granule &&
                 (stands_for[p->class] & n->class) && n->offset >= p->offset &&
                 (uint32_t)n->offset + n->size <= p->offset + p->size;
    bool same = below && n->thread == p->t && n->class == p->class &&
                n->size == p->size;
    if (same) {
      n->epoch = epoch;
      n->pc = pc;
      noted = true;
    } else if (below && (n->thread == p->t || knows(p->t, n))) {
      drop(i - 1);
      next = N.first[chain_of(p->granule)]; /* notes have moved */
    }
    i = next;
  }
  if (!noted)
    push((struct race_note){.granule = p->granule,
                            .offset = (uint8_t)p->offset,
                            .size = (uint8_t)p->size,
                            .thread = (uint8_t)p->t,
                            .class = p->class,
                            .epoch = epoch,
                            .pc = pc});
}

static const char *verb_of(uint8_t class) {
  return class & (PLAIN_WRITE | ATOMIC_WRITE) ? "write" : "read";
}

static const char *how_of(uint8_t class) {
  return class & (ATOMIC_READ | ATOMIC_WRITE) ? "an atomic" : "a plain";
}

static void tell(const struct race_piece *p, uint8_t kind, uint64_t pc,
                 const struct race_note *n) {
  char other[20];
  snprintf(other, sizeof other, n->thread ? "T%u" : "the main thread",
           (unsigned)n->thread);
  uint64_t at =
      p->granule * 8 + (p->offset > n->offset ? p->offset : n->offset);
  fl__fill_fault(
      FAULT_DATA_RACE, pc, at, "%s %s of what %s %s; nothing orders the two",
      how_of(p->class), kind == EV_FREE ? "free" : verb_of(p->class), other,
      n->class & (PLAIN_WRITE | ATOMIC_WRITE)
          ? (n->class & PLAIN_WRITE ? "has written" : "has written atomically")
          : (n->class & PLAIN_READ ? "has read" : "has read atomically"));
  E.fault.race = (struct rt_race){.pc = fl__offset(n->pc),
                                  .thread = n->thread,
                                  .atomic = n->class > PLAIN_WRITE,
                                  .writes = n->class & 10};
}

static __attribute__((noinline)) bool refuse(const struct race_piece *p,
                                             uint8_t kind, uint64_t pc,
                                             const struct race_note *n) {
  E.self = &E.fiber[p->t];
  tell(p, kind, pc, n);
  return true;
}

static bool look_at_many(struct race_piece p, uint8_t kind, uint64_t addr,
                         uint64_t end, uint64_t pc) {
  for (int noting = 0; noting < 2; noting++)
    for (uint64_t at = addr; at < end; at = at / 8 * 8 + 8) {
      uint64_t upto = at / 8 * 8 + 8 < end ? at / 8 * 8 + 8 : end;
      p.granule = at / 8;
      p.offset = (uint32_t)(at % 8);
      p.size = (uint32_t)(upto - at);
      const struct race_note *n = noting ? NULL : find_race(&p);
      if (n)
        return refuse(&p, kind, pc, n);
      if (noting)
        note(&p, pc);
    }
  return false;
}

/* Is there a race?  Then E.fault is filled; else the access is noted. */
static bool look(int t, uint8_t class, uint8_t kind, uint64_t addr,
                 uint64_t size, uint64_t pc) {
  struct race_piece p = {.granule = addr / 8,
                         .offset = (uint32_t)(addr % 8),
                         .size = (uint32_t)size,
                         .t = t,
                         .class = class};
  uint64_t end = addr + size;
  if (!size || (end - 1) / 8 - addr / 8 >= MOST_GRANULES)
    return false;
  if (UNLIKELY((end - 1) / 8 != p.granule))
    return look_at_many(p, kind, addr, end, pc);
  const struct race_note *n = find_race(&p);
  if (UNLIKELY(n != NULL))
    return refuse(&p, kind, pc, n);
  note(&p, pc);
  return false;
}

static uint8_t class_of(const struct fiber_state *f) {
  switch (f->kind) {
  case EV_READ:
    return f->bare ? ATOMIC_READ : PLAIN_READ;
  case EV_WRITE:
    return f->bare ? ATOMIC_WRITE : PLAIN_WRITE;
  case EV_FREE:
    return PLAIN_WRITE;
  case EV_ATOMIC_READ:
  case EV_CAS: /* … until it turns out to write */
    return ATOMIC_READ;
  case EV_ATOMIC_WRITE:
  case EV_RMW:
    return ATOMIC_WRITE;
  }
  return 0;
}

bool fl__race(int t) {
  const struct fiber_state *f = &E.fiber[t];
  uint8_t class = class_of(f);
  if (!class || E.preparing)
    return false;
  if (class >= ATOMIC_READ && E.reduce &&
      !fl__conflict_is_mixed(f->addr, f->size, false))
    return false;
  if (class < ATOMIC_READ && E.reduce)
    fl__conflict_is_mixed(f->addr, f->size, true);
  return look(t, class, f->kind, f->addr, f->size, f->pc);
}

bool fl__race_swapped(int t, uint64_t addr, uint64_t size, uint64_t pc) {
  if (E.preparing || (E.reduce && !fl__conflict_is_mixed(addr, size, false)))
    return false;
  return look(t, ATOMIC_WRITE, EV_CAS, addr, size, pc);
}

/* ---- state ---- */

void fl__race_begin(void) {
  memset(N.first, 0, sizeof N.first);
  vec_clear(&N.note);
}

void fl__race_save(struct snapshot *s) {
  fl__snapshot_put(s, &N.note.len, sizeof N.note.len);
  if (!N.note.len)
    return;
  fl__snapshot_put(s, N.first, sizeof N.first);
  fl__snapshot_put(s, N.note.at, N.note.len * sizeof *N.note.at);
}

const uint8_t *fl__race_load(const uint8_t *p) {
  uint32_t len;
  memcpy(&len, p, sizeof len);
  p += sizeof len;
  if (!len) {
    if (N.note.len)
      fl__race_begin();
    return p;
  }
  memcpy(N.first, p, sizeof N.first);
  p += sizeof N.first;
  vec_reserve(&N.note, len);
  N.note.len = len;
  memcpy(N.note.at, p, len * sizeof *N.note.at);
  return p + len * sizeof *N.note.at;
}

bool fl__race_check_invariants(void) {
  for (uint32_t i = 0; i < N.note.len; i++) {
    const struct race_note *a = &N.note.at[i];
    uint32_t same = 0;
    for (uint32_t k = N.first[chain_of(a->granule)]; k;
         k = N.note.at[k - 1].next) {
      const struct race_note *b = &N.note.at[k - 1];
      same += a->granule == b->granule && a->offset == b->offset &&
              a->size == b->size && a->thread == b->thread &&
              a->class == b->class;
    }
    assert(same == 1); /* D3 */
  }
  return true;
}

/* ---- digest ---- */

/* Threads that may still meet a note, or hand over what they know. */
static uint32_t observers(void) {
  bool own = E.client && E.live.nfibers == E.client->nthreads + 1;
  uint32_t all = 0;
  for (uint32_t t = own; t < E.live.nfibers; t++)
    if (!own || E.fiber[t].status != FIBER_DONE)
      all |= 1u << t;
  return all;
}

static struct {
  uint32_t least[RT_MAX_THREADS];       /* epochs that all observers know of */
  VEC(uint32_t) epochs[RT_MAX_THREADS]; /* of notes above, in order */
} D;

static void take_least(uint32_t all) {
  for (uint32_t u = 0; u < E.live.nfibers; u++) {
    D.least[u] = UINT32_MAX;
    for (uint32_t left = all & ~(1u << u); left; left &= left - 1) {
      uint32_t e = fl__order_clock(__builtin_ctz(left))->at[u];
      if (e < D.least[u])
        D.least[u] = e;
    }
    vec_clear(&D.epochs[u]);
  }
}

static bool matters(const struct race_note *n) {
  return n->epoch > D.least[n->thread];
}

static void take_epochs(void) {
  for (uint32_t i = 0; i < N.note.len; i++) {
    const struct race_note *n = &N.note.at[i];
    if (!matters(n))
      continue;
    uint32_t u = n->thread, k = D.epochs[u].len;
    vec_push(&D.epochs[u], n->epoch);
    for (; k && D.epochs[u].at[k - 1] >= n->epoch; k--) {
      if (D.epochs[u].at[k - 1] == n->epoch) { /* is there already */
        for (; k < D.epochs[u].len - 1; k++)
          D.epochs[u].at[k] = D.epochs[u].at[k + 1];
        D.epochs[u].len--;
        break;
      }
      D.epochs[u].at[k] = D.epochs[u].at[k - 1];
      D.epochs[u].at[k - 1] = n->epoch;
    }
  }
}

/* How many of u's epochs with notes are known up to `epoch`. */
static uint32_t rank(uint32_t u, uint32_t epoch) {
  uint32_t n = 0;
  while (n < D.epochs[u].len && D.epochs[u].at[n] <= epoch)
    n++;
  return n;
}

struct race_sum {
  struct hash128 h;
};

static void add(struct race_sum *s, const void *p, size_t n) {
  struct hash128 h = hash128(p, n, 0);
  s->h.lo += h.lo;
  s->h.hi += h.hi;
}

/* Knowledge: nothing if it is not more than what all observers know. */
static void add_clock(struct race_sum *s, const uint64_t key[2],
                      const struct order_clock *c) {
  struct {
    uint64_t key[2];
    uint8_t rank[RT_MAX_THREADS];
  } r = {.key = {key[0], key[1]}};
  bool any = false;
  for (uint32_t u = 0; u < E.live.nfibers; u++)
    if (D.epochs[u].len)
      any |= (r.rank[u] = (uint8_t)rank(u, c->at[u])) != 0;
  if (any)
    add(s, &r, sizeof r);
}

static void add_view(void *ctx, uint64_t where, uint64_t what,
                     const struct order_clock *c) {
  const uint64_t key[2] = {where, what};
  add_clock(ctx, key, c);
}

struct hash128 fl__race_digest(void) {
  struct race_sum s = {0};
  uint32_t all = observers();
  if (!N.note.len)
    return s.h;
  take_least(all);
  take_epochs();
  bool any = false;
  for (uint32_t i = 0; i < N.note.len; i++) {
    const struct race_note *n = &N.note.at[i];
    if (!matters(n))
      continue;
    uint64_t words[3] = {n->granule,
                         (uint64_t)n->offset << 24 | (uint64_t)n->size << 16 |
                             (uint64_t)n->thread << 8 | n->class,
                         rank(n->thread, n->epoch)};
    add(&s, words, sizeof words);
    any = true;
  }
  if (!any)
    return s.h;
  for (uint32_t left = all; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctz(left);
    struct order_clock c = *fl__order_clock((int)t);
    c.at[t] = 0; /* its own is always the largest (O1) */
    add_view(&s, t, UINT64_MAX, &c);
  }
  fl__order_each_view(add_view, &s);
  return s.h;
}
