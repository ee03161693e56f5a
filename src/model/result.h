/*
 * A result is what a run on one object found and covered: everything that the
 * reports say, in the form in which the analyses know it.  Made by the
 * commands, read by report/.
 */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include "base/vec.h"
#include "model/cause.h"
#include "model/client.h"
#include "model/races.h"
#include "model/schedule.h"
#include "model/trace.h"
#include "model/verdict.h"

/* An order that real time allows, up to the first call that disagrees. */
struct refutation {
  VEC(uint32_t)
  order; /* ids of calls; the last one is the one that disagrees */
  struct value expected; /* what the specification returns for it there */
  bool waits;            /* … or it would wait there */
};
typedef VEC(struct refutation) refutation_list;

/* A combination of results that executions of one client had. */
struct outcome {
  VEC(struct value) results; /* by call; kind VALUE_VOID also when pending */
  uint64_t executions;
  bool allowed; /* the specification explains it */
};
typedef VEC(struct outcome) outcome_list;

struct waiting { /* deadlock, livelock: what a thread waits for */
  uint8_t thread;
  uint8_t kind;   /* enum event_kind of the pending step */
  uint8_t spins;  /* it goes round a loop until one of the locations changes */
  uint8_t holder; /* the thread that has the lock, or 255 */
  uint64_t pc, addr;
  uint32_t call;
};

/* Complete executions of the smallest failing client, counted on its graph of
 * states: every interleaving of its conflicting steps. */
struct tally {
  uint64_t all; /* 0: not counted; UINT64_MAX - 1: more than that */
  uint64_t bad; /* not linearizable */
};

/* A block with an access less at one end is not enough: this client fails. */
struct smaller_cause {
  struct cause cause; /* the whole cause, with the one block smaller */
  char *still_bad;
  enum fault still_fault;
};

/* A set of blocks that would have to be atomic, see model/cause.h. */
struct ranked_cause {
  struct cause cause;
  uint32_t rank;       /* equal ones share it */
  uint32_t eliminates; /* good traces that could not happen then */
  uint64_t events;     /* accesses of failing traces inside it */
  uint64_t lines;
  char *fix; /* how it could be made atomic, or NULL: a suggestion */
  /* The clients were searched again with it atomic … */
  bool tried;
  bool verified;          /* … and none failed … */
  bool waits;             /* … but a thread had to wait inside of it … */
  bool widened;           /* … with the lines of a loop around it … */
  char *covered;          /* … what was searched … */
  char *still_bad;        /* … or this client fails all the same, */
  enum fault still_fault; /* with this fault */
  /* Executions of the smallest failing client with it atomic. */
  struct tally schedules;
  /* What was tried to show that no smaller block is enough; best cause only. */
  struct smaller_cause *smaller;
  uint32_t nsmaller;
  bool smallest; /* these are all the smaller ones there are, and all fail */
};

/* What forbids one failing outcome of the client, by itself. */
struct outcome_causes {
  struct value *results; /* by call of the client */
  uint32_t nresults;
  uint64_t bad; /* traces with this outcome */
  struct ranked_cause *at;
  uint32_t len;
};

/* What forbids a single failing trace: an optimal eliminator of it. */
struct trace_cause {
  struct cause cause;
  uint64_t traces; /* of which it is one */
};

/* All traces of the failing clients, up to the order of what does not conflict,
 * and what would forbid the failing ones. */
/*
 * Under TSO: where fences are missing, when the client passes under SC.  Each
 * is between two lines of one function, the store's (0: not in this function)
 * and that of the load that was made while the store was in the buffer.
 */
struct missing_fence {
  const char *file, *function;
  uint32_t store_line, load_line, column; /* load_line 0: behind the store, at
                                             the function's end */
};
struct fences_found {
  struct missing_fence *at; /* the smallest set; of the arena */
  uint32_t len;
  uint32_t executions_tried; /* failing ones that showed what is needed */
  bool verified;             /* with them no fault was found, … */
  const char *covered;       /* … in these clients */
};

struct causes_found {
  uint64_t bad, good; /* traces … */
  uint32_t clients;   /* … of so many: those that failed on the way, too */
  uint32_t given;     /* good ones that are from files … */
  uint32_t foreign; /* … of which so many do not come to the causes' files */
  bool complete;    /* these are all */
  uint64_t events;  /* accesses of the longest failing trace … */
  uint64_t conflicts; /* … and the edges between them */
  struct tally schedules;
  struct ranked_cause *at;
  uint32_t len;
  struct outcome_causes *by_outcome; /* when they are not all failures */
  uint32_t noutcomes;
  struct trace_cause *single; /* the most frequent first */
  uint32_t nsingle;
};

/* A good execution that differs from the failing one in one switch. */
struct neighbour {
  bool found;
  uint32_t event; /* of the failing trace: the first that comes otherwise */
  uint8_t failing, passing; /* who makes the step there, in each of them */
  struct trace trace;       /* the whole passing execution, in the arena */
  struct value *results;    /* of it, by call; in the arena */
};

/* Executions of the smallest failing client that leave a thread in the middle
 * of a call, right behind a step of this line, at least once. */
struct switch_line {
  char *file;
  uint32_t line;
  uint64_t good, bad;
};

/*
 * All executions of the smallest failing client, counted on its graph of states
 * with every access a step.  For reports that show lines and outcomes.
 */
struct census {
  bool counted; /* the graph was complete, without circles, and not too large */
  uint64_t good, bad; /* executions */
  struct switch_line *lines;
  uint32_t nlines;
  outcome_list outcomes; /* empty: not asked */
  uint64_t faults;       /* executions that ended in a fault instead */
  bool all_outcomes; /* of every interleaving; else of those that were run */
};

/* --patch: the best cause's lines made atomic in the sources. */
struct patch {
  bool asked;
  char *file;    /* where it was written; NULL: it was not, */
  char *reason;  /* since: a sentence without a full stop */
  char *what;    /* what it does: "takes the lock of line 85 before line 77" */
  bool verified; /* compiled and searched again, without a fault … */
  char *covered; /* … in all this */
  char *hint;    /* how to apply it */
};

/* How the client of a finding became small. */
struct minimal {
  uint32_t from; /* calls of the client that failed first; 0: not known */
  bool tried;    /* a smaller one was looked for */
  uint8_t type;  /* 1: revealed by a concurrent call, 2: by a final one only;
                    0: not known, or not a matter of results */
  /* faultline shrink */
  double locate_seconds; /* Algorithm 1 */
  double reduce_seconds; /* from there to the proof */
  uint32_t pc;           /* concurrent calls that Algorithm 1 left; 0: none */
  uint32_t checks;       /* clients that were tried */
};

/* faultline shrink: the long histories that were made. */
struct detection_tally {
  const char *version; /* "b", "d", "h" or "best"; NULL: another command */
  uint32_t histories, failing;
  double check_seconds; /* of one of them, on average */
};

struct finding {
  enum fault fault;
  struct client client;
  struct trace trace;
  struct trace again; /* divergence: the second run; else it is empty */
  struct schedule schedule;
  char *detail;   /* one sentence for faults that are not histories, or NULL */
  uint64_t pc;    /* where the fault happened, or 0 */
  uint32_t chain; /* of the fault's pc, into trace.frames */
  uint8_t thread;
  uint64_t addr;  /* the address concerned, or 0 */
  uint32_t block; /* index into trace.blocks, or UINT32_MAX */
  VEC(struct waiting) waiting;
  refutation_list refutations;
  uint32_t more_refutations;
  struct causes_found causes;
  struct fences_found fences;
  struct patch patch;
  struct neighbour near;
  struct races_found races;
  bool minimal_checked; /* every client with one call less was searched too */
  struct minimal minimal;
  struct census census;
  char *schedule_file; /* where it was saved, or NULL */
  char *html_file;     /* where the page is, or NULL */
  bool real_threads;   /* no trace and no schedule: a history alone … */
  char *history_file;  /* … and where that was saved, or NULL */
  /* The history of real threads that this execution was looked for after, or
   * NULL; it belongs to the arena, as the trace does. */
  const struct history *after;
};

/* name in JSON, type.  statistics of a run */
struct statistics {
  uint64_t executions; /* complete ones */
  uint64_t cut;        /* ended at a bound */
  uint64_t blocked;    /* dpor: left since they would repeat another */
  uint64_t events;     /* scheduling steps in all executions */
  uint64_t states, transitions;
  uint64_t interleavings; /* stateful, of one client: complete executions of
                             its graph, UINT64_MAX - 1: more; 0: not counted */
  uint64_t clients;
  uint64_t histories; /* distinct ones that were checked */
  uint64_t replays;   /* saved schedules tried first */
  double seconds;
  /* Processor seconds of all processes: to find the fault, to make its client
   * small, to find the lines that must be atomic, and the races. */
  struct {
    double search, minimize, causes, races;
  } cpu;
};

/* What --max-executions bounds: one that is cut was run too, and takes longer
 * than most. */
static inline uint64_t statistics_runs(const struct statistics *s) {
  return s->executions + s->cut;
}

/*
 * What an execution that was drawn by priorities is worth: it meets a given bug
 * of this depth with at least the probability 1/(threads * steps^(depth-1)).
 * Of several clients, the one with the smallest.
 */
struct chance {
  uint32_t depth; /* 0: nothing was drawn so */
  uint32_t threads;
  uint64_t steps; /* of the longest execution */
  double bound;
};

struct coverage {
  uint32_t threads, ops;       /* all clients up to threads × ops calls … */
  uint32_t init;               /* … after up to so many initial calls */
  uint64_t exhaustive_clients; /* clients of which all interleavings ran */
  uint64_t sampled_clients;
  bool one_client; /* --client: only this one */
  bool exhaustive; /* everything that was planned ran completely */
  char *sentence;  /* "all 31 clients up to 2x2 calls, every
                      interleaving; 500 larger ones at random" */
  char *limit;     /* the budget that ended the search, or NULL … */
  char *estimate;  /* … and how far it was then, or NULL */
};

struct result {
  const char *object;
  char *spec; /* "stack", "the object itself run sequentially" */
  enum verdict verdict;
  char *reason;            /* one sentence */
  struct finding *finding; /* NULL unless violation or error */
  struct statistics statistics;
  struct coverage coverage;
  struct chance chance;
  uint64_t seed;
  const char *search; /* "stateful", "dfs", … */
  const char *criterion;
  const char *memory_model;       /* "sc" */
  const char *memory_model_from;  /* "default", "harness", "option", … */
  const char *memory_model_asked; /* FL_MEMORY_MODEL: "tso"; NULL: nothing */
  const char *heap;               /* "quarantine" or "reuse" */
  struct detection_tally shrink;
  bool expect_fault;
  bool partial; /* something escapes the runtime: see warnings */
  struct op_names names;
  char *replay_command;
  uint64_t base; /* where the object was loaded in the run of the trace */
};

/* These free what hangs on them, and leave it empty.  The trace belongs to the
 * arena that it was recorded in; names, object and the other const texts to
 * whoever gave them. */
void finding_release(struct finding *f);
void result_release(
    struct result *r); /* its finding too, which was xmalloced */

#endif
