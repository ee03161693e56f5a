/*
 * Random executions.  Execution k of seed s depends on s and k only, so any of
 * them can be made again.
 */
#include "base/rng.h"
#include "search/explore.h"

struct walk {
  struct rng rng;
  path taken;
  struct live_path *live;
};

static void took(struct walk *w, uint8_t what) {
  if (w->live && w->taken.len < LIVE_PATH_MAX) {
    w->live->at[w->taken.len] = what;
    w->live->len = w->taken.len + 1;
  }
  vec_push(&w->taken, what);
}

static int pick(void *ctx, uint32_t enabled, int current) {
  (void)current;
  struct walk *w = ctx;
  uint32_t k = (uint32_t)rng_below(&w->rng, (uint64_t)__builtin_popcount(enabled));
  while (k--)
    enabled &= enabled - 1;
  int t = __builtin_ctz(enabled);
  took(w, (uint8_t)t);
  return t;
}

static int choose(void *ctx, int n) {
  struct walk *w = ctx;
  int k = (int)rng_below(&w->rng, (uint64_t)n);
  took(w, (uint8_t)(PATH_CHOICE | k));
  return k;
}

enum explore_end explore_random(struct explore *x) {
  struct walk w = {.live = x->live};
  if (x->live)
    x->live->only_choices = false;
  struct rt_driver driver = {pick, choose, &w, .every = true};
  enum explore_end end = EXPLORE_ALL;
  for (uint64_t k = 0; k < x->max_executions; k++) {
    struct rng seeding = {x->seed ^ k * 0xd1342543de82ef95u};
    w.rng.state = rng_next(&seeding);
    vec_clear(&w.taken);
    enum rt_end how = rt_run(&driver);
    x->steps += rt_steps();
    if (how == RT_CUT)
      x->cut++;
    else
      x->executions++;
    enum judgement j = x->judge.ended(x->judge.ctx, how);
    if (j == JUDGE_STOP) {
      end = EXPLORE_STOPPED;
      break;
    }
    if (j == JUDGE_BAD) {
      x->bad_count++;
      uint32_t switches = path_switches(w.taken.at, w.taken.len);
      if (x->bad_count == 1 || switches < x->bad_switches) {
        vec_clear(&x->bad);
        for (uint32_t i = 0; i < w.taken.len; i++)
          vec_push(&x->bad, w.taken.at[i]);
        x->bad_switches = switches;
      }
      if (!x->all) {
        end = EXPLORE_BAD;
        break;
      }
    }
    if (k % 64 == 0) {
      if (x->heartbeat)
        ++*x->heartbeat;
      if (x->deadline && explore_now() > x->deadline) {
        end = EXPLORE_TIME;
        break;
      }
    }
  }
  vec_free(&w.taken);
  return end;
}
