/*
 * --search=stress: runs clients on real threads and checks each history.  A
 * failing history is repeated under the scheduler if possible (from_history.h);
 * else the report shows the history alone.
 *
 * The length of a run is counted in calls, not in seconds.  Two runs differ all
 * the same, since the machine schedules the threads.
 */
#include "base/clock.h"
#include "hunt/finding.h"
#include "hunt/from_history.h"
#include "proc/outside.h"
#include "rt/cage.h"

#include "search/stress.h"

#include <stdio.h>
#include <string.h>

enum {
  /* Calls of a run without --time and --max-executions: about a second. */
  STRESS_CALLS = 400000,
  STRESS_CLIENTS = 20,
  /* The same when the object is its own specification, run in the engine. */
  OWN_CALLS = 20000,
  OWN_CLIENTS = 5,
  STRESS_WATCHDOG_MS = 5000,
  /* Calls of the specification to check one history; when that is the object
   * itself, so many and some more for each call of the history. */
  STRESS_BUDGET = 30000,
  OWN_BUDGET = 5000,
  OWN_CALL_BUDGET = 3,
  FEW_CALLS = 8,   /* few enough to report all orders */
  MANY_CALLS = 40, /* histories of longer clients hardly ever come twice */
  MOST_ORDERS = 6,
};

struct rounds {
  struct hunt *h;
  struct stress *stress;
  const struct fl_suite *suite; /* of the object without hooks */
  struct rng rng;
  enum fault fault; /* that the judge found */
  uint64_t discarded, made;
  uint64_t parts; /* histories that were checked in part … */
  uint32_t least; /* … at least the first so many calls of each */
  char *repeated; /* sentence about repeating the failing history */
};

/* Was the history not checked before?  Only short clients repeat their
 * histories; a long history is not worth a digest. */
static bool is_fresh(struct checker *j, const struct history *h) {
  bool fresh = true;
  if (h->client->ncalls <= MANY_CALLS)
    map128_put(&j->seen, history_digest(h), &fresh);
  return fresh;
}

/*
 * The check ran out of budget and left an order of some of the calls.  The
 * calls that returned before the first return of a call outside this order are
 * explained: they count as a shorter round.
 *
 *     a |--|   b |---|      c |----|        the order has a and b,
 *                      d |-|                d is not in it: 2 calls count
 */
static uint32_t count_explained(const struct history *h,
                                const struct checker *j) {
  uint32_t ncalls = h->client->ncalls, first = HISTORY_PENDING, n = 0;
  uint32_t skipped = j->spec->skips_init ? h->client->ninit : 0;
  bool *placed = xcalloc(ncalls + 1, sizeof *placed);
  for (uint32_t i = 0; i < j->check.order.len; i++)
    placed[j->check.order.at[i]] = true;
  for (uint32_t i = skipped; i < ncalls; i++)
    if (!placed[i] && h->ops[i].ret < first)
      first = h->ops[i].ret;
  for (uint32_t i = 0; i < ncalls; i++)
    n += h->ops[i].ret < first;
  free(placed);
  return n;
}

static void note_part(struct rounds *s, const struct history *h) {
  struct checker *j = &s->h->checker;
  if (!checker_is_strict(j)) {
    j->undecided++; /* real time does not order the calls */
    return;
  }
  uint32_t n = count_explained(h, j);
  if (!s->parts++ || n < s->least)
    s->least = n;
}

static uint64_t budget_of(const struct checker *j, const struct history *h) {
  return j->implementation ? OWN_BUDGET + OWN_CALL_BUDGET * h->client->ncalls
                           : STRESS_BUDGET;
}

static enum judgement judge(void *ctx, const struct history *now,
                            bool invariant) {
  struct rounds *s = ctx;
  struct checker *j = &s->h->checker;
  s->h->shared->executions = ++s->h->r->statistics.executions;
  if (!invariant) {
    s->fault = FAULT_INVARIANT;
    return JUDGE_BAD;
  }
  if (!is_fresh(j, now))
    return JUDGE_GOOD; /* the first bad history ends the search */
  j->histories++;
  check_linearize(now, j->spec, j->criterion, budget_of(j, now), &j->check);
  if (j->check.answer == CHECK_UNKNOWN)
    note_part(s, now);
  if (j->check.answer == CHECK_YES || j->check.answer == CHECK_UNKNOWN)
    return JUDGE_GOOD;
  s->fault =
      j->check.answer == CHECK_NO ? FAULT_NOT_LINEARIZABLE : FAULT_SEQUENTIAL;
  return JUDGE_BAD;
}

/* ---- the finding ---- */

static void share_history(struct finding *f, const struct history *from,
                          struct arena *a) {
  uint32_t n = from->client->ncalls;
  struct hop *ops = arena_alloc(a, (n + 1) * sizeof *ops);
  for (uint32_t i = 0; i < n; i++) {
    ops[i] = from->ops[i];
    value_copy(&ops[i].result, from->ops[i].result, a);
  }
  f->trace.history =
      (struct history){.client = &f->client, .ops = ops, .stuck = from->stuck};
}

static void share_refutation(struct finding *f, const struct refutation *from,
                             struct arena *a) {
  struct refutation *r = &f->refutations.at[f->refutations.len++];
  uint32_t len = from->order.len;
  *r = *from;
  r->order.at = arena_alloc(a, (len + 1) * sizeof *r->order.at);
  memcpy(r->order.at, from->order.at, len * sizeof *r->order.at);
  value_copy(&r->expected, from->expected, a);
  finding_share_results(&r->also, &from->also, a);
}

/* Why the history is wrong: all orders of a short one, the longest order of a
 * long one. */
static void say_why(struct checker *j, const struct history *h,
                    struct finding *f, struct arena *a) {
  refutation_list all = {0};
  f->refutations.at = arena_alloc(a, MOST_ORDERS * sizeof *f->refutations.at);
  if (h->client->ncalls <= FEW_CALLS) {
    check_refutations(h, j->spec, j->criterion, MOST_ORDERS, &all,
                      &f->more_refutations);
    for (uint32_t i = 0; i < all.len; i++)
      share_refutation(f, &all.at[i], a);
    check_free_refutations(&all);
  } else if (j->check.answer == CHECK_NO) {
    vec_push(&j->check.order, j->check.stuck_at);
    struct refutation one = {.expected = j->check.expected,
                             .waits = j->check.waits};
    memcpy(&one.order, &j->check.order, sizeof one.order);
    memcpy(&one.also, &j->check.also, sizeof one.also);
    share_refutation(f, &one, a);
  }
}

static const char *words_of(const struct stress_run *run, enum stress_end end,
                            enum fault *fault, struct arena *a) {
  char text[200];
  uint64_t pc;
  int status = end == STRESS_EXITED ? run->status << 8 : run->signal;
  char *refused = end == STRESS_EXITED || end == STRESS_CRASHED
                      ? cage_words(status, &pc)
                      : NULL;
  if (refused) {
    snprintf(text, sizeof text, "%s", refused);
    free(refused);
    *fault = FAULT_UNMODELLED;
    return arena_strdup(a, text);
  }
  switch (end) {
  case STRESS_CRASHED:
    *fault = FAULT_CRASH;
    snprintf(text, sizeof text, "the process died of signal %d (%s)",
             run->signal, strsignal(run->signal));
    break;
  case STRESS_EXITED:
    *fault = FAULT_EXIT;
    snprintf(text, sizeof text, "with status %d", run->status);
    break;
  case STRESS_HUNG:
    *fault = FAULT_ENDLESS;
    snprintf(text, sizeof text, "no call began or ended for %d seconds",
             STRESS_WATCHDOG_MS / 1000);
    break;
  default:
    return NULL;
  }
  return arena_strdup(a, text);
}

static struct finding *make_finding(struct rounds *s, const struct client *c,
                                    const struct stress_run *run,
                                    enum stress_end end) {
  struct arena *a = &s->h->work->arena;
  struct finding *f = arena_alloc(a, sizeof *f);
  f->block = UINT32_MAX;
  f->fault = s->fault;
  f->detail = (char *)words_of(run, end, &f->fault, a);
  f->real_threads = true;
  finding_share_client(&f->client, c, a);
  if (run->history.ops)
    share_history(f, &run->history, a);
  if (f->fault == FAULT_NOT_LINEARIZABLE)
    say_why(&s->h->checker, &run->history, f, a);
  else if (f->fault == FAULT_SEQUENTIAL)
    f->detail = arena_strdup(a, "the object itself fails when these calls are "
                                "made one after the other");
  return f;
}

/* An execution of the engine explains more than the history; if there is one,
 * it is the finding and the history goes with it. */
static void conclude(struct rounds *s, const struct client *c,
                     const struct stress_run *run, enum stress_end end) {
  struct hunt *h = s->h;
  struct finding *f = make_finding(s, c, run, end);
  if (run->history.ops && from_history(h, &run->history, &s->repeated))
    h->r->finding->after = f->trace.history.ops ? &f->trace.history : NULL;
  else if (!h->work->error.code)
    hunt_conclude(h, f);
}

/* ---- rounds ---- */

/* Was the process killed from outside?  An execution of real threads
 * cannot be repeated to find out, so the number of the signal decides. */
static bool is_killed_from_outside(struct hunt *h, enum stress_end end,
                                   int number) {
  if (end != STRESS_CRASHED || outside_never(number))
    return false;
  h->r->verdict = VERDICT_UNKNOWN;
  h->r->reason = outside_words(number);
  return true;
}

/* True: the search ends, with a fault or an error. */
static bool run_client(struct rounds *s, const struct client *c,
                       uint64_t rounds) {
  struct hunt *h = s->h;
  h->clients++;
  h->shared->clients = h->clients;
  if (h->checker.implementation) {
    enum rt_end end = hunt_prepare(h, c);
    if (end != RT_DONE)
      return hunt_setup_failed(h, c, end);
  } else {
    checker_client(&h->checker, c);
  }
  struct stress_run run = {.judge = {judge, s},
                           .max_rounds = rounds,
                           .deadline = h->deadline,
                           .seed = rng_next(&s->rng),
                           .heartbeat = &h->shared->heartbeat};
  enum stress_end end =
      stress_run(s->stress, s->suite, c, &run, &h->work->error);
  s->discarded += run.discarded;
  h->r->statistics.histories = h->checker.histories;
  if (is_killed_from_outside(h, end, run.signal)) {
    s->made += run.rounds - run.discarded;
    stress_run_release(&run);
    return true;
  }
  bool ended =
      end == STRESS_CRASHED || end == STRESS_EXITED || end == STRESS_HUNG;
  bool bad = end == STRESS_BAD || ended;
  s->made += run.rounds - run.discarded + ended;
  if (bad)
    conclude(s, c, &run, end);
  stress_run_release(&run);
  return bad || end == STRESS_ERROR;
}

static uint64_t clients_of(const struct hunt *h) {
  return h->checker.implementation ? OWN_CLIENTS : STRESS_CLIENTS;
}

/* Rounds of one client, if all clients have an equal part of the run. */
static uint64_t rounds_of(const struct hunt *h, const struct client *c,
                          uint64_t clients) {
  uint64_t calls = h->checker.implementation ? OWN_CALLS : STRESS_CALLS;
  uint64_t n = calls / clients / (c->ncalls + 1);
  if (!n)
    n = 1;
  return n < HUNT_RANDOM ? n : HUNT_RANDOM;
}

static void run_given(struct rounds *s) {
  struct hunt *h = s->h;
  struct client c = {0};
  if (!hunt_read_client(h, h->set->client, &c))
    return;
  h->r->coverage.one_client = true;
  uint64_t rounds = h->counted ? h->set->max_executions
                    : h->timed ? 0
                               : rounds_of(h, &c, 1);
  run_client(s, &c, rounds);
  h->r->coverage.sentence =
      xasprintf("%llu round%s of this client on real threads",
                (unsigned long long)s->made, s->made == 1 ? "" : "s");
  client_free(&c);
}

static bool wants_more(const struct rounds *s) {
  const struct hunt *h = s->h;
  if (h->timed && clock_now() >= h->deadline)
    return false;
  if (h->counted)
    return s->made < h->set->max_executions;
  return h->timed || h->clients < clients_of(h);
}

static void run_random(struct rounds *s) {
  struct hunt *h = s->h;
  struct gen_limits limits = {.threads = (uint32_t)h->set->threads,
                              .ops = (uint32_t)h->set->ops,
                              .init = (uint32_t)h->set->init};
  struct generator *g = generator_new(&h->object.gen, &limits);
  bool end = false;
  while (!end && wants_more(s)) {
    struct client c, whole;
    if (!generator_random(g, &s->rng, limits.threads, limits.ops, &c))
      break;
    generate_final(&h->object.gen, &c, &whole);
    client_free(&c);
    uint64_t rounds = rounds_of(h, &whole, clients_of(h));
    uint64_t left = h->set->max_executions - s->made;
    end = run_client(s, &whole, h->counted && left < rounds ? left : rounds);
    client_free(&whole);
  }
  generator_free(g);
  h->r->coverage.threads = limits.threads;
  h->r->coverage.ops = limits.ops;
  h->r->coverage.init = limits.init;
  h->r->coverage.sentence = xasprintf(
      "%llu round%s of %llu random client%s of %u threads with up to %u calls "
      "each, on real threads",
      (unsigned long long)s->made, s->made == 1 ? "" : "s",
      (unsigned long long)h->clients, h->clients == 1 ? "" : "s",
      limits.threads, limits.ops);
}

static void add_remarks(const struct rounds *s) {
  struct buf b = {0};
  char **sentence = &s->h->r->coverage.sentence;
  buf_puts(&b, *sentence);
  if (s->discarded)
    buf_printf(&b, " (%llu more could not be timed)",
               (unsigned long long)s->discarded);
  if (s->parts)
    buf_printf(&b,
               "; %llu too hard to check to the end (their first calls were "
               "checked, %u or more)",
               (unsigned long long)s->parts, s->least);
  if (s->repeated)
    buf_printf(&b, "; %s", s->repeated);
  free(*sentence);
  *sentence = xstrdup(buf_text(&b));
  buf_free(&b);
}

void hunt_stress(struct hunt *h) {
  struct stress_options o = {.watchdog_ms = STRESS_WATCHDOG_MS,
                             .show_output = h->set->show_output};
  struct rounds s = {.h = h, .rng = {h->set->seed}};
  s.stress = stress_open(h->target->native, &o, &h->work->error);
  if (!s.stress)
    return;
  s.suite = stress_suites(s.stress);
  while (s.suite && strcmp(s.suite->name, h->checker.suite->name))
    s.suite = s.suite->next;
  if (!s.suite) {
    error_set(&h->work->error, ERR_BUILD,
              "the build without hooks has no object %s", h->r->object);
    return;
  }
  if (h->set->client)
    run_given(&s);
  else
    run_random(&s);
  h->r->coverage.sampled_clients = h->clients;
  if (s.parts * 2 > s.made)
    h->checker.undecided = s.parts; /* too many for a pass */
  if (h->r->coverage.sentence)
    add_remarks(&s);
}
