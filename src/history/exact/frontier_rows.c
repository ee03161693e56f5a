/*
 * Answers of the type.  Configurations that differ only in their masks ask the
 * same questions about the same states, at one return after the other.  A row
 * holds the answers about one state, by slot.  A slot that has another
 * operation since then is asked about again.
 */
#include "history/exact/frontier_int.h"

#include <assert.h>

enum { MOST_BYTES = 8 << 20, ROW_WORDS = sizeof(struct frontier_row) / 8 };

static uint64_t *known(struct frontier_row *r) {
  return (uint64_t *)r + ROW_WORDS;
}
static uint64_t *explained(const struct frontier_rows *rs,
                           struct frontier_row *r) {
  return known(r) + rs->words;
}
static uint32_t *nexts(const struct frontier_rows *rs, struct frontier_row *r) {
  return (uint32_t *)(known(r) + 2 * rs->words);
}

static uint32_t mix(uint32_t x) {
  x *= 0x9e3779b1u;
  return x ^ x >> 15;
}

static struct frontier_row *row_at(const struct frontier_rows *rs, uint32_t i) {
  return (struct frontier_row *)(rs->at + (size_t)i * rs->stride);
}

static bool row_numbers_is_free(const uint32_t *s) { return !*s; }
static bool row_numbers_has(void *rows, const uint32_t *s, uint32_t state) {
  return row_at(rows, *s - 1)->state == state;
}
static uint32_t row_numbers_hash(void *rows, uint32_t state) {
  (void)rows;
  return mix(state);
}
static uint32_t row_numbers_rehash(void *rows, const uint32_t *s) {
  return mix(row_at(rows, *s - 1)->state);
}
TABLE_CODE(row_numbers, uint32_t, uint32_t, 2)

struct difference_key {
  uint32_t state, slot;
};
static bool differences_is_free(const struct difference *d) { return !d->mask; }
static bool differences_has(void *ctx, const struct difference *d,
                            struct difference_key key) {
  (void)ctx;
  return d->state == key.state && d->slot == key.slot;
}
static uint32_t differences_hash(void *ctx, struct difference_key key) {
  (void)ctx;
  return mix(key.state * 31 + key.slot);
}
static uint32_t differences_rehash(void *ctx, const struct difference *d) {
  return differences_hash(ctx, (struct difference_key){d->state, d->slot});
}
TABLE_CODE(differences, struct difference, struct difference_key, 2)

static void forget_differences(struct frontier_rows *rs) {
  differences_clear(&rs->differences);
  vec_clear(&rs->masks);
}

void rows_clear(struct frontier *f) {
  struct frontier_rows *rs = &f->rows;
  rs->words = f->now.words;
  uint32_t stride = ROW_WORDS + 2 * rs->words + 32 * rs->words;
  if (rs->stride != stride) {
    rs->cap = (uint32_t)((uint64_t)rs->cap * rs->stride / stride);
    rs->stride = stride;
  }
  rs->len = 0;
  row_numbers_clear(&rs->numbers);
  forget_differences(rs);
}

uint64_t rows_bytes(const struct frontier_rows *r) {
  return (uint64_t)r->cap * r->stride * 8 + row_numbers_bytes(&r->numbers) +
         differences_bytes(&r->differences) + r->masks.cap * 8ull;
}

void rows_free(struct frontier_rows *r) {
  free(r->at);
  free(r->numbers.slots);
  free(r->differences.slots);
  vec_free(&r->masks);
}

/* Forgets the answers for slots that were opened since. */
static void refresh(struct frontier *f, struct frontier_row *r) {
  if (r->seen == f->nopened)
    return;
  uint64_t *k = known(r);
  if (f->nopened - r->seen > OPENED)
    memset(k, 0, f->rows.words * sizeof *k);
  else
    for (uint32_t i = r->seen; i != f->nopened; i++)
      bit_clear(k, f->opened[i % OPENED]);
  r->seen = f->nopened;
}

__attribute__((noinline)) static struct frontier_row *
new_row(struct frontier *f, uint32_t state) {
  struct frontier_rows *rs = &f->rows;
  if ((uint64_t)rs->len * rs->stride * 8 > MOST_BYTES)
    rows_clear(f);
  *row_numbers_put(&rs->numbers, rs, state) = rs->len + 1;
  rs->numbers.len++;
  if (rs->len == rs->cap) {
    rs->cap = rs->cap ? rs->cap * 2 : 8;
    rs->at = xrealloc(rs->at, (size_t)rs->cap * rs->stride * 8);
  }
  struct frontier_row *r = row_at(rs, rs->len++);
  *r = (struct frontier_row){state, f->nopened};
  memset(known(r), 0, 2ull * rs->words * 8);
  return r;
}

struct frontier_row *row_of(struct frontier *f, uint32_t state) {
  struct frontier_rows *rs = &f->rows;
  uint32_t n = rs->len ? *row_numbers_find(&rs->numbers, rs, state) : 0;
  if (!n)
    return new_row(f, state);
  struct frontier_row *r = row_at(rs, n - 1);
  refresh(f, r);
  return r;
}

static void ask(struct frontier *f, struct frontier_row *r, uint32_t slot) {
  uint32_t next[TYPE_NEXT];
  uint32_t n = f->type->step(f->type, r->state, f->now.slots.at[slot].op, next);
  assert(n <= TYPE_NEXT);
  nexts(&f->rows, r)[slot] = n == 0 ? NO_STATE : n == 1 ? next[0] : MANY_STATES;
  bit_set(known(r), slot);
  if (n)
    bit_set(explained(&f->rows, r), slot);
  else
    bit_clear(explained(&f->rows, r), slot);
}

uint32_t row_next(struct frontier *f, struct frontier_row *r, uint32_t slot) {
  f->m->steps++;
  if (!bit_of(known(r), slot))
    ask(f, r, slot);
  return nexts(&f->rows, r)[slot];
}

void row_explained(struct frontier *f, struct frontier_row *r,
                   const uint64_t *asked, uint64_t *out) {
  for (uint32_t w = 0; w < f->rows.words; w++) {
    uint64_t todo = asked[w] & ~known(r)[w];
    f->m->steps += asked[w] != 0;
    for (; todo; todo &= todo - 1)
      ask(f, r, w * 64 + (uint32_t)__builtin_ctzll(todo));
    out[w] = asked[w] & explained(&f->rows, r)[w];
  }
}

static bool differs(struct frontier *f, uint32_t state, uint32_t next,
                    uint32_t slot) {
  /* One after the other: to get the second row may move the first. */
  uint32_t behind = row_next(f, row_of(f, next), slot);
  if (behind == NO_STATE)
    return false;
  return behind == MANY_STATES || row_next(f, row_of(f, state), slot) != behind;
}

static uint64_t *difference_mask(struct frontier_rows *rs, uint32_t number) {
  return rs->masks.at + (size_t)(number - 1) * rs->words;
}

static struct difference *difference_of(struct frontier *f, uint32_t state,
                                        uint32_t slot) {
  struct frontier_rows *rs = &f->rows;
  if (rs->masks.len * 8ull > MOST_BYTES)
    forget_differences(rs);
  struct difference *d = differences_put(&rs->differences, NULL,
                                         (struct difference_key){state, slot});
  if (d->mask)
    return d;
  *d = (struct difference){state, slot, f->nopened - OPENED - 1,
                           ++rs->differences.len};
  vec_reserve(&rs->masks, rs->masks.len + rs->words);
  rs->masks.len += rs->words;
  memset(difference_mask(rs, d->mask), 0, rs->words * 8ull);
  return d;
}

/* By copy: a question about a new state may clear all rows and differences. */
static void note_difference(struct frontier *f, struct difference d,
                            uint32_t next, uint32_t slot) {
  if (differs(f, d.state, next, slot))
    bit_set(difference_mask(&f->rows, d.mask), slot);
  else
    bit_clear(difference_mask(&f->rows, d.mask), slot);
}

static void renew_difference(struct frontier *f, struct difference d,
                             uint32_t next) {
  const struct frontier_stage *g = &f->now;
  if (f->nopened - d.seen <= OPENED) {
    bool again = false; /* its slot has another operation now */
    for (uint32_t i = d.seen; i != f->nopened; i++)
      again |= f->opened[i % OPENED] == d.slot;
    if (!again) {
      for (uint32_t i = d.seen; i != f->nopened; i++)
        if (g->slots.at[f->opened[i % OPENED]].op)
          note_difference(f, d, next, f->opened[i % OPENED]);
      return;
    }
  }
  for (uint32_t i = 0; i < g->slots.len; i++)
    if (g->slots.at[i].op)
      note_difference(f, d, next, i);
}

const uint64_t *row_difference(struct frontier *f, uint32_t state,
                               uint32_t slot, uint32_t *next) {
  static const uint64_t unused;
  *next = row_next(f, row_of(f, state), slot);
  if (*next == MANY_STATES)
    return &unused;
  if (*next == NO_STATE || *next == state)
    return NULL;
  struct difference *now = difference_of(f, state, slot), d = *now;
  if (d.seen != f->nopened) {
    now->seen = f->nopened;
    renew_difference(f, d, *next);
  }
  return difference_mask(&f->rows, d.mask);
}
