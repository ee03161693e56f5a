/* The clocks of threads, and the table of views (order.h). */
#include "rt/order.h"

#include "rt/channel.h"
#include "rt/snapshot.h"

#include "base/slow.h"
#include "base/vec.h"

#include <string.h>

/* A place in the table.  Atomic locations have one for each granule of 8 bytes
 * that they lie in; an object that synchronises has size 0. */
struct order_place {
  uint64_t granule;
  uint8_t offset, size;
  uint16_t next; /* in its chain: index + 1 */
  struct order_clock view;
};

enum { CHAINS = 64, MOST_PLACES = UINT16_MAX - 1 };

static struct {
  struct order_clock clock[RT_MAX_THREADS];
  struct order_clock pending[RT_MAX_THREADS];  /* for an acquire fence */
  struct order_clock released[RT_MAX_THREADS]; /* by the last release fence */
  uint32_t fenced, waits; /* masks: `released`, `pending` are not empty */
  uint16_t first[CHAINS];
  VEC(struct order_place) place;
} O;

/* The step that is being made. */
static struct {
  bool there;
  uint8_t kind, order, fail_order;
  bool bare;   /* by an instruction without a hook */
  bool waits;  /* had a condition */
  bool shared; /* unlock: by a reader */
  int thread;
  uint64_t addr, size, other;
} making;

/* ---- clocks ---- */

static void join(struct order_clock *to, const struct order_clock *from) {
  for (uint32_t i = 0, n = E.live.nfibers; i < n; i++)
    if (from->at[i] > to->at[i])
      to->at[i] = from->at[i];
}

/* What t has done so far was handed over. */
static void next_epoch(int t) { O.clock[t].at[t]++; }

const struct order_clock *fl__order_clock(int t) { return &O.clock[t]; }

/* ---- the table ---- */

static uint32_t chain_of(uint64_t granule) {
  return (uint32_t)((granule * 0x9e3779b97f4a7c15u) >> 58) % CHAINS;
}

static bool overlaps(const struct order_place *p, uint32_t offset,
                     uint32_t size) {
  return p->offset < offset + size && offset < p->offset + p->size;
}

/* The index + 1 of the entry, or 0. */
static uint32_t find(uint64_t granule, uint32_t offset, uint32_t size) {
  uint32_t i = O.first[chain_of(granule)];
  while (i) {
    const struct order_place *p = &O.place.at[i - 1];
    if (p->granule == granule && p->offset == offset && p->size == size)
      break;
    i = p->next;
  }
  return i;
}

static struct order_place *make(uint64_t granule, uint32_t offset,
                                uint32_t size) {
  uint32_t i = find(granule, offset, size);
  if (i)
    return &O.place.at[i - 1];
  if (O.place.len == MOST_PLACES)
    die("more than %d locations have synchronised in an execution",
        MOST_PLACES);
  uint16_t *first = &O.first[chain_of(granule)];
  struct order_place p = {.granule = granule,
                          .offset = (uint8_t)offset,
                          .size = (uint8_t)size,
                          .next = *first};
  vec_push(&O.place, p);
  *first = (uint16_t)O.place.len;
  return &O.place.at[O.place.len - 1];
}

/* Where the index of entry i stands. */
static uint16_t *link_to(uint32_t i) {
  uint16_t *at = &O.first[chain_of(O.place.at[i].granule)];
  while (*at != i + 1)
    at = &O.place.at[*at - 1].next;
  return at;
}

/* The last entry takes its place. */
static void drop(uint32_t i) {
  *link_to(i) = O.place.at[i].next;
  uint32_t last = O.place.len - 1;
  if (i != last) {
    *link_to(last) = (uint16_t)(i + 1);
    O.place.at[i] = O.place.at[last];
  }
  O.place.len--;
}

/* The entries that overlap, but for an exact one when `keep`. */
static void drop_overlapping(uint64_t granule, uint32_t offset, uint32_t size,
                             bool keep) {
  uint32_t i = O.first[chain_of(granule)];
  while (i) {
    const struct order_place *p = &O.place.at[i - 1];
    uint32_t next = p->next;
    bool exact = p->offset == offset && p->size == size;
    if (p->granule == granule && overlaps(p, offset, size) &&
        !(keep && exact)) {
      drop(i - 1);
      i = O.first[chain_of(granule)]; /* entries have moved */
    } else {
      i = next;
    }
  }
}

/* Memory that is used for something else now. */
static void drop_range(uint64_t addr, uint64_t size) {
  for (uint32_t i = O.place.len; i--;) {
    uint64_t at = O.place.at[i].granule * 8 + O.place.at[i].offset;
    if (at - addr < size)
      drop(i);
  }
}

/* The pieces of [addr, addr + size) in granules. */
#define EACH_PIECE(addr, size, g, offset, n)                                   \
  for (uint64_t at_ = (addr), end_ = (addr) + (size), g = at_ / 8,             \
                offset = at_ % 8,                                              \
                n = end_ - at_ < 8 - offset ? end_ - at_ : 8 - offset;         \
       at_ < end_; at_ += n, g = at_ / 8, offset = at_ % 8,                    \
                n = end_ - at_ < 8 - offset ? end_ - at_ : 8 - offset)

/* ---- rules ---- */

void fl__order_read_view(int t, const struct order_clock *view, int order) {
  if (fl__order_acquires(order)) {
    join(&O.clock[t], view);
    return;
  }
  join(&O.pending[t], view);
  O.waits |= 1u << t;
}

void fl__order_write_view(int t, int order, bool rmw,
                          struct order_clock *view) {
  if (!rmw)
    memset(view, 0, sizeof *view);
  if (fl__order_releases(order)) {
    join(view, &O.clock[t]);
    next_epoch(t);
  } else if (O.fenced >> t & 1) {
    join(view, &O.released[t]);
  }
}

static void atomic_read(int t, uint64_t addr, uint64_t size, int order) {
  if (!O.place.len)
    return;
  EACH_PIECE(addr, size, g, offset, n) {
    for (uint32_t i = O.first[chain_of(g)]; i; i = O.place.at[i - 1].next) {
      const struct order_place *p = &O.place.at[i - 1];
      if (p->granule == g && overlaps(p, (uint32_t)offset, (uint32_t)n))
        fl__order_read_view(t, &p->view, order);
    }
  }
}

/* The view of the write that is there; one that wrote other bytes of it, too,
 * counts as well. */
static void view_before(uint64_t addr, uint64_t size, struct order_clock *out) {
  memset(out, 0, sizeof *out);
  EACH_PIECE(addr, size, g, offset, n) {
    for (uint32_t i = O.first[chain_of(g)]; i; i = O.place.at[i - 1].next) {
      const struct order_place *p = &O.place.at[i - 1];
      if (p->granule == g && overlaps(p, (uint32_t)offset, (uint32_t)n))
        join(out, &p->view);
    }
  }
}

static void atomic_write(int t, uint64_t addr, uint64_t size, int order,
                         bool rmw) {
  struct order_clock view;
  bool empty = !rmw && !fl__order_releases(order) && !(O.fenced >> t & 1);
  if (rmw)
    view_before(addr, size, &view);
  fl__order_write_view(t, order, rmw, &view);
  EACH_PIECE(addr, size, g, offset, n) {
    drop_overlapping(g, (uint32_t)offset, (uint32_t)n, !empty);
    if (!empty)
      make(g, (uint32_t)offset, (uint32_t)n)->view = view;
  }
}

static void plain_write(uint64_t addr, uint64_t size) {
  if (!O.place.len)
    return;
  if (size > 16) {
    for (uint32_t i = O.place.len; i--;) {
      const struct order_place *p = &O.place.at[i];
      if (p->size && p->granule * 8 + p->offset - addr < size)
        drop(i);
    }
    return;
  }
  EACH_PIECE(addr, size, g, offset, n)
  drop_overlapping(g, (uint32_t)offset, (uint32_t)n, false);
}

void fl__order_fence(int order) {
  fl__order_settle();
  int t = E.cur;
  if (fl__order_acquires(order) && O.waits >> t & 1)
    join(&O.clock[t], &O.pending[t]);
  if (fl__order_releases(order)) {
    O.released[t] = O.clock[t];
    O.fenced |= 1u << t;
    next_epoch(t);
  }
}

static void acquire(int t, uint64_t object) {
  uint32_t i = find(object / 8, object % 8, 0);
  if (i)
    join(&O.clock[t], &O.place.at[i - 1].view);
}

static void release(int t, uint64_t object) {
  join(&make(object / 8, object % 8, 0)->view, &O.clock[t]);
  next_epoch(t);
}

void fl__order_acquire(uint64_t object) {
  fl__order_settle();
  acquire(E.cur, object);
}

void fl__order_release(uint64_t object) {
  fl__order_settle();
  release(E.cur, object);
}

void fl__order_fork(int by, int t) {
  fl__order_settle();
  uint32_t before = O.clock[t].at[t];
  O.clock[t] = O.clock[by];
  if (O.clock[t].at[t] < before)
    O.clock[t].at[t] = before;
  next_epoch(t);
  next_epoch(by);
  memset(&O.pending[t], 0, sizeof O.pending[t]);
  O.fenced &= ~(1u << t);
  O.waits &= ~(1u << t);
}

void fl__order_join(int by, int t) {
  fl__order_settle();
  join(&O.clock[by], &O.clock[t]);
  next_epoch(t); /* O1 */
}

void fl__order_hidden(uint64_t addr, uint64_t size) {
  fl__order_settle();
  atomic_write(E.cur, addr, size, __ATOMIC_SEQ_CST, true);
}

/* ---- steps ---- */

/* Mutexes, spinlocks and writers have their owner in front. */
static bool unlocks_as_reader(const struct fiber_state *f) {
  uint16_t owner;
  memcpy(&owner, (const void *)f->addr, sizeof owner);
  return !owner;
}

void fl__order_making(int t) {
  const struct fiber_state *f = &E.fiber[t];
  fl__order_settle();
  making.there = true;
  making.thread = t;
  making.kind = f->kind;
  making.order = f->order;
  making.fail_order = f->fail_order;
  making.bare = f->bare;
  making.waits = f->can != NULL;
  making.addr = f->addr;
  making.size = f->size;
  making.other = f->other;
  making.shared = f->kind == EV_UNLOCK && unlocks_as_reader(f);
}

/* Readers of a reader-writer lock release to writers only. */
static uint64_t for_writers(uint64_t lock) { return lock + 1; }

static void descriptor(int t, uint8_t kind) {
  uint64_t addr = making.addr;
  bool all = making.size > sizeof(struct channel);
  for (uint32_t i = 0; all && i < O.place.len; i++) {
    const struct order_place *p = &O.place.at[i];
    uint64_t at = p->granule * 8 + p->offset;
    if (!p->size && at - addr < making.size)
      join(&O.clock[t], &p->view);
  }
  acquire(t, addr);
  if (kind != EV_FD_READ && kind != EV_FD_POLL)
    release(t, addr);
}

static void atomic(int t) {
  int order = making.bare ? __ATOMIC_ACQ_REL : making.order;
  uint64_t addr = making.addr, size = making.size;
  bool failed = making.kind == EV_CAS && E.fiber[t].failed;
  if (failed)
    order = making.bare ? __ATOMIC_ACQ_REL : making.fail_order;
  if (event_reads[making.kind])
    atomic_read(t, addr, size, order);
  if (event_writes[making.kind] && !failed)
    atomic_write(t, addr, size, order, event_reads[making.kind]);
}

static void synchronise(int t) {
  uint64_t addr = making.addr;
  bool failed = E.fiber[t].failed;
  switch (making.kind) {
  case EV_READ:
  case EV_WRITE:
    if (making.bare)
      atomic(t);
    else if (making.kind == EV_WRITE)
      plain_write(addr, making.size);
    break;
  case EV_ATOMIC_READ:
  case EV_ATOMIC_WRITE:
  case EV_RMW:
  case EV_CAS:
    atomic(t);
    break;
  case EV_FREE:
    drop_range(addr, making.size);
    break;
  case EV_TRYLOCK:
  case EV_WRLOCK:
    if (!failed) {
      acquire(t, addr);
      acquire(t, for_writers(addr));
    }
    break;
  case EV_LOCK:
  case EV_RDLOCK:
  case EV_SEM_WAIT:
    if (!failed)
      acquire(t, addr);
    break;
  case EV_UNLOCK:
    release(t, making.shared ? for_writers(addr) : addr);
    break;
  case EV_COND_WAIT:
    release(t, making.other);
    break;
  case EV_COND_WAKE:
    acquire(t, making.other);
    acquire(t, addr);
    break;
  case EV_WAIT_OVER:
  case EV_FUTEX_WOKEN:
    acquire(t, addr);
    break;
  case EV_SIGNAL:
  case EV_BROADCAST:
  case EV_SEM_POST:
  case EV_FUTEX_WAKE:
    release(t, addr);
    break;
  case EV_BARRIER:
    acquire(t, addr);
    release(t, addr);
    break;
  case EV_ONCE: /* to come there may mean to wait; to be done does not */
    if (making.waits)
      acquire(t, addr);
    else
      release(t, addr);
    break;
  case EV_FD_OPEN:
  case EV_FD_READ:
  case EV_FD_WRITE:
  case EV_FD_POLL:
  case EV_FD_CHANGE:
  case EV_FD_CLOSE:
    descriptor(t, making.kind);
    break;
  }
}

void fl__order_settle(void) {
  if (!making.there)
    return;
  making.there = false;
  synchronise(making.thread);
}

/* ---- state ---- */

bool rt_races(bool on) {
  bool was = E.races;
  assert(!E.in_fiber); /* R2 */
  E.races = on;
  return was;
}

void fl__order_begin(void) {
  memset(O.clock, 0, sizeof O.clock);
  memset(O.pending, 0, sizeof O.pending);
  memset(O.released, 0, sizeof O.released);
  memset(O.first, 0, sizeof O.first);
  O.fenced = O.waits = 0;
  vec_clear(&O.place);
  making.there = false;
  for (int t = 0; t < RT_MAX_THREADS; t++)
    O.clock[t].at[t] = 1;
}

static void put_clock(struct snapshot *s, const struct order_clock *c) {
  fl__snapshot_put(s, c->at, E.live.nfibers * sizeof *c->at);
}

static const uint8_t *get_clock(struct order_clock *c, const uint8_t *p) {
  size_t size = E.live.nfibers * sizeof *c->at;
  memcpy(c->at, p, size);
  return p + size;
}

void fl__order_save(struct snapshot *s) {
  uint32_t head[3] = {O.fenced, O.waits, O.place.len};
  assert(!making.there);
  fl__snapshot_put(s, head, sizeof head);
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    put_clock(s, &O.clock[t]);
  for (uint32_t left = O.waits; left; left &= left - 1)
    put_clock(s, &O.pending[__builtin_ctz(left)]);
  for (uint32_t left = O.fenced; left; left &= left - 1)
    put_clock(s, &O.released[__builtin_ctz(left)]);
  for (uint32_t i = 0; i < O.place.len; i++) {
    const struct order_place *p = &O.place.at[i];
    fl__snapshot_put(s, p, offsetof(struct order_place, view));
    put_clock(s, &p->view);
  }
}

const uint8_t *fl__order_load(const uint8_t *p) {
  uint32_t head[3], n = E.live.nfibers;
  memcpy(head, p, sizeof head);
  p += sizeof head;
  making.there = false;
  for (uint32_t t = 0; t < n; t++)
    p = get_clock(&O.clock[t], p);
  /* Threads that there are not yet know nothing. */
  for (uint32_t t = n; t < RT_MAX_THREADS; t++) {
    memset(&O.clock[t], 0, sizeof O.clock[t]);
    O.clock[t].at[t] = 1;
  }
  for (uint32_t left = O.waits & ~head[1]; left; left &= left - 1)
    memset(&O.pending[__builtin_ctz(left)], 0, sizeof *O.pending);
  O.fenced = head[0];
  O.waits = head[1];
  for (uint32_t left = O.waits; left; left &= left - 1)
    p = get_clock(&O.pending[__builtin_ctz(left)], p);
  for (uint32_t left = O.fenced; left; left &= left - 1)
    p = get_clock(&O.released[__builtin_ctz(left)], p);
  memset(O.first, 0, sizeof O.first);
  vec_clear(&O.place);
  for (uint32_t i = 0; i < head[2]; i++) {
    struct order_place at = {0};
    memcpy(&at, p, offsetof(struct order_place, view));
    p = get_clock(&at.view, p + offsetof(struct order_place, view));
    uint16_t *first = &O.first[chain_of(at.granule)];
    at.next = *first;
    vec_push(&O.place, at);
    *first = (uint16_t)O.place.len;
  }
  return p;
}

void fl__order_each_view(void (*each)(void *ctx, uint64_t where, uint64_t what,
                                      const struct order_clock *view),
                         void *ctx) {
  enum { PENDING = 1, RELEASED };
  for (uint32_t i = 0; i < O.place.len; i++) {
    const struct order_place *p = &O.place.at[i];
    each(ctx, p->granule * 8 + p->offset, p->size, &p->view);
  }
  for (uint32_t left = O.waits; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    each(ctx, (uint64_t)t, UINT64_MAX - PENDING, &O.pending[t]);
  }
  for (uint32_t left = O.fenced; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    each(ctx, (uint64_t)t, UINT64_MAX - RELEASED, &O.released[t]);
  }
}

bool fl__order_check_invariants(void) {
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    for (uint32_t u = 0; u < E.live.nfibers; u++)
      assert(u == t || O.clock[u].at[t] < O.clock[t].at[t]); /* O1 */
  for (uint32_t i = 0; i < O.place.len; i++) {
    const struct order_place *p = &O.place.at[i];
    assert(find(p->granule, p->offset, p->size) == i + 1); /* O2 */
    for (uint32_t t = 0; t < E.live.nfibers; t++)
      assert(p->view.at[t] < O.clock[t].at[t]); /* O1 */
  }
  return true;
}
