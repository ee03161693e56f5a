/* Reading traces: each line a JSON object, see docs/trace.md. */
#include "model/trace_file.h"

#include "base/json_tree.h"
#include "base/map128.h"
#include "base/vec.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Named locations lie where no program has memory. */
#define NAMED_BASE UINT64_C(0xf000000000000000)
#define NAMED_SIZE UINT64_C(4096)

enum { NOT_RETURNED = 0 };

struct op_state {
  uint32_t op, thread;
  uint32_t returned; /* the line, or NOT_RETURNED */
};

struct trace_reader {
  struct trace_file *f;
  struct error *e;
  const char *path;
  uint32_t line;
  struct json_tree json;              /* of the line */
  struct map128 texts, places, names; /* of the file: interned + 1 */
  VEC(const char *) text;
  VEC(struct place) place;
  uint64_t nnames;
  VEC(struct stored_trace) traces;
  /* of the running trace */
  VEC(struct event) events;
  VEC(struct frame) frames;
  VEC(struct activation) activations;
  VEC(struct op_state) ops;
  VEC(const char *) op_names;
  struct map128 op_of, frame_of, activation_of;
  uint32_t running[256]; /* by thread: its operation's index in ops + 1 */
  uint32_t depth[256], begin_line[256]; /* of blocks */
  bool seen[256];                       /* has had an event, or was created */
  VEC(uint32_t) stores[256];            /* issued, in their order */
  uint32_t committed[256];              /* how many of these are */
};

static int fail(struct trace_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int fail(struct trace_reader *r, const char *format, ...) {
  char reason[512];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  return error_set(r->e, ERR_INPUT, "%s:%" PRIu32 ": %s", r->path, r->line,
                   reason);
}

/* Fields. */

static int get_number(struct trace_reader *r, const struct json_node *o,
                      const char *key, uint64_t max, uint64_t *out) {
  const struct json_node *v = json_get(o, key);
  if (!v)
    return 0;
  if (!json_is(v, JSON_WHOLE))
    return fail(r, "\"%s\" is not a whole number", key);
  int64_t n = v->number;
  if (n < 0 || (uint64_t)n > max)
    return fail(r, "\"%s\" is %lld, not in 0 to %" PRIu64, key, (long long)n,
                max);
  *out = (uint64_t)n;
  return 0;
}

/* *out is interned in the file's arena; untouched when there is no field. */
static int get_text(struct trace_reader *r, const struct json_node *o,
                    const char *key, const char **out) {
  const struct json_node *v = json_get(o, key);
  if (!v)
    return 0;
  if (!json_is(v, JSON_TEXT))
    return fail(r, "\"%s\" is not a string", key);
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
    return v->number < 0 ? fail(r, "\"addr\" is negative") : 0;
  }
  const char *s = json_text_of(v);
  if (!s || strncmp(s, "0x", 2) || !s[2] || strlen(s) > 18 ||
      s[2 + strspn(s + 2, "0123456789abcdefABCDEF")])
    return fail(r, "\"addr\" is neither a number nor a string like \"0x1f40\"");
  *out = strtoull(s + 2, NULL, 16);
  return 0;
}

static int get_memory(struct trace_reader *r, const struct json_node *o,
                      struct event *e) {
  const struct json_node *addr = json_get(o, "addr");
  const char *name = NULL;
  uint64_t size = 0;
  int err = get_text(r, o, "var", &name);
  if (!err)
    err = get_number(r, o, "size", INT64_MAX, &size);
  if (!err && addr && name)
    err = fail(r, "both \"addr\" and \"var\"");
  if (!err && addr)
    err = get_address(r, addr, &e->addr);
  if (err)
    return err;
  if (name) {
    e->addr = named_location(r, name);
    if (size > NAMED_SIZE)
      return fail(r, "\"size\" of a \"var\" is more than %" PRIu64, NAMED_SIZE);
    size = size ? size : 1;
  }
  bool block = e->kind == EV_ALLOC || e->kind == EV_FREE; /* may be empty */
  bool access = event_reads[e->kind] || event_writes[e->kind];
  if ((block || access) && !addr && !name)
    return fail(r, "%s without \"addr\" or \"var\"", event_word[e->kind]);
  if (access && !block && !size)
    return fail(r, "%s without \"size\"", event_word[e->kind]);
  if (e->addr + size < e->addr)
    return fail(r, "\"addr\" + \"size\" is beyond the end of memory"); /* T3 */
  e->size = size;
  return 0;
}

/* Places. */

static int compare_place(const struct place *a, const struct place *b) {
  return a->file != b->file || a->function != b->function ||
         a->line != b->line || a->column != b->column;
}

/* Names are interned, so that their pointers are as good as their letters.
 * *pc is 0 when nothing is said. */
static int get_place(struct trace_reader *r, const struct json_node *o,
                     uint64_t *pc) {
  struct place p = {0};
  uint64_t line = 0, column = 0;
  int err = get_text(r, o, "file", &p.file);
  if (!err)
    err = get_text(r, o, "function", &p.function);
  if (!err)
    err = get_number(r, o, "line", UINT32_MAX, &line);
  if (!err)
    err = get_number(r, o, "column", UINT32_MAX, &column);
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
static int get_calls(struct trace_reader *r, const struct json_node *o,
                     uint32_t *chain) {
  const struct json_node *calls = json_get(o, "calls");
  *chain = 0;
  if (!calls)
    return 0;
  if (!json_is(calls, JSON_ARRAY))
    return fail(r, "\"calls\" is not an array");
  for (uint32_t i = calls->len; i-- > 0;) {
    const struct json_node *site = &calls->at[i];
    uint64_t pc;
    if (!json_is(site, JSON_OBJECT))
      return fail(r, "\"calls\" holds something that is not an object");
    int err = get_place(r, site, &pc);
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
    return fail(r, "\"activations\" holds something that is not a number");
  *out = (uint64_t)v->number;
  return 0;
}

/* Of the code that made the event, and of the code of each of its "calls".
 * Without numbers, calls from one place are one activation. */
static int get_activations(struct trace_reader *r, const struct json_node *o,
                           struct event *e) {
  const struct json_node *numbers = json_get(o, "activations");
  uint32_t depth = json_len(json_get(o, "calls"));
  if (numbers && !json_is(numbers, JSON_ARRAY))
    return fail(r, "\"activations\" is not an array");
  if (numbers && numbers->len != depth + 1)
    return fail(r,
                "\"activations\" has %" PRIu32 " numbers, not one and one for "
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

/* Operations. */

static struct op_state *op_of(struct trace_reader *r, uint32_t op,
                              uint32_t thread) {
  bool fresh;
  uint32_t *at = map128_put(&r->op_of, hash128(&op, sizeof op, 0), &fresh);
  if (fresh) {
    *at = r->ops.len;
    vec_push(&r->ops, ((struct op_state){op, thread, NOT_RETURNED}));
  }
  return &r->ops.at[*at];
}

static int check_op(struct trace_reader *r, const struct event *e) {
  if (e->call == EVENT_NO_CALL)
    return e->kind == EV_CALL || e->kind == EV_RETURN
               ? fail(r, "%s without \"op\"", event_word[e->kind])
               : 0;
  uint32_t *running = &r->running[e->thread], known = r->ops.len;
  struct op_state *o = op_of(r, e->call, e->thread);
  uint32_t number = (uint32_t)(o - r->ops.at) + 1;
  if (o->thread != e->thread) /* T1 */
    return fail(r, "operation %" PRIu32 " is one of thread %" PRIu32, e->call,
                o->thread);
  if (o->returned) /* T2 */
    return fail(r, "operation %" PRIu32 " has returned in line %" PRIu32,
                e->call, o->returned);
  if (number <= known && *running != number) /* T1 */
    return fail(r,
                "operation %" PRIu32 " goes on after thread %" PRIu32
                " has begun another",
                e->call, o->thread);
  *running = number;
  if (e->kind == EV_RETURN)
    o->returned = r->line;
  return 0;
}

static int get_name(struct trace_reader *r, const struct json_node *o,
                    const struct event *e) {
  const char *name = NULL;
  int err = get_text(r, o, "name", &name);
  if (err || !name || e->kind != EV_CALL)
    return err;
  if (e->call > 1000000)
    return fail(r, "a named operation has a number above 1000000");
  while (r->op_names.len <= e->call)
    vec_push(&r->op_names, NULL);
  r->op_names.at[e->call] = name;
  return 0;
}

/* Lines. */

static int get_kind(struct trace_reader *r, const char *type, uint8_t *kind) {
  for (uint32_t k = 0; k < EV_COUNT; k++)
    if (!strcmp(event_word[k], type)) {
      *kind = (uint8_t)k;
      return 0;
    }
  return fail(r, "unknown type \"%.40s\"", type);
}

static void get_values(const struct json_node *o, struct event *e) {
  const struct json_node *value = json_get(o, "value");
  const struct json_node *old = json_get(o, "old");
  e->flags = 0;
  if (json_is(value, JSON_WHOLE))
    e->value[0] = (uint64_t)value->number;
  else
    e->flags |= EVENT_NO_VALUE;
  if (json_is(old, JSON_WHOLE))
    e->old[0] = (uint64_t)old->number;
  else
    e->flags |= EVENT_NO_OLD;
}

/* Blocks and threads. */

static int check_block(struct trace_reader *r, const struct event *e) { /* T4 */
  if (e->kind == EV_TXN_BEGIN && !r->depth[e->thread]++)
    r->begin_line[e->thread] = r->line;
  if (e->kind == EV_TXN_END && !r->depth[e->thread]--) {
    r->depth[e->thread] = 0;
    return fail(r, "end without begin in thread %u", e->thread);
  }
  return 0;
}

static int check_blocks_end(struct trace_reader *r) {
  for (uint32_t t = 0; t < 256; t++)
    if (r->depth[t]) {
      r->line = r->begin_line[t];
      return fail(r, "begin without end in thread %" PRIu32, t);
    }
  return 0;
}

static int check_thread(struct trace_reader *r, const struct event *e) {
  r->seen[e->thread] = true;
  if ((e->kind != EV_CREATE && e->kind != EV_JOIN) ||
      (e->flags & EVENT_NO_VALUE))
    return 0;
  if (e->value[0] > UINT8_MAX || (e->kind == EV_JOIN && !r->seen[e->value[0]]))
    return fail(r, "%s: unknown thread %" PRIu64, event_word[e->kind],
                e->value[0]);
  r->seen[e->value[0]] = true;
  return 0;
}

/* Stores that wait. */

static int get_issued(struct trace_reader *r, const struct json_node *o,
                      struct event *e) {
  const struct json_node *issued = json_get(o, "issued");
  if (issued && !json_is(issued, JSON_BOOLEAN))
    return fail(r, "\"issued\" is neither true nor false");
  if (json_is_true(json_get(o, "forwarded")))
    e->flags |= EVENT_FORWARDED;
  if (!vec_last(&r->traces).about.tso ||
      (e->kind != EV_WRITE && e->kind != EV_ATOMIC_WRITE) ||
      (issued && !issued->number))
    return 0;
  e->flags |= EVENT_ISSUED;
  vec_push(&r->stores[e->thread], r->events.len);
  return 0;
}

static int read_commit(struct trace_reader *r, const struct json_node *o,
                       uint8_t thread) {
  struct event given = {.kind = EV_COMMIT};
  if (!vec_last(&r->traces).about.tso)
    return fail(r, "commit in a trace whose header has no \"memory\":\"tso\"");
  if (r->committed[thread] == r->stores[thread].len)
    return fail(r, "commit without issue: no store of thread %u waits", thread);
  uint32_t issue = r->stores[thread].at[r->committed[thread]++]; /* T5 */
  struct event e = r->events.at[issue];
  bool named = json_get(o, "addr") || json_get(o, "var");
  int err = named ? get_memory(r, o, &given) : 0;
  if (!err && named && given.addr != e.addr)
    err = fail(r, "commit of another store than the oldest that waits");
  e.kind = EV_COMMIT;
  e.step = r->events.len;
  e.flags &= ~EVENT_ISSUED;
  e.issue = issue;
  if (!err)
    vec_push(&r->events, e);
  return err;
}

static int read_event(struct trace_reader *r, const struct json_node *o,
                      const char *type) {
  struct event e = {.step = r->events.len, .call = EVENT_NO_CALL};
  uint64_t thread = 0, op = EVENT_NO_CALL;
  int err = get_kind(r, type, &e.kind);
  if (!err && !json_get(o, "thread"))
    err = fail(r, "%s without \"thread\"", type);
  if (!err)
    err = get_number(r, o, "thread", UINT8_MAX, &thread);
  if (!err)
    err = get_number(r, o, "op", EVENT_NO_CALL - 1, &op);
  e.thread = (uint8_t)thread;
  e.call = (uint32_t)op;
  if (!err && e.kind == EV_COMMIT)
    return read_commit(r, o, e.thread);
  if (!err)
    err = check_op(r, &e);
  if (!err)
    err = check_block(r, &e);
  if (!err)
    err = get_name(r, o, &e);
  if (!err)
    err = get_memory(r, o, &e);
  if (!err)
    err = get_place(r, o, &e.pc);
  if (!err)
    err = get_calls(r, o, &e.chain);
  if (!err)
    err = get_activations(r, o, &e);
  if (err)
    return err;
  get_values(o, &e);
  err = check_thread(r, &e);
  if (!err)
    err = get_issued(r, o, &e);
  if (!err)
    vec_push(&r->events, e);
  return err;
}

#define STORE(r, v)                                                            \
  ((v)->len ? arena_copy(&(r)->f->arena, (v)->at, (v)->len * sizeof *(v)->at)  \
            : NULL)

/* The running trace is complete. */
static void end_trace(struct trace_reader *r) {
  if (!r->traces.len)
    return;
  struct stored_trace *t = &vec_last(&r->traces);
  t->trace.events = STORE(r, &r->events);
  t->trace.nevents = r->events.len;
  t->trace.frames = STORE(r, &r->frames);
  t->trace.nframes = r->frames.len;
  t->trace.activations = STORE(r, &r->activations);
  t->trace.nactivations = r->activations.len;
  t->about.op_names = STORE(r, &r->op_names);
  t->about.nops = r->op_names.len;
}

static void begin_trace(struct trace_reader *r, struct trace_about about) {
  end_trace(r);
  vec_clear(&r->events);
  vec_clear(&r->frames);
  vec_clear(&r->activations);
  vec_clear(&r->ops);
  vec_clear(&r->op_names);
  map128_clear(&r->op_of);
  map128_clear(&r->frame_of);
  map128_clear(&r->activation_of);
  memset(r->running, 0, sizeof r->running);
  memset(r->seen, 0, sizeof r->seen);
  memset(r->committed, 0, sizeof r->committed);
  for (uint32_t t = 0; t < 256; t++)
    vec_clear(&r->stores[t]);
  vec_push(&r->frames, ((struct frame){0}));
  vec_push(&r->activations, ((struct activation){0}));
  vec_push(&r->traces,
           ((struct stored_trace){.about = about, .line = r->line}));
}

static int get_verdict(struct trace_reader *r, const struct json_node *o,
                       enum verdict *out) {
  const char *name = NULL;
  int err = get_text(r, o, "verdict", &name);
  *out = VERDICT_UNKNOWN;
  if (err || !name)
    return err;
  for (int v = VERDICT_PASS; v <= VERDICT_UNKNOWN; v++)
    if (!strcmp(verdict_name[v], name)) {
      *out = (enum verdict)v;
      return 0;
    }
  return fail(r, "unknown verdict \"%.40s\"", name);
}

static int get_model(struct trace_reader *r, const struct json_node *o,
                     bool *tso) {
  const char *name = NULL;
  int err = get_text(r, o, "memory", &name);
  *tso = name && !strcmp(name, "tso");
  if (!err && name && !*tso && strcmp(name, "sc"))
    err = fail(r, "unknown memory model \"%.40s\"; sc and tso are", name);
  return err;
}

static int read_header(struct trace_reader *r, const struct json_node *o) {
  struct trace_about about = {0};
  uint64_t version = 0;
  int err = check_blocks_end(r);
  if (!err)
    err = get_number(r, o, "version", INT64_MAX, &version);
  if (!err && version != TRACE_FILE_VERSION)
    err = fail(r, "version %" PRIu64 " of trace files is not known; %d is",
               version, TRACE_FILE_VERSION);
  if (!err)
    err = get_text(r, o, "object", &about.object);
  if (!err)
    err = get_verdict(r, o, &about.verdict);
  if (!err)
    err = get_model(r, o, &about.tso);
  if (!err)
    begin_trace(r, about);
  return err;
}

static int read_object(struct trace_reader *r, const struct json_node *o) {
  if (!json_is(o, JSON_OBJECT))
    return fail(r, "not a JSON object");
  const char *type = json_text_of(json_get(o, "type"));
  if (!type)
    return fail(r, "no \"type\"");
  if (!strcmp(type, "trace"))
    return read_header(r, o);
  if (!r->traces.len)
    return fail(r, "the first line is not a header "
                   "({\"type\":\"trace\",\"version\":1})");
  return read_event(r, o, type);
}

static bool is_blank(const char *line, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
      return false;
  return true;
}

static int read_line(struct trace_reader *r, const char *line, size_t len) {
  if (is_blank(line, len))
    return 0;
  if (!json_tree_read(&r->json, line, len))
    return fail(r, "not JSON: expected %s (column %" PRIu32 ")",
                r->json.expected, r->json.column);
  return read_object(r, r->json.root);
}

static int read_lines(struct trace_reader *r, const char *text, size_t len) {
  for (size_t at = 0; at < len;) {
    const char *end = memchr(text + at, '\n', len - at);
    size_t n = end ? (size_t)(end - text) - at : len - at;
    r->line++;
    int err = read_line(r, text + at, n);
    if (err)
      return err;
    at += n + 1;
  }
  if (!r->traces.len)
    return error_set(r->e, ERR_INPUT, "%s: holds no trace", r->path);
  return 0;
}

static void keep(struct trace_reader *r) {
  struct trace_file *f = r->f;
  end_trace(r);
  f->traces = STORE(r, &r->traces);
  f->ntraces = r->traces.len;
  f->places = STORE(r, &r->place);
  f->nplaces = r->place.len;
}

static void reader_free(struct trace_reader *r) {
  json_tree_free(&r->json);
  map128_free(&r->texts);
  map128_free(&r->places);
  map128_free(&r->names);
  map128_free(&r->op_of);
  map128_free(&r->frame_of);
  map128_free(&r->activation_of);
  vec_free(&r->text);
  vec_free(&r->place);
  vec_free(&r->traces);
  vec_free(&r->events);
  vec_free(&r->frames);
  vec_free(&r->activations);
  vec_free(&r->ops);
  vec_free(&r->op_names);
  for (uint32_t t = 0; t < 256; t++)
    vec_free(&r->stores[t]);
}

int trace_file_parse(struct trace_file *f, const char *text, size_t len,
                     const char *path, struct error *e) {
  *f = (struct trace_file){0};
  struct trace_reader r = {.f = f, .e = e, .path = path};
  int err = read_lines(&r, text, len);
  if (!err)
    err = check_blocks_end(&r);
  if (err)
    trace_file_free(f);
  else
    keep(&r);
  reader_free(&r);
  return err;
}

int trace_file_read(struct trace_file *f, const char *path, struct error *e) {
  struct buf text = {0};
  *f = (struct trace_file){0};
  int err = buf_read_file(&text, path, e);
  if (!err)
    err = trace_file_parse(f, buf_text(&text), text.len, path, e);
  buf_free(&text);
  return err;
}

void trace_file_free(struct trace_file *f) {
  arena_free(&f->arena);
  *f = (struct trace_file){0};
}
