/*
 * Repairs of many traces: the antichain kept trace by trace against the full
 * product, on random small sets of repairs.
 */
#include "test.h"

#include "base/arena.h"
#include "base/rng.h"
#include "oracle/naive.h"

static const char *const files[] = {"a.c", "b.c"};
static const char *const functions[] = {"push", "pop"};

static struct code_block some_block(struct rng *r) {
  struct code_block b = {files[rng_below(r, 2)], functions[rng_below(r, 2)], 0,
                         0};
  b.first = 1 + (uint32_t)rng_below(r, 8);
  b.last = b.first + (uint32_t)rng_below(r, 4);
  return b;
}

static void some_repairs(struct rng *r, struct arena *a, struct causes *out) {
  uint32_t n = 1 + (uint32_t)rng_below(r, 4);
  for (uint32_t i = 0; i < n; i++) {
    struct code_block blocks[3];
    uint32_t k = 1 + (uint32_t)rng_below(r, 3);
    for (uint32_t j = 0; j < k; j++)
      blocks[j] = some_block(r);
    causes_add(out, cause_of(a, blocks, k));
  }
}

static void print_causes(const char *who, const struct causes *s) {
  struct buf b = {0};
  for (uint32_t i = 0; i < s->len; i++) {
    buf_puts(&b, " {");
    cause_print(s->at[i], &b);
    buf_puts(&b, "}");
  }
  fprintf(stderr, "  %s:%s\n", who, buf_text(&b));
  buf_free(&b);
}

TEST(combined_one_by_one_is_the_product) {
  struct rng r = {1};
  struct arena a = {0};
  uint32_t several = 0, merged = 0;
  for (uint32_t i = 0; i < 5000; i++) {
    struct causes traces[5] = {{0}}, fast = {0}, slow = {0};
    uint32_t n = 1 + (uint32_t)rng_below(&r, 5);
    combine_begin(&fast);
    for (uint32_t t = 0; t < n; t++) {
      some_repairs(&r, &a, &traces[t]);
      CHECK(combine_add(&fast, &traces[t], (struct combine_limit){0}, &a));
    }
    naive_product(traces, n, &a, &slow);
    causes_check_invariants(&fast);
    causes_sort(&fast);
    causes_sort(&slow);
    bool ok = CHECK(causes_equal(&fast, &slow));
    if (!ok) {
      print_causes("fast", &fast);
      print_causes("slow", &slow);
    }
    several += fast.len > 1;
    merged += n > 1 && cause_lines(fast.at[0]) > 6;
    for (uint32_t t = 0; t < n; t++)
      causes_free(&traces[t]);
    causes_free(&fast);
    causes_free(&slow);
    arena_reset(&a);
    if (!ok)
      break;
  }
  CHECK(several > 1000 && merged > 1000);
  arena_free(&a);
}

/* Lines as bits: what a cause is, without its blocks. */
static uint64_t lines_of(struct cause c, const char *file, const char *f) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < c.nblocks; i++)
    if (c.blocks[i].file == file && c.blocks[i].function == f)
      for (uint32_t l = c.blocks[i].first; l <= c.blocks[i].last; l++)
        bits |= UINT64_C(1) << l;
  return bits;
}

TEST(a_join_is_the_smallest_that_covers_both) {
  struct rng r = {2};
  struct arena a = {0};
  for (uint32_t i = 0; i < 3000; i++) {
    struct causes s = {0};
    some_repairs(&r, &a, &s);
    struct cause x = s.at[0];
    vec_clear(&s);
    some_repairs(&r, &a, &s);
    struct cause y = s.at[0], z = cause_join(&a, x, y);
    cause_check_invariants(z);
    CHECK(cause_covers(z, x) && cause_covers(z, y));
    CHECK(cause_equal(z, cause_join(&a, y, x)));
    for (int k = 0; k < 4; k++) {
      const char *file = files[k / 2], *f = functions[k % 2];
      CHECK_INT(lines_of(z, file, f),
                lines_of(x, file, f) | lines_of(y, file, f));
    }
    causes_free(&s);
    arena_reset(&a);
  }
  arena_free(&a);
}

TEST_MAIN
