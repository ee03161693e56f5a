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
static const char *const races_name[] = {"conflicting", "shared", "all", "off",
                                         NULL};
static const char *const patch_form_name[] = {"best", "exact", NULL};
static const char *const coarse_name[] = {"best", "b", "d", "h", NULL};
static const char *const protocol_name[] = {"faultline", "gnu", NULL};
static const char *const color_name[] = {"auto", "always", "never", NULL};

/* An option that a command takes; its own help, group and choices, or NULL. */
struct own_option {
  const char *name, *help, *group;
  const char *const *offered; /* the only choices that the command takes */
};

struct about {
  const char *command, *usage, *text;
  const struct own_option *only; /* ends with a NULL name; NULL: all options */
  const char *notes;
  /* the options that the help shows, each between spaces; NULL: see `unused`.
   * The others are accepted: a script may have one set for all commands. */
  const char *shown;
  const char *unused; /* options that the help does not show, or NULL */
};

#define UNUSED_OPTIONS                                                         \
  "The options of faultline test that are not listed here are accepted and "   \
  "not\nused. FAULTLINE_OPTIONS in the environment holds options that come "   \
  "before those\nof the command line.\n"

static const struct own_option of_atomicity[] = {
    {"client", "sources: run only this client"},
    {"object"},
    {"threads", "generated clients have up to N threads (default: 2)"},
    {"ops", "up to N calls in each thread (default: 2)"},
    {"init", "up to N initial calls before the threads start (default: 1)"},
    {"max-executions", "run at most N executions of each client (default: 4000 "
                       "under SC, 20000 under TSO)"},
    {"max-steps", "cut off an execution that takes N steps (default: 1000) "
                  "more than its calls take one after the other"},
    {"time", "stop after this time, for all clients together (default: 20)"},
    {"no-reduction",
     "run the executions under TSO even if those under SC give the answers"},
    {"keep-order", "traces without commits: keep the operations in the order "
                   "of the trace, and move only the commits"},
    {"memory-model",
     "sources: which answer sets the exit status; tso runs all executions with "
     "store buffers, sc only if they are needed"},
    {"buffer"},
    {"heap"},
    {"spurious-cas"},
    {"spurious-wakeups"},
    {"watchdog"},
    {"show-output"},
    {"cc"},
    {"cxx"},
    {"opt"},
    {"no-cache"},
    {"show-commands"},
    {"verbose"},
    {"json", "write the answers as JSON; - is standard output"},
    {"junit",
     "write the answers as JUnit XML, one test case per trace or client"},
    {"sarif", "write what is not serializable as SARIF 2.1.0, for code "
              "scanning and editors"},
    {"tap", "write the answers as TAP; only one of these reports can go to -"},
    {"trace",
     "sources: write the executions behind each \"no\" as trace files"},
    {"dot", "draw the cycles as a graph for Graphviz", "Output"},
    {0}};

/* Without --search, --init and their options, since shrink has its own
 * searches, and without those for the lines that must be atomic, which it does
 * not look for. */
static const char *const shrink_searches[] = {"dpct", "random", NULL};
static const struct own_option of_shrink[] = {
    {"client", "make this client smaller, e.g. 'push(1); {push(2)} || {pop()}; "
               "pop()'"},
    {"object"},
    {"coarse",
     "candidates run on real threads (b) or under the scheduler (d), or have "
     "one call in one of the threads (h); best (default) tries h, then d"},
    {"search",
     "random clients run under D-PCT (dpct, default), or toss a coin "
     "before each step (random)",
     NULL, shrink_searches},
    {"threads", "random clients have N threads (default: 2)"},
    {"ops", "random clients have N calls in each thread (default: 500)"},
    {"max-executions", "run N random clients (default: 20)"},
    {"theta"},
    {"max-states"},
    {"memory"},
    {"max-steps"},
    {"time", "stop after this time"},
    {"jobs", "accepted for scripts; this command uses one process"},
    {"seed"},
    {"criterion"},
    {"no-reduction", "branch also at accesses that cannot conflict"},
    {"preemptions"},
    {"races"},
    {"deciding-races"},
    {"race-sections"},
    {"race-independent"},
    {"race-variables"},
    {"dot"},
    {"memory-model"},
    {"buffer"},
    {"heap"},
    {"spurious-cas"},
    {"spurious-wakeups"},
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
     "Compiles the sources and the harness, runs small clients of the object "
     "under a scheduler that controls every step, and reports the first fault: "
     "a history that is not linearizable, a crash, a deadlock. The smallest "
     "clients come first. Exit status: 0 no fault found, 1 fault found, 2 "
     "usage, build or tool error, 3 inconclusive or nothing checked."},
    {"explore", "faultline explore FILE... [options] [-- compiler flags]",
     "Runs every interleaving of one client (--client), or of a program with "
     "main() and threads, and lists the outcomes.",
     NULL, UNUSED_OPTIONS, NULL, " threads ops init keep-going accept "},
    {"explain-tree",
     "faultline explain-tree FUNCTION FILE... [options] [-- compiler flags]",
     "Prints the structure tree of a function: its sequences of accesses, "
     "loops, selections and their branches, each with the number of steps that "
     "it adds. From this tree, --search=dpct estimates how many steps a call "
     "takes.",
     NULL, UNUSED_OPTIONS, " theta cc cxx opt no-cache show-commands ", NULL},
    {"shrink",
     "faultline shrink [HISTORY.jsonl] FILE... [options] [-- compiler flags]",
     "Turns a failing history into the smallest client that still fails. The "
     "history comes from a file (docs/history.md), or from a run of long "
     "random clients: --max-executions of them, with --threads threads of "
     "--ops calls each.",
     of_shrink},
    {"replay",
     "faultline replay SCHEDULE FILE... [options] [-- compiler flags]",
     "Runs the execution of a saved schedule twice, to see that it repeats "
     "itself, and shows it, whether it fails or passes now.",
     NULL, UNUSED_OPTIONS,
     " max-states memory max-steps races deciding-races race-sections "
     "race-independent "
     "race-variables dot watchdog show-output cc cxx opt no-cache "
     "show-commands json junit sarif tap exit-protocol html no-html trace gdb "
     "quiet verbose debug-dump color width ",
     NULL},
    {"atomicity",
     "faultline atomicity TRACE...\nfaultline atomicity FILE.c... [--client "
     "CLIENT] [options] [-- compiler flags]",
     "Tells whether transactions are serializable, under SC and under TSO, and "
     "whether a program is robust against store buffers. A trace has the "
     "format of docs/trace.md or that of the RAPID tools (STD). For C sources "
     "with a harness, all executions of one client are run, or those of the "
     "smallest clients. A transaction is an operation, or a block between "
     "begin and end (FL_ATOMIC_BEGIN, FL_ATOMIC_END).",
     of_atomicity,
     "Exit status: 0 serializable, 1 not serializable, 2 usage error or "
     "unreadable\nfile, 3 not determined. The answer that counts is the one "
     "for the memory model\nof the trace, or of --memory-model.\n"},
};

/* Options of one command, which the help of the others does not show. */
static const struct {
  const char *option, *command;
} of_one_command[] = {{"gdb", "replay"},
                      {"traces", "explore"},
                      {"coarse", "shrink"},
                      {"keep-order", "atomicity"}};

/* Does the list, with spaces around each name, have this one? */
static bool lists(const char *list, const char *name) {
  char spaced[64];
  snprintf(spaced, sizeof spaced, " %s ", name);
  return strstr(list, spaced);
}

static void hide_options(struct opt *o, const struct about *a) {
  for (; o->name; o++) {
    if ((a->shown && !lists(a->shown, o->name)) ||
        (a->unused && lists(a->unused, o->name)))
      o->help = NULL;
    for (size_t i = 0; i < sizeof of_one_command / sizeof *of_one_command; i++)
      if (!strcmp(o->name, of_one_command[i].option) &&
          strcmp(a->command, of_one_command[i].command))
        o->help = NULL;
  }
}

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
    out->offered = only->offered;
    out++;
  }
  *out = (struct opt){0};
}

/* Can the report be written?  Checks that before the search, not after it. */
static int check_output(const char *option, const char *path, struct error *e) {
  if (!path || !strcmp(path, "-"))
    return ERR_NONE;
  if (!*path)
    return error_set(e, ERR_USAGE,
                     "%s: give a file name, or - for standard output", option);
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
  } outputs[] = {{"--json", s->json},         {"--junit", s->junit},
                 {"--sarif", s->sarif},       {"--tap", s->tap},
                 {"--coverage", s->coverage}, {"--html", s->html},
                 {"--trace", s->trace},       {"--patch", s->patch},
                 {"--dot", s->dot},           {"--debug-dump", s->debug_dump}};
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
                     "--preemptions: the scheduler cannot limit the "
                     "preemptions of real threads (--search=stress)");
  if (s->patch && how == SEARCH_STRESS)
    return error_set(e, ERR_USAGE,
                     "--patch does not go with --search=stress: runs of real "
                     "threads cannot show that a fault is gone");
  if (s->model && how == SEARCH_STRESS)
    return error_set(e, ERR_USAGE,
                     "--memory-model does not go with --search=stress: real "
                     "threads have the memory model of the machine");
  if (settings_model_trouble(s))
    return error_set(e, ERR_USAGE, "%s", settings_model_trouble(s));
  if (s->ops > MOST_OPS && how != SEARCH_STRESS)
    return error_set(
        e, ERR_USAGE,
        "--ops: more than %d calls per thread need --search=stress", MOST_OPS);
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
                         .wake_ups = RT_WAKE_UPS_SOME,
                         .save_dir = ".faultline"};
  bool model_given = false, criterion_given = false;
  if (!strcmp(command, "atomicity")) {
    s->init = 1;
    s->max_steps = 1000;
    s->time = 20;
  }
  struct opt opts[] = {
      {"client", 'c', OPT_STRING, &s->client, "CLIENT",
       "test only this client, e.g. 'push(1); {push(2)} || {pop()}; pop()'",
       "Search"},
      {"object", 0, OPT_STRING, &s->object, "NAME",
       "test only this object, if the harness has several", "Search"},
      {"search", 's', OPT_ENUM, &s->search, "HOW",
       "auto (default) chooses; stateful visits every state once; dfs runs "
       "every interleaving; dpor runs one interleaving for each order of "
       "conflicting accesses; random, pct, dpct and pos sample interleavings; "
       "stress uses real threads",
       "Search", .choices = search_name},
      {"threads", 't', OPT_UINT64, &s->threads, "N",
       "generated clients have up to N threads (default: 3; stress: 2)",
       "Search", .min = 2, .max = CLIENT_MAX_THREADS},
      {"ops", 'n', OPT_UINT64, &s->ops, "N",
       "up to N calls in each thread (default: 3; stress: 500)", "Search",
       .min = 1, .max = 100000},
      {"init", 0, OPT_UINT64, &s->init, "N",
       "up to N initial calls before the threads start (default: 2)", "Search",
       .min = 0, .max = 100},
      {"max-executions", 0, OPT_UINT64, &s->max_executions, "N",
       "stop the search after N executions (stress: rounds); the executions "
       "that make a failing client smaller are not counted",
       "Search", .min = 1, .max = INT64_MAX},
      {"max-states", 0, OPT_UINT64, &s->max_states, "N",
       "give up on a client after N states (default: 1000000)", "Search",
       .min = 1, .max = INT64_MAX},
      {"memory", 0, OPT_SIZE, &s->memory, "SIZE",
       "stateful: give up on a client when its states take this much memory "
       "(default: 1G)",
       "Search"},
      {"max-steps", 0, OPT_UINT64, &s->max_steps, "N",
       "cut off an execution that takes N steps (default: 10000) more than its "
       "calls take one after the other",
       "Search", .min = 1, .max = UINT32_MAX},
      {"time", 0, OPT_DOUBLE, &s->time, "SECONDS",
       "search this long: larger random clients follow the small ones "
       "(default: two or three seconds of one core)",
       "Search"},
      {"keep-going", 0, OPT_FLAG, &s->keep_going, NULL,
       "after a fault, look for others: of another kind, or in other lines",
       "Search"},
      {"accept", 0, OPT_STRING, &s->accept, "FILE",
       "go past the faults in this file, and list them; -v shows the line that "
       "accepts a fault",
       "Search"},
      {"jobs", 'j', OPT_UINT64, &s->jobs, "N",
       "search with N processes (default: one per core)", "Search", .min = 1,
       .max = 256},
      {"seed", 0, OPT_UINT64, &s->seed, "N",
       "seed of all random choices (default: 1)", "Search"},
      {"criterion", 0, OPT_ENUM, &s->criterion, "WHICH",
       "which order of the calls has to explain their results: "
       "linearizability, sequential, quiescent or happens-before "
       "(docs/readings.md); default: what the harness says (FL_CRITERION), or "
       "linearizability, with tso happens-before",
       "Search", .choices = criterion_name, .given = &criterion_given},
      {"no-reduction", 0, OPT_FLAG, &s->no_reduction, NULL,
       "stateful: branch also at accesses that cannot conflict, tell states "
       "apart by their whole histories, and try clients that others make "
       "superfluous",
       "Search"},
      {"no-real-time", 0, OPT_FLAG, &s->no_real_time, NULL,
       "dpor: ignore the order of a return and a call of another thread, and "
       "miss the violations that depend on it",
       "Search"},
      {"keep-order", 0, OPT_FLAG, &s->keep_order, NULL,
       "traces without commits: keep the operations in the order of the trace, "
       "and move only the commits",
       "Search"},
      {"depth", 0, OPT_UINT64, &s->depth, "N",
       "pct, dpct: look for faults that need N constraints on the order of "
       "steps (default: 3)",
       "Search", .min = 1, .max = 64},
      {"theta", 0, OPT_UINT64, &s->theta, "N",
       "dpct: assume N rounds for a loop whose code does not tell how many it "
       "takes (default: 1)",
       "Search", .min = 1, .max = 1000},
      {"preemptions", 0, OPT_UINT64, &s->preemptions, "N",
       "run only interleavings with at most N switches away from a thread that "
       "could go on",
       "Search", .max = UINT32_MAX, .given = &s->bound_preemptions},
      {"coarse", 0, OPT_ENUM, &s->coarse, "HOW",
       "candidates run on real threads (b) or under the scheduler (d), or have "
       "one call in one of the threads (h); best (default) tries h, then d",
       "Search", .choices = coarse_name},
      {"races", 0, OPT_ENUM, &s->data_races, "HOW",
       "data races, by the rules of C11: ignore them (default), report one "
       "when nothing else is wrong, or look for nothing else (only); under the "
       "memory model sc",
       "Search", .choices = data_races_name},
      {"deciding-races", 0, OPT_ENUM, &s->races, "WHICH",
       "races that may decide a failure: those of conflicting accesses "
       "(conflicting, default), of all accesses to memory that several threads "
       "use (shared), or of all accesses (all); off looks for none",
       "Races", .choices = races_name},
      {"race-sections", 0, OPT_FLAG, &s->race_sections, NULL,
       "count a critical section as one event", "Races"},
      {"race-independent", 0, OPT_FLAG, &s->race_independent, NULL,
       "let threads race even if their next accesses do not depend on each "
       "other",
       "Races"},
      {"race-variables", 0, OPT_LIST, &s->race_variables, "NAME",
       "let two threads race when both are about to access a variable of this "
       "name, and one is about to change it; * stands for any text; may be "
       "repeated",
       "Races"},
      {"dot", 0, OPT_STRING, &s->dot, "FILE",
       "draw the labelled graph of interleavings for Graphviz", "Races"},
      {"memory-model", 0, OPT_ENUM, &s->model, "MODEL",
       "sc is sequential consistency, tso has the store buffers of x86, c11 "
       "the memory orders of C11; "
       "default: what the harness says (FL_MEMORY_MODEL), or sc",
       "Engine", .choices = model_name, .given = &model_given},
      {"buffer", 0, OPT_UINT64, &s->buffer, "N",
       "tso: the buffer of a thread holds up to N stores (default: 4)",
       "Engine", .min = 1, .max = RT_BUFFER_MOST},
      {"heap", 0, OPT_ENUM, &s->heap, "POLICY",
       "quarantine (default) never hands out freed memory again, and any use "
       "of it is a fault; reuse hands it out first, which exposes ABA",
       "Engine", .choices = heap_name},
      {"spurious-cas", 0, OPT_FLAG, &s->spurious_cas, NULL,
       "let a weak compare-and-swap fail for no reason", "Engine"},
      {"spurious-wakeups", 0, OPT_ENUM, &s->wake_ups, "DOSE",
       "let waits end for no reason: never (off), the first wait of a call at "
       "each place (some, default), or up to three waits of a call (all)",
       "Engine", .choices = wake_ups_name},
      {"leaks", 0, OPT_FLAG, &s->leaks, NULL,
       "treat memory that is not freed at the end as a fault", "Engine"},
      {"watchdog", 0, OPT_UINT64, &s->watchdog_ms, "MS",
       "CPU time without a step after which a loop counts as endless (default: "
       "1000)",
       "Engine", .min = 100, .max = 1000000},
      {"show-output", 0, OPT_FLAG, &s->show_output, NULL,
       "let the code under test print", "Engine"},
      {"cc", 0, OPT_STRING, &s->cc, "COMPILER",
       "the C compiler: gcc (default), clang, ...", "Build"},
      {"cxx", 0, OPT_STRING, &s->cxx, "COMPILER",
       "the C++ compiler (default: the one of --cc)", "Build"},
      {"opt", 'O', OPT_STRING, &s->opt, "LEVEL",
       "optimization: 0, 1 (default), 2, ...", "Build"},
      {"no-cache", 0, OPT_FLAG, &s->no_cache, NULL,
       "compile everything, and store nothing for the next run", "Build"},
      {"show-commands", 0, OPT_FLAG, &s->show_commands, NULL,
       "print the commands that compile, and keep their output files", "Build"},
      {"json", 0, OPT_STRING, &s->json, "FILE",
       "write the report as JSON; - is standard output", "Output"},
      {"junit", 0, OPT_STRING, &s->junit, "FILE",
       "write the results as JUnit XML, one test case per object", "Output"},
      {"sarif", 0, OPT_STRING, &s->sarif, "FILE",
       "write the faults as SARIF 2.1.0, for code scanning and editors",
       "Output"},
      {"tap", 0, OPT_STRING, &s->tap, "FILE",
       "write the results as TAP; only one of these reports can go to -",
       "Output"},
      {"coverage", 0, OPT_STRING, &s->coverage, "FILE",
       "write which lines with an access ran, as lcov does", "Output"},
      {"exit-protocol", 0, OPT_ENUM, &s->exit_protocol, "WHOSE",
       "exit statuses: faultline (default), or gnu for automake and meson: 77 "
       "instead of 3 (nothing decided), 99 instead of 2 and after an interrupt",
       "Output", .choices = protocol_name},
      {"html", 0, OPT_STRING, &s->html, "FILE",
       "write the report as one self-contained page (default: only for a "
       "fault, beside its schedule)",
       "Output"},
      {"no-html", 0, OPT_FLAG, &s->no_html, NULL,
       "do not write the page beside the schedule", "Output"},
      {"trace", 0, OPT_STRING, &s->trace, "FILE",
       "write the failing execution as a trace file, for faultline explain and "
       "other tools",
       "Output"},
      {"traces", 0, OPT_STRING, &s->traces, "DIR",
       "write a trace of each order of conflicting accesses of the client, "
       "correct ones too, for faultline explain DIR",
       "Output"},
      {"good-traces", 0, OPT_LIST, &s->good_traces, "FILE",
       "use these linearizable traces to rank the lines that must be atomic; "
       "may be repeated",
       "Output"},
      {"patch", 0, OPT_STRING, &s->patch, "FILE",
       "write a patch that makes the best lines atomic with a lock, if the "
       "patched sources show no fault when they are compiled and searched",
       "Output"},
      {"patch-form", 0, OPT_ENUM, &s->patch_form, "HOW",
       "locks of the patch: best (default) takes those that are there or a new "
       "one, whichever is better; exact holds one new lock in exactly the "
       "printed lines",
       "Output", .choices = patch_form_name},
      {"gdb", 0, OPT_FLAG, &s->gdb, NULL,
       "run the execution in gdb, with the commands fl-step, fl-threads and "
       "fl-why",
       "Output"},
      {"quiet", 'q', OPT_FLAG, &s->quiet, NULL,
       "print only the diagnostic and the replay command", "Output"},
      {"verbose", 'v', OPT_FLAG, &s->verbose, NULL,
       "print the whole report, not only what fits on a screen, and on "
       "standard error each phase with its counts and time",
       "Output"},
      {"all-causes", 0, OPT_FLAG, &s->all_causes, NULL,
       "list all sets of lines that could be made atomic, not only the best "
       "five",
       "Output"},
      {"no-save", 0, OPT_FLAG, &s->no_save, NULL,
       "do not save schedules, and do not try saved ones", "Output"},
      {"save-dir", 0, OPT_STRING, &s->save_dir, "DIR",
       "the folder of saved schedules (default: .faultline)", "Output"},
      {"debug-dump", 0, OPT_STRING, &s->debug_dump, "FILE",
       "write what the maintainers of Faultline need when an execution does "
       "not repeat itself",
       "Output"},
      {"color", 0, OPT_ENUM, &s->color, "WHEN", "use colours and bold letters",
       "Output", .choices = color_name},
      {"width", 0, OPT_UINT64, &s->width, "N",
       "columns of the report (default: those of the terminal, else 80)",
       "Output", .min = 40, .max = 1000},
      {0}};
  const struct about *a = abouts, *end = a + sizeof abouts / sizeof *abouts;
  while (a < end && strcmp(a->command, command))
    a++;
  assert(a < end);
  struct opt own[sizeof opts / sizeof *opts];
  struct opt_command c = {
      a->usage, a->text, opts,
      a->notes ? a->notes
               : "The environment variable FAULTLINE_OPTIONS holds options "
                 "that come before those\nof the command line.\n"};
  struct error environment = {0}, *first = &environment;
  parse_environment(s, &c, first);
  hide_options(opts, a);
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
  if (criterion_given)
    s->criterion_from = MODEL_OPTION;
  if (!err && s->rest.help) {
    command_show_help(&c);
    return ERR_NONE;
  }
  if (!err && s->time < 0)
    err = error_set(e, ERR_USAGE,
                    "--time: give a number of seconds, not a negative one");
  if (!err && strcmp(command, "shrink"))
    err = check_search(s, e);
  s->shrinks = !strcmp(command, "shrink");
  if (!err && s->shrinks && s->model && s->coarse == COARSE_B)
    err = error_set(e, ERR_USAGE,
                    "--coarse=b does not go with --memory-model: real threads "
                    "have the memory model of the machine");
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
    err = error_set(
        e, ERR_USAGE,
        "--dot does not go with --deciding-races=off, which makes no graph");
  if (!err && s->race_independent && s->race_variables.len)
    err = error_set(e, ERR_USAGE,
                    "--race-independent does not go with --race-variables");
  if (!err && s->gdb && strcmp(command, "replay"))
    err =
        error_set(e, ERR_USAGE, "--gdb is an option of faultline replay only");
  if (!err && s->traces && (strcmp(command, "explore") || !s->client))
    err = error_set(e, ERR_USAGE,
                    "--traces is an option of faultline explore --client only");
  if (!err && s->traces)
    err = traces_check(s->traces, e);
  if (!err && s->coarse && !s->shrinks)
    err = error_set(e, ERR_USAGE,
                    "--coarse is an option of faultline shrink only");
  if (!err && s->keep_order && !atomicity)
    err = error_set(e, ERR_USAGE,
                    "--keep-order is an option of faultline atomicity only");
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
