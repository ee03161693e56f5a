/*
 * From events to a log.  Each process has one entry in a table, with its open
 * call.  Operations are stored at their call, so they are sorted by it (L1);
 * those that were dropped are taken out at the end.
 */
#include "model/log.h"

#include "base/table.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
  CLOSED = UINT32_MAX,
  FUNCTIONS_MAX = 4096,
};

/* A process. */
struct caller {
  uint32_t process;
  bool used, crashed; /* crashed: its last operation never returns */
  uint32_t op;        /* the open one; CLOSED */
};

static bool callers_is_free(const struct caller *s) { return !s->used; }
static bool callers_has(void *ctx, const struct caller *s, uint32_t process) {
  (void)ctx;
  return s->process == process;
}
static uint32_t callers_hash(void *ctx, uint32_t process) {
  (void)ctx;
  return (process * 2654435769u) >> 7;
}
static uint32_t callers_rehash(void *ctx, const struct caller *s) {
  return callers_hash(ctx, s->process);
}
TABLE(callers, struct caller, uint32_t, 2)

struct log_callers {
  struct callers callers;
  bool dropped;            /* some operation has to be taken out */
  bool hints;              /* some operation has one */
  VEC(uint16_t) functions; /* by number of a name, plus one; 0: new */
};

static struct caller *caller_of(struct log_callers *t, uint32_t process) {
  struct caller *c = callers_put(&t->callers, NULL, process);
  if (!c->used) {
    *c = (struct caller){.process = process, .used = true, .op = CLOSED};
    t->callers.len++;
  }
  return c;
}

void log_begin(struct log_builder *b, struct log *l) {
  *l = (struct log){.type_argument = DATUM_NONE, .index = 1};
  b->log = l;
  b->open = xcalloc(1, sizeof(struct log_callers));
}

static char *copied(struct log *l, const char *text, size_t len) {
  char *copy = arena_alloc(&l->arena, len + 1);
  memcpy(copy, text, len);
  return copy;
}

static uint16_t function_of(struct log_builder *b, const struct log_event *ev) {
  struct log_callers *t = b->open;
  if (!ev->name)
    return log_function(b->log, ev->f, ev->flen);
  while (t->functions.len < ev->name)
    vec_push(&t->functions, 0);
  uint16_t *f = &t->functions.at[ev->name - 1];
  if (!*f)
    *f = (uint16_t)(log_function(b->log, ev->f, ev->flen) + 1);
  return (uint16_t)(*f - 1);
}

static int add_call(struct log_builder *b, const struct log_event *ev,
                    struct error *e) {
  struct log *l = b->log;
  struct caller *p = caller_of(b->open, ev->process);
  if (p->op != CLOSED)
    return error_set(
        e, ERR_INPUT,
        "process %" PRIu32 " calls %.*s before its %s has returned",
        ev->process, (int)ev->flen, ev->f, l->functions.at[l->ops.at[p->op].f]);
  if (p->crashed)
    return error_set(e, ERR_INPUT,
                     "process %" PRIu32 " calls %.*s, but its last operation "
                     "never returned: it needs a new number",
                     ev->process, (int)ev->flen, ev->f);
  uint16_t f = function_of(b, ev);
  if (f >= FUNCTIONS_MAX)
    return error_set(e, ERR_INPUT, "more than %d different operations",
                     FUNCTIONS_MAX);
  ((struct log_callers *)b->open)->hints |= ev->order != LOG_NO_HINT;
  p->op = l->ops.len;
  vec_reserve(&l->ops, l->ops.len + 1);
  struct log_op *op = &l->ops.at[l->ops.len++];
  op->call = l->end++;
  op->ret = LOG_PENDING;
  op->process = ev->process;
  op->line = ev->line;
  op->f = f;
  op->nargs = ev->nargs;
  op->failed = 0;
  op->pairs = ev->pair ? LOG_PAIR_GIVEN : 0;
  op->alone = ev->alone;
  op->column = ev->column;
  for (uint32_t i = 0; i < LOG_ARGS; i++)
    op->arg[i] = i < ev->nargs ? ev->arg[i] : DATUM_NONE;
  op->result = DATUM_NONE;
  op->order = ev->order;
  return ERR_NONE;
}

static int no_call(const struct log_event *ev, struct error *e) {
  return error_set(e, ERR_INPUT,
                   "process %" PRIu32 " returns, but has called nothing",
                   ev->process);
}

static int add_end(struct log_builder *b, const struct log_event *ev,
                   struct error *e) {
  struct log_callers *t = b->open;
  struct caller *p = caller_of(t, ev->process);
  if (p->op == CLOSED)
    return no_call(ev, e);
  struct log_op *op = &b->log->ops.at[p->op];
  if (ev->kind == LOG_DROP) {
    op->call = op->ret; /* compact() takes it out (L3) */
    t->dropped = true;
  } else if (ev->kind == LOG_INFO) {
    p->crashed = true;
  } else {
    op->ret = b->log->end++;
    op->result = ev->result;
    op->failed = ev->kind == LOG_FAIL;
    if (ev->pair && op->pairs)
      op->pairs |= LOG_PAIR_RETURNED;
  }
  if (ev->order != LOG_NO_HINT) {
    op->order = ev->order;
    t->hints = true;
  }
  p->op = CLOSED;
  return ERR_NONE;
}

/* The part of "start-partition n1" that a "stop-partition" has in common with
 * it; NULL: the text does not begin with `verb`. */
static const char *fault(const char *text, const char *verb, size_t *len) {
  size_t n = strlen(verb);
  if (strncmp(text, verb, n) || (text[n] && text[n] != ' ' && text[n] != '-'))
    return NULL;
  *len = strcspn(text + n, " ");
  return text + n;
}

static struct log_note *begun(struct log *l, const char *what, size_t len) {
  uint32_t least = l->notes.len > 64 ? l->notes.len - 64 : 0;
  for (uint32_t i = l->notes.len; i-- > least;) {
    size_t n = 0;
    const char *other = fault(l->notes.at[i].text, "start", &n);
    if (other && n == len && !memcmp(other, what, len))
      return &l->notes.at[i];
  }
  return NULL;
}

/*
 * A fault lasts from its "start" to its "stop".  Jepsen writes both twice, when
 * it is asked for and when it is done: the first start and the last stop count,
 * and the text of the second start, which says more.
 */
static void add_note(struct log *l, const struct log_event *ev) {
  const char *text = copied(l, ev->text, ev->tlen);
  uint32_t time = l->end++;
  size_t n = 0;
  const char *what = fault(text, "start", &n);
  struct log_note *same = what ? begun(l, what, n) : NULL;
  if (same && same->to == LOG_PENDING) {
    same->text = text;
    return;
  }
  const char *ends = fault(text, "stop", &n);
  same = ends ? begun(l, ends, n) : NULL;
  if (same)
    same->to = time;
  else
    vec_push(&l->notes,
             ((struct log_note){time, what ? LOG_PENDING : time, text}));
}

static int add_head(struct log *l, const struct log_event *ev,
                    struct error *e) {
  if (l->ops.len || l->type)
    return error_set(e, ERR_INPUT, "a history begins inside another");
  if (ev->text)
    l->type = copied(l, ev->text, ev->tlen);
  l->type_argument = ev->type_argument;
  if (datum_kind(ev->object) == DATUM_IS_TEXT)
    l->object =
        copied(l, datum_box(ev->object)->text, datum_box(ev->object)->len);
  l->stuck = ev->stuck;
  l->type_line = ev->line;
  l->type_column = ev->column;
  return ERR_NONE;
}

int log_add(struct log_builder *b, const struct log_event *ev,
            struct error *e) {
  if (b->log->end >= LOG_PENDING - 1)
    return error_set(e, ERR_INPUT, "more than %u events", LOG_PENDING - 1);
  switch (ev->kind) {
  case LOG_CALL:
    return add_call(b, ev, e);
  case LOG_OK:
  case LOG_FAIL:
  case LOG_DROP:
  case LOG_INFO:
    return add_end(b, ev, e);
  case LOG_NOTE:
    add_note(b->log, ev);
    return ERR_NONE;
  case LOG_HEAD:
    return add_head(b->log, ev, e);
  }
  assert(!"a kind of event");
  return ERR_NONE;
}

static void compact(struct log *l) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->ops.len; i++)
    if (l->ops.at[i].call != LOG_PENDING)
      l->ops.at[n++] = l->ops.at[i];
  l->ops.len = n;
}

void log_forget(struct log_builder *b, uint32_t time) {
  struct log *l = b->log;
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->ops.len; i++) {
    const struct log_op *op = &l->ops.at[i];
    if (op->call == LOG_PENDING || op->ret < time)
      continue;
    struct caller *p = caller_of(b->open, op->process);
    if (p->op == i)
      p->op = n;
    l->ops.at[n++] = *op;
  }
  l->ops.len = n;
}

int log_end(struct log_builder *b, struct error *e) {
  (void)e; /* all that can be wrong was found by log_add */
  struct log_callers *t = b->open;
  b->log->nprocesses = t->callers.len;
  b->log->no_hints = !t->hints;
  if (t->dropped)
    compact(b->log);
  free(t->callers.slots);
  vec_free(&t->functions);
  free(t);
  b->open = NULL;
  return ERR_NONE;
}
