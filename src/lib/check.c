/*
 * The public functions.  Each of them runs its body through guarded() and turns
 * errors into codes.
 */
#include "history/read/read.h"
#include "lib/guard.h"
#include "lib/int.h"
#include "lib/sized.h"
#include "model/moment.h"

#include <stdio.h>
#include <string.h>

static uint32_t nchecks; /* that are not free yet; changed under the lock */

/* What the calling thread's last call left for fl_check_error. */
static _Thread_local struct {
  const struct fl_check *check;
  struct error error;
} last;

/* Large: its text is not cleared for every event. */
static struct error *error_of_this_call(const struct fl_check *c) {
  last.check = c;
  last.error.code = ERR_NONE;
  last.error.text[0] = 0;
  return &last.error;
}

/* ---- one event ---- */

/* A call of an operation that the type does not know is refused at once, not
 * when the answer is asked for. */
static int look_at_call(struct fl_check *c, const struct log_event *ev,
                        struct error *e) {
  struct log_op op = {.ret = LOG_PENDING,
                      .process = ev->process,
                      .nargs = ev->nargs,
                      .result = DATUM_NONE,
                      .order = ev->order};
  struct type_op prepared;
  op.f = log_function(&c->log, ev->f, ev->flen);
  for (uint32_t i = 0; i < LOG_ARGS; i++)
    op.arg[i] = i < ev->nargs ? ev->arg[i] : DATUM_NONE;
  return c->type->prepare(c->type, &c->log, &op, &prepared, e);
}

static int add_event(struct fl_check *c, const struct log_event *ev,
                     struct error *e) {
  if (c->online)
    return online_add(c->online, ev, e);
  int err = ev->kind == LOG_CALL ? look_at_call(c, ev, e) : ERR_NONE;
  return err ? err : log_add(&c->builder, ev, e);
}

static int call_of(const char *name, const struct fl_datum *args, size_t nargs,
                   struct log_event *ev, struct error *e) {
  datum all[UINT8_MAX];
  if (!name || (!args && nargs))
    return error_set(e, ERR_USAGE, "a call without a name or arguments");
  if (nargs >= UINT8_MAX)
    return error_set(e, ERR_INPUT, "%zu arguments", nargs);
  for (size_t i = 0; i < nargs; i++) {
    int err = datum_from(&args[i], &all[i], e);
    if (err)
      return err;
  }
  ev->f = name;
  ev->flen = (uint32_t)strlen(name);
  ev->nargs = (uint8_t)nargs;
  if (nargs > LOG_ARGS)
    ev->arg[0] = datum_list(all, (uint32_t)nargs);
  else
    memcpy(ev->arg, all, nargs * sizeof *all);
  return ERR_NONE;
}

static struct log_event event_of(enum log_event_kind kind, uint32_t process) {
  return (struct log_event){.kind = kind,
                            .process = process,
                            .arg = {DATUM_NONE, DATUM_NONE, DATUM_NONE},
                            .result = DATUM_NONE,
                            .type_argument = DATUM_NONE,
                            .order = LOG_NO_HINT};
}

static int begin(struct fl_check *c, uint32_t process, const char *name,
                 const struct fl_datum *args, size_t nargs, uint64_t order,
                 struct error *e) {
  struct log_event ev = event_of(LOG_CALL, process);
  if (order)
    ev.order = order;
  int err = call_of(name, args, nargs, &ev, e);
  return err ? err : add_event(c, &ev, e);
}

static int end(struct fl_check *c, uint32_t process, enum log_event_kind kind,
               const struct fl_datum *result, struct error *e) {
  struct log_event ev = event_of(kind, process);
  int err = result ? datum_from(result, &ev.result, e) : ERR_NONE;
  return err ? err : add_event(c, &ev, e);
}

/* ---- a call of the user's ---- */

struct request {
  struct fl_check *c;
  int (*body)(struct fl_check *c, void *arg, struct error *e);
  void *arg;
  bool violated; /* online: a violation is known after it */
};

static int serve(void *arg, struct error *e) {
  struct request *q = arg;
  struct fl_check *c = q->c;
  if (!c)
    return error_set(e, ERR_USAGE, "the checker is a null pointer");
  if (c->busy)
    return error_set(e, ERR_SYSTEM, "an earlier call with this checker failed");
  c->busy = true;
  int err = q->body(c, q->arg, e);
  q->violated = c->online && online_answer(c->online).verdict == LOG_VIOLATION;
  c->busy = false;
  return err;
}

/* One of enum fl_check_code. */
static int run(struct fl_check *c,
               int (*body)(struct fl_check *c, void *arg, struct error *e),
               void *arg) {
  struct request q = {c, body, arg, false};
  if (guarded(serve, &q, error_of_this_call(c)))
    return FL_CHECK_ERROR;
  return q.violated ? FL_CHECK_BAD : FL_CHECK_OK;
}

/* ---- events ---- */

struct begin_args {
  uint32_t process;
  const char *name;
  const struct fl_datum *args;
  size_t nargs;
};

static int begin_body(struct fl_check *c, void *arg, struct error *e) {
  const struct begin_args *a = arg;
  return begin(c, a->process, a->name, a->args, a->nargs, 0, e);
}

int fl_check_begin(struct fl_check *c, uint32_t process, const char *name,
                   const struct fl_datum *args, size_t nargs) {
  return run(c, begin_body, &(struct begin_args){process, name, args, nargs});
}

struct end_args {
  uint32_t process;
  enum log_event_kind kind;
  const struct fl_datum *result;
};

static int end_body(struct fl_check *c, void *arg, struct error *e) {
  const struct end_args *a = arg;
  return end(c, a->process, a->kind, a->result, e);
}

int fl_check_end(struct fl_check *c, uint32_t process, struct fl_datum result) {
  return run(c, end_body, &(struct end_args){process, LOG_OK, &result});
}

int fl_check_end_failed(struct fl_check *c, uint32_t process,
                        struct fl_datum result) {
  return run(c, end_body, &(struct end_args){process, LOG_FAIL, &result});
}

int fl_check_drop(struct fl_check *c, uint32_t process) {
  return run(c, end_body, &(struct end_args){process, LOG_DROP, NULL});
}

int fl_check_crash(struct fl_check *c, uint32_t process) {
  return run(c, end_body, &(struct end_args){process, LOG_INFO, NULL});
}

/* ---- whole operations ---- */

struct add_args {
  const struct fl_check_op *ops; /* the caller's, of its size */
  size_t n;
};

/* Ours; the caller frees them. */
static int read_ops(const struct add_args *a, struct fl_check_op *ops,
                    struct error *e) {
  const char *from = (const char *)a->ops;
  for (size_t i = 0; i < a->n; i++, from += a->ops->size) {
    int err = sized_valid(from, "fl_check_op", e);
    if (!err)
      err = sized_read(&ops[i], sizeof *ops, from, "fl_check_op", e);
    if (!err && ops[i].size != a->ops->size)
      err = error_set(e, ERR_USAGE, "operation %zu has another size", i + 1);
    if (!err && ops[i].ret < ops[i].call)
      err = error_set(e, ERR_INPUT, "operation %zu returns before its call",
                      i + 1);
    if (err)
      return err;
  }
  return ERR_NONE;
}

static int add_moment(struct fl_check *c, const struct fl_check_op *op,
                      bool returns, struct error *e) {
  if (!returns)
    return begin(c, op->process, op->name, op->args, op->nargs, op->order, e);
  return end(c, op->process, op->failed ? LOG_FAIL : LOG_OK, &op->result, e);
}

static int add_ops(struct fl_check *c, const struct fl_check_op *ops, size_t n,
                   struct error *e) {
  struct moment *at = xmalloc((2 * n + 1) * sizeof *at);
  size_t len = 0;
  int err = ERR_NONE;
  for (size_t i = 0; i < n; i++) {
    at[len++] = (struct moment){ops[i].call, i, false};
    if (ops[i].ret != FL_CHECK_NEVER)
      at[len++] = (struct moment){ops[i].ret, i, true};
  }
  qsort(at, len, sizeof *at, moment_order);
  for (size_t i = 0; i < len && !err; i++)
    err = add_moment(c, &ops[at[i].op], at[i].returns, e);
  for (size_t i = 0; i < n && !err; i++)
    if (ops[i].ret == FL_CHECK_NEVER)
      err = end(c, ops[i].process, LOG_INFO, NULL, e);
  free(at);
  return err;
}

static int add_body(struct fl_check *c, void *arg, struct error *e) {
  const struct add_args *a = arg;
  if (!a->n)
    return ERR_NONE;
  int err = sized_valid(a->ops, "fl_check_op", e);
  if (err)
    return err;
  if (a->n > SIZE_MAX / 4 / sizeof *a->ops)
    return error_set(e, ERR_INPUT, "%zu operations are too many for one call",
                     a->n);
  struct fl_check_op *ops = xmalloc(a->n * sizeof *ops);
  err = read_ops(a, ops, e);
  if (!err)
    err = add_ops(c, ops, a->n, e);
  free(ops);
  return err;
}

int fl_check_add(struct fl_check *c, const struct fl_check_op *ops, size_t n) {
  return run(c, add_body, &(struct add_args){ops, n});
}

static int add_file(struct fl_check *c, void *arg, struct error *e) {
  const char *path = arg;
  struct log_event ev;
  if (!path)
    return error_set(e, ERR_USAGE, "a file without a name");
  struct reader *r = reader_open(path, READ_AUTO, e);
  int err = r ? ERR_NONE : e->code, got = 0;
  bool begun = false;
  if (r && !c->type->by_key)
    reader_has_no_keys(r);
  while (!err && (got = reader_next(r, &ev, e)) == 1) {
    if (ev.kind == LOG_HEAD && begun)
      break;
    begun = true;
    if (ev.kind != LOG_HEAD && ev.kind != LOG_NOTE)
      err = add_event(c, &ev, e);
  }
  if (r)
    reader_close(r);
  return got < 0 ? e->code : err;
}

int fl_check_add_file(struct fl_check *c, const char *path) {
  return run(c, add_file, (void *)path);
}

/* ---- answers ---- */

static void online_result(struct fl_check *c, struct fl_check_result *r) {
  struct online_answer a = online_answer(c->online);
  r->method = "online";
  r->event = a.event;
  r->limit = a.limit;
  r->verdict = (enum fl_check_verdict)a.verdict;
  if (a.verdict == LOG_VIOLATION)
    buf_printf(&c->text, "violation: %s\n", a.text);
  else if (a.verdict == LOG_UNKNOWN)
    buf_printf(&c->text, "unknown: the limit of %s ended the check\n", a.limit);
  else
    buf_puts(&c->text, "linearizable so far\n");
}

static int result_body(struct fl_check *c, void *arg, struct error *e) {
  struct fl_check_result ours = {.verdict = FL_CHECK_UNKNOWN};
  int err = sized_valid(arg, "fl_check_result", e);
  if (err)
    return err;
  buf_clear(&c->text);
  if (c->online)
    online_result(c, &ours);
  else
    err = library_answer(c, &ours, e);
  ours.text = buf_text(&c->text);
  sized_write(arg, &ours, sizeof ours);
  return err;
}

int fl_check_result(struct fl_check *c, struct fl_check_result *r) {
  int code = run(c, result_body, r);
  return code == FL_CHECK_BAD ? FL_CHECK_OK : code;
}

static int bytes_body(struct fl_check *c, void *arg, struct error *e) {
  (void)e;
  uint64_t bytes = sizeof *c;
  if (c->online)
    bytes += online_bytes(c->online);
  else
    bytes += (uint64_t)c->log.ops.cap * sizeof *c->log.ops.at +
             (c->type->bytes ? c->type->bytes(c->type) : 0);
  *(uint64_t *)arg = bytes;
  return ERR_NONE;
}

uint64_t fl_check_bytes(struct fl_check *c) {
  uint64_t bytes = 0;
  run(c, bytes_body, &bytes);
  return bytes;
}

const char *fl_check_error(const struct fl_check *c) {
  return last.check == c ? last.error.text : "";
}

/* ---- one checker ---- */

static struct type *open_type(const struct fl_check_options *o,
                              struct error *e) {
  datum argument = DATUM_NONE;
  if (o->argument && datum_from(o->argument, &argument, e))
    return NULL;
  if (o->model)
    return type_of_model(o->spec ? o->spec : "model", o->model, argument, e);
  if (o->spec)
    return type_open(o->spec, argument, e);
  error_set(e, ERR_USAGE, "a checker needs a specification");
  return NULL;
}

static struct fl_check *new_check(const struct fl_check_options *o,
                                  struct error *e) {
  struct type *t = open_type(o, e);
  if (!t)
    return NULL;
  struct fl_check *c = xcalloc(1, sizeof *c);
  c->type = t;
  c->seconds = o->seconds;
  c->limits = (struct log_budget){.memory = o->memory, .steps = o->steps};
  if (o->online) {
    struct online_options on = {c->limits, o->window, o->whole};
    c->online = online_new(t, &on);
  } else {
    log_begin(&c->builder, &c->log);
  }
  nchecks++;
  return c;
}

struct new_args {
  const struct fl_check_options *from;
  struct fl_check *made;
};

static int new_body(void *arg, struct error *e) {
  struct new_args *a = arg;
  struct fl_check_options o;
  int err = sized_valid(a->from, "fl_check_options", e);
  if (!err)
    err = sized_read(&o, sizeof o, a->from, "fl_check_options", e);
  if (err)
    return err;
  a->made = new_check(&o, e);
  if (!a->made && !nchecks)
    datum_free_all();
  return e->code;
}

struct fl_check *fl_check_new(const struct fl_check_options *o, char *error,
                              size_t size) {
  struct new_args a = {o, NULL};
  struct error *e = error_of_this_call(NULL);
  if (guarded(new_body, &a, e))
    a.made = NULL;
  if (error && size)
    snprintf(error, size, "%s", e->text);
  return a.made;
}

/* Of a checker that is broken only the handle is freed (L1). */
static int free_body(void *arg, struct error *e) {
  struct fl_check *c = arg;
  nchecks--;
  if (!c->busy) {
    c->busy = true;
    if (c->online) {
      online_free(c->online);
    } else {
      log_end(&c->builder, &(struct error){0});
      log_free(&c->log);
    }
    type_free(c->type);
    buf_free(&c->text);
  }
  free(c);
  if (!nchecks)
    datum_free_all();
  (void)e;
  return ERR_NONE;
}

void fl_check_free(struct fl_check *c) {
  if (c)
    guarded(free_body, c, error_of_this_call(NULL));
}
