/*
 * What types whose state is a tree share: memory, lists as trees, sizes.
 */
#include "spec/type_keyed.h"

uint32_t keyed_list(struct keyed *s, datum list,
                    uint32_t (*make)(struct keyed *s,
                                     const struct datum_box *list)) {
  bool fresh;
  uint32_t *slot =
      map128_put(&s->lists, hash128(&list, sizeof list, 3), &fresh);
  if (fresh)
    *slot = make(s, datum_box(list));
  return *slot;
}

bool keyed_collect(void *with, datum key, uint64_t count) {
  data_list *out = with;
  for (; count; count--)
    vec_push(out, key);
  return true;
}

bool keyed_add_up(void *with, datum key, uint64_t count) {
  (void)key;
  *(uint64_t *)with += count;
  return true;
}

bool keyed_apply(uint32_t state, const struct type_op *op, uint64_t size,
                 datum *answer, uint32_t *next) {
  switch (op->code) {
  case KEYED_SIZE:
    *answer = datum_number((int64_t)size);
    break;
  case KEYED_IS_EMPTY:
    *answer = datum_bool(state == 0);
    break;
  default:
    *next = 0;
  }
  return true;
}

/* From old numbers of bags to new ones. */
static uint64_t new_bag(void *with, uint64_t bag, const uint32_t *new_number) {
  (void)new_number;
  return ((const uint32_t *)with)[bag];
}

/* Bags of priorities that stay, stay. */
static uint32_t *mark_bags(const struct keyed *s, const uint32_t *marks) {
  uint32_t *bags = trees_marks(&s->bags);
  for (uint32_t i = 1; i <= pool_len(&s->trees.nodes); i++)
    if (marks[i])
      tree_mark(&s->bags, (uint32_t)tree_node(&s->trees, i)->value, bags);
  return bags;
}

static void forget(struct type *t, uint32_t *keep, uint32_t n) {
  struct keyed *s = (struct keyed *)t;
  uint32_t *marks = trees_marks(&s->trees);
  tree_mark(&s->trees, t->initial, marks);
  for (uint32_t i = 0; i < n; i++)
    tree_mark(&s->trees, keep[i], marks);
  if (pool_len(&s->bags.nodes)) {
    uint32_t *bags = mark_bags(s, marks);
    trees_compact(&s->bags, bags, NULL, NULL);
    trees_compact(&s->trees, marks, new_bag, bags);
    free(bags);
  } else {
    trees_compact(&s->trees, marks, NULL, NULL);
  }
  t->initial = marks[t->initial];
  for (uint32_t i = 0; i < n; i++)
    keep[i] = marks[keep[i]];
  map128_free(&s->lists);
  free(marks);
}

static uint64_t bytes(const struct type *t) {
  const struct keyed *s = (const struct keyed *)t;
  return pool_bytes(&s->trees.nodes) + pool_bytes(&s->bags.nodes) +
         map128_bytes(&s->lists);
}

static void free_keyed(struct type *t) {
  struct keyed *s = (struct keyed *)t;
  trees_free(&s->trees);
  trees_free(&s->bags);
  map128_free(&s->lists);
  known_free(t);
}

static int prepare(struct type *t, const struct log *l, const struct log_op *op,
                   struct type_op *out, struct error *e) {
  int code = known_prepare(t, l, op, out, e);
  if (code || out->code != KEYED_ALL || out->any_result ||
      out->result == DATUM_NIL || datum_kind(out->result) == DATUM_IS_LIST)
    return code;
  return type_refuse(e, l, op, "reading a whole %s gives a list", t->name);
}

struct keyed *keyed_new(const char *name, const char *shape,
                        const struct op_def *defs, known_apply *apply) {
  struct keyed *s = known_new(sizeof *s, name, shape, defs, apply);
  trees_init(&s->trees);
  trees_init(&s->bags);
  struct type *t = &s->known.type;
  t->prepare = prepare;
  t->forget = forget;
  t->bytes = bytes;
  t->free = free_keyed;
  return s;
}
