/*
 * Priority queues.  The priority is the second argument of insert, or the value
 * itself.  Of values with one priority any may come first.
 */
#include "spec/type_keyed.h"

#include <assert.h>

enum { INSERT, POP_MIN, POP_MAX, PEEK_MIN, PEEK_MAX };

#define POP_NAMES(end)                                                         \
  "delete" end " remove" end " extract" end " poll" end " pop" end
#define PEEK_NAMES(end) "find" end " peek" end " get" end " " end
#define GENERIC_POP " | remove poll pop take dequeue deq delete"
#define GENERIC_PEEK " | peek top front first"
#define INSERT_DEF                                                             \
  {                                                                            \
    "insert add | push put offer enqueue enq", "v?p", INSERT, ROLE_ADD,        \
        GIVES_SUCCESS                                                          \
  }

const struct op_def pqueue_defs[] = {
    INSERT_DEF,
    {POP_NAMES("min") GENERIC_POP, "", POP_MIN, ROLE_REMOVE, GIVES_ITEM},
    {PEEK_NAMES("min") GENERIC_PEEK, "", PEEK_MIN, ROLE_PEEK, GIVES_ITEM, true},
    {POP_NAMES("max"), "", POP_MAX, ROLE_OTHER, GIVES_ITEM},
    {PEEK_NAMES("max"), "", PEEK_MAX, ROLE_OTHER, GIVES_ITEM, true},
    KEYED_DEFS("toarray | read r elements tolist"),
    {0}};

const struct op_def max_pqueue_defs[] = {
    INSERT_DEF,
    {POP_NAMES("max") GENERIC_POP, "", POP_MAX, ROLE_REMOVE, GIVES_ITEM},
    {PEEK_NAMES("max") GENERIC_PEEK, "", PEEK_MAX, ROLE_PEEK, GIVES_ITEM, true},
    {POP_NAMES("min"), "", POP_MIN, ROLE_OTHER, GIVES_ITEM},
    {PEEK_NAMES("min"), "", PEEK_MIN, ROLE_OTHER, GIVES_ITEM, true},
    KEYED_DEFS("toarray | read r elements tolist"),
    {0}};

/* The values of the priority that comes first. */
static uint32_t best_node(struct keyed *s, uint32_t state, unsigned code) {
  return code == POP_MAX || code == PEEK_MAX ? tree_last(&s->trees, state)
                                             : tree_first(&s->trees, state);
}

static uint32_t without(struct keyed *s, uint32_t state, uint32_t node,
                        datum value) {
  struct tree_node n = *tree_node(&s->trees, node);
  uint32_t bag = (uint32_t)n.value;
  bag = tree_put(&s->bags, bag, value, tree_get(&s->bags, bag, value) - 1);
  return tree_put(&s->trees, state, n.key, bag);
}

static uint32_t with_value(struct keyed *s, uint32_t state, datum value,
                           datum priority) {
  if (priority == DATUM_NONE)
    priority = value;
  uint32_t bag = (uint32_t)tree_get(&s->trees, state, priority);
  bag = tree_put(&s->bags, bag, value, tree_get(&s->bags, bag, value) + 1);
  return tree_put(&s->trees, state, priority, bag);
}

/* Of values with one priority any may come; which one came, the result says. */
static bool pop_apply(struct keyed *s, uint32_t state, const struct type_op *op,
                      datum *answer, uint32_t *next) {
  if (!state) {
    *answer = s->known.type.empty;
    return true;
  }
  uint32_t node = best_node(s, state, op->code);
  uint32_t bag = (uint32_t)tree_node(&s->trees, node)->value;
  if (op->any_result)
    *answer = tree_node(&s->bags, tree_first(&s->bags, bag))->key;
  else if (tree_get(&s->bags, bag, op->result))
    *answer = op->result;
  else
    return false;
  if (op->code == POP_MIN || op->code == POP_MAX)
    *next = without(s, state, node, *answer);
  return true;
}

struct pqueue_totals {
  struct keyed *s;
  uint64_t size;
  data_list items;
  bool want_items;
};

static bool all_values(void *with, datum key, uint64_t bag) {
  struct pqueue_totals *t = with;
  (void)key;
  if (t->want_items)
    return tree_each(&t->s->bags, (uint32_t)bag, keyed_collect, &t->items);
  return tree_each(&t->s->bags, (uint32_t)bag, keyed_add_up, &t->size);
}

static void contents(struct known_type *k, uint32_t state, data_list *out) {
  struct pqueue_totals t = {
      .s = (struct keyed *)k, .items = *out, .want_items = true};
  tree_each(&t.s->trees, state, all_values, &t);
  *out = t.items;
}

static int by_order(const void *a, const void *b) {
  return datum_order(*(const datum *)a, *(const datum *)b);
}

/* The whole contents, in any order: rare enough to be sorted each time. */
static bool give_all_values(struct keyed *s, uint32_t state,
                            const struct type_op *op, datum *answer) {
  struct pqueue_totals t = {.s = s, .want_items = true};
  tree_each(&s->trees, state, all_values, &t);
  if (t.items.len)
    qsort(t.items.at, t.items.len, sizeof(datum), by_order);
  datum have = datum_list(t.items.at, t.items.len);
  vec_clear(&t.items);
  bool same = op->any_result;
  if (!same && datum_kind(op->result) == DATUM_IS_LIST) {
    const struct datum_box *b = datum_box(op->result);
    for (uint32_t i = 0; i < b->len; i++)
      vec_push(&t.items, known_tidy(&s->known, b->items[i]));
    if (b->len)
      qsort(t.items.at, b->len, sizeof(datum), by_order);
    same = datum_list(t.items.at, b->len) == have;
  }
  *answer = op->any_result ? have : op->result;
  vec_free(&t.items);
  return same;
}

static bool pqueue_apply(struct known_type *k, uint32_t state,
                         const struct type_op *op, datum *answer,
                         uint32_t *next) {
  struct keyed *s = (struct keyed *)k;
  *next = state;
  switch (op->code) {
  case INSERT:
    *answer = DATUM_TRUE;
    *next = with_value(s, state, op->arg[0], op->arg[1]);
    return true;
  case POP_MIN:
  case POP_MAX:
  case PEEK_MIN:
  case PEEK_MAX:
    return pop_apply(s, state, op, answer, next);
  case KEYED_ALL:
    return give_all_values(s, state, op, answer);
  default: {
    struct pqueue_totals t = {.s = s};
    if (op->code == KEYED_SIZE)
      tree_each(&s->trees, state, all_values, &t);
    return keyed_apply(state, op, t.size, answer, next);
  }
  }
}

struct pqueue_choice {
  struct keyed *s;
  uint32_t state, node, *next, n;
};

static bool choose(void *with, datum value, uint64_t count) {
  struct pqueue_choice *c = with;
  (void)count;
  if (c->n == TYPE_NEXT) {
    c->s->known.type.cut = true; /* T4 */
    return false;
  }
  c->next[c->n++] = without(c->s, c->state, c->node, value);
  return true;
}

/* A removal whose result is not known may have taken any of the best. */
static uint32_t pqueue_step(struct type *t, uint32_t state,
                            const struct type_op *op,
                            uint32_t next[TYPE_NEXT]) {
  struct keyed *s = (struct keyed *)t;
  bool pops = op->code == POP_MIN || op->code == POP_MAX;
  if (!pops || !op->any_result || !state)
    return known_step(t, state, op, next);
  struct pqueue_choice c = {s, state, best_node(s, state, op->code), next, 0};
  tree_each(&s->bags, (uint32_t)tree_node(&s->trees, c.node)->value, choose,
            &c);
  assert(c.n && c.n <= TYPE_NEXT); /* T4 */
  return c.n;
}

static void print(struct type *t, uint32_t state, struct buf *out) {
  struct type_op any = {.any_result = true};
  datum all;
  give_all_values((struct keyed *)t, state, &any, &all);
  datum_print(all, out);
}

static struct type *open(const char *name, const char *shape,
                         const struct op_def *defs, datum argument,
                         struct error *e) {
  if (argument != DATUM_NONE) {
    error_set(e, ERR_USAGE, "a %s takes no argument", name);
    return NULL;
  }
  struct keyed *s = keyed_new(name, shape, defs, pqueue_apply);
  s->known.type.step = pqueue_step;
  s->known.type.print_state = print;
  s->known.contents = contents;
  return &s->known.type;
}

struct type *open_pqueue(const char *name, datum argument, struct error *e) {
  return open(name, "pqueue", pqueue_defs, argument, e);
}

struct type *open_max_pqueue(const char *name, datum argument,
                             struct error *e) {
  return open(name, "max-pqueue", max_pqueue_defs, argument, e);
}
