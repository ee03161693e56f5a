/*
 * What the exact engines share: meters of effort, facts about operations, and
 * the frontier as something that can pause and go on.
 */
#ifndef HISTORY_LOG_ENGINE_H
#define HISTORY_LOG_ENGINE_H

#include "history/log_check.h"

#include <stdbool.h>

/* Effort against a budget.  A step is one question to the type, also if it was
 * answered from memory. */
struct meter {
  const struct log_budget *budget;
  uint64_t steps;
  uint64_t look;  /* the step at which clock and memory are checked next */
  uint64_t bytes; /* at its largest */
  uint32_t looks;
  const char *limit; /* which budget has ended; NULL: none */
};

/* Checks clock and memory; `bytes`: held by the engine, without the type.
 * False: the budget has ended. */
bool meter_look(struct meter *m, const struct type *t, uint64_t bytes);

static inline bool meter_is_due(const struct meter *m) {
  return m->steps >= m->look;
}

static inline uint64_t type_bytes(const struct type *t) {
  return t->bytes ? t->bytes(t) : 0;
}

static inline bool op_is_pending(const struct type_op *o) {
  return o->op->ret == LOG_PENDING;
}
static inline bool op_has_hint(const struct type_op *o) {
  return o->op->order != LOG_NO_HINT;
}
/* Whether the operation changes nothing: it cannot, or its result says so. */
static inline bool op_only_reads(const struct type_op *o) {
  bool answers = o->role == ROLE_CAS || o->role == ROLE_INSERT ||
                 o->role == ROLE_DELETE || o->role == ROLE_DELETE_KEY;
  return o->only_reads ||
         (answers && !o->any_result && o->result == DATUM_FALSE);
}
/* Whether it is pending and changes nothing. */
static inline bool op_is_idle(const struct type_op *o) {
  return op_is_pending(o) && o->only_reads;
}

/* Whether it leaves the same state behind, whatever was there. */
static inline bool op_is_blind(const struct type_op *o) {
  return o->role == ROLE_WRITE || (o->role == ROLE_DELETE_KEY && o->any_result);
}
/* Whether all operations concern the same part of the object. */
bool ops_have_one_key(const struct log_problem *p);

/* Whether one can stand for the other wherever both are open: same operation,
 * arguments and result, and nothing known about their order. */
bool op_is_like(const struct type_op *a, const struct type_op *b);
uint32_t op_print(const struct type_op *o); /* equal for those alike */

/* Indices of the operations that returned, by return. */
uint32_t *ops_by_return(const struct log_problem *p, uint32_t *n);

/* The hints of operations that returned by `until`, sorted: the order in which
 * they take effect. */
struct hints {
  uint64_t *at;
  uint32_t len;
  bool pending; /* a pending operation has a hint, too */
};
void hints_collect(struct hints *h, const struct log_problem *p,
                   uint32_t until);
void hints_free(struct hints *h);

/* The operation as a pending one with an unknown result, in `arena`; NULL: the
 * type has no such operation. */
const struct type_op *op_made_pending(const struct log_problem *p,
                                      const struct type_op *o,
                                      struct arena *arena);

/* Returns of the operations called before time `bound` that lie at `from` or
 * later, sorted; the caller frees. */
uint32_t *returns_from(const struct log_problem *p, uint32_t from,
                       uint32_t bound, uint32_t *n);

/* The operation that returned at that time. */
uint32_t op_returned_at(const struct log_problem *p, uint32_t ret);

/* VIOLATION: the core is all operations called before `until` that return. */
void answer_core(const struct log_problem *p, uint32_t until,
                 struct log_answer *out);

/* A violation that is not certain, since the type left out next states (T4 of
 * spec/type.h), becomes UNKNOWN. */
void answer_check_cut(const struct log_problem *p, struct log_answer *out);

/* check_monitor_order for a part of a history.  `times` are those of its
 * operations: in the log these lie far from each other. */
struct op_times {
  uint32_t call, ret;
};
bool check_monitor_part(const struct log_problem *p,
                        const struct op_times *times, bool want_order,
                        struct log_answer *out, const char **why);

/*
 * Checks a history with pending operations by the watch of its type (watch.h),
 * which knows what pending removals can have taken.  False: there is no watch,
 * or it gives no answer. tests/agree/monitor_containers.c
 */
bool check_watched(const struct log_problem *p, const struct log_budget *b,
                   struct log_answer *out);

/*
 * Marks the operations of the parts by key that are not known to be
 * linearizable, all when there are no parts: the others are linearizable up to
 * any time.
 */
void mark_suspects(const struct log_problem *p, const struct log_options *o,
                   uint8_t *marks);

struct frontier;
struct frontier *frontier_new(const struct log_problem *p);
/* Goes on until the answer is known, the budget ends, or `stop` steps are
 * reached. */
enum frontier_end { FRONTIER_DECIDED, FRONTIER_PAUSED, FRONTIER_LIMIT };
enum frontier_end frontier_run(struct frontier *f, struct meter *m,
                               uint64_t stop);
/* After DECIDED: the verdict; after the others: UNKNOWN, and the return
 * reached. */
void frontier_answer(struct frontier *f, struct meter *m, bool want_order,
                     struct log_answer *out);
uint64_t frontier_bytes(const struct frontier *f);
/* Drops states of the type that the frontier does not need; nothing else may
 * hold any.  frontier_run does so from time to time. */
void frontier_forget(struct frontier *f);
void frontier_free(struct frontier *f);

/* One run of the depth-first search; `stop` as above, and then the answer is
 * UNKNOWN without a limit. */
void depth_first_run(const struct log_problem *p, struct meter *m,
                     uint64_t stop, bool want_order, uint64_t other_bytes,
                     struct log_answer *out);

/* The last return of the shortest bad prefix, if no order that knows all
 * results can place the operation that returned at `from`. */
uint32_t first_bad_return(const struct log_problem *p, uint32_t from,
                          struct meter *m);

#endif
