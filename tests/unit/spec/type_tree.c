/* Trees, chains and values against arrays, with many versions alive at once. */
#include "test.h"

#include "base/rng.h"
#include "spec/type_chain.h"
#include "spec/type_tree.h"
#include "spec/type_value.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 40, VERSIONS = 64 };

/* A map as an array: value of each key, 0 when it is absent. */
struct naive_map {
  uint64_t value[KEYS];
};

/* Numbers, texts and lists, so that all kinds are ordered. */
static datum key(int i) {
  char text[8];
  datum item = datum_number(i);
  snprintf(text, sizeof text, "k%02d", i);
  return i < 20   ? datum_number(i - 10)
         : i < 30 ? datum_text(text, 3)
                  : datum_list(&item, 1);
}

static int first_from(const struct naive_map *m, int i) {
  while (i < KEYS && !m->value[i])
    i++;
  return i;
}

static int last_from(const struct naive_map *m, int i) {
  while (i >= 0 && !m->value[i])
    i--;
  return i;
}

static void is_node(const struct trees *t, uint32_t node, int want) {
  if (want < 0 || want >= KEYS)
    CHECK_INT(node, 0);
  else if (CHECK(node))
    CHECK(tree_node(t, node)->key == key(want));
}

static void same_map(const struct trees *t, uint32_t tree,
                     const struct naive_map *m) {
  uint32_t n = 0;
  for (int i = 0; i < KEYS; i++) {
    n += m->value[i] != 0;
    CHECK(tree_get(t, tree, key(i)) == m->value[i]);
    is_node(t, tree_above(t, tree, key(i), true), first_from(m, i));
    is_node(t, tree_above(t, tree, key(i), false), first_from(m, i + 1));
    is_node(t, tree_below(t, tree, key(i), true), last_from(m, i));
    is_node(t, tree_below(t, tree, key(i), false), last_from(m, i - 1));
  }
  CHECK_INT(tree_size(t, tree), n);
  is_node(t, tree_first(t, tree), first_from(m, 0));
  is_node(t, tree_last(t, tree), last_from(m, KEYS - 1));
}

TEST(trees_are_ordered_maps_with_one_number_for_one_content) {
  struct rng r = {7};
  struct trees t;
  trees_init(&t);
  static struct naive_map maps[VERSIONS];
  uint32_t trees[VERSIONS] = {0};
  for (int step = 0; step < 20000 && !test_errors; step++) {
    uint32_t from = (uint32_t)rng_below(&r, VERSIONS);
    uint32_t to = (uint32_t)rng_below(&r, VERSIONS);
    int k = (int)rng_below(&r, step % 3 ? 4 : KEYS);
    uint64_t value = rng_below(&r, 3);
    maps[to] = maps[from];
    maps[to].value[k] = value;
    trees[to] = tree_put(&t, trees[from], key(k), value);
    for (int i = 0; i < VERSIONS; i++)
      CHECK_INT(trees[i] == trees[to],
                !memcmp(&maps[i], &maps[to], sizeof *maps));
    if (step % 50 == 0)
      same_map(&t, trees[to], &maps[to]);
    if (step % 1000 == 999) {
      trees_check_invariants(&t);
      trees_forget(&t, trees, VERSIONS);
      trees_check_invariants(&t);
      for (int i = 0; i < VERSIONS; i++)
        same_map(&t, trees[i], &maps[i]);
    }
  }
  trees_free(&t);
}

TEST(a_large_tree_is_shallow) {
  struct trees t;
  trees_init(&t);
  uint32_t tree = 0;
  enum { LARGE = 100000 };
  for (int i = 0; i < LARGE; i++)
    tree = tree_put(&t, tree, datum_number(i), 1);
  CHECK_INT(tree_size(&t, tree), LARGE);
  uint32_t before = pool_len(&t.nodes);
  for (int i = 0; i < 1000; i++)
    tree = tree_put(&t, tree, datum_number(i * 97), 2);
  /* About 2 ln n nodes lie above one. */
  CHECK(pool_len(&t.nodes) - before < 1000 * 40);
  trees_free(&t);
}

enum { LONGEST = 60 };
struct naive_chain {
  uint32_t n;
  datum at[LONGEST];
};

static void same_chain(const struct chain_table *c, uint32_t chain,
                       const struct naive_chain *want) {
  datum all[LONGEST];
  if (!CHECK_INT(chain_len(c, chain), want->n))
    return;
  chain_copy(c, chain, all);
  for (uint32_t i = 0; i < want->n; i++) {
    CHECK(all[i] == want->at[i]);
    CHECK(chain_get(c, chain, i) == want->at[i]);
  }
  if (want->n) {
    CHECK(chain_peek(c, chain, CHAIN_FRONT) == want->at[0]);
    CHECK(chain_peek(c, chain, CHAIN_BACK) == want->at[want->n - 1]);
  }
}

static void drop(struct naive_chain *s, uint32_t i) {
  s->n--;
  memmove(s->at + i, s->at + i + 1, (s->n - i) * sizeof *s->at);
}

/* One random change of both; what is full or empty stays. */
static uint32_t change(struct chain_table *c, uint32_t chain,
                       struct naive_chain *s, struct rng *r) {
  enum chain_end end = (enum chain_end)rng_below(r, 2);
  switch (rng_below(r, 5)) {
  case 0:
  case 1: {
    datum v = datum_number((int64_t)rng_below(r, 2));
    if (s->n == LONGEST)
      return chain;
    if (end == CHAIN_FRONT)
      memmove(s->at + 1, s->at, s->n * sizeof *s->at);
    s->at[end == CHAIN_FRONT ? 0 : s->n] = v;
    s->n++;
    return chain_push(c, chain, end, v);
  }
  case 2:
  case 3:
    if (!s->n)
      return chain;
    drop(s, end == CHAIN_FRONT ? 0 : s->n - 1);
    return chain_pop(c, chain, end);
  default: {
    if (!s->n)
      return chain;
    uint32_t i = (uint32_t)rng_below(r, s->n);
    drop(s, i);
    return chain_remove(c, chain, i);
  }
  }
}

static bool equal_chains(const struct naive_chain *a,
                         const struct naive_chain *b) {
  return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof *a->at);
}

TEST(chains_are_sequences_with_one_number_for_one_content) {
  struct rng r = {11};
  struct chain_table c;
  chains_init(&c);
  static struct naive_chain all[VERSIONS];
  uint32_t chains[VERSIONS] = {0};
  for (int step = 0; step < 60000 && !test_errors; step++) {
    uint32_t from = (uint32_t)rng_below(&r, VERSIONS);
    /* Half of the time the same version goes on, and grows long. */
    uint32_t to = step & 1 ? from : (uint32_t)rng_below(&r, VERSIONS);
    all[to] = all[from];
    chains[to] = change(&c, chains[from], &all[to], &r);
    for (int i = 0; i < VERSIONS; i++)
      CHECK_INT(chains[i] == chains[to], equal_chains(&all[i], &all[to]));
    if (step % 20 == 0)
      same_chain(&c, chains[to], &all[to]);
    if (step % 5000 == 4999) {
      chains_check_invariants(&c);
      chains_forget(&c, chains, VERSIONS);
      chains_check_invariants(&c);
      for (int i = 0; i < VERSIONS; i++)
        same_chain(&c, chains[i], &all[i]);
    }
  }
  chains_free(&c);
}

TEST(a_long_queue_is_read_at_both_ends) {
  struct chain_table c;
  chains_init(&c);
  enum { LONG = 100000 };
  uint32_t q = 0;
  for (int i = 0; i < LONG; i++)
    q = chain_push(&c, q, CHAIN_BACK, datum_number(i));
  for (int i = 0; i < LONG; i++) {
    CHECK(chain_peek(&c, q, CHAIN_FRONT) == datum_number(i));
    q = chain_pop(&c, q, CHAIN_FRONT);
    q = chain_push(&c, q, CHAIN_BACK, datum_number(i));
    if (i == LONG / 2)
      chains_forget(&c, &q, 1);
  }
  CHECK_INT(chain_len(&c, q), LONG);
  CHECK(chain_get(&c, q, LONG / 3) == datum_number(LONG / 3));
  chains_free(&c);
}

/* Texts that are pieced together, and the same texts as they stand. */
TEST(values_are_found_by_their_content) {
  struct rng r = {9};
  struct values v;
  values_init(&v, datum_text("", 0), true);
  enum { KEPT = 8 };
  uint32_t kept[KEPT] = {0};
  for (int step = 0; step < 2000 && !test_errors; step++) {
    uint32_t *to = &kept[rng_below(&r, KEPT)];
    const char *piece = rng_below(&r, 2) ? "a" : "bb";
    if (datum_box(value_datum(&v, *to))->len > 12)
      *to = 0;
    *to = value_append(&v, *to, datum_text(piece, strlen(piece)), false);
    CHECK_INT(value_number(&v, value_datum(&v, *to)), *to);
    if (step % 200 == 199) {
      values_check_invariants(&v);
      values_forget(&v, kept, KEPT);
      values_check_invariants(&v);
    }
  }
  values_free(&v);
}

TEST_MAIN
