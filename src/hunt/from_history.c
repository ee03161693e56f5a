/*
 * Follows the coarse-grained localization of the CGVT paper.  Each client has a
 * serial start that replaces the long past, a few concurrent calls, and final
 * calls that show the state.
 *
 * 1. Find the shortest prefix of the history that is not linearizable.  It ends
 *    with the return of one call, and an order explains the calls before it
 *    (shrink/past.h).  If the object fails when it makes the calls in this
 *    order, there is no race.
 * 2. Try clients in which one thread makes one call (shrink/coarse.h, H).
 * 3. Try windows of overlapping calls (search/stress_windows.h), narrow ones
 *    first, and at last the paper's Algorithm 1.
 * 4. Drop calls in large pieces.  The hunt then drops single calls.
 *
 * Effort is counted in steps.  Each way may use its share and all that the ways
 * before it left unused.
 */
#include "hunt/from_history.h"

#include "base/clock.h"
#include "hunt/shrink.h"
#include "search/stress_windows.h"

#include <assert.h>
#include <stdlib.h>

enum {
  WAY_EFFORT = 5000000,    /* steps of one way: a fraction of a second */
  PAST_BUDGET = 200000,    /* calls of the specification … */
  OWN_PAST_BUDGET = 20000, /* … when that is the object itself */
  WHOLE_CALLS = 12,        /* a client with no more is tried as it is */
};

/* Which windows to try. */
struct level {
  uint32_t width;
  uint32_t stride; /* every stride-th window */
  bool init;       /* after the calls of the past */
};
static const struct level levels[] = {
    {1, 1, false}, {1, 1, true}, {2, 1, true},
    {4, 2, true},  {8, 4, true}, {16, 8, true},
};
enum { LEVELS = sizeof levels / sizeof *levels };

struct repeat {
  struct shrinker s;
  struct hint hint;
  VEC(uint32_t) order;
  window_list windows;
};

/* ---- the past ---- */

static uint32_t last_time(const struct history *h) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    if (hop_called(&h->ops[i]) && h->ops[i].call > last)
      last = h->ops[i].call;
    if (!hop_pending(&h->ops[i]) && h->ops[i].ret > last)
      last = h->ops[i].ret;
  }
  return last;
}

/* The hint for windows: the calls that returned before the end, in the order
 * that explains them. */
static void find_hint(struct repeat *p) {
  const struct past *past = &p->s.past;
  const struct history *h = &p->s.history;
  uint32_t end =
      past->failing != UINT32_MAX ? h->ops[past->failing].ret : last_time(h);
  for (uint32_t i = 0; i < past->order.len; i++) {
    uint32_t id = past->order.at[i];
    if (id < client_first_final(h->client) && !hop_pending(&h->ops[id]) &&
        h->ops[id].ret <= end && id != past->failing)
      vec_push(&p->order, id);
  }
  p->hint = (struct hint){h, end, p->order.at, p->order.len};
  windows_find(&p->hint, &p->windows);
}

static void find_past(struct repeat *p) {
  const struct checker *j = &p->s.h->checker;
  past_find(&p->s.past, &p->s.history, j->spec,
            j->implementation ? OWN_PAST_BUDGET : PAST_BUDGET, true);
  find_hint(p);
}

/* ---- ways ---- */

/* The calls of the window, then the failing call, then final calls that show
 * the state. */
static void make_client(const struct repeat *p, struct window w,
                        const struct level *l, struct client *out) {
  const struct gen_object *gen = &p->s.h->object.gen;
  uint32_t failing = p->s.past.failing;
  struct client c;
  window_client(&p->hint, w, l->width, l->init, &c);
  if (failing != UINT32_MAX && failing != w.first && failing != w.second) {
    struct call call = p->s.client.calls[failing];
    if (!gen->ops[call.op].waits)
      client_add_final(&c, call);
  }
  generate_final(gen, &c, out);
  client_free(&c);
}

static bool try_window(struct repeat *p, struct window w,
                       const struct level *l) {
  struct client c;
  make_client(p, w, l, &c);
  bool bad = shrink_fails(&p->s, &c, NULL, 0);
  client_free(&c);
  return bad;
}

static bool try_windows(struct repeat *p) {
  for (uint32_t n = 0; n < LEVELS; n++) {
    p->s.max_effort += WAY_EFFORT;
    for (uint32_t i = 0; i < p->windows.len; i += levels[n].stride) {
      if (!shrink_goes_on(&p->s))
        break;
      if (try_window(p, p->windows.at[i], &levels[n]))
        return true;
    }
  }
  return false;
}

static bool try_coarse(struct repeat *p, enum coarse_version version) {
  p->s.version = version;
  p->s.max_effort += WAY_EFFORT;
  return shrink_localize(&p->s);
}

/* A small client is tried as it is: calls that did not overlap on real threads
 * can overlap in the engine. */
static bool try_whole(struct repeat *p) {
  return p->s.client.ncalls <= WHOLE_CALLS &&
         shrink_fails(&p->s, &p->s.client, NULL, 0);
}

/* Does the object fail when one thread makes the calls one after the other? */
static bool try_alone(struct repeat *p) {
  const struct checker *j = &p->s.h->checker;
  const struct client *c = &p->s.client;
  struct check check = {0};
  struct client one = {0};
  bool faulty = false;
  if (j->implementation) /* no other specification can fail */
    check_linearize(&p->s.history, j->spec, j->criterion, OWN_PAST_BUDGET,
                    &check);
  if (check.answer == CHECK_SPEC_FAULT) {
    for (uint32_t i = 0; i < c->ninit; i++)
      client_add_init(&one, c->calls[i]);
    for (uint32_t i = 0; i < check.order.len; i++)
      client_add(&one, 1, c->calls[check.order.at[i]]);
    faulty = shrink_fails(&p->s, &one, NULL, 0);
  }
  client_free(&one);
  check_free(&check);
  return faulty;
}

/* ---- */

static void conclude(struct repeat *p) {
  struct hunt *h = p->s.h;
  struct checker *j = &h->checker;
  const struct client *c = &p->s.bad.client;
  double begun = clock_now();
  uint32_t pc = client_first_final(c) - c->ninit;
  if (!p->s.spec_fault) { /* else the hunt needs the checker's order */
    shrink_reduce(&p->s);
    j->fault = p->s.fault;
    j->spec_fault = false;
  }
  h->shrunk_from = p->s.client.ncalls;
  h->shrinking = (struct minimal){.locate_seconds = p->s.locate_seconds,
                                  .pc = c->nthreads > 1 ? pc : 0,
                                  .checks = p->s.checks};
  hunt_minimize(h, &p->s.bad, true, true);
  if (h->r->finding)
    h->r->finding->minimal.reduce_seconds = clock_now() - begun;
}

static char *say_found(uint64_t clients) {
  return xasprintf(
      "repeated under the scheduler with client %llu of those that "
      "were made of the failing history",
      (unsigned long long)clients);
}

static char *say_not_found(const struct repeat *p) {
  static const char what[] = "the failing history could not be repeated under "
                             "the scheduler";
  const struct hunt *h = p->s.h;
  bool late = h->timed && clock_now() >= h->deadline;
  uint64_t n = p->s.clients;
  if (!p->windows.len && !n)
    return xasprintf("%s: no two of its calls overlap", what);
  return xasprintf("%s: %sno fault in %llu client%s made of its calls (what "
                   "only real processors do, such as delaying a store, the "
                   "scheduler does not)",
                   what, late ? "--time ended the search; " : "",
                   (unsigned long long)n, n == 1 ? "" : "s");
}

bool from_history(struct hunt *h, const struct history *failing,
                  char **sentence) {
  struct repeat p = {.s = {.h = h, .max_effort = WAY_EFFORT}};
  assert(!h->checker.implementation || h->checker.client == failing->client);
  double begun = clock_now();
  shrink_take_history(&p.s, failing);
  find_past(&p);
  bool bad = try_alone(&p) || try_whole(&p) || shrink_serial(&p.s) ||
             try_coarse(&p, COARSE_H) || try_windows(&p) ||
             try_coarse(&p, COARSE_D);
  uint64_t clients = p.s.clients;
  p.s.locate_seconds = clock_now() - begun;
  if (bad)
    conclude(&p);
  *sentence = bad ? say_found(clients) : say_not_found(&p);
  vec_free(&p.windows);
  vec_free(&p.order);
  shrinker_free(&p.s);
  return bad && h->r->finding;
}
