/*
 * Items of work and their answers, as they travel between the process that
 * plans a campaign and those that run the user's code.
 *
 * (I1) an answer depends on its item and on the target (struct target)
 *      only, not on who does it, nor on what was done before; but for those
 *      that time ends, and those of a parallel search.
 */
#ifndef HUNT_ITEM_H
#define HUNT_ITEM_H

#include "base/wire.h"
#include "hunt/checker.h"

enum item_kind {
  ITEM_SWEEP,   /* clients number first … first + count of the generator */
  ITEM_OBSERVE, /* the same of one call that reads against several */
  ITEM_RANDOM,  /* the same of the random larger ones */
  ITEM_ONE,     /* the client of --client, or the program: a part of it */
};

struct item {
  enum item_kind kind;
  uint64_t first, count;
  double seconds;          /* that are left; 0: no limit */
  uint64_t max_executions; /* 0: none */
  /* ITEM_ONE */
  int search;
  uint64_t max_states; /* 0: none */
  bool cut;            /* dfs: hand back what is left after max_executions */
  struct buf below;    /* dfs: a beginning … */
  double share;        /* … and which part of the whole it stands for */
  bool parallel;
  uint32_t member;
  struct buf knowledge; /* of conflicts: what rt_knowledge wrote, each as a
                           byte string of the wire */
};

enum record_kind {
  RECORD_DONE,    /* searched, as far as `end` says */
  RECORD_BAD,     /* … and `path` is a bad execution */
  RECORD_SETUP,   /* it fails before its threads begin */
  RECORD_SKIPPED, /* … in a way that is known (struct target) */
  RECORD_NO_CLIENT,
};

/* What was found out about one client, or a part of one. */
struct record {
  enum record_kind kind;
  enum explore_end end; /* of the search that was asked for */
  bool exhaustive;      /* nothing of the client is left */
  bool touched;         /* accesses were seen */
  bool left_out;        /* an execution was, see rt_left_out */
  uint32_t calls, init; /* of the client: in threads, and initial ones */
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
/* False: this is no record; nothing is to be freed then. */
bool record_read(struct record *r, struct wire *from);
void record_free(struct record *r);
/* For struct pool_job. */
bool answer_valid(const struct buf *answer);

/* The bad execution that is told: fewer switches, else the one that comes
 * first. */
bool record_better(const struct record *a, const struct record *than);

#endif
