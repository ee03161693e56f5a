/*
 * Snapshot: segments that are written one by one and read all at once.
 */
#include "spec/type_keyed.h"

enum { UPDATE, SCAN, READ_SEGMENT };

const struct op_def snapshot_defs[] = {
    {"update write | w set", "vn", UPDATE, ROLE_OTHER, GIVES_NOTHING},
    {"scan snapshot | readall", "", SCAN, ROLE_OTHER, GIVES_VALUE, true},
    {"read | r get", "v", READ_SEGMENT, ROLE_OTHER, GIVES_VALUE, true},
    {0}};

static datum segment(struct keyed *s, uint32_t state, datum index) {
  uint64_t v = tree_get(&s->trees, state, index);
  return v ? v - 1 : DATUM_NIL;
}

/* Segments that hold nil are not in the tree. */
static uint32_t set_segment(struct keyed *s, uint32_t state, datum index,
                            datum value) {
  return tree_put(&s->trees, state, index, value == DATUM_NIL ? 0 : value + 1);
}

static uint32_t make_segments(struct keyed *s, const struct datum_box *list) {
  uint32_t tree = 0;
  for (uint32_t i = 0; i < list->len; i++)
    tree = set_segment(s, tree, datum_number(i),
                       known_tidy(&s->known, list->items[i]));
  return tree;
}

static datum scanned(struct keyed *s, uint32_t state) {
  uint32_t last = tree_last(&s->trees, state), n = s->segments;
  if (n == UINT32_MAX) {
    n = 0;
    if (last && datum_is_number(tree_node(&s->trees, last)->key))
      n = (uint32_t)datum_to_number(tree_node(&s->trees, last)->key) + 1;
  }
  VEC(datum) items = {0};
  for (uint32_t i = 0; i < n; i++)
    vec_push(&items, segment(s, state, datum_number(i)));
  datum d = datum_list(items.at, items.len);
  vec_free(&items);
  return d;
}

static bool snapshot_apply(struct known_type *k, uint32_t state,
                           const struct type_op *op, datum *answer,
                           uint32_t *next) {
  struct keyed *s = (struct keyed *)k;
  *next = state;
  switch (op->code) {
  case UPDATE:
    *next = set_segment(s, state, op->arg[0], op->arg[1]);
    return true;
  case READ_SEGMENT:
    *answer = segment(s, state, op->arg[0]);
    return true;
  default:
    *answer = op->any_result ? scanned(s, state) : op->result;
    return op->any_result ||
           (datum_kind(op->result) == DATUM_IS_LIST &&
            (s->segments == UINT32_MAX ||
             datum_box(op->result)->len == s->segments) &&
            keyed_list(s, op->result, make_segments) == state);
  }
}

static int snapshot_prepare(struct type *t, const struct log *l,
                            const struct log_op *op, struct type_op *out,
                            struct error *e) {
  struct keyed *s = (struct keyed *)t;
  int code = known_prepare(t, l, op, out, e);
  if (code || out->code == SCAN || out->code == CODE_NOTHING)
    return code;
  int64_t limit = s->segments == UINT32_MAX ? INT32_MAX : s->segments;
  if (!datum_is_number(out->arg[0]) || datum_to_number(out->arg[0]) < 0 ||
      datum_to_number(out->arg[0]) >= limit)
    return type_refuse(e, l, op,
                       "a snapshot's segments are the numbers 0 to "
                       "%lld",
                       (long long)limit - 1);
  return 0;
}

static void print(struct type *t, uint32_t state, struct buf *out) {
  datum_print(scanned((struct keyed *)t, state), out);
}

/* The argument is how many segments there are, or what they begin with. */
struct type *open_snapshot(const char *name, datum argument, struct error *e) {
  bool list = datum_kind(argument) == DATUM_IS_LIST;
  if (argument != DATUM_NONE && !list &&
      (!datum_is_number(argument) || datum_to_number(argument) < 1 ||
       datum_to_number(argument) > INT32_MAX)) {
    error_set(e, ERR_USAGE,
              "%s: its argument is the number of segments, or a list of their "
              "first values",
              name);
    return NULL;
  }
  struct keyed *s = keyed_new(name, "snapshot", snapshot_defs, snapshot_apply);
  struct type *t = &s->known.type;
  t->prepare = snapshot_prepare;
  t->print_state = print;
  s->segments = UINT32_MAX;
  if (list) {
    s->segments = datum_box(argument)->len;
    t->initial = make_segments(s, datum_box(argument));
  } else if (argument != DATUM_NONE) {
    s->segments = (uint32_t)datum_to_number(argument);
  }
  return t;
}
