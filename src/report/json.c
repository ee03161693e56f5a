/* The JSON report; docs/json.md is its schema. */
#include "report/report.h"

#include "base/json.h"

#include <stdio.h>

enum { SCHEMA = 1 };

static void string_or_null(struct json *j, const char *name, const char *s) {
  if (s)
    json_string(j, name, s);
  else
    json_null(j, name);
}

static void put_place(struct json *j, const struct place *p) {
  string_or_null(j, "file", p->file);
  if (p->line)
    json_uint(j, "line", p->line);
  else
    json_null(j, "line");
  if (p->line && p->column)
    json_uint(j, "column", p->column);
  else
    json_null(j, "column");
  string_or_null(j, "function", p->function);
}

/* A result as a JSON value: numbers and truth values are what they are. */
static void put_value(struct json *j, const char *name, struct value v) {
  switch (v.kind) {
  case VALUE_VOID:
    json_null(j, name);
    return;
  case VALUE_BOOL:
    json_bool(j, name, v.bits != 0);
    return;
  case VALUE_INT:
    json_int(j, name, (int64_t)v.bits);
    return;
  case VALUE_UINT:
    json_uint(j, name, v.bits);
    return;
  case VALUE_STRING:
    string_or_null(j, name, (const char *)(uintptr_t)v.bits);
    return;
  }
  struct buf b = {0};
  value_print(v, &b);
  string_or_null(j, name, v.bits ? buf_text(&b) : NULL);
  buf_free(&b);
}

static const char *operation(const struct story *s, uint32_t call) {
  const struct finding *f = s->result->finding;
  return f && call < f->client.ncalls ? s->calls[call] : NULL;
}

/* A number or null. */
static void put_call_id(struct json *j, const struct story *s, uint32_t call) {
  if (operation(s, call))
    json_uint(j, "call", call);
  else
    json_null(j, "call");
}

static const char *result_text(const struct story *s, uint32_t call) {
  const char *text = s->results[call];
  return text && !*text ? "void" : text;
}

static void put_calls(struct json *j, const struct story *s) {
  const struct finding *f = s->result->finding;
  const struct history *h = &f->trace.history;
  uint32_t n = f->client.ncalls;
  json_array(j, "results");
  for (uint32_t i = 0; i < n; i++)
    string_or_null(j, NULL, result_text(s, i));
  json_end_array(j);
  json_array(j, "calls");
  for (uint32_t i = 0; i < n; i++) {
    bool called = h->ops && hop_called(&h->ops[i]);
    bool returned = s->results[i] != NULL;
    json_object(j, NULL);
    json_string(j, "call", s->calls[i]);
    json_uint(j, "thread", f->client.calls[i].thread);
    json_string(j, "part",
                i < f->client.ninit                  ? "initial"
                : i < client_first_final(&f->client) ? "threads"
                                                     : "final");
    json_bool(j, "called", called);
    json_bool(j, "returned", returned);
    if (returned)
      put_value(j, "result", h->ops[i].result);
    else
      json_null(j, "result");
    string_or_null(j, "text", result_text(s, i));
    json_end_object(j);
  }
  json_end_array(j);
}

static bool atomic(const struct event *e) {
  return e->kind == EV_ATOMIC_READ || e->kind == EV_ATOMIC_WRITE ||
         e->kind == EV_RMW || e->kind == EV_CAS || e->kind == EV_CAS_FAIL ||
         e->kind == EV_FENCE;
}

static const char *order_name(uint8_t order) {
  static const char *const name[] = {"relaxed", "consume", "acquire",
                                     "release", "acq_rel", "seq_cst"};
  return order < sizeof name / sizeof *name ? name[order] : NULL;
}

static void put_event(struct json *j, const struct story *s, uint32_t at) {
  const struct trace *t = &s->result->finding->trace;
  const struct event *e = &t->events[at];
  const struct story_event *told = &s->events[at];
  static const char *const part[] = {"initial", "threads", "final"};
  json_object(j, NULL);
  json_uint(j, "step", e->step);
  json_uint(j, "thread", e->thread);
  json_string(j, "part", part[told->part]);
  string_or_null(j, "operation", operation(s, e->call));
  put_call_id(j, s, e->call);
  json_string(j, "kind", event_word[e->kind]);
  string_or_null(j, "location", told->location);
  if (e->kind == EV_RETURN && operation(s, e->call))
    string_or_null(j, "value", result_text(s, e->call));
  else if ((e->kind == EV_SHOW || e->kind == EV_FAULT) &&
           e->value[0] < t->nnotes)
    string_or_null(j, "value", t->notes[e->value[0]]);
  else
    string_or_null(j, "value", told->value);
  string_or_null(j, "old", told->old);
  if (atomic(e))
    string_or_null(j, "order", order_name(e->order));
  if (e->size)
    json_uint(j, "size", e->size);
  put_place(j, told->place);
  json_end_object(j);
}

static void put_schedule(struct json *j, const struct schedule *s) {
  struct buf b = {0};
  for (uint32_t i = 0; i < s->turns.len; i++) {
    const struct turn *t = &s->turns.at[i];
    if (t->is_choice)
      buf_printf(&b, "%s!%u", i ? " " : "", (unsigned)t->thread);
    else
      buf_printf(&b, "%sT%u*%u", i ? " " : "", (unsigned)t->thread,
                 (unsigned)t->steps);
  }
  json_string(j, "schedule", buf_text(&b));
  buf_free(&b);
}

static void put_waiting(struct json *j, const struct story *s) {
  json_array(j, "waiting");
  for (uint32_t i = 0; i < s->rows.len; i++) {
    const struct story_row *row = &s->rows.at[i];
    if (row->kind != ROW_WAIT)
      continue;
    const struct waiting *w = &s->waiting.at[row->index].is;
    json_object(j, NULL);
    json_uint(j, "thread", w->thread);
    string_or_null(j, "operation", operation(s, w->call));
    put_call_id(j, s, w->call);
    json_string(j, "kind", w->kind < EV_COUNT ? event_word[w->kind] : "");
    json_bool(j, "spins", w->spins);
    string_or_null(j, "location", *row->what ? row->what : NULL);
    if (w->holder != 255)
      json_uint(j, "holder", w->holder);
    else
      json_null(j, "holder");
    put_place(j, row->place);
    json_end_object(j);
  }
  json_end_array(j);
}

static void put_refutations(struct json *j, const struct story *s) {
  const struct finding *f = s->result->finding;
  json_array(j, "refutations");
  for (uint32_t i = 0; i < f->refutations.len; i++) {
    const struct refutation *r = &f->refutations.at[i];
    json_object(j, NULL);
    json_array(j, "order");
    for (uint32_t k = 0; k < r->order.len; k++)
      json_uint(j, NULL, r->order.at[k]);
    json_end_array(j);
    if (r->waits)
      json_null(j, "expected");
    else
      put_value(j, "expected", r->expected);
    json_bool(j, "waits", r->waits);
    json_end_object(j);
  }
  json_end_array(j);
  json_uint(j, "more_refutations", f->more_refutations);
}

static void put_diagnostic(struct json *j, const struct story *s) {
  if (!*s->message) {
    json_null(j, "diagnostic");
    return;
  }
  json_object(j, "diagnostic");
  put_place(j, s->place);
  json_string(j, "message", s->message);
  json_array(j, "notes");
  for (uint32_t i = 0; i < s->notes.len; i++) {
    json_object(j, NULL);
    put_place(j, s->notes.at[i].place);
    json_string(j, "message", s->notes.at[i].text);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

/* What would have to be atomic, best first. */
static void put_causes(struct json *j, const struct causes_found *c) {
  json_array(j, "causes");
  for (uint32_t i = 0; i < c->len; i++) {
    const struct ranked_cause *r = &c->at[i];
    json_object(j, NULL);
    json_uint(j, "rank", r->rank);
    json_uint(j, "eliminates", r->eliminates);
    json_bool(j, "verified", r->verified);
    string_or_null(j, "suggestion", r->fix);
    string_or_null(j, "covered", r->covered);
    string_or_null(j, "still_fails", r->still_bad);
    json_array(j, "blocks");
    for (uint32_t k = 0; k < r->cause.nblocks; k++) {
      const struct code_block *b = &r->cause.blocks[k];
      json_object(j, NULL);
      string_or_null(j, "file", b->file);
      string_or_null(j, "function", b->function);
      json_uint(j, "first", b->first);
      json_uint(j, "last", b->last);
      json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
  }
  json_end_array(j);
  if (!c->len)
    return;
  json_object(j, "traces");
  json_uint(j, "failing", c->bad);
  json_uint(j, "good", c->good);
  json_bool(j, "complete", c->complete);
  json_end_object(j);
}

static void put_finding(struct json *j, const struct story *s) {
  const struct finding *f = s->result->finding;
  json_string(j, "client", s->client);
  json_bool(j, "client_is_minimal", f->minimal_checked);
  put_calls(j, s);
  json_array(j, "events");
  for (uint32_t i = 0; i < f->trace.nevents; i++)
    put_event(j, s, i);
  json_end_array(j);
  json_bool(j, "events_truncated", f->trace.truncated);
  put_schedule(j, &f->schedule);
  string_or_null(j, "schedule_file", f->schedule_file);
  string_or_null(j, "history_file", f->history_file);
  put_waiting(j, s);
  put_refutations(j, s);
  put_causes(j, &f->causes);
}

static void put_no_finding(struct json *j) {
  static const char *const lists[] = {"results", "calls", "events"};
  json_null(j, "client");
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    json_array(j, lists[i]);
    json_end_array(j);
  }
  json_null(j, "schedule");
}

static void put_coverage(struct json *j, const struct coverage *c) {
  json_object(j, "coverage");
  string_or_null(j, "sentence", c->sentence);
  json_uint(j, "threads", c->threads);
  json_uint(j, "ops", c->ops);
  json_uint(j, "init", c->init);
  json_uint(j, "exhaustive_clients", c->exhaustive_clients);
  json_uint(j, "sampled_clients", c->sampled_clients);
  json_bool(j, "one_client", c->one_client);
  json_bool(j, "exhaustive", c->exhaustive);
  string_or_null(j, "limit", c->limit);
  string_or_null(j, "estimate", c->estimate);
  json_end_object(j);
}

static void put_chance(struct json *j, const struct chance *c) {
  if (!c->depth) {
    json_null(j, "chance");
    return;
  }
  json_object(j, "chance");
  json_uint(j, "depth", c->depth);
  json_uint(j, "threads", c->threads);
  json_uint(j, "steps", c->steps);
  json_double(j, "bound", c->bound);
  json_end_object(j);
}

static void put_statistics(struct json *j, const struct statistics *t) {
  json_object(j, "statistics");
  json_uint(j, "executions", t->executions);
  json_uint(j, "cut", t->cut);
  json_uint(j, "blocked", t->blocked);
  json_uint(j, "events", t->events);
  json_uint(j, "states", t->states);
  json_uint(j, "transitions", t->transitions);
  if (t->interleavings)
    json_uint(j, "interleavings", t->interleavings);
  json_uint(j, "clients", t->clients);
  json_uint(j, "histories", t->histories);
  json_uint(j, "replays", t->replays);
  json_double(j, "seconds", t->seconds);
  json_end_object(j);
}

static void put_outcomes(struct json *j, const outcome_list *list) {
  json_array(j, "outcomes");
  for (uint32_t i = 0; i < list->len; i++) {
    const struct outcome *o = &list->at[i];
    json_object(j, NULL);
    json_array(j, "results");
    for (uint32_t k = 0; k < o->results.len; k++)
      put_value(j, NULL, o->results.at[k]);
    json_end_array(j);
    json_uint(j, "executions", o->executions);
    json_bool(j, "allowed", o->allowed);
    json_end_object(j);
  }
  json_end_array(j);
}

static void put_run(struct json *j, const struct report_run *run) {
  const struct story *s = run->story;
  const struct result *r = s->result;
  json_object(j, NULL);
  json_uint(j, "faultline", SCHEMA);
  json_string(j, "object", r->object);
  string_or_null(j, "spec", r->spec);
  json_string(j, "verdict", verdict_name[r->verdict]);
  json_string(j, "fault",
              fault_id[r->finding ? r->finding->fault : FAULT_NONE]);
  string_or_null(j, "reason",
                 r->reason                    ? r->reason
                 : s->message && *s->message  ? s->message
                 : r->verdict == VERDICT_PASS ? "no fault found"
                                              : NULL);
  json_bool(j, "expect_fault", r->expect_fault);
  json_bool(j, "partial", r->partial);
  put_diagnostic(j, s);
  if (r->finding)
    put_finding(j, s);
  else
    put_no_finding(j);
  put_coverage(j, &r->coverage);
  put_chance(j, &r->chance);
  put_statistics(j, &r->statistics);
  if (s->outcomes)
    put_outcomes(j, s->outcomes->list);
  string_or_null(j, "replay", r->replay_command);
  json_array(j, "warnings");
  for (uint32_t i = 0; i < run->nwarnings; i++)
    json_string(j, NULL, run->warnings[i]);
  json_end_array(j);
  json_uint(j, "seed", r->seed);
  string_or_null(j, "search", r->search);
  string_or_null(j, "heap", r->heap);
  string_or_null(j, "memory_model", r->memory_model);
  string_or_null(j, "criterion", r->criterion);
  json_end_object(j);
}

void report_json(const struct report_run *runs, uint32_t n, struct buf *out) {
  struct json j = {.out = out};
  if (n == 1) {
    put_run(&j, runs);
  } else {
    json_object(&j, NULL);
    json_uint(&j, "faultline", SCHEMA);
    json_array(&j, "runs");
    for (uint32_t i = 0; i < n; i++)
      put_run(&j, &runs[i]);
    json_end_array(&j);
    json_end_object(&j);
  }
  buf_putc(out, '\n');
}
