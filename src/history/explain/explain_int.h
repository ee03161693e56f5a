/*
 * Finding the core of a violation, for explain_log.c.  explain_core.c leaves
 * out what may be, and says what is tried in which order; explain_groups.c has
 * keys and values, explain_beginning.c what came before some operation,
 * explain_values.c who brings and who shows a value, explain_orders.c what the
 * core can be.
 */
#ifndef HISTORY_EXPLAIN_EXPLAIN_INT_H
#define HISTORY_EXPLAIN_EXPLAIN_INT_H

#include "history/explain/explain_log.h"
#include "history/log_engine.h"

typedef VEC(uint32_t) op_vec;

struct explain_job {
  const struct log_problem *p;
  const struct log_budget *budget;
  op_vec core;     /* what is left, by call */
  bool unsure;     /* some question had no answer */
  uint8_t *leave;  /* by operation: a candidate to be left out */
  uint8_t *shadow; /* by operation: left out by X5.  All of them as pending
                      ones, with whatever result, do not explain the core */
  bool any_shadow;
  /* By operation: what is left without it, and with all that went by X5 as
   * pending ones, is linearizable.  Then it is so without more, too: nothing
   * that holds it has to be tried again.  NULL: not kept. */
  uint8_t *needed;
  bool explained; /* some question since this was cleared: linearizable */
  uint32_t keep;  /* the return that is not left out, or LOG_NO_OP */
  uint32_t write; /* what X4 or X6 left out came before it, or LOG_NO_OP */
  bool has_read;  /* X6 has made a write of the read at `read_at` */
  uint32_t read_at;
  struct type_op read;
  bool careful;      /* strict whatever the type */
  bool strict;       /* X5 asks for more: see has_values */
  bool keeps_end;    /* without its last return the core is linearizable */
  uint32_t first_x5; /* the first return of those that were left out by X5 */
};

/* Whether the operations alone, and others as pending ones, are certainly not
 * linearizable. */
bool explain_is_bad(struct explain_job *j, const op_vec *ops,
                    const uint8_t *as_pending);
void explain_reduce(struct explain_job *j);
/* Leaves out of the core what is marked in `leave`, if it may be, and clears
 * the marks.  `safe`: by X2, X3 or X4 it may. */
bool explain_try_without(struct explain_job *j, bool safe);
/* Whether the budget is. */
bool explain_is_over(struct explain_job *j);

/* Groups (explain_groups.c): whole ones, half of all first; whether some went.
 */
enum grouping { BY_KEY, BY_VALUE };
bool explain_drop_groups(struct explain_job *j, enum grouping how, bool safe);
bool explain_keys_are_safe(const struct explain_job *j);
bool explain_values_are_safe(const struct explain_job *j);
bool explain_has_one_key(const struct explain_job *j);
/* Whether it is a queue, a stack or a priority queue. */
bool explain_is_container(const struct type *t);

/* X4 and X6 (explain_beginning.c): whether something went. */
bool explain_drop_beginning(struct explain_job *j);
/* What X6 has made a write is a read again. */
void explain_read_again(struct explain_job *j);

/* Values (explain_values.c).  Whether an operation brings one, as far as its
 * arguments tell; whether it can have by the time of `shower`, itself aside. */
bool explain_brings_value(const struct type_op *o, datum value);
bool explain_is_in_time(const struct type_op *bringer,
                        const struct type_op *shower);
/* Whether what is marked in `leave` is all that brings, in time, some value
 * which a result in the rest shows. */
bool explain_brings_needed(struct explain_job *j, const op_vec *rest);

/* X1 for those of a prefix that could have changed something as long as their
 * results were not known; `idle`: what was open at its end, and did not. */
void explain_drop_idle(struct explain_job *j, const uint8_t *idle);
/* After explain_reduce: whether what was left out by X5 may have done anything,
 * and the core is still bad; and, of a prefix, without its last return it is
 * not.  True if nobody knows. */
bool explain_holds(struct explain_job *j);

/* The operations as a problem of their own; its ops are the caller's to free.
 */
struct log_problem explain_part(const struct log_problem *p, const op_vec *ops);

/* Whether it leaves the state as it is. */
bool explain_changes_nothing(const struct type *t, const struct type_op *o);

/* The longest orders of the core (explain_orders.c). */
void explain_orders(const struct log_problem *core, const uint32_t *ids,
                    const struct log_budget *b, struct log_explained *out);

#endif
