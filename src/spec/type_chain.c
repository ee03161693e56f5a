/*
 * Sequences: nodes with jump pointers, and windows over them.
 */
#include "spec/type_chain.h"

#include "spec/type_poly.h"

#include <assert.h>
#include <string.h>

static uint64_t power(struct chain_table *c, uint32_t n, int which) {
  while (c->powers.len <= n) {
    struct chain_powers p = vec_last(&c->powers);
    p.of[0] = poly_multiply(p.of[0], POLY_POINT[0]);
    p.of[1] = poly_multiply(p.of[1], POLY_POINT[1]);
    vec_push(&c->powers, p);
  }
  return c->powers.at[n].of[which];
}

static struct hash128 key_of(const struct chain *s) {
  uint64_t words[3] = {s->hash[0], s->hash[1],
                       (uint64_t)s->front.len + s->back.len};
  return hash128(words, sizeof words, 0);
}

static uint32_t number_of(struct chain_table *c, struct chain *s, bool *fresh) {
  uint32_t *slot = map128_put(&c->numbers, key_of(s), fresh);
  if (*fresh) {
    *slot = c->chains.len;
    vec_push(&c->chains, *s);
  }
  return *slot;
}

/* Jump pointers: a node's jump leads as far as its parent's two jumps together
 * when these are equally long, else to its parent. */
static void link_node(struct chain_table *c, struct chain_node *n) {
  const struct chain_node *p = &c->nodes.at[n->parent];
  const struct chain_node *j = &c->nodes.at[p->jump];
  n->depth = p->depth + 1;
  bool equal =
      n->parent && p->depth - j->depth == j->depth - c->nodes.at[j->jump].depth;
  n->jump = equal ? j->jump : n->parent;
}

static uint32_t new_node(struct chain_table *c, uint32_t parent, datum value) {
  struct chain_node n = {.value = value, .parent = parent};
  link_node(c, &n);
  vec_push(&c->nodes, n);
  return c->nodes.len - 1;
}

/* The node `up` steps below the top (towards the ones pushed before). */
static uint32_t ancestor(const struct chain_table *c, uint32_t node,
                         uint32_t up) {
  uint32_t depth = c->nodes.at[node].depth - up;
  while (c->nodes.at[node].depth > depth) {
    uint32_t jump = c->nodes.at[node].jump;
    node = c->nodes.at[jump].depth >= depth ? jump : c->nodes.at[node].parent;
  }
  return node;
}

static datum bottom(const struct chain_table *c, struct chain_window w) {
  return c->nodes.at[ancestor(c, w.top, w.len - 1)].value;
}

/* Gives memory back when most of it has become unused. */
#define vec_shrink(v)                                                          \
  do {                                                                         \
    if ((v)->len < (v)->cap / 4) {                                             \
      (v)->cap = (v)->len + 8;                                                 \
      (v)->at = xrealloc((v)->at, (v)->cap * sizeof *(v)->at);                 \
    }                                                                          \
  } while (0)

/* C3, but only of short ones: others would make long histories quadratic. */
enum { LONG = 64 };

static bool is_sound(struct chain_table *c, uint32_t chain) {
  const struct chain *s = &c->chains.at[chain];
  if (s->front.len > c->nodes.at[s->front.top].depth ||
      s->back.len > c->nodes.at[s->back.top].depth) /* C2 */
    return false;
  uint32_t n = chain_len(c, chain);
  if (n > LONG)
    return true;
  datum all[LONG];
  chain_copy(c, chain, all);
  for (int which = 0; which < 2; which++) {
    uint64_t poly = 0;
    for (uint32_t i = 0; i < n; i++)
      poly = poly_push(poly, poly_of(all[i], which), which);
    if (poly != s->hash[which])
      return false;
  }
  struct chain copy = *s;
  bool fresh;
  return number_of(c, &copy, &fresh) == chain; /* C3 */
}

void chains_check_invariants(struct chain_table *c) {
  for (uint32_t i = 1; i < c->nodes.len; i++) {
    const struct chain_node *n = &c->nodes.at[i];
    assert(n->parent < i && n->jump < i);                 /* C1 */
    assert(n->depth == c->nodes.at[n->parent].depth + 1); /* C1 */
    assert(ancestor(c, i, n->depth - c->nodes.at[n->jump].depth) ==
           n->jump); /* C1 */
  }
  for (uint32_t i = 0; i < c->chains.len; i++)
    assert(is_sound(c, i)); /* C2, C3 */
}

void chains_init(struct chain_table *c) {
  *c = (struct chain_table){0};
  for (int i = 0; i < 2; i++)
    c->inverse[i] = poly_raise(POLY_POINT[i], POLY_PRIME - 2);
  vec_push(&c->nodes, (struct chain_node){0});
  vec_push(&c->powers, ((struct chain_powers){{1, 1}}));
  struct chain empty = {0};
  bool fresh;
  number_of(c, &empty, &fresh);
}

void chains_free(struct chain_table *c) {
  vec_free(&c->nodes);
  vec_free(&c->chains);
  vec_free(&c->powers);
  map128_free(&c->numbers);
}

uint64_t chains_bytes(const struct chain_table *c) {
  return (uint64_t)c->nodes.cap * sizeof *c->nodes.at +
         (uint64_t)c->chains.cap * sizeof *c->chains.at +
         (uint64_t)c->powers.cap * sizeof *c->powers.at +
         map128_bytes(&c->numbers);
}

uint32_t chain_push(struct chain_table *c, uint32_t chain, enum chain_end end,
                    datum value) {
  struct chain s = c->chains.at[chain];
  uint32_t len = s.front.len + s.back.len;
  for (int i = 0; i < 2; i++) {
    uint64_t v = poly_of(value, i);
    s.hash[i] = end == CHAIN_BACK
                    ? poly_push(s.hash[i], v, i)
                    : poly_add(poly_multiply(v, power(c, len, i)), s.hash[i]);
  }
  struct chain_window *w = end == CHAIN_BACK ? &s.back : &s.front;
  w->len++;
  bool fresh;
  uint32_t number = number_of(c, &s, &fresh);
  if (fresh) {
    uint32_t top = new_node(c, w->len > 1 ? w->top : 0, value);
    struct chain *made = &c->chains.at[number];
    *(end == CHAIN_BACK ? &made->back.top : &made->front.top) = top;
  }
  check_slow(is_sound(c, number));
  return number;
}

datum chain_peek(const struct chain_table *c, uint32_t chain,
                 enum chain_end end) {
  const struct chain *s = &c->chains.at[chain];
  const struct chain_window *near = end == CHAIN_BACK ? &s->back : &s->front;
  const struct chain_window *far = end == CHAIN_BACK ? &s->front : &s->back;
  assert(near->len || far->len);
  return near->len ? c->nodes.at[near->top].value : bottom(c, *far);
}

uint32_t chain_pop(struct chain_table *c, uint32_t chain, enum chain_end end) {
  datum value = chain_peek(c, chain, end);
  struct chain s = c->chains.at[chain];
  uint32_t len = s.front.len + s.back.len;
  for (int i = 0; i < 2; i++) {
    uint64_t v = poly_of(value, i);
    s.hash[i] =
        end == CHAIN_BACK
            ? poly_multiply(poly_subtract(s.hash[i], v), c->inverse[i])
            : poly_subtract(s.hash[i], poly_multiply(v, power(c, len - 1, i)));
  }
  struct chain_window *near = end == CHAIN_BACK ? &s.back : &s.front;
  struct chain_window *far = end == CHAIN_BACK ? &s.front : &s.back;
  if (near->len) {
    near->top = c->nodes.at[near->top].parent;
    near->len--;
  } else {
    far->len--;
  }
  bool fresh;
  uint32_t number = number_of(c, &s, &fresh);
  check_slow(is_sound(c, number));
  return number;
}

datum chain_get(const struct chain_table *c, uint32_t chain, uint32_t i) {
  const struct chain *s = &c->chains.at[chain];
  uint32_t node = i < s->front.len
                      ? ancestor(c, s->front.top, i)
                      : ancestor(c, s->back.top, chain_len(c, chain) - 1 - i);
  return c->nodes.at[node].value;
}

uint32_t chain_remove(struct chain_table *c, uint32_t chain, uint32_t i) {
  uint32_t len = chain_len(c, chain);
  enum chain_end end = i < len / 2 ? CHAIN_FRONT : CHAIN_BACK;
  uint32_t moved = end == CHAIN_FRONT ? i : len - 1 - i;
  VEC(datum) beyond = {0};
  for (uint32_t k = 0; k < moved; k++) {
    vec_push(&beyond, chain_peek(c, chain, end));
    chain = chain_pop(c, chain, end);
  }
  chain = chain_pop(c, chain, end);
  while (beyond.len)
    chain = chain_push(c, chain, end, vec_pop(&beyond));
  vec_free(&beyond);
  return chain;
}

void chain_copy(const struct chain_table *c, uint32_t chain, datum *out) {
  const struct chain *s = &c->chains.at[chain];
  uint32_t node = s->front.top;
  for (uint32_t i = 0; i < s->front.len; i++) {
    out[i] = c->nodes.at[node].value;
    node = c->nodes.at[node].parent;
  }
  node = s->back.top;
  for (uint32_t i = chain_len(c, chain); i-- > s->front.len;) {
    out[i] = c->nodes.at[node].value;
    node = c->nodes.at[node].parent;
  }
}

/* reach[node]: so many nodes from this one on are in a window that stays.
 * Stops where another window has been, so that the cost is that of the nodes.
 */
static void mark(const struct chain_table *c, struct chain_window w,
                 uint32_t *reach) {
  for (; w.len > reach[w.top] && w.len; w.len--) {
    reach[w.top] = w.len;
    w.top = c->nodes.at[w.top].parent;
  }
}

/* A parent that no window reaches is cut off: no window asks for it. */
static void compact_nodes(struct chain_table *c, uint32_t *reach) {
  uint32_t kept = 1;
  for (uint32_t i = 1; i < c->nodes.len; i++) {
    if (!reach[i])
      continue;
    struct chain_node n = c->nodes.at[i];
    n.parent = reach[n.parent]; /* new numbers, since parents come first */
    link_node(c, &n);
    c->nodes.at[kept] = n;
    reach[i] = kept++;
  }
  c->nodes.len = kept;
  vec_shrink(&c->nodes);
}

void chains_forget(struct chain_table *c, uint32_t *keep, uint32_t n) {
  uint32_t *reach = xcalloc(c->nodes.len, sizeof *reach);
  VEC(struct chain) old = {0};
  vec_push(&old, c->chains.at[0]);
  for (uint32_t i = 0; i < n; i++) {
    struct chain *s = &c->chains.at[keep[i]];
    vec_push(&old, *s);
    mark(c, s->front, reach);
    mark(c, s->back, reach);
  }
  compact_nodes(c, reach);
  vec_clear(&c->chains);
  vec_shrink(&c->chains);
  map128_free(&c->numbers);
  for (uint32_t i = 0; i <= n; i++) {
    struct chain s = old.at[i];
    s.front.top = s.front.len ? reach[s.front.top] : 0;
    s.back.top = s.back.len ? reach[s.back.top] : 0;
    bool fresh;
    uint32_t number = number_of(c, &s, &fresh);
    if (i)
      keep[i - 1] = number;
  }
  vec_free(&old);
  free(reach);
  check_slow((chains_check_invariants(c), true));
}
