/*
 * The recorded schedule: the steps of a failing execution, each with its call.
 * A client made of some of its calls follows them.
 */
#include "hunt/shrink.h"

#include <stdlib.h>
#include <string.h>

/* ---- followed ---- */

/*
 * Follows recorded steps call by call.  If a call now takes fewer steps, its
 * other recorded steps are skipped; if it takes more, they are made before the
 * next call of its thread.
 *
 *     recorded:  a a b a c c      T1 calls a and then c, T2 calls b
 *     a takes 2 steps:  a a b c c         a takes 4:  a a b a a c c
 */
struct guide {
  const struct client *client;
  recorded_list steps;
  uint32_t next;
  path taken;
};

/* Is the thread still in the call before that of the recorded step? */
static bool is_behind(const struct guide *g, const struct recorded *r) {
  return r->call > g->client->ninit &&
         g->client->calls[r->call - 1].thread == r->thread &&
         !rt_call_done(r->call - 1);
}

static int guide_pick(void *ctx, uint32_t enabled, int current) {
  struct guide *g = ctx;
  int t = -1;
  while (t < 0 && g->next < g->steps.len) {
    const struct recorded *r = &g->steps.at[g->next];
    if (!rt_call_done(r->call) && enabled >> r->thread & 1) {
      t = r->thread;
      g->next += !is_behind(g, r);
    } else {
      g->next++;
    }
  }
  if (t < 0)
    t = enabled >> current & 1 ? current : __builtin_ctz(enabled);
  vec_push(&g->taken, (uint8_t)t);
  return t;
}

static int guide_choose(void *ctx, int n) {
  struct guide *g = ctx;
  (void)n;
  vec_push(&g->taken, (uint8_t)PATH_CHOICE);
  return 0;
}

/* The recorded steps of those calls that the client still has. */
static void translate(const struct shrinker *s, const struct client *c,
                      const uint32_t *from, uint32_t nfrom,
                      recorded_list *out) {
  uint32_t n = s->nrecorded;
  uint32_t *to = xmalloc((n + 1) * sizeof *to);
  for (uint32_t i = 0; i < n; i++)
    to[i] = UINT32_MAX;
  for (uint32_t i = c->ninit; i < nfrom && i < client_first_final(c); i++)
    if (from[i] < n)
      to[from[i]] = i;
  for (uint32_t i = 0; i < s->steps.len; i++) {
    uint32_t call = to[s->steps.at[i].call];
    if (call != UINT32_MAX)
      vec_push(out, ((struct recorded){c->calls[call].thread, call}));
  }
  free(to);
}

bool shrink_by_record(struct shrinker *s, const uint32_t *from, uint32_t nfrom,
                      path *out) {
  struct guide g = {.client = &s->now};
  if (!s->steps.len || !from)
    return false;
  translate(s, &s->now, from, nfrom, &g.steps);
  struct rt_driver d = {guide_pick, guide_choose, &g, .every = true};
  struct judge judge = checker_judge(&s->h->checker);
  bool bad = judge.ended(judge.ctx, rt_run(&d)) == JUDGE_BAD;
  s->h->r->statistics.executions++;
  s->h->r->statistics.events += rt_steps();
  if (bad)
    *out = g.taken;
  else
    vec_free(&g.taken);
  vec_free(&g.steps);
  return bad;
}

/* ---- recorded ---- */

struct recorder {
  struct replay replay;
  recorded_list *out;
  uint32_t next[RT_MAX_THREADS], end[RT_MAX_THREADS];
};

static int recorder_pick(void *ctx, uint32_t enabled, int current) {
  struct recorder *r = ctx;
  int t = r->replay.driver.pick(&r->replay, enabled, current);
  while (r->next[t] < r->end[t] && rt_call_done(r->next[t]))
    r->next[t]++;
  if (r->next[t] < r->end[t])
    vec_push(r->out, ((struct recorded){(uint8_t)t, r->next[t]}));
  return t;
}

static int recorder_choose(void *ctx, int n) {
  struct recorder *r = ctx;
  return r->replay.driver.choose(&r->replay, n);
}

void shrink_take_history(struct shrinker *s, const struct history *h) {
  client_copy(&s->client, h->client);
  uint32_t n = s->client.ncalls;
  s->history = *h;
  s->history.client = &s->client;
  s->history.ops = xmalloc((n + 1) * sizeof *h->ops);
  memcpy(s->history.ops, h->ops, n * sizeof *h->ops);
}

static enum rt_end record(struct shrinker *s, const struct client *c,
                          const path *p) {
  struct recorder r = {.out = &s->steps};
  for (uint32_t i = c->ninit; i < client_first_final(c); i++) {
    uint32_t t = c->calls[i].thread;
    if (!r.end[t])
      r.next[t] = i;
    r.end[t] = i + 1;
  }
  vec_clear(&s->steps);
  s->nrecorded = c->ncalls;
  replay_init(&r.replay, p->at, p->len);
  struct rt_driver d = {recorder_pick, recorder_choose, &r, .every = true};
  enum rt_end end = rt_run(&d);
  replay_free(&r.replay);
  return end;
}

bool shrink_record(struct shrinker *s, const struct client *c, const path *p) {
  struct judge judge = checker_judge(&s->h->checker);
  enum rt_end end = record(s, c, p);
  shrink_take_history(s, rt_history());
  return judge.ended(judge.ctx, end) == JUDGE_BAD;
}

/* ---- a client that is made smaller ---- */

void shrink_number(struct client *c) {
  for (uint32_t i = 0; i < c->ncalls; i++)
    c->calls[i].origin = i;
}

void shrink_follow(struct shrinker *s) {
  const struct client *c = &s->bad.client;
  for (uint32_t i = 0; i < s->recorded_as.len; i++)
    s->recorded_as.at[i] = UINT32_MAX;
  for (uint32_t i = 0; i < c->ncalls; i++) {
    while (s->recorded_as.len <= c->calls[i].origin)
      vec_push(&s->recorded_as, UINT32_MAX);
    s->recorded_as.at[c->calls[i].origin] = i;
  }
  record(s, c, &s->bad.path);
}

bool shrink_fails_smaller(struct shrinker *s, const struct client *c) {
  VEC(uint32_t) from = {0};
  for (uint32_t i = 0; i < c->ncalls; i++) {
    uint32_t origin = c->calls[i].origin;
    vec_push(&from, origin < s->recorded_as.len ? s->recorded_as.at[origin]
                                                : UINT32_MAX);
  }
  bool bad = shrink_fails(s, c, from.at, from.len);
  if (bad)
    shrink_follow(s);
  vec_free(&from);
  return bad;
}
