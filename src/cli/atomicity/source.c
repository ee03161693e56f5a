/*
 * faultline atomicity on C sources: runs the executions of clients under SC and
 * under TSO (dpor).  Transactions are the client's calls, or blocks of them.
 *
 * Program order, the write that each read reads from, and the order of commits
 * to each location decide whether an execution is serializable and equivalent
 * to one under SC (docs/atomicity.md).  dpor runs at least one execution for
 * each combination of these.
 *
 * A worker does all this, since it runs the user's code, and writes the report.
 */
#include "base/clock.h"
#include "cli/atomicity/int.h"
#include "cli/atomicity/judge.h"
#include "cli/commands.h"
#include "cli/session/session.h"
#include "hunt/object.h"
#include "proc/phase.h"

#include "rt/cage.h"
#include "search/explore.h"
#include "search/generate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
  SC_EXECUTIONS = 4000, /* of a client, at most */
  TSO_EXECUTIONS = 20000,
  MOST_CLIENTS = 60, /* without --client */
};

struct source_run {
  const struct settings *set;
  struct settings own; /* with the object's own memory model */
  struct built *built;
  struct atomic_report *report;
  struct object object;
  struct live_path live;
  double until;
  struct buf traces; /* --trace */
  struct client_judge judge;
};

/* ---- the executions of one client ---- */

/* Records the execution that has just ended, by running it again, and judges
 * it. */
static enum judgement judge_execution(void *ctx, enum rt_end end) {
  struct source_run *s = ctx;
  struct client_judge *j = &s->judge;
  struct replay r;
  struct arena a = {0};
  struct trace t = {0};
  uint32_t len;
  const uint8_t *at = live_whole(&s->live, &len);
  replay_init(&r, at, len);
  r.driver.every = !s->live.only_choices;
  enum rt_end again = rt_run_recorded(&r.driver, &a, &t);
  j->incomplete |= r.diverged || again != end;
  client_judge_execution(j, &t);
  replay_free(&r);
  arena_free(&a);
  return client_judge_done(j) ? JUDGE_STOP : JUDGE_GOOD;
}

static void judge_again(void *ctx) {
  struct source_run *s = ctx;
  client_judge_again(&s->judge);
}

static const char *words(struct source_run *s, const char *format, double n) {
  struct buf b = {0};
  buf_printf(&b, format, n);
  const char *text = arena_strdup(&s->report->arena, buf_text(&b));
  buf_free(&b);
  return text;
}

/* Why some executions were not run; NULL: all were. */
static const char *what_is_missing(struct source_run *s,
                                   const struct explore *x,
                                   enum explore_end end) {
  if (end == EXPLORE_EXECUTIONS)
    return words(s,
                 x->max_executions == 1
                     ? "stopped after %.0f execution (--max-executions)"
                     : "stopped after %.0f executions (--max-executions)",
                 (double)x->max_executions);
  if (end == EXPLORE_TIME)
    return words(s, "stopped after %g seconds (--time)", s->set->time);
  if (x->cut)
    return words(s,
                 "executions were cut off after %.0f extra steps (--max-steps)",
                 (double)s->set->max_steps);
  if (end == EXPLORE_STOPPED) /* all answers are known */
    return NULL;
  return end == EXPLORE_ALL && !s->judge.incomplete
             ? NULL
             : "an execution did not repeat itself";
}

/* Runs all executions of the client under one memory model; false: its initial
 * calls fail. */
static bool run_model(struct source_run *s, const struct client *client,
                      bool tso) {
  rt_set_tso(tso);
  client_judge_model(&s->judge, tso);
  if (rt_prepare(s->object.suite, client) != RT_DONE)
    return false;
  struct explore x = {.judge = {judge_execution, s, judge_again},
                      .max_executions = s->set->max_executions
                                            ? s->set->max_executions
                                        : tso ? TSO_EXECUTIONS
                                              : SC_EXECUTIONS,
                      .deadline = s->until,
                      .live = &s->live,
                      .no_real_time = true,
                      .all = true};
  enum explore_end end = explore_dpor(&x);
  if (x.states) { /* dpor used the search over states, which skips some */
    explore_again(&x);
    x.states = 0;
    end = explore_dfs(&x);
  }
  vec_free(&x.bad);
  client_judge_ran(&s->judge, x.executions + x.cut,
                   what_is_missing(s, &x, end));
  return true;
}

static bool run_client(struct source_run *s, const struct client *client) {
  struct buf name = {0};
  client_print(client, &s->object.names, &name);
  vec_push(&s->report->traces,
           ((struct atomic_trace){
               .name = arena_strdup(&s->report->arena, buf_text(&name)),
               .is_client = true,
               .tso = s->set->model == 1}));
  buf_free(&name);
  client_judge_begin(&s->judge, &vec_last(&s->report->traces), client);
  bool ran = run_model(s, client, false);
  if (ran && client_judge_wants_tso(&s->judge, s->set->no_reduction))
    ran = run_model(s, client, true);
  if (ran)
    client_judge_conclude(&s->judge, s->set->trace ? &s->traces : NULL);
  else
    s->report->traces.len--;
  client_judge_end(&s->judge);
  return ran;
}

static void run_generated(struct source_run *s) {
  struct gen_limits limits = {.threads = (uint32_t)s->set->threads,
                              .ops = (uint32_t)s->set->ops,
                              .init = (uint32_t)s->set->init};
  struct generator *g = generator_new(&s->object.gen, &limits);
  struct client c;
  for (uint32_t n = 0;
       n < MOST_CLIENTS && clock_now() < s->until && generator_next(g, &c);) {
    n += run_client(s, &c);
    client_free(&c);
    phase_count(1, 0);
    phase_show(0, 0, NULL);
  }
  generator_free(g);
}

/* ---- the child ---- */

static int run_all(struct source_run *s, struct error *e) {
  const struct settings *set = s->set;
  const struct description *about = s->built->about;
  struct rt_options o = {0};
  uint32_t which = 0;
  while (which < about->nsuites && set->object &&
         strcmp(about->suites[which].name, set->object))
    which++;
  if (which == about->nsuites)
    return error_set(e, ERR_USAGE, "no object %s%s",
                     set->object ? "is called " : "in the harness",
                     set->object ? set->object : "");
  built_settings(s->built->settings, &about->suites[which], &s->own);
  s->set = set = &s->own;
  if (set->model == MODEL_C11)
    return error_set(e, ERR_USAGE,
                     "faultline atomicity does not know the memory model c11");
  settings_engine(set, &o);
  o.tso = true; /* see run_model */
  if (rt_open(s->built->so, &o, e))
    return e->code;
  rt_part_stores(s->built->probe.part_stores.at,
                 s->built->probe.part_stores.len);
  rt_sites(s->built->probe.sites.at, s->built->probe.sites.len);
  struct fl_suite *suite = rt_suites();
  for (uint32_t i = 0; i < which; i++)
    suite = suite->next;
  object_init(&s->object, suite);
  s->until = clock_now() + set->time;
  client_judge_init(&s->judge, s->report, s->built, &s->object);
  if (!set->client) {
    run_generated(s);
    return 0;
  }
  struct client c;
  if (client_read(&c, set->client, &s->object.names, s->object.nargs, e))
    return e->code;
  if (c.nthreads >= RT_BUFFERS)
    error_set(e, ERR_USAGE, "at most %d threads", RT_BUFFERS - 1);
  else if (!run_client(s, &c))
    error_set(e, ERR_INPUT, "an initial call of the client fails");
  client_free(&c);
  return e->code;
}

static int work(void *arg, struct work *w) {
  struct built *built = arg;
  struct atomic_report report = {0};
  struct error e = {0};
  static struct source_run s;
  static uint32_t status;
  s.built = built;
  s.set = built->settings;
  s.report = &report;
  phase_begin("atomicity");
  if (!run_all(&s, &e) && !report.traces.len)
    error_set(&e, ERR_INPUT, "no client could be run");
  phase_end();
  status = 2;
  if (!e.code &&
      (!s.set->trace || !buf_write_file(&s.traces, s.set->trace, &e)))
    status = (uint32_t)atomic_write(&report, s.set, &e);
  if (e.code)
    status = (uint32_t)command_complain(&e);
  fflush(NULL);
  w->answer = &status;
  return ERR_NONE;
}

static int trouble(const struct worker *w, enum worker_end end,
                   struct error *e) {
  uint64_t pc;
  char *refused = end == WORKER_DIED ? cage_words(w->status, &pc) : NULL;
  if (refused)
    error_set(e, ERR_REFUSED, "the object cannot be checked: %s", refused);
  else if (end == WORKER_DIED && WIFSIGNALED(w->status))
    error_set(e, ERR_INPUT,
              "signal %d killed the code; faultline test shows where",
              WTERMSIG(w->status));
  else
    built_worker_trouble(w, end, e);
  free(refused);
  return 2;
}

int atomic_sources(const struct settings *set, struct error *e) {
  struct session s = {0};
  int status = 2;
  if (!session_open(&s, set, e)) {
    struct worker w = {
        .noun = &noun_u32,
        .show_output = true,
        .max_seconds = set->time > 0 ? (uint32_t)set->time + LATE_SECONDS : 0};
    enum worker_end end = worker_run(&w, work, &s.built);
    status = end == WORKER_DONE ? (int)*(uint32_t *)w.answer & 3
                                : trouble(&w, end, e);
    worker_release(&w);
  }
  if (s.settings)
    session_close(&s);
  return status;
}
