/* `cdrs` and `tree`: the races that decide, as JSON. */
#include "report/json_int.h"
#include "report/races.h"

#include <assert.h>

static const char *leads_name(enum race_leads leads) {
  static const char *const name[] = {"nowhere", "good", "bad", "both"};
  assert(leads < sizeof name / sizeof *name);
  return name[leads];
}

static void put_rival(struct json *j, const struct story *s,
                      const struct rival *r) {
  const struct finding *f = s->result->finding;
  const struct place *own = place_own(r->place);
  const struct place *p = own ? own : r->place;
  json_object(j, NULL);
  bool buffer;
  json_uint(j, "thread", story_stepper(s, r->step.thread, &buffer));
  json_bool(j, "store_buffer", buffer);
  if (r->step.call < f->client.ncalls) {
    json_string(j, "operation", s->calls[r->step.call]);
    json_uint(j, "call", r->step.call);
  } else {
    json_null(j, "operation");
    json_null(j, "call");
  }
  json_string(j, "kind", event_word[r->about.kind]);
  json_text(j, "location", r->location);
  json_text(j, "file", p ? p->file : NULL);
  if (p)
    json_uint(j, "line", p->line);
  else
    json_null(j, "line");
  json_text(j, "function", p ? p->function : NULL);
  json_bool(j, "in_section", r->about.flags & STEP_INSIDE);
  json_bool(j, "begins_call", r->step.flags & STEP_CALLS);
  json_bool(j, "ends_call", r->step.flags & STEP_RETURNS);
  json_bool(j, "wins", r->wins);
  json_string(j, "leads_to", leads_name(r->leads));
  json_end_object(j);
}

static void put_race(struct json *j, const struct story *s,
                     const struct race *r) {
  json_object(j, NULL);
  json_string(j, "kind", race_letter[r->kind]);
  json_array(j, "accesses");
  for (uint32_t i = 0; i < r->len; i++)
    put_rival(j, s, &r->at[i]);
  json_end_array(j);
  json_end_object(j);
}

static void put_cdrs(struct json *j, const struct story *s,
                     const struct cdrs *c) {
  json_object(j, NULL);
  json_string(j, "pattern", c->pattern);
  json_uint(j, "count", c->count);
  json_array(j, "races");
  for (uint32_t i = 0; i < c->nraces; i++)
    put_race(j, s, &c->races[i]);
  json_end_array(j);
  json_end_object(j);
}

void json_races(struct json *j, const struct story *s) {
  const struct races_found *f = &s->result->finding->races;
  json_array(j, "cdrs");
  for (uint32_t i = 0; i < f->len; i++)
    put_cdrs(j, s, &f->at[i]);
  json_end_array(j);
  if (!f->steps) {
    json_null(j, "tree");
    return;
  }
  json_object(j, "tree");
  json_string(j, "steps", f->steps);
  json_bool(j, "sections", f->sections);
  json_string(j, "between", f->between);
  json_uint(j, "states", f->states);
  json_uint(j, "failing", f->failing);
  json_uint(j, "explained", f->explained);
  json_bool(j, "circles", f->circles);
  json_bool(j, "patterns_cut", f->cut);
  json_text(j, "reason", f->reason);
  json_end_object(j);
}
