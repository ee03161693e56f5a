/*
 * The orders that led to the configurations, as a tree.  A node comes after its
 * parent.  From time to time nodes that no configuration needs are dropped, and
 * the beginning that all have in common moves to the trunk, which takes four
 * bytes an operation.
 */
#include "history/exact/frontier_int.h"

#include <assert.h>

enum { FIRST_COLLECT = 8192, IS_LIVE = 1, IS_END = 2, ONE_CHILD = 4, MORE = 8 };

uint32_t growth_add(struct frontier *f, uint32_t parent, uint32_t op) {
  struct frontier_growth *g = &f->growth;
  if (!f->order)
    return NO_NODE;
  vec_push(&g->nodes, ((struct frontier_node){op, parent}));
  return g->nodes.len - 1;
}

static void mark(const struct frontier_growth *g, uint8_t *marks,
                 const struct config_set *s) {
  for (uint32_t i = 0; i < s->len; i++) {
    uint32_t n = config_at(s, i)->node;
    if (n == NO_NODE)
      continue;
    marks[n] |= IS_END;
    while (!(marks[n] & IS_LIVE)) {
      marks[n] |= IS_LIVE;
      uint32_t up = g->nodes.at[n].parent;
      if (up == NO_NODE)
        break;
      marks[up] |= marks[up] & ONE_CHILD ? MORE : ONE_CHILD;
      n = up;
    }
  }
}

static void renumber(const uint32_t *to, struct config_set *s) {
  for (uint32_t i = 0; i < s->len; i++) {
    struct frontier_config *c = config_at(s, i);
    if (c->node != NO_NODE)
      c->node = to[c->node];
  }
}

/* Whether all orders begin with the same operation. */
static bool one_root(const struct frontier *f, const uint8_t *marks) {
  uint32_t roots = 0;
  for (uint32_t i = 0; i < f->growth.nodes.len; i++)
    roots += marks[i] & IS_LIVE && f->growth.nodes.at[i].parent == NO_NODE;
  const struct config_set *sets[] = {&f->now.set, &f->old.set, &f->older.set};
  for (int k = 0; k < 3; k++)
    for (uint32_t i = 0; i < sets[k]->len; i++)
      if (config_at(sets[k], i)->node == NO_NODE)
        return false;
  return roots == 1;
}

/* Called between two events: `work` and `done` are empty. */
void growth_collect(struct frontier *f) {
  struct frontier_growth *g = &f->growth;
  if (!f->order || g->nodes.len < g->collect_at || g->nodes.len < FIRST_COLLECT)
    return;
  uint8_t *marks = xcalloc(g->nodes.len, 1);
  uint32_t *to = xmalloc(g->nodes.len * sizeof *to), n = 0;
  mark(g, marks, &f->now.set);
  mark(g, marks, &f->old.set);
  mark(g, marks, &f->older.set);
  bool in_trunk = one_root(f, marks);
  for (uint32_t i = 0; i < g->nodes.len; i++) {
    struct frontier_node x = g->nodes.at[i];
    if (!(marks[i] & IS_LIVE))
      continue;
    if (in_trunk && !(marks[i] & (IS_END | MORE))) {
      vec_push(&g->trunk, x.op);
      to[i] = NO_NODE;
      continue;
    }
    in_trunk = false;
    x.parent = x.parent == NO_NODE ? NO_NODE : to[x.parent];
    to[i] = n;
    g->nodes.at[n++] = x;
  }
  renumber(to, &f->now.set);
  renumber(to, &f->old.set);
  renumber(to, &f->older.set);
  g->nodes.len = n;
  g->collect_at = 2 * n;
  free(marks);
  free(to);
}

/* The path to a node; bits OVERWRITTEN stay. */
static uint32_t *path_to(const struct frontier_growth *g, uint32_t node,
                         uint32_t *len) {
  uint32_t depth = 0, n = g->trunk.len;
  for (uint32_t i = node; i != NO_NODE; i = g->nodes.at[i].parent)
    depth++;
  uint32_t *path = xmalloc((n + depth + 1) * sizeof *path);
  if (n)
    memcpy(path, g->trunk.at, n * sizeof *path);
  for (uint32_t i = node, at = n + depth; i != NO_NODE;
       i = g->nodes.at[i].parent)
    path[--at] = g->nodes.at[i].op;
  *len = n + depth;
  return path;
}

/* An overwritten write takes its place directly before the last write on the
 * path before it: it was open then. */
void growth_order(const struct frontier *f, uint32_t node,
                  struct log_answer *out) {
  uint32_t n, *path = path_to(&f->growth, node, &n), write = UINT32_MAX;
  uint32_t *link = xmalloc((n + 1) * sizeof *link); /* index + 1 */
  memset(link, 0, (n + 1) * sizeof *link);
  for (uint32_t i = 0; i < n; i++) {
    if (path[i] & OVERWRITTEN) {
      assert(write != UINT32_MAX);
      link[i] = link[write];
      link[write] = i + 1;
    } else if (op_is_blind(&f->p->ops[path[i]])) {
      write = i;
    }
  }
  vec_clear(&out->order);
  vec_reserve(&out->order, n);
  for (uint32_t i = 0; i < n; i++) {
    if (path[i] & OVERWRITTEN)
      continue;
    for (uint32_t k = link[i]; k; k = link[k - 1])
      vec_push(&out->order, path[k - 1] & ~OVERWRITTEN);
    vec_push(&out->order, path[i]);
  }
  free(link);
  free(path);
}
