/*
 * The heap of the code under test.
 *
 * A block: a header of two granules (16 bytes each), the user's bytes rounded
 * up to granules, one granule of red zone.  A shadow byte for each granule
 * tells how many of its bytes may be touched.
 *
 * (H1) shadow: 0 never allocated or red zone; 1 … 16 that many live bytes;
 *      FREED | n; HEAD and HEAD2 for a header.
 * (H2) under quarantine freed memory is never given out again in an execution,
 *      and must not be touched; under reuse, the block that a thread freed last
 *      is the first that it gets for the same size class, as with the C
 *      library's thread cache, and touching freed memory is no fault: code
 *      that reads it and then finds out (or does not: ABA) is the point.
 * (H3) large blocks are the exception to H2: when a thread has freed more than
 *      KEPT bytes of its own in them, it gets the one again that it freed
 *      first (under reuse: last).  Blocks that other threads freed it never
 *      gets: that would depend on the interleaving.
 * (H4) very large blocks hold zeros at first, and freed ones do again, in pages
 *      that take no memory: nobody fills, copies or compares them.
 */
#include "rt/heap.h"

#include "rt/reference_int.h"

#include "rt/snapshot.h"

#include "base/slow.h"

#include <string.h>
#include <sys/mman.h>

enum {
  GRANULE = HEAP_GRANULE,
  FREED = 0x40,
  HEAD = 0x80,
  HEAD2 = 0x81,
  FILL = 0xbe
};
enum {
  PAGE = PORT_PAGE,
  LARGE = 4096,
  VERY_LARGE = 256 << 10,
  KEPT = 16 << 20
};
#define MOST_BYTES (2ull << 30) /* of all arenas: a state fits 32 bits */

struct block_header {
  uint32_t size, elem;
  uint32_t alloc_pc, free_pc; /* module offsets */
  uint32_t alloc_chain;
  uint32_t link;          /* reuse: the next freed block, in granules, or 0;
                             large: its thread's frees of such before it */
  uint16_t call, ordinal; /* client call + 1 that allocated it */
  uint8_t alloc_thread, free_thread;
  uint8_t live;
  uint8_t room; /* reuse: size class + 1, or 0: too large */
};
_Static_assert(sizeof(struct block_header) == 2 * GRANULE, "two granules");

#define SHADOW(addr) (((uint8_t *)SHADOW_BASE)[((addr)-HEAP_BASE) / GRANULE])

static struct block_header *header_of(uint64_t user) {
  return (struct block_header *)(user - sizeof(struct block_header));
}

/* The header that a shadow byte stands for; NULL: none. */
static struct block_header *header_at(const uint8_t *shadow) {
  uint64_t at = (uint64_t)(uintptr_t)shadow - SHADOW_BASE;
  return shadow ? (struct block_header *)(HEAP_BASE + at * GRANULE) : NULL;
}

/* Under reuse a thread also gets the blocks of others that it has freed. */
static uint32_t arena_of(uint64_t addr) {
  return (uint32_t)((addr - HEAP_BASE) / ARENA_SIZE);
}

static void reserve(uint64_t at, uint64_t size) {
  void *p = mmap(
      (void *)at, size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != (void *)at)
    die("cannot reserve memory for the code under test");
}

void fl__heap_open(void) {
  reserve(HEAP_BASE, HEAP_SPAN);
  reserve(SHADOW_BASE, HEAP_SPAN / GRANULE);
}

bool fl__heap_check(uint64_t addr, uint64_t size) {
  check_slow(addr - HEAP_BASE < HEAP_SPAN);
  uint64_t in = addr % GRANULE;
  uint8_t s = SHADOW(addr);
  if (LIKELY(in + size <= GRANULE))
    return (uint8_t)(s - 1) < GRANULE && in + size <= s;
  if (s != GRANULE || size > HEAP_SPAN)
    return false;
  uint64_t end = addr + size;
  for (addr += GRANULE - in; addr + GRANULE <= end; addr += GRANULE)
    if (SHADOW(addr) != GRANULE)
      return false;
  if (addr == end)
    return true;
  s = SHADOW(addr);
  return (uint8_t)(s - 1) < GRANULE && end - addr <= s;
}

static uint64_t round_up(uint64_t n, uint64_t to) {
  return (n + to - 1) / to * to;
}

static void paint(uint64_t user, uint64_t size, uint8_t flag) {
  assert(user % GRANULE == 0 && !(flag & ~FREED)); /* H1 */
  memset(&SHADOW(user), flag | GRANULE, size / GRANULE);
  if (size % GRANULE)
    SHADOW(user + size / GRANULE * GRANULE) = (uint8_t)(flag | size % GRANULE);
}

/* Size classes of the reuse policy: 1 … FREE_LISTS granules. */
static uint32_t class_of(uint64_t size, uint64_t align) {
  uint64_t granules = size ? (size + GRANULE - 1) / GRANULE : 1;
  return align <= GRANULE && granules <= FREE_LISTS ? (uint32_t)granules : 0;
}

static uint64_t take_freed(int t, uint32_t class) {
  assert(E.options.reuse && class && class <= FREE_LISTS); /* H2 */
  uint64_t *head = &E.fiber[t].free_list[class - 1];
  uint64_t user = *head;
  if (user) {
    uint32_t link = header_of(user)->link;
    *head = link ? HEAP_BASE + (uint64_t)link * GRANULE : 0;
  }
  return user;
}

/* ---- large blocks ---- */

/* The first header at `at` or behind it, or NULL. */
static struct block_header *next_header(int t, uint64_t at) {
  uint64_t end = fl__arena_base((uint32_t)t) + E.live.arena_used[t];
  uint8_t *s =
      at < end ? memchr(&SHADOW(at), HEAD, (end - at) / GRANULE) : NULL;
  return header_at(s);
}

static struct block_header *first_header(int t) {
  return next_header(t, fl__arena_base((uint32_t)t));
}
static struct block_header *following(int t, const struct block_header *h) {
  return next_header(t, (uint64_t)(h + 1) + h->size);
}

static bool is_own_large(int t, const struct block_header *h) {
  return !h->live && h->size >= LARGE && h->alloc_thread == t &&
         h->free_thread == t;
}

/* What a block has room for: up to the next one's header and the red zone. */
static uint64_t room_of(int t, const struct block_header *h) {
  const struct block_header *next = following(t, h);
  uint64_t end = next ? (uint64_t)next
                      : fl__arena_base((uint32_t)t) + E.live.arena_used[t];
  return end - (uint64_t)(h + 1) - GRANULE;
}

/* Zeros; whole pages of them are given back to the system, unless they are
 * copied by the page (pages.c), where a change must be seen. */
static void fill_zero(uint64_t from, uint64_t to) {
  assert(from <= to && from >= HEAP_BASE && to <= HEAP_BASE + HEAP_SPAN);
  uint64_t lo = round_up(from, PAGE), hi = to / PAGE * PAGE;
  if (lo >= hi || fl__pages_overlap(lo, hi) ||
      madvise((void *)lo, hi - lo, MADV_DONTNEED)) {
    memset((void *)from, 0, to - from);
    return;
  }
  memset((void *)from, 0, lo - from);
  memset((void *)hi, 0, to - hi);
}

static uint64_t take_large(int t, uint64_t size, uint64_t align) {
  struct block_header *best = NULL;
  struct fiber_state *f = &E.fiber[t];
  if (size < LARGE || f->kept < (E.options.reuse ? 1 : KEPT))
    return 0;
  for (struct block_header *h = first_header(t); h; h = following(t, h))
    if (is_own_large(t, h) && (uint64_t)(h + 1) % align == 0 &&
        room_of(t, h) >= round_up(size, GRANULE) &&
        (!best ||
         (E.options.reuse ? h->link > best->link : h->link < best->link)))
      best = h;
  if (!best)
    return 0;
  assert(best->alloc_thread == t && best->free_thread == t); /* H3 */
  uint64_t user = (uint64_t)(best + 1), room = room_of(t, best);
  f->kept -= best->size < f->kept ? best->size : f->kept;
  /* Behind the new block nothing is left of the old one. */
  uint64_t end = round_up(size, GRANULE);
  memset(&SHADOW(user + end), 0, (room - end) / GRANULE);
  fill_zero(user + end, user + room);
  return user;
}

static void keep_large(int t, struct block_header *h) {
  struct fiber_state *f = &E.fiber[t];
  uint64_t user = (uint64_t)(h + 1);
  if (is_own_large(t, h)) {
    h->link = f->large_frees++;
    f->kept += h->size;
  }
  if (!E.options.reuse && h->size >= VERY_LARGE)
    fill_zero(user, user + h->size);
}

static uint64_t all_used(void) {
  uint64_t sum = 0;
  for (uint32_t left = E.live.arenas; left; left &= left - 1)
    sum += E.live.arena_used[__builtin_ctz(left)];
  return sum;
}

/* ---- allocating and freeing ---- */

static uint64_t take_fresh(int t, uint64_t size, uint64_t align) {
  check_slow(E.live.arena_used[t] % GRANULE == 0);
  uint64_t arena = fl__arena_base((uint32_t)t);
  uint64_t user =
      round_up(arena + E.live.arena_used[t] + sizeof(struct block_header),
               align < GRANULE ? GRANULE : align);
  uint64_t end = user + round_up(size ? size : 1, GRANULE) + GRANULE;
  if (end > arena + ARENA_SIZE ||
      (size >= LARGE && all_used() + size > MOST_BYTES))
    return 0;
  memset((void *)(arena + E.live.arena_used[t]), 0,
         user - (arena + E.live.arena_used[t]));
  memset((void *)(end - GRANULE), 0, GRANULE); /* equal states, equal bytes */
  assert(end - arena <= ARENA_SIZE && end % GRANULE == 0);
  E.live.arena_used[t] = end - arena;
  E.live.arenas |= 1u << t;
  return user;
}

static uint64_t take(int t, uint64_t size, uint64_t align) {
  uint32_t class = E.options.reuse ? class_of(size, align) : 0;
  uint64_t user = class ? take_freed(t, class) : take_large(t, size, align);
  return user ? user : take_fresh(t, class ? class * GRANULE : size, align);
}

/* No machine has so much: malloc of the C library returns NULL. */
static bool is_absurd(uint64_t size, uint64_t align) {
  return size >= 1ull << 47 || align >= 1ull << 47;
}

void *fl__alloc(uint64_t size, uint64_t align, uint64_t elem, bool zero,
                uint64_t pc) {
  if (is_absurd(size, align))
    return NULL;
  if (UNLIKELY(E.reference)) {
    void *p = fl__reference_alloc(size, align);
    if (!p)
      fl__reference_fails(pc, "it needs more than %u MB of memory",
                          (unsigned)(REFERENCE_SIZE >> 20));
    return p;
  }
  int t = E.in_fiber ? E.cur : 0;
  struct fiber_state *f = &E.fiber[t];
  uint64_t user = size < ARENA_SIZE && align < ARENA_SIZE
                      ? take(t, size, align < GRANULE ? GRANULE : align)
                      : 0;
  if (!user)
    fl__refuse(pc,
               "an allocation of %llu bytes does not fit the heap, which has "
               "%u MB for each thread and %u MB for all",
               (unsigned long long)size, (unsigned)(ARENA_SIZE >> 20),
               (unsigned)(MOST_BYTES >> 20));
  struct block_header *h = header_of(user);
  assert(user % GRANULE == 0 && user % align == 0);
  assert(arena_of(user) == (uint32_t)t || E.options.reuse); /* H2 */
  *h = (struct block_header){
      .size = (uint32_t)size,
      .elem = (uint32_t)elem,
      .alloc_pc = (uint32_t)(pc - E.base),
      .alloc_chain =
          E.shadowing & SHADOW_CHAINS && E.in_fiber ? fl__chain(t) : 0,
      .call = f->call == EVENT_NO_CALL ? 0 : (uint16_t)(f->call + 1),
      .ordinal = (uint16_t)f->allocs++,
      .alloc_thread = (uint8_t)t,
      .live = 1,
      .room = (uint8_t)class_of(size, align),
  };
  SHADOW((uint64_t)h) = HEAD;
  SHADOW((uint64_t)h + GRANULE) = HEAD2;
  /* Uninitialised memory has the same bytes in every execution. */
  if (size < VERY_LARGE)
    memset((void *)user, zero ? 0 : FILL, round_up(size ? size : 1, GRANULE));
  else
    fill_zero(user, user + round_up(size, GRANULE)); /* H4 */
  if (!size)
    SHADOW(user) = 0;
  paint(user, size, 0);
  if (E.recording)
    fl__record_alloc((void *)user, size, elem, pc);
  return (void *)user;
}

/* The header of the block that an address lies in or next to, or NULL. */
static struct block_header *find(uint64_t addr) {
  assert(addr - HEAP_BASE < HEAP_SPAN);
  uint64_t at = addr / GRANULE * GRANULE;
  uint64_t arena = fl__arena_base(arena_of(addr));
  uint64_t used = E.live.arena_used[arena_of(addr)];
  if (at >= arena + used)
    at = used ? arena + used - GRANULE : arena;
  uint8_t *s = memrchr(&SHADOW(arena), HEAD, (at - arena) / GRANULE + 1);
  return header_at(s);
}

static void info(const struct block_header *h, struct block_info *out) {
  *out = (struct block_info){.base = (uint64_t)(h + 1),
                             .size = h->size,
                             .elem = h->elem,
                             .alloc_pc = h->alloc_pc,
                             .free_pc = h->free_pc,
                             .alloc_chain = h->alloc_chain,
                             .alloc_call = h->call,
                             .alloc_thread = h->alloc_thread,
                             .free_thread = h->free_thread,
                             .live = h->live};
}

void fl__heap_each(int t, void (*each)(const struct block_info *, void *),
                   void *ctx) {
  for (const struct block_header *h = first_header(t); h; h = following(t, h)) {
    struct block_info b;
    info(h, &b);
    each(&b, ctx);
  }
}

void fl__heap_forget_sites(int t, uint8_t *copy) {
  check_slow(fl__heap_check_invariants());
  uint64_t base = fl__arena_base((uint32_t)t);
  for (const struct block_header *h = first_header(t); h; h = following(t, h)) {
    struct block_header forgotten = *h;
    forgotten.alloc_pc = forgotten.free_pc = forgotten.alloc_chain = 0;
    memcpy(copy + ((uint64_t)h - base), &forgotten, sizeof forgotten);
  }
}

uint64_t fl__block_size(const void *p) {
  uint64_t addr = (uint64_t)(uintptr_t)p;
  if (!fl__in_heap(p) || addr % GRANULE ||
      SHADOW(addr - sizeof(struct block_header)) != HEAD)
    return 0;
  struct block_header *h = header_of(addr);
  return h->live ? h->size : 0;
}

static bool is_block_start(uint64_t addr) {
  return addr % GRANULE == 0 &&
         SHADOW(addr - sizeof(struct block_header)) == HEAD;
}

void fl__free(void *p, uint64_t pc) {
  uint64_t addr = (uint64_t)(uintptr_t)p;
  if (!is_block_start(addr))
    fl__fault(FAULT_BAD_FREE, pc, addr,
              "free of a pointer that is not the start of a block");
  struct block_header *h = header_of(addr);
  if (!h->live)
    fl__fault(FAULT_DOUBLE_FREE, pc, addr, "the block was freed before");
  int t = E.in_fiber ? E.cur : 0;
  if (E.recording)
    fl__record_free(p, pc);
  h->live = 0;
  h->free_pc = (uint32_t)(pc - E.base);
  h->free_thread = (uint8_t)t;
  if (h->size >= LARGE)
    keep_large(t, h);
  if (!E.options.reuse)
    paint(addr, h->size, FREED);
  else if (h->room) {
    uint64_t *head = &E.fiber[t].free_list[h->room - 1];
    h->link = *head ? (uint32_t)((*head - HEAP_BASE) / GRANULE) : 0;
    *head = addr;
  }
}

void fl__heap_fault(uint64_t addr, uint64_t size, bool write, uint64_t pc) {
  assert(!fl__heap_check(addr, size));
  const char *verb = write ? "writes" : "reads", *s = size == 1 ? "" : "s";
  unsigned long long n = size;
  uint64_t bad = addr;
  while (bad < addr + size && fl__heap_check(bad, 1))
    bad++;
  if (SHADOW(bad) & FREED) {
    fl__fill_fault(FAULT_USE_AFTER_FREE, pc, bad,
                   "%s %llu byte%s of freed memory", verb, n, s);
    return;
  }
  struct block_header *h = find(bad);
  uint64_t user = (uint64_t)(h + 1);
  if (!h)
    fl__fill_fault(FAULT_OUT_OF_BOUNDS, pc, bad,
                   "%s heap memory never allocated", verb);
  else if (bad < user)
    fl__fill_fault(FAULT_OUT_OF_BOUNDS, pc, user,
                   "%s %llu byte%s, starting %llu before a block of %u bytes",
                   verb, n, s, (unsigned long long)(user - bad), h->size);
  else
    fl__fill_fault(FAULT_OUT_OF_BOUNDS, pc, user,
                   "%s %llu byte%s at offset %llu of a block of %u bytes", verb,
                   n, s, (unsigned long long)(addr - user), h->size);
}

/* See model/value.h for the encoding. */
uint64_t fl__pointer_name(uint64_t p) {
  if (!p)
    return 0;
  if (p - HEAP_BASE < HEAP_SPAN) {
    struct block_header *h = find(p);
    if (h)
      return 1ull << 56 | (uint64_t)h->call << 40 | (uint64_t)h->ordinal << 24 |
             ((p - (uint64_t)(h + 1)) & 0xffffff);
  }
  uint64_t reference = fl__reference_name(p);
  if (reference)
    return reference;
  if (p - E.base < E.image_span)
    return 2ull << 56 | (p - E.base);
  return 3ull << 56 | (p & 0xffffffffffffull);
}

struct leaks {
  uint32_t count;
  uint64_t first, bytes;
};

static void count_live(const struct block_info *b, void *ctx) {
  struct leaks *l = ctx;
  if (!b->live || b->base - HEAP_BASE < E.loaded_used)
    return;
  if (!l->count++)
    l->first = b->base;
  l->bytes += b->size;
}

uint32_t fl__heap_live(uint64_t *first_addr, uint64_t *bytes) {
  struct leaks l = {0};
  for (int t = 0; t < RT_MAX_THREADS; t++)
    fl__heap_each(t, count_live, &l);
  *first_addr = l.first;
  *bytes = l.bytes;
  return l.count;
}

/* ---- invariants ---- */

/* The shadow of a block's bytes: live ones, or freed ones that must not be
 * touched. */
static uint8_t shadow_of(const struct block_header *h, uint64_t at) {
  uint8_t flag = h->live || E.options.reuse ? 0 : FREED;
  uint64_t left = at < h->size ? h->size - at : 0;
  return left ? flag | (uint8_t)(left < GRANULE ? left : GRANULE) : 0;
}

static void check_block(int t, const struct block_header *h) {
  uint64_t user = (uint64_t)(h + 1);
  assert(SHADOW((uint64_t)h) == HEAD && SHADOW(user - GRANULE) == HEAD2);
  assert((h->alloc_thread == t || E.options.reuse) && h->live <= 1); /* H2 */
  uint64_t end = user + room_of(t, h) + GRANULE;
  assert(end <= fl__arena_base((uint32_t)t) + E.live.arena_used[t]);
  assert(h->size + GRANULE <= end - user);
  for (uint64_t at = user; at < end; at += GRANULE)
    assert(SHADOW(at) == shadow_of(h, at - user)); /* H1 */
}

bool fl__heap_check_invariants(void) {
  for (uint32_t left = E.live.arenas; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    assert(E.live.arena_used[t] % GRANULE == 0);
    for (const struct block_header *h = first_header(t); h; h = following(t, h))
      check_block(t, h);
  }
  return true;
}
