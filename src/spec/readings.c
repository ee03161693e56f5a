/*
 * Weaker readings of single operations (docs/readings.md): takes FL_RELAXED,
 * FL_MAY_FAIL and the like from the harness, and refuses them where they say
 * nothing.
 */
#include "harness/parts.h"
#include "spec/builtin.h"

#include <stdlib.h>
#include <string.h>

static bool is_number(const struct fl_op *o) {
  return o->type == FL_TYPE_BOOL || o->type == FL_TYPE_INT ||
         o->type == FL_TYPE_UINT;
}

static int take_relaxed(struct spec *s, const struct fl_suite *suite,
                        struct error *e) {
  bool model = suite->spec && !strcmp(suite->spec, "model");
  bool relation = suite->spec && !strcmp(suite->spec, "relation");
  const struct builtin *b =
      !suite->spec || model || relation ? NULL : (struct builtin *)s;
  uint32_t n = 0, at = 0;
  bool any = false;
  for (const struct fl_op *o = suite->ops; o; o = o->next)
    n++;
  bool *relaxed = xcalloc(n + 1, sizeof *relaxed);
  for (const struct fl_op *o = suite->ops; o && !e->code; o = o->next, at++) {
    if (!spec_op_has(o, FL_ITEM_RELAXED))
      continue;
    any = relaxed[at] = true;
    if (!suite->spec)
      error_set(e, ERR_INPUT,
                "%s:%d: FL_RELAXED: %s needs an FL_SPEC: the object itself "
                "cannot say what each call adds to what %s returns",
                o->file, o->line, suite->name, o->name);
    else if (spec_op_has(o, FL_ITEM_BLOCKING) ||
             (b && b->ops[at].waits_none &&
              b->ops[at].role->result == RESULT_DATA))
      error_set(e, ERR_INPUT,
                "%s:%d: FL_RELAXED: %s may wait, but a relaxed operation "
                "always returns",
                o->file, o->line, o->name);
    else if (relation)
      error_set(e, ERR_INPUT,
                "%s:%d: FL_RELAXED: a relation does not say what %s returns; "
                "let the relation allow approximate results",
                o->file, o->line, o->name);
    else if (!is_number(o))
      error_set(e, ERR_INPUT, "%s:%d: FL_RELAXED: %s returns no number",
                o->file, o->line, o->name);
    else if (b && !b->ops[at].op.only_reads)
      error_set(e, ERR_INPUT,
                "%s:%d: FL_RELAXED: FL_SPEC says that %s changes the object; "
                "only what reads can be relaxed",
                o->file, o->line, o->name);
  }
  if (any && !e->code)
    s->relaxed = relaxed;
  else
    free(relaxed);
  return e->code;
}

/* ---- FL_MAY_FAIL ---- */

/* Why it can say nothing of the operation; NULL: it can. */
static const char *refusal(const struct fl_op *o, const struct fl_item *i) {
  if (o->type == FL_TYPE_VOID)
    return "returns nothing";
  if (parts_beside(o)) /* what it returns is meant */
    return i->count == FL_FAILS_TEXT ? "returns no string" : NULL;
  if (i->count == FL_FAILS_TEXT)
    return o->type == FL_TYPE_STRING ? NULL : "returns no string";
  if (o->type == FL_TYPE_POINTER && (i->count == FL_FAILS_IF || i->lo))
    return "returns a pointer: expected NULL";
  if (o->type == FL_TYPE_STRING && i->count == FL_FAILS_VALUE && i->lo)
    return "returns a string: expected a string, NULL or a function";
  return NULL;
}

static int take_may_fail(struct spec *s, const struct fl_suite *suite,
                         struct error *e) {
  uint32_t n = 0, at = 0;
  for (const struct fl_op *o = suite->ops; o; o = o->next)
    n++;
  const struct fl_op **found = xcalloc(n + 1, sizeof *found);
  bool any = false;
  for (const struct fl_op *o = suite->ops; o; o = o->next, at++)
    for (unsigned i = 0; i < o->nitems && !e->code; i++) {
      if (o->items[i].kind != FL_ITEM_MAY_FAIL)
        continue;
      const char *why = refusal(o, &o->items[i]);
      if (why)
        error_set(e, ERR_INPUT, "%s:%d: FL_MAY_FAIL: %s %s", o->file, o->line,
                  o->name, why);
      found[at] = o;
      any = true;
    }
  if (any && !e->code)
    s->may_fail = found;
  else
    free(found);
  return e->code;
}

/* Of `true, 3` what the function itself has returned. */
static struct value returned(const struct fl_op *o, struct value v) {
  const char *text = (const char *)(uintptr_t)v.bits;
  int64_t number = 0;
  if (o->returns == FL_TYPE_BOOL)
    return value_bool(*text == 't');
  number = o->returns == FL_TYPE_UINT ? (int64_t)strtoull(text, NULL, 10)
                                      : strtoll(text, NULL, 10);
  return builtin_value(o->returns, o->returned, number);
}

static bool is_meant(const struct fl_op *o, const struct fl_item *i,
                     struct value v) {
  if (parts_beside(o)) {
    v = returned(o, v);
    return i->count == FL_FAILS_IF
               ? ((bool (*)(long long))(uintptr_t)i->text)((long long)v.bits)
               : value_equal(v, builtin_value(o->returns, o->returned, i->lo));
  }
  switch (i->count) {
  case FL_FAILS_TEXT:
    return value_equal(v, value_string(i->text));
  case FL_FAILS_IF:
    return ((bool (*)(long long))(uintptr_t)i->text)((long long)v.bits);
  default:
    return o->type == FL_TYPE_POINTER || o->type == FL_TYPE_STRING
               ? !v.bits
               : value_equal(v, builtin_value(o->type, o->size, i->lo));
  }
}

enum spec_excuse spec_excuse_of(const struct spec *s, const struct client *c,
                                uint32_t call, struct value result) {
  const struct fl_op *o = s->may_fail ? s->may_fail[c->calls[call].op] : NULL;
  enum spec_excuse found = EXCUSE_NONE;
  for (unsigned i = 0; o && i < o->nitems && found != EXCUSE_ALWAYS; i++)
    if (o->items[i].kind == FL_ITEM_MAY_FAIL &&
        is_meant(o, &o->items[i], result))
      found = o->items[i].hi ? EXCUSE_ALWAYS : EXCUSE_OVERLAPPED;
  return found;
}

/* ---- FL_OUT_OF_ORDER, FL_PER_PRODUCER ---- */

static int take_reach(struct builtin *b, const struct fl_op *o,
                      struct bound_op *to, struct error *e) {
  for (unsigned i = 0; i < o->nitems; i++) {
    const struct fl_item *k = &o->items[i];
    bool order = k->kind == FL_ITEM_OUT_OF_ORDER;
    const char *name = order ? "FL_OUT_OF_ORDER" : "FL_PER_PRODUCER";
    if (!order && k->kind != FL_ITEM_PER_PRODUCER)
      continue;
    if (!b)
      return error_set(e, ERR_INPUT,
                       "%s:%d: %s: %s needs an FL_SPEC with a built-in type; a "
                       "model says it with fl_choose()",
                       o->file, o->line, name, o->name);
    bool queue = b->about == &builtin_queue;
    if (k->lo < 0 || k->lo >= UINT32_MAX)
      return error_set(e, ERR_INPUT, "%s:%d: %s(%lld): expected 0 or more",
                       o->file, o->line, name, k->lo);
    if (to->reach)
      return error_set(e, ERR_INPUT, "%s:%d: %s: %s has another order already",
                       o->file, o->line, name, o->name);
    if ((!order && !queue) ||
        !builtin_give_reach(b, to, (uint32_t)k->lo + 1, !order))
      return error_set(e, ERR_INPUT, "%s:%d: %s: %s takes nothing from a %s",
                       o->file, o->line, name, o->name,
                       order ? "queue, stack, deque or pqueue" : "queue");
  }
  return e->code;
}

static int take_orders(struct spec *s, const struct fl_suite *suite,
                       struct error *e) {
  bool own = !suite->spec || !strcmp(suite->spec, "model") ||
             !strcmp(suite->spec, "relation");
  struct builtin *b = own ? NULL : (struct builtin *)s;
  uint32_t at = 0, n = 0;
  for (const struct fl_op *o = suite->ops; o; o = o->next)
    n++;
  s->reorders = xcalloc(n + 1, sizeof *s->reorders);
  for (const struct fl_op *o = suite->ops; o && !e->code; o = o->next, at++) {
    take_reach(b, o, b ? &b->ops[at] : NULL, e);
    if (spec_op_has(o, FL_ITEM_OUT_OF_ORDER) ||
        spec_op_has(o, FL_ITEM_PER_PRODUCER))
      s->reorders[at] = o;
  }
  if (b)
    s->by_thread = b->tagged;
  return e->code;
}

enum reading spec_reading_of(const struct spec *s, const struct client *c,
                             uint32_t call, uint32_t *reach) {
  const struct fl_op *o = s->reorders ? s->reorders[c->calls[call].op] : NULL;
  *reach = 0;
  if (s->joins)
    return READING_TOGETHER;
  if (spec_is_relaxed(s, c, call))
    return READING_RELAXED;
  for (unsigned i = 0; o && i < o->nitems; i++)
    if (o->items[i].kind == FL_ITEM_OUT_OF_ORDER)
      *reach = (uint32_t)o->items[i].lo;
  return !o                                     ? READING_NONE
         : spec_op_has(o, FL_ITEM_OUT_OF_ORDER) ? READING_OUT_OF_ORDER
                                                : READING_PER_PRODUCER;
}

int spec_take_readings(struct spec *s, const struct fl_suite *suite,
                       struct error *e) {
  if (!take_relaxed(s, suite, e) && !take_may_fail(s, suite, e))
    take_orders(s, suite, e);
  return e->code;
}
