/*
 * What is said about a recorded history: the verdict, how it was found, and,
 * of a violation, why.  The checker fills it in, the report formats read it.
 *
 * Operations are indices into log->ops.
 */
#ifndef MODEL_LOG_REPORT_H
#define MODEL_LOG_REPORT_H

#include "model/log.h"

#define LOG_NO_OP UINT32_MAX

/* What could come next where an order goes on no more, and why it does not. */
struct log_refusal {
  uint32_t op;
  char *instead; /* what it would have to return there; NULL: it waits */
};

/* An order of some operations of the core that the type agrees with, and that
 * no operation can go on with. */
struct log_partial {
  VEC(uint32_t) order;
  VEC(struct log_refusal) refusals;
  char *state; /* in which it ends */
};

struct log_explained {
  VEC(uint32_t) core; /* by call; not linearizable by themselves */
  /* Of the core, or LOG_NO_OP: a read.  What was before it is left out, since
   * it can only have led to what this read saw. */
  uint32_t since;
  bool minimal;   /* nothing more can be left out: all was tried */
  uint32_t stuck; /* of the core: what no order can place */
  /* The shortest prefix that is not linearizable ends with its return.  If not
   * `prefix_is_shortest`, one that is not linearizable. */
  uint32_t prefix;
  bool prefix_is_shortest;
  VEC(struct log_partial) partials; /* the longest, of the core */
  bool more_partials;
  char *reason; /* a sentence */
};
void log_explained_free(struct log_explained *x);

/* A strong hitting family that was tried. */
struct log_family {
  uint32_t depth;
  uint64_t bound, distinct; /* bound: UINT64_MAX - 1 is more than that */
  bool whole, witness;
};

/* The linearizability depth. */
struct log_depth {
  bool asked;
  uint32_t depth;          /* 0: not determined */
  uint32_t beyond;         /* it is more than that */
  const char *limit;       /* why it is not determined */
  VEC(uint32_t) delayed;   /* the operations that prove it, in this order */
  VEC(uint32_t) completed; /* pending ones that take effect */
};

struct log_report {
  const struct log *log;
  const char *source;
  bool several;        /* the file has more than one history */
  const char *spec;    /* the type's name */
  const char *verdict; /* linearizable, violation, unknown */
  const char *method;
  const char *limit;     /* unknown: what ended it */
  uint32_t reached;      /* unknown: operation, or LOG_NO_OP */
  uint32_t reached_line; /* of a stream, whose operations are not kept; 0 */
  uint32_t witness; /* the smallest d whose family has one; 0: not looked for */
  struct log_depth depth;
  VEC(struct log_family) families; /* with hitting families */
  /* Of the operations that returned, with hitting families; UINT64_MAX: as many
   * or more. */
  bool counted;
  uint64_t schedules, witnesses;
  uint64_t operations;
  uint32_t processes;                    /* 0: not counted */
  uint32_t pending;                      /* operations */
  uint64_t steps;                        /* effort */
  const struct log_explained *violation; /* or NULL */
  /* An order was asked for, to be written; none was found, though there is
   * one. */
  bool wants_order, no_order;
};

#endif
