#include "cli/session.h"

#include "cli/saved.h"
#include "report/namer.h"

#include <errno.h>
#include <ftw.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void warn(struct session *s, char *text) {
  vec_push(&s->warnings, text);
}

static int make_dir(struct session *s, struct error *e) {
  const char *tmp = getenv("TMPDIR");
  s->dir = xasprintf("%s/faultline-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(s->dir))
    return error_set(e, ERR_SYSTEM, "%s: %s", s->dir, strerror(errno));
  return ERR_NONE;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *f) {
  (void)st, (void)kind, (void)f;
  return remove(path);
}

/* One sentence for each line that the probe has to say. */
static void take_probe_warnings(struct session *s) {
  struct buf b = {0};
  probe_print(&s->probe, &b);
  for (char *line = b.at, *end; line && *line; line = end) {
    end = strchr(line, '\n');
    size_t n = end ? (size_t)(end - line) : strlen(line);
    if (n)
      warn(s, xstrndup(line, n));
    end = end ? end + 1 : line + n;
  }
  buf_free(&b);
}

/* Does what FL_OP says fit the function's own declaration? */
static int check_op(struct session *s, const struct op_info *o,
                    struct error *e) {
  struct signature sig = {0};
  if (!o->entry)
    return ERR_NONE;
  lines_signature(s->lines, o->entry, &sig);
  if (!sig.known || sig.variadic)
    return ERR_NONE;
  uint32_t want = o->nargs + o->takes_object;
  if (sig.nparams != want)
    return error_set(
        e, ERR_INPUT,
        "%s:%d: FL_OP: %s() has %u parameter%s, but gets %u: %s%u argument%s",
        o->file, o->line, o->name, sig.nparams, sig.nparams == 1 ? "" : "s",
        want, o->takes_object ? "the object and " : "", o->nargs,
        o->nargs == 1 ? "" : "s");
  if (o->takes_object && sig.nparams && !sig.param_pointer[0])
    return error_set(e, ERR_INPUT,
                     "%s:%d: FL_OP: the first parameter of %s() must be a "
                     "pointer: it gets the object",
                     o->file, o->line, o->name);
  for (uint32_t i = o->takes_object; i < sig.nparams && i < 16; i++)
    if (sig.param_pointer[i])
      return error_set(e, ERR_INPUT,
                       "%s:%d: FL_OP: parameter %u of %s() is a pointer, but "
                       "arguments are integers",
                       o->file, o->line, i + 1, o->name);
  if (sig.returns_void != (o->type == FL_TYPE_VOID))
    return error_set(e, ERR_INPUT, "%s:%d: FL_OP: %s() returns %s", o->file,
                     o->line, o->name,
                     sig.returns_void ? "nothing" : "a value");
  if (!sig.returns_void && sig.return_size != o->size)
    return error_set(e, ERR_INPUT,
                     "%s:%d: FL_OP: %s() returns %llu bytes, the type given "
                     "has %u",
                     o->file, o->line, o->name,
                     (unsigned long long)sig.return_size, o->size);
  return ERR_NONE;
}

static int check_suites(struct session *s, struct error *e) {
  for (uint32_t i = 0; i < s->about->nsuites; i++) {
    const struct suite_info *u = &s->about->suites[i];
    if (u->trouble)
      return error_set(e, ERR_INPUT, "%s:%d: %s", u->file ? u->file : "?",
                       u->line, u->trouble);
    for (uint32_t k = 0; k < u->nops; k++)
      if (check_op(s, &u->ops[k], e))
        return e->code;
  }
  return ERR_NONE;
}

/* What a worker's end means when it did not bring a result. */
static int worker_trouble(struct worker *w, enum worker_end end,
                          struct error *e) {
  switch (end) {
  case WORKER_DONE:
    return ERR_NONE;
  case WORKER_ERROR:
    return error_set(e, w->shared->error.code, "%s", w->shared->error.text);
  case WORKER_INTERRUPTED:
    return error_set(e, ERR_SYSTEM, "interrupted");
  case WORKER_HANGS:
    return error_set(e, ERR_SYSTEM,
                     "the code under test waits in a call that is not "
                     "modelled");
  case WORKER_DIED:
    break;
  }
  if (WIFSIGNALED(w->status))
    return error_set(e, ERR_SYSTEM, "the worker died: %s",
                     strsignal(WTERMSIG(w->status)));
  return error_set(e, ERR_SYSTEM, "the worker ended with status %d",
                   WEXITSTATUS(w->status));
}

static int describe(struct session *s, struct error *e) {
  struct hunt_order order = {.settings = s->settings, .so = s->so};
  s->describer.show_output = s->settings->show_output;
  enum worker_end end = worker_run(&s->describer, hunt_describe, &order);
  if (end != WORKER_DONE) {
    if (end == WORKER_DIED && WIFSIGNALED(s->describer.status))
      return error_set(e, ERR_BUILD,
                       "loading the object failed: a constructor of the code "
                       "died of %s",
                       strsignal(WTERMSIG(s->describer.status)));
    return worker_trouble(&s->describer, end, e);
  }
  s->about = s->describer.shared->other;
  return check_suites(s, e);
}

int session_open(struct session *s, const struct settings *set,
                 struct error *e) {
  *s = (struct session){.settings = set};
  settings_build(set, &s->build);
  if (make_dir(s, e) || build_shared(&s->build, s->dir, &s->so, e))
    return e->code;
  build_source_hash(&s->build, s->hash);
  s->lines = lines_open(s->so, e);
  if (!s->lines || probe_object(&s->probe, s->so, s->lines, e))
    return e->code;
  take_probe_warnings(s);
  if (describe(s, e))
    return e->code;
  for (uint32_t i = 0; i < s->warnings.len; i++)
    fprintf(stderr, "%s\n", s->warnings.at[i]);
  return ERR_NONE;
}

/* A worker that died or hung has left where it was. */
static struct finding *finding_of_death(struct run *r, enum worker_end end) {
  struct shared *sh = r->worker.shared;
  struct arena *a = &sh->arena;
  struct finding *f = arena_alloc(a, sizeof *f);
  f->block = UINT32_MAX;
  f->fault = end == WORKER_HANGS ? FAULT_ENDLESS : FAULT_CRASH;
  char text[200];
  if (end == WORKER_HANGS)
    snprintf(text, sizeof text,
             "the code waits in a call that Faultline does not model");
  else if (WIFSIGNALED(r->worker.status))
    snprintf(text, sizeof text,
             "the process died of %s: the code overwrote memory that is not "
             "its own, or killed the process",
             strsignal(WTERMSIG(r->worker.status)));
  else
    snprintf(text, sizeof text, "the process ended with status %d",
             WEXITSTATUS(r->worker.status));
  f->detail = arena_strdup(a, text);
  if (sh->trace.events) {
    f->trace = sh->trace;
    if (f->trace.nevents)
      f->pc = f->trace.events[f->trace.nevents - 1].pc;
  }
  return f;
}

/* Runs what killed the worker once more, recorded as far as it goes. */
static void autopsy(struct session *s, struct run *r,
                    const struct hunt_order *order, enum worker_end end) {
  struct shared *dead = r->worker.shared;
  struct schedule schedule = {0};
  path p = {0};
  uint32_t len = dead->path.len;
  for (uint32_t i = 0; i < len; i++)
    vec_push(&p, dead->path.at[i]);
  path_to_schedule(p.at, p.len, &schedule);
  schedule.client = xstrdup(dead->client);
  struct hunt_order again = *order;
  again.replay_only = true;
  again.saved = &schedule;
  again.nsaved = 1;
  again.only_choices = dead->path.only_choices;
  struct statistics statistics = {.executions = dead->executions,
                                  .clients = dead->clients};
  int status = r->worker.status;
  struct run second = {.worker.show_output = s->settings->show_output};
  enum worker_end how = worker_run(&second.worker, hunt_run, &again);
  struct shared *sh = second.worker.shared;
  if (how == WORKER_DONE && sh->result.finding) { /* caught it this time */
    worker_release(&r->worker);
    *r = second;
    r->result = sh->result;
    r->report = sh->other;
  } else {
    second.worker.status = status;
    worker_release(&r->worker);
    *r = second;
    r->result = sh->result;
    r->report = sh->other;
    r->result.finding = finding_of_death(r, end);
    r->result.verdict = VERDICT_ERROR;
    if (!r->result.object)
      r->result.object = order->program ? "program"
                                        : s->about->suites[order->suite].name;
    struct error ignored = {0};
    const struct suite_info *u = &s->about->suites[order->suite];
    if (!order->program) {
      const char **names = xcalloc(u->nops + 1, sizeof *names);
      uint8_t *nargs = xcalloc(u->nops + 1, 1);
      for (uint32_t i = 0; i < u->nops; i++) {
        names[i] = u->ops[i].name;
        nargs[i] = (uint8_t)u->ops[i].nargs;
      }
      r->result.names = (struct op_names){names, u->nops};
      client_read(&r->result.finding->client, schedule.client,
                  &r->result.names, nargs, &ignored);
      free(nargs);
    }
    r->result.finding->trace.history.client = &r->result.finding->client;
    schedule_copy(&r->result.finding->schedule, &schedule);
  }
  r->result.statistics.executions = statistics.executions;
  r->result.statistics.clients = statistics.clients;
  schedule_free(&schedule);
  vec_free(&p);
}

int session_hunt(struct session *s, const struct hunt_order *order,
                 struct error *e) {
  struct run r = {.worker.show_output = s->settings->show_output};
  enum worker_end end = worker_run(&r.worker, hunt_run, (void *)order);
  if (end == WORKER_DONE) {
    r.result = r.worker.shared->result;
    r.report = r.worker.shared->other;
  } else if ((end == WORKER_DIED || end == WORKER_HANGS) &&
             r.worker.shared->client_known) {
    autopsy(s, &r, order, end);
  } else if (end == WORKER_INTERRUPTED) {
    const struct shared *sh = r.worker.shared;
    r.result = (struct result){
        .object = order->program ? "program"
                                 : s->about->suites[order->suite].name,
        .verdict = VERDICT_UNKNOWN,
        .reason = xstrdup("interrupted"),
        .statistics = {.executions = sh->executions, .clients = sh->clients}};
  } else {
    int code = worker_trouble(&r.worker, end, e);
    worker_release(&r.worker);
    return code;
  }
  r.result.partial = s->probe.escapes.len || s->probe.uninstrumented.len ||
                     s->probe.unknown_hooks.len;
  vec_push(&s->runs, r);
  return ERR_NONE;
}

char *session_replay_command(const struct session *s, const char *schedule) {
  struct buf b = {0};
  buf_printf(&b, "faultline replay %s", schedule);
  for (uint32_t i = 0; i < s->settings->rest.args.len; i++)
    buf_printf(&b, " %s", s->settings->rest.args.at[i]);
  if (s->settings->cc)
    buf_printf(&b, " --cc=%s", s->settings->cc);
  if (s->settings->cxx)
    buf_printf(&b, " --cxx=%s", s->settings->cxx);
  if (s->settings->opt)
    buf_printf(&b, " --opt=%s", s->settings->opt);
  if (s->settings->rest.after.len)
    buf_puts(&b, " --");
  for (uint32_t i = 0; i < s->settings->rest.after.len; i++) {
    bool quote = strpbrk(s->settings->rest.after.at[i], " '\"$\\") != NULL;
    buf_printf(&b, quote ? " '%s'" : " %s", s->settings->rest.after.at[i]);
  }
  char *text = xstrdup(buf_text(&b));
  buf_free(&b);
  return text;
}

static bool use_colour(const struct settings *set, FILE *to) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  if (set->color)
    return set->color == 1;
  return isatty(fileno(to)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

static int status_of(const struct result *r) {
  switch (r->verdict) {
  case VERDICT_PASS:
    return r->expect_fault ? 1 : 0;
  case VERDICT_VIOLATION:
  case VERDICT_ERROR:
    return r->expect_fault ? 0 : 1;
  case VERDICT_UNKNOWN:
    break;
  }
  return 3;
}

/* A fault outweighs an error of ours, that outweighs doubt, that a pass. */
static int worst(int a, int b) {
  static const int weight[] = {0, 3, 2, 1};
  return weight[a] >= weight[b] ? a : b;
}

int session_report(struct session *s, struct error *e) {
  const struct settings *set = s->settings;
  setlocale(LC_CTYPE, "");
  bool json_out = set->json && !strcmp(set->json, "-");
  FILE *to = json_out ? stderr : stdout;
  struct text_style style = {.width = (uint32_t)set->width,
                             .colour = use_colour(set, to),
                             .utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
                             .quiet = set->quiet};
  uint32_t n = s->runs.len;
  struct story **stories = xcalloc(n + 1, sizeof *stories);
  struct namer *namers = xcalloc(n + 1, sizeof *namers);
  struct report_run *runs = xcalloc(n + 1, sizeof *runs);
  int status = n ? 0 : 3;
  struct buf out = {0};
  for (uint32_t i = 0; i < n; i++) {
    struct run *r = &s->runs.at[i];
    struct story_namer namer;
    if (!set->no_save && r->result.finding && !r->result.replay_command)
      saved_write(s, &r->result);
    namer_open(&namers[i], s->lines, &r->result, &namer);
    stories[i] = story_new(&r->result, &namer);
    if (i && !set->quiet)
      buf_putc(&out, '\n');
    report_text(stories[i], &style, &out);
    runs[i] = (struct report_run){
        .story = stories[i],
        .outcomes = r->report && r->report->outcomes.at ? &r->report->outcomes
                                                        : NULL,
        .warnings = (const char *const *)s->warnings.at,
        .nwarnings = s->warnings.len};
    status = worst(status, status_of(&r->result));
  }
  fputs(buf_text(&out), to);
  fflush(to);
  if (set->json) {
    struct buf json = {0};
    report_json(runs, n, &json);
    if (buf_write_file(&json, set->json, e))
      status = 2;
    buf_free(&json);
  }
  for (uint32_t i = 0; i < n; i++) {
    story_free(stories[i]);
    namer_close(&namers[i]);
  }
  free(stories);
  free(namers);
  free(runs);
  buf_free(&out);
  return status;
}

void session_close(struct session *s) {
  for (uint32_t i = 0; i < s->runs.len; i++)
    worker_release(&s->runs.at[i].worker);
  vec_free(&s->runs);
  worker_release(&s->describer);
  for (uint32_t i = 0; i < s->warnings.len; i++)
    free(s->warnings.at[i]);
  vec_free(&s->warnings);
  probe_free(&s->probe);
  if (s->lines)
    lines_close(s->lines);
  if (s->dir && !s->settings->verbose)
    nftw(s->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(s->dir);
  free(s->so);
  vec_free(&s->build.inputs);
  vec_free(&s->build.flags);
}
