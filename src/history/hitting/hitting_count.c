/*
 * Counts schedules and witnesses without making them: by prefixes, and the
 * states that a schedule has led to.  Of those that are no witnesses any more
 * only the prefix matters.  tests/agree/depth_brute.c
 */
#include "history/hitting/hitting.h"
#include "history/hitting/hitting_prefix.h"
#include "history/hitting/hitting_sets.h"

struct schedule_group { /* the schedules that lead to the same */
  struct depth_prefix at;
  uint32_t states; /* NO_OUTCOMES: they are no witnesses */
  uint64_t n;
};

struct schedule_count {
  struct depth_ops ops;
  struct hitting_outcomes outcomes;
  struct meter meter;
  VEC(struct schedule_group) groups, next;
  struct map128 found; /* groups of `next` */
};

static uint64_t plus(uint64_t a, uint64_t b) {
  return a + b < a ? UINT64_MAX : a + b;
}

static uint32_t states_with(struct schedule_count *c,
                            const struct schedule_group *g, uint32_t op) {
  uint64_t hint = c->ops.hint[op];
  if (g->states == NO_OUTCOMES || (hint != LOG_NO_HINT && hint < g->at.hint))
    return NO_OUTCOMES;
  return states_after(&c->outcomes, g->states, c->ops.op[op]);
}

static void extend_group(struct schedule_count *c,
                         const struct schedule_group *g, uint32_t op) {
  bool fresh;
  struct schedule_group to = {.at = prefix_with(&c->ops, g->at, op),
                              .states = states_with(c, g, op)};
  uint64_t key[] = {to.at.open, to.at.layer, to.states};
  uint32_t *index = map128_put(&c->found, hash128(key, sizeof key, 0), &fresh);
  if (fresh) {
    *index = c->next.len;
    vec_push(&c->next, to);
  }
  c->next.at[*index].n = plus(c->next.at[*index].n, g->n);
  c->meter.steps++;
}

/* Adds one operation to all schedules.  False: the budget has ended. */
static bool extend_all(struct schedule_count *c) {
  map128_clear(&c->found);
  vec_clear(&c->next);
  for (uint32_t i = 0; i < c->groups.len; i++) {
    struct schedule_group g = c->groups.at[i];
    uint32_t op, at = prefix_start(&c->ops, &g.at);
    while ((op = prefix_next(&c->ops, &g.at, &at)) != NO_OP)
      extend_group(c, &g, op);
    uint64_t bytes =
        outcomes_bytes(&c->outcomes) + map128_bytes_soon(&c->found);
    if (meter_is_due(&c->meter) &&
        !meter_look(&c->meter, c->outcomes.p->type, bytes))
      return false;
  }
  vec_clear(&c->groups);
  for (uint32_t i = 0; i < c->next.len; i++)
    vec_push(&c->groups, c->next.at[i]);
  return true;
}

bool hitting_count(const struct log_problem *p, const struct log_budget *b,
                   struct hitting_counts *out) {
  struct schedule_count c = {.meter.budget = b};
  c.outcomes.p = p;
  c.outcomes.meter = &c.meter;
  *out = (struct hitting_counts){0};
  bool ok = ops_open(&c.ops, p, 0);
  struct schedule_group start = {.states = states_initial(&c.outcomes), .n = 1};
  vec_push(&c.groups, start);
  for (uint32_t i = 0; i < c.ops.n && ok; i++)
    ok = extend_all(&c);
  for (uint32_t i = 0; i < c.groups.len && ok; i++) {
    const struct schedule_group *g = &c.groups.at[i];
    out->schedules = plus(out->schedules, g->n);
    if (g->states != NO_OUTCOMES)
      out->witnesses = plus(out->witnesses, g->n);
  }
  ops_close(&c.ops);
  outcomes_free(&c.outcomes);
  vec_free(&c.groups);
  vec_free(&c.next);
  map128_free(&c.found);
  return ok && !p->type->cut;
}
