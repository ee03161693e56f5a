#include "hunt/object.h"

#include "harness/parts.h"
#include "spec/spec.h"

#include <string.h>

enum { MOST_VALUES = OBJECT_VALUES };

static void take_values(const struct fl_suite *s, struct gen_arg *to,
                        const struct fl_item *i) {
  int64_t *values = xcalloc(MOST_VALUES, sizeof *values);
  const char *const *texts = (const char *const *)(const void *)i->text;
  if (i->kind == FL_ITEM_STRING)
    for (unsigned k = 0; k < i->count && to->count < MOST_VALUES; k++)
      values[to->count++] = parts_number(s, texts[k]);
  else if (i->kind == FL_ITEM_LIST)
    for (unsigned k = 0; k < i->count && to->count < MOST_VALUES; k++)
      values[to->count++] = i->list[k];
  else
    for (long long v = i->lo; v <= i->hi && to->count < MOST_VALUES; v++)
      values[to->count++] = v;
  to->values = values;
}

/* The number of a group: the position of its first FL_GROUP, from 1. */
static uint32_t group_number(const struct fl_suite *s, const char *name) {
  uint32_t n = 1;
  for (struct fl_op *o = s->ops; o; o = o->next)
    for (unsigned i = 0; i < o->nitems; i++, n++)
      if (o->items[i].kind == FL_ITEM_GROUP && !strcmp(o->items[i].text, name))
        return n;
  return 0;
}

static void take_op(struct object *o, struct gen_op *to, const struct fl_op *op,
                    uint32_t index) {
  for (unsigned i = 0; i < op->nitems; i++) {
    const struct fl_item *item = &op->items[i];
    if (item->kind == FL_ITEM_GROUP)
      to->group = group_number(o->suite, item->text);
    else if (item->kind == FL_ITEM_BLOCKING)
      to->waits = true;
    else if (parts_is_argument(item) && to->nargs < CLIENT_MAX_ARGS) {
      struct gen_arg *a = &to->args[to->nargs];
      take_values(o->suite, a, item);
      a->interchangeable = item->kind == FL_ITEM_DATA ||
                           spec_arg_is_data(o->suite, index, to->nargs);
      to->nargs++;
    }
  }
  to->returns = op->type != FL_TYPE_VOID;
}

void object_init(struct object *o, const struct fl_suite *suite) {
  *o = (struct object){.suite = suite};
  uint32_t n = 0;
  for (struct fl_op *p = suite->ops; p; p = p->next)
    n++;
  const char **names = xcalloc(n + 1, sizeof *names);
  struct gen_op *ops = xcalloc(n + 1, sizeof *ops);
  o->nargs = xcalloc(n + 1, 1);
  n = 0;
  for (struct fl_op *p = suite->ops; p; p = p->next, n++) {
    names[n] = p->name;
    take_op(o, &ops[n], p, n);
    o->nargs[n] = ops[n].nargs;
  }
  uint32_t ntexts;
  const char **texts = parts_texts(suite, &ntexts);
  o->names = (struct op_names){names, n, ntexts, texts};
  o->gen = (struct gen_object){ops, n};
}

static bool is_text(const struct fl_op *f, uint32_t arg) {
  const struct fl_item *item = parts_argument(f, arg);
  return item && item->kind == FL_ITEM_STRING;
}

/* A text where a number belongs, or the other way. */
static char *text_trouble(const struct object *o, const struct call *c) {
  const struct fl_op *f = o->suite->ops;
  for (uint32_t i = 0; f && i < c->op; i++)
    f = f->next;
  for (uint32_t i = 0; f && i < c->nargs; i++) {
    const char *text = op_names_text(&o->names, c->args[i]);
    if (is_text(f, i) != (text != NULL))
      return xasprintf("argument %u of %s is a %s", i + 1, o->names.name[c->op],
                       text ? "number, not a text" : "text (FL_STRING)");
  }
  return NULL;
}

char *object_client_trouble(const struct object *o, const struct client *c) {
  for (uint32_t i = 0; i < c->ncalls; i++) {
    char *why = text_trouble(o, &c->calls[i]);
    if (why)
      return why;
  }
  for (uint32_t i = 0; i < c->ncalls; i++)
    for (uint32_t k = 0; k < i; k++) {
      const struct call *a = &c->calls[k], *b = &c->calls[i];
      uint32_t group = o->gen.ops[a->op].group;
      if (group && group == o->gen.ops[b->op].group && a->thread && b->thread &&
          a->thread != b->thread)
        return xasprintf("%s and %s are of one group (FL_GROUP): they must not "
                         "be in two threads",
                         o->names.name[a->op], o->names.name[b->op]);
    }
  return NULL;
}
