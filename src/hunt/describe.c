/* Describes a loaded object to the parent, which never loads it. */
#include "hunt/describe.h"

#include "harness/parts.h"
#include "spec/reference.h"

#include <stdlib.h>
#include <string.h>

static bool is_known(const struct fl_suite *s) {
  return s->abi >= 1 && s->abi <= FL_ABI;
}

/* The tables of version 1 end before the memory model. */
static enum fl_memory_model model_of(const struct fl_suite *s) {
  return s->abi >= 2 ? s->memory_model : FL_MEMORY_MODEL_DEFAULT;
}

/* Those of version 2 end before the criterion. */
static enum fl_criterion criterion_of(const struct fl_suite *s) {
  return s->abi >= 3 ? s->criterion : FL_CRITERION_DEFAULT;
}

/* How many values a domain has; more than fit: UINT64_MAX. */
static uint64_t values_of(const struct fl_item *i) {
  if (i->kind == FL_ITEM_LIST || i->kind == FL_ITEM_STRING)
    return i->count;
  uint64_t n = (uint64_t)i->hi - (uint64_t)i->lo;
  return n == UINT64_MAX ? n : n + 1;
}

static void put_item_trouble(const struct fl_op *o, const struct fl_item *i,
                             struct buf *b) {
  bool data = i->kind == FL_ITEM_DATA;
  if ((data || i->kind == FL_ITEM_RANGE) && i->lo > i->hi)
    buf_printf(b, "FL_%s(%lld, %lld) of %s is empty", data ? "DATA" : "INT",
               i->lo, i->hi, o->name);
}

/* Of the largest domain. */
static uint64_t most_values(const struct fl_op *o) {
  uint64_t most = 0;
  for (unsigned i = 0; i < o->nitems; i++) {
    const struct fl_item *item = &o->items[i];
    if (parts_is_argument(item) && values_of(item) > most)
      most = values_of(item);
  }
  return most;
}

/* `file:line: ` in front. */
static void put_op_trouble(const struct fl_suite *s, const struct fl_op *o,
                           struct buf *out) {
  struct buf b = {0};
  char *parts = parts_trouble(o);
  buf_puts(&b, parts ? parts : "");
  free(parts);
  for (unsigned i = 0; i < o->nitems && !b.len; i++)
    put_item_trouble(o, &o->items[i], &b);
  for (struct fl_op *p = s->ops; p != o && !b.len; p = p->next)
    if (!strcmp(p->name, o->name))
      buf_printf(&b, "%s is declared twice (FL_OP)", o->name);
  if (b.len)
    buf_printf(out, "%s:%d: %s", o->file ? o->file : "?", o->line,
               buf_text(&b));
  buf_free(&b);
}

static bool has_op(const struct fl_suite *s, const char *name, uint32_t len) {
  for (const struct fl_op *o = s->ops; o; o = o->next)
    if (strlen(o->name) == len && !memcmp(o->name, name, len))
      return true;
  return false;
}

/* Of FL_ALWAYS and FL_PROGRESS. */
static void put_conditions_trouble(const struct fl_suite *s, struct buf *b) {
  const struct fl_always *a = s->abi >= 4 ? s->always : NULL;
  uint32_t len = 0;
  for (; a; a = a->next)
    for (const char *at = rt_next_name(a->operations, &len); at && !b->len;
         at = rt_next_name(at + len, &len))
      if (!has_op(s, at, len))
        buf_printf(b,
                   "%s: FL_ALWAYS(%s, …) names %.*s, which is no operation of "
                   "%s (FL_OP)",
                   s->file, a->name, (int)len, at, s->name);
  if (b->len || s->abi < 4 || !s->progress)
    return;
  bool counts = s->progress == FL_PROGRESS_wait_free;
  if ((unsigned)s->progress > FL_PROGRESS_wait_free)
    buf_printf(b, "%s:%d: %s has an unknown progress condition (%u)", s->file,
               s->progress_line, s->name, (unsigned)s->progress);
  else if (counts != (s->progress_steps != 0))
    buf_printf(b, "%s:%d: %s", s->file, s->progress_line,
               counts ? "FL_PROGRESS(wait_free, n) needs the number of steps "
                        "that an operation may take"
                      : "only FL_PROGRESS(wait_free, n) has a number of steps");
}

static const char *trouble_of(const struct fl_suite *s, struct arena *a) {
  struct buf b = {0};
  const char *file = s->file ? s->file : "?";
  if (!is_known(s))
    buf_printf(&b, "%s:%d: %s was made for another version of faultline.h",
               file, s->line, s->name ? s->name : "a suite");
  for (struct fl_op *o = s->ops; o && !b.len; o = o->next)
    put_op_trouble(s, o, &b);
  if (!b.len && !s->ops)
    buf_printf(&b, "%s:%d: %s has no operations (FL_OP)", file, s->line,
               s->name);
  if (!b.len && (unsigned)model_of(s) > FL_MEMORY_MODEL_c11)
    buf_printf(&b, "%s:%d: %s has an unknown memory model (%u)", file, s->line,
               s->name, (unsigned)model_of(s));
  if (!b.len && (unsigned)criterion_of(s) > FL_CRITERION_happens_before)
    buf_printf(&b, "%s:%d: %s has an unknown criterion (%u)", file, s->line,
               s->name, (unsigned)criterion_of(s));
  if (!b.len)
    put_conditions_trouble(s, &b);
  const char *text = b.len ? arena_strdup(a, buf_text(&b)) : NULL;
  buf_free(&b);
  return text;
}

/* Does anything of a call show in its history? */
static bool shows(const struct fl_op *o) {
  return spec_op_has(o, FL_ITEM_BLOCKING) || o->type != FL_TYPE_VOID;
}

static void describe_reference(struct op_info *to, const struct fl_suite *s,
                               uint32_t op, struct arena *a) {
  struct reference_function f;
  if (!spec_reference_function(s, op, &f))
    return;
  to->reference = arena_strdup(a, f.name);
  to->reference_entry = (uint64_t)(uintptr_t)f.function - rt_base();
  to->reference_params = f.nparams;
  to->reference_state = f.takes_state;
  to->reference_result = f.takes_result;
  free(f.name);
}

/* A line for each: what an entry in a file has behind the object. */
static const char *accepts_of(const struct fl_suite *s, struct arena *a) {
  struct buf b = {0};
  const struct fl_accept *at = s->abi >= 3 ? s->accepts : NULL;
  for (; at; at = at->next)
    for (unsigned i = 0; i < at->count; i++) {
      size_t begin = b.len;
      buf_printf(&b, "%d %s because %s", at->line, at->what[i], at->reason);
      for (size_t k = begin; k < b.len; k++)
        if (b.at[k] == '\n')
          b.at[k] = ' ';
      buf_putc(&b, '\n');
    }
  const char *text = b.len ? arena_strdup(a, buf_text(&b)) : NULL;
  buf_free(&b);
  return text;
}

static void describe_parameters(struct op_info *to, const struct fl_op *o) {
  to->nparams = parts_parameters(o, &to->pointers);
  for (uint32_t i = 0; i < to->nargs && i < 32; i++)
    if (parts_argument(o, i)->kind == FL_ITEM_STRING)
      to->texts |= 1u << i;
}

static void describe_texts(struct suite_info *to, const struct fl_suite *s,
                           struct arena *a) {
  const char **texts = parts_texts(s, &to->ntexts);
  to->texts = arena_alloc(a, (to->ntexts + 1) * sizeof *to->texts);
  for (uint32_t i = 0; i < to->ntexts; i++)
    to->texts[i] = arena_strdup(a, texts[i]);
  free(texts);
}

static void describe(struct suite_info *to, const struct fl_suite *s,
                     struct arena *a) {
  *to = (struct suite_info){.name = arena_strdup(a, s->name),
                            .file = arena_strdup(a, s->file),
                            .line = s->line,
                            .expect_fault = s->expect_fault,
                            .spec_line = s->spec_line,
                            .spec = s->spec ? arena_strdup(a, s->spec) : NULL};
  to->trouble = trouble_of(s, a);
  if (!is_known(s))
    return;
  to->memory_model = model_of(s);
  to->criterion = criterion_of(s);
  to->progress = s->abi >= 4 ? s->progress : FL_PROGRESS_NONE;
  to->accepts = accepts_of(s, a);
  to->is_judged =
      s->invariant != NULL || (s->abi >= 4 && (s->always || s->progress));
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
        .nargs = parts_arguments(o),
        .values = most_values(o),
        .type = o->type,
        .returns = parts_any(o) ? o->returns : o->type,
        .returned = parts_any(o) ? o->returned : o->size,
        .takes_object = s->create && !s->global,
    };
  i = 0;
  for (struct fl_op *o = s->ops; o; o = o->next)
    describe_parameters(&to->ops[i++], o);
  describe_texts(to, s, a);
  for (i = 0; i < to->nops && !to->trouble; i++)
    describe_reference(&to->ops[i], s, i, a);
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
