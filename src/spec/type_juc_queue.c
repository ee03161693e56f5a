/*
 * ArrayBlockingQueue, LinkedBlockingQueue, ConcurrentLinkedQueue,
 * LinkedTransferQueue, ConcurrentLinkedDeque, LinkedBlockingDeque.
 */
#include "spec/type_chain.h"
#include "spec/type_juc.h"

#include <string.h>

struct juc_queue {
  struct known_type known;
  struct chain_table chains;
  uint32_t capacity;
  datum no_such_element, illegal_state;
  struct buf text;
  VEC(datum) scratch;
};

enum {
  OFFER,     /* true, or false when full */
  ADD,       /* true, or IllegalStateException */
  ADD_VOID,  /* the same without a result */
  PUT,       /* waits when full */
  POLL,      /* null when empty */
  REMOVE,    /* NoSuchElementException when empty */
  TAKE,      /* waits when empty */
  PEEK,      /* null */
  GET,       /* NoSuchElementException */
  REMOVE_AT, /* the first or last occurrence of a value */
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

/* A code says what is done and at which end. */
#define AT(what, end) ((what) << 1 | (end))
#define FRONT CHAIN_FRONT
#define BACK CHAIN_BACK

#define WRITES(name, args, code, role)                                         \
  { name, args, code, role, GIVES_VALUE, false }
#define VOID(name, args, code)                                                 \
  { name, args, code, ROLE_OTHER, GIVES_NOTHING }
#define READS(name, args, code, role)                                          \
  { name, args, code, role, GIVES_VALUE, true }

/* Queues: `remove` without an argument takes the head. */
#define QUEUE_DEFS(add, remove, peek)                                          \
  WRITES("offer", "v", AT(OFFER, BACK), add),                                  \
      WRITES("add", "v", AT(ADD, BACK), add), VOID("put", "v", AT(PUT, BACK)), \
      WRITES("poll", "", AT(POLL, FRONT), remove),                             \
      WRITES("take", "", AT(TAKE, FRONT), remove),                             \
      READS("peek", "", AT(PEEK, FRONT), peek),                                \
      READS("element", "", AT(GET, FRONT), ROLE_OTHER),                        \
      WRITES("remove", "?v", AT(REMOVE_AT, FRONT), ROLE_OTHER),                \
      READS("contains", "v", AT(CONTAINS, 0), ROLE_OTHER),                     \
      WRITES("addall", "c", AT(ADD_ALL, 0), ROLE_OTHER),                       \
      WRITES("removeall", "c", AT(REMOVE_ALL, 0), ROLE_OTHER),                 \
      WRITES("retainall", "c", AT(RETAIN_ALL, 0), ROLE_OTHER),                 \
      READS("containsall", "c", AT(CONTAINS_ALL, 0), ROLE_OTHER),              \
      VOID("clear", "", AT(CLEAR, 0)),                                         \
      READS("isempty", "", AT(IS_EMPTY, 0), ROLE_OTHER),                       \
      READS("size", "", AT(SIZE, 0), ROLE_OTHER),                              \
      READS("toarray tostring", "", AT(PRINT, 0), ROLE_OTHER)
#define REMAINING_DEF                                                          \
  READS("remainingcapacity", "", AT(REMAINING, 0), ROLE_OTHER)

#define BOTH_ENDS                                                              \
  WRITES("offerfirst", "v", AT(OFFER, FRONT), ROLE_OTHER),                     \
      WRITES("offerlast", "v", AT(OFFER, BACK), ROLE_OTHER),                   \
      WRITES("addfirst push", "v", AT(ADD_VOID, FRONT), ROLE_OTHER),           \
      WRITES("addlast", "v", AT(ADD_VOID, BACK), ROLE_OTHER),                  \
      VOID("putfirst", "v", AT(PUT, FRONT)),                                   \
      VOID("putlast", "v", AT(PUT, BACK)),                                     \
      WRITES("pollfirst", "", AT(POLL, FRONT), ROLE_OTHER),                    \
      WRITES("polllast", "", AT(POLL, BACK), ROLE_OTHER),                      \
      WRITES("takefirst", "", AT(TAKE, FRONT), ROLE_OTHER),                    \
      WRITES("takelast", "", AT(TAKE, BACK), ROLE_OTHER),                      \
      WRITES("removefirst pop", "", AT(REMOVE, FRONT), ROLE_OTHER),            \
      WRITES("removelast", "", AT(REMOVE, BACK), ROLE_OTHER),                  \
      READS("peekfirst", "", AT(PEEK, FRONT), ROLE_OTHER),                     \
      READS("peeklast", "", AT(PEEK, BACK), ROLE_OTHER),                       \
      READS("getfirst", "", AT(GET, FRONT), ROLE_OTHER),                       \
      READS("getlast", "", AT(GET, BACK), ROLE_OTHER),                         \
      WRITES("removefirstoccurrence", "v", AT(REMOVE_AT, FRONT), ROLE_OTHER),  \
      WRITES("removelastoccurrence", "v", AT(REMOVE_AT, BACK), ROLE_OTHER)

static const struct op_def bounded_defs[] = {
    QUEUE_DEFS(ROLE_OTHER, ROLE_OTHER, ROLE_OTHER), REMAINING_DEF, {0}};
static const struct op_def queue_class_defs[] = {
    QUEUE_DEFS(ROLE_ADD, ROLE_REMOVE, ROLE_PEEK), REMAINING_DEF, {0}};
static const struct op_def linked_defs[] = {
    QUEUE_DEFS(ROLE_ADD, ROLE_REMOVE, ROLE_PEEK), {0}};
static const struct op_def linked_deque_defs[] = {
    QUEUE_DEFS(ROLE_OTHER, ROLE_OTHER, ROLE_OTHER), BOTH_ENDS, {0}};
static const struct op_def deque_class_defs[] = {
    QUEUE_DEFS(ROLE_OTHER, ROLE_OTHER, ROLE_OTHER),
    BOTH_ENDS,
    REMAINING_DEF,
    {0}};

static bool insert(struct juc_queue *q, uint32_t state,
                   const struct type_op *op, datum *answer, uint32_t *next) {
  unsigned what = op->code >> 1;
  if (chain_len(&q->chains, state) < q->capacity) {
    *answer = what == ADD_VOID || what == PUT ? DATUM_NONE : DATUM_TRUE;
    *next = chain_push(&q->chains, state, op->code & 1, op->arg[0]);
    return true;
  }
  *answer = what == OFFER ? DATUM_FALSE : q->illegal_state;
  return what != PUT;
}

static bool take(struct juc_queue *q, uint32_t state, const struct type_op *op,
                 datum *answer, uint32_t *next) {
  unsigned what = op->code >> 1;
  if (chain_len(&q->chains, state) == 0) {
    *answer = what == REMOVE || what == GET ? q->no_such_element : DATUM_NIL;
    return what != TAKE;
  }
  *answer = chain_peek(&q->chains, state, op->code & 1);
  if (what != PEEK && what != GET)
    *next = chain_pop(&q->chains, state, op->code & 1);
  return true;
}

/* All elements, in q->scratch. */
static uint32_t copy(struct juc_queue *q, uint32_t state) {
  uint32_t n = chain_len(&q->chains, state);
  vec_reserve(&q->scratch, n + 1);
  chain_copy(&q->chains, state, q->scratch.at);
  return q->scratch.len = n;
}

/* The index of a value, from either end; UINT32_MAX: it is not there. */
static uint32_t find(struct juc_queue *q, uint32_t state, datum value,
                     enum chain_end end) {
  uint32_t n = copy(q, state);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = end == FRONT ? i : n - 1 - i;
    if (q->scratch.at[at] == value)
      return at;
  }
  return UINT32_MAX;
}

static uint32_t filter(struct juc_queue *q, uint32_t state, datum list,
                       bool keep) {
  uint32_t n = copy(q, state), next = 0;
  for (uint32_t i = 0; i < n; i++)
    if (java_has(&q->known, list, q->scratch.at[i]) == keep)
      next = chain_push(&q->chains, next, BACK, q->scratch.at[i]);
  return next;
}

/* Elements before the one that does not fit stay. */
static datum add_all(struct juc_queue *q, datum list, uint32_t *next) {
  const struct datum_box *b = datum_box(list);
  for (uint32_t i = 0; i < b->len; i++) {
    if (chain_len(&q->chains, *next) >= q->capacity)
      return q->illegal_state;
    *next =
        chain_push(&q->chains, *next, BACK, known_tidy(&q->known, b->items[i]));
  }
  return datum_bool(b->len > 0);
}

static bool has_all(struct juc_queue *q, uint32_t state, datum list) {
  const struct datum_box *b = datum_box(list);
  for (uint32_t i = 0; i < b->len; i++)
    if (find(q, state, known_tidy(&q->known, b->items[i]), FRONT) == UINT32_MAX)
      return false;
  return true;
}

static void print(struct juc_queue *q, uint32_t state, struct buf *out) {
  uint32_t n = copy(q, state);
  buf_putc(out, '[');
  for (uint32_t i = 0; i < n; i++) {
    buf_puts(out, i ? ", " : "");
    java_print(q->scratch.at[i], out);
  }
  buf_putc(out, ']');
}

static bool apply_to_all(struct juc_queue *q, uint32_t state,
                         const struct type_op *op, datum *answer,
                         uint32_t *next) {
  uint32_t len = chain_len(&q->chains, state);
  switch (op->code >> 1) {
  case CONTAINS:
    *answer = datum_bool(find(q, state, op->arg[0], FRONT) != UINT32_MAX);
    break;
  case ADD_ALL:
    *answer = add_all(q, op->arg[0], next);
    break;
  case REMOVE_ALL:
  case RETAIN_ALL:
    *next = filter(q, state, op->arg[0], op->code >> 1 == RETAIN_ALL);
    *answer = datum_bool(*next != state);
    break;
  case CONTAINS_ALL:
    *answer = datum_bool(has_all(q, state, op->arg[0]));
    break;
  case CLEAR:
    *next = 0;
    break;
  case IS_EMPTY:
    *answer = datum_bool(len == 0);
    break;
  case SIZE:
    *answer = datum_number(len);
    break;
  case REMAINING:
    *answer = datum_number(q->capacity - len);
    break;
  default:
    print(q, state, &q->text);
    return java_text(&q->text, op, answer);
  }
  return true;
}

static bool apply(struct known_type *k, uint32_t state,
                  const struct type_op *op, datum *answer, uint32_t *next) {
  struct juc_queue *q = (struct juc_queue *)k;
  *next = state;
  switch (op->code >> 1) {
  case OFFER:
  case ADD:
  case ADD_VOID:
  case PUT:
    return insert(q, state, op, answer, next);
  case POLL:
  case REMOVE:
  case TAKE:
  case PEEK:
  case GET:
    return take(q, state, op, answer, next);
  case REMOVE_AT: {
    uint32_t i = find(q, state, op->arg[0], op->code & 1);
    *answer = datum_bool(i != UINT32_MAX);
    if (i != UINT32_MAX)
      *next = chain_remove(&q->chains, state, i);
    return true;
  }
  default:
    return apply_to_all(q, state, op, answer, next);
  }
}

static int prepare(struct type *t, const struct log *l, const struct log_op *op,
                   struct type_op *out, struct error *e) {
  int code = known_prepare(t, l, op, out, e);
  if (code || out->code == CODE_NOTHING)
    return code;
  unsigned what = out->code >> 1, end = out->code & 1;
  if (what == REMOVE_AT && out->arg[0] == DATUM_NONE)
    out->code = AT(REMOVE, end);
  /* addFirst says nothing, which is known, or which exception it met. */
  if (what == ADD_VOID && op->ret != LOG_PENDING &&
      (out->any_result || out->result == DATUM_NIL)) {
    out->any_result = false;
    out->result = DATUM_NONE;
  }
  return 0;
}

static void print_state(struct type *t, uint32_t state, struct buf *out) {
  print((struct juc_queue *)t, state, out);
}

static void forget(struct type *t, uint32_t *keep, uint32_t n) {
  chains_forget(&((struct juc_queue *)t)->chains, keep, n);
}

static uint64_t bytes(const struct type *t) {
  return chains_bytes(&((const struct juc_queue *)t)->chains);
}

static void free_queue(struct type *t) {
  struct juc_queue *q = (struct juc_queue *)t;
  chains_free(&q->chains);
  buf_free(&q->text);
  vec_free(&q->scratch);
  known_free(t);
}

/* ConcurrentLinkedQueue and the like have no capacity to be asked for. */
static const struct juc_class {
  const char *name, *shape;
  const struct op_def *defs;
  bool bounded;
} classes[] = {
    {"ArrayBlockingQueue", "bounded-queue", bounded_defs, true},
    {"LinkedBlockingQueue", "queue", queue_class_defs, true},
    {"ConcurrentLinkedQueue", "queue", linked_defs, false},
    {"LinkedTransferQueue", "queue", linked_defs, false},
    {"ConcurrentLinkedDeque", "deque", linked_deque_defs, false},
    {"LinkedBlockingDeque", "deque", deque_class_defs, true},
};

static const struct juc_class *class_of(const char *name) {
  const struct juc_class *c = classes;
  while (strcmp(c->name, name))
    c++;
  return c;
}

struct type *open_juc_queue(const char *name, datum argument, struct error *e) {
  const struct juc_class *c = class_of(name);
  bool array = c->defs == bounded_defs, given = argument != DATUM_NONE;
  if (given && (!c->bounded || !datum_is_number(argument) ||
                datum_to_number(argument) < 1 ||
                datum_to_number(argument) > INT32_MAX)) {
    error_set(e, ERR_USAGE, "%s: %s", name,
              c->bounded ? "its argument is a capacity"
                         : "it takes no argument");
    return NULL;
  }
  if (array && !given) {
    error_set(e, ERR_USAGE, "%s: its capacity is missing", name);
    return NULL;
  }
  /* A capacity makes a queue another thing for the monitors. */
  const struct op_def *defs =
      given && c->defs == queue_class_defs ? bounded_defs : c->defs;
  struct juc_queue *q = known_new(
      sizeof *q, c->name,
      given && c->shape[0] == 'q' ? "bounded-queue" : c->shape, defs, apply);
  struct type *t = &q->known.type;
  q->known.java = true;
  q->capacity = given ? (uint32_t)datum_to_number(argument) : INT32_MAX;
  q->no_such_element = java_exception(JAVA_NO_SUCH_ELEMENT);
  q->illegal_state = java_exception(JAVA_ILLEGAL_STATE);
  chains_init(&q->chains);
  t->prepare = prepare;
  t->print_state = print_state;
  t->forget = forget;
  t->bytes = bytes;
  t->free = free_queue;
  return t;
}
