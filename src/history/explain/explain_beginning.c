/* Leaves out the beginning of a history: rules X4 and X6. */
#include "history/explain/explain_int.h"

#include <string.h>

enum { CANDIDATES = 1000, SMALLEST_WINDOW = 8, LONG = 64 };

/* X4: whether the operation goes, because the write came after it. */
static bool goes(const struct log_problem *p, const struct type_op *o,
                 const struct log_op *write) {
  return o->op->ret < write->call ||
         (explain_changes_nothing(p->type, o) && o->op->call < write->ret);
}

/* Whether X4 can use the write: all operations that stay are in the log, and
 * those of them that were called before the write returned are writes. */
static bool is_fit(const struct log_problem *p, uint32_t w, uint32_t since) {
  const struct log_op *write = p->ops[w].op;
  if (p->ops[w].role != ROLE_WRITE || write->ret == LOG_PENDING ||
      write->call < since)
    return false;
  for (uint32_t i = 0; i < p->nops && p->ops[i].op->call < write->ret; i++)
    if (!goes(p, &p->ops[i], write) &&
        (p->ops[i].role != ROLE_WRITE || p->ops[i].op->call < since))
      return false;
  return true;
}

static void leave_out(struct log *l, struct log_problem *p, uint32_t w) {
  struct log_op write = *p->ops[w].op;
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->nops; i++) {
    if (goes(p, &p->ops[i], &write))
      continue;
    l->ops.at[n] = l->ops.at[i];
    p->ops[n] = p->ops[i];
    p->ops[n].op = &l->ops.at[n];
    n++;
  }
  l->ops.len = p->nops = n;
}

bool explain_forget_beginning(struct log *l, struct log_problem *p,
                              uint32_t since) {
  uint32_t tried = 0;
  if (strcmp(p->type->shape, "register") || p->type->by_key)
    return false;
  for (uint32_t w = 0; w < p->nops && tried < CANDIDATES; w++) {
    if (p->ops[w].op->call < since)
      continue;
    tried++;
    if (is_fit(p, w, since)) {
      leave_out(l, p, w);
      return true;
    }
  }
  return false;
}

/* ---- X4 on a core ---- */

/* A value that a remaining result shows must be brought by a remaining
 * operation: the last write of it stays.  False: no write brings it, but
 * another operation.  (If none does, that is the fault itself.) */
static bool keep_bringer(struct explain_job *j, const struct type_op *shower,
                         datum value) {
  bool any = false;
  for (uint32_t i = 0; i < j->core.len; i++) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    bool does = explain_is_in_time(o, shower) && explain_brings_value(o, value);
    if (does && !j->leave[j->core.at[i]])
      return true;
    any |= does;
  }
  for (uint32_t i = j->core.len; i--;) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    if (o->role == ROLE_WRITE && o->arg[0] == value &&
        explain_is_in_time(o, shower)) {
      j->leave[j->core.at[i]] = 0;
      return true;
    }
  }
  return !any || value == j->p->type->initial_value;
}

static bool keep_bringers(struct explain_job *j) {
  for (uint32_t i = 0; i < j->core.len; i++) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    if (j->leave[j->core.at[i]] || o->any_result)
      continue;
    if (o->role == ROLE_READ && !keep_bringer(j, o, o->result))
      return false;
    if (o->role == ROLE_CAS && !op_only_reads(o) &&
        !keep_bringer(j, o, o->arg[0]))
      return false;
  }
  return true;
}

/* X4 with the write at `w` of the core. */
static bool mark_before(struct explain_job *j, uint32_t w) {
  const struct log_op *write = j->p->ops[j->core.at[w]].op;
  bool any = false;
  for (uint32_t i = 0; i < j->core.len; i++) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    bool reads = explain_changes_nothing(j->p->type, o);
    bool before = o->op->ret < write->call;
    if (!before && !reads && o->role != ROLE_WRITE && o->op->call < write->ret)
      return false;
    j->leave[j->core.at[i]] = before || (reads && o->op->call < write->ret);
    any |= j->leave[j->core.at[i]];
  }
  return any;
}

/* X4 with the writes of the core from the last one on.  Pending operations may
 * take effect late: they stay. */
static bool drop_before_write(struct explain_job *j) {
  uint32_t window = SMALLEST_WINDOW;
  for (uint32_t w = j->core.len; w-- && !explain_is_over(j);) {
    const struct type_op *o = &j->p->ops[j->core.at[w]];
    if (o->role != ROLE_WRITE || op_is_pending(o))
      continue;
    uint32_t write = j->core.at[w], before = j->write;
    if (mark_before(j, w) && keep_bringers(j)) {
      j->write = write; /* instead of an earlier one */
      if (explain_try_without(j, true))
        return true;
      j->write = before;
    } else {
      memset(j->leave, 0, j->p->nops);
    }
    /* In a long core, twice as far back each time. */
    if (w > window && j->core.len > 64)
      w -= window;
    window *= 2;
  }
  return false;
}

/* ---- X6: after an operation that shows the whole state ---- */

/* Whether the operation shows the initial state: the element is not there, or
 * the container is empty. */
static bool found_nothing(const struct type *t, const struct type_op *o) {
  if (o->any_result)
    return false;
  if (o->role == ROLE_DELETE || o->role == ROLE_CONTAINS)
    return o->result == DATUM_FALSE;
  return (o->role == ROLE_REMOVE || o->role == ROLE_PEEK) &&
         explain_is_container(t) && t->empty != DATUM_NONE &&
         o->result == t->empty;
}

static bool tells_state(const struct explain_job *j, uint32_t id) {
  struct type *t = j->p->type;
  const struct type_op *o = &j->p->ops[id];
  struct type_op write;
  if (id == j->keep || op_is_pending(o))
    return false;
  /* In a prefix the last return stays, whatever is left out (find_prefix). */
  return found_nothing(t, o) ||
         (j->keep != LOG_NO_OP && t->as_write && t->as_write(t, o, &write));
}

/* X6 with the operation at `r` of the core.  An operation that overlaps it may
 * have come before it.  So overlapping reads go; pending operations need not
 * take effect; a change without a result fits before a write, whatever it
 * changes. */
static bool mark_past(struct explain_job *j, uint32_t r, bool as_write) {
  const struct log_op *seen = j->p->ops[j->core.at[r]].op;
  bool any = false;
  for (uint32_t i = 0; i < j->core.len; i++) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    bool reads = explain_changes_nothing(j->p->type, o);
    bool before = o->op->ret < seen->call;
    bool overlaps = !before && o->op->call < seen->ret && i != r;
    bool fits = op_is_pending(o) || (as_write && o->result == DATUM_NONE);
    if (overlaps && !reads && !fits)
      return false;
    j->leave[j->core.at[i]] = before || (overlaps && reads);
    any |= j->leave[j->core.at[i]];
  }
  return any;
}

void explain_read_again(struct explain_job *j) {
  if (j->has_read)
    j->p->ops[j->read_at] = j->read;
  j->has_read = false;
}

/* Leaves out what mark_past marked.  The operation stays; if it did not show
 * the initial state, as a write of its result. */
static bool try_past(struct explain_job *j, uint32_t id, bool as_write) {
  struct type *t = j->p->type;
  struct type_op read = j->p->ops[id];
  uint32_t before = j->write;
  if (as_write)
    t->as_write(t, &read, &j->p->ops[id]);
  j->write = id;
  if (!explain_try_without(j, true)) {
    j->p->ops[id] = read;
    j->write = before;
    return false;
  }
  explain_read_again(j); /* an earlier one */
  j->has_read = as_write;
  j->read_at = id;
  j->read = read;
  return true;
}

/* X6 with the operations of the core from the last one on.  Short cores do not
 * need it. */
static bool drop_past(struct explain_job *j) {
  uint32_t window = SMALLEST_WINDOW, refused = 0;
  if (j->core.len <= LONG)
    return false;
  for (uint32_t r = j->core.len; r-- && refused < CANDIDATES;) {
    uint32_t id = j->core.at[r];
    if (!tells_state(j, id) || explain_is_over(j))
      continue;
    bool as_write = !found_nothing(j->p->type, &j->p->ops[id]);
    if (!mark_past(j, r, as_write)) {
      memset(j->leave, 0, j->p->nops);
      refused++;
      continue;
    }
    if (try_past(j, id, as_write))
      return true;
    r -= r > window ? window : 0;
    window *= 2;
  }
  return false;
}

bool explain_drop_beginning(struct explain_job *j) {
  if (!explain_has_one_key(j))
    return false;
  return strcmp(j->p->type->shape, "register") ? drop_past(j)
                                               : drop_before_write(j);
}
