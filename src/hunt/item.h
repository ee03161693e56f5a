/*
 * Items of work and their answers, as they travel between the process that
 * plans a campaign and the workers that run the user's code.
 *
 * (I1) an answer depends only on its item and on the target, not on the worker
 *      nor on earlier items.  Exceptions: answers that a time limit cut short,
 *      and answers of a parallel search.  tests/cli/determinism.sh
 */
#ifndef HUNT_ITEM_H
#define HUNT_ITEM_H

#include "base/wire.h"
#include "hunt/checker.h"

enum item_kind {
  /* Clients number first … first + count - 1 of the generator: */
  ITEM_SWEEP,   /* all small clients */
  ITEM_OBSERVE, /* one call that reads beside a thread of several calls */
  ITEM_VICTIM,  /* random: any call beside a thread of several calls, with few
                   preemptions */
  ITEM_RANDOM,  /* random larger clients */
  ITEM_DEEP,    /* with --time: clients of the sweep once more, with more
                   states */
  ITEM_ONE,     /* all or a part of the client of --client or of the program */
};

struct item {
  enum item_kind kind;
  uint64_t first, count;
  double seconds;          /* time left; 0: no limit */
  uint64_t max_executions; /* 0: no limit */
  uint64_t max_states;     /* ITEM_ONE and ITEM_DEEP; 0: no limit */
  /* ITEM_ONE */
  int search;
  bool cut;         /* dfs: hand back what is left after max_executions */
  struct buf below; /* dfs: search only the paths that begin so … */
  double share;     /* … which are this part of the whole search */
  bool parallel;
  uint32_t member;
  struct buf knowledge; /* conflicts that other workers found: byte strings
                           of the wire, each written by rt_knowledge */
};

enum record_kind {
  RECORD_DONE,    /* no fault; `end` says how far the search came */
  RECORD_BAD,     /* `bad` is a bad execution */
  RECORD_SETUP,   /* the client fails before its threads begin */
  RECORD_SKIPPED, /* the same, in a way that is set aside (struct target) */
  RECORD_NO_CLIENT,
};

/* The answer about one client or a part of one. */
struct record {
  enum record_kind kind;
  enum explore_end end; /* of the search that was asked for */
  bool exhaustive;      /* nothing of the client is left */
  bool touched;         /* the engine saw accesses */
  bool left_out;        /* the engine left out executions: rt_left_out */
  bool progress;        /* FL_PROGRESS was decided */
  uint32_t calls, init; /* concurrent and initial calls of the client */
  uint64_t executions, cut, blocked, steps, states, transitions;
  uint64_t interleavings; /* 0: not counted */
  uint64_t circles, faults;
  seen_list seen; /* ITEM_ONE: the distinct histories */
  uint64_t histories, undecided;
  outcome_list outcomes;
  struct chance chance;
  char *client; /* RECORD_BAD and _SETUP: its text; NULL: a program */
  path bad;
  uint32_t switches;
  struct leftover leftover;
  bool learnt;
  struct buf knowledge;
};

void item_write(const struct item *i, struct buf *out);
bool item_read(struct item *i, const struct buf *from);
void item_free(struct item *i);

/* An answer is a sequence of records. */
void record_write(const struct record *r, struct buf *out);
/* False: the bytes are no record; *r needs no record_free. */
bool record_read(struct record *r, struct wire *from);
void record_free(struct record *r);
/* For struct pool_job. */
bool answer_valid(const struct buf *answer);

/* Which bad execution is reported: the one with fewer switches, else the
 * lexicographically smaller path. */
bool record_better(const struct record *a, const struct record *than);

#endif
