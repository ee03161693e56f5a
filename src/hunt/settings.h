/*
 * The settings of a run: the options that the commands share, and the sources.
 * The commands parse them (cli/options.h).
 */
#ifndef HUNT_SETTINGS_H
#define HUNT_SETTINGS_H

#include "base/err.h"
#include "base/opt.h"
#include "check/check.h"
#include "model/result.h"
#include "rt/rt.h"

#include <faultline.h>

/* name; can it search a client completely?; the summary's word for the
 * interleavings that it runs */
#define SEARCHES(_)                                                            \
  _(AUTO, "auto", true, "some")                                                \
  _(STATEFUL, "stateful", true, "some")                                        \
  _(DFS, "dfs", true, "some")                                                  \
  _(DPOR, "dpor", true, "some")                                                \
  _(RANDOM, "random", false, "random")                                         \
  _(PCT, "pct", false, "random (PCT)")                                         \
  _(DPCT, "dpct", false, "random (D-PCT)")                                     \
  _(POS, "pos", false, "random (partial-order sampling)")                      \
  _(STRESS, "stress", false, "real")

#define SEARCH_ENUM(id, name, exhaustive, words) SEARCH_##id,
enum search { SEARCHES(SEARCH_ENUM) };
#undef SEARCH_ENUM
extern const char *const search_name[]; /* ends with NULL */
extern const char *const search_words[];
bool search_is_exhaustive(int search);
extern const char *const wake_ups_name[]; /* ends with NULL */
extern const char *const model_name[];    /* ends with NULL */

enum memory_model { MODEL_SC, MODEL_TSO, MODEL_C11 };

/* Which exit statuses: ours, or those of automake and meson. */
enum exit_protocol { EXIT_FAULTLINE, EXIT_GNU };
enum { EXIT_GNU_TROUBLE = 99 };

/* --races: what is done about data races. */
enum data_races { DATA_RACES_IGNORE, DATA_RACES_REPORT, DATA_RACES_ONLY };
extern const char *const data_races_name[]; /* ends with NULL */

/* --deciding-races; the first three have the numbers of search/step_graph.h. */
enum race_search { RACES_CONFLICTING, RACES_SHARED, RACES_ALL, RACES_OFF };

/* Where the memory model comes from, and the criterion; a later source
 * overrides an earlier. */
enum model_from { MODEL_DEFAULT, MODEL_HARNESS, MODEL_OPTION, MODEL_SCHEDULE };

/* How --patch changes the sources. */
enum patch_asked { PATCH_ASKED_BEST, PATCH_ASKED_EXACT };

struct settings {
  /* search */
  const char *client;
  const char *object; /* only the object of this name; NULL: all */
  int search;
  bool shrinks; /* the command is faultline shrink */
  uint64_t threads, ops, init;
  uint64_t max_executions; /* 0: not given */
  uint64_t max_states, max_steps, memory;
  double time;
  uint64_t jobs; /* 0: one a core */
  uint64_t seed;
  int criterion;                     /* enum criterion */
  int criterion_from;                /* enum model_from */
  enum fl_criterion criterion_asked; /* by the harness of the object */
  bool keep_going;                   /* after a fault */
  const char *accept;                /* file of accepted faults, or NULL */
  bool no_reduction, no_real_time;
  bool keep_order; /* atomicity: of a trace's operations */
  int data_races;  /* enum data_races; for a worker: are they faults? */
  int races;       /* enum race_search */
  bool race_sections, race_independent;
  struct opt_words race_variables;
  uint64_t depth;
  uint64_t
      theta; /* rounds of a loop, for D-PCT, where the code does not tell */
  bool bound_preemptions;
  uint64_t preemptions;
  int coarse;          /* shrink: enum coarse_version */
  const char *history; /* shrink: the file, or NULL */
  /* engine */
  int heap;
  int model;                        /* enum memory_model */
  uint64_t buffer;                  /* tso: stores that a buffer holds */
  int model_from;                   /* enum model_from */
  enum fl_memory_model model_asked; /* by the harness of the object */
  int wake_ups;                     /* enum rt_wake_ups */
  bool spurious_cas, leaks, show_output;
  uint64_t watchdog_ms;
  /* build */
  const char *cc, *cxx, *opt;
  bool no_cache, show_commands;
  bool hushed; /* warnings about these sources were printed before */
  /* output */
  const char *json;
  const char *trace;  /* file for the failing execution */
  const char *traces; /* explore: folder for all executions of the client */
  const char *patch;  /* file for the patch of the sources */
  int patch_form;     /* enum patch_asked */
  const char *dot;    /* file for the labelled graph of interleavings */
  const char *html;   /* file for the page; NULL: beside the schedule */
  bool no_html;
  const char *junit, *sarif, *tap;
  const char *coverage; /* file for the lines that ran */
  int exit_protocol;            /* enum exit_protocol */
  struct opt_words good_traces; /* trace files that rank the causes */
  bool gdb;                     /* replay */
  bool quiet, verbose, no_save, all_causes;
  int color;
  uint64_t width;
  const char *save_dir;
  const char *debug_dump;

  struct opt_rest rest;         /* sources, and the compiler's flags */
  struct opt_words environment; /* FAULTLINE_OPTIONS; owned */
};

void settings_engine(const struct settings *s, struct rt_options *o);
/* Why the memory model does not go with the search or the criterion, as a
 * sentence; NULL: it does. */
const char *settings_model_trouble(const struct settings *s);
struct schedule;
/* Takes those options of a schedule that change the meaning of its steps. */
void settings_take_options(struct settings *s, const struct schedule *from);
/* Takes the memory model that the harness asks for.  With real threads the
 * machine's model counts (except in shrink, where the engine runs the clients
 * that real threads find). */
void settings_take_model(struct settings *s, enum fl_memory_model asked,
                         bool real_threads);
/* Takes the criterion that the harness asks for; else that of the memory model,
 * which was taken before.  To make histories smaller needs real time, so shrink
 * has linearizability. */
void settings_take_criterion(struct settings *s, enum fl_criterion asked);
/* Writes the memory model and the criterion into the result, with who chose
 * them. */
void settings_tell(const struct settings *s, struct result *r);

#endif
