/*
 * The heap of reference implementations: first fit by address, and free memory
 * is zero.  So what it looks like depends on the blocks that there are and on
 * little else: when a model has undone what it did, its state is often the same
 * bytes as before, which checkers live on.  No call is fast here, and no model
 * large.
 *
 * (Y1) blocks follow each other up to `used`; the last one is in use, and no
 *      two free ones are neighbours.
 * (Y2) bytes of free blocks and behind `used` are zero.
 */
#include "rt/reference_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { UNIT = 16 };

struct reference_block {
  uint32_t units; /* with this header, which is one */
  uint32_t size;
  uint16_t call, ordinal; /* as in model/value.h */
  uint32_t live;
};
_Static_assert(sizeof(struct reference_block) == UNIT, "one unit");

static struct {
  uint64_t used; /* bytes */
  uint32_t label, allocations;
  bool labels;
} heap;

static struct reference_block *block_at(uint64_t at) {
  return (struct reference_block *)at;
}
static uint64_t end(void) { return REFERENCE_BASE + heap.used; }

void fl__reference_heap_open(void) {
  void *p = mmap(
      (void *)REFERENCE_BASE, REFERENCE_SIZE, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != (void *)REFERENCE_BASE)
    die("cannot reserve memory for the reference implementation");
}

uint64_t fl__reference_used(void) { return heap.used; }

void fl__reference_set_used(uint64_t bytes) {
  if (bytes < heap.used)
    memset((void *)(REFERENCE_BASE + bytes), 0, heap.used - bytes); /* Y2 */
  heap.used = bytes;
}

void fl__reference_label(uint32_t label, bool labels) {
  heap.label = label;
  heap.labels = labels;
  heap.allocations = 0;
}

/* A live block of `units` in the room from `at` on, behind `lead` units. */
static void *carve(uint64_t at, uint32_t room, uint32_t lead, uint32_t units,
                   uint64_t size) {
  assert(lead + units <= room && units > 1);
  if (lead)
    *block_at(at) = (struct reference_block){.units = lead};
  at += (uint64_t)lead * UNIT;
  if (room > lead + units)
    *block_at(at + (uint64_t)units * UNIT) =
        (struct reference_block){.units = room - lead - units};
  struct reference_block *b = block_at(at);
  *b = (struct reference_block){
      .units = units, .size = (uint32_t)size, .live = 1};
  if (heap.labels) {
    b->call = (uint16_t)heap.label;
    b->ordinal = (uint16_t)heap.allocations++;
  }
  return b + 1;
}

/* Units before the header of a block at `at` whose bytes are aligned. */
static uint32_t lead_for(uint64_t at, uint64_t align) {
  uint64_t user = (at + UNIT + align - 1) / align * align;
  return (uint32_t)((user - UNIT - at) / UNIT);
}

void *fl__reference_alloc(uint64_t size, uint64_t align) {
  if (align < UNIT)
    align = UNIT;
  if (size >= REFERENCE_SIZE || align >= REFERENCE_SIZE)
    return NULL;
  uint32_t units = (uint32_t)(1 + (size ? size + UNIT - 1 : UNIT) / UNIT);
  for (uint64_t at = REFERENCE_BASE; at < end();
       at += (uint64_t)block_at(at)->units * UNIT) {
    const struct reference_block *b = block_at(at);
    uint32_t lead = lead_for(at, align);
    if (!b->live && (uint64_t)lead + units <= b->units)
      return carve(at, b->units, lead, units, size);
  }
  uint64_t at = end();
  uint32_t lead = lead_for(at, align);
  uint64_t more = ((uint64_t)lead + units) * UNIT;
  if (heap.used + more > REFERENCE_SIZE)
    return NULL;
  heap.used += more;
  return carve(at, lead + units, lead, units, size);
}

/* The block that has the address, and the one before it (0: there is none). */
static struct reference_block *find(uint64_t p, uint64_t *before) {
  uint64_t at = REFERENCE_BASE, last = 0;
  while (at < end()) {
    uint64_t next = at + (uint64_t)block_at(at)->units * UNIT;
    if (next <= at)
      return NULL; /* the model has overwritten it */
    if (p < next) {
      *before = last;
      return block_at(at);
    }
    last = at;
    at = next;
  }
  return NULL;
}

static struct reference_block *live_at(const void *p, uint64_t *before) {
  struct reference_block *b =
      fl__in_reference(p) ? find((uint64_t)(uintptr_t)p, before) : NULL;
  return b && b->live && b + 1 == p ? b : NULL;
}

uint64_t fl__reference_size(const void *p) {
  uint64_t before;
  const struct reference_block *b = live_at(p, &before);
  return b ? b->size : 0;
}

bool fl__reference_holds(uint64_t addr, uint64_t size) {
  uint64_t before;
  const struct reference_block *b = find(addr, &before);
  return b && b->live && addr >= (uint64_t)(b + 1) &&
         addr - (uint64_t)(b + 1) + size <= b->size;
}

void fl__reference_free(void *p, uint64_t pc) {
  uint64_t before = 0;
  struct reference_block *b = live_at(p, &before);
  if (!b)
    fl__reference_fails(pc, "it frees memory that it has not allocated");
  uint64_t at = (uint64_t)(uintptr_t)b;
  uint32_t units = b->units;
  memset(b, 0, (uint64_t)units * UNIT); /* Y2 */
  uint64_t next = at + (uint64_t)units * UNIT;
  if (next < end() && !block_at(next)->live) {
    units += block_at(next)->units;
    memset((void *)next, 0, UNIT);
  }
  if (before && !block_at(before)->live) {
    units += block_at(before)->units;
    memset((void *)before, 0, UNIT);
    at = before;
  }
  if (at + (uint64_t)units * UNIT == end()) /* Y1 */
    heap.used = at - REFERENCE_BASE;
  else
    block_at(at)->units = units;
}

/* The bytes first go away: one that grows and shrinks stays where it is. */
void *fl__reference_resize(void *old, uint64_t size, uint64_t pc) {
  uint64_t before, keep = fl__reference_size(old);
  if (!live_at(old, &before))
    fl__reference_fails(pc, "it resizes memory that it has not allocated");
  void *copy = memcpy(xmalloc(keep + 1), old, keep);
  fl__reference_free(old, pc);
  void *p = fl__reference_alloc(size, UNIT);
  if (p)
    memcpy(p, copy, keep < size ? keep : size);
  free(copy);
  if (!p)
    fl__reference_fails(pc, "it needs more than %u MB of memory",
                        (unsigned)(REFERENCE_SIZE >> 20));
  return p;
}

uint64_t fl__reference_name(uint64_t p) {
  uint64_t before;
  const struct reference_block *b =
      fl__in_reference((void *)p) ? find(p, &before) : NULL;
  if (!b || !b->live)
    return 0;
  return (uint64_t)VALUE_TAG_BLOCK << 56 | (uint64_t)b->call << 40 |
         (uint64_t)b->ordinal << 24 | ((p - (uint64_t)(b + 1)) & 0xffffff);
}
