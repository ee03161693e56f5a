/*
 * Recorded histories as a page.  The page is a file of its own
 * (assets/history.html), which has its style and its program in it and draws
 * what the data say; the data are JSON in a script element.
 *
 * Its size is bounded: operations around the core only, texts cut short, and a
 * number of bytes for all histories together.
 */
#include "base/json.h"
#include "report/cell.h"
#include "report/log_report.h"
#include "report/page.h"

#include <string.h>

enum {
  MOST_OPS = 1500,
  MOST_NOTES = 200,
  MOST_TEXT = 120,
  MOST_SENTENCE = 2000,
  MOST_BYTES = 4000000,
};

/* assets.S */
extern const char log_page[];

static void put_text(struct json *j, const char *name, const char *text,
                     size_t most) {
  struct buf clean = {0}, fit = {0};
  cell_clean(text, true, &clean);
  cell_fit(buf_text(&clean), most, true, &fit);
  json_string(j, name, buf_text(&fit));
  buf_free(&clean);
  buf_free(&fit);
}

static void put_op(struct json *j, const struct log_report *r, uint32_t op) {
  const struct log_op *o = &r->log->ops.at[op];
  struct buf b = {0};
  log_print_op(r->log, o, &b);
  json_array(j, NULL);
  json_uint(j, NULL, op + 1);
  json_uint(j, NULL, o->process);
  json_uint(j, NULL, o->call);
  json_int(j, NULL, o->ret == LOG_PENDING ? -1 : (int64_t)o->ret);
  put_text(j, NULL, buf_text(&b), MOST_TEXT);
  json_uint(j, NULL, o->line);
  json_uint(j, NULL, log_is_core(r, op));
  json_end_array(j);
  buf_free(&b);
}

static void put_ops(struct json *j, const struct log_report *r,
                    const log_window *w) {
  json_array(j, "ops");
  for (uint32_t i = 0; i < w->len; i++)
    put_op(j, r, w->at[i]);
  json_end_array(j);
}

/* The notes that overlap the shown operations in time. */
static void put_notes(struct json *j, const struct log_report *r,
                      const log_window *w) {
  const struct log *l = r->log;
  uint32_t from = w->len ? l->ops.at[w->at[0]].call : 0, to = from, n = 0;
  for (uint32_t i = 0; i < w->len; i++) {
    const struct log_op *o = &l->ops.at[w->at[i]];
    uint32_t end = o->ret == LOG_PENDING ? o->call : o->ret;
    if (end > to)
      to = end;
  }
  json_array(j, "notes");
  for (uint32_t i = 0; i < l->notes.len && n < MOST_NOTES; i++) {
    const struct log_note *note = &l->notes.at[i];
    if (note->from > to || note->to < from)
      continue;
    n++;
    json_array(j, NULL);
    json_uint(j, NULL, note->from);
    json_int(j, NULL, note->to == LOG_PENDING ? -1 : (int64_t)note->to);
    put_text(j, NULL, note->text, MOST_TEXT);
    json_end_array(j);
  }
  json_end_array(j);
}

static void put_partials(struct json *j, const struct log_explained *x) {
  json_array(j, "orders");
  for (uint32_t i = 0; i < x->partials.len; i++) {
    const struct log_partial *p = &x->partials.at[i];
    uint32_t skip = p->order.len > MOST_OPS ? p->order.len - MOST_OPS : 0;
    json_object(j, NULL);
    json_array(j, "order");
    for (uint32_t k = skip; k < p->order.len; k++)
      json_uint(j, NULL, p->order.at[k] + 1);
    json_end_array(j);
    put_text(j, "state", p->state ? p->state : "", MOST_SENTENCE);
    json_array(j, "refused");
    for (uint32_t k = 0; k < p->refusals.len && k < MOST_NOTES; k++) {
      json_array(j, NULL);
      json_uint(j, NULL, p->refusals.at[k].op + 1);
      put_text(j, NULL,
               p->refusals.at[k].instead ? p->refusals.at[k].instead : "",
               MOST_TEXT);
      json_end_array(j);
    }
    json_end_array(j);
    json_end_object(j);
  }
  json_end_array(j);
  json_bool(j, "moreOrders", x->more_partials);
}

static void put_violation(struct json *j, const struct log_report *r) {
  const struct log_explained *x = r->violation;
  log_window w = {0};
  log_window_make(r, MOST_OPS, &w);
  put_text(j, "reason", x->reason, MOST_SENTENCE);
  json_bool(j, "minimal", x->minimal);
  json_uint(j, "core", x->core.len);
  json_uint(j, "stuck", x->stuck == LOG_NO_OP ? 0 : x->stuck + 1);
  json_uint(j, "prefix", x->prefix == LOG_NO_OP ? 0 : x->prefix + 1);
  json_bool(j, "shortest", x->prefix_is_shortest);
  json_uint(j, "since", x->since == LOG_NO_OP ? 0 : x->since + 1);
  put_ops(j, r, &w);
  put_notes(j, r, &w);
  put_partials(j, x);
  vec_free(&w);
}

void log_report_html(const struct log_report *r, struct buf *out) {
  struct json j = {.out = out, .compact = true};
  json_object(&j, NULL);
  put_text(&j, "source", r->source, MOST_SENTENCE);
  json_uint(&j, "index", r->several ? r->log->index : 0);
  json_string(&j, "verdict", r->verdict);
  put_text(&j, "method", r->method ? r->method : "", MOST_TEXT);
  put_text(&j, "spec", r->spec ? r->spec : "", MOST_TEXT);
  json_uint(&j, "witness", r->witness);
  json_uint(&j, "depth", r->depth.depth);
  json_uint(&j, "operations", r->operations);
  json_uint(&j, "pending", r->pending);
  json_uint(&j, "processes", r->processes);
  put_text(&j, "limit", r->limit ? r->limit : "", MOST_TEXT);
  if (r->violation)
    put_violation(&j, r);
  json_end_object(&j);
}

void log_page_add(struct log_page *p, const struct buf *object,
                  const char *verdict) {
  p->violations += !strcmp(verdict, "violation");
  p->unknowns += !strcmp(verdict, "unknown");
  if (p->data.len + object->len > MOST_BYTES) {
    p->left_out++;
    return;
  }
  if (p->shown++)
    buf_puts(&p->data, ",\n");
  page_put_data(object, &p->data);
}

void log_page_finish(struct log_page *p, struct buf *out) {
  const char *rest = page_put_until(log_page, "FAULTLINE-DATA", out);
  buf_printf(out,
             "{\"histories\": %u, \"violations\": %u, \"unknowns\": %u, "
             "\"leftOut\": %u, \"shown\": [\n",
             p->shown + p->left_out, p->violations, p->unknowns, p->left_out);
  buf_put(out, buf_text(&p->data), p->data.len);
  buf_puts(out, "\n]}");
  buf_puts(out, rest);
}
