/*
 * From traces to ranked causes: Afek's stack, figures 1 and 2 of the
 * root-causing paper, with the lines of its figure 1.
 */
#include "test.h"

#include "base/arena.h"
#include "base/vec.h"
#include "locate/combine.h"
#include "locate/rank.h"

enum { RANGE, ITEM0, ITEM1 };

/* One access: thread, operation, line, what it touches, whether it writes. */
struct line_access {
  uint32_t thread, op, line, location;
  bool writes;
};

/* Both pops return b. */
static const struct line_access failing[] = {
    {2, 2, 2, RANGE, true},  {2, 2, 3, ITEM0, true},  {1, 1, 2, RANGE, true},
    {2, 3, 5, RANGE, false}, {2, 3, 8, ITEM1, false}, {2, 3, 9, ITEM1, true},
    {2, 3, 8, ITEM0, false}, {3, 4, 5, RANGE, false}, {3, 4, 8, ITEM1, false},
    {3, 4, 9, ITEM1, true},  {3, 4, 8, ITEM0, false}, {2, 3, 9, ITEM0, true},
    {3, 4, 9, ITEM0, true},  {1, 1, 3, ITEM1, true},
};

/* The third thread's pop comes when the others have ended, and returns a. */
static const struct line_access passing[] = {
    {2, 2, 2, RANGE, true},  {2, 2, 3, ITEM0, true},  {1, 1, 2, RANGE, true},
    {2, 3, 5, RANGE, false}, {2, 3, 8, ITEM1, false}, {2, 3, 9, ITEM1, true},
    {2, 3, 8, ITEM0, false}, {2, 3, 9, ITEM0, true},  {1, 1, 3, ITEM1, true},
    {3, 4, 5, RANGE, false}, {3, 4, 8, ITEM1, false}, {3, 4, 9, ITEM1, true},
};
#define LENGTH(x) ((uint32_t)(sizeof(x) / sizeof *(x)))

struct lined {
  const struct line_access *lines;
  struct conflicts c;
};

static void open_trace(struct lined *l, const struct line_access *x,
                       uint32_t n) {
  struct accesses a = {0};
  for (uint32_t i = 0; i < n; i++)
    vec_push(&a, ((struct access){x[i].writes ? ACCESS_WRITE : ACCESS_READ, i,
                                  x[i].thread, x[i].op, 8 * x[i].location, 8}));
  l->lines = x;
  conflicts_init(&l->c, a.at, a.len, 0);
  vec_free(&a);
}

static const char *function_of(uint32_t line) {
  return line < 4 ? "push" : "pop";
}

/* From the least to the greatest line of the segment's accesses. */
static bool block_of(void *ctx, struct segment s, struct code_block *out) {
  const struct lined *l = ctx;
  *out = (struct code_block){"stack.c", NULL, UINT32_MAX, 0};
  for (uint32_t i = s.first; i <= s.last; i++) {
    if (l->c.nodes[i].op != l->c.nodes[s.first].op)
      continue;
    uint32_t line = l->lines[i].line;
    out->first = line < out->first ? line : out->first;
    out->last = line > out->last ? line : out->last;
    out->function = function_of(line);
  }
  return true;
}

/* A run of accesses to lines of a block, whatever their order, is one. */
static void units(void *ctx, struct cause r, const struct rank_trace *t,
                  uint32_t *unit) {
  const struct lined *l = t->data;
  (void)ctx;
  for (uint32_t k = 0; k < t->conflicts->nnodes; k++) {
    uint32_t i = t->conflicts->by_thread[k], line = l->lines[i].line;
    struct code_block at = {"stack.c", function_of(line), line, line};
    unit[i] = UNIT_ALONE;
    for (uint32_t b = 0; b < r.nblocks; b++)
      if (code_block_covers(&r.blocks[b], &at))
        unit[i] = b;
  }
}

static const char *text_of(struct cause c) {
  static struct buf b;
  buf_clear(&b);
  cause_print(c, &b);
  return buf_text(&b);
}

TEST(the_root_cause_of_afeks_stack_is_ranked_first) {
  struct arena a = {0};
  struct lined bad, good;
  struct eliminators e;
  struct causes found = {0}, all = {0};
  struct ranked ranked[4];
  open_trace(&bad, failing, LENGTH(failing));
  open_trace(&good, passing, LENGTH(passing));
  eliminate(&bad.c, (struct eliminate_limits){0}, &e);
  CHECK_INT(eliminators_count(&e), 3);
  CHECK_INT(causes_of_trace(&e, block_of, &bad, &a, &found), 0);
  combine_begin(&all);
  CHECK(combine_add(&all, &found, (struct combine_limit){0}, &a));
  if (CHECK_INT(all.len, 2)) {
    struct rank_trace bads[] = {{&bad.c, &bad}}, goods[] = {{&good.c, &good}};
    struct rank_input in = {goods, 1, bads, 1, units, NULL};
    rank_causes(&all, &in, ranked);
    CHECK_STR(text_of(ranked[0].cause), "stack.c:8-9");
    CHECK_INT(ranked[0].rank, 1);
    CHECK_INT(ranked[0].eliminates, 0);
    CHECK_INT(ranked[0].misses, 0);
    CHECK_INT(ranked[0].events, 8);
    CHECK_STR(text_of(ranked[1].cause), "stack.c:2-3");
    CHECK_INT(ranked[1].rank, 2);
    CHECK_INT(ranked[1].eliminates, 1);
    CHECK_INT(ranked[1].misses, 0);
  }
  eliminators_free(&e);
  causes_free(&found);
  causes_free(&all);
  conflicts_free(&bad.c);
  conflicts_free(&good.c);
  arena_free(&a);
}

/* Causes of one block each, with the given numbers of lines, without traces:
 * keys differ in lines only. */
TEST(equal_keys_are_equal_ranks) {
  static const uint32_t lines[] = {4, 2, 4, 3};
  struct arena a = {0};
  struct causes s = {0};
  struct ranked r[4];
  for (uint32_t i = 0; i < 4; i++) {
    struct code_block b = {"f.c", "f", 100 * i + 1, 100 * i + lines[i]};
    CHECK(causes_add(&s, cause_of(&a, &b, 1)));
  }
  rank_causes(&s, &(struct rank_input){.units = units}, r);
  static const uint32_t ranks[] = {1, 2, 3, 3}, firsts[] = {101, 301, 1, 201};
  for (uint32_t i = 0; i < 4; i++) {
    CHECK_INT(r[i].rank, ranks[i]);
    CHECK_INT(r[i].cause.blocks[0].first, firsts[i]);
  }
  causes_free(&s);
  arena_free(&a);
}

static bool no_code(void *ctx, struct segment s, struct code_block *out) {
  (void)ctx;
  (void)s;
  (void)out;
  return false;
}

TEST(segments_without_code_are_counted_not_invented) {
  struct arena a = {0};
  struct lined bad;
  struct eliminators e;
  struct causes found = {0};
  open_trace(&bad, failing, LENGTH(failing));
  eliminate(&bad.c, (struct eliminate_limits){0}, &e);
  CHECK_INT(causes_of_trace(&e, no_code, &bad, &a, &found), 3);
  CHECK_INT(found.len, 0);
  eliminators_free(&e);
  conflicts_free(&bad.c);
  arena_free(&a);
}

TEST(a_limit_keeps_the_smallest_repairs_and_says_so) {
  struct arena a = {0};
  struct causes s = {0}, all = {0};
  for (uint32_t i = 0; i < 4; i++) {
    struct code_block b = {"f.c", "f", 100 * i + 1, 100 * i + 9 - i};
    causes_add(&s, cause_of(&a, &b, 1));
  }
  combine_begin(&all);
  CHECK(combine_add(&all, &s, (struct combine_limit){4}, &a));
  CHECK(!combine_add(&all, &s, (struct combine_limit){2}, &a));
  if (CHECK_INT(all.len, 2)) {
    CHECK_INT(all.at[0].blocks[0].first, 301);
    CHECK_INT(all.at[1].blocks[0].first, 201);
  }
  causes_free(&s);
  causes_free(&all);
  arena_free(&a);
}

TEST(a_trace_without_repairs_leaves_none) {
  struct arena a = {0};
  struct causes none = {0}, all = {0};
  combine_begin(&all);
  CHECK(combine_add(&all, &none, (struct combine_limit){0}, &a));
  CHECK_INT(all.len, 0);
  causes_free(&all);
  arena_free(&a);
}

TEST_MAIN
