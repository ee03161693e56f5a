#include "search/sample.h"

static void note(struct sample *s, uint8_t what) {
  struct live_path *l = s->x->live;
  if (l && s->taken.len < LIVE_PATH_MAX) {
    l->at[s->taken.len] = what;
    l->len = s->taken.len + 1;
  }
  vec_push(&s->taken, what);
}

int sample_took(struct sample *s, uint32_t enabled, int current, int thread) {
  s->picks++;
  if (thread != current && enabled >> current & 1)
    s->preempted++;
  note(s, (uint8_t)thread);
  return thread;
}

int sample_choose(void *sample, int n) {
  struct sample *s = sample;
  int k = (int)rng_below(&s->rng, (uint64_t)n);
  note(s, (uint8_t)(PATH_CHOICE | k));
  return k;
}

static void keep_bad(struct explore *x, const path *p) {
  uint32_t switches = path_switches(p->at, p->len);
  x->bad_count++;
  if (x->bad_count > 1 && switches >= x->bad_switches)
    return;
  vec_clear(&x->bad);
  for (uint32_t i = 0; i < p->len; i++)
    vec_push(&x->bad, p->at[i]);
  x->bad_switches = switches;
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
  for (s->number = 0; !x->max_executions || s->number < x->max_executions;
       s->number++) {
    begin(x, s);
    how->begin(s);
    enum rt_end ended = rt_run(&driver);
    how->end(s, ended);
    x->steps += rt_steps();
    *(ended == RT_CUT ? &x->cut : &x->executions) += 1;
    enum judgement j = x->judge.ended(x->judge.ctx, ended);
    if (j == JUDGE_STOP) {
      end = EXPLORE_STOPPED;
      break;
    }
    if (j == JUDGE_BAD) {
      keep_bad(x, &s->taken);
      if (!x->all) {
        end = EXPLORE_BAD;
        break;
      }
    }
    if (s->number % 64 == 0) {
      if (x->heartbeat)
        ++*x->heartbeat;
      if (x->deadline && explore_now() > x->deadline) {
        end = EXPLORE_TIME;
        break;
      }
    }
  }
  vec_free(&s->taken);
  return end;
}
