/*
 * A look ahead: runs a sequence of steps and one more, to see how that turns
 * out.  No record tells how a step turns out that reads another value than it
 * did (whether its call returns, which choices it has): it depends on the code.
 *     T1: x = 1   T2: if (x) lock(m)     without x = 1, T2's next step differs
 */
#include "search/dpor_int.h"

void dpor_plan_step(struct dpor *d, const struct step_access *a) {
  vec_push(&d->look.plan, a->thread);
  for (uint8_t i = 0; i < a->nanswers; i++)
    vec_push(&d->look.plan, (uint8_t)(PATH_CHOICE | a->answer[i]));
}

/* The last state that was kept at or before this level, or NULL. */
static const struct dpor_kept *kept_before(const struct dpor *d,
                                           uint32_t level) {
  for (uint32_t i = d->nkept; i--;)
    if (d->kept.at[i].level <= level)
      return &d->kept.at[i];
  return NULL;
}

void dpor_plan(struct dpor *d, uint32_t level) {
  d->look.from = kept_before(d, level);
  vec_clear(&d->look.plan);
  for (uint32_t k = d->look.from ? d->look.from->level : 0; k < level; k++)
    dpor_plan_step(d, &d->events.at[k].a);
}

static int look_pick(void *ctx, uint32_t enabled, int current) {
  struct dpor *d = ctx;
  (void)current;
  const path *plan = &d->look.plan;
  if (d->look.at_last || d->look.impossible)
    return RT_STOP;
  d->look.at_last = d->look.step == plan->len;
  if (d->look.at_last && d->look.peeks) {
    d->look.enabled = enabled;
    return RT_STOP;
  }
  uint8_t t = d->look.at_last ? d->look.last.thread : plan->at[d->look.step++];
  if (!(enabled >> t & 1)) {
    d->look.impossible = true;
    return RT_STOP;
  }
  dpor_note_live(d, t);
  return t;
}

static uint8_t answer_last(struct dpor *d, int n) {
  struct step_access *a = &d->look.last;
  uint32_t i = d->look.asked++;
  if (i >= MOST_ANSWERS)
    return 0;
  if (i >= a->nanswers)
    a->answer[i] = 0;
  a->of[i] = (uint8_t)n;
  return a->answer[i];
}

static uint8_t answer_planned(struct dpor *d) {
  const path *plan = &d->look.plan;
  uint32_t i = d->look.step;
  if (i == plan->len || !(plan->at[i] & PATH_CHOICE)) {
    d->look.impossible = true; /* nothing was asked where it was recorded */
    return 0;
  }
  d->look.step++;
  return plan->at[i] & (uint8_t)~PATH_CHOICE;
}

static int look_choose(void *ctx, int n) {
  struct dpor *d = ctx;
  uint8_t answer = d->look.at_last ? answer_last(d, n) : answer_planned(d);
  if (answer >= n) {
    d->look.impossible = true;
    answer = 0;
  }
  dpor_note_live(d, (uint8_t)(PATH_CHOICE | answer));
  return answer;
}

static enum rt_end run_plan(struct dpor *d) {
  struct rt_driver driver = {look_pick, look_choose, d, .every = true};
  d->look.step = d->look.log.len = d->look.asked = 0;
  d->look.impossible = d->look.at_last = false;
  if (d->x->live)
    dpor_begin_live(d, d->look.from ? d->look.from->level : 0);
  rt_log(&d->look.log);
  enum rt_end how =
      d->look.from ? rt_run_on(&d->look.from->state, &driver) : rt_run(&driver);
  rt_log(NULL);
  d->learnt |= rt_found_shared_stack();
  return how;
}

enum rt_end dpor_run_plan(struct dpor *d, uint32_t *enabled) {
  d->look.peeks = true;
  d->look.enabled = 0;
  enum rt_end how = run_plan(d);
  *enabled = d->look.enabled;
  return how;
}

bool dpor_look(struct dpor *d, struct step_access *last) {
  d->look.looked = true;
  d->look.peeks = false;
  d->look.last = *last;
  run_plan(d);
  if (d->look.impossible || !d->look.at_last || d->look.asked < last->nanswers)
    return false;
  uint32_t k = d->look.log.len;
  do
    k--;
  while (d->look.log.at[k].flags & RT_LINK);
  *last = access_of(&d->look.log.at[k]);
  d->too_many |= d->look.asked > MOST_ANSWERS;
  last->nanswers =
      (uint8_t)(d->look.asked < MOST_ANSWERS ? d->look.asked : MOST_ANSWERS);
  memcpy(last->answer, d->look.last.answer, sizeof last->answer);
  memcpy(last->of, d->look.last.of, sizeof last->of);
  dpor_learn(d, last);
  return true;
}
