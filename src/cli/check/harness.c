/*
 * Recorded histories against the FL_SPEC of a harness: its sources are compiled
 * as for a test and loaded into this process, and the model, relation or
 * built-in type that the harness names becomes a type of the user's own
 * (faultline/spec.h).  A state is the specification's number.
 *
 * The operations' own code is not run.
 */
#include "base/tidy.h"
#include "campaign/built.h"
#include "cli/check/int.h"
#include "faultline/spec.h"
#include "harness/parts.h"
#include "rt/rt.h"
#include "spec/reference.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An operation that may have failed without a reason (check.h, K6) carries this
 * in the number of its process, which is not used otherwise. */
enum { EXCUSED = INT32_MIN };

/* One in a process: the functions of struct fl_model have no context. */
static struct {
  const char *name; /* as on the command line */
  struct built built;
  const struct fl_suite *suite;
  struct spec *spec;
  struct type *type;    /* that was opened last */
  struct client client; /* of one call */
  struct call call;
  int (*prepare)(struct type *t, const struct log *l, const struct log_op *op,
                 struct type_op *out, struct error *e);
  /* FL_MAY_FAIL: */
  VEC(uint64_t)
  overlapped;    /* places of the file's operations that others
                    overlap, ascending */
  uint32_t nops; /* of the log that they were found in */
  VEC(struct log_op *) copies;
} H;

/* ---- which file is one ---- */

static bool is_source(const char *name, size_t n) {
  static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t len = strlen(ends[i]);
    if (n > len && !memcmp(name + n - len, ends[i], len))
      return true;
  }
  return false;
}

bool check_is_harness(const char *spec) {
  return spec && is_source(spec, strcspn(spec, ","));
}

/* ---- data to values ---- */

static const struct fl_op *op_named(const char *name, uint16_t *index) {
  *index = 0;
  for (const struct fl_op *o = H.suite->ops; o; o = o->next, ++*index)
    if (!strcmp(o->name, name))
      return o;
  return NULL;
}

static bool is_number(const struct fl_datum *d) {
  return d->kind == FL_DATUM_NUMBER || d->kind == FL_DATUM_BOOL;
}

static struct value number_of(const struct fl_op *o, int64_t v) {
  unsigned unused = o->size && o->size < 8 ? 64 - 8 * o->size : 0;
  if (o->type == FL_TYPE_INT)
    return value_int((int64_t)((uint64_t)v << unused) >> unused);
  return value_uint((uint64_t)v << unused >> unused);
}

/* Which result the operation has had; false: one that its type cannot have.
 * *known: the file says it. */
static bool result_of(const struct fl_op *o, const struct fl_datum *d,
                      bool pending, struct value *out, bool *known) {
  *known = o->type == FL_TYPE_VOID || (!pending && d->kind != FL_DATUM_NONE);
  *out = value_void();
  if (!*known || o->type == FL_TYPE_VOID)
    return true;
  bool text = d->kind == FL_DATUM_TEXT || d->kind == FL_DATUM_SYMBOL;
  char number[24];
  switch (o->type) {
  case FL_TYPE_BOOL:
    *out = value_bool(d->number != 0);
    return is_number(d);
  case FL_TYPE_INT:
  case FL_TYPE_UINT:
    *out = number_of(o, d->number);
    return is_number(d);
  case FL_TYPE_STRING: /* the text "1" comes as a number */
    snprintf(number, sizeof number, "%lld", (long long)d->number);
    *out = value_string(text                      ? d->text
                        : d->kind == FL_DATUM_NIL ? NULL
                                                  : number);
    return text || is_number(d) || d->kind == FL_DATUM_NIL;
  default:
    return false;
  }
}

/* ---- the model ---- */

static void *new_state(uint32_t number) {
  uint32_t *s = xmalloc(sizeof *s);
  *s = number;
  return s;
}

static uint32_t number(const void *state) { return *(const uint32_t *)state; }

static void *init(const struct fl_datum *argument) {
  return argument->kind == FL_DATUM_NONE ? new_state(H.spec->initial) : NULL;
}

static size_t apply(const void *state, const struct fl_operation *op,
                    void **next, size_t max) {
  const struct fl_op *o = op_named(op->name, &H.call.op);
  struct value wanted, result;
  uint32_t to;
  bool known;
  size_t n = 0;
  if (op->failed) { /* it had no effect */
    next[0] = new_state(number(state));
    return 1;
  }
  if (!result_of(o, &op->result, op->pending, &wanted, &known))
    return 0;
  H.call.nargs = (uint8_t)op->nargs;
  for (size_t i = 0; i < op->nargs; i++)
    H.call.args[i] = op->args[i].kind == FL_DATUM_TEXT
                         ? parts_number(H.suite, op->args[i].text)
                         : op->args[i].number;
  if (H.spec->may_fail && op->process & (uint32_t)EXCUSED) {
    if (n < max)
      next[n] = new_state(number(state));
    n++;
  }
  for (uint32_t which = 0;; which++) {
    enum spec_answer a =
        spec_choose(H.spec, &H.client, number(state), 0, known ? &wanted : NULL,
                    which, &result, &to);
    if (a == SPEC_NONE)
      break;
    if (a != SPEC_RETURNS || (known && !value_equal(result, wanted)))
      continue;
    if (n < max)
      next[n] = new_state(to);
    n++;
  }
  if (!known && H.spec->guesses)
    H.type->cut = true; /* what was not tried could follow, too (T4) */
  return n;
}

static uint64_t hash(const void *state) { return number(state); }

static bool equal(const void *a, const void *b) {
  return number(a) == number(b);
}

static void print(const void *state, char *text, size_t size) {
  struct buf b = {0};
  spec_reference_print(H.spec, number(state), &b);
  snprintf(text, size, "%s", buf_text(&b));
  buf_free(&b);
}

static bool only_reads(const struct fl_operation *op) {
  op_named(op->name, &H.call.op);
  return H.spec->only_reads && H.spec->only_reads(H.spec, &H.client, 0);
}

static const struct fl_model model = {.version = FL_MODEL_VERSION,
                                      .init = init,
                                      .apply = apply,
                                      .hash = hash,
                                      .equal = equal,
                                      .print = print,
                                      .release = free,
                                      .only_reads = only_reads};

/* ---- operations of a file ---- */

static char *operations(void) {
  struct buf b = {0};
  for (const struct fl_op *o = H.suite->ops; o; o = o->next)
    buf_printf(&b, "%s%s", b.len ? ", " : "", o->name);
  return b.at;
}

static uint64_t place_of(const struct log_op *op) {
  return (uint64_t)op->line << 32 | op->column;
}

static int by_place(const void *x, const void *y) {
  const uint64_t *a = x, *b = y;
  return *a < *b ? -1 : *a > *b;
}

/* Searches also prepare parts of the log: which operations overlap is found in
 * the whole one, which comes first. */
static void find_overlapped(const struct log *l) {
  uint32_t latest = 0; /* return of those before */
  if (l->ops.len <= H.nops)
    return;
  H.nops = l->ops.len;
  vec_clear(&H.overlapped);
  for (uint32_t i = 0; i < l->ops.len; i++) {
    const struct log_op *o = &l->ops.at[i];
    bool later = i + 1 < l->ops.len && l->ops.at[i + 1].call < o->ret;
    if (later || (i && latest > o->call))
      vec_push(&H.overlapped, place_of(o));
    latest = o->ret > latest ? o->ret : latest;
  }
  if (H.overlapped.len)
    qsort(H.overlapped.at, H.overlapped.len, sizeof *H.overlapped.at, by_place);
}

static struct fl_datum plain_datum(datum d) {
  const struct datum_box *b = datum_box(d);
  if (datum_is_number(d))
    return (struct fl_datum){.kind = FL_DATUM_NUMBER,
                             .number = datum_to_number(d)};
  if (b && b->kind == DATUM_IS_TEXT)
    return (struct fl_datum){.kind = FL_DATUM_TEXT, .text = b->text};
  if (d == DATUM_TRUE || d == DATUM_FALSE)
    return (struct fl_datum){.kind = FL_DATUM_BOOL, .number = d == DATUM_TRUE};
  return (struct fl_datum){.kind =
                               d == DATUM_NIL ? FL_DATUM_NIL : FL_DATUM_NONE};
}

static bool is_excused(const struct log *l, const struct fl_op *o,
                       uint16_t index, const struct type_op *made) {
  const struct log_op *op = made->op;
  struct value v;
  uint64_t place = place_of(op);
  bool known, pending = op->ret == LOG_PENDING;
  struct fl_datum result = plain_datum(op->result);
  if (pending || !result_of(o, &result, pending, &v, &known) || !known)
    return false;
  find_overlapped(l);
  H.call.op = index;
  enum spec_excuse e = spec_excuse_of(H.spec, &H.client, 0, v);
  return e == EXCUSE_ALWAYS ||
         (e == EXCUSE_OVERLAPPED && H.overlapped.len &&
          bsearch(&place, H.overlapped.at, H.overlapped.len, sizeof place,
                  by_place));
}

/* Tells apply() whether the operation may have failed without a reason. */
static void mark(const struct log *l, const struct fl_op *o, uint16_t index,
                 struct type_op *made) {
  struct log_op *copy = xmalloc(sizeof *copy);
  bool excused = is_excused(l, o, index, made);
  *copy = *made->op;
  copy->process &= ~(uint32_t)EXCUSED;
  copy->process |= excused ? (uint32_t)EXCUSED : 0;
  vec_push(&H.copies, copy);
  made->op = copy;
  made->arg[1] = datum_number((int64_t)copy->process * 2 + copy->failed);
}

/* One of the harness: the model is given no other. */
static bool is_text(datum d) {
  const struct datum_box *b =
      datum_kind(d) == DATUM_IS_TEXT ? datum_box(d) : NULL;
  return b && parts_text(H.suite, parts_number(H.suite, b->text));
}

static int prepare(struct type *t, const struct log *l, const struct log_op *op,
                   struct type_op *out, struct error *e) {
  const char *name = l->functions.at[op->f];
  uint16_t index;
  const struct fl_op *o = op_named(name, &index);
  if (!o) {
    char *list = operations();
    error_set(e, ERR_INPUT,
              "%s has no operation '%.60s'; its operations (FL_OP) are %.400s",
              H.name, name, list);
    free(list);
    return e->code;
  }
  if (o->type == FL_TYPE_POINTER)
    return error_set(
        e, ERR_INPUT,
        "%s returns a pointer, which a recorded history cannot contain", name);
  uint32_t want = parts_arguments(o);
  if (op->nargs != want)
    return error_set(
        e, ERR_INPUT,
        "%s has %u argument%s, but the harness gives it %u (%s:%d)", name,
        op->nargs, op->nargs == 1 ? "" : "s", want, o->file, o->line);
  for (uint32_t i = 0; i < want && i < LOG_ARGS && want <= LOG_ARGS; i++) {
    bool text = parts_argument(o, i)->kind == FL_ITEM_STRING;
    if (text ? !is_text(op->arg[i])
             : !datum_is_number(op->arg[i]) && op->arg[i] != DATUM_TRUE &&
                   op->arg[i] != DATUM_FALSE)
      return error_set(e, ERR_INPUT, "argument %u of %s is not a %s", i + 1,
                       name, text ? "text of its FL_STRING" : "number");
  }
  if (!H.prepare(t, l, op, out, e) && H.spec->may_fail)
    mark(l, o, index, out);
  return e->code;
}

/* ---- opening ---- */

/* As for a test: the tables and signatures are looked at in a worker. */
static int compile(const char *spec, const struct opt_words *flags,
                   struct error *e) {
  static struct settings set; /* the built object refers to it */
  static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
  char *at = xstrdup(spec);
  for (char *name; (name = strsep(&at, ","));)
    vec_push(&set.rest.args, name);
  set.rest.after = *flags;
  int err = built_open(&H.built, &set, e);
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
    signal(caught[i], SIG_DFL); /* there are no workers any more */
  return err;
}

static void put_place(void *ctx, uint64_t pc, struct buf *out) {
  (void)ctx;
  built_put_place(H.built.lines, pc, out);
}

/* The only suite that has a specification. */
static int find_suite(struct error *e) {
  for (const struct fl_suite *s = rt_suites(); s; s = s->next) {
    if (s->spec && H.suite)
      return error_set(e, ERR_INPUT,
                       "%s: %s and %s both have an FL_SPEC: give a harness "
                       "with one of them",
                       H.name, H.suite->name, s->name);
    if (s->spec)
      H.suite = s;
  }
  return H.suite ? ERR_NONE
                 : error_set(e, ERR_INPUT,
                             "%s: the harness has no FL_SPEC, and check does "
                             "not run the object to find out what is correct",
                             H.name);
}

/* A model that fails ends this process, and its message is the last one. */
static void tell_failure(const char *text) {
  fflush(stdout);
  fprintf(stderr, "faultline: %s\n", text);
  tidy_now();
  _exit(2);
}

int check_harness_open(const char *spec, const struct opt_words *flags,
                       struct error *e) {
  enum { WATCHDOG_MS = 5000 };
  struct rt_options o = {.max_steps = 1, .watchdog_ms = WATCHDOG_MS};
  H.name = spec;
  die_by(tell_failure);
  if (compile(spec, flags, e) || rt_open(H.built.so, &o, e) || find_suite(e))
    return e->code;
  H.spec = spec_reference(H.suite, put_place, NULL, e);
  if (!H.spec && !e->code)
    H.spec = spec_builtin(H.suite, e);
  if (H.spec && spec_take_readings(H.spec, H.suite, e))
    return e->code;
  if (H.spec && H.spec->by_thread)
    return error_set(e, ERR_INPUT,
                     "%s: FL_PER_PRODUCER does not apply to recorded histories",
                     H.name);
  if (H.spec && H.spec->relaxed)
    return error_set(e, ERR_INPUT,
                     "%s: FL_RELAXED does not apply to recorded histories",
                     H.name);
  H.client = (struct client){.calls = &H.call, .ncalls = 1};
  return e->code;
}

void check_harness_close(void) {
  if (!H.name)
    return;
  for (uint32_t i = 0; i < H.copies.len; i++)
    free(H.copies.at[i]);
  vec_free(&H.copies);
  vec_free(&H.overlapped);
  spec_free(H.spec);
  built_close(&H.built);
}

struct type *check_harness_type(datum argument, struct error *e) {
  struct type *t = type_of_model(H.name, &model, argument, e);
  H.type = t;
  H.nops = 0;
  if (t) {
    H.prepare = t->prepare;
    t->prepare = prepare;
  }
  return t;
}
