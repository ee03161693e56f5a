/* The fields of an event in a file: memory, places, calls, activations. */
#include "model/trace_file_int.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Named locations lie where no program has memory. */
#define NAMED_BASE UINT64_C(0xf000000000000000)
#define NAMED_SIZE UINT64_C(4096)

int trace_get_number(struct trace_reader *r, const struct json_node *o,
                     const char *key, uint64_t max, uint64_t *out) {
  const struct json_node *v = json_get(o, key);
  if (!v)
    return 0;
  if (!json_is(v, JSON_WHOLE))
    return trace_fail(r, "\"%s\" is not a whole number", key);
  int64_t n = v->number;
  if (n < 0 || (uint64_t)n > max)
    return trace_fail(r, "\"%s\" is %lld, not in 0 to %" PRIu64, key,
                      (long long)n, max);
  *out = (uint64_t)n;
  return 0;
}

int trace_get_text(struct trace_reader *r, const struct json_node *o,
                   const char *key, const char **out) {
  const struct json_node *v = json_get(o, key);
  if (!v)
    return 0;
  if (!json_is(v, JSON_TEXT))
    return trace_fail(r, "\"%s\" is not a string", key);
  const char *s = json_text_of(v);
  bool fresh;
  uint32_t *at = map128_put(&r->texts, hash128(s, strlen(s), 0), &fresh);
  if (fresh) {
    *at = r->text.len;
    vec_push(&r->text, arena_strdup(&r->f->arena, s));
  }
  *out = r->text.at[*at];
  return 0;
}

static uint64_t named_location(struct trace_reader *r, const char *name) {
  bool fresh;
  uint32_t *at = map128_put(&r->names, hash128(name, strlen(name), 0), &fresh);
  if (fresh)
    *at = (uint32_t)r->nnames++;
  return NAMED_BASE + *at * NAMED_SIZE;
}

/* A number, or one in a string: "0x7f00". */
static int get_address(struct trace_reader *r, const struct json_node *v,
                       uint64_t *out) {
  if (json_is(v, JSON_WHOLE)) {
    *out = (uint64_t)v->number;
    return v->number < 0 ? trace_fail(r, "\"addr\" is negative") : 0;
  }
  const char *s = json_text_of(v);
  if (!s || strncmp(s, "0x", 2) || !s[2] || strlen(s) > 18 ||
      s[2 + strspn(s + 2, "0123456789abcdefABCDEF")])
    return trace_fail(
        r, "\"addr\" is neither a number nor a string like \"0x1f40\"");
  *out = strtoull(s + 2, NULL, 16);
  return 0;
}

int trace_get_memory(struct trace_reader *r, const struct json_node *o,
                     struct event *e) {
  const struct json_node *addr = json_get(o, "addr");
  const char *name = NULL;
  uint64_t size = 0;
  int err = trace_get_text(r, o, "var", &name);
  if (!err)
    err = trace_get_number(r, o, "size", INT64_MAX, &size);
  if (!err && addr && name)
    err = trace_fail(r, "both \"addr\" and \"var\"");
  if (!err && addr)
    err = get_address(r, addr, &e->addr);
  if (err)
    return err;
  if (name) {
    e->addr = named_location(r, name);
    if (size > NAMED_SIZE)
      return trace_fail(r, "\"size\" of a \"var\" is more than %" PRIu64,
                        NAMED_SIZE);
    size = size ? size : 1;
  }
  bool block = e->kind == EV_ALLOC || e->kind == EV_FREE; /* may be empty */
  bool access = event_reads[e->kind] || event_writes[e->kind];
  if ((block || access) && !addr && !name)
    return trace_fail(r, "%s without \"addr\" or \"var\"", event_word[e->kind]);
  if (access && !block && !size)
    return trace_fail(r, "%s without \"size\"", event_word[e->kind]);
  if (e->addr + size < e->addr)
    return trace_fail(
        r, "\"addr\" + \"size\" is beyond the end of memory"); /* T3 */
  e->size = size;
  return 0;
}

/* Places. */

static int compare_place(const struct place *a, const struct place *b) {
  return a->file != b->file || a->function != b->function ||
         a->line != b->line || a->column != b->column;
}

/* Names are interned, so that their pointers are as good as their letters. */
int trace_get_place(struct trace_reader *r, const struct json_node *o,
                    uint64_t *pc) {
  struct place p = {0};
  uint64_t line = 0, column = 0;
  int err = trace_get_text(r, o, "file", &p.file);
  if (!err)
    err = trace_get_text(r, o, "function", &p.function);
  if (!err)
    err = trace_get_number(r, o, "line", UINT32_MAX, &line);
  if (!err)
    err = trace_get_number(r, o, "column", UINT32_MAX, &column);
  if (err)
    return err;
  p.line = (uint32_t)line;
  p.column = (uint32_t)column;
  *pc = 0;
  if (!p.file && !p.function && !p.line)
    return 0;
  uint64_t key[] = {(uintptr_t)p.file, (uintptr_t)p.function, p.line, p.column};
  bool fresh;
  uint32_t *at = map128_put(&r->places, hash128(key, sizeof key, 0), &fresh);
  if (fresh) {
    *at = r->place.len;
    vec_push(&r->place, p);
  }
  assert(!compare_place(&r->place.at[*at], &p));
  *pc = (uint64_t)*at + 1;
  return 0;
}

static uint32_t frame_of(struct trace_reader *r, uint64_t pc, uint32_t parent) {
  uint64_t key[] = {pc, parent};
  bool fresh;
  uint32_t *at = map128_put(&r->frame_of, hash128(key, sizeof key, 0), &fresh);
  if (fresh) {
    *at = r->frames.len;
    vec_push(&r->frames, ((struct frame){pc, parent}));
  }
  return *at;
}

/* Call sites are listed from the inside out; frames are made from outside. */
int trace_get_calls(struct trace_reader *r, const struct json_node *o,
                    uint32_t *chain) {
  const struct json_node *calls = json_get(o, "calls");
  *chain = 0;
  if (!calls)
    return 0;
  if (!json_is(calls, JSON_ARRAY))
    return trace_fail(r, "\"calls\" is not an array");
  for (uint32_t i = calls->len; i-- > 0;) {
    const struct json_node *site = &calls->at[i];
    uint64_t pc;
    if (!json_is(site, JSON_OBJECT))
      return trace_fail(r, "\"calls\" holds something that is not an object");
    int err = trace_get_place(r, site, &pc);
    if (err)
      return err;
    *chain = frame_of(r, pc, *chain);
  }
  return 0;
}

/* What belongs to one execution of a function: equal numbers, and the same
 * calls around it in one operation. */
static uint32_t activation_of(struct trace_reader *r, const struct event *e,
                              uint64_t number, uint64_t pc, uint32_t parent) {
  uint64_t key[] = {number, pc, parent, e->thread, e->call};
  bool fresh;
  uint32_t *at =
      map128_put(&r->activation_of, hash128(key, sizeof key, 0), &fresh);
  if (fresh) {
    *at = r->activations.len;
    vec_push(&r->activations, ((struct activation){pc, parent}));
  }
  return *at;
}

static int get_activation_number(struct trace_reader *r,
                                 const struct json_node *numbers, size_t i,
                                 uint64_t *out) {
  *out = 0;
  if (!numbers)
    return 0;
  const struct json_node *v = &numbers->at[i];
  if (!json_is(v, JSON_WHOLE) || v->number < 0)
    return trace_fail(r,
                      "\"activations\" holds something that is not a number");
  *out = (uint64_t)v->number;
  return 0;
}

int trace_get_activations(struct trace_reader *r, const struct json_node *o,
                          struct event *e) {
  const struct json_node *numbers = json_get(o, "activations");
  uint32_t depth = json_len(json_get(o, "calls"));
  if (numbers && !json_is(numbers, JSON_ARRAY))
    return trace_fail(r, "\"activations\" is not an array");
  if (numbers && numbers->len != depth + 1)
    return trace_fail(r,
                      "\"activations\" has %" PRIu32
                      " numbers, not one and one for "
                      "each of %" PRIu32 " calls",
                      numbers->len, depth);
  VEC(uint64_t) sites = {0}; /* from the inside out, then the bottom */
  for (uint32_t f = e->chain; f; f = r->frames.at[f].parent)
    vec_push(&sites, r->frames.at[f].call_pc);
  assert(sites.len == depth);
  vec_push(&sites, 0);
  int err = 0;
  for (uint32_t i = depth + 1; i-- > 0 && !err;) {
    uint64_t number;
    err = get_activation_number(r, numbers, i, &number);
    if (!err)
      e->activation = activation_of(r, e, number, sites.at[i], e->activation);
  }
  vec_free(&sites);
  return err;
}
