/*
 * Library functions that arrange elements: qsort, and what std::list and
 * std::map do out of line.  They read and write the nodes word by word; a sort
 * reads all elements and then writes them.
 */
#define _GNU_SOURCE /* qsort_r */
#include "rt/hooks.h"

#include <alloca.h>
#include <stdlib.h>
#include <string.h>

/* ---- sorting ---- */

typedef int sort_compare(const void *a, const void *b, void *arg);

/* Stable, as the C library's is for ranges of this size. */
static void merge(uint8_t *to, uint8_t *from, size_t n, size_t size,
                  sort_compare *compare, void *arg) {
  if (n < 2)
    return;
  size_t half = n / 2;
  merge(to, from, half, size, compare, arg);
  merge(to + half * size, from + half * size, n - half, size, compare, arg);
  memcpy(from, to, n * size);
  for (size_t i = 0, k = half, at = 0; at < n; at++) {
    bool first = k == n || (i < half && compare(from + i * size,
                                                from + k * size, arg) <= 0);
    memcpy(to + at * size, from + (first ? i++ : k++) * size, size);
  }
}

static void sort(void *base, size_t n, size_t size, sort_compare *compare,
                 void *arg, uint64_t pc) {
  enum { MOST = 16 << 10 }; /* on the thread's stack, twice */
  size_t all;
  if (__builtin_mul_overflow(n, size, &all) || all > MOST)
    fl__refuse(pc, "a sort of more than %d KB is not modelled", MOST >> 10);
  if (!all)
    return;
  uint8_t *kept = alloca(all), *other = alloca(all);
  fl__copy(kept, base, all, pc);
  merge(kept, other, n, size, compare, arg);
  fl__copy(base, kept, all, pc);
}

WRAP(void, qsort_r,
     (void *base, size_t n, size_t size, sort_compare *compare, void *arg)) {
  if (!fl__on())
    qsort_r(base, n, size, compare, arg);
  else
    sort(base, n, size, compare, arg, CALLER_PC);
}

typedef int plain_compare(const void *a, const void *b);

static int compare_plainly(const void *a, const void *b, void *arg) {
  return (*(plain_compare **)arg)(a, b);
}

WRAP(void, qsort, (void *base, size_t n, size_t size, plain_compare *compare)) {
  if (!fl__on())
    qsort(base, n, size, compare);
  else
    sort(base, n, size, compare_plainly, &compare, CALLER_PC);
}

/* ---- nodes ---- */

static void *get(void *at, uint64_t pc) {
  void *p;
  fl__access(EV_READ, at, sizeof p, pc);
  memcpy(&p, at, sizeof p);
  return p;
}

static void put(void *at, void *p, uint64_t pc) {
  fl__access(EV_WRITE, at, sizeof p, pc);
  memcpy(at, &p, sizeof p);
}

/* ---- std::list ---- */

struct list_node {
  struct list_node *next, *prev;
};

WRAP(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_,
     (struct list_node * n, struct list_node *at)) {
  uint64_t pc = CALLER_PC;
  put(&n->next, at, pc);
  put(&n->prev, get(&at->prev, pc), pc);
  struct list_node *before = get(&at->prev, pc);
  put(&before->next, n, pc);
  put(&at->prev, n, pc);
}

WRAP(void, _ZNSt8__detail15_List_node_base9_M_unhookEv,
     (struct list_node * n)) {
  uint64_t pc = CALLER_PC;
  struct list_node *next = get(&n->next, pc), *prev = get(&n->prev, pc);
  put(&prev->next, next, pc);
  put(&next->prev, prev, pc);
}

WRAP(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
     (struct list_node * at, struct list_node *first, struct list_node *last)) {
  uint64_t pc = CALLER_PC;
  if (at == last)
    return;
  struct list_node *n = get(&last->prev, pc);
  put(&n->next, at, pc);
  n = get(&first->prev, pc);
  put(&n->next, last, pc);
  n = get(&at->prev, pc);
  put(&n->next, first, pc);
  n = get(&at->prev, pc);
  put(&at->prev, get(&last->prev, pc), pc);
  put(&last->prev, get(&first->prev, pc), pc);
  put(&first->prev, n, pc);
}

/* ---- std::map and its like: walking ---- */

struct map_node {
  int color;
  struct map_node *parent, *left, *right;
};

static struct map_node *increment(struct map_node *n, uint64_t pc) {
  struct map_node *next = get(&n->right, pc);
  if (next) {
    for (n = next; (next = get(&n->left, pc)); n = next)
      ;
    return n;
  }
  struct map_node *above = get(&n->parent, pc);
  while (n == get(&above->right, pc)) {
    n = above;
    above = get(&above->parent, pc);
  }
  return get(&n->right, pc) != above ? above : n;
}

static bool is_header(struct map_node *n, uint64_t pc) {
  fl__access(EV_READ, &n->color, sizeof n->color, pc);
  if (n->color) /* 0 is red */
    return false;
  struct map_node *root = get(&n->parent, pc);
  return root && get(&root->parent, pc) == n;
}

static struct map_node *decrement(struct map_node *n, uint64_t pc) {
  if (is_header(n, pc))
    return get(&n->right, pc);
  struct map_node *next = get(&n->left, pc);
  if (next) {
    for (n = next; (next = get(&n->right, pc)); n = next)
      ;
    return n;
  }
  struct map_node *above = get(&n->parent, pc);
  while (n == get(&above->left, pc)) {
    n = above;
    above = get(&above->parent, pc);
  }
  return above;
}

WRAP(struct map_node *, _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base,
     (struct map_node * n)) {
  return increment(n, CALLER_PC);
}
WRAP(struct map_node *, _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base,
     (struct map_node * n)) {
  return increment(n, CALLER_PC);
}
WRAP(struct map_node *, _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base,
     (struct map_node * n)) {
  return decrement(n, CALLER_PC);
}
WRAP(struct map_node *, _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base,
     (struct map_node * n)) {
  return decrement(n, CALLER_PC);
}
