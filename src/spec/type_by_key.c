/*
 * A map whose keys each have an object of one type: registers by key, a
 * key-value store, lists by key.  A state is the number of a tree that maps
 * keys to states of the inner type, plus one; keys in the initial state are not
 * in it.
 *
 * The key is the first argument, or the first item of one that is a list, as
 * jepsen.independent has it: `write [key value]`, `cas [key [old new]]`,
 * `read [key nil]` with the result [key value].
 */
#include "spec/type_int.h"
#include "spec/type_tree.h"

#include <string.h>

struct by_key {
  struct type type;
  struct type *inner;
  struct trees trees;
  char *name;
};

/* Splits the key from the rest of the arguments; false: there is none. */
static bool split_key(const struct log_op *op, datum *key,
                      struct log_op *rest) {
  *rest = *op;
  if (op->nargs == 2 || op->nargs == 3) { /* as nearly all are */
    *key = op->arg[0];
    rest->nargs--;
    rest->arg[0] = op->arg[1];
    rest->arg[1] = op->arg[2];
    return true;
  }
  struct given g;
  given_by(op, &g);
  if (g.n == 0 || g.n > 8)
    return false;
  bool tuple = g.n == 1 && datum_kind(g.at[0]) == DATUM_IS_LIST &&
               datum_box(g.at[0])->len >= 2 && datum_box(g.at[0])->len <= 8;
  if (tuple) {
    const struct datum_box *b = datum_box(g.at[0]);
    g.n = b->len;
    memcpy(g.at, b->items, g.n * sizeof *g.at);
  }
  *key = g.at[0];
  rest->nargs = (uint8_t)(g.n - 1);
  if (rest->nargs > LOG_ARGS)
    rest->arg[0] = datum_list(g.at + 1, rest->nargs);
  else
    memcpy(rest->arg, g.at + 1, rest->nargs * sizeof *g.at);
  datum r = op->result;
  if (r == op->arg[0] && op->nargs == 1 && tuple && rest->nargs == 1)
    rest->result = rest->arg[0]; /* the whole tuple again */
  else if (tuple && datum_kind(r) == DATUM_IS_LIST && datum_box(r)->len == 2 &&
           datum_box(r)->items[0] == *key)
    rest->result = datum_box(r)->items[1];
  return true;
}

static int prepare(struct type *t, const struct log *l, const struct log_op *op,
                   struct type_op *out, struct error *e) {
  struct by_key *m = (struct by_key *)t;
  struct log_op rest;
  datum key;
  if (!split_key(op, &key, &rest))
    return type_refuse(
        e, l, op, "%s: the first argument of an operation is its key", t->name);
  int code = m->inner->prepare(m->inner, l, &rest, out, e);
  out->op = op;
  out->key = key;
  return code;
}

static uint32_t inner_state(struct by_key *m, uint32_t state, datum key) {
  uint64_t v = tree_get(&m->trees, state, key);
  return v ? (uint32_t)(v - 1) : m->inner->initial;
}

static uint32_t step(struct type *t, uint32_t state, const struct type_op *op,
                     uint32_t next[TYPE_NEXT]) {
  struct by_key *m = (struct by_key *)t;
  uint32_t inner = inner_state(m, state, op->key);
  uint32_t n = m->inner->step(m->inner, inner, op, next);
  t->cut |= m->inner->cut;
  for (uint32_t i = 0; i < n; i++) {
    if (next[i] == inner)
      next[i] = state;
    else
      next[i] =
          tree_put(&m->trees, state, op->key,
                   next[i] == m->inner->initial ? 0 : (uint64_t)next[i] + 1);
  }
  return n;
}

static bool answer(struct type *t, uint32_t state, const struct type_op *op,
                   struct buf *out) {
  struct by_key *m = (struct by_key *)t;
  return m->inner->answer(m->inner, inner_state(m, state, op->key), op, out);
}

static bool as_write(struct type *t, const struct type_op *read,
                     struct type_op *out) {
  struct type *inner = ((struct by_key *)t)->inner;
  return inner->as_write && inner->as_write(inner, read, out);
}

struct by_key_printing {
  struct by_key *m;
  struct buf *out;
  bool more;
};

static bool print_key(void *with, datum key, uint64_t value) {
  struct by_key_printing *p = with;
  buf_puts(p->out, p->more ? ", " : "");
  p->more = true;
  datum_print(key, p->out);
  buf_puts(p->out, ": ");
  p->m->inner->print_state(p->m->inner, (uint32_t)(value - 1), p->out);
  return true;
}

static void print_state(struct type *t, uint32_t state, struct buf *out) {
  struct by_key_printing p = {(struct by_key *)t, out, false};
  buf_putc(out, '{');
  tree_each(&p.m->trees, state, print_key, &p);
  buf_putc(out, '}');
}

struct inner_numbers {
  uint32_t *at, next; /* the states of nodes that stay, in their order */
};

static uint64_t next_inner(void *with, uint64_t old,
                           const uint32_t *new_number) {
  struct inner_numbers *n = with;
  (void)old, (void)new_number;
  return (uint64_t)n->at[n->next++] + 1;
}

static void forget(struct type *t, uint32_t *keep, uint32_t n) {
  struct by_key *m = (struct by_key *)t;
  uint32_t *marks = trees_marks(&m->trees);
  for (uint32_t i = 0; i < n; i++)
    tree_mark(&m->trees, keep[i], marks);
  VEC(uint32_t) inner = {0};
  for (uint32_t i = 1; i <= pool_len(&m->trees.nodes); i++)
    if (marks[i])
      vec_push(&inner, (uint32_t)(tree_node(&m->trees, i)->value - 1));
  m->inner->forget(m->inner, inner.at, inner.len);
  struct inner_numbers numbers = {inner.at, 0};
  trees_compact(&m->trees, marks, next_inner, &numbers);
  for (uint32_t i = 0; i < n; i++)
    keep[i] = marks[keep[i]];
  vec_free(&inner);
  free(marks);
}

static uint64_t bytes(const struct type *t) {
  const struct by_key *m = (const struct by_key *)t;
  return pool_bytes(&m->trees.nodes) + m->inner->bytes(m->inner);
}

static void free_by_key(struct type *t) {
  struct by_key *m = (struct by_key *)t;
  trees_free(&m->trees);
  type_free(m->inner);
  free(m->name);
  free(m);
}

struct type *type_by_key(const char *name, struct type *inner) {
  struct by_key *m = xcalloc(1, sizeof *m);
  m->inner = inner;
  m->name = xstrdup(name);
  m->type = (struct type){.name = m->name,
                          .shape = inner->shape,
                          .by_key = true,
                          .empty = inner->empty,
                          .initial_value = inner->initial_value,
                          .prepare = prepare,
                          .step = step,
                          .answer = answer,
                          .as_write = as_write,
                          .print_state = print_state,
                          .forget = forget,
                          .bytes = bytes,
                          .free = free_by_key};
  if (inner->prepare == known_prepare)
    ((struct known_type *)inner)->behind_key = true;
  trees_init(&m->trees);
  return &m->type;
}
