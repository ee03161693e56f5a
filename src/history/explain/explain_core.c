/*
 * Makes the core as small as possible.  Whole keys and values go first, then
 * the beginning of the history, then parts of the rest: halves first, down to
 * single operations.  What can be left out:
 *
 * (a) operations without which a linearizable history stays one: those that
 *     change nothing, all of a key, all of a value of a container, what lies
 *     before a write of a register;
 * (b) others, if the rest is wrong without them, and also with them as pending
 *     operations of unknown result (of counters and types of the user's own:
 *     with all of them, and with the same return), but never the only one that
 *     can have brought a value which some result shows;
 * (c) of more than 64 operations, everything before one that tells the whole
 *     state (one that found nothing, a read of a counter): `since`.
 */
#include "history/explain/explain_int.h"

#include <assert.h>
#include <string.h>

enum { QUESTION_STEPS = 2000000 };

struct log_problem explain_part(const struct log_problem *p,
                                const op_vec *ops) {
  struct log_problem q = *p;
  q.ops = xmalloc((ops->len + 1) * sizeof *q.ops);
  q.nops = ops->len;
  for (uint32_t i = 0; i < ops->len; i++)
    q.ops[i] = p->ops[ops->at[i]];
  return q;
}

/* Makes the operations marked in `as_pending` pending. */
static bool put_pending(struct explain_job *j, const op_vec *ops,
                        const uint8_t *as_pending, struct log_problem *q,
                        struct arena *arena) {
  for (uint32_t i = 0; i < q->nops; i++) {
    const struct type_op *o = &q->ops[i];
    if (as_pending[ops->at[i]] && !op_is_pending(o))
      o = op_made_pending(j->p, o, arena);
    if (!o)
      return false;
    q->ops[i] = *o;
  }
  return true;
}

bool explain_is_bad(struct explain_job *j, const op_vec *ops,
                    const uint8_t *as_pending) {
  struct log_options o = {.budget = *j->budget};
  struct log_answer a = {0};
  struct arena arena = {0};
  struct log_problem q = explain_part(j->p, ops);
  bool bad = false;
  o.budget.steps = QUESTION_STEPS + (uint64_t)ops->len * 64;
  if (!as_pending || put_pending(j, ops, as_pending, &q, &arena)) {
    check_log(&q, &o, &a);
    bad = a.verdict == LOG_VIOLATION;
    j->unsure |= a.verdict == LOG_UNKNOWN;
    j->explained |= a.verdict == LOG_LINEARIZABLE;
  }
  log_answer_free(&a);
  arena_free(&arena);
  free(q.ops);
  return bad;
}

bool explain_changes_nothing(const struct type *t, const struct type_op *o) {
  bool found_nothing = o->role == ROLE_REMOVE && !o->any_result &&
                       t->empty != DATUM_NONE && o->result == t->empty;
  return op_only_reads(o) || found_nothing;
}

/* ---- leaving out ---- */

static bool all_change_nothing(const struct explain_job *j) {
  for (uint32_t i = 0; i < j->core.len; i++)
    if (j->leave[j->core.at[i]] &&
        !explain_changes_nothing(j->p->type, &j->p->ops[j->core.at[i]]))
      return false;
  return true;
}

/* Whether the rest is bad whatever the operations did that X5 left out: they
 * are added as pending ones. */
static bool is_bad_with_shadows(struct explain_job *j, const op_vec *rest,
                                bool safe) {
  op_vec all = {0};
  uint32_t end = 0, k = 0, last = 0;
  for (uint32_t i = 0; i < rest->len; i++) {
    uint32_t ret = j->p->ops[rest->at[i]].op->ret;
    end = ret != LOG_PENDING && ret > end ? ret : end;
  }
  uint8_t *pending = xcalloc(j->p->nops + 1, 1);
  for (uint32_t id = 0; id < j->p->nops; id++) {
    bool kept = k < rest->len && rest->at[k] == id;
    bool option = j->shadow[id] || (!safe && j->leave[id]);
    k += kept;
    if (!kept && (!option || j->p->ops[id].op->call > end))
      continue;
    pending[id] = !kept;
    last += !kept;
    vec_push(&all, id);
  }
  bool bad = !last || explain_is_bad(j, &all, pending);
  free(pending);
  vec_free(&all);
  return bad;
}

static uint32_t last_return(const struct explain_job *j, const op_vec *ops) {
  uint32_t last = UINT32_MAX, end = 0;
  for (uint32_t i = 0; i < ops->len; i++) {
    uint32_t ret = j->p->ops[ops->at[i]].op->ret;
    if (ret != LOG_PENDING && ret >= end) {
      end = ret;
      last = ops->at[i];
    }
  }
  return last;
}

/* Whether the operations without the last return are linearizable. */
static bool ends_with_the_fault(struct explain_job *j, const op_vec *ops) {
  op_vec some = {0};
  uint32_t last = last_return(j, ops);
  for (uint32_t i = 0; i < ops->len; i++)
    if (ops->at[i] != last)
      vec_push(&some, ops->at[i]);
  struct log_options o = {.budget = *j->budget};
  struct log_answer a = {0};
  struct log_problem q = explain_part(j->p, &some);
  o.budget.steps = QUESTION_STEPS + (uint64_t)ops->len * 64;
  check_log(&q, &o, &a);
  bool good = a.verdict == LOG_LINEARIZABLE;
  log_answer_free(&a);
  free(q.ops);
  vec_free(&some);
  return good;
}

/* X5 in its stronger form: the rest fails at the same return as before,
 * whatever all the operations did that X5 left out. */
static bool is_same_fault(struct explain_job *j, const op_vec *rest) {
  return (!j->keeps_end || (last_return(j, rest) == last_return(j, &j->core) &&
                            ends_with_the_fault(j, rest))) &&
         is_bad_with_shadows(j, rest, false);
}

/* (X5) for the operations marked in `leave`. */
static bool may_be_left(struct explain_job *j, const op_vec *rest) {
  j->explained = false;
  return !explain_brings_needed(j, rest) && explain_is_bad(j, rest, NULL) &&
         explain_is_bad(j, &j->core, j->leave) &&
         (!j->strict || is_same_fault(j, rest));
}

/* Whether a marked operation is known to be needed. */
static bool holds_needed(const struct explain_job *j) {
  for (uint32_t i = 0; i < j->core.len && j->strict && j->needed; i++)
    if (j->leave[j->core.at[i]] && j->needed[j->core.at[i]])
      return true;
  return false;
}

/* Notes that a single operation is needed; or forgets such notes, if the core
 * has changed by more than X1 and X5. */
static void learn(struct explain_job *j, uint32_t rest, bool out, bool safe) {
  if (!j->strict || !j->needed)
    return;
  if (out && safe && !all_change_nothing(j))
    memset(j->needed, 0, j->p->nops);
  if (out || safe || !j->explained || rest + 1 != j->core.len)
    return;
  for (uint32_t i = 0; i < j->core.len; i++)
    if (j->leave[j->core.at[i]])
      j->needed[j->core.at[i]] = 1;
}

bool explain_try_without(struct explain_job *j, bool safe) {
  op_vec rest = {0};
  j->explained = false;
  for (uint32_t i = 0; i < j->core.len; i++)
    if (!j->leave[j->core.at[i]])
      vec_push(&rest, j->core.at[i]);
  bool out = rest.len && rest.len < j->core.len &&
             (j->keep == LOG_NO_OP || !j->leave[j->keep]);
  safe = safe || all_change_nothing(j);
  out = out && (j->write == LOG_NO_OP || !j->leave[j->write]);
  if (safe)
    out = out && explain_is_bad(j, &rest, NULL) &&
          (!j->strict || !j->any_shadow || is_bad_with_shadows(j, &rest, true));
  else
    out = out && !holds_needed(j) && may_be_left(j, &rest);
  learn(j, rest.len, out, safe);
  for (uint32_t i = 0; i < j->core.len; i++) {
    uint32_t ret = j->p->ops[j->core.at[i]].op->ret;
    if (out && !safe && j->leave[j->core.at[i]]) {
      j->first_x5 = ret < j->first_x5 ? ret : j->first_x5;
      j->shadow[j->core.at[i]] = 1;
      j->any_shadow = true;
    }
    j->leave[j->core.at[i]] = 0;
  }
  if (out) {
    vec_free(&j->core);
    j->core = rest;
  } else {
    vec_free(&rest);
  }
  return out;
}

bool explain_is_over(struct explain_job *j) {
  struct meter m = {.budget = j->budget};
  if (meter_look(&m, j->p->type, 0))
    return false;
  j->unsure = true;
  return true;
}

/* ---- single operations ---- */

/* Operations of one name and, if it is true or false, one result are one kind.
 */
static uint64_t kind_of(const struct explain_job *j, uint32_t id) {
  const struct type_op *o = &j->p->ops[id];
  unsigned result = o->result == DATUM_TRUE    ? 1
                    : o->result == DATUM_FALSE ? 2
                                               : 0;
  bool changes = !explain_changes_nothing(j->p->type, o);
  return (uint64_t)changes << 32 | (uint64_t)o->op->f << 2 | result;
}

/* The smallest kind of the core that is not below `least`. */
static uint64_t next_kind(const struct explain_job *j, uint64_t least) {
  uint64_t next = UINT64_MAX;
  for (uint32_t i = 0; i < j->core.len; i++) {
    uint64_t kind = kind_of(j, j->core.at[i]);
    next = kind >= least && kind < next ? kind : next;
  }
  return next;
}

/* Marks operations `from` to `to` of a kind; returns how many. */
static uint32_t mark_kind(struct explain_job *j, uint64_t kind, uint32_t from,
                          uint32_t to) {
  uint32_t n = 0, marked = 0;
  for (uint32_t i = 0; i < j->core.len; i++)
    if (kind_of(j, j->core.at[i]) == kind) {
      bool in = n >= from && n < to;
      j->leave[j->core.at[i]] = in;
      marked += in;
      n++;
    }
  return marked;
}

/* Leaves out many operations of a kind together.  One by one, each would ask
 * again what all that went before may have done. */
static bool drop_kinds(struct explain_job *j) {
  bool any = false;
  for (uint64_t kind = 0; (kind = next_kind(j, kind)) != UINT64_MAX; kind++) {
    uint32_t n = mark_kind(j, kind, 0, UINT32_MAX);
    for (uint32_t size = n; size; size /= 2)
      for (uint32_t from = 0; !explain_is_over(j);) {
        if (!mark_kind(j, kind, from, from + size))
          break;
        bool out = explain_try_without(j, false);
        any |= out;
        from += out ? 0 : size;
      }
    memset(j->leave, 0, j->p->nops);
  }
  return any;
}

static bool drop_singles(struct explain_job *j) {
  bool any = false;
  for (uint32_t size = (j->core.len + 1) / 2; size; size /= 2)
    for (int reads = 1; reads >= 0; reads--)
      for (uint32_t from = 0; from < j->core.len && !explain_is_over(j);) {
        uint32_t to = from + size < j->core.len ? from + size : j->core.len;
        uint32_t marked = 0;
        for (uint32_t i = from; i < to; i++) {
          uint32_t id = j->core.at[i];
          bool reader = explain_changes_nothing(j->p->type, &j->p->ops[id]);
          j->leave[id] = reader == reads;
          marked += reader == reads;
        }
        if (marked && explain_try_without(j, false))
          any = true;
        else
          from = to;
      }
  return any;
}

/* Whether results show whose effect they saw: then the operation that brought
 * the value stays in the core.  The arguments of an increment, or of an
 * operation of a user type, do not show what it brings. */
static bool has_values(const struct type *t) {
  static const char *const shapes[] = {"register", "set", "multiset", "list"};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(t->shape, shapes[i]))
      return true;
  return explain_is_container(t);
}

/* If a register read returns a value that was never written, the core is that
 * read alone. */
static void try_alone(struct explain_job *j) {
  const struct type_op *last =
      j->keep == LOG_NO_OP ? NULL : &j->p->ops[j->keep];
  if (!last || strcmp(j->p->type->shape, "register") ||
      last->role != ROLE_READ || last->result == j->p->type->initial_value)
    return;
  datum value = last->result;
  for (uint32_t i = 0; i < j->core.len; i++) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    if (o->role == ROLE_APPEND || explain_brings_value(o, value))
      return;
  }
  for (uint32_t i = 0; i < j->core.len; i++)
    j->leave[j->core.at[i]] = j->core.at[i] != j->keep;
  explain_try_without(j, true);
}

void explain_reduce(struct explain_job *j) {
  bool more = true;
  j->unsure = false;
  /* These shorten long histories at once. */
  try_alone(j);
  explain_drop_beginning(j);
  bool values = has_values(j->p->type);
  j->strict = j->careful || !values;
  j->keeps_end = j->strict && ends_with_the_fault(j, &j->core);
  while (more && !explain_is_over(j)) {
    j->unsure = false;
    more = explain_drop_groups(j, BY_KEY, explain_keys_are_safe(j));
    if (explain_values_are_safe(j)) /* X3 needs fewer questions than X5 */
      more |= explain_drop_groups(j, BY_VALUE, true);
    more |= drop_kinds(j);
    more |= drop_singles(j);
    more |= explain_drop_groups(j, BY_VALUE, explain_values_are_safe(j));
    more |= explain_drop_beginning(j);
  }
}

void explain_drop_idle(struct explain_job *j, const uint8_t *idle) {
  for (uint32_t i = 0; i < j->core.len && !explain_is_over(j);) {
    uint32_t id = j->core.at[i];
    const struct type_op *o = &j->p->ops[id];
    bool may = idle[id] || explain_changes_nothing(j->p->type, o);
    j->leave[id] = may && !o->only_reads;
    bool past = id == j->write && explain_changes_nothing(j->p->type, o);
    j->keep = LOG_NO_OP;
    if (past) /* X6 needs it */
      j->leave[id] = 0;
    if (!j->leave[id] || !explain_try_without(j, true))
      i++;
  }
}

bool explain_holds(struct explain_job *j) {
  if (j->strict || !j->any_shadow)
    return true;
  bool unsure = j->unsure;
  j->unsure = false;
  bool holds = (is_bad_with_shadows(j, &j->core, true) &&
                (j->keep == LOG_NO_OP || ends_with_the_fault(j, &j->core))) ||
               j->unsure;
  j->unsure = unsure;
  return holds;
}
