/* The lines that must be atomic, fences, and the nearest passing schedule, as
 * JSON. */
#include "report/json_int.h"

void json_loop(struct json *j, const struct code_block *b) {
  if (!b->loop_first)
    return;
  json_object(j, "loop");
  json_uint(j, "first", b->loop_first);
  json_uint(j, "last", b->loop_last);
  json_end_object(j);
}

static void put_blocks(struct json *j, const struct cause *c) {
  json_array(j, "blocks");
  for (uint32_t k = 0; k < c->nblocks; k++) {
    const struct code_block *b = &c->blocks[k];
    json_object(j, NULL);
    json_text(j, "file", b->file);
    json_text(j, "function", b->function);
    json_uint(j, "first", b->first);
    json_uint(j, "last", b->last);
    json_loop(j, b);
    json_end_object(j);
  }
  json_end_array(j);
}

/* null when they were not counted */
static void put_tally(struct json *j, const struct tally *t) {
  if (!t->all) {
    json_null(j, "schedules");
    return;
  }
  json_object(j, "schedules");
  json_uint(j, "all", t->all);
  json_uint(j, "failing", t->bad);
  json_uint(j, "states", t->states);
  json_end_object(j);
}

static void put_fault(struct json *j, const char *client, enum fault fault) {
  json_text(j, "still_fails", client);
  json_text(j, "still_fault", client ? fault_id[fault] : NULL);
}

static void put_smaller(struct json *j, const struct ranked_cause *r) {
  json_array(j, "smaller");
  for (uint32_t i = 0; i < r->nsmaller; i++) {
    json_object(j, NULL);
    put_fault(j, r->smaller[i].still_bad, r->smaller[i].still_fault);
    put_blocks(j, &r->smaller[i].cause);
    json_end_object(j);
  }
  json_end_array(j);
}

static void put_cause(struct json *j, const struct ranked_cause *r) {
  json_object(j, NULL);
  json_uint(j, "rank", r->rank);
  json_uint(j, "eliminates", r->eliminates);
  json_bool(j, "tried", r->tried);
  json_bool(j, "enforced", r->enforced);
  json_bool(j, "verified", r->verified);
  json_text(j, "verified_in", r->verified_in);
  json_text(j, "lock_fails", r->carried_fails);
  json_bool(j, "waits", r->waits);
  json_text(j, "suggestion", r->fix);
  json_text(j, "covered", r->covered);
  put_fault(j, r->still_bad, r->still_fault);
  put_tally(j, &r->schedules);
  put_blocks(j, &r->cause);
  put_smaller(j, r);
  json_bool(j, "smallest", r->smallest);
  json_end_object(j);
}

/* The causes of each outcome by itself; none of them was tried. */
static void put_outcomes(struct json *j, const struct causes_found *c) {
  json_array(j, "failing_outcomes");
  for (uint32_t i = 0; i < c->noutcomes; i++) {
    const struct outcome_causes *o = &c->by_outcome[i];
    json_object(j, NULL);
    json_array(j, "results");
    for (uint32_t k = 0; k < o->nresults; k++)
      json_value(j, NULL, o->results[k]);
    json_end_array(j);
    json_uint(j, "failing", o->bad);
    json_array(j, "causes");
    for (uint32_t k = 0; k < o->len; k++) {
      json_object(j, NULL);
      json_uint(j, "rank", o->at[k].rank);
      json_uint(j, "eliminates", o->at[k].eliminates);
      put_blocks(j, &o->at[k].cause);
      json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
  }
  json_end_array(j);
}

/* What forbids single failing orders. */
static void put_eliminators(struct json *j, const struct causes_found *c) {
  json_array(j, "eliminators");
  for (uint32_t i = 0; i < c->nsingle; i++) {
    json_object(j, NULL);
    json_uint(j, "traces", c->single[i].traces);
    json_uint(j, "eliminates", c->single[i].eliminates);
    put_blocks(j, &c->single[i].cause);
    json_end_object(j);
  }
  json_end_array(j);
  json_bool(j, "eliminators_complete", !c->single_cut);
}

static void put_results(struct json *j, const struct trace_answer *t) {
  if (!t->nresults) {
    json_null(j, "results");
    return;
  }
  json_array(j, "results");
  for (uint32_t i = 0; i < t->nresults; i++)
    json_value(j, NULL, t->results[i]);
  json_end_array(j);
}

void json_answers(struct json *j, const struct causes_found *c) {
  json_array(j, "answers");
  for (uint32_t i = 0; i < c->nanswers; i++) {
    const struct trace_answer *t = &c->answers[i];
    json_object(j, NULL);
    json_uint(j, "traces", t->traces);
    put_results(j, t);
    json_array(j, "eliminators");
    for (uint32_t k = 0; k < t->len; k++) {
      json_object(j, NULL);
      json_uint(j, "rank", t->at[k].rank);
      json_uint(j, "eliminator", t->at[k].single);
      json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
  }
  json_end_array(j);
}

/* Of an average trace, as the columns of the root-causing paper's Table 1. */
static void put_average(struct json *j, const struct causes_found *c) {
  uint64_t all = c->bad + c->good - c->given;
  double n = all ? (double)all : 1;
  json_object(j, "average");
  json_double(j, "events", (double)c->all_events / n);
  json_double(j, "accesses", (double)c->all_accesses / n);
  json_double(j, "conflicts", (double)c->all_conflicts / n);
  json_end_object(j);
}

/* Clock time. */
static void put_seconds(struct json *j, const struct causes_found *c) {
  json_object(j, "seconds");
  json_double(j, "extraction", c->extract_seconds);
  json_double(j, "elimination", c->eliminate_seconds);
  json_end_object(j);
}

void json_causes(struct json *j, const struct story *s) {
  const struct causes_found *c = &s->result->finding->causes;
  json_array(j, "causes");
  for (uint32_t i = 0; i < c->len; i++)
    put_cause(j, &c->at[i]);
  json_end_array(j);
  if (!c->len)
    return;
  json_text(j, "composition", s->composition);
  json_object(j, "traces");
  json_uint(j, "failing", c->bad);
  json_uint(j, "good", c->good);
  json_uint(j, "mixed", c->mixed);
  json_uint(j, "given", c->given);
  json_uint(j, "foreign", c->foreign);
  json_bool(j, "complete", c->complete);
  json_uint(j, "events", c->events);
  json_uint(j, "conflicts", c->conflicts);
  put_average(j, c);
  put_seconds(j, c);
  json_bool(j, "causes_complete", !c->cut);
  put_tally(j, &c->schedules);
  json_end_object(j);
  put_outcomes(j, c);
  put_eliminators(j, c);
  json_answers(j, c);
}

/* Of the two repairs: which comes first, and how many correct schedules of the
 * client each forbids. */
static void put_fence_price(struct json *j, const struct fences_found *f,
                            const struct causes_found *causes) {
  const struct ranked_cause *c = f->dearer ? &causes->at[0] : f->instead;
  if (!f->left.all)
    return;
  json_object(j, "fence_price");
  put_tally(j, &f->schedules);
  json_uint(j, "forbids", tally_lost(&f->schedules, &f->left));
  json_bool(j, "first", !f->dearer);
  if (c) {
    json_object(j, "instead");
    json_uint(j, "forbids", tally_lost(&f->schedules, &c->schedules));
    put_blocks(j, &c->cause);
    json_end_object(j);
  }
  json_end_object(j);
}

void json_fences(struct json *j, const struct story *s) {
  const struct fences_found *f = &s->result->finding->fences;
  json_array(j, "fences");
  for (uint32_t i = 0; i < f->len; i++) {
    json_object(j, NULL);
    json_text(j, "file", f->at[i].file);
    json_string(j, "function", f->at[i].function);
    if (f->at[i].store_line)
      json_uint(j, "after_line", f->at[i].store_line);
    if (f->at[i].load_line)
      json_uint(j, "before_line", f->at[i].load_line);
    else
      json_bool(j, "at_return", true);
    json_bool(j, "verified", f->verified);
    json_text(j, "covered", f->covered);
    json_end_object(j);
  }
  json_end_array(j);
  put_fence_price(j, f, &s->result->finding->causes);
}

void json_nearest(struct json *j, const struct story *s) {
  const struct finding *f = s->result->finding;
  const struct neighbour *n = &f->near;
  if (!n->found || !s->nearest) {
    json_null(j, "nearest");
    return;
  }
  json_object(j, "nearest");
  json_string(j, "sentence", s->nearest);
  json_uint(j, "event", n->event);
  json_uint(j, "thread", n->passing);
  json_uint(j, "instead_of", n->failing);
  json_place(j, s->nearest_place);
  json_array(j, "results");
  for (uint32_t i = 0; i < f->client.ncalls; i++)
    json_value(j, NULL, n->results[i]);
  json_end_array(j);
  if (s->passing)
    json_rows(j, s->passing);
  json_end_object(j);
}
