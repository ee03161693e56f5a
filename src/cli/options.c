/* The options of the commands that take sources, from one table. */
#include "cli/options.h"

#include "cli/commands.h"

#include "code/tree.h"
#include "diagnose/traces.h"
#include "locate/trace_set.h"
#include "shrink/coarse.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OPS = 100 }; /* calls of a thread, under the scheduler */

static const char *const heap_name[] = {"quarantine", "reuse", NULL};
static const char *const criterion_name[] = {"linearizability", "sequential",
                                             NULL};
static const char *const races_name[] = {"conflicting", "shared", "all", "off",
                                         NULL};
static const char *const patch_form_name[] = {"best", "exact", NULL};
static const char *const coarse_name[] = {"best", "b", "d", "h", NULL};
static const char *const protocol_name[] = {"faultline", "gnu", NULL};
static const char *const color_name[] = {"auto", "always", "never", NULL};

/* An option that a command takes; its own help and group, or NULL. */
struct own_option {
  const char *name, *help, *group;
};

struct about {
  const char *command, *usage, *text;
  const struct own_option *only; /* ends with a NULL name; NULL: all options */
  const char *notes;
};

static const struct own_option of_atomicity[] = {
    {"client", "of a source: run this client only"},
    {"object"},
    {"threads", "generated clients have up to N threads (2)"},
    {"ops", "and up to N calls in each thread (2)"},
    {"init", "after up to N initial calls (1)"},
    {"max-executions",
     "of each client, under SC and under TSO, run at most N (SC 4000, TSO "
     "20000)"},
    {"max-steps", "cut an execution after N steps (1000) more than its calls "
                  "need one after the other"},
    {"time", "for all clients together (20)"},
    {"no-reduction",
     "run the executions under TSO even if those under SC tell the answers"},
    {"keep-order", "of a trace without commits: its executions have its "
                   "operations in this very order, and only commits are free"},
    {"memory-model",
     "of a source: which answer counts for the exit status; with tso all "
     "executions with store buffers are run, with sc only if they are needed"},
    {"buffer"},
    {"heap"},
    {"spurious-cas"},
    {"watchdog"},
    {"show-output"},
    {"cc"},
    {"cxx"},
    {"opt"},
    {"no-cache"},
    {"show-commands"},
    {"verbose"},
    {"json", "write the answers as JSON; - is standard output"},
    {"junit", "write them as JUnit's XML, one case a trace or client"},
    {"sarif", "write what is not serializable as SARIF 2.1.0"},
    {"tap", "write the answers as TAP; of these and --json one can be -"},
    {"trace",
     "of a source: write the executions that tell a \"no\" as trace files"},
    {"dot", "write the cycles as a graph for Graphviz", "Output"},
    {0}};

/* Without --search, --init and their options, since shrink has its own
 * searches, and without those for the lines that must be atomic, which it does
 * not look for. */
static const struct own_option of_shrink[] = {
    {"client", "make this client smaller, e.g. 'push(1); {push(2)} || {pop()}; "
               "pop()'"},
    {"object"},
    {"coarse",
     "candidates are run by real threads (b), by the scheduler (d), with one "
     "call in one of the threads (h), or as it serves best"},
    {"search", "random clients run by D-PCT (dpct), or by a coin before each "
               "step (random)"},
    {"threads", "random clients have N threads (2)"},
    {"ops", "and N calls in each thread (500)"},
    {"max-executions", "so many random clients are run (20)"},
    {"theta"},
    {"max-states"},
    {"memory"},
    {"max-steps"},
    {"time", "end all of it after so many seconds"},
    {"jobs", "at most so many processes; this needs one"},
    {"seed"},
    {"criterion"},
    {"no-reduction", "branch at accesses that cannot conflict, too"},
    {"preemptions"},
    {"races"},
    {"race-sections"},
    {"race-independent"},
    {"race-variables"},
    {"dot"},
    {"memory-model"},
    {"buffer"},
    {"heap"},
    {"spurious-cas"},
    {"leaks"},
    {"watchdog"},
    {"show-output"},
    {"cc"},
    {"cxx"},
    {"opt"},
    {"no-cache"},
    {"show-commands"},
    {"verbose"},
    {"json"},
    {"junit"},
    {"sarif"},
    {"tap"},
    {"exit-protocol"},
    {"html"},
    {"no-html"},
    {"trace"},
    {"quiet"},
    {"all-causes"},
    {"no-save"},
    {"save-dir"},
    {"debug-dump"},
    {"color"},
    {"width"},
    {0}};

static const struct about abouts[] = {
    {"test", "faultline [test] FILE... [options] [-- compiler flags]",
     "Compiles the sources and the harness, runs clients of the object under a "
     "scheduler that it controls, and reports the first fault: a history that "
     "is not linearizable, a crash, a deadlock. Clients are tried smallest "
     "first. Exit status: 0 no fault found, 1 fault found, 2 usage, build or "
     "tool error, 3 inconclusive or nothing checked."},
    {"explore", "faultline explore FILE... [options] [-- compiler flags]",
     "Runs every interleaving of one client (--client), or of a program with "
     "main() and threads, and lists the outcomes."},
    {"explain-tree",
     "faultline explain-tree FUNCTION FILE... [options] [-- compiler flags]",
     "Prints the structure tree of a function, from which --search=dpct "
     "estimates how many steps a call takes: sequences of accesses, loops, "
     "selections and their branches, each with its part of the sum."},
    {"shrink",
     "faultline shrink [HISTORY.jsonl] FILE... [options] [-- compiler flags]",
     "From a failing history to the smallest client that still fails. The "
     "history is a file (docs/history.md), or one of long random clients of "
     "--threads times --ops calls, of which --max-executions are run (20).",
     of_shrink},
    {"replay",
     "faultline replay SCHEDULE FILE... [options] [-- compiler flags]",
     "Runs the execution of a schedule file again, twice, and shows it, "
     "whether "
     "it fails or passes now."},
    {"atomicity",
     "faultline atomicity TRACE...\nfaultline atomicity FILE.c... [--client "
     "CLIENT] [options] [-- compiler flags]",
     "Whether transactions are serializable, under SC and under TSO, and "
     "whether a program is robust against store buffers. Traces are those of "
     "docs/trace.md or of the RAPID tools (STD). Of C sources with a harness, "
     "all executions of a client, or of the smallest ones. Transactions are "
     "operations, or blocks between begin and end (FL_ATOMIC_BEGIN, "
     "FL_ATOMIC_END).",
     of_atomicity,
     "Exit status: 0 serializable, 1 not, 2 usage or a file that cannot be "
     "understood,\n3 not determined; by the memory model of the trace, or that "
     "of --memory-model.\n"},
};

/* Selects the options of the table that the command takes. */
static void select_options(const struct opt *all, const struct own_option *only,
                           struct opt *out) {
  for (; only->name; only++) {
    const struct opt *o = all;
    while (o->name && strcmp(o->name, only->name))
      o++;
    assert(o->name); /* every own_option is in the table */
    *out = *o;
    if (only->help)
      out->help = only->help;
    if (only->group)
      out->group = only->group;
    out++;
  }
  *out = (struct opt){0};
}

/* Can the report be written?  Checks that before the search, not after it. */
static int check_output(const char *option, const char *path, struct error *e) {
  if (!path || !strcmp(path, "-"))
    return ERR_NONE;
  if (!*path)
    return error_set(e, ERR_USAGE, "%s wants a file name, or -", option);
  struct stat st;
  const char *slash = strrchr(path, '/');
  char *dir = !slash
                  ? xstrdup(".")
                  : xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
  int err = ERR_NONE;
  if (!stat(path, &st) && S_ISDIR(st.st_mode))
    err = error_set(e, ERR_USAGE, "%s: %s is a folder", option, path);
  else if (access(dir, W_OK | X_OK))
    err = error_set(e, ERR_USAGE, "%s: %s: %s", option, dir, strerror(errno));
  free(dir);
  return err;
}

static int check_outputs(const struct settings *s, struct error *e) {
  const struct {
    const char *option, *path;
  } outputs[] = {{"--json", s->json},
                 {"--junit", s->junit},
                 {"--sarif", s->sarif},
                 {"--tap", s->tap},
                 {"--html", s->html},
                 {"--trace", s->trace},
                 {"--patch", s->patch},
                 {"--dot", s->dot},
                 {"--debug-dump", s->debug_dump}};
  const char *standard = NULL;
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
    if (check_output(outputs[i].option, outputs[i].path, e))
      return e->code;
    if (!outputs[i].path || strcmp(outputs[i].path, "-"))
      continue;
    if (standard)
      return error_set(e, ERR_USAGE,
                       "%s and %s: only one of them can be standard output",
                       standard, outputs[i].option);
    standard = outputs[i].option;
  }
  return ERR_NONE;
}

/* FAULTLINE_OPTIONS come first, so that the command line overrides them. */
static int parse_environment(struct settings *s, const struct opt_command *c,
                             struct error *e) {
  const char *text = getenv("FAULTLINE_OPTIONS");
  struct opt_rest rest = {0};
  struct error own = {0};
  if (!text || !*text)
    return ERR_NONE;
  vec_push(&s->environment, xstrdup("FAULTLINE_OPTIONS"));
  int err = opt_split(text, &s->environment, &own);
  if (!err)
    err = opt_parse(c, (int)s->environment.len, (char **)s->environment.at,
                    &rest, &own);
  if (!err && (rest.help || rest.dashes || rest.args.len))
    error_set(&own, ERR_USAGE, "\"%s\" is not an option",
              rest.help     ? "--help"
              : rest.dashes ? "--"
                            : rest.args.at[0]);
  opt_rest_free(&rest);
  return own.code ? error_set(e, own.code, "FAULTLINE_OPTIONS: %s", own.text)
                  : ERR_NONE;
}

/* Refuses options that the search would ignore. */
static int check_search(const struct settings *s, struct error *e) {
  int how = s->search;
  bool priorities = how == SEARCH_PCT || how == SEARCH_DPCT;
  if (s->no_real_time && how != SEARCH_DPOR)
    return error_set(e, ERR_USAGE, "--no-real-time needs --search=dpor");
  if (s->depth && !priorities)
    return error_set(e, ERR_USAGE, "--depth needs --search=pct or dpct");
  if (s->bound_preemptions && how == SEARCH_STRESS)
    return error_set(e, ERR_USAGE,
                     "--preemptions: real threads are preempted as they are");
  if (s->patch && how == SEARCH_STRESS)
    return error_set(e, ERR_USAGE,
                     "--patch needs a search by the scheduler: what real "
                     "threads do shows no fault to be gone");
  if (s->model && how == SEARCH_STRESS)
    return error_set(e, ERR_USAGE,
                     "--memory-model: real threads have the machine's own");
  if (s->model && s->threads >= RT_BUFFERS)
    return error_set(e, ERR_USAGE,
                     "--threads: with --memory-model=tso at most %d",
                     RT_BUFFERS - 1);
  if (s->ops > MOST_OPS && how != SEARCH_STRESS)
    return error_set(e, ERR_USAGE,
                     "--ops: more than %d calls in a thread need "
                     "--search=stress",
                     MOST_OPS);
  return ERR_NONE;
}

/* Reads the traces once, so that an error comes before the search. */
static int check_good_traces(const struct settings *s, struct error *e) {
  struct trace_set t = {0};
  int err = 0;
  for (uint32_t i = 0; i < s->good_traces.len && !err; i++)
    err = trace_set_read(&t, s->good_traces.at[i], true, e);
  trace_set_free(&t);
  return err;
}

int settings_parse(struct settings *s, const char *command, int argc,
                   char **argv, bool *help, struct error *e) {
  *s = (struct settings){.init = 2,
                         .max_states = 1000000,
                         .memory = (uint64_t)1 << 30,
                         .max_steps = 10000,
                         .theta = FLOW_THETA,
                         .seed = 1,
                         .watchdog_ms = 1000,
                         .buffer = 4,
                         .save_dir = ".faultline"};
  bool model_given = false;
  if (!strcmp(command, "atomicity")) {
    s->init = 1;
    s->max_steps = 1000;
    s->time = 20;
  }
  const struct opt opts[] = {
      {"client", 'c', OPT_STRING, &s->client, "CLIENT",
       "test this client only, e.g. 'push(1); {push(2)} || {pop()}; pop()'",
       "Search"},
      {"object", 0, OPT_STRING, &s->object, "NAME",
       "test this object only, of several in the harness", "Search"},
      {"search", 's', OPT_ENUM, &s->search, "HOW",
       "stateful enters every native state once, dfs runs every interleaving, "
       "dpor one of each that differ in the order of conflicts only; random, "
       "pct, dpct and pos draw interleavings; stress uses real threads; auto "
       "chooses",
       "Search", .choices = search_name},
      {"threads", 't', OPT_UINT64, &s->threads, "N",
       "generated clients have up to N threads (3; stress: 2)", "Search",
       .min = 2, .max = CLIENT_MAX_THREADS},
      {"ops", 'n', OPT_UINT64, &s->ops, "N",
       "and up to N calls in each thread (3; stress: 500)", "Search", .min = 1,
       .max = 100000},
      {"init", 0, OPT_UINT64, &s->init, "N", "after up to N initial calls (2)",
       "Search", .min = 0, .max = 100},
      {"max-executions", 0, OPT_UINT64, &s->max_executions, "N",
       "end the search after N executions, with stress rounds (what makes a "
       "failing client small comes on top)",
       "Search", .min = 1, .max = INT64_MAX},
      {"max-states", 0, OPT_UINT64, &s->max_states, "N",
       "give up a client after N states (1000000)", "Search", .min = 1,
       .max = INT64_MAX},
      {"memory", 0, OPT_SIZE, &s->memory, "SIZE",
       "stateful: give up a client when its states take so much (1G)",
       "Search"},
      {"max-steps", 0, OPT_UINT64, &s->max_steps, "N",
       "cut an execution after N steps (10000) more than its calls need one "
       "after the other",
       "Search", .min = 1, .max = UINT32_MAX},
      {"time", 0, OPT_DOUBLE, &s->time, "SECONDS",
       "search as long as this: after the small clients, random larger ones "
       "(else two or three seconds on one core)",
       "Search"},
      {"keep-going", 0, OPT_FLAG, &s->keep_going, NULL,
       "after a fault look for others, of another kind or of other lines",
       "Search"},
      {"jobs", 'j', OPT_UINT64, &s->jobs, "N",
       "so many processes search at the same time (all cores)", "Search",
       .min = 1, .max = 256},
      {"seed", 0, OPT_UINT64, &s->seed, "N", "seed of all chance (1)",
       "Search"},
      {"criterion", 0, OPT_ENUM, &s->criterion, "WHICH",
       "sequential consistency ignores the real-time order between threads",
       "Search", .choices = criterion_name},
      {"no-reduction", 0, OPT_FLAG, &s->no_reduction, NULL,
       "stateful: branch at accesses that cannot conflict too, and tell states "
       "apart by whole histories; and try clients that others make superfluous",
       "Search"},
      {"no-real-time", 0, OPT_FLAG, &s->no_real_time, NULL,
       "dpor: the order of a return and another thread's call does not make a "
       "difference; misses violations of that order",
       "Search"},
      {"keep-order", 0, OPT_FLAG, &s->keep_order, NULL,
       "atomicity: the executions of a trace without commits have its "
       "operations in this very order, and only commits are free",
       "Search"},
      {"depth", 0, OPT_UINT64, &s->depth, "N",
       "pct, dpct: look for bugs that need N constraints on the order of steps "
       "(3)",
       "Search", .min = 1, .max = 64},
      {"theta", 0, OPT_UINT64, &s->theta, "N",
       "dpct: a loop is thought to go round N times where its code does not "
       "tell how often (1)",
       "Search", .min = 1, .max = 1000},
      {"preemptions", 0, OPT_UINT64, &s->preemptions, "N",
       "leave a thread that could go on at most N times in an execution",
       "Search", .max = UINT32_MAX, .given = &s->bound_preemptions},
      {"coarse", 0, OPT_ENUM, &s->coarse, "HOW",
       "shrink: candidates are run by real threads (b), by the scheduler (d), "
       "with one call in one of the threads (h), or as it serves best",
       "Search", .choices = coarse_name},
      {"races", 0, OPT_ENUM, &s->races, "WHICH",
       "which races decide a failure: of accesses that conflict, of all to "
       "what several threads touch, of all; or do not ask",
       "Races", .choices = races_name},
      {"race-sections", 0, OPT_FLAG, &s->race_sections, NULL,
       "a critical section is one event", "Races"},
      {"race-independent", 0, OPT_FLAG, &s->race_independent, NULL,
       "threads race even if their next accesses do not depend on each other",
       "Races"},
      {"race-variables", 0, OPT_LIST, &s->race_variables, "NAME",
       "threads race when both are about to access one of these variables, "
       "and one to change it; a * stands for any text; may be repeated",
       "Races"},
      {"dot", 0, OPT_STRING, &s->dot, "FILE",
       "write the labelled graph of interleavings, for Graphviz", "Races"},
      {"memory-model", 0, OPT_ENUM, &s->model, "MODEL",
       "sequential consistency, or x86's store buffers; else what the harness "
       "says (FL_MEMORY_MODEL), or sc",
       "Engine", .choices = model_name, .given = &model_given},
      {"buffer", 0, OPT_UINT64, &s->buffer, "N",
       "tso: a thread's buffer holds so many stores (4)", "Engine", .min = 1,
       .max = RT_BUFFER_MOST},
      {"heap", 0, OPT_ENUM, &s->heap, "POLICY",
       "freed memory is not given out again and its use is a fault, or is "
       "given out first, which exposes ABA",
       "Engine", .choices = heap_name},
      {"spurious-cas", 0, OPT_FLAG, &s->spurious_cas, NULL,
       "a weak compare-and-swap may fail without reason", "Engine"},
      {"leaks", 0, OPT_FLAG, &s->leaks, NULL,
       "memory that is not freed at the end is a fault", "Engine"},
      {"watchdog", 0, OPT_UINT64, &s->watchdog_ms, "MS",
       "CPU time without a step that counts as an endless loop (1000)",
       "Engine", .min = 100, .max = 1000000},
      {"show-output", 0, OPT_FLAG, &s->show_output, NULL,
       "let the code under test print", "Engine"},
      {"cc", 0, OPT_STRING, &s->cc, "COMPILER", "gcc (default), clang, ...",
       "Build"},
      {"cxx", 0, OPT_STRING, &s->cxx, "COMPILER", "for C++ files", "Build"},
      {"opt", 'O', OPT_STRING, &s->opt, "LEVEL", "-O0, -O1 (default), -O2, ...",
       "Build"},
      {"no-cache", 0, OPT_FLAG, &s->no_cache, NULL,
       "compile everything, and keep nothing for the next run", "Build"},
      {"show-commands", 0, OPT_FLAG, &s->show_commands, NULL,
       "print the compiler's commands, and keep what they make", "Build"},
      {"json", 0, OPT_STRING, &s->json, "FILE",
       "write the report as JSON; - is standard output", "Output"},
      {"junit", 0, OPT_STRING, &s->junit, "FILE",
       "write the results as JUnit's XML, one case an object", "Output"},
      {"sarif", 0, OPT_STRING, &s->sarif, "FILE",
       "write the faults as SARIF 2.1.0, for code scanning and editors",
       "Output"},
      {"tap", 0, OPT_STRING, &s->tap, "FILE",
       "write the results as TAP; of these and --json one can be -", "Output"},
      {"exit-protocol", 0, OPT_ENUM, &s->exit_protocol, "WHOSE",
       "gnu, for automake and meson: 77 instead of 3 (nothing was decided), 99 "
       "instead of 2 and after an interrupt",
       "Output", .choices = protocol_name},
      {"html", 0, OPT_STRING, &s->html, "FILE",
       "write the report as a page that needs nothing else; without it, a "
       "fault's page stands beside its schedule",
       "Output"},
      {"no-html", 0, OPT_FLAG, &s->no_html, NULL,
       "write no page beside the schedule", "Output"},
      {"trace", 0, OPT_STRING, &s->trace, "FILE",
       "write the failing execution as a trace file, for faultline explain and "
       "other tools",
       "Output"},
      {"traces", 0, OPT_STRING, &s->traces, "DIR",
       "explore: write a trace of each order of conflicting accesses of the "
       "client, correct ones too, for faultline explain DIR",
       "Output"},
      {"good-traces", 0, OPT_LIST, &s->good_traces, "FILE",
       "linearizable traces from elsewhere, which help to rank the lines that "
       "must be atomic; may be repeated",
       "Output"},
      {"patch", 0, OPT_STRING, &s->patch, "FILE",
       "write a patch that makes the best lines atomic with a lock, if the "
       "patched sources, compiled and searched again, show no fault",
       "Output"},
      {"patch-form", 0, OPT_ENUM, &s->patch_form, "HOW",
       "of --patch: the locks that are there, or a new one where it serves "
       "best; or exact, one lock that is held in the lines as they are printed",
       "Output", .choices = patch_form_name},
      {"gdb", 0, OPT_FLAG, &s->gdb, NULL,
       "replay: the execution in gdb, with the commands fl-step, fl-threads "
       "and "
       "fl-why",
       "Output"},
      {"quiet", 'q', OPT_FLAG, &s->quiet, NULL,
       "only the diagnostic and the replay command", "Output"},
      {"verbose", 'v', OPT_FLAG, &s->verbose, NULL,
       "the whole report, not only what fits on a screen; and on standard "
       "error each phase with its counts and time",
       "Output"},
      {"all-causes", 0, OPT_FLAG, &s->all_causes, NULL,
       "all sets of lines that could be made atomic, not the best five",
       "Output"},
      {"no-save", 0, OPT_FLAG, &s->no_save, NULL,
       "do not save schedules, nor try saved ones", "Output"},
      {"save-dir", 0, OPT_STRING, &s->save_dir, "DIR",
       "where schedules are saved (.faultline)", "Output"},
      {"debug-dump", 0, OPT_STRING, &s->debug_dump, "FILE",
       "write what maintainers of Faultline need to know of the run: for a "
       "report of an execution that could not be repeated",
       "Output"},
      {"color", 0, OPT_ENUM, &s->color, "WHEN", "colours and bold letters",
       "Output", .choices = color_name},
      {"width", 0, OPT_UINT64, &s->width, "N",
       "columns of the report (those of the terminal, else 80)", "Output",
       .min = 40, .max = 1000},
      {0}};
  const struct about *a = abouts, *end = a + sizeof abouts / sizeof *abouts;
  while (a < end && strcmp(a->command, command))
    a++;
  assert(a < end);
  struct opt own[sizeof opts / sizeof *opts];
  struct opt_command c = {a->usage, a->text, opts,
                          a->notes ? a->notes
                                   : "FAULTLINE_OPTIONS in the environment: "
                                     "options that come before those of "
                                     "the\ncommand line.\n"};
  struct error environment = {0}, *first = &environment;
  parse_environment(s, &c, first);
  if (a->only) {
    select_options(opts, a->only, own);
    c.opts = own;
  }
  int err =
      opt_parse(&c, argc, argv, &s->rest, first->code ? &(struct error){0} : e);
  if (first->code && !s->rest.help) /* --help is answered in any case */
    err = error_set(e, first->code, "%s", first->text);
  *help = s->rest.help;
  if (model_given)
    s->model_from = MODEL_OPTION;
  if (!err && s->rest.help) {
    command_show_help(&c);
    return ERR_NONE;
  }
  if (!err && s->time < 0)
    err = error_set(e, ERR_USAGE, "--time wants a number of seconds");
  if (!err && strcmp(command, "shrink"))
    err = check_search(s, e);
  s->shrinks = !strcmp(command, "shrink");
  if (!err && s->shrinks && s->model && s->coarse == COARSE_B)
    err = error_set(e, ERR_USAGE,
                    "--coarse=b: real threads have the machine's own memory "
                    "model");
  bool stress = s->search == SEARCH_STRESS || s->shrinks;
  bool atomicity = !strcmp(command, "atomicity");
  if (!s->threads)
    s->threads = stress || atomicity ? 2 : 3;
  if (!s->ops)
    s->ops = stress ? 500 : atomicity ? 2 : 3;
  if (!err)
    err = check_outputs(s, e);
  if (!err)
    err = check_good_traces(s, e);
  if (!err && s->dot && s->races == RACES_OFF && !atomicity)
    err = error_set(e, ERR_USAGE,
                    "--dot draws what --races=off does not look for");
  if (!err && s->race_independent && s->race_variables.len)
    err = error_set(e, ERR_USAGE,
                    "--race-independent and --race-variables both say who "
                    "races");
  if (!err && s->gdb && strcmp(command, "replay"))
    err = error_set(e, ERR_USAGE, "--gdb: only faultline replay has it");
  if (!err && s->traces && (strcmp(command, "explore") || !s->client))
    err = error_set(e, ERR_USAGE,
                    "--traces: only faultline explore --client has it");
  if (!err && s->traces)
    err = traces_check(s->traces, e);
  if (!err && s->coarse && !s->shrinks)
    err = error_set(e, ERR_USAGE, "--coarse: only faultline shrink has it");
  if (!err && s->keep_order && !atomicity)
    err = error_set(e, ERR_USAGE,
                    "--keep-order: only faultline atomicity has it");
  if (!err && !s->rest.args.len)
    err = error_set(e, ERR_USAGE, "no %s given; see faultline %s --help",
                    atomicity ? "traces or source files" : "source files",
                    command);
  return err;
}

void settings_free(struct settings *s) {
  opt_rest_free(&s->rest);
  vec_free(&s->good_traces);
  vec_free(&s->race_variables);
  for (uint32_t i = 0; i < s->environment.len; i++)
    free((char *)(uintptr_t)s->environment.at[i]);
  vec_free(&s->environment);
}
