/*
 * ConcurrentHashMap, ConcurrentSkipListMap and ConcurrentSkipListSet: a tree
 * key -> value + 1, or element -> 1.  A ConcurrentHashMap shows its keys in the
 * order of their hashes, which is ascending for small numbers.
 */
#include "spec/type_juc.h"
#include "spec/type_tree.h"

#include <string.h>

struct juc_map {
  struct known_type known;
  struct trees trees;
  struct buf text;
  datum no_such_element, illegal_argument;
};

enum {
  CONTAINS_KEY,
  GET,
  PUT,
  PUT_IF_ABSENT,
  REPLACE,
  REMOVE,
  ADD,          /* of a set */
  REMOVE_VALUE, /* of a set: whether it was there */
  PUT_ALL,
  ADD_ALL,
  REMOVE_ALL,
  RETAIN_ALL,
  CONTAINS_ALL,
  CLEAR,
  CONTAINS_VALUE,
  IS_EMPTY,
  SIZE,
  PRINT_MAP,
  PRINT_ENTRIES,
  PRINT_KEYS,
  PRINT_VALUES,
  CEILING,
  FLOOR,
  HIGHER,
  LOWER,
  FIRST,
  LAST,
  POLL_FIRST_ENTRY,
  POLL_LAST_ENTRY,
  POLL_FIRST,
  POLL_LAST,
  HEAD,
  TAIL,
  SUB,
};

#define READS(name, args, code)                                                \
  { name, args, code, ROLE_OTHER, GIVES_VALUE, true }
#define WRITES(name, args, code)                                               \
  { name, args, code, ROLE_OTHER, GIVES_VALUE }
#define VOID(name, args, code)                                                 \
  { name, args, code, ROLE_OTHER, GIVES_NOTHING }

#define MAP_DEFS                                                               \
  READS("containskey", "k", CONTAINS_KEY), READS("get", "k", GET),             \
      WRITES("put", "kv", PUT), WRITES("putifabsent", "kv", PUT_IF_ABSENT),    \
      WRITES("replace", "kv", REPLACE), WRITES("remove", "k", REMOVE),         \
      VOID("putall", "m", PUT_ALL), VOID("clear", "", CLEAR),                  \
      READS("containsvalue", "v", CONTAINS_VALUE),                             \
      READS("entryset", "", PRINT_ENTRIES), READS("keyset", "", PRINT_KEYS),   \
      READS("values", "", PRINT_VALUES), READS("isempty", "", IS_EMPTY),       \
      READS("size", "", SIZE), READS("tostring", "", PRINT_MAP)

static const struct op_def hash_defs[] = {
    MAP_DEFS,
    READS("contains", "v", CONTAINS_VALUE),
    READS("keys", "", PRINT_KEYS),
    READS("elements", "", PRINT_VALUES),
    READS("mappingcount", "", SIZE),
    {0}};

static const struct op_def skip_list_defs[] = {
    MAP_DEFS,
    READS("ceilingkey", "v", CEILING),
    READS("floorkey", "v", FLOOR),
    READS("higherkey", "v", HIGHER),
    READS("lowerkey", "v", LOWER),
    READS("firstkey", "", FIRST),
    READS("lastkey", "", LAST),
    WRITES("pollfirstentry", "", POLL_FIRST_ENTRY),
    WRITES("polllastentry", "", POLL_LAST_ENTRY),
    READS("headmap", "v", HEAD),
    READS("tailmap", "v", TAIL),
    READS("submap", "on", SUB),
    {0}};

static const struct op_def set_class_defs[] = {
    {"add", "e", ADD, ROLE_INSERT, GIVES_VALUE},
    {"contains", "e", CONTAINS_KEY, ROLE_CONTAINS, GIVES_VALUE, true},
    {"remove", "e", REMOVE_VALUE, ROLE_DELETE, GIVES_VALUE},
    READS("ceiling", "v", CEILING),
    READS("floor", "v", FLOOR),
    READS("higher", "v", HIGHER),
    READS("lower", "v", LOWER),
    READS("first", "", FIRST),
    READS("last", "", LAST),
    WRITES("pollfirst", "", POLL_FIRST),
    WRITES("polllast", "", POLL_LAST),
    WRITES("addall", "c", ADD_ALL),
    WRITES("removeall", "c", REMOVE_ALL),
    WRITES("retainall", "c", RETAIN_ALL),
    READS("containsall", "c", CONTAINS_ALL),
    VOID("clear", "", CLEAR),
    READS("isempty", "", IS_EMPTY),
    READS("size", "", SIZE),
    READS("toarray tostring", "", PRINT_KEYS),
    READS("headset", "v", HEAD),
    READS("tailset", "v", TAIL),
    READS("subset", "on", SUB),
    {0}};

static bool is_set(const struct juc_map *m) {
  return m->known.defs == set_class_defs;
}

/* Which part of the map is shown, and how. */
struct showing {
  struct juc_map *m;
  unsigned how;   /* PRINT_… */
  datum from, to; /* keys at least `from` and below `to`; DATUM_NONE: all */
  bool more;
};

static bool show(void *with, datum key, uint64_t value) {
  struct showing *s = with;
  struct buf *out = &s->m->text;
  if (s->from != DATUM_NONE && datum_order(key, s->from) < 0)
    return true;
  if (s->to != DATUM_NONE && datum_order(key, s->to) >= 0)
    return false;
  buf_puts(out, s->more ? ", " : "");
  s->more = true;
  if (s->how != PRINT_VALUES)
    java_print(key, out);
  if (s->how == PRINT_MAP || s->how == PRINT_ENTRIES)
    buf_putc(out, '=');
  if (s->how != PRINT_KEYS)
    java_print(value - 1, out);
  return true;
}

static void print(struct juc_map *m, uint32_t state, unsigned how, datum from,
                  datum to) {
  struct showing s = {m, how, from, to, false};
  buf_putc(&m->text, how == PRINT_MAP ? '{' : '[');
  tree_each(&m->trees, state, show, &s);
  buf_putc(&m->text, how == PRINT_MAP ? '}' : ']');
}

/* headMap, tailMap, subMap, and the same of sets. */
static bool show_part(struct juc_map *m, uint32_t state,
                      const struct type_op *op, datum *answer) {
  datum from = op->code == HEAD ? DATUM_NONE : op->arg[0];
  datum to = op->code == HEAD  ? op->arg[0]
             : op->code == SUB ? op->arg[1]
                               : DATUM_NONE;
  if (op->code == SUB && datum_order(from, to) > 0) {
    *answer = m->illegal_argument;
    return true;
  }
  print(m, state, is_set(m) ? PRINT_KEYS : PRINT_MAP, from, to);
  return java_text(&m->text, op, answer);
}

static datum key_at(const struct juc_map *m, uint32_t node) {
  return node ? tree_node(&m->trees, node)->key : DATUM_NIL;
}

static bool neighbour(struct juc_map *m, uint32_t state,
                      const struct type_op *op, datum *answer) {
  bool or_equal = op->code == CEILING || op->code == FLOOR;
  bool up = op->code == CEILING || op->code == HIGHER;
  *answer = key_at(m, up ? tree_above(&m->trees, state, op->arg[0], or_equal)
                         : tree_below(&m->trees, state, op->arg[0], or_equal));
  return true;
}

static bool poll(struct juc_map *m, uint32_t state, const struct type_op *op,
                 datum *answer, uint32_t *next) {
  bool first = op->code == POLL_FIRST || op->code == POLL_FIRST_ENTRY;
  uint32_t node =
      first ? tree_first(&m->trees, state) : tree_last(&m->trees, state);
  *answer = key_at(m, node);
  if (!node)
    return true;
  struct tree_node n = *tree_node(&m->trees, node);
  *next = tree_put(&m->trees, state, n.key, 0);
  if (op->code == POLL_FIRST || op->code == POLL_LAST)
    return true;
  java_print(n.key, &m->text);
  buf_putc(&m->text, '=');
  java_print(n.value - 1, &m->text);
  return java_text(&m->text, op, answer);
}

static bool end(struct juc_map *m, uint32_t state, const struct type_op *op,
                datum *answer) {
  uint32_t node = op->code == FIRST ? tree_first(&m->trees, state)
                                    : tree_last(&m->trees, state);
  *answer = node ? key_at(m, node) : m->no_such_element;
  return true;
}

static uint32_t put_all(struct juc_map *m, uint32_t state, datum map) {
  const struct datum_box *b = datum_box(map);
  for (uint32_t i = 0; i + 1 < b->len; i += 2)
    state = tree_put(&m->trees, state, known_tidy(&m->known, b->items[i]),
                     known_tidy(&m->known, b->items[i + 1]) + 1);
  return state;
}

/* addAll, removeAll: each element of the list is put or taken out. */
static uint32_t put_each(struct juc_map *m, uint32_t state, datum list,
                         uint64_t value) {
  const struct datum_box *b = datum_box(list);
  for (uint32_t i = 0; i < b->len; i++)
    state =
        tree_put(&m->trees, state, known_tidy(&m->known, b->items[i]), value);
  return state;
}

static uint32_t retain(struct juc_map *m, uint32_t state, datum list) {
  const struct datum_box *b = datum_box(list);
  uint32_t next = 0;
  for (uint32_t i = 0; i < b->len; i++) {
    datum d = known_tidy(&m->known, b->items[i]);
    if (tree_get(&m->trees, state, d))
      next = tree_put(&m->trees, next, d, 1);
  }
  return next;
}

static bool has_all(struct juc_map *m, uint32_t state, datum list) {
  const struct datum_box *b = datum_box(list);
  for (uint32_t i = 0; i < b->len; i++)
    if (!tree_get(&m->trees, state, known_tidy(&m->known, b->items[i])))
      return false;
  return true;
}

static bool is_other(void *with, datum key, uint64_t value) {
  (void)key;
  return value - 1 != *(datum *)with;
}

/* Operations on one key. */
static bool apply_to_key(struct juc_map *m, uint32_t state,
                         const struct type_op *op, datum *answer,
                         uint32_t *next) {
  uint64_t had = tree_get(&m->trees, state, op->key), now = had;
  *answer = had ? had - 1 : DATUM_NIL;
  switch (op->code) {
  case CONTAINS_KEY:
    *answer = datum_bool(had);
    break;
  case PUT:
    now = op->arg[0] + 1;
    break;
  case PUT_IF_ABSENT:
    now = had ? had : op->arg[0] + 1;
    break;
  case REPLACE:
    now = had ? op->arg[0] + 1 : 0;
    break;
  case REMOVE:
    now = 0;
    break;
  case ADD:
    *answer = datum_bool(!had);
    now = 1;
    break;
  case REMOVE_VALUE:
    *answer = datum_bool(had);
    now = 0;
    break;
  }
  *next = tree_put(&m->trees, state, op->key, now);
  return true;
}

static bool apply_to_all(struct juc_map *m, uint32_t state,
                         const struct type_op *op, datum *answer,
                         uint32_t *next) {
  datum arg = op->arg[0];
  switch (op->code) {
  case PUT_ALL:
    *next = put_all(m, state, arg);
    break;
  case ADD_ALL:
  case REMOVE_ALL:
  case RETAIN_ALL:
    *next = op->code == RETAIN_ALL
                ? retain(m, state, arg)
                : put_each(m, state, arg, op->code == ADD_ALL ? 1 : 0);
    *answer = datum_bool(*next != state);
    break;
  case CONTAINS_ALL:
    *answer = datum_bool(has_all(m, state, arg));
    break;
  case CLEAR:
    *next = 0;
    break;
  case CONTAINS_VALUE:
    *answer = datum_bool(!tree_each(&m->trees, state, is_other, &arg));
    break;
  case IS_EMPTY:
    *answer = datum_bool(state == 0);
    break;
  case SIZE:
    *answer = datum_number(tree_size(&m->trees, state));
    break;
  default:
    print(m, state, op->code, DATUM_NONE, DATUM_NONE);
    return java_text(&m->text, op, answer);
  }
  return true;
}

static bool apply(struct known_type *k, uint32_t state,
                  const struct type_op *op, datum *answer, uint32_t *next) {
  struct juc_map *m = (struct juc_map *)k;
  *next = state;
  switch (op->code) {
  case CONTAINS_KEY:
  case GET:
  case PUT:
  case PUT_IF_ABSENT:
  case REPLACE:
  case REMOVE:
  case ADD:
  case REMOVE_VALUE:
    return apply_to_key(m, state, op, answer, next);
  case CEILING:
  case FLOOR:
  case HIGHER:
  case LOWER:
    return neighbour(m, state, op, answer);
  case FIRST:
  case LAST:
    return end(m, state, op, answer);
  case POLL_FIRST:
  case POLL_LAST:
  case POLL_FIRST_ENTRY:
  case POLL_LAST_ENTRY:
    return poll(m, state, op, answer, next);
  case HEAD:
  case TAIL:
  case SUB:
    return show_part(m, state, op, answer);
  default:
    return apply_to_all(m, state, op, answer, next);
  }
}

static void print_state(struct type *t, uint32_t state, struct buf *out) {
  struct juc_map *m = (struct juc_map *)t;
  print(m, state, is_set(m) ? PRINT_KEYS : PRINT_MAP, DATUM_NONE, DATUM_NONE);
  buf_puts(out, buf_text(&m->text));
  buf_clear(&m->text);
}

static void forget(struct type *t, uint32_t *keep, uint32_t n) {
  trees_forget(&((struct juc_map *)t)->trees, keep, n);
}

static uint64_t bytes(const struct type *t) {
  return pool_bytes(&((const struct juc_map *)t)->trees.nodes);
}

static void free_map(struct type *t) {
  struct juc_map *m = (struct juc_map *)t;
  trees_free(&m->trees);
  buf_free(&m->text);
  known_free(t);
}

static struct type *open(const char *name, const char *shape,
                         const struct op_def *defs) {
  struct juc_map *m = known_new(sizeof *m, name, shape, defs, apply);
  struct type *t = &m->known.type;
  m->known.java = true;
  m->no_such_element = java_exception(JAVA_NO_SUCH_ELEMENT);
  m->illegal_argument = java_exception(JAVA_ILLEGAL_ARGUMENT);
  trees_init(&m->trees);
  t->by_key = true;
  t->print_state = print_state;
  t->forget = forget;
  t->bytes = bytes;
  t->free = free_map;
  return t;
}

/* Their arguments are capacities, which nothing shows. */
struct type *open_juc_map(const char *name, datum argument, struct error *e) {
  (void)argument, (void)e;
  bool hash = !strcmp(name, "ConcurrentHashMap");
  return open(name, "map", hash ? hash_defs : skip_list_defs);
}

struct type *open_juc_set(const char *name, datum argument, struct error *e) {
  (void)argument, (void)e;
  return open(name, "set", set_class_defs);
}
