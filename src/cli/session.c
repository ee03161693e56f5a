#include "cli/session.h"

#include "cli/autopsy.h"
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

enum { LOAD_SECONDS = 10, STRESS_HANG_SECONDS = 60 };

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
                     "the worker sleeps and does not come to an end");
  case WORKER_DIED:
    break;
  }
  if (WIFSIGNALED(w->status))
    return error_set(e, ERR_SYSTEM, "the worker died: %s",
                     strsignal(WTERMSIG(w->status)));
  return error_set(e, ERR_SYSTEM, "the worker ended with status %d",
                   WEXITSTATUS(w->status));
}

/* The code that runs when the object is loaded is not under our control. */
static int loading_trouble(const struct worker *w, enum worker_end end,
                           struct error *e) {
  static const char what[] = "the object cannot be loaded: its code that runs "
                             "at load time (a constructor)";
  if (end == WORKER_HANGS)
    return error_set(e, ERR_BUILD, "%s does not come to an end", what);
  if (WIFSIGNALED(w->status))
    return error_set(e, ERR_BUILD, "%s died of signal %d (%s)", what,
                     WTERMSIG(w->status), strsignal(WTERMSIG(w->status)));
  return error_set(e, ERR_BUILD, "%s ended the process with status %d", what,
                   WEXITSTATUS(w->status));
}

static int describe(struct session *s, struct error *e) {
  struct hunt_order order = {.settings = s->settings, .so = s->so};
  s->describer.show_output = s->settings->show_output;
  s->describer.max_seconds = LOAD_SECONDS;
  enum worker_end end = worker_run(&s->describer, hunt_describe, &order);
  if (end == WORKER_DIED || end == WORKER_HANGS)
    return loading_trouble(&s->describer, end, e);
  if (end != WORKER_DONE)
    return worker_trouble(&s->describer, end, e);
  worker_seal(&s->describer, true);
  s->about = s->describer.shared->other;
  return check_suites(s, e);
}

/*
 * clang hands weak compare-and-swaps over as strong ones.  An object that never
 * asks for a weak one does not have the name of its hook in it.
 */
static void warn_weak_cas(struct session *s) {
  static const char hook[] = "_compare_exchange_weak";
  struct buf file = {0};
  struct error ignored = {0};
  if (s->settings->spurious_cas && !buf_read_file(&file, s->so, &ignored) &&
      !memmem(file.at, file.len, hook, strlen(hook)))
    warn(s, xasprintf("warning: --spurious-cas has no effect: the object has "
                      "no weak compare-and-swap (clang makes strong ones of "
                      "them)"));
  buf_free(&file);
}

static void print_warnings(const struct session *s) {
  struct buf out = {0};
  struct text_style style = {.width = (uint32_t)s->settings->width};
  for (uint32_t i = 0; i < s->warnings.len; i++)
    report_line(s->warnings.at[i], &style, &out);
  fputs(buf_text(&out), stderr);
  buf_free(&out);
}

int session_open(struct session *s, const struct settings *set,
                 struct error *e) {
  *s = (struct session){.settings = set};
  settings_build(set, &s->build);
  worker_catch_signals();
  if (make_dir(s, e) || build_shared(&s->build, s->dir, &s->so, e))
    return e->code;
  build_source_hash(&s->build, s->hash);
  s->lines = lines_open(s->so, e);
  if (!s->lines || probe_object(&s->probe, s->so, s->lines, e))
    return e->code;
  take_probe_warnings(s);
  if (describe(s, e))
    return e->code;
  warn_weak_cas(s);
  print_warnings(s);
  if (set->search == SEARCH_STRESS) {
    struct build native = s->build;
    native.native = true;
    return build_shared(&native, s->dir, &s->native, e);
  }
  return ERR_NONE;
}

bool session_partial(const struct session *s) {
  return s->probe.escapes.len || s->probe.uninstrumented.len ||
         s->probe.unknown_hooks.len;
}

void session_plain_result(const struct session *s, struct run *r,
                          const struct hunt_order *order) {
  const struct settings *set = s->settings;
  const struct board *b = r->worker.board;
  r->result = (struct result){
      .object =
          order->program ? "program" : s->about->suites[order->suite].name,
      .seed = set->seed,
      .search = search_name[set->search],
      .criterion = set->criterion ? "sequential" : "linearizability",
      .memory_model = "sc",
      .heap = set->heap ? "reuse" : "quarantine",
      .expect_fault =
          !order->program && s->about->suites[order->suite].expect_fault,
      .statistics = {.executions = b->executions, .clients = b->clients}};
}

int session_hunt(struct session *s, const struct hunt_order *plan,
                 struct error *e) {
  struct run r = {.worker.show_output = s->settings->show_output};
  struct hunt_order own = *plan, *order = &own;
  uint32_t *estimates;
  if (s->settings->search == SEARCH_DPCT) {
    if (session_estimate(s, order->suite, &estimates, e))
      return e->code;
    order->estimates = estimates;
  }
  if (order->native) /* its own watchdog comes first */
    r.worker.hang_seconds = STRESS_HANG_SECONDS;
  enum worker_end end = worker_run(&r.worker, hunt_run, order);
  if (end == WORKER_DONE) {
    r.result = r.worker.shared->result;
    r.report = r.worker.shared->other;
  } else if ((end == WORKER_DIED || end == WORKER_HANGS) &&
             r.worker.board->known) {
    autopsy(s, &r, order, end);
  } else if (end == WORKER_INTERRUPTED) {
    s->interrupted = true;
    session_plain_result(s, &r, order);
    r.result.verdict = VERDICT_UNKNOWN;
    r.result.reason = arena_strdup(&s->arena, "interrupted");
    r.result.coverage.sentence =
        arena_strdup(&s->arena, "the search was not finished");
  } else {
    int code = worker_trouble(&r.worker, end, e);
    worker_release(&r.worker);
    return code;
  }
  r.result.partial = session_partial(s);
  if (r.result.verdict == VERDICT_PASS && !s->probe.hooks) {
    r.result.verdict = VERDICT_UNKNOWN;
    r.result.reason = arena_strdup(
        &s->arena, "no access of the code has a hook: nothing was checked");
  }
  worker_seal(&r.worker, true);
  vec_push(&s->runs, r);
  return ERR_NONE;
}

/* A word that the shell gives back as it is. */
static void put_word(struct buf *b, const char *option, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+=./,:@%";
  buf_printf(b, " %s", option);
  if (*word && word[strspn(word, plain)] == '\0') {
    buf_puts(b, word);
    return;
  }
  buf_putc(b, '\'');
  for (; *word; word++)
    if (*word == '\'')
      buf_puts(b, "'\\''");
    else
      buf_putc(b, *word);
  buf_putc(b, '\'');
}

char *session_replay_command(struct session *s, const char *schedule) {
  const struct settings *set = s->settings;
  struct buf b = {0};
  /* As it was typed, when that is a way to it from here: build/faultline. */
  const char *name = program_invocation_name;
  buf_printf(&b, "%s replay",
             strchr(name, '/') && name[0] != '/' ? name : "faultline");
  put_word(&b, "", schedule);
  for (uint32_t i = 0; i < set->rest.args.len; i++)
    put_word(&b, "", set->rest.args.at[i]);
  if (set->cc)
    put_word(&b, "--cc=", set->cc);
  if (set->cxx)
    put_word(&b, "--cxx=", set->cxx);
  if (set->opt)
    put_word(&b, "--opt=", set->opt);
  if (set->rest.after.len)
    buf_puts(&b, " --");
  for (uint32_t i = 0; i < set->rest.after.len; i++)
    put_word(&b, "", set->rest.after.at[i]);
  char *text = arena_strdup(&s->arena, buf_text(&b));
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
  struct story_outcomes *outcomes = xcalloc(n + 1, sizeof *outcomes);
  int status = n ? 0 : 3;
  struct buf out = {0};
  for (uint32_t i = 0; i < n; i++) {
    struct run *r = &s->runs.at[i];
    struct story_namer namer;
    worker_seal(&r->worker, false);
    if (!set->no_save && r->result.finding)
      saved_write(s, &r->result);
    namer_open(&namers[i], s->lines, &r->result, &namer);
    stories[i] = story_new(&r->result, &namer);
    if (r->report && r->report->outcomes.at) {
      outcomes[i] = (struct story_outcomes){
          &r->report->client, &r->report->outcomes, r->report->faults};
      stories[i]->outcomes = &outcomes[i];
    }
    if (i && !set->quiet)
      buf_putc(&out, '\n');
    report_text(stories[i], &style, &out);
    runs[i] =
        (struct report_run){.story = stories[i],
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
  free(outcomes);
  buf_free(&out);
  return status;
}

void session_close(struct session *s) {
  for (uint32_t i = 0; i < s->runs.len; i++)
    worker_release(&s->runs.at[i].worker);
  vec_free(&s->runs);
  worker_release(&s->describer);
  arena_free(&s->arena);
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
  free(s->native);
  vec_free(&s->build.inputs);
  vec_free(&s->build.flags);
}
