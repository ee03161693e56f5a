/*
 * faultline atomicity on C sources: every execution of clients under SC (dpor),
 * with the client's calls, or blocks, as transactions.
 *
 * All of it runs in a child, since the user's code does; it also reports.
 */
#include "cli/atomicity_int.h"
#include "cli/commands.h"
#include "cli/object.h"
#include "cli/phase.h"
#include "cli/session.h"

#include "atomicity/from_trace.h"
#include "atomicity/sc.h"
#include "atomicity/tso.h"
#include "search/explore.h"
#include "search/generate.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  MOST_EXECUTIONS = 4000, /* of a client */
  MOST_CLIENTS = 60,      /* when none is given */
  MOST_SECONDS = 20,      /* for all of them */
  MOST_STEPS = 1000,      /* of an execution */
  MOST_EVENTS = 1500,     /* for robustness */
};

struct source_run {
  struct session *session;
  struct atomic_report *report;
  struct object object;
  struct live_path live;
  VEC(path) paths;
  uint64_t cut;
  /* of the client */
  const struct client *client;
  struct atomic_trace *trace;
  bool sc_no, tso_no, not_robust, blind, fenced;
};

static enum judgement collect(void *ctx, enum rt_end end) {
  struct source_run *s = ctx;
  path p = {0};
  s->cut += end == RT_CUT;
  for (uint32_t i = 0; i < s->live.len; i++)
    vec_push(&p, s->live.at[i]);
  vec_push(&s->paths, p);
  return JUDGE_GOOD;
}

static void forget_paths(void *ctx) {
  struct source_run *s = ctx;
  for (uint32_t i = 0; i < s->paths.len; i++)
    vec_free(&s->paths.at[i]);
  vec_clear(&s->paths);
  s->cut = 0;
}

/* ---- one execution ---- */

static void say(struct source_run *s, const struct trace *t,
                const struct txn_event *e, struct cycle_event *out) {
  const struct event *ev = &t->events[e->at];
  struct arena *a = &s->report->arena;
  struct buf b = {0};
  *out = (struct cycle_event){.what = event_word[ev->kind]};
  buf_printf(&b, "%u", ev->thread);
  out->thread = arena_strdup(a, buf_text(&b));
  buf_clear(&b);
  if (ev->call < s->client->ncalls)
    buf_printf(&b, "call %" PRIu32 " (%s)", ev->call + 1,
               s->object.names.name[s->client->calls[ev->call].op]);
  else
    buf_printf(&b, "transaction %" PRIu32, e->txn + 1);
  out->txn = arena_strdup(a, buf_text(&b));
  buf_clear(&b);
  struct names *names = names_new(s->session->lines, t);
  names_location(names, rt_base(), ev->addr, ev->size, e->at, &b);
  names_free(names);
  out->object = arena_strdup(a, buf_text(&b));
  const struct place *p =
      ev->pc ? lines_place(s->session->lines, ev->pc - 1) : NULL;
  if (p && p->file) {
    out->file = arena_strdup(a, p->file);
    out->function = p->function ? arena_strdup(a, p->function) : NULL;
    out->line = p->line;
  }
  buf_free(&b);
}

static void keep(struct source_run *s, const char *of, const struct trace *t,
                 const struct txn_event *e, struct conflict_cycle *c) {
  struct atomic_trace *to = s->trace;
  if (c->edges.len && !to->ncycle) {
    to->cycle_of = of;
    to->ncycle = c->edges.len;
    to->cycle =
        arena_alloc(&s->report->arena, c->edges.len * sizeof *to->cycle);
    for (uint32_t i = 0; i < c->edges.len; i++) {
      say(s, t, &e[c->edges.at[i].from], &to->cycle[i].from);
      say(s, t, &e[c->edges.at[i].to], &to->cycle[i].to);
      to->cycle[i].late = c->edges.at[i].from > c->edges.at[i].to;
    }
  }
  conflict_cycle_free(c);
}

/* Initial calls come before everything and final ones after it: they are in no
 * cycle, and the threads' start and end drain buffers. */
static uint32_t drop_main(struct txn_list *l) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->e.len; i++)
    if (l->e.at[i].thread)
      l->e.at[n++] = l->e.at[i];
  return n;
}

/* An SC execution is one of TSO, in which every store is committed at once. */
struct committed {
  struct txn_event *at;
  uint32_t len, cap;
};

static void put_commits(const struct txn_event *e, uint32_t n,
                        struct committed *w) {
  for (uint32_t i = 0; i < n; i++) {
    struct txn_event c = e[i];
    vec_push(w, c);
    c.kind = TXN_COMMIT;
    c.issue = w->len - 1;
    if (e[i].kind == TXN_WRITE)
      vec_push(w, c);
  }
}

static void judge_trace(struct source_run *s, const struct trace *t) {
  struct txn_list l;
  struct conflict_cycle c;
  txn_from_trace(t, &l);
  uint32_t n = drop_main(&l);
  s->trace->events += n;
  s->trace->txns = l.ntxns;
  s->fenced &= tso_transaction_fenced(l.e.at, n);
  s->blind |= l.split || n > MOST_EVENTS || t->truncated;
  if (!s->sc_no) {
    s->sc_no = !sc_serializable(l.e.at, n, &c);
    keep(s, "SC", t, l.e.at, &c);
  }
  if (!s->tso_no && n <= MOST_EVENTS) {
    struct committed w = {0};
    put_commits(l.e.at, n, &w);
    s->tso_no = !tso_serializable(w.at, w.len, &c);
    keep(s, "TSO", t, w.at, &c);
    vec_free(&w);
  }
  if (!s->not_robust && !l.split && n <= MOST_EVENTS) {
    s->not_robust = !tso_robust(l.e.at, n, &c);
    keep(s, "program order and memory", t, l.e.at, &c);
  }
  txn_list_free(&l);
}

/* ---- one client ---- */

static struct finding_about answer(bool no, bool complete, const char *why) {
  if (no)
    return (struct finding_about){ANSWER_NO, NULL};
  return complete ? (struct finding_about){ANSWER_YES, NULL}
                  : (struct finding_about){ANSWER_UNKNOWN, why};
}

/* Theorem 2; and Theorem 3 for clients whose transactions end with fences. */
static void conclude(struct source_run *s, bool complete) {
  struct atomic_trace *t = s->trace;
  t->sc = answer(s->sc_no, complete, "not all executions were run");
  t->robust =
      answer(s->not_robust, complete && !s->blind,
             s->blind ? "executions are too long, or accesses of different "
                        "sizes overlap"
                      : "not all executions were run");
  bool both = t->sc.answer == ANSWER_YES && t->robust.answer == ANSWER_YES;
  bool not_both = s->fenced && (s->sc_no || s->not_robust);
  t->tso_s = answer(s->tso_no || not_both, both,
                    "executions under TSO that are none under SC were not run");
}

static bool run_client(struct source_run *s, const struct client *client) {
  struct buf name = {0};
  client_print(client, &s->object.names, &name);
  vec_push(&s->report->traces,
           ((struct atomic_trace){
               .name = arena_strdup(&s->report->arena, buf_text(&name))}));
  buf_free(&name);
  s->trace = &vec_last(&s->report->traces);
  s->client = client;
  s->sc_no = s->tso_no = s->not_robust = s->blind = false;
  s->fenced = true;
  if (rt_prepare(s->object.suite, client) != RT_DONE) {
    s->report->traces.len--; /* its initial calls fail */
    return false;
  }
  struct explore x = {.judge = {collect, s, forget_paths},
                      .max_executions = MOST_EXECUTIONS,
                      .live = &s->live,
                      .all = true};
  enum explore_end end = explore_dpor(&x);
  vec_free(&x.bad);
  bool complete = end == EXPLORE_ALL && !s->cut;
  for (uint32_t i = 0; i < s->paths.len; i++) {
    struct replay r;
    struct arena a = {0};
    struct trace t = {0};
    replay_init(&r, s->paths.at[i].at, s->paths.at[i].len);
    rt_run_recorded(&r.driver, &a, &t);
    judge_trace(s, &t);
    replay_free(&r);
    arena_free(&a);
  }
  s->trace->executions = s->paths.len;
  conclude(s, complete);
  forget_paths(s);
  return true;
}

static void run_generated(struct source_run *s) {
  struct gen_limits limits = {.threads = 2, .ops = 2, .init = 1};
  struct generator *g = generator_new(&s->object.gen, &limits);
  struct client c;
  double until = explore_now() + MOST_SECONDS;
  for (uint32_t n = 0;
       n < MOST_CLIENTS && explore_now() < until && generator_next(g, &c);) {
    n += run_client(s, &c);
    client_free(&c);
    phase_count(1, 0);
    phase_show(0, 0, NULL);
  }
  generator_free(g);
}

/* ---- the child ---- */

static int run_all(struct source_run *s, struct error *e) {
  const struct settings *set = s->session->settings;
  struct rt_options o = {0};
  settings_engine(set, &o);
  o.max_steps = MOST_STEPS;
  if (rt_open(s->session->so, &o, e))
    return e->code;
  struct fl_suite *suite = rt_suites();
  while (suite && set->object && strcmp(suite->name, set->object))
    suite = suite->next;
  if (!suite)
    return error_set(e, ERR_USAGE, "no object%s%s to run",
                     set->object ? " " : "", set->object ? set->object : "");
  object_init(&s->object, suite);
  if (!set->client) {
    run_generated(s);
    return 0;
  }
  struct client c;
  if (client_read(&c, set->client, &s->object.names, s->object.nargs, e))
    return e->code;
  if (!run_client(s, &c))
    error_set(e, ERR_INPUT, "the client's initial calls fail");
  client_free(&c);
  return e->code;
}

static int child(struct session *session) {
  struct atomic_report report = {0};
  struct error e = {0};
  static struct source_run s;
  s.session = session;
  s.report = &report;
  phase_begin("atomicity");
  if (!run_all(&s, &e) && !report.traces.len)
    error_set(&e, ERR_INPUT, "no client could be run");
  phase_end();
  int status = e.code ? 2
                      : atomic_write(&report, session->settings->json,
                                     session->settings->dot, &e);
  if (e.code)
    status = command_complain(&e);
  fflush(NULL);
  return status;
}

int atomic_sources(int argc, char **argv) {
  struct settings set;
  struct session s = {0};
  struct error e = {0};
  bool help;
  int status = 2;
  int err = settings_parse(&set, "explore", argc, argv, &help, &e);
  if (!err && help) {
    settings_free(&set);
    return 0;
  }
  if (!err)
    err = session_open(&s, &set, &e);
  if (!err) {
    fflush(NULL);
    pid_t pid = fork();
    if (!pid)
      _exit(child(&s));
    int how = 0;
    if (pid < 0 || waitpid(pid, &how, 0) < 0)
      error_set(&e, ERR_SYSTEM, "cannot start a process");
    else if (WIFEXITED(how))
      status = WEXITSTATUS(how);
    else
      error_set(&e, ERR_INPUT,
                "the code ended with signal %d; see what faultline test says",
                WTERMSIG(how));
  }
  if (e.code)
    status = command_complain(&e);
  if (s.settings)
    session_close(&s);
  settings_free(&set);
  return status;
}
