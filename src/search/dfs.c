/*
 * All interleavings of a client, in lexicographic order of choices, without any
 * reduction: what the other strategies are compared with.  Each is run from the
 * prepared state, or from one state kept on the way there.
 *
 * The first choice at a new point is to stay with the current thread, so that
 * the first bad execution found has few switches.
 */
#include "search/explore.h"

#include <string.h>

struct choice {
  uint32_t left; /* alternatives not tried yet, as a mask */
  uint8_t taken;
  uint8_t is_data;
};

struct dfs {
  VEC(struct choice) stack;
  uint32_t depth;
  struct explore *x;
  /* A state on the way, so that its beginning is not run again each time:
   * the one before choice number `kept_at`. */
  struct snapshot kept;
  uint32_t kept_at; /* NOTHING: none is kept */
  uint32_t keep_at; /* to be taken in this execution; NOTHING: none */
};

#define NOTHING UINT32_MAX
enum { NEAR_END = 8 }; /* choices behind the kept state, when it is taken */

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
  struct dfs *d = ctx;
  if (d->depth == d->keep_at) {
    rt_save(&d->kept);
    d->kept_at = d->depth;
    d->keep_at = NOTHING;
  }
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

/* The next execution, from the kept state if its choices are still those. */
static enum rt_end run(struct dfs *d, const struct rt_driver *driver) {
  uint32_t fixed = d->stack.len ? d->stack.len - 1 : 0; /* choices that stay */
  if (d->kept_at != NOTHING && d->kept_at <= fixed) {
    d->depth = d->kept_at;
    d->keep_at = NOTHING;
    return rt_run_on(&d->kept, driver);
  }
  d->kept_at = NOTHING;
  d->keep_at = fixed > NEAR_END ? fixed - NEAR_END : NOTHING;
  d->depth = 0;
  return rt_run(driver);
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

static void current_path(void *ctx, path *out) {
  struct rerun r = {ctx, 0, out};
  struct rt_driver driver = {rerun_pick, rerun_choose, &r, .every = true};
  rt_run(&driver);
}

enum explore_end explore_dfs(struct explore *x) {
  struct dfs d = {.x = x, .kept_at = NOTHING, .keep_at = NOTHING};
  struct rt_driver driver = {pick, choose, &d, .every = false};
  enum explore_end end = EXPLORE_ALL;
  if (x->live)
    x->live->only_choices = true;
  bool again;
  do {
    enum rt_end how = run(&d, &driver);
    again = rt_found_shared_stack();
    if (again) { /* more steps than we knew of: once more */
      vec_clear(&d.stack);
      d.kept_at = NOTHING;
      explore_again(x);
    } else if (!explore_judge(x, how, current_path, &d, &end) ||
               !explore_budget(x, x->executions, &end)) {
      break;
    }
  } while (again || backtrack(&d));
  vec_free(&d.stack);
  snapshot_free(&d.kept);
  return end;
}
