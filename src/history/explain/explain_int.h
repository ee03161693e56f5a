/*
 * Finding the core of a violation, for explain_log.c.  explain_core.c applies
 * the rules and decides what is tried in which order.  explain_groups.c has
 * keys and values, explain_beginning.c the operations before some operation,
 * explain_values.c which operations bring and show a value, explain_orders.c
 * the orders of the core.
 */
#ifndef HISTORY_EXPLAIN_EXPLAIN_INT_H
#define HISTORY_EXPLAIN_EXPLAIN_INT_H

#include "history/explain/explain_log.h"
#include "history/log_engine.h"

typedef VEC(uint32_t) op_vec;

struct explain_job {
  const struct log_problem *p;
  const struct log_budget *budget;
  op_vec core;     /* the operations that are left, by call */
  bool unsure;     /* some question had no answer */
  uint8_t *leave;  /* by operation: a candidate to be left out */
  uint8_t *shadow; /* by operation: left out by X5.  As pending operations, with
                      any result, they do not explain the core */
  bool any_shadow;
  /* By operation: the core without it, and with all that X5 left out as pending
   * operations, is linearizable.  That stays so when more is left out: no set
   * that contains it has to be tried again.  NULL: not kept. */
  uint8_t *needed;
  bool explained; /* since this was cleared, some answer was "linearizable" */
  uint32_t keep;  /* the operation that must stay, or LOG_NO_OP */
  uint32_t write; /* the operation of the last X4 or X6, or LOG_NO_OP */
  bool has_read;  /* X6 has made the read at `read_at` a write */
  uint32_t read_at;
  struct type_op read;
  bool careful;      /* `strict` for every type */
  bool strict;       /* X5 in its stronger form: see has_values */
  bool keeps_end;    /* without its last return the core is linearizable */
  uint32_t first_x5; /* the first return that X5 left out */
};

/* Whether the operations are certainly not linearizable; those marked in
 * `as_pending` (NULL: none) count as pending. */
bool explain_is_bad(struct explain_job *j, const op_vec *ops,
                    const uint8_t *as_pending);
void explain_reduce(struct explain_job *j);
/* Leaves the operations marked in `leave` out of the core, if a rule allows it,
 * and clears the marks.  `safe`: X2, X3, X4 or X6 allows it.  Returns whether
 * they went. */
bool explain_try_without(struct explain_job *j, bool safe);
/* Whether the budget has ended. */
bool explain_is_over(struct explain_job *j);

/* Leaves out whole groups (explain_groups.c), half of all first; whether some
 * went. */
enum grouping { BY_KEY, BY_VALUE };
bool explain_drop_groups(struct explain_job *j, enum grouping how, bool safe);
bool explain_keys_are_safe(const struct explain_job *j);
bool explain_values_are_safe(const struct explain_job *j);
bool explain_has_one_key(const struct explain_job *j);
/* Whether it is a queue, a stack or a priority queue. */
bool explain_is_container(const struct type *t);

/* X4 and X6 (explain_beginning.c); whether some operations went. */
bool explain_drop_beginning(struct explain_job *j);
/* The read that X6 made a write becomes a read again. */
void explain_read_again(struct explain_job *j);

/* Values (explain_values.c).  Whether the arguments of an operation bring a
 * value; and whether it can have taken effect before `shower` returned, and is
 * not that operation itself. */
bool explain_brings_value(const struct type_op *o, datum value);
bool explain_is_in_time(const struct type_op *bringer,
                        const struct type_op *shower);
/* Whether only operations marked in `leave` bring, in time, some value that a
 * result in `rest` shows. */
bool explain_brings_needed(struct explain_job *j, const op_vec *rest);

/* X1 for operations of a prefix that count as changing something only because
 * their results were unknown; `idle`: open at its end, and changed nothing. */
void explain_drop_idle(struct explain_job *j, const uint8_t *idle);
/* After explain_reduce: whether the core is bad whatever the operations did
 * that X5 left out and, for a prefix, is good without its last return.  True
 * also if that is not known. */
bool explain_holds(struct explain_job *j);

/* The operations as a problem of their own; the caller frees its ops. */
struct log_problem explain_part(const struct log_problem *p, const op_vec *ops);

/* Whether the operation leaves every state as it is. */
bool explain_changes_nothing(const struct type *t, const struct type_op *o);

/* The longest orders of the core (explain_orders.c). */
void explain_orders(const struct log_problem *core, const uint32_t *ids,
                    const struct log_budget *b, struct log_explained *out);

#endif
