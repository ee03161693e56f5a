/* The parts of a history, and how far their answers have come. */
#ifndef HISTORY_EXACT_PARTITION_INT_H
#define HISTORY_EXACT_PARTITION_INT_H

#include "history/log_engine.h"

struct key_part {
  uint32_t begin, end; /* of the sorted operations */
};

/* The operations of a part are put together when it is its turn: all of them
 * at once would be the history a second time. */
struct parts {
  VEC(struct key_part) parts;
  uint32_t *ids;          /* by part, then by call: indices into the problem */
  struct op_times *times; /* in the same order */
  struct type_op *ops;    /* of one part; there is room for the largest */
  uint32_t present;       /* which part that is; UINT32_MAX: none yet */
};

struct merge {
  uint32_t point, rank, id;
};
typedef VEC(struct merge) merge_vec;

struct part_job {
  const struct log_problem *p;
  const struct log_options *o;
  struct parts *s;
  bool hints; /* some operation has one */
  merge_vec orders;
  const char *method;  /* of the parts; "several" */
  uint32_t unknown_at; /* the least return that a part with no answer reached */
  bool unsure;         /* some bad part does not know where it is bad */
  uint32_t until;      /* the first return of what no order has placed */
};

/* Part k by itself; valid until another part is asked for. */
struct log_problem part_problem(const struct part_job *j, uint32_t k);
/* The answer about part k, given what is known of those before it. */
void part_check(struct part_job *j, const struct log_answer *whole, uint32_t k,
                struct log_answer *out);
/* And what it means for the whole. */
void part_combine(struct part_job *j, struct log_answer *whole, uint32_t k,
                  struct log_answer *a);

/*
 * The parts by several processes.  Gives, for each part, whether it was found
 * linearizable, and its answer then; NULL: it is not worth it, or cannot be.
 * All else the caller does by itself, in order, so that the outcome is that of
 * one process.
 */
struct part_done {
  bool linearizable;
  struct log_answer answer;
};
struct part_done *parts_by_processes(const struct part_job *j);
void parts_done_free(struct part_done *done, uint32_t n);

#endif
