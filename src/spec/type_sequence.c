/*
 * Stack, queue, bounded queue and deque.  A state is the number of a chain.
 */
#include "spec/type_chain.h"
#include "spec/type_int.h"

struct sequence {
  struct known_type known;
  struct chain_table chains;
  uint64_t capacity;
};

enum { PUSH, POP, PEEK, SIZE, IS_EMPTY, CLEAR, CONTAINS, ALL, DRAIN };

/* A code says what is done and at which end. */
#define AT(what, end) ((what) << 1 | (end))
#define FRONT CHAIN_FRONT
#define BACK CHAIN_BACK

#define PUSH_DEF(names, end, role)                                             \
  { names, "v", AT(PUSH, end), role, GIVES_SUCCESS }
#define POP_DEF(names, end, role)                                              \
  { names, "", AT(POP, end), role, GIVES_ITEM }
#define PEEK_DEF(names, end, role)                                             \
  { names, "", AT(PEEK, end), role, GIVES_ITEM, true }
#define COMMON_DEFS                                                            \
  {"size | length count", "", AT(SIZE, 0), ROLE_OTHER, GIVES_VALUE, true},     \
      {"isempty | empty", "", AT(IS_EMPTY, 0), ROLE_OTHER, GIVES_FLAG, true},  \
      {"clear", "", AT(CLEAR, 0), ROLE_OTHER, GIVES_NOTHING},                  \
      {"contains", "v", AT(CONTAINS, 0), ROLE_OTHER, GIVES_FLAG, true},        \
      {"toarray | tolist", "", AT(ALL, 0), ROLE_OTHER, GIVES_VALUE, true},     \
      {"drain", "", AT(DRAIN, 0), ROLE_OTHER, GIVES_VALUE}, {                  \
    0                                                                          \
  }

const struct op_def queue_defs[] = {
    PUSH_DEF("enqueue enq tryenqueue | push put add offer insert send "
             "trypush",
             BACK, ROLE_ADD),
    POP_DEF("dequeue deq trydequeue | pop take poll remove receive delete "
            "trypop",
            FRONT, ROLE_REMOVE),
    PEEK_DEF("front peek | head first element", FRONT, ROLE_PEEK), COMMON_DEFS};

const struct op_def stack_defs[] = {
    PUSH_DEF("push trypush | add put insert", BACK, ROLE_ADD),
    POP_DEF("pop trypop | remove take poll delete", BACK, ROLE_REMOVE),
    PEEK_DEF("top peek", BACK, ROLE_PEEK), COMMON_DEFS};

const struct op_def deque_defs[] = {
    PUSH_DEF("pushfront pushleft addfirst offerfirst pushfirst | push", FRONT,
             ROLE_OTHER),
    PUSH_DEF("pushback pushright addlast offerlast pushlast pushbottom | "
             "enqueue enq offer add put",
             BACK, ROLE_OTHER),
    POP_DEF("popfront popleft removefirst pollfirst popfirst steal | pop "
            "dequeue deq poll remove",
            FRONT, ROLE_OTHER),
    POP_DEF("popback popright removelast polllast poplast popbottom | take",
            BACK, ROLE_OTHER),
    PEEK_DEF("peekfront peekleft peekfirst getfirst | front first left peek",
             FRONT, ROLE_OTHER),
    PEEK_DEF("peekback peekright peeklast getlast | back last right top", BACK,
             ROLE_OTHER),
    COMMON_DEFS};

static bool push(struct sequence *s, uint32_t state, const struct type_op *op,
                 datum *answer, uint32_t *next) {
  bool room = chain_len(&s->chains, state) < s->capacity;
  /* A push that succeeded, or is pending, waits for room; one that returned
   * false saw the queue full. */
  if (!room && op->result != DATUM_FALSE)
    return false;
  *answer = datum_bool(room);
  if (room)
    *next = chain_push(&s->chains, state, op->code & 1, op->arg[0]);
  return true;
}

static bool pop(struct sequence *s, uint32_t state, const struct type_op *op,
                datum *answer, uint32_t *next) {
  if (chain_len(&s->chains, state) == 0) {
    *answer = s->known.type.empty;
    return true;
  }
  *answer = chain_peek(&s->chains, state, op->code & 1);
  /* Most attempts fail here: before a state is made for them. */
  if (!op->any_result && *answer != op->result)
    return false;
  if (op->code >> 1 == POP)
    *next = chain_pop(&s->chains, state, op->code & 1);
  return true;
}

static bool contains(struct sequence *s, uint32_t state, datum value) {
  uint32_t n = chain_len(&s->chains, state);
  datum *all = xmalloc((n + 1) * sizeof *all);
  chain_copy(&s->chains, state, all);
  bool found = false;
  for (uint32_t i = 0; i < n && !found; i++)
    found = all[i] == value;
  free(all);
  return found;
}

/* Whole contents, from the front. */
static bool give_all(struct sequence *s, uint32_t state,
                     const struct type_op *op, datum *answer) {
  uint32_t n = chain_len(&s->chains, state);
  bool compare = !op->any_result;
  if (compare && (datum_kind(op->result) != DATUM_IS_LIST ||
                  datum_box(op->result)->len != n))
    return false;
  datum *all = xmalloc((n + 1) * sizeof *all);
  chain_copy(&s->chains, state, all);
  bool same = true;
  for (uint32_t i = 0; compare && same && i < n; i++)
    same = known_tidy(&s->known, datum_box(op->result)->items[i]) == all[i];
  *answer = compare ? op->result : datum_list(all, n);
  free(all);
  return same;
}

static bool sequence_apply(struct known_type *k, uint32_t state,
                           const struct type_op *op, datum *answer,
                           uint32_t *next) {
  struct sequence *s = (struct sequence *)k;
  *next = state;
  switch (op->code >> 1) {
  case PUSH:
    return push(s, state, op, answer, next);
  case POP:
  case PEEK:
    return pop(s, state, op, answer, next);
  case SIZE:
    *answer = datum_number(chain_len(&s->chains, state));
    return true;
  case IS_EMPTY:
    *answer = datum_bool(chain_len(&s->chains, state) == 0);
    return true;
  case CLEAR:
    *next = 0;
    return true;
  case CONTAINS:
    *answer = datum_bool(contains(s, state, op->arg[0]));
    return true;
  case DRAIN:
    *next = 0; /* fall through */
  default:
    return give_all(s, state, op, answer);
  }
}

static void print_sequence(struct type *t, uint32_t state, struct buf *out) {
  struct sequence *s = (struct sequence *)t;
  uint32_t n = chain_len(&s->chains, state);
  buf_putc(out, '[');
  for (uint32_t i = 0; i < n; i++) {
    buf_puts(out, i ? ", " : "");
    datum_print(chain_get(&s->chains, state, i), out);
  }
  buf_putc(out, ']');
}

static void contents(struct known_type *k, uint32_t state, data_list *out) {
  struct chain_table *c = &((struct sequence *)k)->chains;
  uint32_t n = chain_len(c, state);
  vec_reserve(out, out->len + n);
  chain_copy(c, state, out->at + out->len);
  out->len += n;
}

static void forget_sequence(struct type *t, uint32_t *keep, uint32_t n) {
  chains_forget(&((struct sequence *)t)->chains, keep, n);
}

static uint64_t sequence_bytes(const struct type *t) {
  return chains_bytes(&((const struct sequence *)t)->chains);
}

static void free_sequence(struct type *t) {
  chains_free(&((struct sequence *)t)->chains);
  known_free(t);
}

static struct type *open_sequence(const char *name, const char *shape,
                                  const struct op_def *defs, datum argument,
                                  struct error *e) {
  bool bounded = argument != DATUM_NONE;
  if (bounded &&
      (!datum_is_number(argument) || datum_to_number(argument) < 0)) {
    error_set(e, ERR_USAGE, "%s: its argument is a capacity, a number", name);
    return NULL;
  }
  struct sequence *s = known_new(sizeof *s, name, shape, defs, sequence_apply);
  struct type *t = &s->known.type;
  s->capacity = bounded ? (uint64_t)datum_to_number(argument) : UINT64_MAX;
  chains_init(&s->chains);
  t->print_state = print_sequence;
  s->known.contents = contents;
  t->forget = forget_sequence;
  t->bytes = sequence_bytes;
  t->free = free_sequence;
  return t;
}

struct type *open_queue(const char *name, datum argument, struct error *e) {
  return open_sequence(name, argument == DATUM_NONE ? "queue" : "bounded-queue",
                       queue_defs, argument, e);
}

struct type *open_bounded_queue(const char *name, datum argument,
                                struct error *e) {
  if (argument == DATUM_NONE) {
    error_set(e, ERR_USAGE, "%s: its capacity is missing", name);
    return NULL;
  }
  return open_sequence(name, "bounded-queue", queue_defs, argument, e);
}

struct type *open_stack(const char *name, datum argument, struct error *e) {
  return open_sequence(name, argument == DATUM_NONE ? "stack" : "bounded-stack",
                       stack_defs, argument, e);
}

struct type *open_deque(const char *name, datum argument, struct error *e) {
  return open_sequence(name, argument == DATUM_NONE ? "deque" : "bounded-deque",
                       deque_defs, argument, e);
}
