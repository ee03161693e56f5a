/*
 * Is a recorded history linearizable?  Engines and monitors answer this
 * question about a log and a type.  Each alone is exact.
 */
#ifndef HISTORY_LOG_CHECK_H
#define HISTORY_LOG_CHECK_H

#include "base/vec.h"
#include "model/log.h"
#include "spec/type.h"

enum log_verdict { LOG_LINEARIZABLE, LOG_VIOLATION, LOG_UNKNOWN };

struct log_budget {
  double deadline; /* of a monotonic clock in seconds; 0: none */
  uint64_t memory; /* bytes; 0: none */
  /* Bytes of the whole process, as the system counts them, with freed blocks
   * and growing tables; 0: none. */
  uint64_t resident;
  uint64_t steps; /* of the type; 0: none.  Tests use this one */
};

/* The operations to be checked, prepared by the type. */
struct log_problem {
  const struct log *log;
  struct type *type;
  struct type_op *ops; /* sorted by call; a part of the log's, or all */
  uint32_t nops;
};

struct log_answer {
  enum log_verdict verdict;
  const char *method; /* "frontier", "linearize", "monitor: queue", … */
  const char *limit;  /* UNKNOWN: which budget ended it: "time", "memory",
                         "steps"; or "next states" (T4) */
  /* Indices into problem->ops. */
  VEC(uint32_t)
  order; /* LINEARIZABLE, when `want_order`: a witness, as far as the
            method finds one (a monitor's verdict may come without).
            VIOLATION: an order that is explained and ends before
            what cannot be placed: a longest one of all (linearize), or
            one that comes furthest in time (frontier); empty, when
            the method knows none.  Of several parts: theirs as one
            when `want_order`, else that of the bad part */
  /* VIOLATION: the history up to and with this return is not linearizable, and
   * with one return less it is; UINT32_MAX: the method does not know.
   * UNKNOWN: the return that was reached. */
  uint32_t at;
  /* VIOLATION: operations that are not linearizable by themselves, with the
   * rest left out, as far as the method knows them (not minimal yet). */
  VEC(uint32_t) core;
  char *reason;   /* VIOLATION: in a sentence, or NULL; xmalloced */
  uint64_t steps; /* effort */
  uint64_t bytes; /* memory at its largest, about */
};
void log_answer_free(struct log_answer *a);

/* Search in time order, with the set of configurations after each return. `out`
 * is {0} at first, here and below; what it held before is freed. */
void check_frontier(const struct log_problem *p, const struct log_budget *b,
                    bool want_order, struct log_answer *out);
/* Depth first (Wing–Gong–Lowe) with memo. */
void check_depth_first(const struct log_problem *p, const struct log_budget *b,
                       bool want_order, struct log_answer *out);
/* Both, alternated with growing budgets, until one decides. */
void check_exact(const struct log_problem *p, const struct log_budget *b,
                 bool want_order, struct log_answer *out);

/*
 * A polynomial monitor for the type's shape, if there is one whose assumptions
 * the history meets.  False: there is none, *why says which assumption fails
 * (static text); nothing is answered.
 */
bool check_monitor(const struct log_problem *p, struct log_answer *out,
                   const char **why);
/* Also gives an order, if it is wanted and the monitor can make one. */
bool check_monitor_order(const struct log_problem *p, bool want_order,
                         struct log_answer *out, const char **why);

/*
 * The whole job: split by key, then a monitor if allowed, else exact search.
 * The parts are checked one after the other, or by several processes with the
 * same answer.  These are forked: not for a program with threads.
 */
struct log_options {
  struct log_budget budget;
  /* For the search for an order after a monitor said "linearizable". */
  struct log_budget witness;
  bool no_monitor, no_partition, want_order;
  uint32_t jobs; /* processes; 0: this one */
};
void check_log(const struct log_problem *p, const struct log_options *o,
               struct log_answer *out);

#endif
