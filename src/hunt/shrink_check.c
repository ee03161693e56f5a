/*
 * CHECK: can this client fail?  It is run by the recorded schedule, as far as
 * its calls are still there; then by all states, if they are few; then by
 * executions drawn by D-PCT (by PCT if the steps of calls are not known) and at
 * random.  Version B runs it on real threads.  On a busy machine these seldom
 * run side by side, so a client with few calls first runs in the engine.
 */
#include "base/clock.h"
#include "hunt/shrink.h"

#include "search/stress.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  SIGMA = 20,             /* executions drawn of a client: the paper's σ */
  FEW = 4,                /* the same of a long client with a schedule */
  REAL_CALLS = 100000,    /* calls on real threads, in σ rounds or more … */
  REAL_ROUNDS = 2000,     /* … but no more rounds than this, and no longer: */
  REAL_MS = 300,          /* threads may wait for a core, which steps miss */
  CHECK_STATES = 3000,    /* of one client, fewer after many initial calls */
  LONG_INIT = 50,         /* initial calls that make a state twice as large */
  CHECK_EXECUTIONS = 500, /* of one client */
  SMALL_CALLS = 8,      /* concurrent calls: few enough to search all states */
  CALL_EFFORT = 10,     /* steps that stand for the check of a call */
  CALL_STEPS = 300,     /* of a call, on top of --max-steps … */
  MOST_STEPS = 2000,    /* … of which at most these count */
  MOST_CUT = 10,        /* executions at the step limit (cut_limit) */
  CHECK_CALLS = 200000, /* of the specification, for a history */
};

bool shrink_goes_on(const struct shrinker *s) {
  const struct hunt *h = s->h;
  return s->effort < s->max_effort && !(h->timed && clock_now() >= h->deadline);
}

/* ---- the engine ---- */

static uint32_t concurrent_calls(const struct client *c) {
  return client_first_final(c) - c->ninit;
}

static enum judgement judge_limited(void *ctx, enum rt_end end) {
  struct cut_limit *l = ctx;
  enum judgement j = l->judge.ended(l->judge.ctx, end);
  if (end == RT_CUT && j == JUDGE_GOOD && !--l->left)
    return JUDGE_STOP;
  return j;
}

static void begin_again(void *ctx) {
  struct cut_limit *l = ctx;
  if (l->judge.again)
    l->judge.again(l->judge.ctx);
  l->left = l->most;
}

static bool standing(void *ctx, struct hash128 *out) {
  const struct cut_limit *l = ctx;
  return l->judge.standing(l->judge.ctx, out);
}

void shrink_limit_cut(struct explore *x, struct cut_limit *l, uint32_t most) {
  assert(most && x->judge.ended);
  *l = (struct cut_limit){x->judge, most, most};
  x->judge = (struct judge){judge_limited, l, begin_again,
                            x->judge.standing ? standing : NULL};
}

static bool search(struct shrinker *s, int how, uint64_t executions,
                   enum explore_end *end, path *out) {
  struct explore x;
  hunt_explore_init(s->h, &x);
  struct cut_limit limit;
  shrink_limit_cut(&x, &limit, MOST_CUT);
  x.max_executions = executions;
  x.seed = s->h->set->seed + s->clients;
  if (how == SEARCH_STATEFUL) {
    x.max_states = CHECK_STATES * LONG_INIT / (LONG_INIT + s->now.ninit);
    x.max_memory = s->h->set->memory;
  }
  *end = hunt_explore(s->h, &x, how);
  s->effort += x.transitions * (s->now.ninit / LONG_INIT);
  if (*end == EXPLORE_BAD)
    *out = x.bad;
  else
    vec_free(&x.bad);
  return *end == EXPLORE_BAD;
}

/* *correct: all states were searched, and none is bad. */
static bool by_search(struct shrinker *s, path *out, bool *correct) {
  enum explore_end end = EXPLORE_STATES;
  int priorities = s->h->target->estimates ? SEARCH_DPCT : SEARCH_PCT;
  bool small = concurrent_calls(&s->now) <= SMALL_CALLS;
  if (small && search(s, SEARCH_STATEFUL, CHECK_EXECUTIONS, &end, out))
    return true;
  *correct = end == EXPLORE_ALL;
  if (end == EXPLORE_ALL || end == EXPLORE_TIME)
    return false;
  if (!small && s->steps.len) /* the recorded schedule is the better guess */
    return search(s, priorities, FEW, &end, out);
  uint64_t draws = s->draws ? s->draws : SIGMA;
  return search(s, priorities, draws, &end, out) ||
         search(s, SEARCH_RANDOM, draws, &end, out);
}

static void keep_bad(struct shrinker *s, path p) {
  client_free(&s->bad.client);
  vec_free(&s->bad.path);
  client_copy(&s->bad.client, &s->now);
  s->bad.path = p;
  assert(s->h->checker.fault != FAULT_NONE); /* K1 */
  s->fault = s->h->checker.fault;
  s->spec_fault = s->h->checker.spec_fault;
}

static bool prepare(struct shrinker *s) {
  const struct client *c = &s->now;
  uint64_t most = s->h->set->max_steps;
  bool ready = hunt_prepare(s->h, c) == RT_DONE;
  if (most > MOST_STEPS)
    most = MOST_STEPS;
  most += CALL_STEPS * (uint64_t)(c->ncalls - c->ninit);
  rt_limit((uint32_t)most);
  return ready;
}

/* A client that fails before its threads begin does not count: its initial
 * calls are a guess and may wait for ever. */
static bool engine_fails(struct shrinker *s, const uint32_t *from,
                         uint32_t nfrom, bool *correct) {
  struct hunt *h = s->h;
  const struct client *c = &s->now;
  path found = {0};
  bool bad = false;
  h->checker.only = s->only;
  uint64_t before = rt_progress(), runs = h->r->statistics.executions;
  if (prepare(s))
    bad = shrink_by_record(s, from, nfrom, &found) ||
          (!s->only_record && by_search(s, &found, correct));
  h->checker.only = FAULT_NONE;
  runs = h->r->statistics.executions - runs + 1;
  s->effort += rt_progress() - before + runs * CALL_EFFORT * c->ncalls;
  if (bad)
    keep_bad(s, found);
  return bad;
}

bool shrink_fails_somehow(struct shrinker *s, const struct client *c) {
  struct explore x;
  client_free(&s->now);
  client_copy(&s->now, c);
  s->checks++;
  if (!prepare(s))
    return false;
  hunt_explore_init(s->h, &x);
  x.max_states = s->h->set->max_states;
  x.max_memory = s->h->set->memory;
  bool bad = hunt_explore(s->h, &x, SEARCH_STATEFUL) == EXPLORE_BAD;
  if (bad)
    keep_bad(s, x.bad);
  else
    vec_free(&x.bad);
  return bad;
}

/* ---- real threads ---- */

static enum judgement judge_real(void *ctx, const struct history *now,
                                 bool invariant) {
  struct shrinker *s = ctx;
  struct checker *j = &s->h->checker;
  s->h->r->statistics.executions++;
  if (!invariant)
    return JUDGE_BAD;
  j->histories++;
  check_linearize(now, j->spec, j->criterion, CHECK_CALLS, &j->check);
  return j->check.answer == CHECK_NO || j->check.answer == CHECK_SPEC_FAULT
             ? JUDGE_BAD
             : JUDGE_GOOD;
}

static bool real_threads_fail(struct shrinker *s) {
  uint64_t rounds = REAL_CALLS / s->now.ncalls;
  if (rounds > REAL_ROUNDS)
    rounds = REAL_ROUNDS;
  struct stress_run run = {.judge = {judge_real, s},
                           .max_rounds = rounds > SIGMA ? rounds : SIGMA,
                           .deadline = clock_now() + REAL_MS / 1e3,
                           .seed = s->h->set->seed + s->clients,
                           .heartbeat = &s->h->shared->heartbeat};
  if (s->h->checker.implementation) {
    if (hunt_prepare(s->h, &s->now) != RT_DONE)
      return false;
  } else {
    checker_client(&s->h->checker, &s->now);
  }
  enum stress_end end =
      stress_run(s->stress, s->native, &s->now, &run, &s->h->work->error);
  s->effort += run.rounds * CALL_EFFORT * s->now.ncalls;
  stress_run_release(&run);
  return end == STRESS_BAD || end == STRESS_CRASHED || end == STRESS_HUNG;
}

/* ---- */

static bool is_new(struct shrinker *s, const struct client *c) {
  struct buf text = {0};
  bool fresh;
  client_print(c, &s->h->object.names, &text);
  map128_put(&s->tried, hash128(text.at, text.len, 0), &fresh);
  buf_free(&text);
  return fresh;
}

bool shrink_fails(struct shrinker *s, const struct client *c,
                  const uint32_t *from, uint32_t nfrom) {
  bool small = concurrent_calls(c) <= SMALL_CALLS;
  if (s->stress && s->only_small && !small)
    return false;
  if (!is_new(s, c) && !s->repeat)
    return false;
  client_free(&s->now);
  client_copy(&s->now, c);
  s->clients++;
  s->checks++;
  bool correct = false;
  if ((!s->stress || small) && engine_fails(s, from, nfrom, &correct))
    return true;
  return s->stress && !s->only_small && !correct && real_threads_fail(s);
}

/* ---- */

void shrinker_free(struct shrinker *s) {
  past_free(&s->past);
  free(s->history.ops);
  client_free(&s->client);
  client_free(&s->now);
  client_free(&s->bad.client);
  vec_free(&s->bad.path);
  vec_free(&s->steps);
  vec_free(&s->recorded_as);
  map128_free(&s->tried);
}
