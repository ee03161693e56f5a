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

void rows_clear(struct frontier *f) {
  struct frontier_rows *rs = &f->rows;
  rs->words = f->now.words;
  uint32_t stride = ROW_WORDS + 2 * rs->words + 32 * rs->words;
  if (rs->stride != stride) {
    rs->cap = (uint32_t)((uint64_t)rs->cap * rs->stride / stride);
    rs->stride = stride;
    free(rs->differences);
    free(rs->difference_masks);
    rs->differences = NULL;
    rs->difference_masks = NULL;
    rs->ndifferences = 0;
  }
  rs->len = 0;
  rs->used_differences = 0;
  if (rs->ntable)
    memset(rs->table, 0, rs->ntable * sizeof *rs->table);
  for (uint32_t i = 0; i < rs->ndifferences; i++)
    rs->differences[i].used = 0;
}

uint64_t rows_bytes(const struct frontier_rows *r) {
  return (uint64_t)r->cap * r->stride * 8 + r->ntable * sizeof *r->table +
         r->ndifferences * (sizeof *r->differences + 8ull * r->words);
}

void rows_free(struct frontier_rows *r) {
  free(r->at);
  free(r->table);
  free(r->differences);
  free(r->difference_masks);
}

static uint32_t mix(uint32_t x) {
  x *= 0x9e3779b1u;
  return x ^ x >> 15;
}

static struct frontier_row *row_at(const struct frontier_rows *rs, uint32_t i) {
  return (struct frontier_row *)(rs->at + (size_t)i * rs->stride);
}

static void grow_table(struct frontier_rows *rs) {
  free(rs->table);
  rs->ntable = rs->ntable ? rs->ntable * 2 : 16;
  rs->table = xcalloc(rs->ntable, sizeof *rs->table);
  for (uint32_t i = 0; i < rs->len; i++) {
    uint32_t k = mix(row_at(rs, i)->state) & (rs->ntable - 1);
    while (rs->table[k])
      k = (k + 1) & (rs->ntable - 1);
    rs->table[k] = i + 1;
  }
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

static struct frontier_row *new_row(struct frontier *f, uint32_t state) {
  struct frontier_rows *rs = &f->rows;
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
  uint32_t k = 0;
  if (rs->ntable)
    for (k = mix(state) & (rs->ntable - 1); rs->table[k];
         k = (k + 1) & (rs->ntable - 1)) {
      struct frontier_row *r = row_at(rs, rs->table[k] - 1);
      if (r->state == state) {
        refresh(f, r);
        return r;
      }
    }
  if ((uint64_t)rs->len * rs->stride * 8 > MOST_BYTES) {
    rows_clear(f);
    return row_of(f, state);
  }
  if (rs->len * 2 >= rs->ntable) {
    grow_table(rs);
    return row_of(f, state);
  }
  rs->table[k] = rs->len + 1;
  return new_row(f, state);
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

static uint64_t *difference_mask(struct frontier_rows *rs, uint32_t i) {
  return rs->difference_masks + (size_t)i * rs->words;
}

static void grow_differences(struct frontier_rows *rs) {
  struct frontier_rows old = *rs;
  rs->ndifferences = old.ndifferences ? old.ndifferences * 2 : 64;
  rs->differences = xcalloc(rs->ndifferences, sizeof *rs->differences);
  rs->difference_masks = xcalloc((size_t)rs->ndifferences * rs->words, 8);
  for (uint32_t i = 0; i < old.ndifferences; i++) {
    const struct difference *d = &old.differences[i];
    if (!d->used)
      continue;
    uint32_t k = mix(d->state * 31 + d->slot) & (rs->ndifferences - 1);
    while (rs->differences[k].used)
      k = (k + 1) & (rs->ndifferences - 1);
    rs->differences[k] = *d;
    memcpy(difference_mask(rs, k), difference_mask(&old, i), rs->words * 8ull);
  }
  free(old.differences);
  free(old.difference_masks);
}

static uint32_t find_difference(struct frontier *f, uint32_t state,
                                uint32_t slot) {
  struct frontier_rows *rs = &f->rows;
  if (rs->used_differences * 2 >= rs->ndifferences) {
    if ((uint64_t)rs->ndifferences * (16 + 8 * rs->words) > MOST_BYTES) {
      for (uint32_t i = 0; i < rs->ndifferences; i++)
        rs->differences[i].used = 0;
      rs->used_differences = 0;
    } else {
      grow_differences(rs);
    }
  }
  uint32_t k = mix(state * 31 + slot) & (rs->ndifferences - 1);
  while (rs->differences[k].used &&
         (rs->differences[k].state != state || rs->differences[k].slot != slot))
    k = (k + 1) & (rs->ndifferences - 1);
  struct difference *d = &rs->differences[k];
  if (!d->used) {
    *d = (struct difference){state, slot, f->nopened - OPENED - 1, 1};
    rs->used_differences++;
  }
  return k;
}

static void note_difference(struct frontier *f, uint32_t k, uint32_t next,
                            uint32_t slot) {
  struct frontier_rows *rs = &f->rows;
  if (differs(f, rs->differences[k].state, next, slot))
    bit_set(difference_mask(rs, k), slot);
  else
    bit_clear(difference_mask(rs, k), slot);
}

static void renew_difference(struct frontier *f, uint32_t k, uint32_t next) {
  struct difference *d = &f->rows.differences[k];
  const struct frontier_stage *g = &f->now;
  uint32_t seen = d->seen;
  d->seen = f->nopened;
  if (f->nopened - seen <= OPENED) {
    bool again = false; /* its slot has another operation now */
    for (uint32_t i = seen; i != f->nopened; i++)
      again |= f->opened[i % OPENED] == d->slot;
    if (!again) {
      for (uint32_t i = seen; i != f->nopened; i++)
        if (g->slots.at[f->opened[i % OPENED]].op)
          note_difference(f, k, next, f->opened[i % OPENED]);
      return;
    }
  }
  for (uint32_t i = 0; i < g->slots.len; i++)
    if (g->slots.at[i].op)
      note_difference(f, k, next, i);
}

const uint64_t *row_difference(struct frontier *f, uint32_t state,
                               uint32_t slot, uint32_t *next) {
  static const uint64_t unused;
  *next = row_next(f, row_of(f, state), slot);
  if (*next == MANY_STATES)
    return &unused;
  if (*next == NO_STATE || *next == state)
    return NULL;
  uint32_t k = find_difference(f, state, slot);
  if (f->rows.differences[k].seen != f->nopened)
    renew_difference(f, k, *next);
  return difference_mask(&f->rows, k);
}
