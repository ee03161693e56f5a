/*
 * What the monitors share.
 *
 * A monitor decides linearizability without a search, by a condition on the
 * times of the operations.  It needs a history in which each result shows which
 * operation wrote it.
 *
 * Times are numbered from 1; MONITOR_NEVER is after all of them.  The gap g
 * lies between the times g and g + 1.  An operation takes effect in a gap: one
 * with the times [inv, res] in one of the gaps inv, …, res - 1.
 */
#ifndef HISTORY_MONITOR_MONITOR_INT_H
#define HISTORY_MONITOR_MONITOR_INT_H

#include "history/log_engine.h"

#define MONITOR_NEVER UINT32_MAX
#define MONITOR_NONE UINT32_MAX /* no operation, no value */

typedef VEC(uint32_t) number_vec;

enum monitor_ending { MONITOR_YES, MONITOR_NO, MONITOR_REFUSED };

struct monitor {
  const struct log_problem *p;
  const struct op_times *times; /* of the operations; NULL: those of the log */
  struct log_answer *out;
  const char *why; /* REFUSED: which assumption fails */
  bool want_order; /* YES: the caller wants an order, if the monitor can make
                      one */
  bool has_order;  /* out->order has it; operations that returned and are not in
                      it can take effect anywhere in their intervals */
  struct arena arena;
  uint64_t bytes;       /* of the arena */
  uint64_t early_bytes; /* the same before something was freed, if more */
  uint32_t *inv, *res;  /* of each operation; pending: res is MONITOR_NEVER */
  uint32_t nwrites;     /* operations that write, add or append a value */
  uint32_t end;         /* the last gap: all times are at most `end` */
};

/* One for each shape. */
enum monitor_ending monitor_register(struct monitor *m);
enum monitor_ending monitor_set(struct monitor *m);
enum monitor_ending monitor_multiset(struct monitor *m);
enum monitor_ending monitor_list(struct monitor *m);
enum monitor_ending monitor_queue(struct monitor *m);
enum monitor_ending monitor_stack(struct monitor *m);
enum monitor_ending monitor_pqueue(struct monitor *m);
enum monitor_ending monitor_max_pqueue(struct monitor *m);

void *monitor_room(struct monitor *m, size_t count, size_t size);
void *monitor_zeroed(struct monitor *m, size_t count, size_t size);

static inline enum monitor_ending monitor_refuse(struct monitor *m,
                                                 const char *why) {
  m->why = why;
  return MONITOR_REFUSED;
}

/* Adds an operation to the core; MONITOR_NONE adds nothing. */
void monitor_blame(struct monitor *m, uint32_t op);
/*
 * The violation in a sentence: %o is an operation (uint32_t), %v a value
 * (datum), %w that of a struct monitor_value *, %s a text.  Returns MONITOR_NO.
 */
enum monitor_ending monitor_say(struct monitor *m, const char *format, ...);

/* The operation changes nothing, and its result is not known. */
static inline bool monitor_is_idle(const struct type_op *o) {
  if (o->only_reads && o->any_result)
    return true;
  return o->role == ROLE_OTHER && o->only_reads && o->op->failed;
}

/* Numbers data from 0 on, in the order in which they come.  No TABLE of
 * base/table.h: how many there can be is known, so it is made once, in the
 * arena, and the hash depends on its size. */
struct monitor_numbering {
  uint32_t *slots; /* number + 1 */
  uint32_t mask, bits, n;
  datum *data; /* by number */
};
void numbering_init(struct monitor_numbering *s, struct monitor *m,
                    uint32_t most);
uint32_t numbering_put(struct monitor_numbering *s, datum d, bool *fresh);
uint32_t numbering_get(const struct monitor_numbering *s,
                       datum d); /* or NONE */

struct by_time {
  uint32_t time, id;
};
void by_time_sort(struct monitor *m, struct by_time *a, uint32_t n);

/*
 * Containers: the times of a value.  It was certainly inside from add_res to
 * rem_inv: it covers the gaps between.
 *   add(1) [1, 4]  peek() = 1 [2, 3]  remove() = 1 [5, 6]
 *   add_res = 3, by the peek; rem_inv = 5; it covers the gaps 3 and 4
 *
 * (V1) add_inv < add_res, the first return of an operation on it (add_by).
 * (V2) rem_inv < rem_res; rem_inv is the last call of an operation on it
 *      (rem_by).  Both are MONITOR_NEVER if it was not removed.
 * (V3) front_res is the first return of its removal or a peek at it (front_by);
 *      it is not before add_res.
 * asserted by settle() in monitor_values.c
 */
struct monitor_value {
  uint32_t add, remove; /* operations; remove may be MONITOR_NONE */
  uint32_t add_inv, add_res, add_by;
  uint32_t rem_inv, rem_res, rem_by;
  uint32_t front_res, front_by;
  uint32_t peeks; /* the first of a list by next_peek */
};

struct values_seen {
  struct monitor_value *at;
  uint32_t n;
  uint32_t *next_peek; /* by operation; NULL: no value was peeked at */
  uint32_t npeeks;
  uint32_t *empties, nempties; /* operations that returned "empty" */
  uint16_t empty_code;         /* type_op.code of the last of them */
  uint32_t pending_inv; /* the first call of a pending removal or peek; or
                           NEVER */
  number_vec pending;   /* pending removals, by call */
  uint32_t *cover;      /* by gap: how many gaps before it no value covers */
};

/* Finds the operations of each value, asks `decide`, and then considers pending
 * removals. */
typedef enum monitor_ending monitor_decide(struct monitor *m,
                                           struct values_seen *s);
enum monitor_ending monitor_container(struct monitor *m,
                                      monitor_decide *decide);
enum monitor_ending monitor_decide_values(struct monitor *m,
                                          struct values_seen *s,
                                          monitor_decide *decide);
enum monitor_ending monitor_pending(struct monitor *m, struct values_seen *s,
                                    monitor_decide *decide);

/* Orders of linearizable histories, into m->out; sets m->has_order.
 * Queue: `ranked` is the order of its values.  Stack: `taken` is the order in
 * which its values were taken out.  Priority queue: `ranked` has the best value
 * first; group_end[i] is the end of the values that are as good as the i-th. */
void monitor_queue_order(struct monitor *m, const struct values_seen *s,
                         const uint32_t *ranked);
void monitor_stack_order(struct monitor *m, const struct values_seen *s,
                         const uint32_t *taken);
void monitor_pqueue_order(struct monitor *m, const struct values_seen *s,
                          const uint32_t *ranked, const uint32_t *group_end);

/* Times as gaps: MONITOR_NEVER is the last gap. */
static inline uint32_t gap_from(const struct monitor *m, uint32_t inv) {
  return inv == MONITOR_NEVER ? m->end : inv;
}
static inline uint32_t gap_to(const struct monitor *m, uint32_t res) {
  return res == MONITOR_NEVER ? m->end + 1 : res;
}
/* The gaps of a peek in which its value can be inside. */
static inline uint32_t peek_from(const struct monitor *m,
                                 const struct monitor_value *v, uint32_t op) {
  return m->inv[op] > v->add_inv ? m->inv[op] : v->add_inv;
}
static inline uint32_t peek_to(const struct monitor *m,
                               const struct monitor_value *v, uint32_t op) {
  return m->res[op] < v->rem_res ? m->res[op] : v->rem_res;
}

/* Adds the operations that prove when a value came and left to the core. */
void monitor_blame_value(struct monitor *m, const struct monitor_value *v);
/* Chooses few values that together cover the gaps [from, to), out of `some`,
 * which are sorted by add_res and do cover them. */
void monitor_cover(struct monitor *m, const struct values_seen *s,
                   const uint32_t *some, uint32_t n, uint32_t from, uint32_t to,
                   number_vec *out);

#endif
