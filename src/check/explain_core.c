/*
 * A core that is as small as can be.  Whole keys and values go first, then the
 * beginning of a register's history, then parts of what is left, halves first,
 * down to single operations.
 */
#include "check/explain_int.h"

#include <assert.h>
#include <string.h>

enum { QUESTION_STEPS = 2000000, SMALLEST_WINDOW = 8, MOST_PAIRS = 20000000 };

struct log_problem explain_part(const struct log_problem *p,
                                const op_vec *ops) {
  struct log_problem q = *p;
  q.ops = xmalloc((ops->len + 1) * sizeof *q.ops);
  q.nops = ops->len;
  for (uint32_t i = 0; i < ops->len; i++)
    q.ops[i] = p->ops[ops->at[i]];
  return q;
}

/* With what is left out as pending operations, in the order of calls. */
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

/* ---- values: who brings them, who shows them ---- */

/* Calls `each` with a datum and, of a list or map, with its items. */
static bool any_item(datum d, bool (*each)(datum, void *), void *ctx) {
  if (d == DATUM_NONE || d == DATUM_TRUE || d == DATUM_FALSE || d == DATUM_NIL)
    return false;
  if (each(d, ctx))
    return true;
  enum datum_kind kind = datum_kind(d);
  if (kind == DATUM_IS_LIST || kind == DATUM_IS_MAP) {
    const struct datum_box *b = datum_box(d);
    for (uint32_t i = 0; i < b->len; i++)
      if (any_item(b->items[i], each, ctx))
        return true;
  }
  return false;
}

static bool brings(const struct type_op *o, bool (*each)(datum, void *),
                   void *ctx) {
  if (op_only_reads(o) || o->role == ROLE_DELETE || o->role == ROLE_DELETE_KEY)
    return false;
  bool cas = o->role == ROLE_CAS;
  const struct log_op *op = o->op;
  if (o->role == ROLE_OTHER && op->nargs)
    for (uint32_t i = 0; i < op->nargs && i < LOG_ARGS; i++)
      if (any_item(op->arg[i], each, ctx))
        return true;
  return (!cas && any_item(o->arg[0], each, ctx)) ||
         any_item(o->arg[1], each, ctx);
}

static bool is_same(datum d, void *ctx) { return d == *(datum *)ctx; }

/* Of a set: that the element is there, or was. */
static bool shows_element(const struct type_op *o) {
  return o->result == (o->role == ROLE_INSERT ? DATUM_FALSE : DATUM_TRUE) &&
         (o->role == ROLE_INSERT || o->role == ROLE_DELETE ||
          o->role == ROLE_CONTAINS);
}

/* Texts show what is printed in them: "[0, 1]" is what Java says of a list. */
static bool shows(const struct type_op *o, datum value) {
  if (shows_element(o) && o->arg[0] == value)
    return true;
  if (any_item(o->result, is_same, &value))
    return true;
  if (o->role == ROLE_CAS && !op_only_reads(o) && o->arg[0] == value)
    return true;
  if (datum_kind(o->result) != DATUM_IS_TEXT)
    return false;
  const char *text = datum_box(o->result)->text;
  if (datum_kind(value) == DATUM_IS_TEXT) /* without its quotes */
    return *datum_box(value)->text && strstr(text, datum_box(value)->text);
  struct buf b = {0};
  datum_print(value, &b);
  bool found = strstr(text, buf_text(&b)) != NULL;
  buf_free(&b);
  return found;
}

/* Whether a value can have come from an operation, as far as time goes: an
 * operation does not bring itself what it shows. */
static bool is_in_time(const struct type_op *bringer,
                       const struct type_op *shower) {
  return bringer != shower && bringer->op->call < shower->op->ret;
}

struct needed {
  struct explain_job *j;
  const op_vec *rest;
};

/* Something in the rest shows the value, and nothing there brings it in time.
 * What returned first is the hardest to bring it to. */
static bool is_needed(datum value, void *ctx) {
  struct needed *n = ctx;
  const struct type_op *ops = n->j->p->ops, *shower = NULL;
  for (uint32_t i = 0; i < n->rest->len; i++) {
    const struct type_op *o = &ops[n->rest->at[i]];
    if (shows(o, value) && (!shower || o->op->ret < shower->op->ret))
      shower = o;
  }
  for (uint32_t i = 0; i < n->rest->len && shower; i++) {
    const struct type_op *o = &ops[n->rest->at[i]];
    if (is_in_time(o, shower) && brings(o, is_same, &value))
      return false;
  }
  return shower != NULL;
}

static bool brings_what_is_needed(struct explain_job *j, const op_vec *rest) {
  struct needed n = {j, rest};
  /* Every pair is looked at; smaller parts will have their turn. */
  if ((uint64_t)(j->core.len - rest->len) * rest->len > MOST_PAIRS)
    return true;
  for (uint32_t i = 0; i < j->core.len; i++)
    if (j->leave[j->core.at[i]] &&
        brings(&j->p->ops[j->core.at[i]], is_needed, &n))
      return true;
  return false;
}

/* ---- leaving out ---- */

static bool all_change_nothing(const struct explain_job *j) {
  for (uint32_t i = 0; i < j->core.len; i++)
    if (j->leave[j->core.at[i]] &&
        !explain_changes_nothing(j->p->type, &j->p->ops[j->core.at[i]]))
      return false;
  return true;
}

/* Whether the rest is bad whatever those did that were left out by X5: `rest`,
 * and they as pending operations, by call. */
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

/* Whether the operations are linearizable without the last return. */
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

/* What is left goes wrong with the same return as before, and does whatever all
 * those did that were left out by X5. */
static bool is_same_fault(struct explain_job *j, const op_vec *rest) {
  return (!j->keeps_end || (last_return(j, rest) == last_return(j, &j->core) &&
                            ends_with_the_fault(j, rest))) &&
         is_bad_with_shadows(j, rest, false);
}

/* X5 */
static bool may_be_left(struct explain_job *j, const op_vec *rest) {
  return !brings_what_is_needed(j, rest) && explain_is_bad(j, rest, NULL) &&
         explain_is_bad(j, &j->core, j->leave) &&
         (!j->strict || is_same_fault(j, rest));
}

/* Leaves out what is marked in `leave`, if it may be, and clears the marks.
 * `safe`: by X2, X3 or X4 it may. */
static bool try_without(struct explain_job *j, bool safe) {
  op_vec rest = {0};
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
    out = out && may_be_left(j, &rest);
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

/* ---- groups ---- */

enum grouping { BY_KEY, BY_VALUE };

static bool is_container(const struct type *t) {
  static const char *const shapes[] = {"queue", "stack", "pqueue",
                                       "max-pqueue"};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(t->shape, shapes[i]))
      return true;
  return false;
}

/* The values that an operation is about, at most two. */
static unsigned values_of(const struct type *t, const struct type_op *o,
                          datum v[2]) {
  unsigned n = 0;
  switch (o->role) {
  case ROLE_ADD:
  case ROLE_WRITE:
    v[n++] = o->arg[0];
    break;
  case ROLE_CAS:
    v[n++] = o->arg[0];
    v[n++] = o->arg[1];
    break;
  case ROLE_REMOVE:
  case ROLE_PEEK:
    if (!o->any_result && (t->empty == DATUM_NONE || o->result != t->empty))
      v[n++] = o->result;
    break;
  case ROLE_READ:
    if (!o->any_result)
      v[n++] = o->result;
    break;
  }
  return n;
}

static bool have_one_key(const struct explain_job *j) {
  for (uint32_t i = 1; i < j->core.len; i++)
    if (j->p->ops[j->core.at[i]].key != j->p->ops[j->core.at[0]].key)
      return false;
  return true;
}

static bool values_are_safe(const struct explain_job *j) {
  bool container = is_container(j->p->type);
  if ((!container && strcmp(j->p->type->shape, "register")) || !have_one_key(j))
    return false;
  for (uint32_t i = 0; i < j->core.len; i++) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    bool fits = container ? (o->role == ROLE_ADD && o->result != DATUM_FALSE) ||
                                o->role == ROLE_REMOVE || o->role == ROLE_PEEK
                          : o->role == ROLE_READ || o->role == ROLE_WRITE ||
                                (o->role == ROLE_CAS && !op_only_reads(o));
    if (!fits)
      return false;
  }
  return true;
}

static bool keys_are_safe(const struct explain_job *j) {
  if (!j->p->type->by_key)
    return false;
  for (uint32_t i = 0; i < j->core.len; i++)
    if (j->p->ops[j->core.at[i]].key == DATUM_NONE)
      return false;
  return true;
}

struct groups {
  VEC(datum) data;       /* sorted */
  VEC(uint32_t) leader;  /* of each of them: union-find */
  VEC(uint32_t) members; /* group of each operation of the core */
};

static int by_word(const void *x, const void *y) {
  datum a = *(const datum *)x, b = *(const datum *)y;
  return a < b ? -1 : a > b;
}

static uint32_t group_of(const struct groups *g, datum d) {
  datum *at = bsearch(&d, g->data.at, g->data.len, sizeof d, by_word);
  uint32_t i = (uint32_t)(at - g->data.at);
  while (g->leader.at[i] != i)
    i = g->leader.at[i];
  return i;
}

static unsigned data_of(const struct explain_job *j, enum grouping how,
                        uint32_t id, datum v[2]) {
  const struct type_op *o = &j->p->ops[id];
  if (how == BY_VALUE)
    return values_of(j->p->type, o, v);
  v[0] = o->key;
  return o->key != DATUM_NONE;
}

static void make_groups(const struct explain_job *j, enum grouping how,
                        struct groups *g) {
  datum v[2];
  for (uint32_t i = 0; i < j->core.len; i++)
    for (unsigned n = data_of(j, how, j->core.at[i], v); n--;)
      vec_push(&g->data, v[n]);
  if (g->data.len)
    qsort(g->data.at, g->data.len, sizeof *g->data.at, by_word);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < g->data.len; i++)
    if (!kept || g->data.at[kept - 1] != g->data.at[i])
      g->data.at[kept++] = g->data.at[i];
  g->data.len = kept;
  for (uint32_t i = 0; i < kept; i++)
    vec_push(&g->leader, i);
  for (uint32_t i = 0; i < j->core.len; i++)
    if (data_of(j, how, j->core.at[i], v) == 2)
      g->leader.at[group_of(g, v[0])] = group_of(g, v[1]);
  for (uint32_t i = 0; i < j->core.len; i++)
    vec_push(&g->members, data_of(j, how, j->core.at[i], v) ? group_of(g, v[0])
                                                            : UINT32_MAX);
}

static void free_groups(struct groups *g) {
  vec_free(&g->data);
  vec_free(&g->leader);
  vec_free(&g->members);
}

/* Groups of the core that lie in [from, to) of the numbers of groups. */
static bool try_groups(struct explain_job *j, enum grouping how, uint32_t from,
                       uint32_t to, bool safe) {
  struct groups g = {0};
  make_groups(j, how, &g);
  for (uint32_t i = 0; i < j->core.len; i++)
    j->leave[j->core.at[i]] = g.members.at[i] >= from && g.members.at[i] < to;
  free_groups(&g);
  return try_without(j, safe);
}

static uint32_t count_groups(const struct explain_job *j, enum grouping how) {
  struct groups g = {0};
  make_groups(j, how, &g);
  uint32_t n = g.data.len;
  free_groups(&g);
  return n;
}

static bool is_over(struct explain_job *j) {
  struct meter m = {.budget = j->budget};
  if (meter_look(&m, j->p->type, 0))
    return false;
  j->unsure = true;
  return true;
}

static bool drop_groups(struct explain_job *j, enum grouping how, bool safe) {
  bool any = false;
  uint32_t n = count_groups(j, how);
  for (uint32_t size = (n + 1) / 2; size && n > 1; size /= 2)
    for (uint32_t from = 0; from < n && !is_over(j);) {
      if (try_groups(j, how, from, from + size, safe)) {
        any = true;
        n = count_groups(j, how); /* the next ones are here now */
      } else {
        from += size;
      }
    }
  return any;
}

/* ---- the beginning of a register's history ---- */

/* A result that is left needs somebody who brought it, or it would seem that
 * nobody did: the last write of the value stays.  False: there is none, but
 * something else that brought it.  If nobody did, that is the fault. */
static bool keep_bringer(struct explain_job *j, const struct type_op *shower,
                         datum value) {
  bool any = false;
  for (uint32_t i = 0; i < j->core.len; i++) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    bool does = is_in_time(o, shower) && brings(o, is_same, &value);
    if (does && !j->leave[j->core.at[i]])
      return true;
    any |= does;
  }
  for (uint32_t i = j->core.len; i--;) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    if (o->role == ROLE_WRITE && o->arg[0] == value && is_in_time(o, shower)) {
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
static bool drop_beginning(struct explain_job *j) {
  if (strcmp(j->p->type->shape, "register") || !have_one_key(j))
    return false;
  uint32_t window = SMALLEST_WINDOW;
  for (uint32_t w = j->core.len; w-- && !is_over(j);) {
    const struct type_op *o = &j->p->ops[j->core.at[w]];
    if (o->role != ROLE_WRITE || op_is_pending(o))
      continue;
    uint32_t write = j->core.at[w], before = j->write;
    if (mark_before(j, w) && keep_bringers(j)) {
      j->write = write; /* and no more the one before it */
      if (try_without(j, true))
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

/* ---- single operations ---- */

static bool drop_singles(struct explain_job *j) {
  bool any = false;
  for (uint32_t size = (j->core.len + 1) / 2; size; size /= 2)
    for (int reads = 1; reads >= 0; reads--)
      for (uint32_t from = 0; from < j->core.len && !is_over(j);) {
        uint32_t to = from + size < j->core.len ? from + size : j->core.len;
        uint32_t marked = 0;
        for (uint32_t i = from; i < to; i++) {
          uint32_t id = j->core.at[i];
          bool reader = explain_changes_nothing(j->p->type, &j->p->ops[id]);
          j->leave[id] = reader == reads;
          marked += reader == reads;
        }
        if (marked && try_without(j, false))
          any = true;
        else
          from = to;
      }
  return any;
}

/* Whether a result shows whose effect it saw: then the operation that brought
 * the value stays in the core.  An increment, or what a type of the user's
 * does, brings nothing that could be seen in its arguments. */
static bool has_values(const struct type *t) {
  static const char *const shapes[] = {"register", "set", "multiset", "list"};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(t->shape, shapes[i]))
      return true;
  return is_container(t);
}

/* A read of a register, of what nobody wrote, is all of the core. */
static void try_alone(struct explain_job *j) {
  const struct type_op *last =
      j->keep == LOG_NO_OP ? NULL : &j->p->ops[j->keep];
  if (!last || strcmp(j->p->type->shape, "register") ||
      last->role != ROLE_READ || last->result == j->p->type->initial_value)
    return;
  datum value = last->result;
  for (uint32_t i = 0; i < j->core.len; i++) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    if (o->role == ROLE_APPEND || brings(o, is_same, &value))
      return;
  }
  for (uint32_t i = 0; i < j->core.len; i++)
    j->leave[j->core.at[i]] = j->core.at[i] != j->keep;
  try_without(j, true);
}

void explain_reduce(struct explain_job *j) {
  bool more = true;
  j->unsure = false;
  /* These make long histories short at once. */
  try_alone(j);
  drop_beginning(j);
  bool values = has_values(j->p->type);
  j->strict = j->careful || !values;
  j->keeps_end = j->strict && ends_with_the_fault(j, &j->core);
  while (more && !is_over(j)) {
    j->unsure = false;
    more = drop_groups(j, BY_KEY, keys_are_safe(j));
    if (values_are_safe(j)) /* X3 asks less than X5 */
      more |= drop_groups(j, BY_VALUE, true);
    more |= drop_singles(j);
    more |= drop_groups(j, BY_VALUE, values_are_safe(j));
    more |= drop_beginning(j);
  }
}

void explain_drop_idle(struct explain_job *j, const uint8_t *idle) {
  for (uint32_t i = 0; i < j->core.len && !is_over(j);) {
    uint32_t id = j->core.at[i];
    const struct type_op *o = &j->p->ops[id];
    bool may = idle[id] || explain_changes_nothing(j->p->type, o);
    j->leave[id] = may && !o->only_reads;
    j->keep = j->write = LOG_NO_OP;
    if (!j->leave[id] || !try_without(j, true))
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
