/* The JSON report; docs/json.md is its schema. */
#include "report/json_int.h"
#include "report/races.h"

#include "base/json.h"

#include <assert.h>
#include <stdio.h>

enum { SCHEMA = 1 };

void json_text(struct json *j, const char *name, const char *s) {
  if (s)
    json_string(j, name, s);
  else
    json_null(j, name);
}

void json_place(struct json *j, const struct place *p) {
  json_text(j, "file", p->file);
  if (p->line)
    json_uint(j, "line", p->line);
  else
    json_null(j, "line");
  if (p->line && p->column)
    json_uint(j, "column", p->column);
  else
    json_null(j, "column");
  json_text(j, "function", p->function);
}

void json_value(struct json *j, const char *name, struct value v) {
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
    json_text(j, name, (const char *)(uintptr_t)v.bits);
    return;
  }
  struct buf b = {0};
  value_print(v, &b);
  json_text(j, name, v.bits ? buf_text(&b) : NULL);
  buf_free(&b);
}

/* A result as people read it; "" of a call that returns nothing. */
static void put_value_text(struct json *j, const struct story *s,
                           const char *name, struct value v) {
  struct buf b = {0};
  story_put_value(s, v, &b);
  json_string(j, name, buf_text(&b));
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
    json_text(j, NULL, result_text(s, i));
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
      json_value(j, "result", h->ops[i].result);
    else
      json_null(j, "result");
    json_text(j, "text", result_text(s, i));
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

/* Where in the heap it is; under TSO, where the value was or came from. */
static void put_memory(struct json *j, const struct story *s, uint32_t at) {
  const struct trace *t = &s->result->finding->trace;
  const struct event *e = &t->events[at];
  uint32_t block = story_block(s, at);
  if (block != UINT32_MAX) {
    json_uint(j, "block", block);
    json_uint(j, "offset", e->addr - t->blocks[block].base);
  }
  if (e->flags & EVENT_ISSUED)
    json_bool(j, "buffered", true);
  if (e->flags & EVENT_FORWARDED)
    json_bool(j, "forwarded", true);
  if (e->kind == EV_COMMIT)
    json_uint(j, "issued", e->issue);
}

static void put_event(struct json *j, const struct story *s, uint32_t at) {
  const struct trace *t = &s->result->finding->trace;
  const struct event *e = &t->events[at];
  const struct story_event *words = &s->events[at];
  assert(at < t->nevents && words->place);
  static const char *const part[] = {"initial", "threads", "final"};
  json_object(j, NULL);
  json_uint(j, "step", e->step);
  json_uint(j, "thread", e->thread);
  json_string(j, "part", part[words->part]);
  json_text(j, "operation", operation(s, e->call));
  put_call_id(j, s, e->call);
  json_string(j, "kind", event_word[e->kind]);
  json_text(j, "location", words->location);
  if (e->kind == EV_RETURN && operation(s, e->call))
    json_text(j, "value", result_text(s, e->call));
  else if ((e->kind == EV_SHOW || e->kind == EV_FAULT) &&
           e->value[0] < t->nnotes)
    json_text(j, "value", t->notes[e->value[0]]);
  else
    json_text(j, "value", words->value);
  json_text(j, "old", words->old);
  if (atomic(e))
    json_text(j, "order", order_name(e->order));
  if (e->size)
    json_uint(j, "size", e->size);
  put_memory(j, s, at);
  json_place(j, words->place);
  if (words->access != words->place) {
    json_object(j, "access");
    json_place(j, words->access);
    json_end_object(j);
  }
  json_end_object(j);
}

static void put_schedule(struct json *j, const struct schedule *s) {
  struct buf b = {0};
  for (uint32_t i = 0; i < s->turns.len; i++) {
    char word[SCHEDULE_WORD];
    turn_text(&s->turns.at[i], word);
    buf_printf(&b, "%s%s", i ? " " : "", word);
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
    json_text(j, "operation", operation(s, w->call));
    put_call_id(j, s, w->call);
    json_string(j, "kind", w->kind < EV_COUNT ? event_word[w->kind] : "");
    json_bool(j, "spins", w->spins);
    json_text(j, "location", *row->what ? row->what : NULL);
    if (w->holder != 255)
      json_uint(j, "holder", w->holder);
    else
      json_null(j, "holder");
    json_place(j, row->place);
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
      json_value(j, "expected", r->expected);
    if (r->alone)
      json_bool(j, "alone", true);
    if (r->reading != READING_NONE) {
      struct buf reading = {0};
      story_put_reading(r, &reading);
      json_string(j, "reading", buf_text(&reading));
      buf_free(&reading);
    }
    if (r->bound != BOUND_EXACT)
      json_text(j, "bound", r->bound == BOUND_LEAST ? "at least" : "at most");
    json_bool(j, "waits", r->waits);
    if (!r->waits)
      put_value_text(j, s, "text", r->expected);
    if (r->also.len) {
      json_array(j, "also");
      for (uint32_t k = 0; k < r->also.len; k++)
        json_value(j, NULL, r->also.at[k]);
      json_end_array(j);
    }
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
  json_place(j, s->place);
  json_string(j, "message", s->message);
  json_array(j, "notes");
  for (uint32_t i = 0; i < s->notes.len; i++) {
    json_object(j, NULL);
    json_place(j, s->notes.at[i].place);
    json_string(j, "message", s->notes.at[i].text);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

static void put_patch(struct json *j, const struct patch *p) {
  if (!p->asked)
    return;
  json_object(j, "patch");
  json_text(j, "file", p->file);
  json_bool(j, "tried", p->tried);
  json_bool(j, "verified", p->verified);
  json_text(j, "what", p->what);
  json_text(j, "covered", p->covered);
  json_text(j, "reason", p->reason);
  json_end_object(j);
}

static void put_part(struct json *j, const char *name, const struct story *s,
                     uint32_t from, uint32_t to) {
  json_array(j, name);
  for (uint32_t i = from; i < to; i++)
    json_string(j, NULL, s->calls[i]);
  json_end_array(j);
}

/* The client as the papers' test case (Ps, Pc, Pr), and how it came about. */
static void put_minimal(struct json *j, const struct story *s) {
  const struct finding *f = s->result->finding;
  const struct client *c = &f->client;
  const struct minimal *m = &f->minimal;
  uint32_t end = client_first_final(c);
  if (!m->from)
    return;
  json_object(j, "minimal");
  put_part(j, "ps", s, 0, c->ninit);
  json_array(j, "pc");
  for (uint32_t i = c->ninit, next; i < end; i = next) {
    for (next = i; next < end && c->calls[next].thread == c->calls[i].thread;)
      next++;
    put_part(j, NULL, s, i, next);
  }
  json_end_array(j);
  put_part(j, "pr", s, end, c->ncalls);
  if (m->type)
    json_uint(j, "type", m->type);
  json_bool(j, "proved", f->minimal_checked);
  json_uint(j, "from", m->from);
  if (s->result->shrink.version) {
    json_uint(j, "located_pc", m->pc);
    json_uint(j, "clients_tried", m->checks);
    json_double(j, "locate_seconds", m->locate_seconds);
    json_double(j, "reduce_seconds", m->reduce_seconds);
  }
  json_end_object(j);
}

static void put_finding(struct json *j, const struct story *s) {
  const struct finding *f = s->result->finding;
  json_string(j, "client", s->client);
  json_bool(j, "client_is_minimal", f->minimal_checked);
  put_minimal(j, s);
  put_calls(j, s);
  json_array(j, "events");
  for (uint32_t i = 0; i < f->trace.nevents; i++)
    put_event(j, s, i);
  json_end_array(j);
  json_bool(j, "events_truncated", f->trace.truncated);
  json_rows(j, s);
  json_blocks(j, s);
  put_schedule(j, &f->schedule);
  json_text(j, "schedule_file", f->schedule_file);
  json_text(j, "history_file", f->history_file);
  json_text(j, "html_file", f->html_file);
  put_waiting(j, s);
  put_refutations(j, s);
  json_text(j, "fix", s->fix);
  json_kind(j, s);
  json_causes(j, s);
  json_fences(j, s);
  json_nearest(j, s);
  put_patch(j, &f->patch);
  json_races(j, s);
  json_census(j, s);
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
  json_text(j, "sentence", c->sentence);
  json_uint(j, "threads", c->threads);
  json_uint(j, "ops", c->ops);
  json_uint(j, "init", c->init);
  json_uint(j, "exhaustive_clients", c->exhaustive_clients);
  json_uint(j, "sampled_clients", c->sampled_clients);
  json_bool(j, "one_client", c->one_client);
  json_bool(j, "exhaustive", c->exhaustive);
  json_text(j, "limit", c->limit);
  json_text(j, "estimate", c->estimate);
  json_end_object(j);
}

static void put_chance(struct json *j, const struct chance *c) {
  if (!c->depth || !(c->bound > 0)) {
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

/* faultline shrink: the histories that it made. */
static void put_detection(struct json *j, const struct detection_tally *d) {
  if (!d->version)
    return;
  json_object(j, "shrink");
  json_string(j, "version", d->version);
  json_uint(j, "histories", d->histories);
  json_uint(j, "failing_histories", d->failing);
  json_uint(j, "wrong_results", d->wrong);
  json_double(j, "check_seconds", d->check_seconds);
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
  json_object(j, "cpu_seconds");
  json_double(j, "search", t->cpu.search);
  json_double(j, "minimize", t->cpu.minimize);
  json_double(j, "causes", t->cpu.causes);
  json_double(j, "races", t->cpu.races);
  json_end_object(j);
  json_end_object(j);
}

static void put_outcomes(struct json *j, const struct story *s,
                         const outcome_list *list) {
  json_array(j, "outcomes");
  for (uint32_t i = 0; i < list->len; i++) {
    const struct outcome *o = &list->at[i];
    json_object(j, NULL);
    json_array(j, "results");
    for (uint32_t k = 0; k < o->results.len; k++)
      json_value(j, NULL, o->results.at[k]);
    json_end_array(j);
    json_array(j, "texts");
    for (uint32_t k = 0; k < o->results.len; k++)
      put_value_text(j, s, NULL, o->results.at[k]);
    json_end_array(j);
    json_uint(j, "executions", o->executions);
    json_bool(j, "allowed", o->allowed);
    json_end_object(j);
  }
  json_end_array(j);
}

/* The outcomes that were asked for, or those of the failing client. */
static void put_all_outcomes(struct json *j, const struct story *s) {
  const struct finding *f = s->result->finding;
  if (s->outcomes) {
    put_outcomes(j, s, s->outcomes->list);
    json_uint(j, "outcome_faults", s->outcomes->faults);
  } else if (f && f->census.outcomes.at) {
    put_outcomes(j, s, &f->census.outcomes);
    json_uint(j, "outcome_faults", f->census.faults);
    json_bool(j, "outcomes_of_all", f->census.all_outcomes);
  }
}

static void put_run(struct json *j, const struct report_run *run, bool page) {
  const struct story *s = run->story;
  const struct result *r = s->result;
  json_object(j, NULL);
  json_uint(j, "faultline", SCHEMA);
  json_string(j, "object", r->object);
  json_text(j, "spec", r->spec);
  json_string(j, "verdict", verdict_name[r->verdict]);
  json_string(j, "fault",
              fault_id[r->finding ? r->finding->fault : FAULT_NONE]);
  json_text(j, "reason",
            r->reason                    ? r->reason
            : s->message && *s->message  ? s->message
            : r->verdict == VERDICT_PASS ? "no fault found"
                                         : NULL);
  json_bool(j, "expect_fault", r->expect_fault);
  if (r->accepted) {
    json_object(j, "accepted");
    json_string(j, "reason", r->accepted);
    json_string(j, "by", r->accepted_by);
    json_end_object(j);
  } else if (r->accept_line) {
    json_string(j, "accept", r->accept_line);
  }
  if (r->naccepted)
    json_uint(j, "faults_accepted", r->naccepted);
  json_bool(j, "partial", r->partial);
  put_diagnostic(j, s);
  if (r->finding)
    put_finding(j, s);
  else
    put_no_finding(j);
  put_coverage(j, &r->coverage);
  put_chance(j, &r->chance);
  put_statistics(j, &r->statistics);
  put_detection(j, &r->shrink);
  put_all_outcomes(j, s);
  json_text(j, "replay", r->replay_command);
  json_array(j, "warnings");
  for (uint32_t i = 0; i < run->nwarnings; i++)
    json_string(j, NULL, run->warnings[i]);
  json_end_array(j);
  json_uint(j, "seed", r->seed);
  json_text(j, "search", r->search);
  json_text(j, "heap", r->heap);
  json_text(j, "memory_model", r->memory_model);
  json_text(j, "memory_model_from", r->memory_model_from);
  json_text(j, "criterion", r->criterion);
  json_text(j, "criterion_from", r->criterion_from);
  if (page)
    json_sources(j, s, run->hooks);
  json_end_object(j);
}

void json_report(const struct report_run *runs, uint32_t n, bool page,
                 struct buf *out) {
  struct json j = {.out = out, .compact = page};
  if (n == 1) {
    put_run(&j, runs, page);
  } else {
    json_object(&j, NULL);
    json_uint(&j, "faultline", SCHEMA);
    json_array(&j, "runs");
    for (uint32_t i = 0; i < n; i++)
      put_run(&j, &runs[i], page);
    json_end_array(&j);
    json_end_object(&j);
  }
  buf_putc(out, '\n');
}

void report_json(const struct report_run *runs, uint32_t n, struct buf *out) {
  json_report(runs, n, false, out);
}
