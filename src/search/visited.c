/* The set of entered states: its levels, and how a slot is found and filled. */
#include "search/visited.h"

#include "base/err.h"
#include "rt/machine.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

enum {
  BUCKET = 4,        /* slots */
  SMALL_LEVELS = 2,  /* so many levels are cleared by writing zeros */
  MOST_BUCKETS = 64, /* of the last level, that one hash may be in */
  PAGE = 4096,
};

/*
 * A level that is begun soon touches all of its pages.  Where that is much
 * memory, levels grow by less: then a state takes at most some 80 bytes, and 20
 * when a level is full.
 */
static const struct {
  uint8_t bits, shift; /* number of slots; which bits of a hash it looks at */
} shape[VISITED_LEVELS] = {{10, 0}, {14, 8},  {18, 20}, {20, 36},
                           {22, 0}, {24, 20}, {26, 40}};
enum { FIRST_OF_HI = 4 };

static uint32_t slots(uint32_t level) { return 1u << shape[level].bits; }

static size_t bytes(uint32_t level) {
  return slots(level) * sizeof(struct hash128);
}

/* The last level is to be less than half full. */
static uint32_t levels_for(uint64_t states) {
  uint32_t n = 1;
  while (n < VISITED_LEVELS && (!states || slots(n - 1) / 2 < states))
    n++;
  return n;
}

size_t visited_span(uint64_t states) {
  size_t sum = 0;
  for (uint32_t i = 0; i < levels_for(states); i++)
    sum += bytes(i);
  return sum;
}

void visited_at(struct visited *v, void *memory, uint64_t states) {
  char *at = memory;
  assert((uintptr_t)memory % 16 == 0); /* machine_claim wants it */
  v->levels = levels_for(states);
  v->deepest = 0;
  v->own = false;
  for (uint32_t i = 0; i < v->levels; at += bytes(i++))
    v->level[i] = (struct hash128 *)at;
}

void visited_map(struct visited *v, uint64_t states) {
  void *p = mmap(NULL, visited_span(states), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    die("cannot reserve memory for states");
  visited_at(v, p, states);
  v->own = true;
}

void visited_unmap(struct visited *v) {
  size_t sum = 0;
  for (uint32_t i = 0; i < v->levels; i++)
    sum += bytes(i);
  if (v->levels)
    munmap(v->level[0], sum);
  v->levels = 0;
}

void visited_for(struct visited *v, uint64_t states) {
  if (v->levels >= levels_for(states))
    return;
  visited_unmap(v);
  visited_map(v, states);
}

static uint32_t bucket_of(struct hash128 h, uint32_t level) {
  uint64_t bits = (level < FIRST_OF_HI ? h.lo : h.hi) >> shape[level].shift;
  return (uint32_t)bits & (slots(level) / BUCKET - 1);
}

/* Puts `h` into a slot that was free (V1); false: another process was faster,
 * and *seen is the slot's hash. */
static inline bool claim(struct hash128 *slot, struct hash128 h,
                         struct hash128 *seen) {
  uint64_t had[2];
  bool done = machine_claim((uint64_t *)slot, (uint64_t[2]){h.lo, h.hi}, had);
  *seen = (struct hash128){had[0], had[1]};
  return done;
}

enum bucket_look { IS_THERE, IS_NEW, IS_FULL };

/*
 * A slot is filled by one write of 16 bytes.  A process that sees the first
 * half filled sees the second half too, if it reads that later: hence the
 * acquire, paired with the write of `claim`.
 */
static enum bucket_look look(struct hash128 *bucket, struct hash128 h,
                             uint32_t *at) {
  for (uint32_t i = 0; i < BUCKET; i++) {
    struct hash128 *slot = &bucket[i], seen;
    *at = i;
    seen.lo = __atomic_load_n(&slot->lo, __ATOMIC_ACQUIRE);
    if (!seen.lo) {
      if (claim(slot, h, &seen))
        return IS_NEW;
    } else if (seen.lo == h.lo) {
      seen.hi = __atomic_load_n(&slot->hi, __ATOMIC_RELAXED);
    } else {
      continue;
    }
    if (hash128_equal(seen, h))
      return IS_THERE;
  }
  return IS_FULL;
}

/* Fetches the buckets of all levels at once, not one after the other. */
static void fetch(const struct visited *v, struct hash128 h) {
  for (uint32_t i = SMALL_LEVELS; i <= v->deepest; i++)
    __builtin_prefetch(&v->level[i][bucket_of(h, i) * BUCKET]);
}

uint32_t visited_put(struct visited *v, struct hash128 h, bool *fresh) {
  uint32_t base = 0, at;
  h.lo |= !h.lo; /* 0 is a free slot */
  *fresh = false;
  fetch(v, h);
  for (uint32_t level = 0; level < v->levels; level++) {
    uint32_t buckets = slots(level) / BUCKET, b = bucket_of(h, level);
    uint32_t tries = level + 1 == v->levels ? MOST_BUCKETS : 1;
    for (; tries--; b = (b + 1) & (buckets - 1)) {
      enum bucket_look found = look(&v->level[level][b * BUCKET], h, &at);
      if (found == IS_FULL)
        continue;
      *fresh = found == IS_NEW;
      return base + b * BUCKET + at;
    }
    base += slots(level);
    if (level == v->deepest && level + 1 < v->levels)
      v->deepest++;
  }
  return VISITED_FULL;
}

/* Other processes may have filled more levels than this one has looked at. */
static uint32_t used_levels(const struct visited *v) {
  return v->own ? v->deepest + 1 : v->levels;
}

void visited_check_invariants(struct visited *v) {
  uint32_t base = 0, deepest = v->deepest, used = used_levels(v);
  for (uint32_t level = 0; level < used; base += slots(level++))
    for (uint32_t i = 0; i < slots(level); i++) {
      struct hash128 h = v->level[level][i];
      bool fresh;
      if (!h.lo)
        continue;
      assert(visited_put(v, h, &fresh) == base + i); /* V2 */
      assert(!fresh);                                /* V1 */
    }
  v->deepest = deepest;
}

void visited_clear(struct visited *v) {
  uint32_t used = used_levels(v);
  v->deepest = 0;
  for (uint32_t i = 0; i < used; i++)
    /* The second for memory that is shared: the first only unmaps that. */
    if (i < SMALL_LEVELS || (madvise(v->level[i], bytes(i), MADV_REMOVE) &&
                             madvise(v->level[i], bytes(i), MADV_DONTNEED)))
      memset(v->level[i], 0, bytes(i));
}

/* A level takes over when half of the one before is filled, and then touches
 * another page with nearly each state. */
uint64_t visited_bytes(const struct visited *v, uint64_t states) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < v->levels; i++) {
    uint64_t pages = states < bytes(i) / PAGE ? states * PAGE : bytes(i);
    sum += pages;
    if (states <= slots(i) / 2)
      break;
    states -= slots(i) / 2;
  }
  return sum;
}
