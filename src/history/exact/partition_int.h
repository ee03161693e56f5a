/* The parts of a history by key, and the state of their check. */
#ifndef HISTORY_EXACT_PARTITION_INT_H
#define HISTORY_EXACT_PARTITION_INT_H

#include "history/log_engine.h"

struct key_part {
  uint32_t begin, end; /* of the sorted operations */
};

/* The operations of a part are copied when its turn comes: all parts at once
 * would be the history a second time. */
struct parts {
  VEC(struct key_part) parts;
  uint32_t *ids;          /* by part, then by call: indices into the problem */
  struct op_times *times; /* in the same order */
  struct type_op *ops;    /* of one part; there is room for the largest */
  uint32_t present;       /* the part in `ops`; UINT32_MAX: none yet */
};

struct merge { /* an operation in the order of the whole */
  uint32_t point, rank, id;
};
typedef VEC(struct merge) merge_vec;

struct part_job {
  const struct log_problem *p;
  const struct log_options *o;
  struct parts *s;
  bool hints; /* some operation has one */
  merge_vec orders;
  const char *method;  /* of all parts; or "several" */
  uint32_t unknown_at; /* the first return that an undecided part reached */
  bool unsure;         /* a bad part does not know its first bad return */
  uint32_t until;      /* the first return of an operation that no order has */
};

/* Part k by itself; valid until another part is asked for. */
struct log_problem part_problem(const struct part_job *j, uint32_t k);
/* The answer about part k, given what is known of those before it. */
void part_check(struct part_job *j, const struct log_answer *whole, uint32_t k,
                struct log_answer *out);
/* Adds that answer to the answer about the whole. */
void part_combine(struct part_job *j, struct log_answer *whole, uint32_t k,
                  struct log_answer *a);

/*
 * Checks the parts by several processes.  Returns, for each part, whether it is
 * known to be linearizable, and then its answer; NULL: no processes were used.
 * The caller does the rest by itself, in order, so that the outcome is that of
 * one process.
 */
struct part_done {
  bool linearizable;
  struct log_answer answer;
};
struct part_done *parts_by_processes(const struct part_job *j);
void parts_done_free(struct part_done *done, uint32_t n);

#endif
