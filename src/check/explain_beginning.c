/* The end of a register's history without its beginning: rule X4. */
#include "check/explain_int.h"

#include <string.h>

enum { CANDIDATES = 1000, SMALLEST_WINDOW = 8 };

/* X4: it cannot have seen, nor done, anything behind the write. */
static bool goes(const struct log_problem *p, const struct type_op *o,
                 const struct log_op *write) {
  return o->op->ret < write->call ||
         (explain_changes_nothing(p->type, o) && o->op->call < write->ret);
}

/* What stays is there as a whole, and nothing that stays but writes was called
 * before the write had returned. */
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

/* ---- of a core ---- */

/* A result that is left needs somebody who brought it, or it would seem that
 * nobody did: the last write of the value stays.  False: there is none, but
 * something else that brought it.  If nobody did, that is the fault. */
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

/* Operations that may have taken effect late are in nobody's past. */
bool explain_drop_beginning(struct explain_job *j) {
  if (strcmp(j->p->type->shape, "register") || !explain_has_one_key(j))
    return false;
  uint32_t window = SMALLEST_WINDOW;
  for (uint32_t w = j->core.len; w-- && !explain_is_over(j);) {
    const struct type_op *o = &j->p->ops[j->core.at[w]];
    if (o->role != ROLE_WRITE || op_is_pending(o))
      continue;
    uint32_t write = j->core.at[w], before = j->write;
    if (mark_before(j, w) && keep_bringers(j)) {
      j->write = write; /* and no more the one before it */
      if (explain_try_without(j, true))
        return true;
      j->write = before;
    } else {
      memset(j->leave, 0, j->p->nops);
    }
    /* Twice as far back each time, while it is long. */
    if (w > window && j->core.len > 64)
      w -= window;
    window *= 2;
  }
  return false;
}
