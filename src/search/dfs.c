/*
 * All interleavings of a client, in lexicographic order of choices, each run
 * from the prepared state.  Stateless and without any reduction: what the
 * other strategies are compared with.
 *
 * The first choice at a new point is to stay with the current thread, so that
 * the first bad execution found has few switches.
 */
#include "search/explore.h"

#include <string.h>
#include <time.h>

struct choice {
  uint32_t left; /* alternatives not tried yet, as a mask */
  uint8_t taken;
  uint8_t is_data;
};

struct dfs {
  VEC(struct choice) stack;
  uint32_t depth;
  struct explore *x;
};

double explore_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note_live(struct dfs *d, uint8_t what) {
  struct live_path *l = d->x->live;
  if (l && d->depth < LIVE_PATH_MAX) {
    l->at[d->depth] = what;
    l->len = d->depth + 1;
  }
}

static inline int decide(struct dfs *d, uint32_t mask, int first,
                         uint8_t is_data) {
  if (d->depth == d->stack.len) {
    struct choice c = {mask & ~(1u << first), (uint8_t)first, is_data};
    vec_push(&d->stack, c);
  }
  int taken = d->stack.at[d->depth].taken;
  note_live(d, (uint8_t)(is_data ? PATH_CHOICE | taken : taken));
  d->depth++;
  return taken;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  int first = enabled >> current & 1 ? current : __builtin_ctz(enabled);
  return decide(ctx, enabled, first, 0);
}

static int choose(void *ctx, int n) {
  return decide(ctx, n >= 32 ? ~0u : (1u << n) - 1, 0, 1);
}

/* To the next untried alternative; false: there is none. */
static bool backtrack(struct dfs *d) {
  while (d->stack.len) {
    struct choice *c = &vec_last(&d->stack);
    if (c->left) {
      c->taken = (uint8_t)__builtin_ctz(c->left);
      c->left &= c->left - 1;
      return true;
    }
    d->stack.len--;
  }
  return false;
}

/* A pick is recorded only where there was a choice: run it again to know every
 * step. */
struct rerun {
  struct dfs *d;
  uint32_t at;
  path *full;
};

static int rerun_pick(void *ctx, uint32_t enabled, int current) {
  struct rerun *r = ctx;
  (void)current;
  int t = enabled & (enabled - 1) ? r->d->stack.at[r->at++].taken
                                  : __builtin_ctz(enabled);
  vec_push(r->full, (uint8_t)t);
  return t;
}

static int rerun_choose(void *ctx, int n) {
  struct rerun *r = ctx;
  (void)n;
  uint8_t k = r->d->stack.at[r->at++].taken;
  vec_push(r->full, (uint8_t)(PATH_CHOICE | k));
  return k;
}

static void keep_bad(struct dfs *d) {
  path full = {0};
  struct rerun r = {d, 0, &full};
  struct rt_driver driver = {rerun_pick, rerun_choose, &r, .every = true};
  rt_run(&driver);
  uint32_t switches = path_switches(full.at, full.len);
  if (d->x->bad_count == 1 || switches < d->x->bad_switches) {
    vec_free(&d->x->bad);
    d->x->bad = full;
    d->x->bad_switches = switches;
  } else {
    vec_free(&full);
  }
}

enum explore_end explore_dfs(struct explore *x) {
  struct dfs d = {.x = x};
  struct rt_driver driver = {pick, choose, &d, .every = false};
  enum explore_end end = EXPLORE_ALL;
  if (x->live)
    x->live->only_choices = true;
  bool again;
  do {
    again = false;
    d.depth = 0;
    enum rt_end how = rt_run(&driver);
    x->steps += rt_steps();
    if (rt_found_shared_stack()) { /* more steps than we knew of: once more */
      vec_clear(&d.stack);
      x->executions = x->cut = x->bad_count = 0;
      vec_clear(&x->bad);
      again = true;
      continue;
    }
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
      keep_bad(&d);
      if (!x->all) {
        end = EXPLORE_BAD;
        break;
      }
    }
    uint64_t ran = x->executions + x->cut;
    if (x->max_executions && ran >= x->max_executions) {
      end = EXPLORE_EXECUTIONS;
      break;
    }
    if (ran % 256 == 0) {
      if (x->heartbeat)
        ++*x->heartbeat;
      if (x->deadline && explore_now() > x->deadline) {
        end = EXPLORE_TIME;
        break;
      }
    }
  } while (again || backtrack(&d));
  vec_free(&d.stack);
  return end;
}
