/*
 * A census counts all executions of the smallest failing client, on its graph
 * of states with every access a step: how many pass and fail, with which
 * results, and how many leave a thread behind a line in the middle of a call.
 * It is for reports that show lines and outcomes.
 */
#ifndef MODEL_CENSUS_H
#define MODEL_CENSUS_H

#include "base/vec.h"
#include "model/value.h"

#include <stdbool.h>
#include <stdint.h>

/* A combination of results that executions of one client had. */
struct outcome {
  VEC(struct value) results; /* by call; kind VALUE_VOID also when pending */
  uint64_t executions;
  bool allowed; /* the specification explains it */
};
typedef VEC(struct outcome) outcome_list;

/* Executions of the smallest failing client that leave a thread in the middle
 * of a call, right behind a step of this line, at least once. */
struct switch_line {
  char *file;
  uint32_t line;
  uint64_t good, bad;
};

struct census {
  bool counted; /* the graph was complete, without circles, and not too large */
  uint64_t good, bad; /* executions */
  struct switch_line *lines;
  uint32_t nlines;
  outcome_list outcomes; /* empty: not asked */
  uint64_t faults;       /* executions that ended in a fault instead */
  bool all_outcomes; /* of every interleaving; else of those that were run */
};

#endif
