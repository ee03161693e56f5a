/* Describes a loaded object to the parent, which never loads it. */
#include "hunt/describe.h"

#include <string.h>

static uint32_t nargs_of(const struct fl_op *o) {
  uint32_t n = 0;
  for (unsigned i = 0; i < o->nitems; i++)
    n += o->items[i].kind == FL_ITEM_RANGE ||
         o->items[i].kind == FL_ITEM_LIST || o->items[i].kind == FL_ITEM_DATA;
  return n;
}

static bool is_known(const struct fl_suite *s) {
  return s->abi >= 1 && s->abi <= FL_ABI;
}

/* The tables of version 1 end before the memory model. */
static enum fl_memory_model model_of(const struct fl_suite *s) {
  return s->abi >= 2 ? s->memory_model : FL_MEMORY_MODEL_DEFAULT;
}

static const char *trouble_of(const struct fl_suite *s, struct arena *a) {
  struct buf b = {0};
  uint32_t n = 0;
  if (!is_known(s))
    buf_printf(&b, "%s was made for another version of faultline.h",
               s->name ? s->name : "a suite");
  for (struct fl_op *o = s->ops; o && !b.len; o = o->next, n++) {
    if (nargs_of(o) > FL_MAX_ARGS)
      buf_printf(&b, "%s has more than %d arguments", o->name, FL_MAX_ARGS);
    for (unsigned i = 0; i < o->nitems; i++)
      if (o->items[i].kind == FL_ITEM_RANGE && o->items[i].lo > o->items[i].hi)
        buf_printf(&b, "FL_INT(%lld, %lld) of %s is empty", o->items[i].lo,
                   o->items[i].hi, o->name);
    for (struct fl_op *p = s->ops; p != o; p = p->next)
      if (!strcmp(p->name, o->name))
        buf_printf(&b, "%s is an operation twice", o->name);
  }
  if (!b.len && !s->ops)
    buf_printf(&b, "%s has no operations (FL_OP)", s->name);
  if (!b.len && (unsigned)model_of(s) > FL_MEMORY_MODEL_tso)
    buf_printf(&b, "%s has an unknown memory model (%u)", s->name,
               (unsigned)model_of(s));
  const char *text = b.len ? arena_strdup(a, buf_text(&b)) : NULL;
  buf_free(&b);
  return text;
}

/* Does anything of a call show in its history? */
static bool shows(const struct fl_op *o) {
  bool blocks = false;
  for (unsigned i = 0; i < o->nitems; i++)
    blocks |= o->items[i].kind == FL_ITEM_BLOCKING;
  return blocks || o->type != FL_TYPE_VOID;
}

static void describe(struct suite_info *to, const struct fl_suite *s,
                     struct arena *a) {
  *to = (struct suite_info){.name = arena_strdup(a, s->name),
                            .file = arena_strdup(a, s->file),
                            .line = s->line,
                            .expect_fault = s->expect_fault};
  to->trouble = trouble_of(s, a);
  if (!is_known(s))
    return;
  to->memory_model = model_of(s);
  to->is_judged = s->invariant != NULL;
  for (struct fl_op *o = s->ops; o; o = o->next) {
    to->is_judged |= shows(o);
    to->nops++;
  }
  to->ops = arena_alloc(a, (to->nops + 1) * sizeof *to->ops);
  uint32_t i = 0;
  for (struct fl_op *o = s->ops; o; o = o->next)
    to->ops[i++] = (struct op_info){
        .name = arena_strdup(a, o->name),
        .file = arena_strdup(a, o->file),
        .line = o->line,
        .entry = o->invoke ? 0 : (uint64_t)(uintptr_t)o->function - rt_base(),
        .code = (o->invoke ? (uint64_t)(uintptr_t)o->invoke
                           : (uint64_t)(uintptr_t)o->function) -
                rt_base(),
        .nargs = nargs_of(o),
        .type = o->type,
        .size = o->size,
        .takes_object = s->create && !s->global,
    };
}

static void describe_clients(struct description *d, struct arena *a) {
  for (struct fl_client *c = rt_clients(); c; c = c->next)
    d->nclients++;
  d->clients = arena_alloc(a, (d->nclients + 1) * sizeof *d->clients);
  uint32_t i = 0;
  for (struct fl_client *c = rt_clients(); c; c = c->next)
    d->clients[i++] =
        (struct client_info){.schedule = arena_strdup(a, c->schedule),
                             .file = arena_strdup(a, c->file),
                             .line = c->line,
                             .expect_fault = c->expect_fault};
}

int hunt_describe(void *arg, struct work *s) {
  const struct target *h = arg;
  struct rt_options o;
  settings_engine(h->settings, &o);
  int err = rt_open(h->so, &o, &s->error);
  if (err)
    return err;
  struct description *d = arena_alloc(&s->arena, sizeof *d);
  d->has_main = rt_has_main();
  for (struct fl_suite *f = rt_suites(); f; f = f->next)
    d->nsuites++;
  d->suites = arena_alloc(&s->arena, (d->nsuites + 1) * sizeof *d->suites);
  uint32_t i = 0;
  for (struct fl_suite *f = rt_suites(); f; f = f->next)
    describe(&d->suites[i++], f, &s->arena);
  describe_clients(d, &s->arena);
  s->answer = d;
  return ERR_NONE;
}
