/* The table of 128-bit hashes: probing, growing, epochs. */
#include "base/map128.h"

#include "base/err.h"
#include "base/slow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 64 };

/* The slot that holds `key`, or the free one where it belongs. */
static struct map128_slot *find(const struct map128 *m, struct hash128 key) {
  uint32_t mask = m->cap - 1;
  for (uint32_t i = (uint32_t)key.lo & mask;; i = (i + 1) & mask) {
    struct map128_slot *s = &m->slots[i];
    if (s->epoch != m->epoch || hash128_equal(s->key, key))
      return s;
  }
}

/* Live slots; len must agree. */
static uint32_t count(const struct map128 *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->cap; i++)
    n += m->slots[i].epoch == m->epoch;
  return n;
}

static void grow(struct map128 *m) {
  struct map128 old = *m;
  if (old.cap > UINT32_MAX / 2)
    die("a table of states is full (%u entries)", old.len);
  m->cap = old.cap ? old.cap * 2 : FIRST_CAP;
  m->slots = xcalloc(m->cap, sizeof *m->slots);
  m->epoch = 1; /* slots of epoch 0 are free */
  for (uint32_t i = 0; i < old.cap; i++) {
    if (old.slots[i].epoch != old.epoch)
      continue;
    struct map128_slot *s = find(m, old.slots[i].key);
    assert(s->epoch != m->epoch); /* M1 */
    *s = old.slots[i];
    s->epoch = m->epoch;
  }
  check_slow(count(m) == m->len);
  free(old.slots);
}

uint32_t *map128_put(struct map128 *m, struct hash128 key, bool *fresh) {
  struct map128_slot *s = m->cap ? find(m, key) : NULL;
  if (s && s->epoch == m->epoch) {
    *fresh = false;
    return &s->value;
  }
  if (!s || m->len >= m->cap / 4 * 3) {
    grow(m);
    s = find(m, key);
  }
  *s = (struct map128_slot){.key = key, .epoch = m->epoch};
  m->len++;
  *fresh = true;
  return &s->value;
}

uint32_t *map128_get(const struct map128 *m, struct hash128 key) {
  if (!m->len)
    return NULL;
  struct map128_slot *s = find(m, key);
  return s->epoch == m->epoch ? &s->value : NULL;
}

void map128_clear(struct map128 *m) {
  m->len = 0;
  if (m->cap && ++m->epoch == 0) {
    /* After 2^32 clears an ancient slot would come back to life. */
    memset(m->slots, 0, m->cap * sizeof *m->slots);
    m->epoch = 1;
  }
}

void map128_free(struct map128 *m) {
  free(m->slots);
  *m = (struct map128){0};
}
