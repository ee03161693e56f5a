/* Finds the good execution nearest to the bad one (search/neighbour.h). */
#include "search/neighbour.h"
#include "hunt/inside.h"

enum {
  MOST_RUNS = 600,     /* executions of the client */
  MOST_STEPS = 400000, /* of all executions */
};

/* The first event of different threads in the two traces; UINT32_MAX: none. */
static uint32_t first_other_thread(const struct trace *a,
                                   const struct trace *b) {
  uint32_t n = a->nevents < b->nevents ? a->nevents : b->nevents;
  for (uint32_t i = 0; i < n; i++)
    if (a->events[i].thread != b->events[i].thread)
      return i;
  return UINT32_MAX;
}

static struct value *results_of(const struct history *h, struct arena *a) {
  uint32_t n = h->client ? h->client->ncalls : 0;
  struct value *v = arena_alloc(a, (n + 1) * sizeof *v);
  for (uint32_t i = 0; v && i < n; i++)
    v[i] = hop_pending(&h->ops[i]) ? value_void() : h->ops[i].result;
  return v;
}

/* Records the good path and compares it with the failing one. */
static void keep_neighbour(struct finding *f, const path *good,
                           struct arena *a) {
  struct neighbour *near = &f->near;
  struct arena own = {0};
  struct trace t = {0};
  struct replay r;
  replay_init(&r, good->at, good->len);
  enum rt_end end = rt_run_recorded(&r.driver, &own, &t);
  if ((end == RT_DONE || end == RT_STUCK) && !r.diverged && !t.truncated &&
      trace_copy(&near->trace, &t, a)) {
    near->event = first_other_thread(&f->trace, &near->trace);
    near->results = results_of(&near->trace.history, a);
    near->found = near->event != UINT32_MAX && near->results;
  }
  if (near->found) {
    near->failing = f->trace.events[near->event].thread;
    near->passing = near->trace.events[near->event].thread;
  }
  replay_free(&r);
  arena_free(&own);
}

void hunt_neighbour(struct hunt *h, struct finding *f, const path *bad) {
  struct checker *j = &h->checker;
  uint64_t undecided = j->undecided;
  bool alone = j->suite && f->client.nthreads < 2;
  if (alone || h->target->trial || fault_is_doubt(f->fault))
    return;
  struct neighbour_search n = {.judge = checker_judge(j),
                               .at = bad->at,
                               .len = bad->len,
                               .max_runs = MOST_RUNS,
                               .max_steps = MOST_STEPS,
                               .live = &h->shared->path};
  /* If a check ran out of budget, the execution may be bad after all. */
  if (neighbour_find(&n) && j->undecided == undecided)
    keep_neighbour(f, &n.good, &h->work->arena);
  vec_free(&n.good);
}
