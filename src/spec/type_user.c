/*
 * Types of the user's own, in shared objects (faultline/spec.h).
 */
#include "spec/type_int.h"

#include "base/table.h"
#include "faultline/spec.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

struct user_state {
  void *state; /* the user's */
  uint64_t hash;
};

TABLE_STRUCT(user_numbers, uint32_t); /* of states, plus one; 0: free */

struct user_type {
  struct type type;
  char *name;
  void *object; /* NULL: the model is the program's own */
  const struct fl_model *model;
  VEC(struct user_state) states; /* by number */
  struct user_numbers numbers;
  uint64_t state_bytes;
  VEC(const char *) names; /* what operations are called, by code */
  struct arena scratch;    /* of one step */
};

enum { USUAL_STATE_BYTES = 64 };

/* ---- who is to blame when it crashes ---- */

static struct { _Atomic(const char *) object, function, operation; } running;

static void enter(const struct user_type *u, const char *function,
                  const char *operation) {
  atomic_store_explicit(&running.object, u->name, memory_order_relaxed);
  atomic_store_explicit(&running.operation, operation, memory_order_relaxed);
  atomic_store_explicit(&running.function, function, memory_order_relaxed);
}

static void leave(void) {
  atomic_store_explicit(&running.function, NULL, memory_order_relaxed);
}

bool type_user_runs(struct type_running *out) {
  out->function = atomic_load_explicit(&running.function, memory_order_relaxed);
  out->object = atomic_load_explicit(&running.object, memory_order_relaxed);
  out->operation =
      atomic_load_explicit(&running.operation, memory_order_relaxed);
  return out->function != NULL;
}

/* ---- what it is given ---- */

static struct fl_datum datum_for(struct arena *a, datum d) {
  struct fl_datum out = {0};
  const struct datum_box *b = datum_box(d);
  switch (datum_kind(d)) {
  case DATUM_IS_NUMBER:
    out.kind = FL_DATUM_NUMBER;
    out.number = datum_to_number(d);
    break;
  case DATUM_IS_TEXT:
    out.kind = b->symbol ? FL_DATUM_SYMBOL : FL_DATUM_TEXT;
    out.text = b->text;
    out.len = b->len;
    break;
  case DATUM_IS_LIST:
  case DATUM_IS_MAP: {
    out.kind = datum_kind(d) == DATUM_IS_LIST ? FL_DATUM_LIST : FL_DATUM_MAP;
    struct fl_datum *items = arena_alloc(a, (b->len + 1) * sizeof *items);
    for (uint32_t i = 0; i < b->len; i++)
      items[i] = datum_for(a, b->items[i]);
    out.items = items;
    out.len = b->len;
    break;
  }
  case DATUM_IS_OTHER:
    out.kind = d == DATUM_NONE  ? FL_DATUM_NONE
               : d == DATUM_NIL ? FL_DATUM_NIL
                                : FL_DATUM_BOOL;
    out.number = d == DATUM_TRUE;
  }
  return out;
}

/* The operation as the user's functions see it, in u->scratch. */
static struct fl_operation operation_for(struct user_type *u, const char *name,
                                         const struct log_op *op) {
  struct given g;
  given_by(op, &g);
  const datum *args =
      op->nargs > LOG_ARGS ? datum_box(op->arg[0])->items : g.at;
  struct fl_datum *all =
      arena_alloc(&u->scratch, (op->nargs + 1) * sizeof *all);
  for (uint32_t i = 0; i < op->nargs; i++)
    all[i] = datum_for(&u->scratch, args[i]);
  return (struct fl_operation){.name = name,
                               .process = op->process,
                               .nargs = op->nargs,
                               .args = all,
                               .result = datum_for(&u->scratch, op->result),
                               .pending = op->ret == LOG_PENDING,
                               .failed = op->failed};
}

static bool user_numbers_is_free(const uint32_t *s) { return !*s; }
static bool user_numbers_has(void *ctx, const uint32_t *s,
                             struct user_state key) {
  const struct user_type *u = ctx;
  const struct user_state *has = &u->states.at[*s - 1];
  return has->hash == key.hash && u->model->equal(has->state, key.state);
}
static uint32_t user_numbers_hash(void *ctx, struct user_state key) {
  (void)ctx;
  return (uint32_t)((key.hash ^ key.hash >> 32) * 0x9e3779b97f4a7c15u >> 32);
}
static uint32_t user_numbers_rehash(void *ctx, const uint32_t *s) {
  const struct user_type *u = ctx;
  return user_numbers_hash(ctx, u->states.at[*s - 1]);
}
TABLE_CODE(user_numbers, uint32_t, struct user_state, 2)

static uint64_t size_of(const struct user_type *u, const void *state) {
  return u->model->bytes ? u->model->bytes(state) : USUAL_STATE_BYTES;
}

/* The number of the state, which is ours now; a second one like it is freed. */
static uint32_t number_of(struct user_type *u, void *state) {
  enter(u, "hash or equal", NULL);
  struct user_state s = {state, u->model->hash(state)};
  uint32_t *slot = user_numbers_put(&u->numbers, u, s);
  if (*slot) {
    enter(u, "release", NULL);
    u->model->release(state);
    leave();
    return *slot - 1;
  }
  enter(u, "bytes", NULL);
  u->state_bytes += size_of(u, state);
  leave();
  vec_push(&u->states, s);
  *slot = u->states.len;
  u->numbers.len++;
  return u->states.len - 1;
}

static bool is_word_of(const char *words, const char *name) {
  size_t len = strlen(name), word;
  for (; *words; words += word, words += strspn(words, " ")) {
    word = strcspn(words, " ");
    if (word == len && !memcmp(words, name, len))
      return true;
  }
  return false;
}

static uint16_t code_of(struct user_type *u, const char *name) {
  for (uint32_t i = 0; i < u->names.len; i++)
    if (!strcmp(u->names.at[i], name))
      return (uint16_t)i;
  vec_push(&u->names, xstrdup(name));
  return (uint16_t)(u->names.len - 1);
}

static int prepare(struct type *t, const struct log *l, const struct log_op *op,
                   struct type_op *out, struct error *e) {
  struct user_type *u = (struct user_type *)t;
  const struct fl_model *m = u->model;
  const char *name = l->functions.at[op->f];
  if (m->operations && !is_word_of(m->operations, name))
    return type_refuse(e, l, op, "%s has no operation '%.60s'; it has %.400s",
                       t->name, name, m->operations);
  struct fl_operation o = operation_for(u, name, op);
  enter(u, "only_reads or key", name);
  *out = (struct type_op){.op = op,
                          .code = code_of(u, name),
                          .only_reads = m->only_reads && m->only_reads(&o),
                          .any_result = op->ret == LOG_PENDING,
                          .key = DATUM_NONE,
                          .arg = {DATUM_NONE, DATUM_NONE},
                          .result = op->result};
  /* For those who compare operations: all arguments, as one or two. */
  if (op->nargs == 1 || op->nargs > LOG_ARGS)
    out->arg[0] = op->arg[0];
  else if (op->nargs > 1)
    out->arg[0] = datum_list(op->arg, op->nargs);
  out->arg[1] = datum_number((int64_t)op->process * 2 + op->failed);
  int key = m->key ? m->key(&o) : -1;
  leave();
  if (key >= 0 && key < op->nargs)
    out->key =
        op->nargs > LOG_ARGS ? datum_box(op->arg[0])->items[key] : op->arg[key];
  arena_reset(&u->scratch);
  return 0;
}

static uint32_t step(struct type *t, uint32_t state, const struct type_op *op,
                     uint32_t next[TYPE_NEXT]) {
  struct user_type *u = (struct user_type *)t;
  void *states[TYPE_NEXT] = {0};
  struct fl_operation o = operation_for(u, u->names.at[op->code], op->op);
  enter(u, "apply", o.name);
  size_t n = u->model->apply(u->states.at[state].state, &o, states, TYPE_NEXT);
  leave();
  arena_reset(&u->scratch);
  if (n > TYPE_NEXT) {
    t->cut = true; /* T4 */
    n = TYPE_NEXT;
  }
  for (size_t i = 0; i < n; i++) {
    if (!states[i])
      die("%s: apply of %s has not written the states that it says follow",
          u->name, o.name);
    next[i] = number_of(u, states[i]);
  }
  return (uint32_t)n;
}

static bool answer(struct type *t, uint32_t state, const struct type_op *op,
                   struct buf *out) {
  (void)t, (void)state, (void)op, (void)out;
  return false;
}

static void print_state(struct type *t, uint32_t state, struct buf *out) {
  struct user_type *u = (struct user_type *)t;
  char text[4096] = "";
  enter(u, "print", NULL);
  u->model->print(u->states.at[state].state, text, sizeof text);
  leave();
  text[sizeof text - 1] = '\0';
  buf_puts(out, text);
}

static void forget(struct type *t, uint32_t *keep, uint32_t n) {
  struct user_type *u = (struct user_type *)t;
  uint32_t *kept = xcalloc(u->states.len, sizeof *kept), len = 0;
  kept[t->initial] = 1;
  for (uint32_t i = 0; i < n; i++)
    kept[keep[i]] = 1;
  enter(u, "release or bytes", NULL);
  for (uint32_t i = 0; i < u->states.len; i++) {
    struct user_state s = u->states.at[i];
    if (kept[i]) {
      kept[i] = len;
      u->states.at[len++] = s;
    } else {
      u->state_bytes -= size_of(u, s.state);
      u->model->release(s.state);
    }
  }
  u->states.len = len;
  t->initial = kept[t->initial];
  for (uint32_t i = 0; i < n; i++)
    keep[i] = kept[keep[i]];
  free(kept);
  enter(u, "hash or equal", NULL);
  user_numbers_restart(&u->numbers, len);
  for (; u->numbers.len < len; u->numbers.len++)
    *user_numbers_find(&u->numbers, u, u->states.at[u->numbers.len]) =
        u->numbers.len + 1;
  leave();
}

static uint64_t bytes(const struct type *t) {
  const struct user_type *u = (const struct user_type *)t;
  return u->state_bytes + (uint64_t)u->states.len * sizeof *u->states.at +
         user_numbers_bytes(&u->numbers);
}

static void free_user(struct type *t) {
  struct user_type *u = (struct user_type *)t;
  enter(u, "release", NULL);
  for (uint32_t i = 0; i < u->states.len; i++)
    u->model->release(u->states.at[i].state);
  leave();
  for (uint32_t i = 0; i < u->names.len; i++)
    free((char *)u->names.at[i]);
  vec_free(&u->states);
  vec_free(&u->names);
  free(u->numbers.slots);
  free(u->name);
  arena_free(&u->scratch);
  if (u->object)
    dlclose(u->object);
  free(u);
}

static bool is_complete(const struct fl_model *m, const char *name,
                        struct error *e) {
  if (m->version != FL_MODEL_VERSION)
    error_set(e, ERR_INPUT,
              "%s: fl_model.version is %u, and %u is expected: compile it with "
              "this version's faultline/spec.h",
              name, m->version, FL_MODEL_VERSION);
  else if (!m->init || !m->apply || !m->hash || !m->equal || !m->print ||
           !m->release)
    error_set(e, ERR_INPUT,
              "%s: fl_model needs init, apply, hash, equal, print and release",
              name);
  else
    return true;
  return false;
}

struct type *type_of_model(const char *name, const struct fl_model *m,
                           datum argument, struct error *e) {
  if (!is_complete(m, name, e))
    return NULL;
  struct user_type *u = xcalloc(1, sizeof *u);
  u->name = xstrdup(name);
  u->model = m;
  u->type = (struct type){.name = u->name,
                          .shape = "user",
                          .by_key = m->key != NULL,
                          .empty = DATUM_NONE,
                          .initial_value = DATUM_NONE,
                          .prepare = prepare,
                          .step = step,
                          .answer = answer,
                          .print_state = print_state,
                          .forget = forget,
                          .bytes = bytes,
                          .free = free_user};
  struct fl_datum a = datum_for(&u->scratch, argument);
  enter(u, "init", NULL);
  void *initial = m->init(&a);
  leave();
  arena_reset(&u->scratch);
  if (!initial) {
    error_set(e, ERR_USAGE, "%s: its init refuses the argument", name);
    free_user(&u->type);
    return NULL;
  }
  u->type.initial = number_of(u, initial);
  return &u->type;
}

struct type *type_of_object(const char *path, datum argument, struct error *e) {
  /* Without a slash the loader would look in the system's folders. */
  char *file = strchr(path, '/') ? xstrdup(path) : xasprintf("./%s", path);
  void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  free(file);
  if (!object) {
    error_set(e, ERR_INPUT, "%s", dlerror());
    return NULL;
  }
  const struct fl_model *m = dlsym(object, "fl_model");
  if (!m)
    error_set(e, ERR_INPUT,
              "%s: it does not define fl_model (faultline/spec.h)", path);
  struct type *t = m ? type_of_model(path, m, argument, e) : NULL;
  if (t)
    ((struct user_type *)t)->object = object;
  else
    dlclose(object);
  return t;
}
