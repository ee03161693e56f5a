/* Reading traces: each line a JSON object, see docs/trace.md. */
#include "model/trace_file_int.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int trace_fail(struct trace_reader *r, const char *format, ...) {
  char reason[512];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  return error_set(r->e, ERR_INPUT, "%s:%" PRIu32 ": %s", r->path, r->line,
                   reason);
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
  int err = trace_get_text(r, o, "verdict", &name);
  *out = VERDICT_UNKNOWN;
  if (err || !name)
    return err;
  for (int v = VERDICT_PASS; v <= VERDICT_UNKNOWN; v++)
    if (!strcmp(verdict_name[v], name)) {
      *out = (enum verdict)v;
      return 0;
    }
  return trace_fail(r, "unknown verdict \"%.40s\"", name);
}

static int get_model(struct trace_reader *r, const struct json_node *o,
                     bool *tso) {
  const char *name = NULL;
  int err = trace_get_text(r, o, "memory", &name);
  *tso = name && !strcmp(name, "tso");
  if (!err && name && !*tso && strcmp(name, "sc"))
    err = trace_fail(r, "unknown memory model \"%.40s\"; sc and tso are", name);
  return err;
}

static int read_header(struct trace_reader *r, const struct json_node *o) {
  struct trace_about about = {0};
  uint64_t version = 0;
  int err = trace_check_blocks_end(r);
  if (!err)
    err = trace_get_number(r, o, "version", INT64_MAX, &version);
  if (!err && version != TRACE_FILE_VERSION)
    err =
        trace_fail(r, "version %" PRIu64 " of trace files is not known; %d is",
                   version, TRACE_FILE_VERSION);
  if (!err)
    err = trace_get_text(r, o, "object", &about.object);
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
    return trace_fail(r, "not a JSON object");
  const char *type = json_text_of(json_get(o, "type"));
  if (!type)
    return trace_fail(r, "no \"type\"");
  if (!strcmp(type, "trace"))
    return read_header(r, o);
  if (!r->traces.len)
    return trace_fail(r, "this is no trace: the first line is not a header "
                         "({\"type\":\"trace\",\"version\":1})");
  return trace_read_event(r, o, type);
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
    return trace_fail(r, "not JSON: expected %s (column %" PRIu32 ")",
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
    err = trace_check_blocks_end(&r);
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
