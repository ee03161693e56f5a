/* The explanation of a violation (explain_log.h): core, prefix, sentence. */
#include "history/explain/explain_int.h"

#include <assert.h>
#include <string.h>

/* Bounds of the search for the shortest prefix, which may be long. */
enum { PREFIX_STEPS = 1000000, STEPS_AN_OPERATION = 1, NEXT_EVENTS = 64 };

/* The core begins with the operations of the bad key, or with all. */
static void take_part(struct explain_job *j, const struct log_answer *a) {
  const struct log_problem *p = j->p;
  datum key = a->at == UINT32_MAX ? DATUM_NONE : p->ops[a->at].key;
  bool split = p->type->by_key && key != DATUM_NONE;
  for (uint32_t i = 0; i < p->nops && split; i++)
    split = p->ops[i].key != DATUM_NONE && p->ops[i].op->order == LOG_NO_HINT;
  j->core.len = 0;
  for (uint32_t i = 0; i < p->nops; i++)
    if (!split || p->ops[i].key == key)
      vec_push(&j->core, i);
}

/* A monitor gives a smaller core and a sentence. */
static void ask_monitor(struct explain_job *j, struct log_explained *out) {
  bool all = j->core.len == j->p->nops; /* a long history is not copied */
  struct log_problem q = all ? *j->p : explain_part(j->p, &j->core);
  struct log_answer a = {0};
  const char *why;
  if (check_monitor(&q, &a, &why) && a.verdict == LOG_VIOLATION) {
    /* Indices only grow: none is overwritten before it is read. */
    for (uint32_t i = 0; i < a.core.len; i++)
      j->core.at[i] = j->core.at[a.core.at[i]];
    j->core.len = a.core.len;
    out->reason = a.reason;
    a.reason = NULL;
  }
  log_answer_free(&a);
  if (!all)
    free(q.ops);
}

static void begin_core(struct explain_job *j, const struct log_answer *a,
                       struct log_explained *out) {
  if (a->reason) {
    out->reason = xstrdup(a->reason);
    for (uint32_t i = 0; i < a->core.len; i++)
      vec_push(&j->core, a->core.at[i]);
  } else {
    take_part(j, a);
    ask_monitor(j, out);
  }
}

/* ---- the shortest prefix ---- */

/* An operation that was made pending for a while. */
struct opened {
  uint32_t op;
  struct type_op was;
};
typedef VEC(struct opened) opened_vec;

/* Cuts the history after `until`.  False: the type has no such pending
 * operation. */
static bool cut_here(struct log_problem *q, uint32_t until, opened_vec *open,
                     struct arena *arena) {
  uint32_t n = 0;
  for (; n < q->nops && q->ops[n].op->call <= until; n++) {
    const struct type_op *o = &q->ops[n];
    if (op_is_pending(o) || o->op->ret <= until)
      continue;
    const struct type_op *pending = op_made_pending(q, o, arena);
    if (!pending)
      return false;
    vec_push(open, ((struct opened){n, *o}));
    q->ops[n] = *pending;
  }
  q->nops = n;
  return true;
}

/* The verdict about the history up to and with that time.  It may be long, and
 * is not copied. */
static enum log_verdict verdict_at(const struct log_problem *p, uint32_t until,
                                   const struct log_budget *b) {
  struct log_options o = {.budget = *b};
  struct log_answer a = {.verdict = LOG_UNKNOWN};
  struct log_problem q = *p;
  struct arena arena = {0};
  opened_vec open = {0};
  o.budget.steps = PREFIX_STEPS + (uint64_t)p->nops * STEPS_AN_OPERATION;
  if (cut_here(&q, until, &open, &arena))
    check_log(&q, &o, &a);
  for (uint32_t i = 0; i < open.len; i++)
    p->ops[open.at[i].op] = open.at[i].was;
  enum log_verdict v = a.verdict;
  vec_free(&open);
  arena_free(&arena);
  log_answer_free(&a);
  return v;
}

struct explain_prefixes {
  const struct log_problem *p;
  const struct log_budget *budget;
  const uint32_t *by_return;
  uint32_t low, high; /* the first bad return is one of these */
};

/* Asks about one return in [low, high).  False: no answer. */
static bool narrow(struct explain_prefixes *s, uint32_t at) {
  uint32_t ret = s->p->ops[s->by_return[at]].op->ret;
  enum log_verdict v = verdict_at(s->p, ret, s->budget);
  if (v == LOG_VIOLATION)
    s->high = at;
  else if (v == LOG_LINEARIZABLE)
    s->low = at + 1;
  return v != LOG_UNKNOWN;
}

/* Searches from the end: usually the last return is the first bad one. */
static bool search_prefixes(struct explain_prefixes *s) {
  bool known = true;
  for (uint32_t step = 1; known && s->low == 0 && s->high; step *= 2)
    known = narrow(s, s->high > step ? s->high - step : 0);
  while (known && s->low < s->high)
    known = narrow(s, s->low + (s->high - s->low) / 2);
  return known;
}

/*
 * Whether the prefix is certainly bad: its part of the core is, together with
 * the operations that are open at its end, as pending ones.  (All other
 * operations of the prefix are then left out by X1 to X4.)
 */
static bool core_is_bad_at(const struct log_problem *p,
                           const struct log_explained *x, uint32_t until,
                           const struct log_budget *b) {
  op_vec part = {0};
  uint32_t k = 0;
  for (uint32_t i = 0; i < p->nops && p->ops[i].op->call <= until; i++) {
    bool core = k < x->core.len && x->core.at[k] == i;
    k += core;
    if (core || p->ops[i].op->ret > until)
      vec_push(&part, i);
  }
  struct log_problem q = explain_part(p, &part);
  bool bad = verdict_at(&q, until, b) == LOG_VIOLATION;
  free(q.ops);
  vec_free(&part);
  return bad;
}

struct ending_at {
  uint32_t ret, op;
};

static int by_return(const void *x, const void *y) {
  uint32_t a = ((const struct ending_at *)x)->ret,
           b = ((const struct ending_at *)y)->ret;
  return a < b ? -1 : a > b;
}

/* The first return, from that of `stuck` on, with which the core is bad
 * whatever open operations do; LOG_NO_OP: none of the next ones. */
static uint32_t first_bad_of_core(const struct log_problem *p,
                                  const struct log_budget *b,
                                  const struct log_explained *x) {
  uint32_t from = p->ops[x->stuck].op->ret, found = LOG_NO_OP;
  VEC(struct ending_at) ends = {0};
  for (uint32_t i = 0; i < p->nops; i++) {
    uint32_t ret = p->ops[i].op->ret;
    if (ret != LOG_PENDING && ret >= from && ret - from < NEXT_EVENTS)
      vec_push(&ends, ((struct ending_at){ret, i}));
  }
  qsort(ends.at, ends.len, sizeof *ends.at, by_return);
  for (uint32_t i = 0; i < ends.len && found == LOG_NO_OP; i++)
    if (core_is_bad_at(p, x, ends.at[i].ret, b))
      found = ends.at[i].op;
  vec_free(&ends);
  return found;
}

/* The first bad return of `p` up to that time (LOG_PENDING: of all); *shortest:
 * that is certain. */
static uint32_t search_all(const struct log_problem *p,
                           const struct log_budget *b, uint32_t until,
                           bool *shortest) {
  uint32_t n, *sorted = ops_by_return(p, &n);
  struct explain_prefixes s = {p, b, sorted, 0, n - 1};
  while (s.high && p->ops[sorted[s.high - 1]].op->ret >= until)
    s.high--;
  *shortest = search_prefixes(&s);
  uint32_t first = sorted[s.high];
  free(sorted);
  return first;
}

/* The operations of keys that may be bad; none: the history is not split. */
static op_vec find_suspects(const struct log_problem *p,
                            const struct log_budget *b) {
  struct log_options o = {.budget = *b};
  op_vec some = {0};
  if (!p->type->by_key)
    return some;
  uint8_t *marks = xmalloc((size_t)p->nops + 1);
  o.budget.steps = PREFIX_STEPS + (uint64_t)p->nops * STEPS_AN_OPERATION;
  mark_suspects(p, &o, marks);
  for (uint32_t i = 0; i < p->nops; i++)
    if (marks[i])
      vec_push(&some, i);
  free(marks);
  return some;
}

/* Finds the shortest bad prefix.  `first_x5`: the first return that X5 left
 * out. */
static void find_prefix(const struct log_problem *p, const struct log_budget *b,
                        uint32_t first_x5, struct log_explained *out) {
  uint32_t bad = first_bad_of_core(p, b, out);
  enum log_verdict before = LOG_VIOLATION;
  if (bad != LOG_NO_OP && p->ops[bad].op->ret >= first_x5)
    bad = LOG_NO_OP;
  out->prefix = bad;
  /* A read of a list can be wrong because of one item; its core lacks the
   * appends of the others. */
  if (bad != LOG_NO_OP && !strcmp(p->type->shape, "list") &&
      verdict_at(p, p->ops[bad].op->ret, b) != LOG_VIOLATION)
    bad = LOG_NO_OP;
  uint32_t until = bad == LOG_NO_OP ? LOG_PENDING : p->ops[bad].op->ret;
  op_vec suspects = find_suspects(p, b);
  struct log_problem q = suspects.len ? explain_part(p, &suspects) : *p;
  if (bad != LOG_NO_OP)
    before = verdict_at(&q, until - 1, b);
  out->prefix_is_shortest = before == LOG_LINEARIZABLE;
  if (before == LOG_VIOLATION) {
    uint32_t first = search_all(&q, b, until, &out->prefix_is_shortest);
    out->prefix = suspects.len ? suspects.at[first] : first;
  }
  if (suspects.len)
    free(q.ops);
  vec_free(&suspects);
}

/* ---- in words ---- */

static void add_distinct(struct buf *b, uint32_t *n, const char *text,
                         const char **seen, uint32_t most) {
  for (uint32_t i = 0; i < *n; i++)
    if (!strcmp(seen[i], text))
      return;
  if (*n == most)
    return;
  seen[(*n)++] = text;
  buf_puts(b, *n > 1 ? " or " : "");
  log_put_short(text, b);
}

/* Where the stuck operation stands.  The sentence is about the core: operations
 * outside of it may have changed the state, too. */
static const char *where_stuck(const struct log_problem *p,
                               const struct log_explained *x) {
  uint32_t placed = x->partials.at[0].order.len;
  if (!placed)
    return "as the first operation,";
  if (placed + 1 < x->core.len)
    return "after as many other core operations as fit,";
  return x->core.len < p->nops ? "after the other core operations,"
                               : "after the others,";
}

/* What the stuck operation would have to return in the longest orders. */
static void say_stuck(const struct log_problem *p,
                      const struct log_explained *x, struct buf *out) {
  struct buf instead = {0}, op = {0};
  const char *seen[4];
  uint32_t n = 0;
  const struct log_op *o = p->ops[x->stuck].op;
  for (uint32_t i = 0; i < x->partials.len; i++)
    for (uint32_t k = 0; k < x->partials.at[i].refusals.len; k++) {
      const struct log_refusal *r = &x->partials.at[i].refusals.at[k];
      if (r->op == x->stuck && r->instead)
        add_distinct(&instead, &n, r->instead, seen, 4);
    }
  log_print_op_short(p->log, o, &op);
  buf_printf(out, "%s of process %u", buf_text(&op), o->process);
  if (n)
    buf_printf(out, " fits nowhere: %s it would return %s", where_stuck(p, x),
               buf_text(&instead));
  else
    buf_puts(out, " fits nowhere: no order of the calls explains it");
  buf_free(&instead);
  buf_free(&op);
}

static char *say(const struct log_problem *p, const struct log_explained *x) {
  struct buf b = {0};
  if (x->stuck != LOG_NO_OP)
    say_stuck(p, x, &b);
  else
    buf_printf(&b, "no order of these %u operations explains their results",
               x->core.len);
  char *reason = xstrdup(buf_text(&b));
  buf_free(&b);
  return reason;
}

/* ---- all of it ---- */

static void find_stuck(const struct log_problem *core, const uint32_t *ids,
                       const struct log_budget *b, struct log_explained *out) {
  struct log_answer a = {0};
  check_exact(core, b, false, &a);
  if (a.verdict == LOG_VIOLATION && a.at != UINT32_MAX)
    out->stuck = ids[a.at];
  if (a.verdict != LOG_VIOLATION)
    out->minimal = false;
  log_answer_free(&a);
}

/* Reduces the core by the weaker form of X5, which is mostly right where
 * results show values; if it was wrong, once more by the stronger form. */
static void reduce(struct explain_job *j) {
  op_vec all = {0};
  for (uint32_t i = 0; i < j->core.len; i++)
    vec_push(&all, j->core.at[i]);
  explain_reduce(j);
  if (explain_holds(j)) {
    vec_free(&all);
    return;
  }
  vec_free(&j->core);
  j->core = all;
  memset(j->shadow, 0, j->p->nops);
  j->any_shadow = false;
  j->first_x5 = UINT32_MAX;
  j->write = LOG_NO_OP;
  explain_read_again(j);
  j->careful = true;
  explain_reduce(j);
}

static const struct log_explained none = {
    .stuck = LOG_NO_OP, .prefix = LOG_NO_OP, .since = LOG_NO_OP};

/* Finds the core and its orders.  Returns first_x5 for find_prefix. */
static uint32_t find_core(const struct log_problem *p,
                          const struct log_answer *a,
                          const struct log_budget *b, uint32_t keep,
                          const uint8_t *idle, struct log_explained *out) {
  struct explain_job j = {.p = p,
                          .budget = b,
                          .keep = keep,
                          .write = LOG_NO_OP,
                          .first_x5 = UINT32_MAX};
  j.leave = xcalloc(p->nops + 1, 1);
  j.shadow = xcalloc(p->nops + 1, 1);
  j.needed = xcalloc(p->nops + 1, 1);
  begin_core(&j, a, out);
  reduce(&j);
  if (idle)
    explain_drop_idle(&j, idle);
  out->minimal = !j.unsure;
  struct log_problem core = explain_part(p, &j.core);
  find_stuck(&core, j.core.at, b, out);
  explain_orders(&core, j.core.at, b, out);
  out->core.at = j.core.at;
  out->core.len = j.core.len;
  out->core.cap = j.core.cap;
  if (!out->reason)
    out->reason = say(p, out);
  out->since = j.has_read ? j.read_at : LOG_NO_OP;
  explain_read_again(&j);
  free(core.ops);
  free(j.leave);
  free(j.shadow);
  free(j.needed);
  return j.first_x5;
}

/*
 * Explains the shortest prefix: operations that are open at its end are
 * pending, with any result, and the core has its last return.  False: the core
 * would need some of the open ones, which reports show with the results that
 * they had; or the type has no such pending operations.
 */
static bool explain_prefix(const struct log_problem *p,
                           const struct log_budget *b, uint32_t last,
                           struct log_explained *out) {
  struct log_problem q = *p;
  struct arena arena = {0};
  opened_vec open = {0};
  struct log_answer a = {.verdict = LOG_VIOLATION, .at = last};
  uint8_t *idle = xcalloc(p->nops + 1, 1);
  bool cut = cut_here(&q, p->ops[last].op->ret, &open, &arena);
  for (uint32_t i = 0; i < open.len; i++)
    idle[open.at[i].op] = explain_changes_nothing(p->type, &open.at[i].was);
  if (cut)
    find_core(&q, &a, b, last, idle, out);
  memset(idle, 0, p->nops);
  for (uint32_t i = 0; i < open.len; i++) {
    p->ops[open.at[i].op] = open.at[i].was;
    idle[open.at[i].op] = true;
  }
  bool whole = cut;
  for (uint32_t i = 0; i < out->core.len; i++)
    whole &= !idle[out->core.at[i]] || !out->minimal; /* the budget ended */
  if (!whole) {
    log_explained_free(out);
    *out = none;
  }
  free(idle);
  vec_free(&open);
  arena_free(&arena);
  return whole;
}

static bool ends_with(const struct log_problem *p,
                      const struct log_explained *x, uint32_t last) {
  bool has = false;
  for (uint32_t i = 0; i < x->core.len; i++) {
    uint32_t ret = p->ops[x->core.at[i]].op->ret;
    if (ret != LOG_PENDING && ret > p->ops[last].op->ret)
      return false;
    has |= x->core.at[i] == last;
  }
  return has;
}

void explain_log(const struct log_problem *p, const struct log_answer *a,
                 const struct log_budget *b, struct log_explained *out) {
  bool known = a->at != UINT32_MAX;
  *out = none;
  if (!known || a->reason || !explain_prefix(p, b, a->at, out)) {
    uint32_t first_x5 = find_core(p, a, b, LOG_NO_OP, NULL, out);
    if (!known && out->stuck != LOG_NO_OP)
      find_prefix(p, b, first_x5, out);
  }
  if (known) {
    out->prefix = a->at;
    out->prefix_is_shortest = true;
  }
  if (!out->prefix_is_shortest || ends_with(p, out, out->prefix))
    return;
  /* The core was of a later fault: explain the first one. */
  struct log_explained first = none;
  if (!explain_prefix(p, b, out->prefix, &first))
    return;
  first.prefix = out->prefix;
  first.prefix_is_shortest = true;
  log_explained_free(out);
  *out = first;
}
