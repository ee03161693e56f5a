/* Builds an object from its sources, inspects it and checks its harness. */
#include "campaign/built.h"

#include "base/tidy.h"
#include "code/flow.h"
#include "code/roles.h"
#include "code/unreached.h"
#include "hunt/answer.h"
#include "hunt/object.h"
#include "proc/phase.h"
#include "rt/cage.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOAD_SECONDS = 10 };

/* "2", "O2" and "-O2" all mean -O2. */
static const char *level(const char *opt) {
  static char text[32];
  if (!opt || opt[0] == '-')
    return opt;
  snprintf(text, sizeof text, "-%s%s", opt[0] == 'O' ? "" : "O", opt);
  return text;
}

const char *built_include(void) {
  static char path[4200];
  char exe[4096];
  ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  if (n > 0) {
    exe[n] = 0;
    char *slash = strrchr(exe, '/');
    if (slash) {
      *slash = 0;
      snprintf(path, sizeof path, "%s/../include", exe);
      char header[4300];
      snprintf(header, sizeof header, "%s/faultline.h", path);
      if (!access(header, R_OK))
        return path;
    }
  }
  return FL_SOURCE_INCLUDE; /* not installed: that of the source tree */
}

void built_compiler(const struct settings *s, struct build *b) {
  *b = (struct build){.cc = s->cc,
                      .cxx = s->cxx,
                      .opt = level(s->opt),
                      .include = built_include(),
                      .verbose = s->show_commands,
                      .hushed = s->hushed,
                      .cache = !s->no_cache};
  for (uint32_t i = 0; i < s->rest.args.len; i++)
    vec_push(&b->inputs, s->rest.args.at[i]);
  for (uint32_t i = 0; i < s->rest.after.len; i++)
    vec_push(&b->flags, s->rest.after.at[i]);
}

void built_warn(struct built *b, char *text) {
  for (uint32_t i = 0; i < b->warnings.len; i++)
    if (!strcmp(b->warnings.at[i], text)) {
      free(text);
      return;
    }
  vec_push(&b->warnings, text);
}

static int make_dir(struct built *b, struct error *e) {
  const char *tmp = getenv("TMPDIR");
  bool given = tmp && *tmp;
  if ((b->dir = tidy_temporary_folder()))
    return ERR_NONE;
  return error_set(e, ERR_SYSTEM, "no folder for what is compiled: %s%s: %s",
                   given ? "TMPDIR is " : "", given ? tmp : "/tmp",
                   strerror(errno));
}

/* Each line of the probe becomes a warning. */
static void take_probe_warnings(struct built *b) {
  struct buf text = {0};
  probe_print(&b->probe, &text);
  for (char *line = text.at, *end; line && *line; line = end) {
    end = strchr(line, '\n');
    size_t n = end ? (size_t)(end - line) : strlen(line);
    if (n)
      built_warn(b, xstrndup(line, n));
    end = end ? end + 1 : line + n;
  }
  buf_free(&text);
}

/* Does FL_OP fit the declaration of its function? */
static int check_op(struct built *b, const struct op_info *o, struct error *e) {
  static const char *const words[] = {[PARAM_POINTER] = "a pointer",
                                      [PARAM_FLOAT] = "a floating-point number",
                                      [PARAM_OTHER] =
                                          "a struct, or wider than 8 bytes"};
  struct signature sig = {0};
  if (o->values > OBJECT_VALUES)
    built_warn(b, xasprintf("warning: %s:%d: a domain of %s has more than %d "
                            "values; only the first %d are tried: give the "
                            "values that make a difference to the code",
                            o->file, o->line, o->name, OBJECT_VALUES,
                            OBJECT_VALUES));
  if (!o->entry)
    return ERR_NONE;
  lines_signature(b->lines, o->entry, &sig);
  if (!sig.known || sig.variadic)
    return ERR_NONE;
  uint32_t want = o->nparams + o->takes_object;
  if (sig.nparams != want)
    return error_set(
        e, ERR_INPUT,
        "%s:%d: FL_OP: %s() has %u parameter%s, but gets %u: %s%u argument%s",
        o->file, o->line, o->name, sig.nparams, sig.nparams == 1 ? "" : "s",
        want, o->takes_object ? "the object and " : "", o->nparams,
        o->nparams == 1 ? "" : "s");
  if (o->takes_object && sig.nparams && sig.param[0] != PARAM_POINTER)
    return error_set(e, ERR_INPUT,
                     "%s:%d: FL_OP: the first parameter of %s() must be a "
                     "pointer: it gets the object",
                     o->file, o->line, o->name);
  for (uint32_t i = o->takes_object; i < sig.nparams && i < 16; i++) {
    bool points = o->pointers >> (i - o->takes_object) & 1;
    if (points && sig.param[i] != PARAM_POINTER)
      return error_set(e, ERR_INPUT,
                       "%s:%d: FL_OP: parameter %u of %s() is %s; FL_OUT and "
                       "FL_STRING are for pointers",
                       o->file, o->line, i + 1, o->name,
                       sig.param[i] == PARAM_INTEGER ? "a number"
                                                     : words[sig.param[i]]);
    if (!points && sig.param[i] != PARAM_INTEGER)
      return error_set(e, ERR_INPUT,
                       "%s:%d: FL_OP: parameter %u of %s() is %s, but "
                       "arguments are integers; %swrite a function around it",
                       o->file, o->line, i + 1, o->name, words[sig.param[i]],
                       sig.param[i] == PARAM_POINTER
                           ? "FL_OUT(type) is for a result, FL_STRING(...) for "
                             "a text; else "
                           : "");
  }
  if (sig.returns_void != (o->returns == FL_TYPE_VOID))
    return error_set(e, ERR_INPUT, "%s:%d: FL_OP: %s() returns %s", o->file,
                     o->line, o->name,
                     sig.returns_void ? "nothing" : "a value");
  if (!sig.returns_void && sig.return_size != o->returned)
    return error_set(e, ERR_INPUT,
                     "%s:%d: FL_OP: %s() returns %llu bytes, the type given "
                     "has %u",
                     o->file, o->line, o->name,
                     (unsigned long long)sig.return_size, o->returned);
  return ERR_NONE;
}

/* Does the function of FL_SPEC(model, …) fit the operation's? */
static int check_reference(struct built *b, const struct suite_info *u,
                           const struct op_info *o, struct error *e) {
  struct signature sig = {0}, op = {0};
  if (!o->reference)
    return ERR_NONE;
  lines_signature(b->lines, o->reference_entry, &sig);
  lines_signature(b->lines, o->entry, &op);
  if (!sig.known || sig.variadic)
    return ERR_NONE;
  const char *what = NULL;
  char text[120];
  uint32_t shift = o->reference_state;
  bool asks = !strcmp(u->spec, "relation");
  uint32_t args = asks ? o->nargs : o->nparams;
  if (sig.nparams != o->reference_params) {
    snprintf(text, sizeof text,
             "has %u parameter%s, but gets %u: %s%u "
             "argument%s%s",
             sig.nparams, sig.nparams == 1 ? "" : "s", o->reference_params,
             o->reference_state ? "the state and " : "", args,
             args == 1 ? "" : "s",
             o->reference_result ? " and the result" : "");
    what = text;
  } else if (shift && sig.param[0] != PARAM_POINTER) {
    what = "must have a pointer as its first parameter: it gets the state";
  } else if (asks && !sig.returns_bool) {
    what = "must return a bool: whether the result is allowed";
  } else if (!asks && (sig.returns_void != (o->returns == FL_TYPE_VOID) ||
                       sig.returns_bool != (o->returns == FL_TYPE_BOOL) ||
                       (!sig.returns_void && sig.return_size != o->returned))) {
    snprintf(text, sizeof text, "must return what %.80s() returns", o->name);
    what = text;
  }
  bool same = !asks || o->nargs == o->nparams; /* else no parameter is known */
  for (uint32_t i = shift; same && !what && i < shift + args && i < 16; i++)
    if (sig.param[i] == PARAM_FLOAT || sig.param[i] == PARAM_OTHER ||
        (op.known && i - shift + o->takes_object < op.nparams &&
         sig.param[i] != op.param[i - shift + o->takes_object])) {
      snprintf(text, sizeof text,
               "has another type of parameter %u than "
               "%.60s()",
               i + 1, o->name);
      what = text;
    }
  return what ? error_set(e, ERR_INPUT, "%s:%d: FL_SPEC(%s): %s() %s", u->file,
                          u->spec_line, u->spec, o->reference, what)
              : ERR_NONE;
}

static int check_suites(struct built *b, struct error *e) {
  for (uint32_t i = 0; i < b->about->nsuites; i++) {
    const struct suite_info *u = &b->about->suites[i];
    if (u->trouble)
      return error_set(e, ERR_INPUT, "%s", u->trouble);
    for (uint32_t k = 0; k < u->nops; k++)
      if (check_op(b, &u->ops[k], e) || check_reference(b, u, &u->ops[k], e))
        return e->code;
  }
  return ERR_NONE;
}

int built_worker_trouble(const struct worker *w, enum worker_end end,
                         struct error *e) {
  switch (end) {
  case WORKER_DONE:
    return ERR_NONE;
  case WORKER_ERROR:
    return error_set(e, w->error.code, "%s", w->error.text);
  case WORKER_INTERRUPTED:
    return error_set(e, ERR_INTERRUPTED, "interrupted");
  case WORKER_HANGS:
    return error_set(e, ERR_SYSTEM, "the worker sleeps and does not end");
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

/* The worker ended in code that runs when the object is loaded, before the
 * engine controls it. */
static int loading_trouble(const struct worker *w, enum worker_end end,
                           struct error *e) {
  static const char what[] = "the object cannot be loaded: its code that runs "
                             "at load time (a constructor)";
  if (end == WORKER_HANGS)
    return error_set(e, ERR_BUILD, "%s does not end", what);
  if (w->garbled)
    return error_set(
        e, ERR_BUILD,
        "%s overwrote memory or wrote to a file that is not its own", what);
  if (WIFSIGNALED(w->status))
    return error_set(e, ERR_BUILD, "%s died of signal %d (%s)", what,
                     WTERMSIG(w->status), strsignal(WTERMSIG(w->status)));
  return error_set(e, ERR_BUILD, "%s ended the process with status %d", what,
                   WEXITSTATUS(w->status));
}

/* The cage refused a system call of such code. */
static int refused_trouble(const struct built *b, const char *words,
                           uint64_t pc, struct error *e) {
  const struct place *p = pc ? lines_place(b->lines, pc - 1) : NULL;
  char at[512] = "";
  if (p && p->file)
    snprintf(at, sizeof at, "%s:%u: ", p->file, p->line);
  return error_set(e, ERR_REFUSED,
                   "%sthe object cannot be checked: in code that runs at load "
                   "time (a constructor), %s",
                   at, words);
}

static int describe(struct built *b, struct error *e) {
  struct target target = {.settings = b->settings, .so = b->so};
  b->describer.show_output = b->settings->show_output;
  b->describer.noun = &noun_description;
  b->describer.max_seconds = LOAD_SECONDS;
  enum worker_end end = worker_run(&b->describer, hunt_describe, &target);
  uint64_t pc;
  char *refused =
      end == WORKER_DIED ? cage_words(b->describer.status, &pc) : NULL;
  if (refused) {
    refused_trouble(b, refused, pc, e);
    free(refused);
    return e->code;
  }
  if (end == WORKER_DIED || end == WORKER_HANGS)
    return loading_trouble(&b->describer, end, e);
  if (end != WORKER_DONE)
    return built_worker_trouble(&b->describer, end, e);
  b->about = b->describer.answer;
  return check_suites(b, e);
}

/*
 * clang compiles weak compare-and-swaps as strong ones.  An object without weak
 * ones does not contain the name of their hook.
 */
static void warn_weak_cas(struct built *b) {
  static const char hook[] = "_compare_exchange_weak";
  struct buf file = {0};
  struct error ignored = {0};
  if (b->settings->spurious_cas && !buf_read_file(&file, b->so, &ignored) &&
      !memmem(file.at, file.len, hook, strlen(hook)))
    built_warn(
        b, xasprintf("warning: --spurious-cas has no effect: the object has "
                     "no weak compare-and-swap (clang makes strong ones of "
                     "them)"));
  buf_free(&file);
}

/* Which function is what to the object, for whoever names a place. */
static int find_roles(struct built *b, struct error *e) {
  VEC(uint64_t) entries = {0};
  for (uint32_t i = 0; i < b->about->nsuites; i++)
    for (uint32_t k = 0; k < b->about->suites[i].nops; k++)
      if (b->about->suites[i].ops[k].code)
        vec_push(&entries, b->about->suites[i].ops[k].code);
  int err = roles_find(b->lines, &b->probe.sites, entries.at, entries.len, e);
  vec_free(&entries);
  return err;
}

int built_open(struct built *b, const struct settings *set, struct error *e) {
  *b = (struct built){.settings = set};
  built_compiler(set, &b->build);
  worker_catch_signals();
  rt_share_loops();
  phases_open(set->verbose);
  phase_begin("compile");
  if (make_dir(b, e) || build_shared(&b->build, b->dir, &b->so, e))
    return e->code;
  build_source_hash(&b->build, b->hash);
  phase_begin("probe");
  b->lines = lines_open(b->so, e);
  if (!b->lines || probe_object(&b->probe, b->so, b->lines, e))
    return e->code;
  take_probe_warnings(b);
  b->reached_before = rt_share_reached(unreached_span(b->lines));
  b->notes_reached = true;
  if (describe(b, e) || find_roles(b, e))
    return e->code;
  warn_weak_cas(b);
  phase_end();
  if (set->search == SEARCH_STRESS) {
    phase_begin("compile without hooks");
    struct build native = b->build;
    native.native = native.hushed = true;
    return build_shared(&native, b->dir, &b->native, e);
  }
  return ERR_NONE;
}

void built_settings(const struct settings *all, const struct suite_info *of,
                    struct settings *out) {
  *out = *all;
  settings_take_model(out, of ? of->memory_model : FL_MEMORY_MODEL_DEFAULT,
                      out->search == SEARCH_STRESS && !out->shrinks);
  settings_take_criterion(out, of ? of->criterion : FL_CRITERION_DEFAULT);
}

bool built_partial(const struct built *b) {
  return b->probe.alien || b->probe.unknown_hooks.len;
}

void built_put_place(struct lines *lines, uint64_t pc, struct buf *out) {
  const struct place *p = lines_place(lines, pc - 1);
  if (p && p->file)
    buf_printf(out, "%s:%u: ", p->file, p->line);
}

void built_target(const struct built *b, struct target *t) {
  assert(b->settings && b->so && b->lines); /* built_open has succeeded */
  *t = (struct target){
      .settings = b->settings,
      .so = b->so,
      .native = b->native,
      .uses_tls = b->probe.has_tls || b->probe.needs_libc_tls,
      .uses_fenv = b->probe.uses_fenv,
      .uses_clock = b->probe.uses_clock,
      .part_stores = b->probe.part_stores.at,
      .npart_stores = b->probe.part_stores.len,
      .sites = b->probe.sites.at,
      .nsites = b->probe.sites.len,
      .partial = built_partial(b),
      .lines = b->lines,
      .put_place = built_put_place,
  };
}

int built_estimate(struct built *b, uint32_t suite, uint32_t **out,
                   struct error *e) {
  assert(suite < b->about->nsuites);
  const struct suite_info *u = &b->about->suites[suite];
  struct flow *f = flow_open(b->lines, e);
  if (!f)
    return e->code;
  uint32_t *steps = arena_alloc(&b->arena, (u->nops + 1) * sizeof *steps);
  for (uint32_t i = 0; i < u->nops; i++) {
    struct flow_tree t = {0};
    if (flow_tree_of(f, u->ops[i].code, &t))
      steps[i] = flow_sum(&t, (uint32_t)b->settings->theta);
    flow_tree_free(&t);
  }
  flow_close(f);
  *out = steps;
  return ERR_NONE;
}

void built_close(struct built *b) {
  if (b->notes_reached)
    rt_reached_restore(b->reached_before);
  worker_release(&b->describer);
  arena_free(&b->arena);
  for (uint32_t i = 0; i < b->warnings.len; i++)
    free(b->warnings.at[i]);
  vec_free(&b->warnings);
  probe_free(&b->probe);
  if (b->lines)
    lines_close(b->lines);
  if (b->dir && b->settings->show_commands) {
    tidy_file_done(b->dir);
    free(b->dir);
  } else if (b->dir) {
    tidy_folder_remove(b->dir);
  }
  free(b->so);
  free(b->native);
  vec_free(&b->build.inputs);
  vec_free(&b->build.flags);
}
