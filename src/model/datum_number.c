/*
 * Interning of numbers that do not fit a datum.  Less is kept of one than of a
 * box: where values are times or random numbers there are as many of them as
 * there are values.
 */
#include "model/datum.h"

#include "base/err.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RECENT = 4096 };

int64_t *datum_numbers[DATUM_PIECES];

static struct {
  uint32_t *slots; /* place + 1; 0: free */
  uint32_t mask;   /* a power of two, less one */
  uint32_t n;
  /* What was asked for a short time ago: a result was often an argument, and
   * the table is larger than the caches. */
  struct {
    int64_t number;
    datum d; /* 0: none */
  } recent[RECENT];
} table;

static uint32_t *slot_of(int64_t i, uint64_t hash) {
  uint32_t at = (uint32_t)(hash >> 32) & table.mask;
  while (table.slots[at] && DATUM_AT(datum_numbers, table.slots[at] - 1) != i)
    at = (at + 1) & table.mask;
  return &table.slots[at];
}

static void grow(void) {
  size_t size = table.slots ? 2 * ((size_t)table.mask + 1) : 1024;
  assert(size <= UINT32_MAX);
  uint32_t *slots = xcalloc(size, sizeof *slots);
  free(table.slots);
  table.slots = slots;
  table.mask = (uint32_t)(size - 1);
  for (uint32_t k = 0; k < table.n; k++) {
    int64_t i = DATUM_AT(datum_numbers, k);
    *slot_of(i, datum_hash_number(i)) = k + 1;
  }
}

/* The last place is left out: no datum is all ones, so that one more than a
 * datum is not 0. */
static uint32_t keep(int64_t i) {
  uint32_t place = table.n;
  int64_t **piece = &datum_numbers[place >> DATUM_PIECE];
  if (place + 1 == 1u << 30)
    die("too many different numbers (%u)", place + 1);
  if (!*piece)
    *piece = xmalloc(sizeof **piece << DATUM_PIECE);
  table.n++; /* behind all that can die(): a library goes on from there */
  DATUM_AT(datum_numbers, place) = i;
  return place;
}

static datum find_or_keep(int64_t i, uint64_t hash) {
  if (!table.slots || table.n > table.mask / 4 * 3)
    grow();
  uint32_t *slot = slot_of(i, hash);
  if (!*slot)
    *slot = keep(i) + 1;
  return (*slot - 1) << 2 | 3;
}

datum datum_big_number(int64_t i) {
  uint64_t hash = datum_hash_number(i);
  uint32_t r = hash % RECENT;
  if (!table.recent[r].d || table.recent[r].number != i) {
    table.recent[r].d = find_or_keep(i, hash);
    table.recent[r].number = i;
  }
  return table.recent[r].d;
}

void datum_free_numbers(void) {
  for (uint32_t i = 0; i < DATUM_PIECES && datum_numbers[i]; i++) {
    free(datum_numbers[i]);
    datum_numbers[i] = NULL;
  }
  free(table.slots);
  memset(&table, 0, sizeof table);
}
