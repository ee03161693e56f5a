/*
 * D-PCT: PCT with a number of steps that is estimated as the execution goes
 * (Zhang, Wu, Zhang, Localization of Linearizability Faults on the
 * Coarse-grained Level, section III B).
 *
 * The estimates of calls come from structure trees (code/tree.h).  The paper
 * draws change points over the estimate and, when the execution leaves it,
 * estimates the rest and draws again.  We get the same from one draw a step:
 * with `rest` steps to come, each change point that has not been used is used
 * now with probability 1/rest.  When the rest shrinks by one a step, that is a
 * uniform place; when the rest is estimated anew, the unused change points are
 * spread over the new rest.
 *     rest 3, one change point: used now with 1/3, else then with 1/2, 1
 *
 * Differs: the rest is also estimated anew when a call ends before its
 * estimate, so that change points are not lost behind the end of the
 * execution.
 *
 * (A) with exact estimates, schedules are as likely as with PCT.
 *                                                 tests/unit/search/pct_exact.c
 * (B) however small the estimates, every step can be a change point.
 *                                                  tests/unit/search/pct_dpct.c
 */
#include "search/dpct.h"
#include "base/slow.h"
#include "search/pct.h"

#include <assert.h>

static uint32_t estimate(const struct remaining *r, uint32_t call) {
  return r->estimate[call] ? r->estimate[call] : 1;
}

/* The rest of a thread's current call; 0 when it has none. */
static uint32_t rest_of(const struct remaining *r, int t) {
  uint32_t call = r->thread[t].call;
  if (call == r->thread[t].end)
    return 0;
  uint32_t n = estimate(r, call);
  return n - r->thread[t].made % n; /* D1, D2 */
}

void remaining_begin(struct remaining *r, const struct client *c,
                     const uint32_t *of_calls) {
  *r = (struct remaining){.estimate = of_calls, .nthreads = 1 + c->nthreads};
  for (uint32_t i = c->ninit; i < client_first_final(c); i++) {
    uint32_t t = c->calls[i].thread;
    if (!r->thread[t].end)
      r->thread[t].call = i;
    r->thread[t].end = i + 1;
    r->steps += estimate(r, i);
  }
}

void remaining_check_invariants(const struct remaining *r) {
  uint64_t sum = 0;
  for (int t = 0; t < RT_MAX_THREADS; t++) {
    sum += rest_of(r, t);
    for (uint32_t i = r->thread[t].call + 1; i < r->thread[t].end; i++)
      sum += estimate(r, i);
  }
  assert(sum == r->steps); /* D4 */
}

void remaining_step(struct remaining *r, int t, bool (*done)(uint32_t)) {
  if (r->thread[t].call == r->thread[t].end)
    return; /* a thread of the object's own: nothing is known of it */
  r->steps -= rest_of(r, t);
  r->thread[t].made++;
  uint32_t call = r->thread[t].call;
  while (r->thread[t].call < r->thread[t].end && done(r->thread[t].call)) {
    if (!r->thread[t].made) /* D3: a call that ended with the one before it */
      r->steps -= estimate(r, r->thread[t].call);
    else
      r->thread[t].made = 0;
    r->thread[t].call++;
  }
  if (r->thread[t].made)
    r->steps += rest_of(r, t);
  if (r->thread[t].call == call && r->thread[t].made >= estimate(r, call))
    r->outgrown = true; /* D2 */
  check_slow((remaining_check_invariants(r), true));
}

uint64_t remaining_odds(const struct remaining *r) {
  if (!r->steps)
    return 2; /* D5 */
  return r->steps + r->outgrown;
}

struct dpct_sampling {
  struct pct p;
  const struct client *client;
  struct remaining rest;
  uint64_t k;      /* of all calls, as estimated at the start */
  uint64_t unused; /* mask of change points 1 … depth - 1 */
  bool outgrown;   /* some execution was longer than estimated */
};

static void begin(void *ctx) {
  struct dpct_sampling *s = ctx;
  pct_begin(&s->p);
  remaining_begin(&s->rest, s->client, s->p.s.x->estimate);
  s->k = s->rest.steps;
  s->unused = (s->p.depth == 64 ? ~0ull : (1ull << s->p.depth) - 1) & ~1ull;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  struct dpct_sampling *s = ctx;
  if (s->p.s.picks)
    remaining_step(&s->rest, current, rt_call_done);
  for (uint64_t left = s->unused; left; left &= left - 1)
    if (sample_one_in(&s->p.s, remaining_odds(&s->rest))) {
      s->unused &= ~(left & -left);
      pct_lower(&s->p, enabled, (uint32_t)__builtin_ctzll(left));
    }
  return pct_next(&s->p, enabled, current, s->k);
}

static void end(void *ctx, enum rt_end how) {
  struct dpct_sampling *s = ctx;
  struct explore *x = s->p.s.x;
  pct_end(&s->p, how, &x->length);
  if (s->k > x->length)
    x->length = s->k;
  s->outgrown |= s->rest.outgrown;
}

enum explore_end explore_dpct(struct explore *x) {
  static const struct sampler how = {pick, begin, end};
  struct dpct_sampling s = {.p.depth = pct_depth(x),
                            .client = rt_history()->client};
  assert(s.client && x->nestimates == s.client->ncalls);
  x->threads = 0;
  x->length = 0;
  enum explore_end end = sample_run(x, &how, &s.p.s);
  pct_bound(x, s.p.depth);
  if (s.outgrown) /* early steps had more than their share of change points */
    x->bound = 0;
  return end;
}
