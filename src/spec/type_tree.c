/*
 * Treaps whose nodes never change: an operation makes new nodes along one path.
 */
#include "spec/type_tree.h"

#include <assert.h>
#include <stdlib.h>

static int order(datum a, datum b) {
  if (a == b)
    return 0;
  if (datum_is_small(a) && datum_is_small(b))
    return (int32_t)a < (int32_t)b ? -1 : 1;
  return datum_order(a, b);
}

/* Whether `a` stands above `b`: a total order of keys that has nothing to do
 * with theirs. */
static bool above(datum a, datum b) {
  uint64_t x = datum_hash(a), y = datum_hash(b);
  return x != y ? x > y : order(a, b) < 0;
}

static bool is_sound(const struct trees *t, uint32_t tree) {
  const struct tree_node *n = tree_node(t, tree);
  uint32_t before = tree_last(t, n->left), behind = tree_first(t, n->right);
  return (!before || order(tree_node(t, before)->key, n->key) < 0) &&
         (!behind || order(n->key, tree_node(t, behind)->key) < 0) && /* N1 */
         (!n->left || above(n->key, tree_node(t, n->left)->key)) &&
         (!n->right || above(n->key, tree_node(t, n->right)->key)) && /* N2 */
         n->size == 1 + tree_size(t, n->left) + tree_size(t, n->right) &&
         n->left < tree && n->right < tree; /* N3 */
}

void trees_check_invariants(const struct trees *t) {
  pool_check_invariants(&t->nodes);
  for (uint32_t i = 1; i <= pool_len(&t->nodes); i++)
    assert(is_sound(t, i)); /* N1, N2, N3 */
}

static uint32_t make(struct trees *t, datum key, uint64_t value, uint32_t left,
                     uint32_t right) {
  struct tree_node n = {value, key, left, right, 1};
  n.size += tree_size(t, left) + tree_size(t, right);
  uint32_t tree = pool_intern(&t->nodes, &n);
  assert(left < tree && right < tree); /* N3 */
  check_slow(is_sound(t, tree));       /* N1, N2 */
  return tree;
}

uint64_t tree_get(const struct trees *t, uint32_t tree, datum key) {
  while (tree) {
    const struct tree_node *n = tree_node(t, tree);
    int c = order(key, n->key);
    if (c == 0)
      return n->value;
    tree = c < 0 ? n->left : n->right;
  }
  return 0;
}

/* `key` is in neither part. */
static void split(struct trees *t, uint32_t tree, datum key, uint32_t *left,
                  uint32_t *right) {
  if (!tree) {
    *left = *right = 0;
    return;
  }
  struct tree_node n = *tree_node(t, tree);
  uint32_t inner;
  if (order(n.key, key) < 0) {
    split(t, n.right, key, &inner, right);
    *left = make(t, n.key, n.value, n.left, inner);
  } else {
    split(t, n.left, key, left, &inner);
    *right = make(t, n.key, n.value, inner, n.right);
  }
}

static uint32_t join(struct trees *t, uint32_t left, uint32_t right) {
  if (!left || !right)
    return left | right;
  struct tree_node l = *tree_node(t, left), r = *tree_node(t, right);
  if (above(l.key, r.key))
    return make(t, l.key, l.value, l.left, join(t, l.right, right));
  return make(t, r.key, r.value, join(t, left, r.left), r.right);
}

static uint32_t insert(struct trees *t, uint32_t tree, datum key,
                       uint64_t value) {
  if (!tree)
    return make(t, key, value, 0, 0);
  struct tree_node n = *tree_node(t, tree);
  if (above(key, n.key)) {
    uint32_t left, right;
    split(t, tree, key, &left, &right);
    return make(t, key, value, left, right);
  }
  if (order(key, n.key) < 0)
    n.left = insert(t, n.left, key, value);
  else
    n.right = insert(t, n.right, key, value);
  return make(t, n.key, n.value, n.left, n.right);
}

/* `key` is there. */
static uint32_t replace(struct trees *t, uint32_t tree, datum key,
                        uint64_t value) {
  struct tree_node n = *tree_node(t, tree);
  int c = order(key, n.key);
  if (c == 0)
    return value ? make(t, key, value, n.left, n.right)
                 : join(t, n.left, n.right);
  if (c < 0)
    n.left = replace(t, n.left, key, value);
  else
    n.right = replace(t, n.right, key, value);
  return make(t, n.key, n.value, n.left, n.right);
}

uint32_t tree_put(struct trees *t, uint32_t tree, datum key, uint64_t value) {
  uint64_t old = tree_get(t, tree, key);
  if (old == value)
    return tree;
  return old ? replace(t, tree, key, value) : insert(t, tree, key, value);
}

uint32_t tree_first(const struct trees *t, uint32_t tree) {
  while (tree && tree_node(t, tree)->left)
    tree = tree_node(t, tree)->left;
  return tree;
}

uint32_t tree_last(const struct trees *t, uint32_t tree) {
  while (tree && tree_node(t, tree)->right)
    tree = tree_node(t, tree)->right;
  return tree;
}

uint32_t tree_above(const struct trees *t, uint32_t tree, datum key,
                    bool or_equal) {
  uint32_t best = 0;
  while (tree) {
    const struct tree_node *n = tree_node(t, tree);
    int c = order(key, n->key);
    if (c < 0 || (c == 0 && or_equal)) {
      best = tree;
      tree = n->left;
    } else {
      tree = n->right;
    }
  }
  return best;
}

uint32_t tree_below(const struct trees *t, uint32_t tree, datum key,
                    bool or_equal) {
  uint32_t best = 0;
  while (tree) {
    const struct tree_node *n = tree_node(t, tree);
    int c = order(key, n->key);
    if (c > 0 || (c == 0 && or_equal)) {
      best = tree;
      tree = n->right;
    } else {
      tree = n->left;
    }
  }
  return best;
}

bool tree_each(const struct trees *t, uint32_t tree,
               bool (*each)(void *with, datum key, uint64_t value),
               void *with) {
  for (; tree; tree = tree_node(t, tree)->right) {
    struct tree_node n = *tree_node(t, tree);
    if (!tree_each(t, n.left, each, with) || !each(with, n.key, n.value))
      return false;
  }
  return true;
}

void tree_mark(const struct trees *t, uint32_t tree, uint32_t *keep) {
  for (; tree && !keep[tree]; tree = tree_node(t, tree)->right) {
    keep[tree] = 1;
    tree_mark(t, tree_node(t, tree)->left, keep);
  }
}

uint32_t *trees_marks(const struct trees *t) {
  return xcalloc(pool_len(&t->nodes) + 1, sizeof(uint32_t));
}

struct renumbering {
  uint64_t (*value)(void *with, uint64_t old, const uint32_t *new_number);
  void *with;
};

static void renumber(void *with, void *record, const uint32_t *new_number) {
  struct renumbering *r = with;
  struct tree_node *n = record;
  n->left = new_number[n->left];
  n->right = new_number[n->right];
  if (r->value)
    n->value = r->value(r->with, n->value, new_number);
}

/* Children are made before their parents, so their numbers are smaller. */
void trees_compact(struct trees *t, uint32_t *keep,
                   uint64_t (*value)(void *with, uint64_t old,
                                     const uint32_t *new_number),
                   void *with) {
  struct renumbering r = {value, with};
  assert(keep[0] == 0);
  pool_compact(&t->nodes, keep, renumber, &r);
  check_slow((trees_check_invariants(t), true));
}

void trees_forget(struct trees *t, uint32_t *keep, uint32_t n) {
  uint32_t *marks = trees_marks(t);
  for (uint32_t i = 0; i < n; i++)
    tree_mark(t, keep[i], marks);
  trees_compact(t, marks, NULL, NULL);
  for (uint32_t i = 0; i < n; i++)
    keep[i] = marks[keep[i]];
  free(marks);
}

void trees_free(struct trees *t) { pool_free(&t->nodes); }
