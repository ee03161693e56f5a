/* History files back into histories: see docs/history.md. */
#include "base/vec.h"
#include "model/history_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* An operation as the lines tell it. */
struct told {
  json_int_t op; /* its number, or NO_NUMBER … */
  json_int_t thread;
  bool alone; /* … or a thread, so that it has one of its own */
  bool dropped;
  struct call call;
  uint32_t from, to; /* lines */
  struct value result;
};

enum { NO_NUMBER = -1 };

struct reading {
  const struct history_names *names;
  struct history_read *out;
  const char *path;
  uint32_t line;
  VEC(struct told) ops;
  bool headed;
};

static int bad_line(const struct reading *r, struct error *e,
                    const char *reason) {
  return error_set(e, ERR_INPUT, "%s:%u: %s", r->path, r->line, reason);
}

static int read_name(struct reading *r, json_t *line, struct call *c,
                     struct error *e) {
  json_t *named = json_object_get(line, "name");
  const char *name =
      json_string_value(named ? named : json_object_get(line, "f"));
  json_t *args = json_object_get(line, "args");
  uint32_t op = 0;
  while (name && op < r->names->ops.count &&
         strcmp(name, r->names->ops.name[op]))
    op++;
  if (!name || op == r->names->ops.count)
    return error_set(e, ERR_INPUT, "%s:%u: the object has no operation %s",
                     r->path, r->line, name ? name : "without a name");
  if (json_array_size(args) != r->names->nargs[op])
    return error_set(e, ERR_INPUT, "%s:%u: %s() takes %u argument%s", r->path,
                     r->line, name, r->names->nargs[op],
                     r->names->nargs[op] == 1 ? "" : "s");
  c->op = (uint16_t)op;
  c->nargs = r->names->nargs[op];
  for (uint32_t i = 0; i < c->nargs; i++) {
    json_t *v = json_array_get(args, i);
    if (!json_is_integer(v))
      return bad_line(r, e, "arguments are integers");
    c->args[i] = json_integer_value(v);
  }
  return ERR_NONE;
}

/* "process", or "thread", which is the same. */
static json_t *process_of(json_t *line) {
  json_t *process = json_object_get(line, "process");
  return process ? process : json_object_get(line, "thread");
}

static struct told *find(struct reading *r, json_int_t op) {
  for (uint32_t i = r->ops.len; i--;)
    if (r->ops.at[i].op == op)
      return &r->ops.at[i];
  return NULL;
}

/* The last call of a thread. */
static struct told *last_of(struct reading *r, json_int_t thread) {
  for (uint32_t i = r->ops.len; i--;)
    if (r->ops.at[i].thread == thread && !r->ops.at[i].alone)
      return &r->ops.at[i];
  return NULL;
}

static bool is_open(const struct told *t) {
  return t && t->to == HISTORY_PENDING && !t->dropped;
}

static int read_call(struct reading *r, json_t *line, struct error *e) {
  json_t *op = json_object_get(line, "op"), *process = process_of(line);
  struct told t = {.op = op ? json_integer_value(op) : NO_NUMBER,
                   .thread = json_integer_value(process),
                   .alone = !process,
                   .from = r->line,
                   .to = HISTORY_PENDING};
  if ((op && (!json_is_integer(op) || t.op < 0)) ||
      (process && (!json_is_integer(process) || t.thread < 0)))
    return bad_line(r, e, "threads and operations are numbered from 0");
  if (!op && !process)
    return bad_line(r, e, "neither \"process\" nor \"op\": whose call is it?");
  if (op && find(r, t.op))
    return bad_line(r, e, "an operation with this number was called before");
  if (process && is_open(last_of(r, t.thread)))
    return bad_line(r, e, "this thread's last call has not returned");
  if (read_name(r, line, &t.call, e))
    return e->code;
  vec_push(&r->ops, t);
  return ERR_NONE;
}

/* The call that this line is the end of, or NULL. */
static struct told *find_call(struct reading *r, json_t *line,
                              struct error *e) {
  json_t *op = json_object_get(line, "op"), *process = process_of(line);
  struct told *t = NULL;
  if (op)
    t = find(r, json_integer_value(op));
  else if (process)
    t = last_of(r, json_integer_value(process));
  if (!t)
    bad_line(r, e, "a return without a call");
  else if (!is_open(t))
    bad_line(r, e, "this operation has returned before");
  return e->code ? NULL : t;
}

/* The result, of the kind that the operation returns. */
static bool read_value(json_t *v, uint8_t kind, struct value *out) {
  switch ((enum value_kind)kind) {
  case VALUE_VOID:
    *out = value_void();
    return !v || json_is_null(v);
  case VALUE_BOOL:
    *out = value_bool(json_is_true(v));
    return json_is_boolean(v);
  case VALUE_INT:
    *out = value_int(json_integer_value(v));
    return json_is_integer(v);
  case VALUE_UINT:
    *out = value_uint((uint64_t)json_integer_value(v));
    return json_is_integer(v);
  case VALUE_STRING:
    *out = value_string(json_string_value(v));
    return json_is_string(v) || json_is_null(v);
  case VALUE_POINTER:
    *out = value_null(); /* an address means nothing in another process */
    return json_is_null(v);
  }
  return false;
}

static int read_return(struct reading *r, json_t *line, struct error *e) {
  struct told *t = find_call(r, line, e);
  if (!t)
    return e->code;
  t->to = r->line;
  if (!read_value(json_object_get(line, "result"), r->names->kinds[t->call.op],
                  &t->result))
    return error_set(e, ERR_INPUT, "%s:%u: %s() returns something else",
                     r->path, r->line, r->names->ops.name[t->call.op]);
  return ERR_NONE;
}

/* It has not taken effect, and is as if it had not been called. */
static int read_drop(struct reading *r, json_t *line, struct error *e) {
  struct told *t = find_call(r, line, e);
  if (t)
    t->dropped = true;
  return e->code;
}

static int read_header(struct reading *r, json_t *line, struct error *e) {
  json_t *version = json_object_get(line, "version");
  const char *object = json_string_value(json_object_get(line, "object"));
  if (r->headed || r->ops.len)
    return bad_line(r, e, "a second history: a file has one");
  if (version && json_integer_value(version) != HISTORY_FILE_VERSION)
    return bad_line(r, e, "a version that is not known");
  r->headed = true;
  r->out->object = object ? xstrdup(object) : NULL;
  r->out->history.stuck = json_is_true(json_object_get(line, "stuck"));
  return ERR_NONE;
}

static int read_line(struct reading *r, const char *text, size_t len,
                     struct error *e) {
  json_error_t why;
  json_set_alloc_funcs(xmalloc, free); /* no memory is not bad JSON */
  json_t *line = json_loadb(text, len, 0, &why);
  const char *type = json_string_value(json_object_get(line, "type"));
  int err;
  if (!type)
    err = bad_line(r, e, line ? "no \"type\"" : why.text);
  else if (!strcmp(type, "history"))
    err = read_header(r, line, e);
  else if (!strcmp(type, "call"))
    err = read_call(r, line, e);
  else if (!strcmp(type, "return"))
    err = read_return(r, line, e);
  else if (!strcmp(type, "drop"))
    err = read_drop(r, line, e);
  else if (!strcmp(type, "note"))
    err = ERR_NONE;
  else if (!strcmp(type, "info")) /* it stays pending */
    err = find_call(r, line, e) ? ERR_NONE : e->code;
  else
    err = bad_line(r, e, "neither a call nor a return");
  json_decref(line);
  return err;
}

/* ---- threads ---- */

static void forget_dropped(struct reading *r) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->ops.len; i++)
    if (!r->ops.at[i].dropped)
      r->ops.at[n++] = r->ops.at[i];
  r->ops.len = n;
}

/* Does no call of thread 0 overlap with one of another?  Then it is the main
 * thread, which makes initial and final calls. */
static bool has_main(const struct reading *r) {
  for (uint32_t i = 0; i < r->ops.len; i++) {
    const struct told *a = &r->ops.at[i];
    bool before = true, after = true;
    for (uint32_t k = 0; k < r->ops.len && !a->thread; k++) {
      const struct told *b = &r->ops.at[k];
      before &= !b->thread || a->to < b->from;
      after &= !b->thread || b->to < a->from ||
               (b->to == HISTORY_PENDING && b->from < a->from);
    }
    if (!before && !after)
      return false;
  }
  return true;
}

/* Operations without a thread: of as few as they need, none of them 0. */
static void give_threads(struct reading *r) {
  json_int_t most = 0;
  for (uint32_t i = 0; i < r->ops.len; i++)
    if (!r->ops.at[i].alone && r->ops.at[i].thread > most)
      most = r->ops.at[i].thread;
  for (uint32_t i = 0; i < r->ops.len; i++) {
    struct told *t = &r->ops.at[i];
    bool taken = t->alone;
    for (t->thread = taken ? most : t->thread; taken;) {
      t->thread++;
      taken = false;
      for (uint32_t k = 0; k < i && !taken; k++)
        taken = r->ops.at[k].thread == t->thread && r->ops.at[k].to > t->from;
    }
  }
  if (!has_main(r))
    for (uint32_t i = 0; i < r->ops.len; i++)
      r->ops.at[i].thread++;
}

/* ---- the client ---- */

static void add_hop(struct history_read *out, const struct told *t) {
  uint32_t n = out->client.ncalls;
  struct hop *ops = xrealloc(out->history.ops, (n + 1) * sizeof *ops);
  ops[n - 1] = (struct hop){t->from, t->to, t->result};
  out->history.ops = ops;
}

/* Those of the main thread before all others are initial calls. */
static bool is_initial(const struct reading *r, uint32_t i) {
  for (uint32_t k = 0; k < i; k++)
    if (r->ops.at[k].thread)
      return false;
  return !r->ops.at[i].thread;
}

static json_int_t next_thread(const struct reading *r, json_int_t after) {
  json_int_t next = 0;
  for (uint32_t i = 0; i < r->ops.len; i++) {
    json_int_t t = r->ops.at[i].thread;
    if (t > after && (!next || t < next))
      next = t;
  }
  return next;
}

static int make_client(struct reading *r, struct error *e) {
  struct history_read *out = r->out;
  for (uint32_t i = 0; i < r->ops.len; i++)
    if (is_initial(r, i)) {
      client_add_init(&out->client, r->ops.at[i].call);
      add_hop(out, &r->ops.at[i]);
    }
  uint32_t thread = 0;
  for (json_int_t t = 0; (t = next_thread(r, t));) {
    if (++thread > CLIENT_MAX_THREADS)
      return error_set(e, ERR_INPUT, "%s: more than %d threads", r->path,
                       CLIENT_MAX_THREADS);
    for (uint32_t i = 0; i < r->ops.len; i++)
      if (r->ops.at[i].thread == t) {
        client_add(&out->client, thread, r->ops.at[i].call);
        add_hop(out, &r->ops.at[i]);
      }
  }
  for (uint32_t i = 0; i < r->ops.len; i++)
    if (!r->ops.at[i].thread && !is_initial(r, i)) {
      client_add_final(&out->client, r->ops.at[i].call);
      add_hop(out, &r->ops.at[i]);
    }
  out->history.client = &out->client;
  return ERR_NONE;
}

int history_file_read(struct history_read *out, const char *path,
                      const struct history_names *names, struct error *e) {
  struct reading r = {.names = names, .out = out, .path = path};
  struct buf file = {0};
  *out = (struct history_read){0};
  int err = buf_read_file(&file, path, e);
  for (const char *at = file.at, *end; !err && at && *at; at = end) {
    end = strchr(at, '\n');
    size_t n = end ? (size_t)(end - at) : strlen(at);
    end = end ? end + 1 : at + n;
    r.line++;
    if (strspn(at, " \t\r") < n)
      err = read_line(&r, at, n, e);
  }
  if (!err && !r.headed && !r.ops.len)
    err = error_set(e, ERR_INPUT, "%s: no history", path);
  if (!err) {
    forget_dropped(&r);
    give_threads(&r);
    err = make_client(&r, e);
  }
  if (err)
    history_read_free(out);
  vec_free(&r.ops);
  buf_free(&file);
  return err;
}

void history_read_free(struct history_read *h) {
  client_free(&h->client);
  free(h->history.ops);
  free(h->object);
  *h = (struct history_read){0};
}
