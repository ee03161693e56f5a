/* Between the files of `faultline explain`; nobody else includes this. */
#ifndef CLI_EXPLAIN_INT_H
#define CLI_EXPLAIN_INT_H

#include "cli/told.h"
#include "model/result.h"

struct explain {
  struct told told;
  uint32_t serializable; /* failing ones in which nothing is interrupted */
  struct causes_found found;
};

static inline bool nothing_atomic(const struct explain *x) {
  return x->serializable == x->found.bad;
}

/* Prints the answer, and writes it as JSON if a file is named. */
void explain_report(const struct explain *x, const char *json, struct error *e);

#endif
