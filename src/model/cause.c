/* Causes: sets of blocks, what covers what, sets of causes. */
#include "model/cause.h"

#include "base/arena.h"
#include "base/slow.h"
#include "base/vec.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static int compare_names(const char *a, const char *b) {
  if (a == b)
    return 0;
  if (!a || !b)
    return a ? 1 : -1;
  return strcmp(a, b);
}

static int compare_numbers(uint32_t a, uint32_t b) {
  return a < b ? -1 : a > b;
}

static bool same_function(const struct code_block *a,
                          const struct code_block *b) {
  return !compare_names(a->function, b->function) &&
         !compare_names(a->file, b->file);
}

int code_block_compare(const struct code_block *a, const struct code_block *b) {
  int by = compare_names(a->file, b->file);
  if (!by)
    by = compare_names(a->function, b->function);
  if (!by)
    by = compare_numbers(a->first, b->first);
  if (!by)
    by = compare_numbers(a->last, b->last);
  if (!by)
    by = compare_numbers(a->loop_first, b->loop_first);
  return by ? by : compare_numbers(a->loop_last, b->loop_last);
}

/* Whether a round of the one loop lasts as long as one of the other, or longer;
 * no loop at all is the longest. */
static bool outlasts(const struct code_block *outer,
                     const struct code_block *inner) {
  return !outer->loop_first ||
         (inner->loop_first && outer->loop_first <= inner->loop_first &&
          inner->loop_last <= outer->loop_last);
}

bool code_block_covers(const struct code_block *outer,
                       const struct code_block *inner) {
  return outer->first <= inner->first && inner->last <= outer->last &&
         outlasts(outer, inner) && same_function(outer, inner);
}

bool code_block_has_line(const struct code_block *b, const char *file,
                         const char *function, uint32_t line) {
  struct code_block place = {.file = file, .function = function};
  return b->first <= line && line <= b->last && same_function(b, &place);
}

bool code_block_meets(const struct code_block *a, const struct code_block *b) {
  return a->first <= b->last && b->first <= a->last && same_function(a, b);
}

static int compare_blocks(const void *a, const void *b) {
  return code_block_compare(a, b);
}

static bool same_lines(const struct code_block *a, const struct code_block *b) {
  return a->first == b->first && a->last == b->last;
}

static void join_loops(struct code_block *to, const struct code_block *from) {
  if (outlasts(to, from))
    return;
  bool inside = outlasts(from, to); /* else: loops side by side on one line */
  to->loop_first = inside ? from->loop_first : 0;
  to->loop_last = inside ? from->loop_last : 0;
}

/* Sorted blocks, those that share a line made one; how many are left. */
static uint32_t merge(struct code_block *b, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    struct code_block *to = kept ? &b[kept - 1] : NULL, old;
    if (to && code_block_meets(to, &b[i])) {
      old = *to;
      if (to->last < b[i].last)
        to->last = b[i].last;
      to->whole_loop = (old.whole_loop && same_lines(&old, to)) ||
                       (b[i].whole_loop && same_lines(&b[i], to));
      join_loops(to, &b[i]);
    } else {
      b[kept++] = b[i];
    }
  }
  return kept;
}

static struct cause settle(struct code_block *b, uint32_t n) {
  qsort(b, n, sizeof *b, compare_blocks);
  struct cause c = {b, merge(b, n)};
  cause_check_invariants(c);
  return c;
}

struct cause cause_copy(struct arena *a, struct cause c) {
  struct code_block *blocks = arena_alloc(a, (c.nblocks + 1) * sizeof *blocks);
  for (uint32_t i = 0; i < c.nblocks; i++) {
    blocks[i] = c.blocks[i];
    blocks[i].file = arena_strdup(a, blocks[i].file);
    blocks[i].function = arena_strdup(a, blocks[i].function);
  }
  return (struct cause){blocks, c.nblocks};
}

struct cause cause_of(struct arena *a, const struct code_block *blocks,
                      uint32_t n) {
  if (!n)
    return (struct cause){0};
  return settle(arena_copy(a, blocks, n * sizeof *blocks), n);
}

struct cause cause_join(struct arena *a, struct cause x, struct cause y) {
  if (cause_covers(x, y))
    return x;
  if (cause_covers(y, x))
    return y;
  uint32_t n = x.nblocks + y.nblocks;
  struct code_block *b = arena_alloc(a, n * sizeof *b);
  memcpy(b, x.blocks, x.nblocks * sizeof *b);
  memcpy(b + x.nblocks, y.blocks, y.nblocks * sizeof *b);
  return settle(b, n);
}

static bool covers_block(struct cause c, const struct code_block *b) {
  for (uint32_t i = 0; i < c.nblocks; i++)
    if (code_block_covers(&c.blocks[i], b))
      return true;
  return false;
}

bool cause_covers(struct cause outer, struct cause inner) {
  for (uint32_t i = 0; i < inner.nblocks; i++)
    if (!covers_block(outer, &inner.blocks[i]))
      return false;
  return true;
}

int cause_compare(struct cause x, struct cause y) {
  for (uint32_t i = 0; i < x.nblocks && i < y.nblocks; i++) {
    int by = code_block_compare(&x.blocks[i], &y.blocks[i]);
    if (by)
      return by;
  }
  return compare_numbers(x.nblocks, y.nblocks);
}

bool cause_equal(struct cause x, struct cause y) {
  return x.nblocks == y.nblocks && !cause_compare(x, y);
}

uint64_t cause_lines(struct cause c) {
  uint64_t lines = 0;
  for (uint32_t i = 0; i < c.nblocks; i++)
    lines += (uint64_t)c.blocks[i].last - c.blocks[i].first + 1;
  return lines;
}

void cause_print(struct cause c, struct buf *out) {
  for (uint32_t i = 0; i < c.nblocks; i++) {
    const struct code_block *b = &c.blocks[i];
    buf_printf(out, "%s%s:%" PRIu32, i ? ", " : "", b->file ? b->file : "?",
               b->first);
    if (b->last != b->first)
      buf_printf(out, "-%" PRIu32, b->last);
  }
}

static bool is_in_its_loop(const struct code_block *b) {
  return !b->loop_first ? !b->loop_last
                        : b->loop_first <= b->first && b->last <= b->loop_last;
}

bool cause_is_sound(struct cause c) {
  for (uint32_t i = 0; i < c.nblocks; i++)
    if (c.blocks[i].first > c.blocks[i].last || !is_in_its_loop(&c.blocks[i]) ||
        (i && (code_block_compare(&c.blocks[i - 1], &c.blocks[i]) >= 0 ||
               code_block_meets(&c.blocks[i - 1], &c.blocks[i]))))
      return false;
  return true;
}

void cause_check_invariants(struct cause c) { assert(cause_is_sound(c)); }

bool causes_add(struct causes *s, struct cause c) {
  for (uint32_t i = 0; i < s->len; i++)
    if (cause_covers(c, s->at[i]))
      return false;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->len; i++)
    if (!cause_covers(s->at[i], c))
      s->at[kept++] = s->at[i];
  s->len = kept;
  vec_push(s, c);
  return true;
}

static int compare_causes(const void *a, const void *b) {
  return cause_compare(*(const struct cause *)a, *(const struct cause *)b);
}

void causes_sort(struct causes *s) {
  check_slow((causes_check_invariants(s), true)); /* K1 to K3 */
  if (s->len)
    qsort(s->at, s->len, sizeof *s->at, compare_causes);
}

bool causes_equal(const struct causes *x, const struct causes *y) {
  if (x->len != y->len)
    return false;
  for (uint32_t i = 0; i < x->len; i++)
    if (!cause_equal(x->at[i], y->at[i]))
      return false;
  return true;
}

void causes_free(struct causes *s) { vec_free(s); }

void causes_check_invariants(const struct causes *s) {
  for (uint32_t i = 0; i < s->len; i++) {
    cause_check_invariants(s->at[i]);
    for (uint32_t j = 0; j < s->len; j++)
      assert(i == j || !cause_covers(s->at[i], s->at[j])); /* K3 */
  }
}
