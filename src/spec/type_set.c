/*
 * Set and multiset.
 */
#include "spec/type_keyed.h"

enum { ADD, REMOVE, CONTAINS, COUNT };

const struct op_def set_defs[] = {
    {"add insert | put", "e", ADD, ROLE_INSERT, GIVES_FLAG},
    {"remove delete discard | del erase", "e", REMOVE, ROLE_DELETE, GIVES_FLAG},
    {"contains has member | find search lookup ismember", "e", CONTAINS,
     ROLE_CONTAINS, GIVES_FLAG, true},
    KEYED_DEFS("read | r elements toarray tolist"),
    {0}};

const struct op_def multiset_defs[] = {
    {"add insert | put", "e", ADD, ROLE_INSERT, GIVES_SUCCESS},
    {"remove delete discard | del erase", "e", REMOVE, ROLE_DELETE, GIVES_FLAG},
    {"contains has member | find search lookup", "e", CONTAINS, ROLE_CONTAINS,
     GIVES_FLAG, true},
    {"count", "e", COUNT, ROLE_OTHER, GIVES_VALUE, true},
    KEYED_DEFS("read | r elements toarray tolist"),
    {0}};

/* Of a set too: one that shows an element twice is no state of it. */
static uint32_t make_tree(struct keyed *s, const struct datum_box *list) {
  uint32_t tree = 0;
  for (uint32_t i = 0; i < list->len; i++) {
    datum d = known_tidy(&s->known, list->items[i]);
    tree = tree_put(&s->trees, tree, d, tree_get(&s->trees, tree, d) + 1);
  }
  return tree;
}

static void contents(struct known_type *k, uint32_t state, data_list *out) {
  tree_each(&((struct keyed *)k)->trees, state, keyed_collect, out);
}

static datum list_of(struct keyed *s, uint32_t tree) {
  data_list all = {0};
  contents(&s->known, tree, &all);
  datum d = datum_list(all.at, all.len);
  vec_free(&all);
  return d;
}

static bool give_all(struct keyed *s, uint32_t state, const struct type_op *op,
                     datum *answer) {
  if (op->any_result) {
    *answer = list_of(s, state);
    return true;
  }
  *answer = op->result;
  if (op->result == DATUM_NIL)
    return state == 0;
  return datum_kind(op->result) == DATUM_IS_LIST &&
         keyed_list(s, op->result, make_tree) == state;
}

static bool set_apply(struct known_type *k, uint32_t state,
                      const struct type_op *op, datum *answer, uint32_t *next) {
  struct keyed *s = (struct keyed *)k;
  bool there =
      op->arg[0] != DATUM_NONE && tree_get(&s->trees, state, op->arg[0]) != 0;
  *next = state;
  switch (op->code) {
  case ADD:
  case REMOVE:
    *answer = datum_bool(there == (op->code == REMOVE));
    if (!op->any_result && *answer != op->result)
      return false;
    *next = tree_put(&s->trees, state, op->arg[0], op->code == ADD);
    return true;
  case CONTAINS:
    *answer = datum_bool(there);
    return true;
  case KEYED_ALL:
    return give_all(s, state, op, answer);
  default:
    return keyed_apply(state, op, tree_size(&s->trees, state), answer, next);
  }
}

static bool multiset_apply(struct known_type *k, uint32_t state,
                           const struct type_op *op, datum *answer,
                           uint32_t *next) {
  struct keyed *s = (struct keyed *)k;
  uint64_t count =
      op->arg[0] == DATUM_NONE ? 0 : tree_get(&s->trees, state, op->arg[0]);
  *next = state;
  switch (op->code) {
  case ADD:
    *answer = DATUM_TRUE;
    *next = tree_put(&s->trees, state, op->arg[0], count + 1);
    return true;
  case REMOVE:
    *answer = datum_bool(count > 0);
    if (!op->any_result && *answer != op->result)
      return false;
    if (count)
      *next = tree_put(&s->trees, state, op->arg[0], count - 1);
    return true;
  case CONTAINS:
    *answer = datum_bool(count > 0);
    return true;
  case COUNT:
    *answer = datum_number((int64_t)count);
    return true;
  case KEYED_ALL:
    return give_all(s, state, op, answer);
  default: {
    uint64_t size = 0;
    if (op->code == KEYED_SIZE)
      tree_each(&s->trees, state, keyed_add_up, &size);
    return keyed_apply(state, op, size, answer, next);
  }
  }
}

static void print(struct type *t, uint32_t state, struct buf *out) {
  datum_print(list_of((struct keyed *)t, state), out);
}

static struct type *open(const char *name, const char *shape,
                         const struct op_def *defs, known_apply *apply,
                         datum argument, struct error *e) {
  if (argument != DATUM_NONE) {
    error_set(e, ERR_USAGE, "a %s takes no argument", name);
    return NULL;
  }
  struct keyed *s = keyed_new(name, shape, defs, apply);
  s->known.type.by_key = true;
  s->known.type.print_state = print;
  s->known.contents = contents;
  return &s->known.type;
}

struct type *open_set(const char *name, datum argument, struct error *e) {
  return open(name, "set", set_defs, set_apply, argument, e);
}

struct type *open_multiset(const char *name, datum argument, struct error *e) {
  return open(name, "multiset", multiset_defs, multiset_apply, argument, e);
}
