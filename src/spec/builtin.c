/*
 * Calls of a client as operations of a type, and its answers as values of C.
 */
#include "spec/builtin.h"

#include "base/hash.h"
#include "harness/parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct type_op builtin_asked(const struct op_def *def) {
  return (struct type_op){.code = def->code,
                          .role = def->role,
                          .only_reads = def->reads,
                          .any_result = true,
                          .key = DATUM_NONE,
                          .arg = {DATUM_NONE, DATUM_NONE},
                          .result = DATUM_NONE};
}

static void put_argument(struct type_op *op, char slot, datum d) {
  switch (slot) {
  case 'k':
    op->key = d;
    break;
  case 'n':
    op->arg[1] = d;
    break;
  default:
    op->arg[0] = d;
  }
}

datum builtin_element(const struct builtin *b, datum d) {
  return b->tagged ? datum_box(d)->items[1] : d;
}

static datum given(const struct spec_role *role, int64_t v) {
  return datum_number(role->negates ? (int64_t)(0 - (uint64_t)v) : v);
}

void builtin_bind(const struct builtin *b, const struct spec_role *role,
                  struct bound_op *o) {
  const struct op_def *def = known_find(b->about->defs, role->op, false);
  assert(def);
  *o = (struct bound_op){
      .role = role, .op = builtin_asked(def), .slots = def->args};
  o->slots += *o->slots == '?';
  if (role->result == RESULT_RANGE)
    o->nargs = 2;
  else if (role->implies == IMPLIES_NOTHING)
    o->nargs = (uint32_t)strcspn(o->slots, "?");
}

struct value builtin_answer(const struct builtin *b, const struct bound_op *o,
                            int64_t v) {
  struct buf text = {0};
  if (b->texts && o->type == FL_TYPE_STRING)
    return value_string(parts_text(b->texts, v));
  if (!o->out)
    return builtin_value(o->type, o->size, v);
  buf_puts(&text, o->prefix);
  value_print(builtin_value((enum fl_type)o->out->lo, o->out->count, v), &text);
  struct value all = value_string(buf_text(&text));
  buf_free(&text);
  return all;
}

static bool is_full(const struct builtin *b, uint32_t state) {
  datum size;
  uint32_t same;
  b->type->apply(b->type, state, &b->size_op, &size, &same);
  return datum_to_number(size) >= b->capacity;
}

static void read_contents(struct builtin *b, uint32_t state) {
  vec_clear(&b->contents);
  b->type->contents(b->type, state, &b->contents);
}

/* A map's contents are keys and values. */
static uint32_t step_of(const struct builtin *b) {
  return b->about == &builtin_map ? 2 : 1;
}

static int64_t count_range(struct builtin *b, uint32_t state,
                           const struct call *k) {
  int64_t n = 0;
  read_contents(b, state);
  for (uint32_t i = 0; i < b->contents.len; i += step_of(b)) {
    int64_t v = datum_to_number(b->contents.at[i]);
    n += v >= k->args[0] && v <= k->args[1];
  }
  return n;
}

/* A stack's contents begin with what is removed last. */
static struct value all_of(struct builtin *b, uint32_t state,
                           const struct bound_op *o) {
  struct buf text = {0};
  read_contents(b, state);
  uint32_t n = b->contents.len;
  if (o->type != FL_TYPE_STRING)
    return builtin_value(o->type, o->size, n / step_of(b));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = b->about == &builtin_stack ? n - 1 - i : i;
    int64_t v = datum_to_number(builtin_element(b, b->contents.at[at]));
    buf_puts(&text, i ? " " : "");
    if (b->texts)
      buf_puts(&text, parts_text(b->texts, v));
    else
      buf_printf(&text, "%" PRId64, v);
  }
  struct value v = value_string(buf_text(&text));
  buf_free(&text);
  return v;
}

static enum spec_answer apply(struct spec *spec, const struct client *c,
                              uint32_t state, uint32_t call,
                              struct value *result, uint32_t *next) {
  struct builtin *b = (struct builtin *)spec;
  const struct call *k = &c->calls[call];
  assert(k->op < b->nops);
  const struct bound_op *o = &b->ops[k->op];
  enum role_result gives = o->role->result;
  struct type_op op = o->op;
  if (gives == RESULT_RANGE) {
    *next = state;
    *result = builtin_value(o->type, o->size, count_range(b, state, k));
    return SPEC_RETURNS;
  }
  for (uint32_t i = 0; i < o->nargs; i++)
    put_argument(&op, o->slots[i], given(o->role, k->args[i]));
  if (b->tagged && o->role->data) {
    datum element[2] = {datum_number(k->thread), op.arg[0]};
    op.arg[0] = datum_list(element, 2);
  }
  if (gives == RESULT_STATUS && b->capacity != UINT32_MAX && o->nargs &&
      is_full(b, state)) {
    *next = state;
    *result = o->full;
    return o->waits_full ? SPEC_WAITS : SPEC_RETURNS;
  }
  datum answer = DATUM_NONE;
  *next = state;
  bool can = b->type->apply(b->type, state, &op, &answer, next);
  assert(can); /* S4 */
  if (gives == RESULT_STATUS) {
    *result = o->ok;
  } else if (gives == RESULT_ALL) {
    *result = all_of(b, state, o);
  } else if (gives == RESULT_FLAG) {
    assert(answer == DATUM_TRUE || answer == DATUM_FALSE); /* S5 */
    *result = builtin_value(o->type, o->size, answer == DATUM_TRUE);
  } else if (answer != DATUM_NIL) {
    if (gives == RESULT_DATA)
      answer = builtin_element(b, answer);
    assert(datum_is_number(answer)); /* S5 */
    *result = gives == RESULT_DATA
                  ? builtin_answer(b, o, datum_to_number(answer))
                  : builtin_value(o->type, o->size, datum_to_number(answer));
  } else {
    *result = o->none;
    return o->waits_none ? SPEC_WAITS : SPEC_RETURNS;
  }
  return SPEC_RETURNS;
}

static bool only_reads(struct spec *spec, const struct client *c,
                       uint32_t call) {
  struct builtin *b = (struct builtin *)spec;
  return b->ops[c->calls[call].op].op.only_reads;
}

static void put_words(struct builtin *b, datum d) {
  if (b->tagged)
    vec_push(&b->words, datum_to_number(datum_box(d)->items[0]));
  vec_push(&b->words, datum_to_number(builtin_element(b, d)));
}

/* Of the contents as integers: data differ from process to process. */
static struct hash128 digest(struct spec *spec, uint32_t state) {
  struct builtin *b = (struct builtin *)spec;
  vec_clear(&b->words);
  read_contents(b, state);
  for (uint32_t i = 0; i < b->contents.len; i++)
    put_words(b, b->contents.at[i]);
  return hash128(b->words.at, b->words.len * sizeof *b->words.at, 0);
}

static uint64_t bytes(const struct spec *spec) {
  const struct type *t = &((const struct builtin *)spec)->type->type;
  return t->bytes(t);
}

static void forget(struct spec *spec) {
  struct type *t = &((struct builtin *)spec)->type->type;
  t->forget(t, NULL, 0);
  spec->initial = t->initial;
}

static void builtin_free(struct spec *spec) {
  struct builtin *b = (struct builtin *)spec;
  if (b->type)
    type_free(&b->type->type);
  vec_free(&b->contents);
  vec_free(&b->passed);
  vec_free(&b->words);
  for (uint32_t i = 0; i < b->nops; i++)
    free(b->ops[i].prefix);
  free(b->ops);
  free(b);
}

struct builtin *builtin_new(const char *name, const struct builtin_type *about,
                            uint32_t nops) {
  struct builtin *b = xcalloc(1, sizeof *b);
  b->spec.name = name;
  b->spec.apply = apply;
  b->spec.digest = digest;
  b->spec.free = builtin_free;
  b->spec.only_reads = only_reads;
  b->spec.bytes = bytes;
  b->spec.forget = forget;
  b->about = about;
  if (about->choose) {
    b->spec.choose = about->choose;
    b->spec.joins = true;
    b->spec.by_thread = true;
    b->spec.digest = NULL;
    b->spec.only_reads = NULL;
  }
  b->ops = xcalloc(nops ? nops : 1, sizeof *b->ops);
  b->nops = nops;
  b->capacity = UINT32_MAX;
  return b;
}

void builtin_open(struct builtin *b) {
  struct error e = {0};
  datum argument = b->about->cell ? datum_number(b->initial) : DATUM_NONE;
  struct type *t = b->about->open(b->spec.name, argument, &e);
  assert(t);
  b->type = (struct known_type *)t;
  b->spec.initial = t->initial;
  if (b->capacity != UINT32_MAX)
    b->size_op = builtin_asked(known_find(b->about->defs, "size", false));
  for (uint32_t i = 0; i < b->nops; i++) {
    struct bound_op *o = &b->ops[i];
    assert(o->role); /* S3 */
    if (o->role->implies != IMPLIES_NOTHING)
      put_argument(
          &o->op, o->slots[0],
          given(o->role, o->role->implies == IMPLIES_ONE ? 1 : b->initial));
  }
}

/* A 64-bit register holds more than the type: keep what the type has. */
static uint64_t narrow(uint64_t v, unsigned size, bool is_signed) {
  if (size == 0 || size >= 8)
    return v;
  unsigned drop = 64 - 8 * size;
  return is_signed ? (uint64_t)((int64_t)(v << drop) >> drop)
                   : v << drop >> drop;
}

struct value builtin_value(enum fl_type type, unsigned size, int64_t v) {
  char text[24];
  switch (type) {
  case FL_TYPE_VOID:
  case FL_TYPE_OTHER:
    break;
  case FL_TYPE_BOOL:
    return value_bool(v != 0);
  case FL_TYPE_INT:
    return value_int((int64_t)narrow((uint64_t)v, size, true));
  case FL_TYPE_UINT:
    return value_uint(narrow((uint64_t)v, size, false));
  case FL_TYPE_POINTER:
    return value_address((uint64_t)v);
  case FL_TYPE_STRING: /* a wrapper that prints the number */
    snprintf(text, sizeof text, "%" PRId64, v);
    return value_string(text);
  }
  return value_void();
}
