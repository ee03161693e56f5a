/*
 * Ordered maps from data to words, as numbers: equal contents have equal
 * numbers, and a map that differs from another in one key shares all but
 * O(log n) of its nodes with it.
 *
 * They are treaps (Seidel and Aragon 1996) whose priorities are the hashes of
 * the keys, so that the shape is a function of the content, with each node kept
 * once (pool.h).  0 is the empty map.  Absent keys have the value 0, and to put
 * 0 is to delete.
 *
 * (N1) keys ascend from left to right.
 * (N2) a node stands above its children in the order of priorities.
 * (N3) a node's size is its children's and one, and its number is larger than
 *      theirs.
 * So equal contents have equal numbers, and get, put, first, last and
 * neighbours cost O(log n) expected.           tests/unit/spec/type_tree.c
 */
#ifndef SPEC_TYPE_TREE_H
#define SPEC_TYPE_TREE_H

#include "model/datum.h"
#include "spec/type_pool.h"

struct tree_node {
  uint64_t value; /* first, so that nothing is between the others (P1) */
  datum key;
  uint32_t left, right;
  uint32_t size; /* keys below and with this one */
};
_Static_assert(sizeof(struct tree_node) == 24, "no padding (P1)");

struct trees {
  struct record_pool nodes;
};

static inline void trees_init(struct trees *t) {
  *t = (struct trees){.nodes.size = sizeof(struct tree_node)};
}
void trees_free(struct trees *t);
void trees_check_invariants(const struct trees *t); /* asserts N1 to N3 */

static inline const struct tree_node *tree_node(const struct trees *t,
                                                uint32_t tree) {
  return pool_at(&t->nodes, tree);
}
static inline uint32_t tree_size(const struct trees *t, uint32_t tree) {
  return tree ? tree_node(t, tree)->size : 0;
}

uint64_t tree_get(const struct trees *t, uint32_t tree, datum key);
uint32_t tree_put(struct trees *t, uint32_t tree, datum key, uint64_t value);

/* These give the number of a node, for its key and value, or 0. */
uint32_t tree_first(const struct trees *t, uint32_t tree);
uint32_t tree_last(const struct trees *t, uint32_t tree);
/* The smallest key above `key`, or equal to it when `or_equal`. */
uint32_t tree_above(const struct trees *t, uint32_t tree, datum key,
                    bool or_equal);
uint32_t tree_below(const struct trees *t, uint32_t tree, datum key,
                    bool or_equal);

/* In the order of keys, until `each` is false; whether it came to the end. */
bool tree_each(const struct trees *t, uint32_t tree,
               bool (*each)(void *with, datum key, uint64_t value), void *with);

/* Forgetting: the trees that stay are marked, then all others go and `keep`
 * maps old numbers to new ones.  `keep` has a zeroed entry for each node and
 * for 0 (trees_marks). */
uint32_t *trees_marks(const struct trees *t);
void tree_mark(const struct trees *t, uint32_t tree, uint32_t *keep);
void trees_compact(struct trees *t, uint32_t *keep,
                   uint64_t (*value)(void *with, uint64_t old,
                                     const uint32_t *new_number),
                   void *with); /* `value` NULL: values stay as they are */

/* The same for trees whose values are no numbers of anything: drops all but
 * those in `keep`, which get new numbers in place. */
void trees_forget(struct trees *t, uint32_t *keep, uint32_t n);

#endif
