/* Inside of `faultline atomicity`: what was found out about one trace, or about
 * the executions of one client. */
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
  bool late; /* against the order of the trace: a commit waits */
};

/* What was found out about one question, with a cycle for a "no". */
struct finding_about {
  enum answer answer;
  const char *why;      /* when it is not known, or by what; or NULL */
  const char *cycle_of; /* of which conflicts; or NULL: there is none */
  struct cycle_edge *cycle;
  uint32_t ncycle;
};

struct atomic_trace {
  const char *name; /* of the file, the trace, or the client */
  bool tso;
  struct finding_about sc, tso_s, robust;
  uint64_t events, txns;
  /* Of a client: it was run so often, and what is known of robustness by
   * looking at these alone. */
  bool is_client;
  uint64_t sc_executions, tso_executions;
  enum answer by_monitor, by_executions;
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

struct conflict_cycle;
struct txn_event;
/* Keeps a cycle, if it is one, in words; `say` tells them.  Frees `c`. */
void atomic_keep_cycle(struct atomic_report *r, struct finding_about *f,
                       const char *of, struct conflict_cycle *c,
                       const struct txn_event *e,
                       void (*say)(void *ctx, const struct txn_event *e,
                                   struct cycle_event *out),
                       void *ctx);

/* All that is said of one. */
void atomic_trace_text(const struct atomic_trace *t, struct buf *b);
/* The cycle that speaks against it, by the memory model that counts first. */
const struct finding_about *atomic_cycle(const struct atomic_trace *t);

/* The traces of a file are added to the report (atomicity_trace.c). */
int atomic_file(struct atomic_report *r, const char *path, struct error *e);

/* The command on C sources (atomicity_source.c): runs them and reports. */
struct settings;
int atomic_sources(const struct settings *set, struct error *e);

/* Text, and the files that were asked for; the exit status (atomicity.c). */
int atomic_write(const struct atomic_report *r, const struct settings *set,
                 struct error *e);
/* Those for continuous integration (atomicity_ci.c). */
void atomic_write_cases(const struct atomic_report *r,
                        const struct settings *set, int status,
                        struct error *e);

#endif
