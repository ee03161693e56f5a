/*
 * Large memory is not copied whole.  When a client is prepared, the object's
 * data and the main thread's arena are looked at: what is larger than LARGE is
 * kept once as it is then, made read-only, and a page joins the list of pages
 * to copy when it is first written to (the fault is ours).  A snapshot holds
 * the pages of the list; restoring takes the others, which joined later, from
 * the copy.
 *
 * Limit: a system call that writes into such memory fails with EFAULT instead
 * of dirtying the page; the C library's buffers are not affected.
 *
 * (P1) a page is writable if and only if it is in the list.
 * (P2) the list only grows while a client is prepared.
 */
#include "rt/int.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LARGE = 64 << 10, PART = 256 };

struct region {
  uint64_t lo, hi;   /* whole pages; lo == hi: it is copied whole */
  uint8_t *first;    /* as it was when the client was prepared */
  uint8_t *listed;   /* by page */
  uint32_t *list, n; /* page numbers */
};

static struct region regions[2]; /* the data, arena 0 */
static uint8_t *first_data;      /* of data that is copied whole: the same */

static void begin(struct region *r, uint64_t base, uint64_t size) {
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
  begin(&regions[PAGES_DATA], E.data_lo, E.data_span);
  begin(&regions[PAGES_ARENA], HEAP_BASE, E.live.arena_used[0]);
  if (regions[PAGES_DATA].lo == regions[PAGES_DATA].hi) {
    first_data = xrealloc(first_data, E.data_span + 1);
    memcpy(first_data, (void *)E.data_lo, E.data_span);
  }
}

void fl__pages_end(void) {
  for (int i = 0; i < 2; i++) {
    struct region *r = &regions[i];
    if (r->lo < r->hi)
      mprotect((void *)r->lo, r->hi - r->lo, PROT_READ | PROT_WRITE);
    r->lo = r->hi = 0;
    r->n = 0;
  }
}

/* A write fault: was it ours?  Also called for what we write ourselves. */
bool fl__pages_touch(uint64_t addr) {
  for (int i = 0; i < 2; i++) {
    struct region *r = &regions[i];
    if (addr < r->lo || addr >= r->hi)
      continue;
    uint32_t page = (uint32_t)((addr - r->lo) / PAGE);
    if (r->listed[page])
      return false;
    r->listed[page] = 1;
    r->list[r->n++] = page;
    mprotect((void *)(r->lo + (uint64_t)page * PAGE), PAGE,
             PROT_READ | PROT_WRITE);
    return true;
  }
  return false;
}

static void copy_out(struct snapshot *s, uint64_t from, uint64_t to) {
  if (from < to)
    fl__snapshot_put(s, (void *)from, to - from);
}

void fl__pages_save(int which, struct snapshot *s, uint64_t base,
                    uint64_t size) {
  struct region *r = &regions[which];
  if (LIKELY(r->lo == r->hi)) {
    fl__snapshot_put(s, (void *)base, size);
    return;
  }
  copy_out(s, base, r->lo);
  copy_out(s, r->hi, base + size);
  fl__snapshot_put(s, &r->n, sizeof r->n);
  for (uint32_t i = 0; i < r->n; i++)
    fl__snapshot_put(s, (void *)(r->lo + (uint64_t)r->list[i] * PAGE), PAGE);
}

/* Much of the data is never written to: what was changed, and where. */
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
void fl__pages_digest(int which, struct snapshot *s, uint64_t base,
                      uint64_t size) {
  const struct region *r = &regions[which];
  if (LIKELY(r->lo == r->hi)) {
    if (which == PAGES_DATA)
      digest_data(s, base, size);
    else
      fl__snapshot_put(s, (void *)base, size);
    return;
  }
  copy_out(s, base, r->lo);
  copy_out(s, r->hi, base + size);
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

static const uint8_t *copy_in(const uint8_t *p, uint64_t from, uint64_t to) {
  if (from >= to)
    return p;
  memcpy((void *)from, p, to - from);
  return p + (to - from);
}

const uint8_t *fl__pages_restore(int which, const uint8_t *p, uint64_t base,
                                 uint64_t size) {
  struct region *r = &regions[which];
  if (LIKELY(r->lo == r->hi))
    return copy_in(p, base, base + size);
  p = copy_in(p, base, r->lo);
  p = copy_in(p, r->hi, base + size);
  uint32_t n;
  memcpy(&n, p, sizeof n);
  p += sizeof n;
  for (uint32_t i = 0; i < r->n; i++) {
    uint64_t at = (uint64_t)r->list[i] * PAGE;
    memcpy((void *)(r->lo + at), i < n ? p : r->first + at, PAGE);
    p += i < n ? PAGE : 0;
  }
  return p;
}
