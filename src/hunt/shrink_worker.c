/*
 * faultline shrink, in the worker: shrinks a history from a file, the client of
 * --client, or long random clients that fail, as the CGVT paper's tool does.
 * Version B runs them on real threads, D and H under the scheduler by D-PCT,
 * block by block; with --search=random by a coin before each step, which is
 * what that tool's scheduler asks (bench/papers/cgvt.tsv).
 */
#include "base/clock.h"
#include "hunt/finding.h"
#include "hunt/from_history.h"
#include "hunt/shrink.h"

#include "history/read/history_file.h"
#include "search/blocks.h"
#include "search/stress.h"

#include <stdlib.h>
#include <string.h>

enum {
  HISTORIES = 20,           /* without --max-executions */
  BLOCK_CALLS = 2,          /* of a thread in a block, at most (D) … */
  BESIDE_CALLS = 4,         /* … beside a thread that makes one call (H) */
  CALL_STEPS = 1000,        /* of a call, on top of --max-steps */
  LOCATE_EFFORT = 20000000, /* steps: about a second or two */
  CHECK_CALLS = 2000000,    /* of the specification, for one history */
  WATCHDOG_MS = 1000,
  MOST_FAILING = 4, /* failing histories, of which the best client is taken */
  LEAST_PC = 2, /* concurrent calls: no race has fewer, so look no further */
  REAL_SECONDS = 5, /* B: no other history is localized after this time */
  LONG_CLIENT = 20, /* calls: if more are left, real threads were no help */
};

static const char *const version_name[] = {"best", "b", "d", "h"};

struct detection {
  struct hunt *h;
  enum coarse_version version;
  struct stress *stress; /* B */
  const struct fl_suite *native;
  struct shrinker found[MOST_FAILING]; /* of failing histories, those … */
  uint32_t nfound, njudged;            /* … with wrong results first */
  struct client client;                /* the current one */
  uint32_t histories, failing, wrong;  /* wrong: by their results */
  double check_seconds;
  struct check check;
};

/* ---- long clients ---- */

/* The thread that makes the calls of a group (FL_GROUP): group by group in
 * turn. */
static uint32_t owner_of(const struct gen_object *gen, uint32_t group,
                         uint32_t threads) {
  uint32_t rank = 0;
  for (uint32_t i = 0; gen->ops[i].group != group; i++) {
    uint32_t first = 0;
    while (gen->ops[first].group != gen->ops[i].group)
      first++;
    rank += gen->ops[i].group && first == i;
  }
  return rank % threads + 1;
}

static bool may_call(const struct detection *d, uint32_t op, uint32_t thread) {
  const struct gen_object *gen = &d->h->object.gen;
  const struct gen_op *o = &gen->ops[op];
  if (o->nargs && !o->args[0].count)
    return false;
  return !o->group ||
         owner_of(gen, o->group, (uint32_t)d->h->set->threads) == thread;
}

static bool has_calls(const struct detection *d, uint32_t thread) {
  bool some = false;
  for (uint32_t i = 0; i < d->h->object.gen.nops; i++)
    some |= may_call(d, i, thread);
  return some;
}

static struct call any_call(const struct detection *d, uint32_t thread,
                            struct rng *rng) {
  const struct gen_object *gen = &d->h->object.gen;
  struct call c = {0};
  do
    c.op = (uint16_t)rng_below(rng, gen->nops);
  while (!may_call(d, c.op, thread));
  c.nargs = gen->ops[c.op].nargs;
  for (uint32_t i = 0; i < c.nargs; i++) {
    const struct gen_arg *a = &gen->ops[c.op].args[i];
    c.args[i] = a->count ? a->values[rng_below(rng, a->count)] : 0;
  }
  return c;
}

static bool is_usable(const struct detection *d) {
  uint32_t threads = 0;
  for (uint32_t t = 1; t <= d->h->set->threads; t++)
    threads += has_calls(d, t);
  return threads > 1;
}

/* Every operation and every value is equally likely. */
static void make_client(struct detection *d) {
  const struct settings *set = d->h->set;
  struct rng rng = {set->seed + 1000003 * (uint64_t)d->histories};
  client_free(&d->client);
  for (uint32_t t = 1, n = 0; t <= set->threads; t++) {
    if (!has_calls(d, t))
      continue;
    n++;
    for (uint32_t i = 0; i < set->ops; i++)
      client_add(&d->client, n, any_call(d, t, &rng));
  }
}

/* ---- detection ---- */

/* Checks the history and measures the time. */
static bool is_bad(struct detection *d, const struct history *h) {
  const struct checker *j = &d->h->checker;
  double begun = clock_now();
  check_linearize(h, j->spec, j->criterion, CHECK_CALLS, &d->check);
  d->check_seconds += clock_now() - begun;
  return d->check.answer == CHECK_NO || d->check.answer == CHECK_SPEC_FAULT;
}

static enum judgement judge_real(void *ctx, const struct history *now,
                                 bool invariant) {
  struct detection *d = ctx;
  struct checker *j = &d->h->checker;
  d->h->r->statistics.executions++;
  bool bad = is_bad(d, now) || !invariant;
  if (!bad && d->check.answer == CHECK_UNKNOWN) {
    j->undecided++;
    j->limit = d->check.limit;
  }
  return bad ? JUDGE_BAD : JUDGE_GOOD;
}

static void prepare(struct detection *d) {
  uint64_t most = d->h->set->max_steps;
  rt_limit((uint32_t)(most + CALL_STEPS * (uint64_t)d->client.ncalls));
  hunt_prepare(d->h, &d->client);
}

/* Keeps the first histories with wrong results; if there are none, the first
 * that hangs or crashes. */
static void take_real(struct detection *d, const struct history *h,
                      bool by_results) {
  d->failing++;
  d->wrong += by_results;
  if (by_results ? d->njudged == MOST_FAILING : d->nfound)
    return;
  struct shrinker *s = &d->found[d->njudged];
  client_free(&s->client);
  free(s->history.ops);
  shrink_take_history(s, h);
  d->njudged += by_results;
  d->nfound = d->njudged ? d->njudged : 1;
}

/* B: one round of real threads. */
static void detect_real(struct detection *d) {
  struct stress_run run = {.judge = {judge_real, d},
                           .max_rounds = 1,
                           .seed = d->h->set->seed + d->histories,
                           .heartbeat = &d->h->shared->heartbeat};
  prepare(d);
  enum stress_end end =
      stress_run(d->stress, d->native, &d->client, &run, &d->h->work->error);
  if (run.history.ops && end != STRESS_ERROR)
    take_real(d, &run.history, end == STRESS_BAD);
  stress_run_release(&run);
}

static void estimate(struct detection *d, struct explore *x) {
  struct hunt *h = d->h;
  vec_clear(&h->estimate);
  for (uint32_t i = 0; i < d->client.ncalls && h->target->estimates; i++)
    vec_push(&h->estimate, h->target->estimates[d->client.calls[i].op]);
  x->estimate = h->estimate.at;
  x->nestimates = h->estimate.len;
}

/* Judges the execution, and checks its history once more to measure the time.
 * The judge may run the object as its own specification, which overwrites the
 * history: hence the copy. */
static enum judgement judge_controlled(void *ctx, enum rt_end end) {
  struct detection *d = ctx;
  struct judge judge = checker_judge(&d->h->checker);
  struct history h = *rt_history();
  uint32_t n = d->client.ncalls;
  struct hop *ops = xmalloc((n + 1) * sizeof *ops);
  memcpy(ops, h.ops, n * sizeof *ops);
  h.ops = ops;
  uint64_t undecided = d->h->checker.undecided;
  enum judgement judged = judge.ended(judge.ctx, end);
  if (end == RT_DONE && d->h->checker.undecided == undecided)
    is_bad(d, &h);
  free(ops);
  return judged;
}

static void detect_controlled(struct detection *d) {
  struct blocks how = {.most = BESIDE_CALLS, .one = true};
  if (d->version == COARSE_D)
    how = (struct blocks){.most = BLOCK_CALLS};
  how.coin = d->h->set->search == SEARCH_RANDOM;
  struct explore x;
  prepare(d);
  hunt_explore_init(d->h, &x);
  x.judge = (struct judge){judge_controlled, d, NULL};
  x.max_executions = 1;
  x.first_execution = d->histories;
  estimate(d, &x);
  enum explore_end end = explore_blocks(&x, &how);
  d->h->r->statistics.executions += x.executions;
  d->h->r->statistics.events += x.steps;
  if (end == EXPLORE_BAD && d->nfound < MOST_FAILING) {
    struct shrinker *s = &d->found[d->nfound++];
    s->h = d->h;
    s->only = d->h->checker.fault;
    shrink_record(s, &d->client, &x.bad);
  }
  d->failing += end == EXPLORE_BAD;
  d->wrong +=
      end == EXPLORE_BAD && d->h->checker.fault == FAULT_NOT_LINEARIZABLE;
  vec_free(&x.bad);
}

static bool wants_more(const struct detection *d) {
  const struct hunt *h = d->h;
  if (h->work->error.code || (h->timed && clock_now() >= h->deadline))
    return false;
  return d->histories < (h->counted ? h->max_executions : HISTORIES);
}

static void detect(struct detection *d) {
  while (wants_more(d)) {
    make_client(d);
    d->h->clients++;
    if (d->stress)
      detect_real(d);
    else
      detect_controlled(d);
    d->histories++;
  }
}

/* ---- localization ---- */

/* Real threads did not fail again: tries the other ways for a history without a
 * schedule. */
static bool locate_otherwise(struct detection *d, uint32_t pc) {
  bool found = false;
  for (uint32_t i = 0; d->stress && i < d->nfound && !found; i++) {
    char *sentence = NULL;
    if (d->h->checker.implementation &&
        hunt_prepare(d->h, &d->found[i].client) != RT_DONE)
      break;
    found = from_history(d->h, &d->found[i].history, &sentence);
    free(sentence);
  }
  if (found)
    d->h->r->finding->minimal.pc = pc; /* of the version the user asked for */
  return found;
}

static bool locate_in(struct detection *d, struct shrinker *s, bool small) {
  s->only_small = small;
  s->h = d->h;
  s->version = d->version;
  s->stress = d->stress;
  s->native = d->native;
  s->max_effort = LOCATE_EFFORT;
  if (d->h->checker.implementation)
    hunt_prepare(d->h, &s->client);
  return shrink_run(s);
}

/* Has `a` fewer concurrent calls?  0 is the worst: another version found the
 * client. */
static bool is_better(const struct shrinker *a, const struct shrinker *b) {
  return !b || (a->pc && (!b->pc || a->pc < b->pc));
}

static bool wants_another(const struct detection *d,
                          const struct shrinker *best) {
  const struct hunt *h = d->h;
  if (h->work->error.code || (best && best->pc == LEAST_PC))
    return false;
  return !d->stress || h->shrinking.locate_seconds < REAL_SECONDS;
}

/* The best client of several failing histories, since Algorithm 1 depends on
 * the history.  `small`: version B uses the engine only. */
static struct shrinker *locate_best(struct detection *d, bool small) {
  struct shrinker *best = NULL;
  for (uint32_t i = 0; i < d->nfound && wants_another(d, best); i++) {
    struct shrinker *s = &d->found[i];
    bool found = locate_in(d, s, small);
    d->h->shrinking.locate_seconds += s->locate_seconds;
    d->h->shrinking.checks += s->checks;
    if (found && is_better(s, best))
      best = s;
  }
  return best;
}

static const char *late(const struct hunt *h) {
  return h->timed && clock_now() >= h->deadline ? " (stopped by --time)" : "";
}

static void locate(struct detection *d) {
  struct hunt *h = d->h;
  double begun = clock_now();
  struct shrinker *s = d->stress ? locate_best(d, true) : NULL;
  if (!s)
    s = locate_best(d, false);
  uint32_t from = (s ? s : &d->found[0])->client.ncalls;
  h->shrinking.pc = s ? s->pc : 0;
  h->shrunk_from = from;
  if ((!s || s->bad.client.ncalls > LONG_CLIENT) &&
      locate_otherwise(d, h->shrinking.pc))
    return;
  if (!s) {
    h->r->verdict = VERDICT_UNKNOWN;
    h->r->reason = xasprintf("a history of %u calls fails, but none of %u "
                             "clients made of its calls did%s",
                             from, h->shrinking.checks, late(h));
    return;
  }
  h->checker.fault = s->fault;
  h->checker.spec_fault = false;
  hunt_minimize(h, &s->bad, true, true);
  if (h->r->finding)
    h->r->finding->minimal.reduce_seconds =
        clock_now() - begun - h->shrinking.locate_seconds;
}

static void release(struct detection *d) {
  for (uint32_t i = 0; i < MOST_FAILING; i++)
    shrinker_free(&d->found[i]);
  client_free(&d->client);
  check_free(&d->check);
}

/* "; 1 was not checked to the end (stopped by --time)"; the caller frees it. */
static char *say_undecided(const struct checker *j) {
  unsigned long long n = j->undecided;
  if (!n)
    return xstrdup("");
  return xasprintf("; %llu %s not checked to the end (stopped by %s)", n,
                   n == 1 ? "was" : "were", j->limit);
}

/* " (2 of them crash or hang)"; the caller frees it. */
static char *say_stopped(const struct detection *d) {
  uint32_t n = d->failing - d->wrong;
  if (!n)
    return xstrdup("");
  return n == d->failing ? xstrdup(" (by a crash or a hang)")
                         : xasprintf(" (%u by a crash or a hang)", n);
}

static void report_detection(struct detection *d) {
  struct hunt *h = d->h;
  const struct settings *set = h->set;
  h->r->shrink.histories = d->histories;
  h->r->shrink.failing = d->failing;
  h->r->shrink.wrong = d->wrong;
  h->r->shrink.check_seconds =
      d->histories ? d->check_seconds / d->histories : 0;
  h->r->coverage.threads = (uint32_t)set->threads;
  h->r->coverage.ops = (uint32_t)set->ops;
  h->r->coverage.sampled_clients = d->histories;
  char *undecided = say_undecided(&h->checker);
  char *otherwise = say_stopped(d);
  h->r->coverage.sentence =
      xasprintf("%u of %u histories of %llu x %llu random calls fail%s, %s%s",
                d->failing, d->histories, (unsigned long long)set->threads,
                (unsigned long long)set->ops, otherwise,
                d->stress ? "on real threads"
                : set->search == SEARCH_RANDOM
                    ? "executions drawn at random, a few calls at a time"
                    : "executions drawn by D-PCT, a few calls at a time",
                undecided);
  free(undecided);
  free(otherwise);
}

static bool open_native(struct detection *d) {
  struct hunt *h = d->h;
  struct stress_options o = {.watchdog_ms = WATCHDOG_MS,
                             .show_output = h->set->show_output};
  d->stress = stress_open(h->target->native, &o, &h->work->error);
  if (!d->stress)
    return false;
  d->native = stress_suites(d->stress);
  while (d->native && strcmp(d->native->name, h->checker.suite->name))
    d->native = d->native->next;
  if (!d->native)
    error_set(&h->work->error, ERR_BUILD,
              "the build without hooks has no object %s", h->r->object);
  return d->native;
}

static void shrink_random(struct hunt *h) {
  struct detection d = {.h = h, .version = (enum coarse_version)h->set->coarse};
  if (!is_usable(&d)) {
    h->r->verdict = VERDICT_UNKNOWN;
    h->r->reason = xstrdup("no client could be made of these operations");
    return;
  }
  if (h->target->native && !open_native(&d))
    return;
  detect(&d);
  report_detection(&d);
  if (d.failing && !h->work->error.code)
    locate(&d);
  release(&d);
}

/* ---- a client that is given ---- */

/* Shrinks the first bad execution of the client. */
static void shrink_client(struct hunt *h) {
  struct shrinker s = {.h = h, .max_effort = LOCATE_EFFORT};
  struct client c = {0};
  if (!hunt_read_client(h, h->set->client, &c))
    return;
  h->clients = 1;
  h->shrunk_from = c.ncalls;
  bool bad = shrink_fails(&s, &c, NULL, 0) || shrink_fails_somehow(&s, &c);
  h->r->coverage.sentence =
      xstrdup("executions of this client until one fails");
  if (bad) {
    double begun = clock_now();
    shrink_reduce(&s);
    h->shrinking.checks = s.checks;
    h->checker.only = s.fault;
    h->checker.fault = s.fault;
    h->checker.spec_fault = false;
    hunt_minimize(h, &s.bad, true, true);
    if (h->r->finding)
      h->r->finding->minimal.reduce_seconds = clock_now() - begun;
  } else if (!h->work->error.code) {
    h->r->verdict = VERDICT_UNKNOWN;
    h->r->reason = xstrdup("no execution of the client failed");
  }
  client_free(&c);
  shrinker_free(&s);
}

/* ---- a history from a file ---- */

static void read_names(const struct hunt *h, struct history_names *out) {
  static const uint8_t kind[] = {
      [FL_TYPE_VOID] = VALUE_VOID,       [FL_TYPE_BOOL] = VALUE_BOOL,
      [FL_TYPE_INT] = VALUE_INT,         [FL_TYPE_UINT] = VALUE_UINT,
      [FL_TYPE_POINTER] = VALUE_POINTER, [FL_TYPE_STRING] = VALUE_STRING};
  uint32_t n = 0;
  uint8_t *kinds = xmalloc(h->object.names.count + 1);
  for (const struct fl_op *op = h->checker.suite->ops; op; op = op->next)
    kinds[n++] = kind[op->type];
  *out = (struct history_names){h->object.names, h->object.nargs, kinds};
}

/* Shrinks the history with the version that the user asked for. */
static bool shrink_given(struct hunt *h, const struct history *failing,
                         char **sentence) {
  struct detection d = {.h = h, .version = (enum coarse_version)h->set->coarse};
  shrink_take_history(&d.found[0], failing);
  d.nfound = 1;
  if (!h->target->native || open_native(&d))
    locate(&d);
  *sentence =
      xasprintf("%u clients made of the failing history", h->shrinking.checks);
  release(&d);
  return h->r->finding;
}

static void shrink_history(struct hunt *h, const struct history *failing) {
  struct check check = {0};
  char *sentence = NULL;
  enum rt_end ready = hunt_prepare(h, failing->client);
  if (h->checker.implementation && ready != RT_DONE) {
    hunt_setup_failed(h, failing->client, ready);
    h->r->coverage.sentence =
        xstrdup("the history was not checked: the object cannot be made");
    return;
  }
  double begun = clock_now();
  check_linearize(failing, h->checker.spec, h->checker.criterion, CHECK_CALLS,
                  &check);
  enum check_answer answer = check.answer;
  const char *limit = check.limit;
  check_free(&check);
  h->r->shrink.check_seconds = clock_now() - begun;
  h->r->shrink.histories = 1;
  h->r->shrink.failing = answer == CHECK_NO || answer == CHECK_SPEC_FAULT;
  h->r->shrink.wrong = h->r->shrink.failing;
  if (answer == CHECK_YES || answer == CHECK_UNKNOWN) {
    h->r->verdict = VERDICT_UNKNOWN;
    h->r->reason =
        answer == CHECK_YES
            ? xstrdup("the history is linearizable: there is nothing to shrink")
            : xasprintf("the history is too hard to check (stopped by %s)",
                        limit);
    return;
  }
  bool found = h->set->coarse == COARSE_BEST
                   ? from_history(h, failing, &sentence)
                   : shrink_given(h, failing, &sentence);
  if (!found && !h->r->reason && !h->work->error.code) {
    h->r->verdict = VERDICT_UNKNOWN;
    h->r->reason = xstrdup(sentence);
  }
  h->r->coverage.sentence = sentence;
}

static void shrink_file(struct hunt *h) {
  struct history_names names;
  struct history_read in;
  read_names(h, &names);
  if (!history_file_read(&in, h->set->history, &names, &h->work->error)) {
    if (in.object && strcmp(in.object, h->r->object))
      error_set(&h->work->error, ERR_INPUT,
                "%s: a history of the object %s, not of %s", h->set->history,
                in.object, h->r->object);
    else
      shrink_history(h, &in.history);
    history_read_free(&in);
  }
  free((void *)names.kinds);
}

void hunt_shrink_command(struct hunt *h) {
  rt_limit(UINT32_MAX); /* the engine runs long clients serially */
  if (h->timed && h->checker.spec)
    h->checker.spec->deadline = h->deadline;
  h->r->shrink.version = version_name[h->set->coarse];
  if (h->set->history)
    shrink_file(h);
  else if (h->set->client)
    shrink_client(h);
  else
    shrink_random(h);
  h->r->chance = (struct chance){0}; /* is that of candidates, not of the run */
}
