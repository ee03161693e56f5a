/*
 * A log as a history of the engine: its operations become calls of a client.
 * Processes become threads; one whose operations overlap with no others makes
 * the initial and the final calls.
 */
#include "model/log_client.h"

#include "base/slow.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct timed_call {
  uint64_t thread;
  bool alone; /* so that it has a thread of its own */
  struct call call;
  uint32_t from, to;
  struct value result;
};

struct log_converter {
  const struct log *log;
  const struct history_names *names;
  struct history_read *out;
  VEC(struct timed_call) ops;
};

static const char *source_of(const struct log_converter *c) {
  return c->log->source ? c->log->source : "history";
}

static int refuse(const struct log_converter *c, const struct log_op *op,
                  struct error *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int refuse(const struct log_converter *c, const struct log_op *op,
                  struct error *e, const char *format, ...) {
  char reason[300];
  va_list ap;
  va_start(ap, format);
  vsnprintf(reason, sizeof reason, format, ap);
  va_end(ap);
  return error_set(e, ERR_INPUT, "%s:%" PRIu32 ": %s", source_of(c), op->line,
                   reason);
}

/* ---- calls ---- */

static int take_arguments(struct log_converter *c, const struct log_op *op,
                          struct call *call, struct error *e) {
  const datum *args =
      op->nargs > LOG_ARGS ? datum_box(op->arg[0])->items : op->arg;
  for (uint32_t i = 0; i < call->nargs; i++) {
    const char *text =
        datum_kind(args[i]) == DATUM_IS_TEXT ? datum_box(args[i])->text : NULL;
    if (text)
      call->args[i] = op_names_argument(&c->names->ops, text, strlen(text));
    if (text ? !call->args[i] : !datum_is_number(args[i]))
      return refuse(c, op, e,
                    text ? "no FL_STRING has the text \"%.60s\""
                         : "arguments are integers",
                    text);
    if (!text)
      call->args[i] = datum_to_number(args[i]);
  }
  return ERR_NONE;
}

static int take_call(struct log_converter *c, const struct log_op *op,
                     struct call *call, struct error *e) {
  const struct history_names *n = c->names;
  const char *name = c->log->functions.at[op->f];
  uint32_t k = 0;
  while (k < n->ops.count && strcmp(name, n->ops.name[k]))
    k++;
  if (k == n->ops.count)
    return refuse(c, op, e, "the object has no operation %s", name);
  if (op->nargs != n->nargs[k])
    return refuse(c, op, e, "%s() takes %u argument%s", name, n->nargs[k],
                  n->nargs[k] == 1 ? "" : "s");
  call->op = (uint16_t)k;
  call->nargs = n->nargs[k];
  return take_arguments(c, op, call, e);
}

/* Beyond 63 bits, a number is how it is written. */
static bool take_unsigned(datum d, struct value *out) {
  if (datum_is_number(d)) {
    *out = value_uint((uint64_t)datum_to_number(d));
    return true;
  }
  if (datum_kind(d) != DATUM_IS_TEXT || !datum_box(d)->symbol)
    return false;
  const char *s = datum_box(d)->text;
  char *end;
  *out = value_uint(strtoull(s, &end, 10));
  return *s >= '0' && *s <= '9' && !*end;
}

/* The result, of the kind that the operation returns. */
static bool take_result(datum d, uint8_t kind, struct value *out) {
  bool nothing = d == DATUM_NIL || d == DATUM_NONE;
  switch ((enum value_kind)kind) {
  case VALUE_VOID:
    *out = value_void();
    return nothing;
  case VALUE_BOOL:
    *out = value_bool(d == DATUM_TRUE);
    return d == DATUM_TRUE || d == DATUM_FALSE;
  case VALUE_INT:
    *out = value_int(datum_is_number(d) ? datum_to_number(d) : 0);
    return datum_is_number(d);
  case VALUE_UINT:
    return take_unsigned(d, out);
  case VALUE_STRING: {
    bool text = datum_kind(d) == DATUM_IS_TEXT && !datum_box(d)->symbol;
    *out = value_string(text ? datum_box(d)->text : NULL);
    return text || d == DATUM_NIL;
  }
  case VALUE_POINTER:
    *out = value_null(); /* an address means nothing in another process */
    return d == DATUM_NIL;
  }
  return false;
}

static int take_operation(struct log_converter *c, const struct log_op *op,
                          struct error *e) {
  bool pending = op->ret == LOG_PENDING;
  struct timed_call t = {.thread = op->process,
                         .alone = op->alone,
                         .from = op->call,
                         .to = pending ? HISTORY_PENDING : op->ret};
  int err = take_call(c, op, &t.call, e);
  if (err)
    return err;
  const char *name = c->log->functions.at[op->f];
  if (op->failed)
    return refuse(c, op, e, "%s() failed, and a client has no such result",
                  name);
  if (!pending &&
      !take_result(op->result, c->names->kinds[t.call.op], &t.result))
    return refuse(c, op, e, "%s() returns another type of result", name);
  vec_push(&c->ops, t);
  return ERR_NONE;
}

/* ---- threads ---- */

/* Does no call of thread 0 overlap with one of another?  Then it is the main
 * thread, which makes initial and final calls. */
static bool has_main(const struct log_converter *c) {
  for (uint32_t i = 0; i < c->ops.len; i++) {
    const struct timed_call *a = &c->ops.at[i];
    bool before = true, after = true;
    for (uint32_t k = 0; k < c->ops.len && !a->thread; k++) {
      const struct timed_call *b = &c->ops.at[k];
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
static void give_threads(struct log_converter *c) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < c->ops.len; i++)
    if (!c->ops.at[i].alone && c->ops.at[i].thread > most)
      most = c->ops.at[i].thread;
  for (uint32_t i = 0; i < c->ops.len; i++) {
    struct timed_call *t = &c->ops.at[i];
    bool taken = t->alone;
    for (t->thread = taken ? most : t->thread; taken;) {
      t->thread++;
      taken = false;
      for (uint32_t k = 0; k < i && !taken; k++)
        taken = c->ops.at[k].thread == t->thread && c->ops.at[k].to > t->from;
    }
  }
  if (!has_main(c))
    for (uint32_t i = 0; i < c->ops.len; i++)
      c->ops.at[i].thread++;
}

/* ---- the client ---- */

static void add_hop(struct history_read *out, const struct timed_call *t) {
  uint32_t n = out->client.ncalls;
  struct hop *ops = xrealloc(out->history.ops, (n + 1) * sizeof *ops);
  ops[n - 1] = (struct hop){t->from, t->to, t->result};
  out->history.ops = ops;
}

/* Those of the main thread before all others are initial calls. */
static bool is_initial(const struct log_converter *c, uint32_t i) {
  for (uint32_t k = 0; k < i; k++)
    if (c->ops.at[k].thread)
      return false;
  return !c->ops.at[i].thread;
}

static uint64_t next_thread(const struct log_converter *c, uint64_t after) {
  uint64_t next = 0;
  for (uint32_t i = 0; i < c->ops.len; i++) {
    uint64_t t = c->ops.at[i].thread;
    if (t > after && (!next || t < next))
      next = t;
  }
  return next;
}

static int make_client(struct log_converter *c, struct error *e) {
  struct history_read *out = c->out;
  for (uint32_t i = 0; i < c->ops.len; i++)
    if (is_initial(c, i)) {
      client_add_init(&out->client, c->ops.at[i].call);
      add_hop(out, &c->ops.at[i]);
    }
  uint32_t thread = 0;
  for (uint64_t t = 0; (t = next_thread(c, t));) {
    if (++thread > CLIENT_MAX_THREADS)
      return error_set(e, ERR_INPUT, "%s: more than %d threads", source_of(c),
                       CLIENT_MAX_THREADS);
    for (uint32_t i = 0; i < c->ops.len; i++)
      if (c->ops.at[i].thread == t) {
        client_add(&out->client, thread, c->ops.at[i].call);
        add_hop(out, &c->ops.at[i]);
      }
  }
  for (uint32_t i = 0; i < c->ops.len; i++)
    if (!c->ops.at[i].thread && !is_initial(c, i)) {
      client_add_final(&out->client, c->ops.at[i].call);
      add_hop(out, &c->ops.at[i]);
    }
  out->history.client = &out->client;
  return ERR_NONE;
}

int log_to_history(struct history_read *out, const struct log *l,
                   const struct history_names *names, struct error *e) {
  struct log_converter c = {.log = l, .names = names, .out = out};
  int err = ERR_NONE;
  *out = (struct history_read){0};
  for (uint32_t i = 0; i < l->ops.len && !err; i++)
    err = take_operation(&c, &l->ops.at[i], e);
  if (!err) {
    give_threads(&c);
    err = make_client(&c, e);
  }
  out->history.stuck = l->stuck;
  out->object = l->object ? xstrdup(l->object) : NULL;
  if (err)
    history_read_free(out);
  else
    check_slow((history_check_invariants(&out->history), true)); /* H1 to H3 */
  vec_free(&c.ops);
  return err;
}

void history_read_free(struct history_read *h) {
  client_free(&h->client);
  free(h->history.ops);
  free(h->object);
  *h = (struct history_read){0};
}
