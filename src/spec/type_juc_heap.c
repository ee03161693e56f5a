/*
 * PriorityBlockingQueue (OpenJDK 17).  What it prints is the array of its heap,
 * so that is the state: a tree index -> element + 1.  Each step moves elements
 * as the class does.
 */
#include "spec/type_juc.h"
#include "spec/type_tree.h"

struct juc_heap {
  struct known_type known;
  struct trees trees;
  struct buf text;
  datum no_such_element;
};

enum {
  OFFER,
  PUT,
  POLL,
  TAKE,
  REMOVE,
  PEEK,
  ELEMENT,
  CONTAINS,
  ADD_ALL,
  REMOVE_ALL,
  RETAIN_ALL,
  CONTAINS_ALL,
  CLEAR,
  IS_EMPTY,
  SIZE,
  REMAINING,
  PRINT,
};

#define WRITES(name, args, code, role)                                         \
  { name, args, code, role, GIVES_VALUE }
#define READS(name, args, code, role)                                          \
  { name, args, code, role, GIVES_VALUE, true }

static const struct op_def defs[] = {
    WRITES("offer add", "v", OFFER, ROLE_ADD),
    {"put", "v", PUT, ROLE_ADD, GIVES_NOTHING},
    WRITES("poll", "", POLL, ROLE_REMOVE),
    WRITES("take", "", TAKE, ROLE_REMOVE),
    WRITES("remove", "?v", REMOVE, ROLE_OTHER),
    READS("peek", "", PEEK, ROLE_PEEK),
    READS("element", "", ELEMENT, ROLE_OTHER),
    READS("contains", "v", CONTAINS, ROLE_OTHER),
    WRITES("addall", "c", ADD_ALL, ROLE_OTHER),
    WRITES("removeall", "c", REMOVE_ALL, ROLE_OTHER),
    WRITES("retainall", "c", RETAIN_ALL, ROLE_OTHER),
    READS("containsall", "c", CONTAINS_ALL, ROLE_OTHER),
    {"clear", "", CLEAR, ROLE_OTHER, GIVES_NOTHING},
    READS("isempty", "", IS_EMPTY, ROLE_OTHER),
    READS("size", "", SIZE, ROLE_OTHER),
    READS("remainingcapacity", "", REMAINING, ROLE_OTHER),
    READS("toarray tostring", "", PRINT, ROLE_OTHER),
    {0}};

static datum get(const struct juc_heap *h, uint32_t state, uint32_t i) {
  return tree_get(&h->trees, state, datum_number(i)) - 1;
}

static uint32_t set(struct juc_heap *h, uint32_t state, uint32_t i, datum d) {
  return tree_put(&h->trees, state, datum_number(i), d + 1);
}

static uint32_t drop(struct juc_heap *h, uint32_t state, uint32_t i) {
  return tree_put(&h->trees, state, datum_number(i), 0);
}

static uint32_t sift_up(struct juc_heap *h, uint32_t state, uint32_t k,
                        datum x) {
  while (k > 0) {
    uint32_t parent = (k - 1) / 2;
    datum p = get(h, state, parent);
    if (datum_order(x, p) >= 0)
      break;
    state = set(h, state, k, p);
    k = parent;
  }
  return set(h, state, k, x);
}

static uint32_t sift_down(struct juc_heap *h, uint32_t state, uint32_t k,
                          datum x, uint32_t n) {
  while (k < n / 2) {
    uint32_t child = 2 * k + 1;
    datum c = get(h, state, child);
    if (child + 1 < n && datum_order(c, get(h, state, child + 1)) > 0)
      c = get(h, state, ++child);
    if (datum_order(x, c) <= 0)
      break;
    state = set(h, state, k, c);
    k = child;
  }
  return set(h, state, k, x);
}

static uint32_t offer(struct juc_heap *h, uint32_t state, datum x) {
  return sift_up(h, state, tree_size(&h->trees, state), x);
}

static uint32_t remove_at(struct juc_heap *h, uint32_t state, uint32_t i) {
  uint32_t last = tree_size(&h->trees, state) - 1;
  datum moved = get(h, state, last);
  state = drop(h, state, last);
  if (i == last)
    return state;
  state = sift_down(h, state, i, moved, last);
  return get(h, state, i) == moved ? sift_up(h, state, i, moved) : state;
}

/* The first index of a value, or the size. */
static uint32_t find(struct juc_heap *h, uint32_t state, datum x) {
  uint32_t n = tree_size(&h->trees, state), i = 0;
  while (i < n && get(h, state, i) != x)
    i++;
  return i;
}

/* Compacts the array and makes it a heap again. */
static uint32_t filter(struct juc_heap *h, uint32_t state, datum list,
                       bool keep) {
  uint32_t n = tree_size(&h->trees, state), kept = 0, next = 0;
  for (uint32_t i = 0; i < n; i++) {
    datum x = get(h, state, i);
    if (java_has(&h->known, list, x) == keep)
      next = set(h, next, kept++, x);
  }
  if (kept == n)
    return state;
  for (uint32_t i = kept / 2; i-- > 0;)
    next = sift_down(h, next, i, get(h, next, i), kept);
  return next;
}

/* The argument is a queue of this class itself, and is read in its order. */
static uint32_t add_all(struct juc_heap *h, uint32_t state, datum list) {
  const struct datum_box *b = datum_box(list);
  uint32_t other = 0;
  for (uint32_t i = 0; i < b->len; i++)
    other = offer(h, other, known_tidy(&h->known, b->items[i]));
  for (uint32_t i = 0; i < b->len; i++)
    state = offer(h, state, get(h, other, i));
  return state;
}

static bool has_all(struct juc_heap *h, uint32_t state, datum list) {
  const struct datum_box *b = datum_box(list);
  uint32_t n = tree_size(&h->trees, state);
  for (uint32_t i = 0; i < b->len; i++)
    if (find(h, state, known_tidy(&h->known, b->items[i])) == n)
      return false;
  return true;
}

static void print(struct juc_heap *h, uint32_t state, struct buf *out) {
  uint32_t n = tree_size(&h->trees, state);
  buf_putc(out, '[');
  for (uint32_t i = 0; i < n; i++) {
    buf_puts(out, i ? ", " : "");
    java_print(get(h, state, i), out);
  }
  buf_putc(out, ']');
}

static bool take(struct juc_heap *h, uint32_t state, const struct type_op *op,
                 datum *answer, uint32_t *next) {
  bool removes = op->code != PEEK && op->code != ELEMENT;
  bool throws = op->code == REMOVE || op->code == ELEMENT;
  if (!state) {
    *answer = throws ? h->no_such_element : DATUM_NIL;
    return op->code != TAKE;
  }
  *answer = get(h, state, 0);
  if (removes)
    *next = remove_at(h, state, 0);
  return true;
}

static bool apply_to_all(struct juc_heap *h, uint32_t state,
                         const struct type_op *op, datum *answer,
                         uint32_t *next) {
  uint32_t n = tree_size(&h->trees, state);
  switch (op->code) {
  case CONTAINS:
    *answer = datum_bool(find(h, state, op->arg[0]) < n);
    break;
  case ADD_ALL:
    *answer = datum_bool(datum_box(op->arg[0])->len > 0);
    *next = add_all(h, state, op->arg[0]);
    break;
  case REMOVE_ALL:
  case RETAIN_ALL:
    *next = filter(h, state, op->arg[0], op->code == RETAIN_ALL);
    *answer = datum_bool(tree_size(&h->trees, *next) != n);
    break;
  case CONTAINS_ALL:
    *answer = datum_bool(has_all(h, state, op->arg[0]));
    break;
  case CLEAR:
    *next = 0;
    break;
  case IS_EMPTY:
    *answer = datum_bool(n == 0);
    break;
  case SIZE:
    *answer = datum_number(n);
    break;
  case REMAINING:
    *answer = datum_number(INT32_MAX);
    break;
  default:
    print(h, state, &h->text);
    return java_text(&h->text, op, answer);
  }
  return true;
}

static bool apply(struct known_type *k, uint32_t state,
                  const struct type_op *op, datum *answer, uint32_t *next) {
  struct juc_heap *h = (struct juc_heap *)k;
  *next = state;
  switch (op->code) {
  case OFFER:
  case PUT:
    *answer = op->code == PUT ? DATUM_NONE : DATUM_TRUE;
    *next = offer(h, state, op->arg[0]);
    return true;
  case REMOVE:
    if (op->arg[0] != DATUM_NONE) {
      uint32_t i = find(h, state, op->arg[0]);
      bool there = i < tree_size(&h->trees, state);
      *answer = datum_bool(there);
      if (there)
        *next = remove_at(h, state, i);
      return true;
    } /* fall through */
  case POLL:
  case TAKE:
  case PEEK:
  case ELEMENT:
    return take(h, state, op, answer, next);
  default:
    return apply_to_all(h, state, op, answer, next);
  }
}

static void print_state(struct type *t, uint32_t state, struct buf *out) {
  print((struct juc_heap *)t, state, out);
}

static void forget(struct type *t, uint32_t *keep, uint32_t n) {
  trees_forget(&((struct juc_heap *)t)->trees, keep, n);
}

static uint64_t bytes(const struct type *t) {
  return pool_bytes(&((const struct juc_heap *)t)->trees.nodes);
}

static void free_heap(struct type *t) {
  struct juc_heap *h = (struct juc_heap *)t;
  trees_free(&h->trees);
  buf_free(&h->text);
  known_free(t);
}

struct type *open_juc_pbq(const char *name, datum argument, struct error *e) {
  (void)argument, (void)e; /* an initial capacity, which nothing shows */
  struct juc_heap *h = known_new(sizeof *h, name, "pqueue", defs, apply);
  struct type *t = &h->known.type;
  h->known.java = true;
  h->no_such_element = java_exception(JAVA_NO_SUCH_ELEMENT);
  trees_init(&h->trees);
  t->print_state = print_state;
  t->forget = forget;
  t->bytes = bytes;
  t->free = free_heap;
  return t;
}
