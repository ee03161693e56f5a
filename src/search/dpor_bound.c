/*
 * Bounded preemptions: a trace counts when one of its linearizations leaves a
 * thread that could go on at most so many times (Musuvathi and Qadeer, PLDI
 * 2007, bound executions so).  A search over how far each thread is, and which
 * one made the last step, finds it.  It stays with that thread as long as it
 * can and prunes orders with too many preemptions.
 *     T1: a b   T2: c   T1: d    one preemption; but if only c and d depend on
 *     T2: c   T1: a b d          each other, the same trace without any
 *
 * Whether a thread could go on where its next step has to wait is the engine's
 * to say: the linearization so far is run.
 */
#include "search/dpor_int.h"

#include "base/map128.h"

struct dpor_linearizer {
  struct dpor *d;
  uint32_t done[THREADS], total[THREADS]; /* by thread: steps */
  bool last_ends_it;                      /* nothing can come behind it */
  uint32_t pending;                       /* mask: threads that never end */
  struct map128 tried;   /* by place: the fewest preemptions so far */
  struct map128 enabled; /* by place: mask of threads that could go on */
};

static const struct dpor_event *next_of(const struct dpor_linearizer *b,
                                        uint32_t t) {
  const struct dpor *d = b->d;
  return b->done[t] < b->total[t] ? &d->events.at[d->places[t].at[b->done[t]]]
                                  : NULL;
}

/* Were all events made that the clock counts, without the step itself? */
static bool has_all(const struct dpor_linearizer *b, const uint32_t *clock,
                    uint32_t own) {
  for (uint32_t t = 0; t < b->d->nthreads; t++)
    if (clock[t] > b->done[t] + (t == own))
      return false;
  return true;
}

static const uint32_t *row(const struct dpor_linearizer *b, const rows *r,
                           const struct dpor_event *e) {
  return &r->at[(size_t)(e - b->d->events.at) * b->d->width];
}

static bool is_ready(const struct dpor_linearizer *b, uint32_t t) {
  const struct dpor *d = b->d;
  const struct dpor_event *e = next_of(b, t);
  if (!e || !has_all(b, row(b, &d->clocks, e), t))
    return false;
  bool last = e == &d->events.at[d->made - 1];
  return !last || !b->last_ends_it || d->linear.len + 1 == d->made;
}

/* A hash of how far each thread is and of the current one.  This is not the
 * seed: XXH3 adds the seed to short inputs, so that such hashes meet. */
static struct hash128 place(const struct dpor_linearizer *b, uint32_t current) {
  uint32_t what[THREADS + 1], n = b->d->nthreads;
  memcpy(what, b->done, n * sizeof *what);
  what[n] = current;
  return hash128(what, (n + 1) * sizeof *what, 0);
}

/* Runs the linearization so far. */
static enum rt_end run_linear(struct dpor *d, uint32_t *enabled) {
  dpor_plan(d, 0);
  for (uint32_t i = 0; i < d->linear.len; i++)
    dpor_plan_step(d, &d->events.at[d->linear.at[i]].a);
  return dpor_run_plan(d, enabled);
}

static uint32_t ask_engine(struct dpor_linearizer *b) {
  bool fresh;
  uint32_t *known = map128_put(&b->enabled, place(b, THREADS), &fresh);
  if (fresh)
    run_linear(b->d, known);
  return *known;
}

static bool could_go_on(struct dpor_linearizer *b, uint32_t t) {
  const struct dpor_event *e = next_of(b, t);
  if (!e)
    return b->pending >> t & 1 && ask_engine(b) >> t & 1;
  if (!has_all(b, row(b, &b->d->arrived, e), t))
    return false; /* not there yet: to be created, or joining */
  return !(e->a.flags & (RT_WAITS | RT_ISSUED) || e->a.drains) ||
         ask_engine(b) >> t & 1;
}

static bool linearize(struct dpor_linearizer *b, uint32_t current,
                      uint32_t preempted);

/* Makes the next step of t, behind one of `current`; a commit leaves `current`
 * as it is. */
static bool step(struct dpor_linearizer *b, uint32_t t, uint32_t current,
                 uint32_t preempted) {
  struct dpor *d = b->d;
  if (!is_ready(b, t))
    return false;
  vec_push(&d->linear, d->places[t].at[b->done[t]]);
  b->done[t]++;
  if (linearize(b, rt_is_buffer((int)t) ? current : t, preempted))
    return true;
  b->done[t]--;
  d->linear.len--;
  return false;
}

static bool linearize(struct dpor_linearizer *b, uint32_t current,
                      uint32_t preempted) {
  struct dpor *d = b->d;
  if (d->linear.len == d->made)
    return true;
  bool fresh;
  uint32_t *tried = map128_put(&b->tried, place(b, current), &fresh);
  if (!fresh && *tried <= preempted)
    return false;
  *tried = preempted;
  if (step(b, current, current, preempted))
    return true;
  for (uint32_t t = RT_BUFFERS; rt_tso() && t < d->nthreads; t++)
    if (step(b, t, current, preempted))
      return true;
  preempted += could_go_on(b, current);
  for (uint32_t t = 0; t < d->nthreads && preempted <= d->x->preemptions; t++)
    if (t != current && !rt_is_buffer((int)t) && step(b, t, current, preempted))
      return true;
  return false;
}

/* Did the last step end the execution although others could go on? */
static bool ended_early(enum rt_end how) {
  if (how == RT_FAULT)
    return rt_fault()->kind != FAULT_DEADLOCK &&
           rt_fault()->kind != FAULT_LIVELOCK;
  return how != RT_STUCK;
}

bool dpor_within_bound(struct dpor *d, enum rt_end *how) {
  struct dpor_linearizer b = {.d = d};
  struct waiting who[THREADS];
  uint32_t n = rt_waiting(who);
  for (uint32_t i = 0; i < n; i++)
    b.pending |= 1u << who[i].thread;
  for (uint32_t i = 0; i < d->made; i++)
    b.total[d->events.at[i].a.thread]++;
  b.last_ends_it = b.pending && ended_early(*how);
  vec_clear(&d->linear);
  bool fits = linearize(&b, 0, 0);
  assert(!fits || d->linear.len == d->made);
  uint32_t enabled;
  if (fits && run_linear(d, &enabled) != *how && *how != RT_CUT)
    d->diverged = true;
  map128_free(&b.tried);
  map128_free(&b.enabled);
  return fits;
}
