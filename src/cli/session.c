#include "cli/session.h"

#include "base/tidy.h"
#include "cli/answer.h"
#include "proc/phase.h"
#include "rt/cage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOAD_SECONDS = 10 };

static void warn(struct session *s, char *text) {
  vec_push(&s->warnings, text);
}

static int make_dir(struct session *s, struct error *e) {
  const char *tmp = getenv("TMPDIR");
  bool given = tmp && *tmp;
  if ((s->dir = tidy_temporary_folder()))
    return ERR_NONE;
  return error_set(e, ERR_SYSTEM, "no folder for what is compiled: %s%s: %s",
                   given ? "TMPDIR is " : "", given ? tmp : "/tmp",
                   strerror(errno));
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
int session_worker_trouble(const struct worker *w, enum worker_end end,
                           struct error *e) {
  switch (end) {
  case WORKER_DONE:
    return ERR_NONE;
  case WORKER_ERROR:
    return error_set(e, w->error.code, "%s", w->error.text);
  case WORKER_INTERRUPTED:
    return error_set(e, ERR_INTERRUPTED, "interrupted");
  case WORKER_HANGS:
    return error_set(e, ERR_SYSTEM,
                     "the worker sleeps and does not come to an end");
  case WORKER_DIED:
    break;
  }
  if (w->garbled)
    return error_set(e, ERR_SYSTEM, "the worker's answer cannot be read");
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
  if (w->garbled)
    return error_set(e, ERR_BUILD,
                     "%s overwrote memory, or wrote to a file, that is not its "
                     "own",
                     what);
  if (WIFSIGNALED(w->status))
    return error_set(e, ERR_BUILD, "%s died of signal %d (%s)", what,
                     WTERMSIG(w->status), strsignal(WTERMSIG(w->status)));
  return error_set(e, ERR_BUILD, "%s ended the process with status %d", what,
                   WEXITSTATUS(w->status));
}

/* Refused by the cage: where, and why. */
static int refused_trouble(const struct session *s, const char *words,
                           uint64_t pc, struct error *e) {
  const struct place *p = pc ? lines_place(s->lines, pc - 1) : NULL;
  char at[512] = "";
  if (p && p->file)
    snprintf(at, sizeof at, "%s:%u: ", p->file, p->line);
  return error_set(e, ERR_REFUSED,
                   "%sthe object cannot be checked: in code that runs at load "
                   "time (a constructor), %s",
                   at, words);
}

static int describe(struct session *s, struct error *e) {
  struct hunt_order order = {.settings = s->settings, .so = s->so};
  s->describer.show_output = s->settings->show_output;
  s->describer.noun = &noun_description;
  s->describer.max_seconds = LOAD_SECONDS;
  enum worker_end end = worker_run(&s->describer, hunt_describe, &order);
  uint64_t pc;
  char *refused =
      end == WORKER_DIED ? cage_words(s->describer.status, &pc) : NULL;
  if (refused) {
    refused_trouble(s, refused, pc, e);
    free(refused);
    return e->code;
  }
  if (end == WORKER_DIED || end == WORKER_HANGS)
    return loading_trouble(&s->describer, end, e);
  if (end != WORKER_DONE)
    return session_worker_trouble(&s->describer, end, e);
  s->about = s->describer.answer;
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

static void print_warnings(const struct session *s, uint32_t from) {
  struct buf out = {0};
  struct text_style style = {.width = (uint32_t)s->settings->width};
  for (uint32_t i = from; i < s->warnings.len; i++)
    report_line(s->warnings.at[i], &style, &out);
  fputs(buf_text(&out), stderr);
  buf_free(&out);
}

void session_warn(struct session *s, char *text) {
  warn(s, text);
  print_warnings(s, s->warnings.len - 1);
}

int session_open(struct session *s, const struct settings *set,
                 struct error *e) {
  *s = (struct session){.settings = set};
  settings_build(set, &s->build);
  worker_catch_signals();
  rt_share_loops();
  phases_open(set->verbose);
  phase_begin("compile");
  if (make_dir(s, e) || build_shared(&s->build, s->dir, &s->so, e))
    return e->code;
  build_source_hash(&s->build, s->hash);
  phase_begin("probe");
  s->lines = lines_open(s->so, e);
  if (!s->lines || probe_object(&s->probe, s->so, s->lines, e))
    return e->code;
  take_probe_warnings(s);
  if (describe(s, e))
    return e->code;
  warn_weak_cas(s);
  phase_end();
  print_warnings(s, 0);
  if (set->search == SEARCH_STRESS) {
    phase_begin("compile without hooks");
    struct build native = s->build;
    native.native = true;
    return build_shared(&native, s->dir, &s->native, e);
  }
  return ERR_NONE;
}

void session_settings(const struct session *s, const struct suite_info *of,
                      struct settings *out) {
  *out = *s->settings;
  settings_take_model(out, of ? of->memory_model : FL_MEMORY_MODEL_DEFAULT,
                      out->search == SEARCH_STRESS && !out->shrinks);
}

bool session_partial(const struct session *s) {
  return s->probe.escapes.len || s->probe.uninstrumented.len ||
         s->probe.unknown_hooks.len;
}

void session_object(const struct session *s, struct hunt_order *o) {
  o->so = s->so;
  o->uses_tls = s->probe.has_tls || s->probe.needs_libc_tls;
  o->uses_fenv = s->probe.uses_fenv;
  o->uses_clock = s->probe.uses_clock;
  o->part_stores = s->probe.part_stores.at;
  o->npart_stores = s->probe.part_stores.len;
  o->sites = s->probe.sites.at;
  o->nsites = s->probe.sites.len;
  o->partial = session_partial(s);
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
  if (s->dir && s->settings->verbose) {
    tidy_file_done(s->dir);
    free(s->dir);
  } else if (s->dir) {
    tidy_folder_remove(s->dir);
  }
  free(s->so);
  free(s->native);
  vec_free(&s->build.inputs);
  vec_free(&s->build.flags);
}

/* ---- the client of a schedule ---- */

static int find_suite(const struct session *s, const struct schedule *of,
                      const char *path, uint32_t *suite, struct error *e) {
  for (*suite = 0; *suite < s->about->nsuites; ++*suite)
    if (of->object ? !strcmp(s->about->suites[*suite].name, of->object)
                   : s->about->nsuites == 1)
      return ERR_NONE;
  return error_set(e, ERR_INPUT,
                   "%s: the schedule is for the object %s, which these "
                   "sources do not have",
                   path, of->object ? of->object : "(unnamed)");
}

int session_find_client(const struct session *s, const struct schedule *of,
                        const char *path, uint32_t *suite, struct error *e) {
  if (find_suite(s, of, path, suite, e))
    return e->code;
  if (!of->client)
    return error_set(e, ERR_INPUT, "%s: the schedule names no client", path);
  const struct suite_info *u = &s->about->suites[*suite];
  const char **names = xcalloc(u->nops + 1, sizeof *names);
  uint8_t *nargs = xcalloc(u->nops + 1, sizeof *nargs);
  for (uint32_t i = 0; i < u->nops; i++) {
    names[i] = u->ops[i].name;
    nargs[i] = (uint8_t)u->ops[i].nargs;
  }
  struct client c = {0};
  struct error why = {0};
  if (client_read(&c, of->client, &(struct op_names){names, u->nops}, nargs,
                  &why))
    error_set(e, ERR_INPUT, "%s: %s", path, why.text);
  client_free(&c);
  free(names);
  free(nargs);
  return e->code;
}
