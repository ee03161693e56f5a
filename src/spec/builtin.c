/*
 * States of built-in types get numbers by interning their words: an exact hash
 * table, so that a number is a state.  A call is computed anew each time
 * (copy, change, look up): a memo of calls was no faster for the states of a
 * few words that clients reach.
 */
#include "spec/builtin.h"

#include "base/hash.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool same(const struct builtin *b, const struct state *s, uint64_t hash,
                 const int64_t *at, uint32_t len) {
  return s->hash == hash && s->len == len &&
         (!len || !memcmp(b->words.at + s->at, at, len * sizeof *at));
}

static void grow(struct builtin *b) {
  free(b->slots);
  b->nslots = b->nslots ? b->nslots * 2 : 64;
  b->slots = xcalloc(b->nslots, sizeof *b->slots);
  for (uint32_t id = 0; id < b->states.len; id++) {
    uint32_t i = (uint32_t)b->states.at[id].hash & (b->nslots - 1);
    while (b->slots[i])
      i = (i + 1) & (b->nslots - 1);
    b->slots[i] = id + 1;
  }
}

uint32_t builtin_intern(struct builtin *b, const int64_t *at, uint32_t len) {
  if ((b->states.len + 1) * 2 > b->nslots)
    grow(b);
  uint64_t hash = hash64(at, len * sizeof *at, 0);
  uint32_t i = (uint32_t)hash & (b->nslots - 1);
  for (; b->slots[i]; i = (i + 1) & (b->nslots - 1))
    if (same(b, &b->states.at[b->slots[i] - 1], hash, at, len))
      return b->slots[i] - 1;
  b->slots[i] = b->states.len + 1;
  struct state s = {.hash = hash, .at = b->words.len, .len = len};
  vec_push(&b->states, s);
  vec_reserve(&b->words, b->words.len + len);
  if (len)
    memcpy(b->words.at + b->words.len, at, len * sizeof *at);
  b->words.len += len;
  return b->states.len - 1;
}

static enum spec_answer apply(struct spec *spec, const struct client *c,
                              uint32_t state, uint32_t call,
                              struct value *result, uint32_t *next) {
  struct builtin *b = (struct builtin *)spec;
  const struct call *k = &c->calls[call];
  assert(k->op < b->nops && state < b->states.len);
  const struct bound *op = &b->ops[k->op];
  const struct state *s = &b->states.at[state];
  struct words w = {s->len ? b->words.at + s->at : NULL, s->len};
  if (op->role->writes) {
    vec_reserve(&b->scratch, s->len + 2);
    if (s->len)
      memcpy(b->scratch.at, w.at, s->len * sizeof *w.at);
    w.at = b->scratch.at;
  }
  enum spec_answer answer = op->role->apply(b, op, &w, k->args, result);
  if (answer == SPEC_RETURNS)
    *next = op->role->writes ? builtin_intern(b, w.at, w.len) : state;
  return answer;
}

static bool only_reads(struct spec *spec, const struct client *c,
                       uint32_t call) {
  struct builtin *b = (struct builtin *)spec;
  return !b->ops[c->calls[call].op].role->writes;
}

static void print_state(struct spec *spec, uint32_t state, struct buf *out) {
  struct builtin *b = (struct builtin *)spec;
  const struct state *s = &b->states.at[state];
  b->type->print(s->len ? b->words.at + s->at : NULL, s->len, out);
}

static struct hash128 digest(const struct spec *spec, uint32_t state) {
  const struct builtin *b = (const struct builtin *)spec;
  const struct state *s = &b->states.at[state];
  return hash128(b->words.at + s->at, s->len * sizeof *b->words.at, 0);
}

static uint64_t bytes(const struct spec *spec) {
  const struct builtin *b = (const struct builtin *)spec;
  return b->words.cap * sizeof *b->words.at +
         b->states.cap * sizeof *b->states.at +
         (uint64_t)b->nslots * sizeof *b->slots;
}

/* The memory goes as well: it was much. */
static void forget(struct spec *spec) {
  struct builtin *b = (struct builtin *)spec;
  vec_free(&b->states);
  vec_free(&b->words);
  free(b->slots);
  b->slots = NULL;
  b->nslots = 0;
  b->spec.initial = builtin_intern(b, &b->initial, b->type->cell);
}

static void builtin_free(struct spec *spec) {
  struct builtin *b = (struct builtin *)spec;
  vec_free(&b->states);
  vec_free(&b->words);
  vec_free(&b->scratch);
  free(b->slots);
  free(b->ops);
  free(b);
}

struct builtin *builtin_new(const char *name, const struct builtin_type *type,
                            uint32_t nops) {
  struct builtin *b = xcalloc(1, sizeof *b);
  b->spec.name = name;
  b->spec.apply = apply;
  b->spec.print_state = print_state;
  b->spec.digest = digest;
  b->spec.free = builtin_free;
  b->spec.only_reads = only_reads;
  b->spec.bytes = bytes;
  b->spec.forget = forget;
  b->type = type;
  b->ops = xcalloc(nops ? nops : 1, sizeof *b->ops);
  b->nops = nops;
  b->capacity = UINT32_MAX;
  return b;
}

void spec_free(struct spec *s) {
  if (s)
    s->free(s);
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
