/*
 * Interning of numbers that do not fit a datum.  Less is kept of one than of a
 * box: where values are times or random numbers there are as many of them as
 * there are values.
 */
#include "model/datum.h"

#include "base/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RECENT = 4096 };

int64_t *datum_numbers[DATUM_PIECES];

/* A slot is the place of a number, plus one. */
static bool numbers_is_free(const uint32_t *s) { return !*s; }
static bool numbers_has(void *ctx, const uint32_t *s, int64_t i) {
  (void)ctx;
  return DATUM_AT(datum_numbers, *s - 1) == i;
}
static uint32_t numbers_hash(void *ctx, int64_t i) {
  (void)ctx;
  return (uint32_t)(datum_hash_number(i) >> 32);
}
static uint32_t numbers_rehash(void *ctx, const uint32_t *s) {
  return numbers_hash(ctx, DATUM_AT(datum_numbers, *s - 1));
}
TABLE(numbers, uint32_t, int64_t, 3)

static struct {
  struct numbers known;
  /* What was asked for a short time ago: a result was often an argument, and
   * the table is larger than the caches. */
  struct {
    int64_t number;
    datum d; /* 0: none */
  } recent[RECENT];
} table;

/* The last place is left out: no datum is all ones, so that one more than a
 * datum is not 0. */
static uint32_t keep(int64_t i) {
  uint32_t place = table.known.len;
  int64_t **piece = &datum_numbers[place >> DATUM_PIECE];
  if (place + 1 == 1u << 30)
    die("too many different numbers (%u)", place + 1);
  if (!*piece)
    *piece = xmalloc(sizeof **piece << DATUM_PIECE);
  table.known
      .len++; /* behind all that can die(): a library goes on from there */
  DATUM_AT(datum_numbers, place) = i;
  return place;
}

static datum find_or_keep(int64_t i) {
  uint32_t *slot = numbers_put(&table.known, NULL, i);
  if (!*slot)
    *slot = keep(i) + 1;
  return (*slot - 1) << 2 | 3;
}

datum datum_big_number(int64_t i) {
  uint64_t hash = datum_hash_number(i);
  uint32_t r = hash % RECENT;
  if (!table.recent[r].d || table.recent[r].number != i) {
    table.recent[r].d = find_or_keep(i);
    table.recent[r].number = i;
  }
  return table.recent[r].d;
}

void datum_free_numbers(void) {
  for (uint32_t i = 0; i < DATUM_PIECES && datum_numbers[i]; i++) {
    free(datum_numbers[i]);
    datum_numbers[i] = NULL;
  }
  free(table.known.slots);
  memset(&table, 0, sizeof table);
}
