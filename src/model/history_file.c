/* Histories of the engine as JSON lines. */
#include "model/history_file.h"
#include "base/json.h"
#include "model/moment.h"

#include <stdlib.h>

static void put_pointer(struct json *j, struct value v) {
  struct buf text = {0};
  value_print(v, &text);
  json_object(j, "result");
  json_string(j, "pointer", buf_text(&text));
  json_end_object(j);
  buf_free(&text);
}

static void put_result(struct json *j, struct value v) {
  switch ((enum value_kind)v.kind) {
  case VALUE_VOID:
    break;
  case VALUE_BOOL:
    json_bool(j, "result", v.bits != 0);
    break;
  case VALUE_INT:
    json_int(j, "result", (int64_t)v.bits);
    break;
  case VALUE_UINT:
    json_uint(j, "result", v.bits);
    break;
  case VALUE_POINTER:
    if (v.bits)
      put_pointer(j, v);
    else
      json_null(j, "result");
    break;
  case VALUE_STRING:
    if (v.bits)
      json_string(j, "result", (const char *)(uintptr_t)v.bits);
    else
      json_null(j, "result");
    break;
  }
}

static void put_call(struct json *j, const struct call *c,
                     const struct op_names *names) {
  json_string(j, "name", names->name[c->op]);
  json_array(j, "args");
  for (uint32_t i = 0; i < c->nargs; i++)
    if (op_names_text(names, c->args[i]))
      json_string(j, NULL, op_names_text(names, c->args[i]));
    else
      json_int(j, NULL, c->args[i]);
  json_end_array(j);
}

static void put_event(const struct history *h, const struct moment *m,
                      const struct op_names *names, struct buf *out) {
  const struct call *c = &h->client->calls[m->op];
  struct json j = {.out = out, .compact = true};
  json_object(&j, NULL);
  json_string(&j, "type", m->returns ? "return" : "call");
  json_uint(&j, "op", m->op);
  json_uint(&j, "thread", c->thread);
  if (m->returns)
    put_result(&j, h->ops[m->op].result);
  else
    put_call(&j, c, names);
  json_uint(&j, "time", m->time);
  json_end_object(&j);
  buf_putc(out, '\n');
}

static void put_header(const struct history *h, const char *object,
                       struct buf *out) {
  struct json j = {.out = out, .compact = true};
  json_object(&j, NULL);
  json_string(&j, "type", "history");
  json_uint(&j, "version", HISTORY_FILE_VERSION);
  json_string(&j, "object", object);
  json_uint(&j, "threads", h->client->nthreads);
  json_uint(&j, "operations", h->client->ncalls);
  if (h->stuck)
    json_bool(&j, "stuck", true);
  json_end_object(&j);
  buf_putc(out, '\n');
}

void history_file_print(const struct history *h, const char *object,
                        const struct op_names *names, struct buf *out) {
  uint32_t n = 0;
  struct moment *all = xcalloc(2 * (size_t)h->client->ncalls + 1, sizeof *all);
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    const struct hop *o = &h->ops[i];
    if (hop_called(o))
      all[n++] = (struct moment){o->call, i, false};
    if (!hop_pending(o))
      all[n++] = (struct moment){o->ret, i, true};
  }
  qsort(all, n, sizeof *all, moment_order);
  put_header(h, object, out);
  for (uint32_t i = 0; i < n; i++)
    put_event(h, &all[i], names, out);
  free(all);
}

int history_file_write(const struct history *h, const char *object,
                       const struct op_names *names, const char *path,
                       struct error *e) {
  struct buf text = {0};
  history_file_print(h, object, names, &text);
  int err = buf_write_file(&text, path, e);
  buf_free(&text);
  return err;
}
