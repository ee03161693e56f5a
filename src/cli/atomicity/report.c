/* The report of `faultline atomicity`: text, JSON, and the cycles as graphs. */
#include "cli/atomicity/int.h"

#include "atomicity/graph.h"
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum { CYCLES_SHOWN = 5 };

const struct finding_about *atomic_verdict(const struct atomic_trace *t) {
  return t->tso ? &t->tso_s : &t->sc;
}

/* "counter.c:7 in add()", or the line of the trace file. */
static void put_place(const struct cycle_event *e, struct buf *b) {
  if (e->file && e->input_line) /* `file` is any text of the trace */
    buf_printf(b, "line %" PRIu64 " (%s)", e->input_line, e->file);
  else if (e->file)
    buf_printf(b, "%s:%" PRIu32, base_name(e->file), e->line);
  else if (e->function)
    buf_printf(b, "line %" PRIu32, e->line);
  else if (e->input_line)
    buf_printf(b, "line %" PRIu64, e->input_line);
  else
    buf_puts(b, "unknown place");
  if (e->function)
    buf_printf(b, " in %s()", e->function);
}

static void put_event(const struct cycle_event *e, struct buf *b) {
  put_place(e, b);
  buf_printf(b, ": thread %s, %s: %s", e->thread, e->txn, e->what);
  if (e->object)
    buf_printf(b, " %s", e->object);
  if (e->issued)
    buf_puts(b, " (issued)");
}

static void put_cycle(const struct finding_about *f, struct buf *b) {
  buf_printf(b, "  cycle of %s conflicts:\n", f->cycle_of);
  for (uint32_t i = 0; i < f->ncycle; i++) {
    buf_puts(b, "    ");
    put_event(&f->cycle[i].from, b);
    buf_printf(b, "\n      comes before%s\n      ",
               f->cycle[i].late ? " (the commit is delayed)" : "");
    put_event(&f->cycle[i].to, b);
    buf_putc(b, '\n');
  }
}

void atomic_keep_cycle(struct atomic_report *r, struct finding_about *f,
                       const char *of, struct conflict_cycle *c,
                       const struct txn_event *e,
                       void (*say)(void *ctx, const struct txn_event *e,
                                   struct cycle_event *out),
                       void *ctx) {
  if (c->edges.len && !f->ncycle) {
    f->cycle_of = of;
    f->ncycle = c->edges.len;
    f->cycle = arena_alloc(&r->arena, c->edges.len * sizeof *f->cycle);
    for (uint32_t i = 0; i < c->edges.len; i++) {
      say(ctx, &e[c->edges.at[i].from], &f->cycle[i].from);
      say(ctx, &e[c->edges.at[i].to], &f->cycle[i].to);
      f->cycle[i].late = c->edges.at[i].from > c->edges.at[i].to;
    }
  }
  conflict_cycle_free(c);
}

/* The cycles to show: one against serializability, that of the trace's memory
 * model if there is one, and one against robustness. */
static uint32_t shown_cycles(const struct atomic_trace *t,
                             const struct finding_about *out[2]) {
  const struct finding_about *first = t->tso ? &t->tso_s : &t->sc;
  const struct finding_about *second = t->tso ? &t->sc : &t->tso_s;
  uint32_t n = 0;
  if (first->ncycle || second->ncycle)
    out[n++] = first->ncycle ? first : second;
  if (t->robust.ncycle)
    out[n++] = &t->robust;
  return n;
}

static void put_answer(const char *name, const struct finding_about *f,
                       struct buf *b) {
  buf_printf(b, "  %-17s %s", name,
             f->answer == ANSWER_YES  ? "yes"
             : f->answer == ANSWER_NO ? "no"
                                      : "not determined");
  if (f->why)
    buf_printf(b, ": %s", f->why);
  buf_putc(b, '\n');
}

const struct finding_about *atomic_cycle(const struct atomic_trace *t) {
  const struct finding_about *shown[2];
  return shown_cycles(t, shown) ? shown[0] : NULL;
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

void atomic_trace_text(const struct atomic_trace *t, struct buf *b) {
  const struct finding_about *cycles[2];
  if (t->is_client && t->tso_executions)
    buf_printf(
        b, "%s: %" PRIu64 " execution%s under SC, %" PRIu64 " under TSO\n",
        t->name, t->sc_executions, plural(t->sc_executions), t->tso_executions);
  else if (t->is_client)
    buf_printf(b, "%s: %" PRIu64 " execution%s under SC\n", t->name,
               t->sc_executions, plural(t->sc_executions));
  else
    buf_printf(b, "%s: %" PRIu64 " event%s, %" PRIu64 " transaction%s\n",
               t->name, t->events, plural(t->events), t->txns, plural(t->txns));
  put_answer("SC-serializable", &t->sc, b);
  put_answer("TSO-serializable", &t->tso_s, b);
  put_answer("robust", &t->robust, b);
  for (uint32_t i = 0, n = shown_cycles(t, cycles); i < n; i++)
    put_cycle(cycles[i], b);
}

void atomic_text(const struct atomic_report *r, FILE *to) {
  struct buf b = {0};
  uint32_t shown = 0, count[3] = {0};
  for (uint32_t i = 0; i < r->traces.len; i++) {
    const struct atomic_trace *t = &r->traces.at[i];
    count[atomic_verdict(t)->answer]++;
    if (r->traces.len <= CYCLES_SHOWN ||
        (atomic_verdict(t)->answer == ANSWER_NO && shown < CYCLES_SHOWN)) {
      atomic_trace_text(t, &b);
      shown++;
    }
  }
  if (r->traces.len > 1)
    buf_printf(&b,
               "%" PRIu32 " %s: %" PRIu32 " serializable, %" PRIu32
               " not, %" PRIu32 " not determined\n",
               r->traces.len, r->traces.at[0].is_client ? "clients" : "traces",
               count[ANSWER_YES], count[ANSWER_NO], count[ANSWER_UNKNOWN]);
  fputs(buf_text(&b), to);
  fflush(to);
  buf_free(&b);
}

/* ---- JSON ---- */

static void json_text(struct json *j, const char *name, const char *text) {
  if (text)
    json_string(j, name, text);
  else
    json_null(j, name);
}

static void json_holds(struct json *j, const char *name, enum answer answer) {
  if (answer == ANSWER_UNKNOWN)
    json_null(j, name);
  else
    json_bool(j, name, answer == ANSWER_YES);
}

static void json_event(struct json *j, const char *name,
                       const struct cycle_event *e) {
  json_object(j, name);
  json_string(j, "thread", e->thread);
  json_string(j, "transaction", e->txn);
  json_string(j, "access", e->what);
  if (e->issued)
    json_bool(j, "issued", true);
  json_text(j, "object", e->object);
  json_text(j, "file", e->file);
  json_text(j, "function", e->function);
  if (e->line)
    json_uint(j, "line", e->line);
  else
    json_null(j, "line");
  if (e->input_line)
    json_uint(j, "trace_line", e->input_line);
  json_end_object(j);
}

static void json_cycle(struct json *j, const struct finding_about *f) {
  json_array(j, "cycle");
  for (uint32_t i = 0; i < f->ncycle; i++) {
    json_object(j, NULL);
    json_event(j, "from", &f->cycle[i].from);
    json_event(j, "to", &f->cycle[i].to);
    json_bool(j, "late", f->cycle[i].late);
    json_end_object(j);
  }
  json_end_array(j);
}

static void json_answer(struct json *j, const char *name,
                        const struct finding_about *f,
                        const struct atomic_trace *client) {
  json_object(j, name);
  json_holds(j, "holds", f->answer);
  json_text(j, "why", f->why);
  if (client) {
    json_holds(j, "by_sc_executions", client->by_monitor);
    json_holds(j, "by_tso_executions", client->by_executions);
  }
  json_text(j, "cycle_of", f->cycle_of);
  json_cycle(j, f);
  json_end_object(j);
}

static void json_trace(struct json *j, const struct atomic_trace *t) {
  static const struct finding_about none;
  const struct finding_about *shown[2] = {&none};
  shown_cycles(t, shown);
  json_object(j, NULL);
  json_string(j, "name", t->name);
  json_string(j, "memory", t->tso ? "tso" : "sc");
  json_uint(j, "events", t->events);
  json_uint(j, "transactions", t->txns);
  if (t->is_client) {
    json_uint(j, "executions", t->sc_executions);
    json_uint(j, "tso_executions", t->tso_executions);
  }
  json_answer(j, "sc_serializable", &t->sc, NULL);
  json_answer(j, "tso_serializable", &t->tso_s, NULL);
  json_answer(j, "robust", &t->robust, t->is_client ? t : NULL);
  json_text(j, "cycle_of", shown[0]->cycle_of);
  json_cycle(j, shown[0]);
  json_end_object(j);
}

void atomic_json(const struct atomic_report *r, struct buf *out) {
  struct json j = {.out = out};
  json_object(&j, NULL);
  json_uint(&j, "faultline", 1);
  json_array(&j, "traces");
  for (uint32_t i = 0; i < r->traces.len; i++)
    json_trace(&j, &r->traces.at[i]);
  json_end_array(&j);
  json_end_object(&j);
  buf_putc(out, '\n');
}

/* ---- graphs ---- */

static void dot_text(const char *s, struct buf *b) {
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      buf_putc(b, '\\');
    buf_putc(b, *s);
  }
}

static void dot_node(uint32_t trace, const struct cycle_event *e,
                     struct buf *b) {
  buf_printf(b, "\"%" PRIu32 ": thread ", trace);
  dot_text(e->thread, b);
  buf_puts(b, ", ");
  dot_text(e->txn, b);
  buf_putc(b, '"');
}

static void dot_edge(uint32_t trace, const struct cycle_edge *e,
                     struct buf *b) {
  struct buf from = {0}, to = {0};
  put_place(&e->from, &from);
  put_place(&e->to, &to);
  buf_puts(b, "  ");
  dot_node(trace, &e->from, b);
  buf_puts(b, " -> ");
  dot_node(trace, &e->to, b);
  buf_puts(b, " [label=\"");
  dot_text(e->from.what, b);
  buf_puts(b, e->from.issued ? " (issued) " : " ");
  dot_text(buf_text(&from), b);
  buf_puts(b, "\\n");
  dot_text(e->to.what, b);
  buf_puts(b, e->to.issued ? " (issued) " : " ");
  dot_text(buf_text(&to), b);
  buf_printf(b, "\"%s];\n", e->late ? ", style=dashed" : "");
  buf_free(&from);
  buf_free(&to);
}

void atomic_dot(const struct atomic_report *r, struct buf *out) {
  buf_puts(out, "digraph atomicity {\n  node [shape=box];\n");
  for (uint32_t i = 0; i < r->traces.len; i++) {
    const struct finding_about *shown[2];
    uint32_t n = shown_cycles(&r->traces.at[i], shown);
    for (uint32_t k = 0; n && k < shown[0]->ncycle; k++)
      dot_edge(i + 1, &shown[0]->cycle[k], out);
  }
  buf_puts(out, "}\n");
}
