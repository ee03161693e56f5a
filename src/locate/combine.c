/* Causes of several traces: what forbids each of them. */
#include "locate/combine.h"

#include "base/arena.h"
#include "base/vec.h"

#include <stdlib.h>

uint32_t causes_of_trace(const struct eliminators *e, block_fn *block,
                         void *ctx, struct arena *a, struct causes *out) {
  uint32_t left_out = 0;
  VEC(struct code_block) blocks = {0};
  for (uint32_t i = 0; i < eliminators_count(e); i++) {
    const struct segment *s = eliminator_segments(e, i);
    vec_clear(&blocks);
    for (uint32_t k = 0; k < eliminator_size(e, i); k++) {
      struct code_block b;
      if (block(ctx, s[k], &b))
        vec_push(&blocks, b);
    }
    if (blocks.len == eliminator_size(e, i))
      causes_add(out, cause_of(a, blocks.at, blocks.len));
    else
      left_out++;
  }
  vec_free(&blocks);
  return left_out;
}

void combine_begin(struct causes *all) {
  vec_clear(all);
  vec_push(all, ((struct cause){0}));
}

static bool covers_one_of(struct cause c, const struct causes *s) {
  for (uint32_t i = 0; i < s->len; i++)
    if (cause_covers(c, s->at[i]))
      return true;
  return false;
}

struct priced {
  struct cause cause;
  uint32_t price;
};

static int compare_prices(const void *x, const void *y) {
  const struct priced *p = x, *q = y;
  if (p->price != q->price)
    return p->price < q->price ? -1 : 1;
  struct cause a = p->cause, b = q->cause;
  if (a.nblocks != b.nblocks)
    return a.nblocks < b.nblocks ? -1 : 1;
  uint64_t m = cause_lines(a), n = cause_lines(b);
  if (m != n)
    return m < n ? -1 : 1;
  return cause_compare(a, b);
}

bool combine_cut(struct causes *s, struct combine_limit limit) {
  if (!limit.most || s->len <= limit.most)
    return true;
  struct priced *all = xcalloc(s->len, sizeof *all);
  for (uint32_t i = 0; i < s->len; i++)
    all[i] = (struct priced){
        s->at[i], limit.price ? limit.price(limit.ctx, s->at[i]) : 0};
  qsort(all, s->len, sizeof *all, compare_prices);
  s->len = limit.most;
  for (uint32_t i = 0; i < s->len; i++)
    s->at[i] = all[i].cause;
  free(all);
  return false;
}

/*
 * A repair that repairs the new trace already stays as it is, and nothing
 * smaller comes up: such repairs go first.  The others are joined in a scratch
 * arena, since most joins are dropped at once.
 */
bool combine_add(struct causes *all, const struct causes *trace,
                 struct combine_limit limit, struct arena *a) {
  struct causes next = {0};
  struct arena scratch = {0};
  for (uint32_t i = 0; i < all->len; i++)
    if (covers_one_of(all->at[i], trace))
      vec_push(&next, all->at[i]);
  uint32_t kept = next.len;
  for (uint32_t i = 0; i < all->len; i++) {
    if (covers_one_of(all->at[i], trace))
      continue;
    for (uint32_t j = 0; j < trace->len; j++)
      causes_add(&next, cause_join(&scratch, all->at[i], trace->at[j]));
  }
  for (uint32_t i = kept; i < next.len; i++)
    next.at[i] = cause_of(a, next.at[i].blocks, next.at[i].nblocks);
  arena_free(&scratch);
  causes_free(all);
  *all = next;
  return combine_cut(all, limit);
}
