#include "hunt/answer.h"

#include "base/pack_table.h"

/* ---- of a hunt ---- */

static const struct field report_fields[] = {
    LIST(struct hunt_report, outcomes, noun_outcome),
    NUMBER(struct hunt_report, faults),
    FLAG(struct hunt_report, diverged),
    INSIDE(struct hunt_report, client, noun_client),
    NUMBER(struct hunt_report, sequences),
    FLAG(struct hunt_report, still),
    NUMBER(struct hunt_report, minimizing),
    FLAG(struct hunt_report, late),
};
const struct noun noun_hunt_report = {NOUN(struct hunt_report, report_fields)};

static const struct field answer_fields[] = {
    INSIDE(struct hunt_answer, result, noun_result),
    INSIDE(struct hunt_answer, report, noun_hunt_report),
};

static bool answer_sound(void *noun) {
  const struct hunt_answer *a = noun;
  return client_fits(&a->report.client, &a->result.names) &&
         outcomes_fit(&a->report.outcomes, &a->report.client);
}

const struct noun noun_hunt_answer = {NOUN(struct hunt_answer, answer_fields),
                                      .sound = answer_sound};

/* ---- what an object offers ---- */

static const struct field op_fields[] = {
    NAME(struct op_info, name),
    TEXT(struct op_info, file),
    NUMBER(struct op_info, line),
    NUMBER(struct op_info, entry),
    NUMBER(struct op_info, code),
    NUMBER(struct op_info, nargs),
    NUMBER(struct op_info, nparams),
    NUMBER(struct op_info, pointers),
    NUMBER(struct op_info, texts),
    BELOW(struct op_info, type, FL_TYPE_OTHER + 1),
    BELOW(struct op_info, returns, FL_TYPE_OTHER + 1),
    NUMBER(struct op_info, returned),
    NUMBER(struct op_info, values),
    FLAG(struct op_info, takes_object),
    TEXT(struct op_info, reference),
    NUMBER(struct op_info, reference_entry),
    NUMBER(struct op_info, reference_params),
    FLAG(struct op_info, reference_state),
    FLAG(struct op_info, reference_result),
};
static const struct noun noun_op = {NOUN(struct op_info, op_fields)};

static const struct field suite_fields[] = {
    TEXT(struct suite_info, name),
    TEXT(struct suite_info, file),
    NUMBER(struct suite_info, line),
    MANY(struct suite_info, ops, nops, noun_op),
    MANY(struct suite_info, texts, ntexts, noun_name),
    FLAG(struct suite_info, is_judged),
    NUMBER(struct suite_info, expect_fault),
    NUMBER(struct suite_info, spec_line),
    TEXT(struct suite_info, spec),
    NUMBER(struct suite_info, memory_model),
    NUMBER(struct suite_info, criterion),
    NUMBER(struct suite_info, progress),
    TEXT(struct suite_info, accepts),
    TEXT(struct suite_info, trouble),
};

/* A suite with `trouble` is only reported, never run: the rest may be junk. */
static bool suite_sound(void *noun) {
  const struct suite_info *s = noun;
  if (s->trouble)
    return true;
  for (uint32_t i = 0; i < s->nops; i++)
    if (s->ops[i].nargs > CLIENT_MAX_ARGS || !s->ops[i].file)
      return false;
  return s->name && s->file && s->nops &&
         s->memory_model <= FL_MEMORY_MODEL_c11 &&
         s->criterion <= FL_CRITERION_happens_before;
}

static const struct noun noun_suite = {NOUN(struct suite_info, suite_fields),
                                       .sound = suite_sound};

static const struct field client_info_fields[] = {
    NAME(struct client_info, schedule),
    NAME(struct client_info, file),
    NUMBER(struct client_info, line),
    FLAG(struct client_info, expect_fault),
};
static const struct noun noun_client_info = {
    NOUN(struct client_info, client_info_fields)};

static const struct field description_fields[] = {
    MANY(struct description, suites, nsuites, noun_suite),
    MANY(struct description, clients, nclients, noun_client_info),
    FLAG(struct description, has_main),
};
const struct noun noun_description = {
    NOUN(struct description, description_fields)};
