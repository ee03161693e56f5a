/*
 * From a bad execution to the smallest client that shows the same kind of
 * fault, and of its bad executions to one with few switches.
 *
 * (M1) when minimal_checked is set, every client with one call less was
 *      searched completely, without finding this kind of fault.
 */
#include "cli/finding.h"
#include "cli/hunt_int.h"

enum {
  MINIMIZE_STATES = 50000, /* of a client with one call less */
  MINIMIZE_SECONDS = 10,   /* in all: states can be very large */
};

/* Does this client show the same kind of fault?  *proved is cleared when the
 * search could not say no for sure. */
static bool still_bad(struct hunt *h, const struct client *c, path *out,
                      bool *proved) {
  if (hunt_prepare(h, c) != RT_DONE)
    return false;
  struct explore x;
  hunt_explore_init(h, &x);
  x.deadline = h->patience;
  x.max_states = MINIMIZE_STATES;
  enum explore_end how = hunt_explore(h, &x, SEARCH_STATEFUL);
  if ((how != EXPLORE_ALL && how != EXPLORE_BAD) || x.cut)
    *proved = false;
  if (how == EXPLORE_BAD) {
    vec_free(out);
    *out = x.bad;
    return true;
  }
  vec_free(&x.bad);
  return false;
}

static bool minimize(struct hunt *h, struct bad *b) {
  bool proved = true;
  for (uint32_t id = b->client.ncalls; id--;) {
    struct client less = {0};
    client_without(&less, &b->client, id);
    if (less.ncalls && less.nthreads &&
        still_bad(h, &less, &b->path, &proved)) {
      client_free(&b->client);
      b->client = less;
      id = b->client.ncalls; /* what was needed may not be any more */
      proved = true;
    } else {
      client_free(&less);
    }
  }
  return proved; /* M1 */
}

/* Among the bad executions of the client, one with the fewest switches. */
static void make_tidy(struct hunt *h, struct bad *b) {
  if (hunt_prepare(h, &b->client) != RT_DONE)
    return;
  struct explore x;
  hunt_explore_init(h, &x);
  x.all = x.graph = true;
  x.deadline = h->patience;
  x.max_states = 4 * MINIMIZE_STATES;
  hunt_explore(h, &x, SEARCH_STATEFUL);
  if (x.bad.len && x.bad_switches < path_switches(b->path.at, b->path.len)) {
    vec_free(&b->path);
    b->path = x.bad;
  } else {
    vec_free(&x.bad);
  }
}

/* The sequential run that fails is a client of one thread. */
static void sequential_client(const struct jury *j, struct client *out) {
  const struct client *c = j->client;
  *out = (struct client){0};
  for (uint32_t i = 0; i < c->ninit; i++)
    client_add_init(out, c->calls[i]);
  for (uint32_t i = 0; i < j->check.order.len; i++)
    client_add(out, 1, c->calls[j->check.order.at[i]]);
}

static void make_sequential(struct hunt *h, struct bad *b) {
  struct client alone;
  bool proved = true;
  sequential_client(&h->jury, &alone);
  client_free(&b->client);
  b->client = alone;
  vec_clear(&b->path);
  h->jury.only = FAULT_NONE;
  still_bad(h, &b->client, &b->path, &proved);
}

/* The path was bad, and is not when it is run again. */
void hunt_not_repeatable(struct hunt *h) {
  if (!h->order->partial) {
    error_set(&h->shared->error, ERR_SYSTEM,
              "internal error: a bad execution of %s could not be repeated",
              h->shared->board->client);
    return;
  }
  h->r->verdict = VERDICT_UNKNOWN;
  h->r->reason = xasprintf("an execution of %s failed and could not be "
                           "repeated, since something escapes the runtime (see "
                           "the warnings)",
                           h->shared->board->client);
}

void hunt_minimize(struct hunt *h, struct bad *b, bool simplify, bool tidy) {
  struct jury *j = &h->jury;
  bool minimal = false;
  h->found = true;
  h->patience = explore_now() + MINIMIZE_SECONDS;
  uint64_t before = h->r->statistics.executions;
  if (j->suite && j->spec_fault)
    make_sequential(h, b);
  j->only = j->fault;
  if (simplify && j->suite)
    minimal = minimize(h, b);
  if (tidy && j->suite)
    make_tidy(h, b);
  j->only = FAULT_NONE;
  h->minimizing = h->r->statistics.executions - before;
  if (j->suite)
    hunt_prepare(h, &b->client);
  struct retrace how = {.at = b->path.at, .len = b->path.len};
  struct finding *f = finding_make(j, &how, h->shared);
  if (!f) {
    hunt_not_repeatable(h);
    return;
  }
  f->minimal_checked = minimal;
  hunt_conclude(h, f);
}
