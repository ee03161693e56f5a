/*
 * The map of FL_SPEC, a tree key -> value + 1.  Recorded histories of maps are
 * of type "kv", which has a register for each key and can be checked key by
 * key; this one has a size too.
 */
#include "spec/type_keyed.h"

enum {
  GET,
  CONTAINS,
  PUT,
  PUT_IF_ABSENT,
  REPLACE,
  EXCHANGE,
  REMOVE,
  TAKE,
  CAS,
  GET_OR_ADD,
};

const struct op_def map_defs[] = {
    {"get", "k", GET, ROLE_READ, GIVES_ITEM, true},
    {"contains", "k", CONTAINS, ROLE_CONTAINS, GIVES_FLAG, true},
    {"put", "kv", PUT, ROLE_WRITE, GIVES_FLAG},
    {"putifabsent", "kv", PUT_IF_ABSENT, ROLE_OTHER, GIVES_FLAG},
    {"replace", "kv", REPLACE, ROLE_OTHER, GIVES_FLAG},
    {"exchange", "kv", EXCHANGE, ROLE_OTHER, GIVES_ITEM},
    {"remove", "k", REMOVE, ROLE_DELETE_KEY, GIVES_FLAG},
    {"take", "k", TAKE, ROLE_OTHER, GIVES_ITEM},
    {"getoradd", "kv", GET_OR_ADD, ROLE_OTHER, GIVES_ITEM},
    {"cas", "kon", CAS, ROLE_CAS, GIVES_FLAG},
    KEYED_SIZE_DEFS,
    {0}};

/* Operations on one key, whose value in the tree is `had`. */
static uint64_t key_apply(uint64_t had, const struct type_op *op,
                          datum *answer) {
  uint64_t given = (uint64_t)op->arg[0] + 1;
  switch (op->code) {
  case PUT:
    *answer = datum_bool(!had);
    return given;
  case PUT_IF_ABSENT:
    *answer = datum_bool(!had);
    return had ? had : given;
  case GET_OR_ADD:
    *answer = (datum)((had ? had : given) - 1);
    return had ? had : given;
  case REPLACE:
    *answer = datum_bool(had);
    return had ? given : 0;
  case CAS:
    *answer = datum_bool(had == given);
    return had == given ? (uint64_t)op->arg[1] + 1 : had;
  case CONTAINS:
    *answer = datum_bool(had);
    return had;
  case REMOVE:
    *answer = datum_bool(had);
    return 0;
  }
  *answer = had ? (datum)(had - 1) : DATUM_NIL;
  return op->code == EXCHANGE ? given : op->code == TAKE ? 0 : had;
}

static bool pair(void *with, datum key, uint64_t value) {
  data_list *out = with;
  vec_push(out, key);
  vec_push(out, (datum)(value - 1));
  return true;
}

static void contents(struct known_type *k, uint32_t state, data_list *out) {
  tree_each(&((struct keyed *)k)->trees, state, pair, out);
}

static bool apply(struct known_type *k, uint32_t state,
                  const struct type_op *op, datum *answer, uint32_t *next) {
  struct trees *t = &((struct keyed *)k)->trees;
  *next = state;
  if (op->code >= KEYED_SIZE)
    keyed_apply(state, op, tree_size(t, state), answer, next);
  else
    *next = tree_put(t, state, op->key,
                     key_apply(tree_get(t, state, op->key), op, answer));
  return true;
}

static void print(struct type *t, uint32_t state, struct buf *out) {
  data_list all = {0};
  contents((struct known_type *)t, state, &all);
  datum_print(datum_map(all.at, all.len / 2), out);
  vec_free(&all);
}

struct type *open_map(const char *name, datum argument, struct error *e) {
  (void)argument, (void)e;
  struct keyed *s = keyed_new(name, "map", map_defs, apply);
  s->known.type.by_key = true;
  s->known.type.print_state = print;
  s->known.contents = contents;
  return &s->known.type;
}
