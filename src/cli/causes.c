/*
 * From failing clients to the lines that must be atomic: every trace of each
 * client (dpor), which of them fail, what eliminates those (locate/), and how
 * many of the good ones it would take away.
 */
#include "cli/causes_int.h"

#include <stdlib.h>

enum {
  MOST_TRACES = 2000, /* of dpor */
  MOST_CAUSES = 64,   /* kept while traces are combined */
  MOST_STEPS = 1000,  /* of an execution: longer ones go round for ever */
  KEPT_TRACES = 16,   /* of each kind, to see how a block can be realised */
  CAUSES_SECONDS = 5, /* for all of it */
};

static enum judgement collect(void *ctx, enum rt_end end) {
  struct collector *c = ctx;
  struct collected one = {.bad =
                              c->judge.ended(c->judge.ctx, end) == JUDGE_BAD};
  if (end == RT_CUT)
    return JUDGE_GOOD;
  for (uint32_t i = 0; i < c->live.len; i++)
    vec_push(&one.path, c->live.at[i]);
  vec_push(&c->paths, one);
  return JUDGE_GOOD;
}

static void again(void *ctx) {
  struct collector *c = ctx;
  for (uint32_t i = 0; i < c->paths.len; i++)
    vec_free(&c->paths.at[i].path);
  vec_clear(&c->paths);
}

static void free_located(struct located *l) {
  section_trace_free(&l->section);
  conflicts_free(&l->conflicts);
  arena_free(&l->arena);
  free(l);
}

/* Is there anything to make atomic without the real-time order?  If not, it
 * is that order which the failing trace breaks. */
static bool has_cycle(const struct conflicts *c) {
  struct eliminators e = {0};
  eliminate(c, (struct eliminate_limits){.results = 1, .steps = 100000}, &e);
  bool some = eliminators_count(&e) != 0;
  eliminators_free(&e);
  return some;
}

static void locate(struct collector *c, const struct collected *from) {
  struct replay r;
  struct accesses accesses = {0};
  struct located *l = xcalloc(1, sizeof *l);
  bool fresh;
  replay_init(&r, from->path.at, from->path.len);
  rt_run_recorded(&r.driver, &l->arena, &l->trace);
  replay_free(&r);
  accesses_from_trace(&l->trace, &accesses);
  conflicts_init(&l->conflicts, accesses.at, accesses.len, 0);
  map128_put(&c->known, conflicts_digest(&l->conflicts), &fresh);
  if (fresh && from->bad && !has_cycle(&l->conflicts)) {
    conflicts_free(&l->conflicts);
    conflicts_init(&l->conflicts, accesses.at, accesses.len,
                   CONFLICTS_REAL_TIME);
  }
  section_trace_init(&l->section, c->scopes, &l->trace, &l->conflicts);
  l->bad = from->bad;
  free(accesses.at);
  if (!fresh) {
    free_located(l);
    return;
  }
  if (++c->kept[l->bad] > KEPT_TRACES) {
    arena_free(&l->arena);
    l->trace = (struct trace){0};
  }
  vec_push(&c->traces, l);
}

/* What repairs all failing traces; false: nothing that has lines does. */
static bool combine(const struct collector *c, struct arena *a,
                    struct causes *all) {
  combine_begin(all);
  for (uint32_t i = 0; i < c->traces.len; i++) {
    struct located *l = c->traces.at[i];
    if (!l->bad)
      continue;
    struct eliminators e = {0};
    struct causes one = {0};
    eliminate(&l->conflicts,
              (struct eliminate_limits){.results = 10000, .steps = 1000000},
              &e);
    causes_of_trace(&e, section_block, &l->section, a, &one);
    eliminators_free(&e);
    combine_add(all, &one, MOST_CAUSES, a);
    causes_free(&one);
    if (!all->len)
      return false;
  }
  return true;
}

static void share_cause(struct ranked_cause *to, const struct ranked *from,
                        struct arena *a) {
  uint32_t n = from->cause.nblocks;
  struct code_block *blocks = arena_alloc(a, (n + 1) * sizeof *blocks);
  for (uint32_t i = 0; i < n; i++) {
    blocks[i] = from->cause.blocks[i];
    blocks[i].file = arena_strdup(a, blocks[i].file);
    blocks[i].function = arena_strdup(a, blocks[i].function);
  }
  *to = (struct ranked_cause){.cause = {blocks, n},
                              .rank = from->rank,
                              .eliminates = from->eliminates,
                              .events = from->events,
                              .lines = from->lines};
}

static void rank(struct collector *c, const struct causes *all,
                 struct causes_found *out, struct arena *a) {
  VEC(struct rank_trace) good = {0}, bad = {0};
  for (uint32_t i = 0; i < c->traces.len; i++) {
    struct located *l = c->traces.at[i];
    struct rank_trace t = {&l->conflicts, &l->section};
    if (l->bad)
      vec_push(&bad, t);
    else
      vec_push(&good, t);
  }
  out->good = good.len;
  out->bad = bad.len;
  struct rank_input in = {.good = good.at,
                          .ngood = good.len,
                          .bad = bad.at,
                          .nbad = bad.len,
                          .units = section_units};
  struct ranked *ranked = xcalloc(all->len + 1, sizeof *ranked);
  rank_causes(all, &in, ranked);
  out->at = arena_alloc(a, (all->len + 1) * sizeof *out->at);
  for (uint32_t i = 0; i < all->len; i++)
    if (ranked[i].cause.nblocks && !ranked[i].misses) {
      struct ranked_cause *to = &out->at[out->len++];
      share_cause(to, &ranked[i], a);
      if (to->rank == 1)
        to->fix = realisation(c, &to->cause, a);
    }
  free(ranked);
  vec_free(&good);
  vec_free(&bad);
}

/* All traces of one client; false: not all. */
static bool collect_client(struct hunt *h, struct collector *c,
                           const struct client *client, double end) {
  struct explore x;
  if (hunt_prepare(h, client) != RT_DONE)
    return false;
  hunt_explore_init(h, &x);
  x.judge = (struct judge){collect, c, again};
  x.live = &c->live;
  x.all = true;
  x.max_executions = MOST_TRACES;
  x.deadline = end;
  enum explore_end how = explore_dpor(&x);
  bool complete = how == EXPLORE_ALL && !x.cut;
  vec_free(&x.bad);
  map128_clear(&c->known); /* two clients' traces are never equal */
  uint32_t done = 0;
  while (done < c->paths.len && explore_now() < end)
    locate(c, &c->paths.at[done++]);
  complete &= done == c->paths.len;
  again(c);
  return complete;
}

static void find(struct hunt *h, struct collector *c,
                 struct causes_found *out) {
  struct arena own = {0};
  struct causes all = {0};
  double end = explore_now() + CAUSES_SECONDS;
  h->jury.only = FAULT_NOT_LINEARIZABLE;
  rt_limit(MOST_STEPS);
  out->complete = true;
  for (uint32_t i = 0; i < h->order->nblame; i++) {
    struct client client = {0};
    if (!hunt_read_client(h, h->order->blame[i], &client))
      return;
    out->complete &= collect_client(h, c, &client, end);
    client_free(&client);
  }
  if (combine(c, &own, &all))
    rank(c, &all, out, &h->shared->arena);
  causes_free(&all);
  arena_free(&own);
}

void hunt_blame(struct hunt *h, struct causes_found *out) {
  struct error ignored = {0};
  struct flow *flow = flow_open(h->order->lines, &ignored);
  if (!flow)
    return;
  struct collector *c = xcalloc(1, sizeof *c);
  c->judge = jury_judge(&h->jury);
  c->scopes = scopes_open(h->order->lines, flow);
  find(h, c, out);
  vec_free(&c->paths);
  for (uint32_t i = 0; i < c->traces.len; i++)
    free_located(c->traces.at[i]);
  vec_free(&c->traces);
  map128_free(&c->known);
  scopes_close(c->scopes);
  flow_close(flow);
  free(c);
}
