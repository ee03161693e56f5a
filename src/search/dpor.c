/*
 * Optimal DPOR: Abdulla, Aronis, Jonsson, Sagonas, J.ACM 64(4), 2017; we keep
 * their names: sleep sets, wakeup trees, notdep, weak initials.
 *
 * Differs: races are reversed when an execution has ended.  A thread that waits
 * (for a lock, a signal) is never asked to step where it could not: the step
 * that enabled it is not reversed with it, but whoever took the lock before is.
 * A return and another thread's call are dependent, since linearizability sees
 * their order (explore.no_real_time leaves that out).
 *
 * (A) every Mazurkiewicz trace is run.                 tests/agree/dpor_dfs.c
 * (B) none is run twice, none is cut by a sleep set.   tests/agree/dpor_dfs.c
 *     Not so where a step has choices (which waiter is woken, a spurious
 *     failure): there traces can be run twice, and executions cut.
 */
#include "search/dpor_int.h"

#include <assert.h>
#include <string.h>

static struct level *enter_level(struct dpor *d, uint32_t k) {
  if (k == d->levels.len)
    vec_push(&d->levels, (struct level){.root = NONE});
  struct level *l = &d->levels.at[k];
  vec_clear(&l->sleep);
  l->nanswers = 0;
  if (l->root == NONE) /* else it was left here by the level above */
    l->root = dpor_new_node(d, &(struct access){0});
  if (k) {
    const struct level *up = &d->levels.at[k - 1];
    const struct access *a = &d->events.at[k - 1].a;
    for (uint32_t i = 0; i < up->sleep.len; i++)
      if (!dpor_dependent(d, &up->sleep.at[i], a))
        vec_push(&l->sleep, up->sleep.at[i]);
  }
  return l;
}

static uint32_t asleep(const struct level *l) {
  uint32_t mask = 0;
  uint8_t answers[THREADS] = {0};
  for (uint32_t i = 0; i < l->sleep.len; i++) {
    const struct access *a = &l->sleep.at[i];
    if (!a->nanswers || (a->nanswers == 1 && ++answers[a->thread] == a->of))
      mask |= 1u << a->thread;
  }
  return mask;
}

/* What hangs under the first child of level k becomes the tree of k + 1. */
static void hand_down(struct dpor *d, uint32_t k) {
  uint32_t c = d->nodes.at[d->levels.at[k].root].child;
  if (k + 1 == d->levels.len)
    vec_push(&d->levels, (struct level){.root = NONE});
  struct level *l = &d->levels.at[k + 1];
  assert(l->root == NONE);
  l->root = dpor_new_node(d, &(struct access){0});
  d->nodes.at[l->root].child = d->nodes.at[c].child;
  d->nodes.at[c].child = NONE;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  struct dpor *d = ctx;
  dpor_absorb(d);
  uint32_t k = d->depth++;
  struct level *l;
  if (k < d->fixed) {
    l = &d->levels.at[k];
  } else {
    l = enter_level(d, k);
    if (d->nodes.at[l->root].child == NONE) {
      uint32_t awake = enabled & ~asleep(l);
      if (!awake) {
        d->stuck = true;
        return RT_STOP;
      }
      int t = awake >> current & 1 ? current : __builtin_ctz(awake);
      uint32_t fresh = dpor_new_node(d, &(struct access){.thread = (uint8_t)t});
      dpor_append_child(d, l->root, fresh);
    }
    hand_down(d, k);
    l = &d->levels.at[k];
  }
  uint8_t t = d->nodes.at[d->nodes.at[l->root].child].a.thread;
  l->nanswers = 0;
  if (!(enabled >> t & 1)) { /* cannot be: the tree holds possible steps */
    d->stuck = true;
    return RT_STOP;
  }
  struct live_path *live = d->x->live;
  if (live && k < LIVE_PATH_MAX) {
    live->at[k] = t;
    live->len = k + 1;
  }
  return t;
}

static int choose(void *ctx, int n) {
  struct dpor *d = ctx;
  struct level *l = &d->levels.at[d->depth - 1];
  if (l->nanswers == MOST_ANSWERS)
    return 0;
  const struct access *plan = &d->nodes.at[d->nodes.at[l->root].child].a;
  uint8_t i = l->nanswers++;
  l->of[i] = (uint8_t)n;
  if (i < plan->nanswers) {
    l->answer[i] = plan->answer[i];
    return l->answer[i];
  }
  struct access a = {.thread = plan->thread};
  l->answer[i] = 0;
  for (dpor_take_answers(&a, l); dpor_sleeps(l, &a) && l->answer[i] + 1 < n;
       dpor_take_answers(&a, l))
    l->answer[i]++;
  return l->answer[i];
}

static void drop_level(struct dpor *d, uint32_t k) {
  if (k < d->levels.len && d->levels.at[k].root != NONE) {
    dpor_free_node(d, d->levels.at[k].root);
    d->levels.at[k].root = NONE;
  }
}

/* To the deepest level with something left to do; false: done. */
static bool backtrack(struct dpor *d) {
  drop_level(d, d->depth); /* handed down and not used */
  for (uint32_t k = d->depth; k--;) {
    struct level *l = &d->levels.at[k];
    bool made = k < d->events.len;
    uint32_t c = d->nodes.at[l->root].child;
    if (made)
      vec_push(&l->sleep, d->events.at[k].a);
    if (c != NONE) {
      d->nodes.at[l->root].child = d->nodes.at[c].next;
      dpor_free_node(d, c);
    }
    if (d->nodes.at[l->root].child != NONE) {
      hand_down(d, k);
      if (d->events.len > k)
        d->events.len = k;
      d->fixed = k + 1;
      return true;
    }
    drop_level(d, k);
  }
  return false;
}

/* The path of the execution that has just ended. */
static void current_path(void *ctx, path *out) {
  const struct dpor *d = ctx;
  for (uint32_t k = 0; k < d->events.len; k++) {
    vec_push(out, d->events.at[k].a.thread);
    for (uint8_t i = 0; i < d->levels.at[k].nanswers; i++)
      vec_push(out, (uint8_t)(PATH_CHOICE | d->levels.at[k].answer[i]));
  }
}

static enum rt_end run(struct dpor *d, const struct rt_driver *driver) {
  d->depth = d->absorbed = d->seen = 0;
  d->log.len = 0;
  d->stuck = false;
  memset(d->count, 0, sizeof d->count);
  memset(d->now, 0, sizeof d->now);
  memset(d->moved, 0, sizeof d->moved);
  /* Races within the part that is run again are reversed again: what comes
   * behind them is other now, and so is v. */
  while (d->races.len && vec_last(&d->races).second >= d->events.len)
    d->races.len--;
  rt_log(&d->log);
  enum rt_end how = rt_run(driver);
  rt_log(NULL);
  dpor_absorb(d);
  d->made = d->events.len;
  if (how == RT_STUCK || how == RT_FAULT)
    dpor_absorb_waiting(d);
  return how;
}

/* When the judge has seen the execution: this may run others. */
static void reverse_races(struct dpor *d) {
  for (uint32_t k = d->fixed ? d->fixed - 1 : 0; k < d->made; k++)
    if (d->events.at[k].a.nanswers)
      dpor_look_at_alternatives(d, k);
  for (uint32_t i = 0; i < d->races.len; i++)
    dpor_reverse(d, d->races.at[i]);
  d->events.len = d->made;
}

/* More steps are visible than we knew of: from the start. */
static void begin_again(struct dpor *d) {
  for (uint32_t k = 0; k < d->levels.len; k++)
    drop_level(d, k);
  d->events.len = d->fixed = d->depth = 0;
  explore_again(d->x);
  d->look.shared_stack = false;
  vec_clear(&d->races);
  d->again = true;
}

static void dpor_free(struct dpor *d) {
  for (uint32_t i = 0; i < d->levels.len; i++)
    vec_free(&d->levels.at[i].sleep);
  vec_free(&d->levels);
  vec_free(&d->events);
  vec_free(&d->nodes);
  vec_free(&d->races);
  vec_free(&d->v);
  vec_free(&d->look.plan);
  free(d->look.log.at);
  free(d->log.at);
}

enum explore_end explore_dpor(struct explore *x) {
  struct dpor d = {.x = x, .real_time = !x->no_real_time, .free_nodes = NONE};
  struct rt_driver driver = {pick, choose, &d, .every = true};
  enum explore_end end = EXPLORE_ALL;
  if (x->live)
    x->live->only_choices = false;
  do {
    enum rt_end how = run(&d, &driver);
    if (rt_found_shared_stack()) {
      begin_again(&d);
      continue;
    }
    d.again = false;
    if (d.stuck) {
      x->blocked++;
      reverse_races(&d);
      continue;
    }
    x->log = &d.log;
    bool goes_on = explore_judge(x, how, current_path, &d, &end);
    x->log = NULL;
    if (!goes_on)
      break;
    reverse_races(&d);
    if (d.look.shared_stack)
      begin_again(&d);
    else if (!explore_budget(x, x->executions, &end))
      break;
  } while (d.again || backtrack(&d));
  dpor_free(&d);
  return end;
}
