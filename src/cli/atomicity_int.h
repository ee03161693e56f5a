/* Inside of `faultline atomicity`: what was found out about one trace. */
#ifndef CLI_ATOMICITY_INT_H
#define CLI_ATOMICITY_INT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN };

struct finding_about {
  enum answer answer;
  const char *why; /* when it is not known */
};

/* An event of a cycle, in words. */
struct cycle_event {
  const char *thread, *txn, *what; /* "read", "write", … */
  const char *object;              /* or NULL */
  const char *file, *function;     /* or NULL */
  uint32_t line;                   /* of the code; 0: unknown */
  uint64_t input_line;             /* of the trace file; 0: unknown */
};
struct cycle_edge {
  struct cycle_event from, to;
  bool late; /* against the order of the trace: a commit waits */
};

struct atomic_trace {
  const char *name; /* of the file, the trace, or the client */
  bool tso;
  struct finding_about sc, tso_s, robust;
  const char *cycle_of; /* "SC", "TSO" or NULL */
  struct cycle_edge *cycle;
  uint32_t ncycle;
  uint64_t events, txns;
  uint64_t executions; /* of a client; 0: it is one trace */
};

struct atomic_report {
  struct arena arena;
  VEC(struct atomic_trace) traces;
};

/* The verdict that counts: that of the trace's memory model. */
const struct finding_about *atomic_verdict(const struct atomic_trace *t);

void atomic_text(const struct atomic_report *r, FILE *to);
void atomic_json(const struct atomic_report *r, struct buf *out);
void atomic_dot(const struct atomic_report *r, struct buf *out);

/* Text, and the files that are not NULL; the exit status (atomicity.c). */
int atomic_write(const struct atomic_report *r, const char *json,
                 const char *dot, struct error *e);

/* The command on C sources (atomicity_source.c). */
int atomic_sources(int argc, char **argv);

#endif
