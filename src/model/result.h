/*
 * A result is what a run on one object found and covered: everything that the
 * reports say, in the form in which the analyses know it.  Made by the
 * commands, read by report/.
 */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include "model/client.h"
#include "model/coverage.h"
#include "model/finding.h"
#include "model/statistics.h"
#include "model/verdict.h"

/* faultline shrink: the long histories that were made. */
struct detection_tally {
  const char *version; /* "b", "d", "h" or "best"; NULL: another command */
  uint32_t histories, failing;
  uint32_t wrong; /* of those that fail, by results; the others crash or hang */
  double check_seconds; /* of one of them, on average */
};

struct result {
  const char *object;
  struct cause atomic; /* lines of faults that were found before, which nothing
                          has interrupted in this run */
  char *spec;          /* "stack", "the object itself run sequentially" */
  enum verdict verdict;
  char *reason;            /* one sentence */
  struct finding *finding; /* NULL unless violation or error */
  struct statistics statistics;
  struct coverage coverage;
  struct chance chance;
  uint64_t seed;
  const char *search;             /* "stateful", "dfs", … */
  const char *criterion;          /* "linearizability" */
  const char *criterion_from;     /* "default", "harness", "option", … */
  const char *criterion_asked;    /* FL_CRITERION; NULL: nothing */
  const char *memory_model;       /* "sc" */
  const char *memory_model_from;  /* "default", "harness", "option", … */
  const char *memory_model_asked; /* FL_MEMORY_MODEL: "tso"; NULL: nothing */
  const char *heap;               /* "quarantine" or "reuse" */
  struct detection_tally shrink;
  bool expect_fault;
  const char *accepted;    /* why its fault is accepted (model/accept.h), … */
  const char *accepted_by; /* … and the entry that says so; or NULL */
  const char *accept_line; /* an entry for it, but for the reason; or NULL */
  uint32_t naccepted; /* without a finding: faults of the object that are */
  bool partial; /* some accesses are not seen: see warnings */
  struct op_names names;
  char *replay_command;
  uint64_t base; /* where the object was loaded in the run of the trace */
};

/* Frees what hangs on it, its finding too, which was xmalloced, and leaves it
 * empty.  Names, object and the other const texts belong to whoever gave them.
 */
void result_release(struct result *r);

#endif
