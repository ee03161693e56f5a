/* The answers of `faultline atomicity` about one trace or about the executions
 * of one client. */
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

/* An event of a cycle, in words. */
struct cycle_event {
  const char *thread, *txn, *what; /* "read", "write", "commit", … */
  bool issued;                     /* a store that went into a buffer */
  const char *object;              /* or NULL */
  const char *file, *function;     /* or NULL */
  uint32_t line;                   /* of the code; 0: unknown */
  uint64_t input_line;             /* of the trace file; 0: unknown */
};
struct cycle_edge {
  struct cycle_event from, to;
  bool late; /* against the order of the trace, since a commit was delayed */
};

/* The answer to one question, with a cycle if it is "no". */
struct finding_about {
  enum answer answer;
  const char *why; /* why it is unknown, or which argument decided; or NULL */
  const char *cycle_of; /* kind of its conflicts; NULL: there is no cycle */
  struct cycle_edge *cycle;
  uint32_t ncycle;
};

struct atomic_trace {
  const char *name; /* of the file, the trace, or the client */
  bool tso;
  struct finding_about sc, tso_s, robust;
  uint64_t events, txns;
  /* For a client: its executions, and whether it is robust by the monitor of SC
   * executions alone and by the TSO executions alone. */
  bool is_client;
  uint64_t sc_executions, tso_executions;
  enum answer by_monitor, by_executions;
};

struct atomic_report {
  struct arena arena;
  bool keep_order; /* of a trace's operations, in its executions */
  VEC(struct atomic_trace) traces;
};

/* The answer for the memory model of the trace, which decides the status. */
const struct finding_about *atomic_verdict(const struct atomic_trace *t);

void atomic_text(const struct atomic_report *r, FILE *to);
void atomic_json(const struct atomic_report *r, struct buf *out);
void atomic_dot(const struct atomic_report *r, struct buf *out);

struct conflict_cycle;
struct txn_event;
/* Copies the cycle `c`, unless it is empty, with events in words, which `say`
 * finds.  Frees `c`. */
void atomic_keep_cycle(struct atomic_report *r, struct finding_about *f,
                       const char *of, struct conflict_cycle *c,
                       const struct txn_event *e,
                       void (*say)(void *ctx, const struct txn_event *e,
                                   struct cycle_event *out),
                       void *ctx);

/* The text about one trace or client. */
void atomic_trace_text(const struct atomic_trace *t, struct buf *b);
/* The cycle to show: that of the trace's memory model, else another or NULL. */
const struct finding_about *atomic_cycle(const struct atomic_trace *t);

/* Adds the traces of a file to the report (trace.c). */
int atomic_file(struct atomic_report *r, const char *path, struct error *e);

struct settings;
/* The command on C sources (source.c): runs them and reports. */
int atomic_sources(const struct settings *set, struct error *e);

/* Writes the text and the files of the options; returns the exit status
 * (cli/atomicity.c). */
int atomic_write(const struct atomic_report *r, const struct settings *set,
                 struct error *e);
/* Writes the files for continuous integration (ci.c). */
void atomic_write_cases(const struct atomic_report *r,
                        const struct settings *set, int status,
                        struct error *e);

#endif
