/*
 * Types with one cell: registers, the values of a key-value store, lists that
 * are appended to, counters and locks.  A state is the number of a value.
 */
#include "spec/type_int.h"
#include "spec/type_value.h"

struct cell {
  struct known_type known;
  struct values values;
};

enum {
  READ,
  WRITE,
  CAS,
  CAS_FETCH, /* the same, returns what it saw */
  SWAP,
  DELETE,
  APPEND,
  APPEND_ITEM,
  CHANGE_OLD, /* a counter's: returns the old value */
  CHANGE_NEW,
  LOWER_OLD, /* the same downwards, until prepared */
  LOWER_NEW,
  ACQUIRE,
  RELEASE,
  IS_HELD,
};

#define READ_DEF(names)                                                        \
  { names, "", READ, ROLE_READ, GIVES_VALUE, true }
#define CAS_DEF                                                                \
  {                                                                            \
    "cas compareandset compareandswap compareexchange", "on", CAS, ROLE_CAS,   \
        GIVES_SUCCESS                                                          \
  }

const struct op_def register_defs[] = {
    READ_DEF("read r | get load"),
    {"write w | set put store", "v", WRITE, ROLE_WRITE, GIVES_NOTHING},
    {0}};

#define CAS_REGISTER_DEFS                                                      \
  READ_DEF("read r | get load"),                                               \
      {"write w | set put store", "v", WRITE, ROLE_WRITE, GIVES_NOTHING},      \
      CAS_DEF, {                                                               \
    "exchange swap getandset", "v", SWAP, ROLE_OTHER, GIVES_VALUE              \
  }

const struct op_def cas_register_defs[] = {CAS_REGISTER_DEFS, {0}};

/* Of FL_SPEC(register). */
const struct op_def c_register_defs[] = {
    CAS_REGISTER_DEFS,
    {"casfetch", "on", CAS_FETCH, ROLE_OTHER, GIVES_VALUE},
    {0}};

const struct op_def kv_cell_defs[] = {
    READ_DEF("get | read r load"),
    {"put | write w set store", "v", WRITE, ROLE_WRITE, GIVES_NOTHING},
    {"append", "v", APPEND, ROLE_APPEND, GIVES_NOTHING},
    CAS_DEF,
    {"delete | remove del", "", DELETE, ROLE_DELETE_KEY, GIVES_FLAG},
    {0}};

const struct op_def list_cell_defs[] = {
    READ_DEF("read r | get"),
    {"append", "v", APPEND_ITEM, ROLE_APPEND, GIVES_NOTHING},
    {0}};

#define CHANGE(names, args, code, gives)                                       \
  { names, args, code, ROLE_OTHER, gives }
const struct op_def counter_defs[] = {
    READ_DEF("get value | read r load"),
    CHANGE("inc increment incr", "?v", CHANGE_NEW, GIVES_MAYBE),
    CHANGE("dec decrement decr", "?v", LOWER_NEW, GIVES_MAYBE),
    CHANGE("add", "v", CHANGE_NEW, GIVES_MAYBE),
    CHANGE("sub subtract", "v", LOWER_NEW, GIVES_MAYBE),
    CHANGE("fetchinc getandincrement", "?v", CHANGE_OLD, GIVES_VALUE),
    CHANGE("fetchdec getanddecrement", "?v", LOWER_OLD, GIVES_VALUE),
    CHANGE("fetchadd getandadd", "v", CHANGE_OLD, GIVES_VALUE),
    CHANGE("fetchsub", "v", LOWER_OLD, GIVES_VALUE),
    CHANGE("incfetch incrementandget", "?v", CHANGE_NEW, GIVES_VALUE),
    CHANGE("decfetch decrementandget", "?v", LOWER_NEW, GIVES_VALUE),
    CHANGE("addfetch addandget", "v", CHANGE_NEW, GIVES_VALUE),
    CHANGE("subfetch", "v", LOWER_NEW, GIVES_VALUE),
    {"reset | set write", "?v", WRITE, ROLE_OTHER, GIVES_NOTHING},
    {0}};

const struct op_def lock_defs[] = {
    {"acquire lock tryacquire trylock", "?v", ACQUIRE, ROLE_OTHER,
     GIVES_SUCCESS},
    {"release unlock", "?v", RELEASE, ROLE_OTHER, GIVES_SUCCESS},
    {"islocked isheld", "", IS_HELD, ROLE_OTHER, GIVES_FLAG, true},
    {0}};

static bool cell_apply(struct known_type *k, uint32_t state,
                       const struct type_op *op, datum *answer,
                       uint32_t *next) {
  struct values *v = &((struct cell *)k)->values;
  switch (op->code) {
  case READ:
    /* A text that was appended to is not put together to be compared. */
    if (op->any_result)
      *answer = value_datum(v, state);
    else if (value_number(v, op->result) == state)
      *answer = op->result;
    else
      return false;
    break;
  case SWAP:
    *answer = value_datum(v, state);
    *next = value_number(v, op->arg[0]);
    break;
  case WRITE:
    *next = value_number(v, op->arg[0]);
    break;
  case CAS:
  case CAS_FETCH: {
    bool same = value_number(v, op->arg[0]) == state;
    *next = same ? value_number(v, op->arg[1]) : state;
    *answer = op->code == CAS ? datum_bool(same) : value_datum(v, state);
    break;
  }
  case DELETE:
    *answer = datum_bool(state != 0);
    *next = 0;
    break;
  default:
    *next = value_append(v, state, op->arg[0], op->code == APPEND_ITEM);
    return *next != UINT32_MAX;
  }
  return true;
}

static void print_cell(struct type *t, uint32_t state, struct buf *out) {
  datum_print(value_datum(&((struct cell *)t)->values, state), out);
}

static void contents(struct known_type *k, uint32_t state, data_list *out) {
  vec_push(out, value_datum(&((struct cell *)k)->values, state));
}

static void forget_cell(struct type *t, uint32_t *keep, uint32_t n) {
  values_forget(&((struct cell *)t)->values, keep, n);
}

static uint64_t cell_bytes(const struct type *t) {
  return values_bytes(&((const struct cell *)t)->values);
}

static void free_cell(struct type *t) {
  values_free(&((struct cell *)t)->values);
  known_free(t);
}

static struct cell *new_cell(const char *name, const char *shape,
                             const struct op_def *defs, known_apply *apply,
                             datum initial, bool appends) {
  struct cell *c = known_new(sizeof *c, name, shape, defs, apply);
  struct type *t = &c->known.type;
  c->known.as_written = appends;
  initial = known_tidy(&c->known, initial);
  t->initial_value = initial;
  t->print_state = print_cell;
  c->known.contents = contents;
  t->forget = forget_cell;
  t->bytes = cell_bytes;
  t->free = free_cell;
  values_init(&c->values, initial, appends);
  return c;
}

static datum given_or(datum argument, datum otherwise) {
  return argument == DATUM_NONE ? otherwise : argument;
}

struct type *open_register(const char *name, datum argument, struct error *e) {
  (void)e;
  return &new_cell(name, "register", register_defs, cell_apply,
                   given_or(argument, DATUM_NIL), false)
              ->known.type;
}

struct type *open_cas_register(const char *name, datum argument,
                               struct error *e) {
  (void)e;
  return &new_cell(name, "register", cas_register_defs, cell_apply,
                   given_or(argument, DATUM_NIL), false)
              ->known.type;
}

/* A key that is not there reads as nil or as the empty text: these are one
 * value, unless the argument says what it reads as. */
struct type *open_kv_cell(const char *name, datum argument, struct error *e) {
  (void)e;
  datum absent = given_or(argument, datum_text("", 0));
  struct cell *c =
      new_cell(name, "register", kv_cell_defs, cell_apply, absent, true);
  if (argument == DATUM_NONE)
    c->known.nil_is = absent;
  return &c->known.type;
}

struct type *open_list_cell(const char *name, datum argument, struct error *e) {
  datum initial = given_or(argument, datum_list(NULL, 0));
  if (datum_kind(initial) != DATUM_IS_LIST) {
    error_set(e, ERR_USAGE, "%s: its initial contents must be a list", name);
    return NULL;
  }
  struct cell *c =
      new_cell(name, "list", list_cell_defs, cell_apply, initial, true);
  c->known.nil_is = datum_list(NULL, 0);
  return &c->known.type;
}

/* A change is prepared as what it adds. */
static int counter_prepare(struct type *t, const struct log *l,
                           const struct log_op *op, struct type_op *out,
                           struct error *e) {
  int code = known_prepare(t, l, op, out, e);
  if (code || out->code == READ || out->code == CODE_NOTHING)
    return code;
  if (out->arg[0] == DATUM_NONE)
    out->arg[0] = datum_number(out->code == WRITE ? 0 : 1);
  if (!datum_is_number(out->arg[0]))
    return type_refuse(e, l, op, "a counter adds and subtracts numbers only");
  if (out->code == LOWER_OLD || out->code == LOWER_NEW) {
    uint64_t by = (uint64_t)datum_to_number(out->arg[0]);
    out->arg[0] = datum_number((int64_t)(0 - by));
    out->code = out->code == LOWER_OLD ? CHANGE_OLD : CHANGE_NEW;
  }
  return 0;
}

static bool counter_apply(struct known_type *k, uint32_t state,
                          const struct type_op *op, datum *answer,
                          uint32_t *next) {
  struct values *v = &((struct cell *)k)->values;
  if (op->code == READ || op->code == WRITE)
    return cell_apply(k, state, op, answer, next);
  datum old = value_datum(v, state);
  datum new = datum_number((int64_t)((uint64_t)datum_to_number(old) +
                                     (uint64_t)datum_to_number(op->arg[0])));
  *answer = op->code == CHANGE_OLD ? old : new;
  *next = value_number(v, new);
  return true;
}

static bool counter_as_write(struct type *t, const struct type_op *read,
                             struct type_op *out) {
  (void)t;
  if (read->code != READ || read->any_result || !datum_is_number(read->result))
    return false;
  *out = *read;
  out->code = WRITE;
  out->role = ROLE_OTHER;
  out->only_reads = false;
  out->arg[0] = read->result;
  out->result = DATUM_NONE;
  return true;
}

struct type *open_counter(const char *name, datum argument, struct error *e) {
  datum initial = given_or(argument, datum_number(0));
  if (!datum_is_number(initial)) {
    error_set(e, ERR_USAGE, "%s: its initial contents must be a number", name);
    return NULL;
  }
  struct cell *c =
      new_cell(name, "counter", counter_defs, counter_apply, initial, false);
  c->known.type.prepare = counter_prepare;
  c->known.type.as_write = counter_as_write;
  c->known.nil_is = datum_number(0);
  return &c->known.type;
}

/* The owner is the second value: two processes' calls are not the same. */
static int lock_prepare(struct type *t, const struct log *l,
                        const struct log_op *op, struct type_op *out,
                        struct error *e) {
  int code = known_prepare(t, l, op, out, e);
  out->arg[0] = DATUM_NONE;
  out->arg[1] = datum_number(op->process);
  return code;
}

static int mutex_prepare(struct type *t, const struct log *l,
                         const struct log_op *op, struct type_op *out,
                         struct error *e) {
  int code = known_prepare(t, l, op, out, e);
  out->arg[0] = DATUM_NONE;
  out->arg[1] = DATUM_TRUE;
  return code;
}

static bool lock_apply(struct known_type *k, uint32_t state,
                       const struct type_op *op, datum *answer,
                       uint32_t *next) {
  struct values *v = &((struct cell *)k)->values;
  bool free = state == 0;
  *next = state;
  switch (op->code) {
  case ACQUIRE:
    /* One that succeeded, or is pending, waits; one that returned false saw
     * the lock held. */
    if (!free && (op->any_result || op->result == DATUM_TRUE))
      return false;
    *answer = datum_bool(free);
    if (free)
      *next = value_number(v, op->arg[1]);
    break;
  case RELEASE: {
    bool mine = !free && value_number(v, op->arg[1]) == state;
    *answer = datum_bool(mine);
    if (mine)
      *next = 0;
    break;
  }
  default:
    *answer = datum_bool(!free);
  }
  return true;
}

static struct type *open_lock_of(const char *name, struct error *e,
                                 datum argument, bool owned) {
  if (argument != DATUM_NONE) {
    error_set(e, ERR_USAGE, "a %s takes no argument", name);
    return NULL;
  }
  struct cell *c =
      new_cell(name, "lock", lock_defs, lock_apply, DATUM_NIL, false);
  c->known.type.prepare = owned ? lock_prepare : mutex_prepare;
  return &c->known.type;
}

struct type *open_lock(const char *name, datum argument, struct error *e) {
  return open_lock_of(name, e, argument, true);
}

struct type *open_mutex(const char *name, datum argument, struct error *e) {
  return open_lock_of(name, e, argument, false);
}
