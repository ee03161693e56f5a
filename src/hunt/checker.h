/*
 * The checker: executions in, verdicts out.  An execution is good when no fault
 * ended it and the specification explains its history.  Equal histories are
 * checked once.
 */
#ifndef HUNT_CHECKER_H
#define HUNT_CHECKER_H

#include "base/map128.h"
#include "check/check.h"
#include "model/known.h"
#include "model/result.h"
#include "search/explore.h"
#include "spec/spec.h"

/* A history that was checked. */
struct checked_history {
  struct hash128 hash;
  bool undecided;
};
typedef VEC(struct checked_history) seen_list;

/* What a history so far allows from here on (check_standing). */
struct standing {
  struct hash128 hash;
  bool known;
};

struct checker {
  const struct fl_suite *suite; /* NULL: a whole program */
  const struct client *client;
  struct spec *spec;   /* NULL: a whole program, or nothing to compare with */
  bool implementation; /* the spec is the object itself */
  enum criterion criterion;
  bool want_outcomes;

  struct map128 seen;     /* history -> index into verdicts */
  VEC(uint32_t) verdicts; /* outcome index * 2 + allowed */
  outcome_list outcomes;
  struct map128 outcome_of;
  struct check check;
  struct hop *ops; /* a copy of the history that is being checked */
  uint64_t histories;
  bool want_journal;
  struct map128 standing_of; /* history so far -> index into standings */
  VEC(struct standing) standings;
  struct snapshot place; /* the engine's state, kept while the spec runs */
  seen_list journal;     /* the distinct histories of this client */
  uint64_t faults;       /* executions of this client that ended in a fault */
  uint64_t undecided;    /* checks that ran out of budget */
  const char *limit;     /* the budget that ended the last of them */

  /* Executions that are no findings, see struct target. */
  const struct known_fault *set_aside;
  uint32_t nset_aside;
  bool brief;
  uint32_t patience;   /* a search ends after so many executions that were set
                          aside or cut; 0: it does not */
  uint64_t known_seen; /* executions of this client that were set aside */
  uint32_t in_vain; /* executions of this search that were set aside or cut */
  enum fault only;  /* only this kind of fault is bad; FAULT_NONE: every kind */
  uint64_t others;  /* executions of this client with another kind of fault */

  /* of the last bad execution */
  enum fault fault;
  bool spec_fault; /* the object fails in the sequential run check.order */
};

/*
 * Does linearizability decide, each call at a moment of its own and with what it
 * returns as it is?  Weaker
 * readings have no standing (check.h): whole histories tell states apart.
 * The searches stay right under each reading, since a verdict depends on the
 * results and on which call returned before which other was called:
 * - dpor keeps all pairs of these (search/dependence.h).
 * - The engine's intervals are the shortest (rt/calls.c), and what a reduction
 *   leaves out has longer ones (tests/agree/stateful_dfs.c).  Shorter ones
 *   invent no violation, since the same steps can be called and return just
 *   then.  Longer ones have none that shorter ones have not: fewer calls are
 *   ordered, there are fewer quiet moments, a relaxed call may have counted
 *   more.                     longer_intervals_allow_more, linearize_brute.c
 */
bool checker_is_strict(const struct checker *j);
/* Is the fault that the engine has met one that is set aside? */
bool checker_sets_aside(const struct checker *j);
/*
 * Is an execution with this end judged by the calls that had returned?  Calls
 * that had not may have taken effect or not.  So results that no order explains
 * are a violation, however the execution would have gone on.
 */
bool checker_judges_beginning(const struct checker *j, enum rt_end end);

/* Begins a client, which the engine has prepared; NULL: a program. */
void checker_client(struct checker *j, const struct client *c);
struct judge checker_judge(struct checker *j);
void checker_free(struct checker *j);

#endif
