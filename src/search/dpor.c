/*
 * Optimal DPOR: Abdulla, Aronis, Jonsson, Sagonas, J.ACM 64(4), 2017; we keep
 * their names: sleep sets, wakeup trees, notdep, weak initials.
 *     T1: x = 1; z = 1   T2: r = x    two traces: x = 1 before r = x, and after
 *
 * Differs: races are reversed when an execution has ended.  A thread that waits
 * (for a lock, a signal) is never asked to step where it could not: the step
 * that enabled it is not reversed with it, but the step that took the lock
 * before is.
 *     T1: lock unlock   T2: lock      reversed: T2's lock before T1's lock
 * A return and another thread's call are dependent, since linearizability sees
 * their order (explore.no_real_time leaves that out).  A step with a choice
 * (which waiter is woken, a spurious failure) is another step with other
 * answers, and these are part of the trace.  A thread that goes round in a loop
 * without effect awaits a change of what it read there (rt_awaits).  Under TSO,
 * clients in which a call joins threads are left to the search over states.
 * With bounded preemptions all traces are run, and those judged that have a
 * linearization within the bound (dpor_bound.c).
 *
 * (A) every Mazurkiewicz trace is run.                 tests/agree/dpor_dfs.c
 * (B) none is run twice, none is cut by a sleep set.   tests/agree/dpor_dfs.c
 */
#include "search/dpor_int.h"

#include "base/slow.h"

#define KEPT_MOST ((size_t)64 << 20) /* bytes of all kept states */
enum {
  KEEP_FROM = 8,   /* if so many steps are run again, keep a state … */
  KEEP_BEFORE = 4, /* … so many before the end of the prescribed ones */
  SHARE_EVERY = 256,
};

static struct dpor_level *level_at(struct dpor *d, uint32_t k) {
  while (k >= d->levels.len)
    vec_push(&d->levels, (struct dpor_level){.todo = NONE});
  return &d->levels.at[k];
}

static struct dpor_level *enter_level(struct dpor *d, uint32_t k) {
  struct dpor_level *l = level_at(d, k);
  vec_clear(&l->sleep);
  l->done = 0;
  if (k) {
    const struct dpor_level *up = &d->levels.at[k - 1];
    const struct step_access *a = &d->events.at[k - 1].a;
    for (uint32_t i = 0; i < up->sleep.len; i++)
      if (!dpor_dependent(d, &up->sleep.at[i], a))
        vec_push(&l->sleep, up->sleep.at[i]);
  }
  return l;
}

/* The enabled threads that are not asleep with all answers. */
static uint32_t awake(const struct dpor_level *l, uint32_t enabled) {
  uint32_t asleep = 0;
  for (uint32_t i = 0; i < l->sleep.len; i++) {
    struct step_access a = {.thread = l->sleep.at[i].thread};
    if (!l->sleep.at[i].nanswers ||
        (!(asleep >> a.thread & 1) && dpor_asleep(l, &a)))
      asleep |= 1u << a.thread;
  }
  return enabled & ~asleep;
}

static void drop_tree(struct dpor *d, struct dpor_level *l) {
  for (uint32_t n; (n = l->todo) != NONE;) {
    l->todo = d->nodes.at[n].next;
    dpor_free_node(d, n);
  }
}

/* Takes the first branch of level k; the tree below it becomes that of k + 1.
 */
static void take_branch(struct dpor *d, uint32_t k) {
  struct dpor_level *below = level_at(d, k + 1), *l = &d->levels.at[k];
  uint32_t n = l->todo;
  assert(n != NONE && below->todo == NONE); /* Q5 */
  struct wakeup_node *w = &d->nodes.at[n];
  l->todo = w->next;
  l->thread = w->a.thread;
  l->planned = w->a.nanswers;
  memcpy(l->answer, w->a.answer, sizeof l->answer);
  below->todo = w->child;
  w->child = NONE;
  dpor_free_node(d, n);
}

static void append_event(const struct dpor *d, uint32_t k, path *out) {
  const struct step_access *a = &d->events.at[k].a;
  vec_push(out, a->thread);
  for (uint8_t i = 0; i < a->nanswers; i++)
    vec_push(out, (uint8_t)(PATH_CHOICE | a->answer[i]));
}

static size_t kept_bytes(const struct dpor *d) {
  size_t n = 0;
  for (uint32_t i = 0; i < d->nkept; i++)
    n += d->kept.at[i].state.len;
  return n;
}

static void keep_state(struct dpor *d, uint32_t k) {
  d->keep_at = NONE;
  if (kept_bytes(d) > KEPT_MOST)
    return;
  if (d->nkept == d->kept.len)
    vec_push(&d->kept, (struct dpor_kept){0});
  assert(!d->nkept || d->kept.at[d->nkept - 1].level < k); /* Q6 */
  struct dpor_kept *s = &d->kept.at[d->nkept++];
  rt_save(&s->state);
  s->level = k;
  s->log_len = d->log.len;
  memcpy(s->count, d->count, d->nthreads * sizeof *d->count);
  memcpy(s->moved, d->moved, d->nthreads * sizeof *d->moved);
  uint32_t n = d->nthreads * d->width;
  vec_reserve(&s->now, n);
  memcpy(s->now.at, d->now, n * sizeof *d->now);
}

/* A new level: takes the first branch of its tree, or any thread that is awake.
 */
static void decide(struct dpor *d, uint32_t k, uint32_t enabled, int current) {
  struct dpor_level *l = enter_level(d, k);
  if (l->todo != NONE) {
    take_branch(d, k);
    return;
  }
  uint32_t on = awake(l, enabled);
  d->stuck = !on;
  if (on)
    l->thread = (uint8_t)(on >> current & 1 ? current : __builtin_ctz(on));
  l->planned = 0;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  struct dpor *d = ctx;
  dpor_absorb(d);
  if (d->stuck || d->diverged)
    return RT_STOP;
  uint32_t k = d->depth++;
  if (k == d->keep_at)
    keep_state(d, k);
  if (k >= d->fixed)
    decide(d, k, enabled, current);
  struct dpor_level *l = &d->levels.at[k];
  bool possible = enabled >> l->thread & 1;
  if (k + 1 < d->fixed) {
    l->planned = l->nanswers; /* as they were given */
    d->diverged |= !possible;
  }
  d->stuck |= !possible; /* cannot be: a tree has possible steps only */
  if (d->stuck)
    return RT_STOP;
  l->nanswers = 0;
  dpor_note_live(d, l->thread);
  return l->thread;
}

/* The first answer, behind those given, with which the step does not sleep. */
static uint8_t first_awake(const struct dpor_level *l, int n) {
  struct step_access a = {.thread = l->thread,
                          .nanswers = (uint8_t)(l->nanswers + 1)};
  memcpy(a.answer, l->answer, l->nanswers);
  for (int v = 0; v < n; v++) {
    a.answer[l->nanswers] = (uint8_t)v;
    if (!dpor_asleep(l, &a))
      return (uint8_t)v;
  }
  return (uint8_t)n;
}

static int choose(void *ctx, int n) {
  struct dpor *d = ctx;
  assert(d->depth && n > 0);
  struct dpor_level *l = &d->levels.at[d->depth - 1];
  uint8_t i = l->nanswers;
  if (i == MOST_ANSWERS) {
    d->too_many = true;
    return 0;
  }
  uint8_t answer = i < l->planned ? l->answer[i] : first_awake(l, n);
  if (answer >= n) {
    d->stuck = true;
    answer = 0;
  }
  l->answer[i] = answer;
  l->of[i] = (uint8_t)n;
  l->nanswers++;
  dpor_note_live(d, (uint8_t)(PATH_CHOICE | answer));
  return answer;
}

/* To the deepest level with a branch left to take; false: there is none. */
static bool backtrack(struct dpor *d) {
  if (d->depth < d->levels.len) /* a tree that was handed down and not used */
    drop_tree(d, &d->levels.at[d->depth]);
  for (uint32_t k = d->depth; k--;) {
    struct dpor_level *l = &d->levels.at[k];
    if (k < d->events.len)
      vec_push(&l->sleep, d->events.at[k].a);
    l->done++;
    if (l->todo == NONE)
      continue;
    take_branch(d, k);
    dpor_forget(d, k < d->events.len ? k : d->events.len);
    d->fixed = k + 1;
    return true;
  }
  return false;
}

/* The path of the execution that has just ended. */
static void current_path(void *ctx, path *out) {
  const struct dpor *d = ctx;
  for (uint32_t k = 0; k < d->made; k++)
    append_event(d, d->x->bound_preemptions ? d->linear.at[k] : k, out);
}

static enum rt_end run_from_start(struct dpor *d,
                                  const struct rt_driver *driver) {
  d->depth = d->absorbed = d->seen = d->log.len = 0;
  memset(d->count, 0, sizeof d->count);
  memset(d->moved, 0, sizeof d->moved);
  memset(d->now, 0, d->nthreads * d->width * sizeof *d->now);
  return rt_run(driver);
}

static enum rt_end run_from_kept(struct dpor *d,
                                 const struct rt_driver *driver) {
  const struct dpor_kept *s = &d->kept.at[d->nkept - 1];
  d->depth = d->seen = s->level;
  d->absorbed = d->log.len = s->log_len;
  memcpy(d->count, s->count, d->nthreads * sizeof *d->count);
  memcpy(d->moved, s->moved, d->nthreads * sizeof *d->moved);
  memcpy(d->now, s->now.at, d->nthreads * d->width * sizeof *d->now);
  return rt_run_on(&s->state, driver);
}

void dpor_begin_live(struct dpor *d, uint32_t steps) {
  path begin = {0};
  for (uint32_t k = 0; k < steps; k++)
    append_event(d, k, &begin);
  d->x->live->len = 0;
  live_begin(d->x->live);
  for (uint32_t i = 0; i < begin.len; i++)
    dpor_note_live(d, begin.at[i]);
  vec_free(&begin);
}

static enum rt_end run(struct dpor *d, const struct rt_driver *driver) {
  d->stuck = false;
  while (d->nkept && d->kept.at[d->nkept - 1].level >= d->fixed)
    d->nkept--;
  uint32_t from = d->nkept ? d->kept.at[d->nkept - 1].level : 0;
  d->keep_at = d->fixed > from + KEEP_FROM ? d->fixed - KEEP_BEFORE : NONE;
  if (d->x->live)
    dpor_begin_live(d, from);
  rt_log(&d->log);
  enum rt_end how =
      d->nkept ? run_from_kept(d, driver) : run_from_start(d, driver);
  rt_log(NULL);
  dpor_absorb(d);
  d->made = d->events.len;
  if (how == RT_STUCK || how == RT_FAULT)
    dpor_absorb_waiting(d);
  return how;
}

/* After the judge has seen the execution, since this may run others. */
static void reverse_races(struct dpor *d) {
  for (uint32_t i = 0; i < d->races.len; i++)
    dpor_reverse(d, &d->races.at[i]);
  dpor_forget(d, d->made);
}

static void drop_trees(struct dpor *d) {
  for (uint32_t k = 0; k < d->levels.len; k++)
    drop_tree(d, &d->levels.at[k]);
}

/* There are more steps, or answers, than we knew of: begins again. */
static void begin_again(struct dpor *d) {
  drop_trees(d);
  dpor_forget(d, 0);
  d->fixed = d->depth = d->nkept = 0;
  explore_again(d->x);
  d->learnt = d->diverged = false; /* with other steps it may well diverge */
  d->again = true;
}

/* Which part of the tree is done, if all branches of a level are equally large.
 */
static double share(const struct dpor *d) {
  double sum = 0, weight = 1;
  for (uint32_t k = 0; k < d->depth; k++) {
    const struct dpor_level *l = &d->levels.at[k];
    uint32_t n = l->done + 1;
    for (uint32_t s = l->todo; s != NONE; s = d->nodes.at[s].next)
      n++;
    weight /= n;
    sum += weight * l->done;
  }
  return sum;
}

static void dpor_free(struct dpor *d) {
  for (uint32_t i = 0; i < d->levels.len; i++)
    vec_free(&d->levels.at[i].sleep);
  for (uint32_t i = 0; i < d->kept.len; i++) {
    snapshot_free(&d->kept.at[i].state);
    vec_free(&d->kept.at[i].now);
  }
  for (int t = 0; t < THREADS; t++)
    vec_free(&d->places[t]);
  vec_free(&d->kept);
  vec_free(&d->levels);
  vec_free(&d->events);
  vec_free(&d->clocks);
  vec_free(&d->before);
  vec_free(&d->arrived);
  vec_free(&d->linear);
  vec_free(&d->nodes);
  vec_free(&d->races);
  vec_free(&d->v);
  vec_free(&d->trail);
  vec_free(&d->look.plan);
  free(d->look.log.at);
  free(d->log.at);
}

void dpor_check_invariants(const struct dpor *d) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < d->events.len; k++) {
    const struct dpor_event *e = &d->events.at[k];
    assert(d->places[e->a.thread].at[e->no - 1] == k); /* Q1 */
    assert(dpor_clock(d, k)[e->a.thread] == e->no);    /* Q2 */
    for (uint32_t t = 0; t < d->nthreads; t++) {
      uint32_t last = dpor_clock(d, k)[t];
      assert(last <= d->places[t].len);
      for (uint32_t u = 0; last && u < d->nthreads; u++)
        assert(dpor_clock(d, d->places[t].at[last - 1])[u] <=
               dpor_clock(d, k)[u]); /* Q2 */
    }
    assert(k >= d->made || d->levels.at[k].thread == e->a.thread); /* Q4 */
  }
  for (uint32_t i = 0; i < d->races.len; i++) {
    const struct dpor_race *r = &d->races.at[i];
    assert(r->first <= r->second && r->second < d->events.len); /* Q3 */
    assert(!i || d->races.at[i - 1].second <= r->second);       /* Q3 */
  }
  for (uint32_t k = 0; k < d->levels.len; k++)
    n += dpor_count_nodes(d, d->levels.at[k].todo);
  for (uint32_t i = d->free_nodes; i != NONE; i = d->nodes.at[i].next)
    n++;
  assert(n == d->nodes.len); /* Q5 */
  for (uint32_t i = 1; i < d->nkept; i++)
    assert(d->kept.at[i - 1].level < d->kept.at[i].level); /* Q6 */
}

/* Has the execution judged; false: the search ends. */
static bool judge(struct dpor *d, enum rt_end how, enum explore_end *end) {
  struct explore *x = d->x;
  if (d->too_many) {
    d->too_many = false;
    how = RT_CUT;
  }
  if (x->bound_preemptions && !dpor_within_bound(d, &how))
    return true;
  x->log = &d->log;
  bool goes_on = explore_judge(x, how, current_path, d, end);
  x->log = NULL;
  return goes_on;
}

/* One execution and what follows from it; false: the search ends. */
static bool explore_one(struct dpor *d, const struct rt_driver *driver,
                        enum explore_end *end) {
  struct explore *x = d->x;
  enum rt_end how = run(d, driver);
  d->runs++;
  d->again = false;
  if (rt_found_shared_stack() || d->learnt) {
    begin_again(d);
    return true;
  }
  x->blocked += d->stuck;
  check_slow(d->diverged || (dpor_check_invariants(d), true));
  if (!d->diverged && !d->stuck && !judge(d, how, end))
    return false;
  if (d->diverged) {
    *end = EXPLORE_DIVERGED;
    return false;
  }
  reverse_races(d);
  if (d->learnt)
    begin_again(d);
  if (x->share && d->runs % SHARE_EVERY == 0)
    *x->share = share(d);
  return explore_budget(x, d->runs, end);
}

enum explore_end explore_dpor(struct explore *x) {
  struct dpor d = {
      .x = x, .real_time = !x->no_real_time, .free_nodes = NONE, .width = 4};
  struct rt_driver driver = {pick, choose, &d, .every = true};
  enum explore_end end = EXPLORE_ALL;
  bool awaits = rt_awaits(true);
  if (x->live)
    x->live->only_choices = false;
  do {
    if (!explore_one(&d, &driver, &end))
      goto out;
    if (d.joiners && rt_tso())
      goto join;
  } while (d.again || backtrack(&d));
  if (x->share)
    *x->share = 1;
out:
  rt_awaits(awaits);
  dpor_free(&d);
  return end;
join: /* dpor does not know that a join may have waited for a commit */
  rt_awaits(awaits);
  dpor_free(&d);
  explore_again(x);
  return explore_stateful(x);
}
