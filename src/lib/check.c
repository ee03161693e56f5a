/* The public functions: each takes the lock, and turns errors into codes. */
#include "history/read/read.h"
#include "lib/int.h"
#include "model/moment.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t nchecks; /* that are not free yet */

/* ---- one event ---- */

static int code_of(struct fl_check *c, int err) {
  if (err)
    return FL_CHECK_ERROR;
  return c->online && online_answer(c->online).verdict == LOG_VIOLATION
             ? FL_CHECK_BAD
             : FL_CHECK_OK;
}

/* Whether the type knows the operation: told when it is called. */
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

static int add_event(struct fl_check *c, const struct log_event *ev) {
  struct error *e = &c->error;
  if (c->online)
    return online_add(c->online, ev, e);
  int err = ev->kind == LOG_CALL ? look_at_call(c, ev, e) : ERR_NONE;
  return err ? err : log_add(&c->builder, ev, e);
}

static int call_of(struct fl_check *c, const char *name,
                   const struct fl_datum *args, size_t nargs,
                   struct log_event *ev) {
  datum all[UINT8_MAX];
  if (!name || (!args && nargs))
    return error_set(&c->error, ERR_USAGE,
                     "a call without a name or arguments");
  if (nargs >= UINT8_MAX)
    return error_set(&c->error, ERR_INPUT, "%zu arguments", nargs);
  for (size_t i = 0; i < nargs; i++) {
    int err = datum_from(&args[i], &all[i], &c->error);
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
                 const struct fl_datum *args, size_t nargs, uint64_t order) {
  struct log_event ev = event_of(LOG_CALL, process);
  if (order)
    ev.order = order;
  int err = call_of(c, name, args, nargs, &ev);
  return err ? err : add_event(c, &ev);
}

static int end(struct fl_check *c, uint32_t process, enum log_event_kind kind,
               const struct fl_datum *result) {
  struct log_event ev = event_of(kind, process);
  int err = result ? datum_from(result, &ev.result, &c->error) : ERR_NONE;
  return err ? err : add_event(c, &ev);
}

/* ---- the public ones ---- */

static void enter(struct fl_check *c) {
  pthread_mutex_lock(&lock);
  c->error.code = ERR_NONE; /* large: its text is not cleared for every event */
  c->error.text[0] = 0;
}

static int leave(struct fl_check *c, int err) {
  int code = code_of(c, err);
  pthread_mutex_unlock(&lock);
  return code;
}

int fl_check_begin(struct fl_check *c, uint32_t process, const char *name,
                   const struct fl_datum *args, size_t nargs) {
  enter(c);
  return leave(c, begin(c, process, name, args, nargs, 0));
}

int fl_check_end(struct fl_check *c, uint32_t process, struct fl_datum result) {
  enter(c);
  return leave(c, end(c, process, LOG_OK, &result));
}

int fl_check_end_failed(struct fl_check *c, uint32_t process,
                        struct fl_datum result) {
  enter(c);
  return leave(c, end(c, process, LOG_FAIL, &result));
}

int fl_check_drop(struct fl_check *c, uint32_t process) {
  enter(c);
  return leave(c, end(c, process, LOG_DROP, NULL));
}

int fl_check_crash(struct fl_check *c, uint32_t process) {
  enter(c);
  return leave(c, end(c, process, LOG_INFO, NULL));
}

static int add_moment(struct fl_check *c, const struct fl_check_op *op,
                      bool returns) {
  if (!returns)
    return begin(c, op->process, op->name, op->args, op->nargs, op->order);
  return end(c, op->process, op->failed ? LOG_FAIL : LOG_OK, &op->result);
}

static int add_ops(struct fl_check *c, const struct fl_check_op *ops,
                   size_t n) {
  struct moment *at = xmalloc((2 * n + 1) * sizeof *at);
  size_t len = 0;
  int err = ERR_NONE;
  for (size_t i = 0; i < n && !err; i++) {
    if (ops[i].ret < ops[i].call)
      err = error_set(&c->error, ERR_INPUT,
                      "operation %zu returns before its call", i + 1);
    at[len++] = (struct moment){ops[i].call, i, false};
    if (ops[i].ret != FL_CHECK_NEVER)
      at[len++] = (struct moment){ops[i].ret, i, true};
  }
  qsort(at, len, sizeof *at, moment_order);
  for (size_t i = 0; i < len && !err; i++)
    err = add_moment(c, &ops[at[i].op], at[i].returns);
  for (size_t i = 0; i < n && !err; i++)
    if (ops[i].ret == FL_CHECK_NEVER)
      err = end(c, ops[i].process, LOG_INFO, NULL);
  free(at);
  return err;
}

int fl_check_add(struct fl_check *c, const struct fl_check_op *ops, size_t n) {
  enter(c);
  return leave(c, n ? add_ops(c, ops, n) : ERR_NONE);
}

static int add_file(struct fl_check *c, const char *path) {
  struct log_event ev;
  struct reader *r = reader_open(path, READ_AUTO, &c->error);
  int err = r ? ERR_NONE : c->error.code, got = 0;
  bool begun = false;
  if (r && !c->type->by_key)
    reader_has_no_keys(r);
  while (!err && (got = reader_next(r, &ev, &c->error)) == 1) {
    if (ev.kind == LOG_HEAD && begun)
      break;
    begun = true;
    if (ev.kind != LOG_HEAD && ev.kind != LOG_NOTE)
      err = add_event(c, &ev);
  }
  if (r)
    reader_close(r);
  return got < 0 ? c->error.code : err;
}

int fl_check_add_file(struct fl_check *c, const char *path) {
  enter(c);
  return leave(c, add_file(c, path));
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

int fl_check_result(struct fl_check *c, struct fl_check_result *r) {
  int err = ERR_NONE;
  enter(c);
  memset(r, 0, sizeof *r);
  r->verdict = FL_CHECK_UNKNOWN;
  buf_clear(&c->text);
  if (c->online)
    online_result(c, r);
  else
    err = library_answer(c, r);
  r->text = buf_text(&c->text);
  pthread_mutex_unlock(&lock);
  return err ? FL_CHECK_ERROR : FL_CHECK_OK;
}

uint64_t fl_check_bytes(struct fl_check *c) {
  pthread_mutex_lock(&lock);
  uint64_t bytes = sizeof *c;
  if (c->online)
    bytes += online_bytes(c->online);
  else
    bytes += (uint64_t)c->log.ops.cap * sizeof *c->log.ops.at +
             (c->type->bytes ? c->type->bytes(c->type) : 0);
  pthread_mutex_unlock(&lock);
  return bytes;
}

const char *fl_check_error(const struct fl_check *c) { return c->error.text; }

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

struct fl_check *fl_check_new(const struct fl_check_options *o, char *error,
                              size_t size) {
  struct error e = {0};
  pthread_mutex_lock(&lock);
  struct fl_check *c = new_check(o, &e);
  if (!c && !nchecks)
    datum_free_all();
  pthread_mutex_unlock(&lock);
  if (error && size)
    snprintf(error, size, "%s", e.text);
  return c;
}

void fl_check_free(struct fl_check *c) {
  if (!c)
    return;
  pthread_mutex_lock(&lock);
  if (c->online) {
    online_free(c->online);
  } else {
    struct error e = {0};
    log_end(&c->builder, &e);
    log_free(&c->log);
  }
  type_free(c->type);
  buf_free(&c->text);
  free(c);
  if (!--nchecks)
    datum_free_all();
  pthread_mutex_unlock(&lock);
}
