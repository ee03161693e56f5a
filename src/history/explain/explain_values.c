/* Which operations bring a value, and which show it. */
#include "history/explain/explain_int.h"

#include <string.h>

enum { MOST_PAIRS = 20000000 };

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

bool explain_brings_value(const struct type_op *o, datum value) {
  return brings(o, is_same, &value);
}

/* Whether the result shows that the element of a set was there. */
static bool shows_element(const struct type_op *o) {
  return o->result == (o->role == ROLE_INSERT ? DATUM_FALSE : DATUM_TRUE) &&
         (o->role == ROLE_INSERT || o->role == ROLE_DELETE ||
          o->role == ROLE_CONTAINS);
}

/* Whether the operation shows the value.  A text shows what is printed in it:
 * Java prints a list as "[0, 1]". */
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

bool explain_is_in_time(const struct type_op *bringer,
                        const struct type_op *shower) {
  return bringer != shower && bringer->op->call < shower->op->ret;
}

struct needed {
  struct explain_job *j;
  const op_vec *rest;
};

/* Whether an operation of the rest shows the value, and none there brings it in
 * time.  The one that returned first has the fewest before it. */
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
    if (explain_is_in_time(o, shower) && explain_brings_value(o, value))
      return false;
  }
  return shower != NULL;
}

bool explain_brings_needed(struct explain_job *j, const op_vec *rest) {
  struct needed n = {j, rest};
  /* Too many pairs to look at: smaller parts will be tried later. */
  if ((uint64_t)(j->core.len - rest->len) * rest->len > MOST_PAIRS)
    return true;
  for (uint32_t i = 0; i < j->core.len; i++)
    if (j->leave[j->core.at[i]] &&
        brings(&j->p->ops[j->core.at[i]], is_needed, &n))
      return true;
  return false;
}
