/*
 * Which locations do two threads touch, one of them writing?  A table from
 * 8-byte granules to who read and who wrote there, over all executions since
 * the client was prepared.
 */
#include "rt/int.h"

#include <stdlib.h>
#include <string.h>

struct entry {
  uint64_t granule; /* address / 8; 0 is empty */
  uint32_t readers, writers;
};

enum {
  MOST_GRANULES = 4096
}; /* of one access; a longer one always conflicts */

static struct {
  struct entry *at;
  uint32_t cap, len;
} T;

static uint32_t slot(uint64_t granule) {
  return (uint32_t)((granule * 0x9e3779b97f4a7c15u) >> 32) & (T.cap - 1);
}

static struct entry *find(uint64_t granule) {
  uint32_t i = slot(granule);
  while (T.at[i].granule && T.at[i].granule != granule)
    i = (i + 1) & (T.cap - 1);
  return &T.at[i];
}

static void grow(void) {
  struct entry *old = T.at;
  uint32_t n = T.cap;
  T.cap = n ? 2 * n : 1024;
  T.at = xcalloc(T.cap, sizeof *T.at);
  for (uint32_t i = 0; i < n; i++)
    if (old[i].granule)
      *find(old[i].granule) = old[i];
  free(old);
}

static bool conflicts(const struct entry *e) {
  uint32_t all = e->readers | e->writers;
  return e->writers && (all & (all - 1));
}

void fl__conflict_note(int thread, uint8_t kind, uint64_t addr, uint64_t size) {
  /* A lock, a semaphore and the like change memory that can also be read, set
   * up, or freed. */
  bool writes = event_writes[kind] || !event_reads[kind];
  if (!addr)
    return;
  uint64_t last = (addr + size - 1) / 8;
  if (last - addr / 8 >= MOST_GRANULES)
    return;
  for (uint64_t g = addr / 8; g <= last; g++) {
    if (2 * T.len >= T.cap)
      grow();
    struct entry *e = find(g);
    if (!e->granule) {
      e->granule = g;
      T.len++;
    }
    bool before = conflicts(e);
    if (writes)
      e->writers |= 1u << thread;
    else
      e->readers |= 1u << thread;
    if (!before && conflicts(e))
      E.conflicts++;
  }
}

void fl__conflict_force(uint64_t addr, uint64_t size) {
  fl__conflict_note(0, EV_WRITE, addr, size);
  fl__conflict_note(1, EV_WRITE, addr, size);
}

bool fl__conflict_free(uint64_t addr, uint64_t size) {
  uint64_t last = (addr + (size ? size - 1 : 0)) / 8;
  if (last - addr / 8 >= MOST_GRANULES)
    return false;
  if (!T.cap)
    return true;
  for (uint64_t g = addr / 8; g <= last; g++) {
    struct entry *e = find(g);
    if (e->granule && conflicts(e))
      return false;
  }
  return true;
}

void fl__conflict_forget(void) {
  if (T.at)
    memset(T.at, 0, T.cap * sizeof *T.at);
  T.len = 0;
}
