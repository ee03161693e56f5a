/* From a failing execution or history to a small client that fails. */
#include "hunt/shrink.h"

#include "base/clock.h"
#include "hunt/finding.h"

#include <stdlib.h>

enum {
  PAST_BUDGET = 200000,        /* calls of the specification … */
  OWN_BUDGET = 20000,          /* … when that is the object itself */
  MAX_REST = 64,               /* see struct coarse */
  EXECUTION_EFFORT = 20000000, /* steps to localize: about a second */
  REDUCE_EFFORT = 20000000,    /* steps to reduce the client found */
  DROP_DRAWS = 500,            /* executions drawn of a client with too many
                                  states */
  DROP_ENOUGH = 5,             /* concurrent calls: few enough to search all
                                  states */
};

/* ---- callbacks of src/shrink ---- */

static bool candidate_fails(void *ctx, const struct candidate *c) {
  return shrink_fails(ctx, &c->client, c->from.at, c->from.len);
}

static bool goes_on(void *ctx) { return shrink_goes_on(ctx); }

static void probe(void *ctx, struct client *c) {
  struct shrinker *s = ctx;
  struct client more;
  generate_final(&s->h->object.gen, c, &more);
  client_free(c);
  *c = more;
}

static enum reduce_answer reduced_fails(void *ctx, const struct client *c) {
  return shrink_fails_smaller(ctx, c) ? REDUCE_FAILS : REDUCE_UNKNOWN;
}

uint32_t shrink_domain(const struct hunt *h, uint32_t op, uint32_t arg,
                       const int64_t **values, bool *data) {
  const struct gen_arg *a = &h->object.gen.ops[op].args[arg];
  *values = a->values;
  *data = a->interchangeable;
  return a->count;
}

static uint32_t domain(void *ctx, uint32_t op, uint32_t arg,
                       const int64_t **values, bool *data) {
  const struct shrinker *s = ctx;
  return shrink_domain(s->h, op, arg, values, data);
}

/* ---- */

static uint32_t concurrent_calls(const struct client *c) {
  return client_first_final(c) - c->ninit;
}

/* Algorithm 1.  A client that fails on real threads (version B) must then fail
 * in the engine. */
bool shrink_localize(struct shrinker *s) {
  if (!s->past.sizes.len)
    return false;
  struct coarse c = {.past = &s->past,
                     .version = s->version,
                     .fails = candidate_fails,
                     .goes_on = goes_on,
                     .probe = probe,
                     .ctx = s,
                     .max_rest = MAX_REST};
  bool found = coarse_localize(&c);
  if (found)
    s->pc = concurrent_calls(&c.found.client);
  if (found && s->stress) {
    s->stress = NULL;
    s->repeat = true;
    found = shrink_fails(s, &c.found.client, NULL, 0);
  }
  candidate_free(&c.found);
  return found;
}

/* The calls of the client in one thread: those of thread `first` before those
 * of the others. */
static void in_one_thread(const struct client *c, uint32_t first,
                          struct client *out) {
  uint32_t end = client_first_final(c);
  *out = (struct client){0};
  for (uint32_t i = 0; i < c->ninit; i++)
    client_add(out, 1, c->calls[i]);
  for (int others = 0; others < 2; others++)
    for (uint32_t i = c->ninit; i < end; i++)
      if ((c->calls[i].thread != first) == others)
        client_add(out, 1, c->calls[i]);
  for (uint32_t i = end; i < c->ncalls; i++)
    client_add(out, 1, c->calls[i]);
}

/* Does the client fail without concurrency?  Then `bad` is the client of one
 * thread. */
static bool is_sequential(struct shrinker *s) {
  uint32_t n = s->bad.client.nthreads;
  bool bad = false;
  for (uint32_t t = 1; t <= n && n > 1 && !bad; t++) {
    struct client one;
    in_one_thread(&s->bad.client, t, &one);
    bad = shrink_fails(s, &one, NULL, 0);
    client_free(&one);
  }
  return bad;
}

/* Prepares `bad` for being made smaller. */
static void begin_reducing(struct shrinker *s) {
  s->repeat = true;
  s->only = s->fault;
  s->max_effort = s->effort + REDUCE_EFFORT;
  shrink_number(&s->bad.client);
  if (hunt_prepare(s->h, &s->bad.client) == RT_DONE)
    shrink_follow(s);
}

/* Drops calls in pieces; the hunt drops single calls later. */
void shrink_reduce(struct shrinker *s) {
  struct reduce r = {
      .check = reduced_fails, .goes_on = goes_on, .domain = domain, .ctx = s};
  struct client c;
  begin_reducing(s);
  client_copy(&c, &s->bad.client);
  s->only_record =
      true; /* one execution a client: cheap, and drops most calls */
  reduce_pieces(&r, &c);
  s->only_record = false;
  reduce_pieces(&r, &c);
  reduce_to_few(&r, &c);
  client_free(&c);
  is_sequential(s);
  client_copy(&c, &s->bad.client);
  reduce_concurrent(&r, &c);
  reduce_values(&r, &c);
  client_free(&c);
  rt_limit((uint32_t)s->h->set->max_steps);
}

/* Makes the whole past serially, for faults that need no second thread.  The
 * last call is in a thread, since a client needs one. */
bool shrink_serial(struct shrinker *s) {
  struct client one = {0};
  uint32_t n = s->past.order.len;
  for (uint32_t i = 0; i + 1 < n; i++)
    client_add_init(&one, s->client.calls[s->past.order.at[i]]);
  if (n)
    client_add(&one, 1, s->client.calls[s->past.order.at[n - 1]]);
  s->stress = NULL;
  bool bad = one.ncalls && shrink_fails(s, &one, NULL, 0);
  client_free(&one);
  return bad;
}

/* The version that the user asked for found nothing: tries another one. */
static bool try_another(struct shrinker *s) {
  bool d = s->version == COARSE_BEST || s->steps.len;
  if (d && s->version == COARSE_D)
    return false;
  s->max_effort += s->max_effort;
  bool best = s->version == COARSE_BEST;
  s->version = d ? COARSE_D : COARSE_BEST;
  bool found = shrink_localize(s);
  if (!best)
    s->pc = 0; /* only for the version that the user asked for */
  return found;
}

bool shrink_run(struct shrinker *s) {
  const struct checker *j = &s->h->checker;
  uint64_t budget = j->implementation ? OWN_BUDGET : PAST_BUDGET;
  double begun = clock_now();
  if (!s->past.order.len && checker_is_strict(j))
    past_find(&s->past, &s->history, j->spec, budget, true);
  if (s->past.exact)
    s->only =
        FAULT_NONE; /* the prefix may end before the fault, such as a crash */
  bool found = shrink_localize(s);
  s->locate_seconds = clock_now() - begun;
  if (!found && s->only_small)
    return false;
  found = found || shrink_serial(s) || try_another(s);
  if (found)
    shrink_reduce(s);
  return found;
}

/* First tries clients by the recorded schedule alone, which is cheap.  If many
 * calls are left, tries them by every search. */
static void drop_calls(struct shrinker *s) {
  struct reduce r = {
      .check = reduced_fails, .goes_on = goes_on, .domain = domain, .ctx = s};
  struct client c;
  client_copy(&c, &s->bad.client);
  for (s->only_record = true;; s->only_record = false) {
    reduce_pieces(&r, &c);
    reduce_calls(&r, &c);
    reduce_concurrent(&r, &c);
    reduce_values(&r, &c);
    if (!s->only_record || concurrent_calls(&c) <= DROP_ENOUGH)
      break;
  }
  client_free(&c);
}

static void take_bad(struct hunt *h, struct bad *b, struct shrinker *s,
                     enum fault fault) {
  client_free(&b->client);
  vec_free(&b->path);
  *b = s->bad;
  s->bad = (struct bad){0};
  h->checker.only = h->checker.fault = fault;
  h->checker.spec_fault = false;
}

void hunt_drop_calls(struct hunt *h, struct bad *b) {
  enum fault fault = h->checker.only;
  struct shrinker s = {
      .h = h, .version = COARSE_D, .fault = fault, .draws = DROP_DRAWS};
  client_copy(&s.bad.client, &b->client);
  for (uint32_t i = 0; i < b->path.len; i++)
    vec_push(&s.bad.path, b->path.at[i]);
  begin_reducing(&s);
  drop_calls(&s);
  rt_limit((uint32_t)h->set->max_steps);
  take_bad(h, b, &s, fault);
  shrinker_free(&s);
}

/* An execution that crashed has a past, too: only the end of its history is
 * missing. */
void hunt_shrink(struct hunt *h, struct bad *b) {
  enum fault fault = h->checker.only;
  struct shrinker s = {.h = h,
                       .version = COARSE_D,
                       .only = fault,
                       .max_effort = EXECUTION_EFFORT};
  if (!h->checker.spec || hunt_prepare(h, &b->client) != RT_DONE)
    return;
  if (shrink_record(&s, &b->client, &b->path) && shrink_run(&s) &&
      s.fault == fault) {
    client_free(&b->client);
    vec_free(&b->path);
    *b = s.bad;
    s.bad = (struct bad){0};
  }
  h->checker.only = h->checker.fault = fault;
  h->checker.spec_fault = false;
  shrinker_free(&s);
}
