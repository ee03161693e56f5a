/*
 * The causes that were found for a fault, in the order of their rank: what
 * would forbid the failing traces of the clients that failed.  Traces count up
 * to the order of accesses that do not conflict.  model/cause.h says what a
 * cause is.
 */
#ifndef MODEL_CAUSES_H
#define MODEL_CAUSES_H

#include "model/cause.h"
#include "model/value.h"
#include "model/verdict.h"

/* Complete executions of the smallest failing client, counted on its graph of
 * states: every interleaving of its conflicting steps. */
struct tally {
  uint64_t all;    /* 0: not counted; UINT64_MAX - 1: more than that */
  uint64_t bad;    /* not linearizable */
  uint64_t states; /* of the graph */
};

/* A block with an access less at one end is not enough: this client fails. */
struct smaller_cause {
  struct cause cause; /* the whole cause, with the one block smaller */
  char *still_bad;
  enum fault still_fault;
};

/* A set of blocks that would have to be atomic, see model/cause.h. */
struct ranked_cause {
  struct cause cause;
  uint32_t rank;       /* equal ones share it */
  uint32_t eliminates; /* good traces that could not happen then */
  uint64_t events;     /* accesses of failing traces inside it */
  uint64_t lines;
  char *fix; /* advice how to make it atomic, or NULL (mend/advice.h) */
  /* The clients were searched again with it atomic … */
  bool tried;
  bool enforced;          /* … and none failed … */
  bool waits;             /* … but a thread had to wait inside of it … */
  char *covered;          /* … what was searched … */
  char *still_bad;        /* … or this client fails all the same, */
  enum fault still_fault; /* with this fault */
  /* A copy of the sources was compiled and searched in which it is atomic: by
   * `fix`, or with a lock in exactly its lines (mend/advice.h). */
  bool verified;       /* no fault was found … */
  char *verified_in;   /* … in these clients */
  char *carried_fails; /* or the lock fails, in a sentence without its end */
  /* Executions of the smallest failing client with it atomic. */
  struct tally schedules;
  /* What was tried to show that no smaller block is enough; best cause only. */
  struct smaller_cause *smaller;
  uint32_t nsmaller;
  bool smallest; /* these are all the smaller ones there are, and all fail */
};

/* Nothing fails with it atomic, as far as that was tried. */
static inline bool cause_is_enough(const struct ranked_cause *c) {
  return !c->still_bad && !c->schedules.bad;
}
/* All that was searched with it atomic passes, and nothing was left out. */
static inline bool cause_is_enforced(const struct ranked_cause *c) {
  return c->enforced && !c->waits && cause_is_enough(c);
}

/* What forbids one failing outcome of the client, by itself. */
struct outcome_causes {
  struct value *results; /* by call of the client */
  uint32_t nresults;
  uint64_t bad; /* traces with this outcome */
  struct ranked_cause *at;
  uint32_t len;
};

/* What forbids a single failing trace: an optimal eliminator of it, with the
 * lines of the accesses alone, as the root-causing paper has them. */
struct trace_cause {
  struct cause cause;
  uint64_t traces;     /* of which it is one */
  uint64_t eliminates; /* good traces */
};

/* An eliminator of one trace, by its index. */
struct trace_rank {
  uint32_t single;
  uint32_t rank; /* 1 + how many of the trace's take away fewer good traces */
};

/*
 * The eliminators of a failing trace, best first: what the paper's tool returns
 * for it, a "result" of its Table 2.  Traces with the same results of their
 * calls and the same eliminators have one.
 */
struct trace_answer {
  uint64_t traces;
  uint32_t outcome;      /* which results; UINT32_MAX: unknown … */
  struct value *results; /* … by call of the client */
  uint32_t nresults;
  struct trace_rank *at;
  uint32_t len;
};

struct causes_found {
  uint64_t bad, good; /* traces … */
  uint64_t mixed; /* … of the bad ones, those with good executions too … */
  uint32_t clients; /* … of so many: those that failed on the way, too */
  uint32_t given;   /* good ones that are from files … */
  uint32_t foreign; /* … of which so many do not come to the causes' files */
  bool complete;    /* these are all */
  bool cut;         /* there were too many causes: the cheapest were kept */
  uint64_t events;  /* accesses of the longest failing trace … */
  uint64_t conflicts; /* … and the edges between them */
  /* Of all traces that are not given, together. */
  uint64_t all_events, all_accesses, all_conflicts;
  /* To run the client and tell its traces apart; to find and rank the rest. */
  double extract_seconds, eliminate_seconds;
  struct tally schedules;
  struct cause beside; /* lines of other faults, atomic in all searches */
  struct ranked_cause *at;
  uint32_t len;
  struct outcome_causes *by_outcome; /* when they are not all failures */
  uint32_t noutcomes;
  struct trace_cause *single; /* the most frequent first */
  uint32_t nsingle;
  bool single_cut; /* there were too many: the most frequent were kept */
  struct trace_answer *answers; /* the most frequent first */
  uint32_t nanswers;
};

#endif
