/* A recorded history in JSON; docs/json.md. */
#include "report/json_int.h"
#include "report/log_report.h"

#include <string.h>

static void put_op(struct json *j, const char *name, const struct log *l,
                   uint32_t op) {
  if (op == LOG_NO_OP) {
    json_null(j, name);
    return;
  }
  const struct log_op *o = &l->ops.at[op];
  struct buf b = {0};
  log_print_op(l, o, &b);
  json_object(j, name);
  json_uint(j, "id", op + 1);
  json_uint(j, "process", o->process);
  json_string(j, "operation", buf_text(&b));
  json_uint(j, "call", o->call);
  if (o->ret == LOG_PENDING)
    json_null(j, "return");
  else
    json_uint(j, "return", o->ret);
  if (o->line)
    json_uint(j, "line", o->line);
  else
    json_null(j, "line");
  json_end_object(j);
  buf_free(&b);
}

static void put_families(struct json *j, const struct log_report *r) {
  json_array(j, "families");
  for (uint32_t i = 0; i < r->families.len; i++) {
    const struct log_family *f = &r->families.at[i];
    json_object(j, NULL);
    json_uint(j, "depth", f->depth);
    json_uint(j, "bound", f->bound);
    json_uint(j, "distinct", f->distinct);
    json_bool(j, "whole", f->whole);
    json_bool(j, "witness", f->witness);
    json_end_object(j);
  }
  json_end_array(j);
}

static void put_ops(struct json *j, const char *name, const struct log *l,
                    const uint32_t *ops, uint32_t n) {
  json_array(j, name);
  for (uint32_t i = 0; i < n; i++)
    put_op(j, NULL, l, ops[i]);
  json_end_array(j);
}

static void put_depth(struct json *j, const struct log_report *r) {
  const struct log_depth *d = &r->depth;
  json_object(j, "linearizability_depth");
  if (d->depth)
    json_uint(j, "depth", d->depth);
  else
    json_null(j, "depth");
  json_uint(j, "more_than", d->beyond);
  json_text(j, "limit", d->limit);
  put_ops(j, "delayed", r->log, d->delayed.at, d->delayed.len);
  put_ops(j, "completed", r->log, d->completed.at, d->completed.len);
  json_end_object(j);
}

static void put_partial(struct json *j, const struct log *l,
                        const struct log_partial *p) {
  json_object(j, NULL);
  json_array(j, "order");
  for (uint32_t i = 0; i < p->order.len; i++)
    json_uint(j, NULL, p->order.at[i] + 1);
  json_end_array(j);
  json_text(j, "state", p->state);
  json_array(j, "refused");
  for (uint32_t i = 0; i < p->refusals.len; i++) {
    json_object(j, NULL);
    json_uint(j, "id", p->refusals.at[i].op + 1);
    json_text(j, "would_return", p->refusals.at[i].instead);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
  (void)l;
}

static void put_violation(struct json *j, const struct log_report *r) {
  const struct log_explained *x = r->violation;
  json_string(j, "reason", x->reason);
  put_ops(j, "core", r->log, x->core.at, x->core.len);
  json_bool(j, "core_is_minimal", x->minimal);
  put_op(j, "since", r->log, x->since);
  put_op(j, "stuck", r->log, x->stuck);
  put_op(j, "prefix", r->log, x->prefix);
  json_bool(j, "prefix_is_shortest", x->prefix_is_shortest);
  json_array(j, "partial_linearizations");
  for (uint32_t i = 0; i < x->partials.len; i++)
    put_partial(j, r->log, &x->partials.at[i]);
  json_end_array(j);
  json_bool(j, "more_partial_linearizations", x->more_partials);
}

void log_report_json(const struct log_report *r, struct buf *out) {
  struct json j = {.out = out, .compact = true};
  json_object(&j, NULL);
  json_string(&j, "source", r->source);
  json_uint(&j, "index", r->log->index);
  json_string(&j, "verdict", r->verdict);
  json_text(&j, "method", r->method);
  if (r->witness)
    json_uint(&j, "depth", r->witness);
  else
    json_null(&j, "depth");
  json_text(&j, "spec", r->spec);
  json_uint(&j, "operations", r->operations);
  json_uint(&j, "pending", r->pending);
  json_uint(&j, "processes", r->processes);
  json_uint(&j, "steps", r->steps);
  json_text(&j, "limit", r->limit);
  if (r->wants_order)
    json_bool(&j, "linearization_written",
              !r->no_order && !strcmp(r->verdict, "linearizable"));
  if (!strcmp(r->verdict, "unknown"))
    put_op(&j, "reached", r->log, r->reached);
  if (r->reached_line)
    json_uint(&j, "reached_line", r->reached_line);
  if (r->families.len)
    put_families(&j, r);
  if (r->counted) {
    json_uint(&j, "schedules", r->schedules);
    json_uint(&j, "witnesses", r->witnesses);
  }
  if (r->depth.asked)
    put_depth(&j, r);
  if (r->violation)
    put_violation(&j, r);
  json_end_object(&j);
}

void log_json_document(const struct buf *objects, uint32_t n, struct buf *out) {
  buf_puts(out, "{\"faultline\": 1, \"histories\": [");
  for (uint32_t i = 0; i < n; i++) {
    const char *text = buf_text(&objects[i]);
    size_t len = strcspn(text, "\n");
    buf_puts(out, i ? ",\n" : "\n");
    buf_put(out, text, len);
  }
  buf_puts(out, n ? "\n]}\n" : "]}\n");
}
