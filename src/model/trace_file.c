/* Traces as JSON lines. */
#include "model/trace_file.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>

static bool has_memory(const struct event *e) {
  return event_reads[e->kind] || event_writes[e->kind] || e->kind == EV_ALLOC ||
         e->addr;
}

static void put_memory(struct json *j, const struct event *e) {
  char addr[32];
  snprintf(addr, sizeof addr, "0x%" PRIx64, e->addr);
  json_string(j, "addr", addr);
  json_uint(j, "size", e->size);
}

static void put_header(const struct trace_about *about, struct buf *out) {
  struct json j = {.out = out, .compact = true};
  json_object(&j, NULL);
  json_string(&j, "type", "trace");
  json_uint(&j, "version", TRACE_FILE_VERSION);
  if (about->object)
    json_string(&j, "object", about->object);
  json_string(&j, "verdict", verdict_name[about->verdict]);
  if (about->tso)
    json_string(&j, "memory", "tso");
  json_end_object(&j);
  buf_putc(out, '\n');
}

static void put_place(struct json *j, const struct place *p) {
  if (p->file)
    json_string(j, "file", p->file);
  if (p->function)
    json_string(j, "function", p->function);
  if (p->line)
    json_uint(j, "line", p->line);
  if (p->column)
    json_uint(j, "column", p->column);
}

static bool is_known(const struct place *p) {
  return p && (p->file || p->function || p->line);
}

static void put_site(struct json *j, const struct place *p) {
  json_object(j, NULL);
  put_place(j, p);
  json_end_object(j);
}

/* Where the event's function was inlined, then the call sites, outwards.  A
 * site that is nowhere is written too: it is a call. */
static void put_calls(struct json *j, const struct trace *t,
                      const struct event *e, const struct place *at,
                      const struct trace_places *places) {
  static const struct place nowhere;
  json_array(j, "calls");
  for (const struct place *p = at ? at->next : NULL; p; p = p->next)
    put_site(j, p);
  for (uint32_t f = e->chain; f; f = t->frames[f].parent) {
    const struct place *p = places->place(places->ctx, t->frames[f].call_pc);
    for (p = p ? p : &nowhere; p; p = p->next)
      put_site(j, p);
  }
  json_end_array(j);
}

/* The activation that called `a` from there.  Callers that are no code of the
 * object are in no chain. */
static uint32_t caller_of(const struct trace *t, uint32_t a, uint64_t call_pc) {
  while (a && t->activations[a].call_pc != call_pc)
    a = t->activations[a].parent;
  return t->activations[a].parent;
}

/* A number for the event's place and for each of put_calls: whose it is. */
static void put_activations(struct json *j, const struct trace *t,
                            const struct event *e, const struct place *at,
                            const struct trace_places *places) {
  uint32_t a = e->activation;
  json_array(j, "activations");
  json_uint(j, NULL, a);
  for (const struct place *p = at ? at->next : NULL; p; p = p->next)
    json_uint(j, NULL, a);
  for (uint32_t f = e->chain; f; f = t->frames[f].parent) {
    const struct place *p = places->place(places->ctx, t->frames[f].call_pc);
    a = caller_of(t, a, t->frames[f].call_pc);
    do
      json_uint(j, NULL, a);
    while (p && (p = p->next));
  }
  json_end_array(j);
}

/* Of accesses of up to 8 bytes, and of attempts and threads. */
static bool has_value(const struct event *e) {
  switch (e->kind) {
  case EV_TRYLOCK:
  case EV_CREATE:
  case EV_JOIN:
    return true;
  case EV_FREE:
    return false;
  default:
    return (event_reads[e->kind] || event_writes[e->kind]) && e->size <= 8;
  }
}

static void put_value(struct json *j, const struct event *e) {
  if (!has_value(e))
    return;
  if (!(e->flags & EVENT_NO_VALUE))
    json_int(j, "value", (int64_t)e->value[0]);
  if (event_writes[e->kind] && !(e->flags & EVENT_NO_OLD))
    json_int(j, "old", (int64_t)e->old[0]);
}

static void put_event(const struct trace *t, const struct event *e,
                      const struct trace_about *about,
                      const struct trace_places *places, struct buf *out) {
  struct json j = {.out = out, .compact = true};
  const struct place *at = e->pc ? places->place(places->ctx, e->pc) : NULL;
  json_object(&j, NULL);
  json_string(&j, "type", event_word[e->kind]);
  json_uint(&j, "thread", e->thread);
  if (e->call != EVENT_NO_CALL)
    json_uint(&j, "op", e->call);
  if (e->kind == EV_CALL && e->call < about->nops && about->op_names[e->call])
    json_string(&j, "name", about->op_names[e->call]);
  if (has_memory(e))
    put_memory(&j, e);
  put_value(&j, e);
  if (about->tso && (e->kind == EV_WRITE || e->kind == EV_ATOMIC_WRITE) &&
      !(e->flags & EVENT_ISSUED))
    json_bool(&j, "issued", false);
  if (e->flags & EVENT_FORWARDED)
    json_bool(&j, "forwarded", true);
  if (is_known(at))
    put_place(&j, at);
  if (e->chain || (at && at->next))
    put_calls(&j, t, e, at, places);
  if (e->activation)
    put_activations(&j, t, e, at, places);
  json_end_object(&j);
  buf_putc(out, '\n');
}

void trace_file_print(const struct trace *t, const struct trace_about *about,
                      const struct trace_places *places, struct buf *out) {
  struct trace_about full = *about;
  for (uint32_t i = 0; i < t->nevents; i++)
    full.tso |=
        t->events[i].kind == EV_COMMIT || (t->events[i].flags & EVENT_ISSUED);
  put_header(&full, out);
  for (uint32_t i = 0; i < t->nevents; i++)
    put_event(t, &t->events[i], &full, places, out);
}

const struct place *trace_file_place(void *ctx, uint64_t pc) {
  const struct trace_file *f = ctx;
  return pc && pc <= f->nplaces ? &f->places[pc - 1] : NULL;
}
