/* The loop of all samplers: seed, run, judge, look at budgets. */
#include "search/sample.h"

#include <assert.h>

static void note(struct sample *s, uint8_t what) {
  struct live_path *l = s->x->live;
  if (l && s->taken.len < LIVE_PATH_MAX) {
    l->at[s->taken.len] = what;
    l->len = s->taken.len + 1;
  }
  vec_push(&s->taken, what);
}

int sample_took(struct sample *s, uint32_t enabled, int current, int thread) {
  assert(enabled >> thread & 1);
  s->picks++;
  if (thread != current && enabled >> current & 1 && !rt_is_buffer(thread))
    s->preempted++;
  assert(!s->x->bound_preemptions ||
         s->preempted <= s->x->preemptions); /* S2 */
  note(s, (uint8_t)thread);
  return thread;
}

int sample_choose(void *sample, int n) {
  struct sample *s = sample;
  assert(n > 0);
  int k = (int)sample_below(s, (uint64_t)n);
  note(s, (uint8_t)(PATH_CHOICE | k));
  return k;
}

static void current_path(void *sample, path *out) {
  const struct sample *s = sample;
  for (uint32_t i = 0; i < s->taken.len; i++)
    vec_push(out, s->taken.at[i]);
}

static void begin(struct explore *x, struct sample *s) {
  struct rng seeding = {x->seed ^ s->number * 0xd1342543de82ef95u}; /* S1 */
  s->rng.state = rng_next(&seeding);
  s->picks = s->preempted = 0;
  vec_clear(&s->taken);
}

enum explore_end sample_run(struct explore *x, const struct sampler *how,
                            struct sample *s) {
  struct rt_driver driver = {how->pick, sample_choose, s, .every = true};
  enum explore_end end = EXPLORE_ALL;
  s->x = x;
  if (x->live)
    x->live->only_choices = false;
  uint64_t made = 0;
  for (; !x->max_executions || made < x->max_executions; made++) {
    s->number = x->first_execution + made;
    enum rt_end ended;
    do { /* with all the steps there are */
      begin(x, s);
      how->begin(s);
      live_begin(x->live);
      ended = rt_run(&driver);
    } while (rt_found_shared_stack());
    how->end(s, ended);
    if (!explore_judge(x, ended, current_path, s, &end))
      break;
    /* As many executions as were asked for are all, and no budget. */
    uint64_t asked = x->max_executions;
    x->max_executions = 0;
    bool goes_on = explore_budget(x, made, &end);
    x->max_executions = asked;
    if (!goes_on)
      break;
  }
  vec_free(&s->taken);
  return end;
}
