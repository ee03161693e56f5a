/*
 * Large memory is not copied whole.  When a client is prepared, the object's
 * data and the main thread's arena are looked at: an area larger than LARGE is
 * kept once as it is then and made read-only, and a page joins the list of
 * pages to copy when it is first written to (the fault is ours).  A snapshot
 * holds the pages of the list; restoring takes the others, which joined later,
 * from the copy.
 *
 * Limit: a system call that writes into such memory fails with EFAULT instead
 * of dirtying the page; the C library's buffers are not affected.
 *
 * (P1) a page of an area is writable if and only if it is in the list, and it
 *      is there once.
 * (P2) the list only grows while a client is prepared.
 */
#include "rt/engine.h"
#include "rt/snapshot.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = PORT_PAGE, LARGE = 64 << 10, PART = 256, SPARSE = 256 << 10 };

struct paged_area {
  uint64_t lo, hi;   /* whole pages; lo == hi: it is copied whole */
  uint8_t *first;    /* as it was when the client was prepared */
  uint8_t *listed;   /* by page */
  uint32_t *list, n; /* page numbers */
};

static struct paged_area areas[2]; /* the data, arena 0 */
static uint8_t *first_data;        /* the data then, if it is copied whole */

static void begin(struct paged_area *r, uint64_t base, uint64_t size) {
  assert(r->lo == r->hi); /* fl__pages_end */
  r->n = 0;
  r->lo = r->hi = 0;
  uint64_t lo = (base + PAGE - 1) / PAGE * PAGE;
  uint64_t hi = (base + size) / PAGE * PAGE;
  if (size <= LARGE || lo >= hi)
    return;
  uint64_t pages = (hi - lo) / PAGE;
  r->first = xrealloc(r->first, hi - lo);
  r->listed = xrealloc(r->listed, pages);
  r->list = xrealloc(r->list, pages * sizeof *r->list);
  memcpy(r->first, (void *)lo, hi - lo);
  memset(r->listed, 0, pages);
  if (mprotect((void *)lo, hi - lo, PROT_READ))
    return; /* it is copied whole, then */
  r->lo = lo;
  r->hi = hi;
}

void fl__pages_begin(void) {
  begin(&areas[PAGES_DATA], E.data_lo, E.data_span);
  begin(&areas[PAGES_ARENA], HEAP_BASE, E.live.arena_used[0]);
  if (areas[PAGES_DATA].lo == areas[PAGES_DATA].hi) {
    first_data = xrealloc(first_data, E.data_span + 1);
    memcpy(first_data, (void *)E.data_lo, E.data_span);
  }
}

void fl__pages_end(void) {
  for (int i = 0; i < 2; i++) {
    struct paged_area *r = &areas[i];
    if (r->lo < r->hi)
      mprotect((void *)r->lo, r->hi - r->lo, PROT_READ | PROT_WRITE);
    r->lo = r->hi = 0;
    r->n = 0;
  }
}

bool fl__pages_touch(uint64_t addr) {
  for (int i = 0; i < 2; i++) {
    struct paged_area *r = &areas[i];
    if (addr < r->lo || addr >= r->hi)
      continue;
    uint32_t page = (uint32_t)((addr - r->lo) / PAGE);
    if (r->listed[page])
      return false;
    assert(r->n < (r->hi - r->lo) / PAGE); /* P1 */
    r->listed[page] = 1;
    r->list[r->n++] = page;
    if (mprotect((void *)(r->lo + (uint64_t)page * PAGE), PAGE,
                 PROT_READ | PROT_WRITE))
      die("a page of the program's data stays read-only");
    return true;
  }
  return false;
}

bool fl__pages_overlap(uint64_t lo, uint64_t hi) {
  const struct paged_area *r = &areas[PAGES_ARENA];
  return lo < r->hi && r->lo < hi;
}

/* ---- memory with many zeros ---- */

static const uint8_t zeros[PAGE];

enum { CHUNK = 2048, HELD = 62 /* present or swapped, in a page's entry */ };

struct page_reader {
  uint64_t from;       /* page 0 */
  uint32_t n;          /* pages */
  uint32_t begin, end; /* those that `entry` is of */
  uint64_t entry[CHUNK];
};

/* Which pages were never written to since they were mapped or given back?  To
 * read them would make the system map each. */
static void ask_system(struct page_reader *l, uint32_t first) {
  uint32_t n = l->n - first < CHUNK ? l->n - first : CHUNK;
  uint64_t at = l->from + (uint64_t)first * PAGE;
  int fd = at % PAGE ? -1 : open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? 0
                       : pread(fd, l->entry, n * sizeof *l->entry,
                               (off_t)(at / PAGE * sizeof *l->entry));
  for (uint32_t i = got > 0 ? (uint32_t)got / 8 : 0; i < n; i++)
    l->entry[i] = UINT64_MAX;
  if (fd >= 0)
    close(fd);
  l->begin = first;
  l->end = first + n;
}

static bool holds_zeros(struct page_reader *l, uint32_t page) {
  assert(page < l->n);
  if (page >= l->end)
    ask_system(l, page);
  return !(l->entry[page - l->begin] >> HELD) ||
         !memcmp((void *)(l->from + (uint64_t)page * PAGE), zeros, PAGE);
}

/* Pages that hold zeros are left out (heap.c, H4): for each of the others its
 * number and its bytes, then a number that no page has, then the rest. */
void fl__pages_put(struct snapshot *s, uint64_t from, uint64_t to) {
  if (from >= to)
    return;
  if (LIKELY(to - from <= SPARSE)) {
    fl__snapshot_put(s, (void *)from, to - from);
    return;
  }
  struct page_reader l;
  l.from = from;
  l.n = (uint32_t)((to - from) / PAGE);
  l.end = 0;
  for (uint32_t i = 0; i < l.n; i++, from += PAGE)
    if (!holds_zeros(&l, i)) {
      fl__snapshot_put(s, &i, sizeof i);
      fl__snapshot_put(s, (void *)from, PAGE);
    }
  fl__snapshot_put(s, &l.n, sizeof l.n);
  fl__snapshot_put(s, (void *)from, to - from);
}

const uint8_t *fl__pages_get(const uint8_t *p, uint64_t from, uint64_t to) {
  if (from >= to)
    return p;
  if (UNLIKELY(to - from > SPARSE)) {
    struct page_reader l;
    l.from = from;
    l.n = (uint32_t)((to - from) / PAGE);
    l.end = 0;
    uint32_t next;
    for (uint32_t i = 0; i < l.n; i++, from += PAGE) {
      memcpy(&next, p, sizeof next);
      assert(next >= i && next <= l.n);
      if (next == i) {
        memcpy((void *)from, p + sizeof next, PAGE);
        p += sizeof next + PAGE;
      } else if (!holds_zeros(&l, i)) {
        memset((void *)from, 0, PAGE);
      }
    }
    p += sizeof next;
  }
  memcpy((void *)from, p, to - from);
  return p + (to - from);
}

void fl__pages_save(enum pages_area which, struct snapshot *s, uint64_t base,
                    uint64_t size) {
  struct paged_area *r = &areas[which];
  if (LIKELY(r->lo == r->hi)) {
    fl__pages_put(s, base, base + size);
    return;
  }
  fl__pages_put(s, base, r->lo);
  fl__pages_put(s, r->hi, base + size);
  fl__snapshot_put(s, &r->n, sizeof r->n);
  for (uint32_t i = 0; i < r->n; i++)
    fl__snapshot_put(s, (void *)(r->lo + (uint64_t)r->list[i] * PAGE), PAGE);
}

/* Much of the data is never written to: only the changed parts, and where they
 * are. */
static void digest_data(struct snapshot *s, uint64_t base, uint64_t size) {
  uint64_t at = 0;
  for (; at < size; at += PART) {
    uint64_t n = size - at < PART ? size - at : PART;
    if (memcmp((void *)(base + at), first_data + at, n)) {
      fl__snapshot_put(s, &at, sizeof at);
      fl__snapshot_put(s, (void *)(base + at), n);
    }
  }
  fl__snapshot_put(s, &at, sizeof at);
}

/* The list's order and length differ from process to process, and with what
 * was run before: only pages that were changed count, in any order. */
void fl__pages_digest(enum pages_area which, struct snapshot *s, uint64_t base,
                      uint64_t size) {
  const struct paged_area *r = &areas[which];
  if (LIKELY(r->lo == r->hi)) {
    if (which == PAGES_DATA)
      digest_data(s, base, size);
    else
      fl__pages_put(s, base, base + size);
    return;
  }
  fl__pages_put(s, base, r->lo);
  fl__pages_put(s, r->hi, base + size);
  struct hash128 sum = {0, 0};
  for (uint32_t i = 0; i < r->n; i++) {
    uint64_t at = (uint64_t)r->list[i] * PAGE;
    const void *now = (const void *)(r->lo + at);
    if (!memcmp(now, r->first + at, PAGE))
      continue;
    struct hash128 h = hash128(now, PAGE, at + 1);
    sum.lo += h.lo;
    sum.hi += h.hi;
  }
  fl__snapshot_put(s, &sum, sizeof sum);
}

const uint8_t *fl__pages_restore(enum pages_area which, const uint8_t *p,
                                 uint64_t base, uint64_t size) {
  struct paged_area *r = &areas[which];
  if (LIKELY(r->lo == r->hi))
    return fl__pages_get(p, base, base + size);
  p = fl__pages_get(p, base, r->lo);
  p = fl__pages_get(p, r->hi, base + size);
  uint32_t n;
  memcpy(&n, p, sizeof n);
  p += sizeof n;
  assert(n <= r->n); /* P2 */
  for (uint32_t i = 0; i < r->n; i++) {
    uint64_t at = (uint64_t)r->list[i] * PAGE;
    memcpy((void *)(r->lo + at), i < n ? p : r->first + at, PAGE);
    p += i < n ? PAGE : 0;
  }
  return p;
}

bool fl__pages_check_invariants(void) {
  for (int i = 0; i < 2; i++) {
    const struct paged_area *r = &areas[i];
    uint32_t listed = 0;
    for (uint64_t k = 0; k < (r->hi - r->lo) / PAGE; k++)
      listed += r->listed[k];
    assert(listed == r->n); /* P1 */
    for (uint32_t k = 0; k < r->n; k++)
      assert(r->listed[r->list[k]]);
  }
  return true;
}
