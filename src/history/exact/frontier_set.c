/*
 * Sets of configurations.  One dominates another if it can do all that the
 * other can.  Of two with the same state and the same effects placed, that is
 * the one that has placed fewer crashed operations and more reads, and that
 * leaves open for more blind writes whether they are placed.
 *
 * A configuration whose last operation is crashed and has made no difference
 * yet (prev) can do less than one without that.  It only dominates those that
 * have placed more crashed operations.
 *
 * A set is no TABLE of base/table.h: a bucket holds all configurations that may
 * dominate each other, and those that are dominated are taken out.
 */
#include "history/exact/frontier_int.h"

#include <assert.h>

enum { HEAD_WORDS = sizeof(struct frontier_config) / 8, FIRST_BUCKETS = 16 };

static void next_epoch(struct config_set *s) {
  if (++s->epoch)
    return;
  if (s->nbuckets)
    memset(s->buckets, 0, s->nbuckets * sizeof *s->buckets);
  s->epoch = 1;
}

/* Only as many buckets are used as there will be configurations: a small set
 * stays in the processor's cache even after a large one. */
void set_clear(struct config_set *s, uint32_t words, uint32_t expected) {
  uint32_t stride = HEAD_WORDS + 2 * words;
  if (s->stride != stride) {
    s->cap = (uint32_t)((uint64_t)s->cap * s->stride / stride);
    s->stride = stride;
  }
  s->len = s->live = 0;
  for (s->used = FIRST_BUCKETS; s->used < expected && s->used < s->nbuckets;)
    s->used *= 2;
  if (s->used > s->nbuckets)
    s->used = s->nbuckets;
  next_epoch(s);
}

static uint64_t mix(uint64_t x) {
  x *= 0x9e3779b97f4a7c15u;
  return x ^ x >> 29;
}

static uint32_t *bucket(struct config_set *s, const struct frontier_stage *g,
                        const struct frontier_config *c) {
  uint64_t h = mix(c->state + 1);
  for (uint32_t w = 0; w < g->words; w++)
    h = mix(h ^ (c->mask[w] & g->effects[w] & ~g->blind[w]));
  struct bucket *b = &s->buckets[(h ^ h >> 32) & (s->used - 1)];
  if (b->epoch != s->epoch)
    *b = (struct bucket){0, s->epoch};
  return &b->head;
}

void set_reindex(struct config_set *s, const struct frontier_stage *g) {
  next_epoch(s);
  for (uint32_t i = 0; i < s->len; i++) {
    struct frontier_config *c = config_at(s, i);
    if (c->state == NO_STATE)
      continue;
    uint32_t *head = bucket(s, g, c);
    c->next = *head;
    *head = i + 1;
  }
}

static void grow(struct config_set *s, const struct frontier_stage *g) {
  s->used = s->used ? s->used * 2 : FIRST_BUCKETS;
  if (s->used > s->nbuckets) {
    free(s->buckets);
    s->nbuckets = s->used;
    s->buckets = xcalloc(s->nbuckets, sizeof *s->buckets);
    s->epoch = 0;
  }
  set_reindex(s, g);
}

enum { LEFT = 1, RIGHT = 2 };

/* LEFT: a dominates b.  RIGHT: b dominates a.  Both: they are equal. */
static int compare(const struct frontier_stage *g,
                   const struct frontier_config *a,
                   const struct frontier_config *b) {
  int can = LEFT | RIGHT;
  bool more = false, fewer = false; /* crashed operations placed in a */
  if (a->state != b->state)
    return 0;
  for (uint32_t w = 0; w < g->words && can; w++) {
    uint64_t only_a = a->mask[w] & ~b->mask[w],
             only_b = b->mask[w] & ~a->mask[w];
    if ((only_a | only_b) & g->effects[w] & ~g->blind[w])
      return 0;
    /* Blind writes: those certainly placed, and those that may be. */
    uint64_t most_a = a->mask[w] | a->mask[g->words + w],
             most_b = b->mask[w] | b->mask[g->words + w];
    if (((only_a | (most_b & ~most_a)) & g->blind[w]))
      can &= ~LEFT;
    if (((only_b | (most_a & ~most_b)) & g->blind[w]))
      can &= ~RIGHT;
    more |= (only_a & g->crashed[w]) != 0;
    fewer |= (only_b & g->crashed[w]) != 0;
    if ((only_a & g->crashed[w]) | (only_b & g->reads[w]))
      can &= ~LEFT;
    if ((only_b & g->crashed[w]) | (only_a & g->reads[w]))
      can &= ~RIGHT;
  }
  if (a->prev != NO_STATE && a->prev != b->prev && !fewer)
    can &= ~LEFT;
  if (b->prev != NO_STATE && b->prev != a->prev && !more)
    can &= ~RIGHT;
  return can;
}

static bool is_mask_valid(const struct frontier_stage *g,
                          const struct frontier_config *c) {
  for (uint32_t w = 0; w < g->words; w++) {
    uint64_t open = g->effects[w] | g->reads[w] | g->crashed[w];
    uint64_t maybe = c->mask[g->words + w];
    if ((c->mask[w] & ~open) || (maybe & (~g->blind[w] | c->mask[w])))
      return false;
  }
  return true;
}

bool set_check_invariants(const struct config_set *s,
                          const struct frontier_stage *g) {
  for (uint32_t i = 0; i < s->len; i++) {
    if (!is_mask_valid(g, config_at(s, i)))
      return false; /* F1 */
    for (uint32_t k = 0; k < i; k++)
      if (compare(g, config_at(s, k), config_at(s, i)))
        return false; /* F2 */
  }
  return true;
}

static uint32_t append(struct config_set *s, const struct frontier_config *c) {
  if (s->len == s->cap) {
    s->cap = s->cap ? s->cap * 2 : 8;
    s->at = xrealloc(s->at, (size_t)s->cap * s->stride * 8);
  }
  memcpy(config_at(s, s->len), c, s->stride * 8);
  s->live++;
  return s->len++;
}

uint32_t set_add(struct config_set *s, const struct frontier_stage *g,
                 const struct frontier_config *c) {
  assert(s->stride == HEAD_WORDS + 2 * g->words);
  if (s->live >= s->used)
    grow(s, g);
  uint32_t *head = bucket(s, g, c), *link = head;
  while (*link) {
    struct frontier_config *other = config_at(s, *link - 1);
    int can = compare(g, other, c);
    if (can & LEFT)
      return UINT32_MAX;
    if (can & RIGHT) {
      other->state = NO_STATE;
      *link = other->next;
      s->live--;
    } else {
      link = &other->next;
    }
  }
  uint32_t i = append(s, c);
  config_at(s, i)->next = *head;
  *head = i + 1;
  return i;
}

/* The index is not right afterwards. */
void set_compact(struct config_set *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->len; i++) {
    if (config_at(s, i)->state == NO_STATE)
      continue;
    if (n != i)
      memcpy(config_at(s, n), config_at(s, i), s->stride * 8);
    n++;
  }
  assert(n == s->live);
  s->len = n;
}

void set_copy(struct config_set *to, const struct config_set *from) {
  set_clear(to, (from->stride - HEAD_WORDS) / 2, 0);
  if (to->cap < from->len) {
    to->cap = from->len;
    to->at = xrealloc(to->at, (size_t)to->cap * to->stride * 8);
  }
  if (from->len)
    memcpy(to->at, from->at, (size_t)from->len * from->stride * 8);
  to->len = from->len;
  to->live = from->live;
}

void set_widen(struct config_set *s, uint32_t words, uint32_t to_words) {
  struct config_set wide = {0};
  set_clear(&wide, to_words, 0);
  uint64_t *copy = xcalloc(HEAD_WORDS + 2 * to_words, 8);
  for (uint32_t i = 0; i < s->len; i++) {
    const struct frontier_config *c = config_at(s, i);
    memcpy(copy, c, (HEAD_WORDS + words) * 8);
    memcpy(copy + HEAD_WORDS + to_words, c->mask + words, words * 8);
    append(&wide, (struct frontier_config *)copy);
  }
  free(copy);
  set_free(s);
  *s = wide;
}

uint64_t set_bytes(const struct config_set *s) {
  return (uint64_t)s->cap * s->stride * 8 +
         (uint64_t)s->nbuckets * sizeof *s->buckets;
}

void set_free(struct config_set *s) {
  free(s->at);
  free(s->buckets);
  *s = (struct config_set){0};
}
