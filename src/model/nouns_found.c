/* What is found out about a client: its causes, its races, its census. */
#include "model/nouns.h"

#include "base/pack_table.h"

/* ---- causes ---- */

static const struct field code_block_fields[] = {
    TEXT(struct code_block, file),         TEXT(struct code_block, function),
    NUMBER(struct code_block, first),      NUMBER(struct code_block, last),
    NUMBER(struct code_block, loop_first), NUMBER(struct code_block, loop_last),
    FLAG(struct code_block, whole_loop),
};
const struct noun noun_code_block = {
    NOUN(struct code_block, code_block_fields)};

static bool cause_sound(void *noun) {
  const struct cause *c = noun;
  return cause_is_sound(*c);
}

static const struct field cause_fields[] = {
    MANY(struct cause, blocks, nblocks, noun_code_block),
};
const struct noun noun_cause = {NOUN(struct cause, cause_fields),
                                .sound = cause_sound};

static const struct field tally_fields[] = {
    NUMBER(struct tally, all),
    NUMBER(struct tally, bad),
    NUMBER(struct tally, states),
};
const struct noun noun_tally = {NOUN(struct tally, tally_fields)};

static const struct field smaller_fields[] = {
    INSIDE(struct smaller_cause, cause, noun_cause),
    TEXT(struct smaller_cause, still_bad),
    BELOW(struct smaller_cause, still_fault, FAULT_COUNT),
};
static const struct noun noun_smaller = {
    NOUN(struct smaller_cause, smaller_fields)};

static const struct field ranked_fields[] = {
    INSIDE(struct ranked_cause, cause, noun_cause),
    NUMBER(struct ranked_cause, rank),
    NUMBER(struct ranked_cause, eliminates),
    NUMBER(struct ranked_cause, events),
    NUMBER(struct ranked_cause, lines),
    TEXT(struct ranked_cause, fix),
    FLAG(struct ranked_cause, tried),
    FLAG(struct ranked_cause, enforced),
    FLAG(struct ranked_cause, verified),
    TEXT(struct ranked_cause, verified_in),
    TEXT(struct ranked_cause, carried_fails),
    FLAG(struct ranked_cause, waits),
    TEXT(struct ranked_cause, covered),
    TEXT(struct ranked_cause, still_bad),
    BELOW(struct ranked_cause, still_fault, FAULT_COUNT),
    INSIDE(struct ranked_cause, schedules, noun_tally),
    MANY(struct ranked_cause, smaller, nsmaller, noun_smaller),
    FLAG(struct ranked_cause, smallest),
};
static const struct noun noun_ranked = {
    NOUN(struct ranked_cause, ranked_fields)};

static const struct field by_outcome_fields[] = {
    MANY(struct outcome_causes, results, nresults, noun_value),
    NUMBER(struct outcome_causes, bad),
    MANY(struct outcome_causes, at, len, noun_ranked),
};
static const struct noun noun_by_outcome = {
    NOUN(struct outcome_causes, by_outcome_fields)};

static const struct field single_fields[] = {
    INSIDE(struct trace_cause, cause, noun_cause),
    NUMBER(struct trace_cause, traces),
    NUMBER(struct trace_cause, eliminates),
};
static const struct noun noun_single = {
    NOUN(struct trace_cause, single_fields)};

static const struct field trace_rank_fields[] = {
    NUMBER(struct trace_rank, single),
    NUMBER(struct trace_rank, rank),
};
static const struct noun noun_trace_rank = {
    NOUN(struct trace_rank, trace_rank_fields)};

static const struct field answer_fields[] = {
    NUMBER(struct trace_answer, traces),
    NUMBER(struct trace_answer, outcome),
    MANY(struct trace_answer, results, nresults, noun_value),
    MANY(struct trace_answer, at, len, noun_trace_rank),
};
static const struct noun noun_answer = {
    NOUN(struct trace_answer, answer_fields)};

/* Eliminators of answers are there. */
static bool causes_found_sound(void *noun) {
  const struct causes_found *f = noun;
  for (uint32_t i = 0; i < f->nanswers; i++)
    for (uint32_t k = 0; k < f->answers[i].len; k++)
      if (f->answers[i].at[k].single >= f->nsingle)
        return false;
  return true;
}

static const struct field causes_fields[] = {
    NUMBER(struct causes_found, bad),
    NUMBER(struct causes_found, good),
    NUMBER(struct causes_found, mixed),
    NUMBER(struct causes_found, clients),
    NUMBER(struct causes_found, given),
    NUMBER(struct causes_found, foreign),
    FLAG(struct causes_found, complete),
    FLAG(struct causes_found, cut),
    NUMBER(struct causes_found, events),
    NUMBER(struct causes_found, conflicts),
    NUMBER(struct causes_found, all_events),
    NUMBER(struct causes_found, all_accesses),
    NUMBER(struct causes_found, all_conflicts),
    REAL(struct causes_found, extract_seconds),
    REAL(struct causes_found, eliminate_seconds),
    INSIDE(struct causes_found, schedules, noun_tally),
    MANY(struct causes_found, at, len, noun_ranked),
    MANY(struct causes_found, by_outcome, noutcomes, noun_by_outcome),
    MANY(struct causes_found, single, nsingle, noun_single),
    FLAG(struct causes_found, single_cut),
    MANY(struct causes_found, answers, nanswers, noun_answer),
};
const struct noun noun_causes_found = {NOUN(struct causes_found, causes_fields),
                                       .sound = causes_found_sound};

bool causes_fit(const struct causes_found *f, const struct client *c) {
  for (uint32_t i = 0; i < f->noutcomes; i++)
    if (f->by_outcome[i].nresults != c->ncalls)
      return false;
  for (uint32_t i = 0; i < f->nanswers; i++)
    if (f->answers[i].nresults && f->answers[i].nresults != c->ncalls)
      return false;
  return true;
}

/* ---- kinds ---- */

static const struct field kind_fields[] = {
    BELOW(struct kind_found, kind, KIND_COUNT),
    NUMBER(struct kind_found, marks[0]),
    NUMBER(struct kind_found, marks[1]),
    NUMBER(struct kind_found, marks[2]),
    NUMBER(struct kind_found, marks[3]),
    NUMBER(struct kind_found, marks[4]),
    NUMBER(struct kind_found, marks[5]),
    NUMBER(struct kind_found, marks[6]),
    NUMBER(struct kind_found, marks[7]),
    NUMBER(struct kind_found, bad),
    NUMBER(struct kind_found, good),
    NUMBER(struct kind_found, same),
    NUMBER(struct kind_found, good_with),
    FLAG(struct kind_found, complete),
};

static const struct noun noun_kind = {NOUN(struct kind_found, kind_fields)};

static const struct field kinds_fields[] = {
    MANY(struct kinds_found, at, len, noun_kind),
};
const struct noun noun_kinds_found = {NOUN(struct kinds_found, kinds_fields)};

/* ---- races ---- */

static const struct field step_fields[] = {
    NUMBER(struct step, pc),
    NUMBER(struct step, addr),
    NUMBER(struct step, size),
    NUMBER(struct step, call),
    BELOW(struct step, thread, NOUN_THREADS),
    BELOW(struct step, kind, EV_COUNT),
    NUMBER(struct step, flags),
    NUMBER(struct step, more),
};
static const struct noun noun_step = {NOUN(struct step, step_fields)};

static const struct field rival_fields[] = {
    INSIDE(struct rival, step, noun_step),
    INSIDE(struct rival, about, noun_step),
    BELOW(struct rival, leads, LEADS_BOTH + 1),
    FLAG(struct rival, wins),
};
static const struct noun noun_rival = {NOUN(struct rival, rival_fields)};

static bool race_sound(void *noun) {
  const struct race *r = noun;
  return r->len > 0;
}

static const struct field race_fields[] = {
    BELOW(struct race, kind, RACE_COUNT),
    MANY(struct race, at, len, noun_rival),
};
static const struct noun noun_race = {NOUN(struct race, race_fields),
                                      .sound = race_sound};

static const struct field cdrs_fields[] = {
    NAME(struct cdrs, pattern),
    NUMBER(struct cdrs, count),
    MANY(struct cdrs, races, nraces, noun_race),
};
static const struct noun noun_cdrs = {NOUN(struct cdrs, cdrs_fields)};

static const struct field node_fields[] = {
    BELOW(struct drawn_node, leads, LEADS_BOTH + 1),
    BELOW(struct drawn_node, kind, RACE_COUNT),
    FLAG(struct drawn_node, critical),
    FLAG(struct drawn_node, on_way),
    FLAG(struct drawn_node, end),
};
static const struct noun noun_node = {NOUN(struct drawn_node, node_fields)};

static const struct field edge_fields[] = {
    NUMBER(struct drawn_edge, from),
    NUMBER(struct drawn_edge, to),
    INSIDE(struct drawn_edge, step, noun_step),
    NUMBER(struct drawn_edge, more),
    FLAG(struct drawn_edge, on_way),
};
static const struct noun noun_edge = {NOUN(struct drawn_edge, edge_fields)};

static const struct field races_fields[] = {
    MANY(struct races_found, at, len, noun_cdrs),
    NUMBER(struct races_found, shown),
    FLAG(struct races_found, cut),
    NUMBER(struct races_found, failing),
    NUMBER(struct races_found, explained),
    NUMBER(struct races_found, states),
    FLAG(struct races_found, circles),
    FLAG(struct races_found, sections),
    TEXT(struct races_found, between),
    TEXT(struct races_found, steps),
    TEXT(struct races_found, reason),
    NUMBER(struct races_found, base),
    MANY(struct races_found, drawing.nodes, drawing.nnodes, noun_node),
    MANY(struct races_found, drawing.edges, drawing.nedges, noun_edge),
    FLAG(struct races_found, drawing.condensed),
};

static bool races_sound(void *noun) {
  const struct races_found *f = noun;
  const struct drawing *d = &f->drawing;
  for (uint32_t i = 0; i < d->nedges; i++)
    if (d->edges[i].from >= d->nnodes || d->edges[i].to >= d->nnodes)
      return false;
  return (f->shown < f->len || !f->shown) &&
         (!f->len || (f->between && f->steps));
}

const struct noun noun_races_found = {NOUN(struct races_found, races_fields),
                                      .sound = races_sound};

static bool step_fits(const struct step *s, const struct client *c) {
  return s->call == EVENT_NO_CALL || s->call < c->ncalls;
}

static bool race_fits(const struct race *r, const struct client *c) {
  for (uint32_t i = 0; i < r->len; i++)
    if (!step_fits(&r->at[i].step, c) || !step_fits(&r->at[i].about, c))
      return false;
  return true;
}

bool races_fit(const struct races_found *f, const struct client *c) {
  for (uint32_t i = 0; i < f->len; i++)
    for (uint32_t k = 0; k < f->at[i].nraces; k++)
      if (!race_fits(&f->at[i].races[k], c))
        return false;
  for (uint32_t i = 0; i < f->drawing.nedges; i++)
    if (!step_fits(&f->drawing.edges[i].step, c))
      return false;
  return true;
}

/* ---- outcomes ---- */

static const struct field outcome_fields[] = {
    LIST(struct outcome, results, noun_value),
    NUMBER(struct outcome, executions),
    FLAG(struct outcome, allowed),
};
const struct noun noun_outcome = {NOUN(struct outcome, outcome_fields)};

static const struct field line_fields[] = {
    NAME(struct switch_line, file),
    NUMBER(struct switch_line, line),
    NUMBER(struct switch_line, good),
    NUMBER(struct switch_line, bad),
};
static const struct noun noun_line = {NOUN(struct switch_line, line_fields)};

static const struct field census_fields[] = {
    FLAG(struct census, counted),
    NUMBER(struct census, good),
    NUMBER(struct census, bad),
    MANY(struct census, lines, nlines, noun_line),
    LIST(struct census, outcomes, noun_outcome),
    NUMBER(struct census, faults),
    FLAG(struct census, all_outcomes),
};
const struct noun noun_census = {NOUN(struct census, census_fields)};

bool outcomes_fit(const outcome_list *o, const struct client *c) {
  for (uint32_t i = 0; i < o->len; i++)
    if (o->at[i].results.len != c->ncalls)
      return false;
  return true;
}

bool census_fits(const struct census *s, const struct client *c) {
  return outcomes_fit(&s->outcomes, c);
}
