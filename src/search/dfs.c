/*
 * All interleavings of a client, in lexicographic order of choices, without any
 * reduction: the definition that the other strategies are compared with.  Each
 * execution is run from the prepared state, or from one state kept on the way.
 *
 * The first choice at a new point is to stay with the current thread, so that
 * the first bad execution found has few switches.
 *     T1: a b   T2: c      the order: a b c, a c b, c a b
 *
 * A part of the tree is given by the choices that lead to it.  What one call
 * leaves undone, other calls can do, in other processes too.
 *
 * (A) the parts that a cut search leaves, searched in their order, give the
 *     executions of the whole in their order.     tests/agree/dfs_parts.c
 *
 * (C1) a choice's `taken` is none of its `left` alternatives.
 * (C2) the choices [0, fixed) of a part stay as they were given.
 * (C3) `kept` is the state before choice kept_at: every choice before it is as
 *      it was when the state was kept.
 */
#include "search/explore.h"

#include <assert.h>
#include <string.h>

struct dfs_choice {
  uint32_t left; /* alternatives not tried yet, as a mask */
  uint8_t taken;
  uint8_t is_data;
  uint8_t of; /* alternatives there were; 0: not met yet */
};

struct dfs {
  VEC(struct dfs_choice) stack;
  uint32_t depth;
  uint32_t fixed; /* C2 */
  uint32_t preempted;
  bool astray; /* the given choices cannot be followed */
  struct explore *x;
  /* A state on the way, so that the beginning is not run again each time. */
  struct snapshot kept;
  uint32_t kept_at; /* C3; NOTHING: none is kept */
  uint32_t kept_preempted;
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

static inline uint8_t byte_of(const struct dfs_choice *c) {
  return (uint8_t)(c->is_data ? PATH_CHOICE | c->taken : c->taken);
}

/* The execution comes to a choice that was given, for the first time. */
static void meet(struct dfs *d, struct dfs_choice *c, uint32_t mask, int first,
                 uint8_t is_data) {
  c->of = (uint8_t)__builtin_popcount(mask);
  if (c->is_data == is_data && c->taken < 32 && mask >> c->taken & 1)
    return;
  d->astray = true;
  c->is_data = is_data;
  c->taken = (uint8_t)first;
}

static inline int decide(struct dfs *d, uint32_t mask, int first,
                         uint8_t is_data) {
  if (d->depth == d->stack.len) {
    struct dfs_choice c = {mask & ~(1u << first), (uint8_t)first, is_data,
                           (uint8_t)__builtin_popcount(mask)};
    vec_push(&d->stack, c); /* C1 */
  }
  struct dfs_choice *c = &d->stack.at[d->depth];
  if (!c->of)
    meet(d, c, mask, first, is_data);
  note_live(d, byte_of(c));
  d->depth++;
  return c->taken;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  struct dfs *d = ctx;
  if (d->depth == d->keep_at) {
    rt_save(&d->kept);
    d->kept_at = d->depth;
    d->kept_preempted = d->preempted;
    d->keep_at = NOTHING;
  }
  bool stays = enabled >> current & 1;
  int first = stays ? current : __builtin_ctz(enabled);
  uint32_t mask = enabled;
  if (d->x->bound_preemptions && stays && d->preempted >= d->x->preemptions)
    mask = 1u << current | rt_buffers(enabled);
  int taken = decide(d, mask, first, 0);
  d->preempted += stays && taken != current && !rt_is_buffer(taken);
  return taken;
}

static int choose(void *ctx, int n) {
  return decide(ctx, n >= 32 ? ~0u : (1u << n) - 1, 0, 1);
}

/* To the next untried alternative; false: there is none. */
static bool backtrack(struct dfs *d) {
  while (d->stack.len > d->fixed) {
    struct dfs_choice *c = &vec_last(&d->stack);
    if (c->left) {
      assert(!(c->left >> c->taken & 1)); /* C1 */
      c->taken = (uint8_t)__builtin_ctz(c->left);
      c->left &= c->left - 1;
      return true;
    }
    d->stack.len--;
  }
  return false;
}

/* The next execution, from the kept state if the choices before it stayed. */
static enum rt_end run(struct dfs *d, const struct rt_driver *driver) {
  uint32_t fixed = d->stack.len ? d->stack.len - 1 : 0; /* choices that stay */
  if (d->kept_at != NOTHING && d->kept_at <= fixed) {
    d->depth = d->kept_at; /* C3: only the last choice differs */
    d->preempted = d->kept_preempted;
    d->keep_at = NOTHING;
    return rt_run_on(&d->kept, driver);
  }
  d->kept_at = NOTHING;
  d->keep_at = fixed > NEAR_END ? fixed - NEAR_END : NOTHING;
  d->depth = d->preempted = 0;
  live_begin(d->x->live);
  return rt_run(driver);
}

/* Picks are recorded only where there was a choice.  To know every step, the
 * execution is run again. */
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
  assert(r.at == r.d->depth); /* it met the same choices */
}

/* ---- parts of the tree ---- */

static void begin_below(struct dfs *d) {
  const path *below = d->x->below;
  for (uint32_t i = 0; below && i < below->len; i++) {
    struct dfs_choice c = {.taken = below->at[i] & (uint8_t)~PATH_CHOICE,
                           .is_data = (below->at[i] & PATH_CHOICE) != 0};
    vec_push(&d->stack, c);
  }
  d->fixed = d->stack.len;
}

/* Which part of the whole tree lies below the first n choices, if all branches
 * of a choice are equally large. */
static double part_below(const struct dfs *d, uint32_t n) {
  double part = 1;
  for (uint32_t i = 0; i < n; i++)
    part /= d->stack.at[i].of ? d->stack.at[i].of : 1;
  return part;
}

static void leave_branch(const struct dfs *d, uint32_t at, uint32_t taken) {
  struct leftover *l = d->x->leftover;
  struct dfs_choice last = d->stack.at[at];
  last.taken = (uint8_t)taken;
  for (uint32_t i = 0; i < at; i++)
    vec_push(&l->bytes, byte_of(&d->stack.at[i]));
  vec_push(&l->bytes, byte_of(&last));
  vec_push(&l->ends, l->bytes.len);
  vec_push(&l->share, part_below(d, at + 1));
}

/* The untried branches in the order in which backtrack comes to them. */
static enum explore_end leave_rest(const struct dfs *d, enum explore_end end) {
  struct leftover *l = d->x->leftover;
  uint32_t before = l->ends.len;
  for (uint32_t i = d->stack.len; i-- > d->fixed;)
    for (uint32_t left = d->stack.at[i].left; left; left &= left - 1)
      leave_branch(d, i, (uint32_t)__builtin_ctz(left));
  return l->ends.len == before ? EXPLORE_ALL : end;
}

/* The part of the whole tree that this call has done: the branches that were
 * tried, and the execution that has just ended. */
static void tell_share(const struct dfs *d) {
  double part = 1, done = 0;
  for (uint32_t i = 0; i < d->stack.len; i++) {
    const struct dfs_choice *c = &d->stack.at[i];
    part /= c->of ? c->of : 1;
    if (i >= d->fixed)
      done += part * (c->of - 1 - __builtin_popcount(c->left));
  }
  *d->x->share = done + part;
}

/* A thread looked at another one's stack, which was not known before: there are
 * more steps than we knew of.  False: the callers of all parts must know. */
static bool begin_again(struct dfs *d) {
  struct explore *x = d->x;
  if (x->below || x->leftover) {
    x->learnt = true;
    return false;
  }
  assert(!d->fixed); /* C2: without `below` nothing is given */
  vec_clear(&d->stack);
  d->kept_at = NOTHING;
  explore_again(x);
  return true;
}

/* Judges the execution and looks at the budgets; false: the search ends. */
static bool goes_on(struct dfs *d, enum rt_end how, enum explore_end *end) {
  struct explore *x = d->x;
  bool on = explore_judge(x, how, current_path, d, end) &&
            explore_budget(x, x->executions, end);
  if (x->share && (!on || x->executions % 64 == 0))
    tell_share(d);
  if (!on && x->leftover &&
      (*end == EXPLORE_EXECUTIONS || *end == EXPLORE_TIME))
    *end = leave_rest(d, *end);
  return on;
}

enum explore_end explore_dfs(struct explore *x) {
  struct dfs d = {.x = x, .kept_at = NOTHING, .keep_at = NOTHING};
  struct rt_driver driver = {pick, choose, &d, .every = false};
  enum explore_end end = EXPLORE_ALL;
  if (x->live)
    x->live->only_choices = true;
  explore_begin_graphs(x);
  begin_below(&d);
  bool again, on = true;
  do {
    enum rt_end how = run(&d, &driver);
    again = rt_found_shared_stack();
    if (again || d.astray) {
      on = !d.astray && begin_again(&d);
      if (!on) {
        x->learnt = true;
        end = EXPLORE_STOPPED;
      }
    } else {
      on = goes_on(&d, how, &end);
    }
  } while (on && (again || backtrack(&d)));
  if (on && x->share)
    *x->share = part_below(&d, d.fixed);
  explore_end_graphs(x);
  vec_free(&d.stack);
  snapshot_free(&d.kept);
  return end;
}
