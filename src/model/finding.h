/*
 * A finding is one execution that must not happen, and what is known of it: the
 * client, the trace, the schedule that repeats it, and what explains it.
 *
 * The trace and whatever says so belong to the arena that they were made in;
 * finding_release frees the rest.
 */
#ifndef MODEL_FINDING_H
#define MODEL_FINDING_H

#include "model/causes.h"
#include "model/census.h"
#include "model/client.h"
#include "model/fences.h"
#include "model/kind.h"
#include "model/patch.h"
#include "model/races.h"
#include "model/refutation.h"
#include "model/schedule.h"
#include "model/trace.h"
#include "model/verdict.h"
#include "model/waiting.h"

/* A good execution that differs from the failing one in one switch. */
struct neighbour {
  bool found;
  uint32_t event; /* of the failing trace: the first that comes otherwise */
  uint8_t failing, passing; /* who makes the step there, in each of them */
  struct trace trace;       /* the whole passing execution, in the arena */
  struct value *results;    /* of it, by call; in the arena */
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
  uint32_t other; /* data race: the event that came first, + 1; else 0 */
  uint32_t block; /* index into trace.blocks, or UINT32_MAX */
  uint32_t round; /* FAULT_PROGRESS: so many steps at the end of the trace lead
                     back to the state before them; or 0 */
  VEC(struct waiting) waiting;
  refutation_list refutations;
  uint32_t more_refutations;
  struct causes_found causes;
  struct fences_found fences;
  struct kind_found kind; /* KIND_NONE: none of them */
  struct patch patch;
  struct neighbour near;
  struct races_found races;
  bool minimal_checked; /* every client with one call less was searched too */
  struct minimal minimal;
  struct census census;
  char *schedule_file; /* where it was saved, or NULL */
  char *html_file;     /* where the page is, or NULL */
  bool only_late;      /* under TSO: by happens-before the results are right */
  bool real_threads;   /* no trace and no schedule: a history alone … */
  char *history_file;  /* … and where that was saved, or NULL */
  /* The history of real threads that this execution was looked for after, or
   * NULL; it belongs to the arena, as the trace does. */
  const struct history *after;
};

/* Frees what hangs on it, and leaves it empty. */
void finding_release(struct finding *f);

#endif
