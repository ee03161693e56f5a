/* Private to the files of `faultline explain`. */
#ifndef CLI_EXPLAIN_INT_H
#define CLI_EXPLAIN_INT_H

#include "cli/session/cases.h"
#include "locate/trace_set.h"
#include "model/causes.h"
#include "model/result.h"

struct explain {
  struct trace_set traces;
  struct blame blame;    /* those that are to be explained, and the good ones */
  struct loops loops;    /* learnt from the traces */
  uint32_t serializable; /* failing traces that are serializable */
  struct causes_found found;
};

static inline bool nothing_atomic(const struct explain *x) {
  return x->serializable == x->found.bad;
}

/* 0: nothing has to be atomic, 1: lines were found, 3: the search was given
 * up. */
static inline int explain_status(const struct explain *x) {
  return nothing_atomic(x) ? 0 : x->found.len ? 1 : 3;
}

/* The output files of the options. */
struct explain_files {
  const char *json;
  struct case_files cases;
  bool all_causes; /* on the terminal */
};

/* Prints the answer and writes it to the files; `name` names all traces. */
void explain_report(const struct explain *x, const char *name,
                    const struct explain_files *f, struct error *e);

#endif
