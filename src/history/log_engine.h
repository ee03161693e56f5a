/*
 * What the exact engines share: what their effort is measured with, histories
 * that are cut at a return, and the frontier as something that can be stopped
 * and gone on with.
 */
#ifndef HISTORY_LOG_ENGINE_H
#define HISTORY_LOG_ENGINE_H

#include "history/log_check.h"

#include <stdbool.h>

/* Effort against a budget.  A step is one question to the type, or one that
 * was answered from what the type said before. */
struct meter {
  const struct log_budget *budget;
  uint64_t steps;
  uint64_t look;  /* the step at which clock and memory are looked at */
  uint64_t bytes; /* at its largest */
  uint32_t looks;
  const char *limit; /* which budget has ended; NULL: none */
};

/* Clock and memory; `bytes` is what the engine holds without the type. */
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
/* It changes nothing: it cannot, or its result says that it did not. */
static inline bool op_only_reads(const struct type_op *o) {
  bool answers = o->role == ROLE_CAS || o->role == ROLE_INSERT ||
                 o->role == ROLE_DELETE || o->role == ROLE_DELETE_KEY;
  return o->only_reads ||
         (answers && !o->any_result && o->result == DATUM_FALSE);
}
/* It takes no effect that anything else could see. */
static inline bool op_is_idle(const struct type_op *o) {
  return op_is_pending(o) && o->only_reads;
}

/* It leaves the same behind, whatever was there. */
static inline bool op_is_blind(const struct type_op *o) {
  return o->role == ROLE_WRITE || (o->role == ROLE_DELETE_KEY && o->any_result);
}
/* All operations concern the same part of the object. */
bool ops_have_one_key(const struct log_problem *p);

/* Whether one can stand for the other wherever both are open: same operation,
 * arguments and result, and nothing known about their order. */
bool op_is_like(const struct type_op *a, const struct type_op *b);
uint32_t op_print(const struct type_op *o); /* alike: equal */

/* Indices of the operations that returned, by return. */
uint32_t *ops_by_return(const struct log_problem *p, uint32_t *n);

/* The hints of operations that returned by `until`, sorted: in this order they
 * take effect. */
struct hints {
  uint64_t *at;
  uint32_t len;
  bool pending; /* an operation that may not take effect has one too */
};
void hints_collect(struct hints *h, const struct log_problem *p,
                   uint32_t until);
void hints_free(struct hints *h);

/*
 * The history up to and with time `until`: later calls are left out, what
 * returned later is pending, with whatever result.  False: the type does not
 * take such an operation.
 */
struct log_cut {
  struct log_problem problem;
  struct arena arena; /* the operations that are pending now */
};
bool log_cut_make(struct log_cut *c, const struct log_problem *p,
                  uint32_t until);
void log_cut_free(struct log_cut *c);
/* One operation of such a history, in `arena`; NULL: the type does not take
 * it. */
const struct type_op *op_made_pending(const struct log_problem *p,
                                      const struct type_op *o,
                                      struct arena *arena);

/* Returns of the operations called before time `bound` that lie at `from` or
 * later, sorted; the caller frees. */
uint32_t *returns_from(const struct log_problem *p, uint32_t from,
                       uint32_t bound, uint32_t *n);

/* The operation that returned at that time. */
uint32_t op_returned_at(const struct log_problem *p, uint32_t ret);

/* VIOLATION, nothing said yet: what returned or was called before `until` is
 * the core. */
void answer_core(const struct log_problem *p, uint32_t until,
                 struct log_answer *out);

/* T4: a violation that is none for certain. */
void answer_check_cut(const struct log_problem *p, struct log_answer *out);

/* check_monitor_order for a part of a history, with the times of its operations
 * beside them: the operations of the log lie far from each other. */
struct op_times {
  uint32_t call, ret;
};
bool check_monitor_part(const struct log_problem *p,
                        const struct op_times *times, bool want_order,
                        struct log_answer *out, const char **why);

/*
 * A history with pending operations, gone through by the watch of its type
 * (watch.h): it knows what removals that never returned can have taken.  False:
 * there is none, or it cannot tell. tests/agree/monitor_containers.c
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
/* Goes on until the answer is known or the meter ends; *stop is a number of
 * steps after which it comes back, though it is not through. */
enum frontier_end { FRONTIER_DECIDED, FRONTIER_PAUSED, FRONTIER_LIMIT };
enum frontier_end frontier_run(struct frontier *f, struct meter *m,
                               uint64_t stop);
/* After DECIDED: the verdict; after the others: UNKNOWN, and where it is. */
void frontier_answer(struct frontier *f, struct meter *m, bool want_order,
                     struct log_answer *out);
uint64_t frontier_bytes(const struct frontier *f);
/* Drops the states of the type that it does not need: nobody else may hold any
 * then.  frontier_run does so from time to time. */
void frontier_forget(struct frontier *f);
void frontier_free(struct frontier *f);

/* One run of the depth-first search; `stop` as above, and then the answer is
 * UNKNOWN without a limit. */
void depth_first_run(const struct log_problem *p, struct meter *m,
                     uint64_t stop, bool want_order, uint64_t other_bytes,
                     struct log_answer *out);

/* The shortest bad prefix, when what returned at `from` cannot be placed by
 * any order that knows all results. */
uint32_t first_bad_return(const struct log_problem *p, uint32_t from,
                          struct meter *m);

#endif
