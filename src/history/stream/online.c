/*
 * Events of a stream that is searched: the frontier comes forward again from
 * the call of each operation that returns (online_int.h).
 */
#include "history/stream/online_int.h"

#include <assert.h>
#include <inttypes.h>

enum { MOST_ROWS = 1 << 18 };

struct online *online_new(struct type *t, const struct online_options *o) {
  struct online *n = xcalloc(1, sizeof *n);
  if (!o->whole && !strcmp(t->shape, "queue"))
    t = n->own = online_queue(t);
  n->type = t;
  n->options = *o;
  if (!n->options.window)
    n->options.window = ONLINE_WINDOW;
  if (!n->options.late)
    n->options.late = ONLINE_LATE;
  n->meter.budget = &n->options.budget;
  n->nothing = (struct log_problem){.log = &n->log, .type = t};
  n->engine = frontier_new(&n->nothing);
  n->engine->order = false;
  n->engine->cut = LOG_PENDING - 1; /* no stages of its own */
  n->engine->forget_at = UINT64_MAX;
  /* Only then do writes overwrite each other. */
  n->engine->one_key = t->by_key ? !o->whole : !strcmp(t->shape, "register");
  return n;
}

void online_free(struct online *o) {
  for (uint32_t i = 0; i < o->nbuckets; i++)
    while (o->buckets[i])
      part_free(o, o->buckets[i]);
  free(o->buckets);
  frontier_free(o->engine);
  for (uint32_t i = 0; i < o->spare.len; i++)
    stage_free(&o->spare.at[i]);
  vec_free(&o->spare);
  vec_free(&o->busy);
  free(o->places.slots);
  vec_free(&o->states);
  vec_free(&o->kept);
  log_free(&o->log);
  type_free(o->own);
  free(o->text);
  free(o);
}

uint64_t online_bytes(const struct online *o) {
  uint64_t spare = 0;
  for (uint32_t i = 0; i < o->spare.len; i++)
    spare += stage_bytes(&o->spare.at[i]);
  spare += o->places.size * sizeof *o->places.slots;
  return sizeof *o + o->held + spare + o->nbuckets * sizeof *o->buckets +
         frontier_bytes(o->engine) + type_bytes(o->type);
}

uint64_t online_steps(const struct online *o) { return o->meter.steps; }
uint32_t online_parts(const struct online *o) { return o->nparts; }

uint32_t online_watched(const struct online *o) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < o->nbuckets; i++)
    for (const struct online_part *p = o->buckets[i]; p; p = p->next)
      n += p->watch != NULL;
  return n;
}

/* States of online_queue.c hold times, which therefore cannot begin again. */
static bool is_too_long(const struct online *o, const struct online_part *p) {
  return o->own && p->time >= LOG_PENDING - 2;
}

static bool is_over(const struct online *o) {
  return o->violated || (o->limit && strcmp(o->limit, "window"));
}

bool online_advance(struct online *o, uint32_t until) {
  struct frontier *f = o->engine;
  f->until = until;
  f->decided = false;
  enum frontier_end end = frontier_run(f, &o->meter, UINT64_MAX);
  if (end == FRONTIER_LIMIT) {
    o->limit = o->meter.limit;
    return false;
  }
  return !(end == FRONTIER_DECIDED && f->violated);
}

static bool go_to_tip(struct online *o, struct online_part *p) {
  o->type->cut = p->tip_cut;
  frontier_swap(o->engine, &p->problem, &p->tip);
  bool good = online_advance(o, LOG_PENDING);
  frontier_swap(o->engine, &o->nothing, &p->tip);
  p->tip_cut = o->type->cut;
  return good;
}

void online_violated(struct online *o, uint32_t line, char *text) {
  o->violated = true;
  o->bad_event = o->events;
  o->bad_line = line;
  o->text = text;
}

/* `lookahead`: the tip goes on to the oldest open call. */
static void catch_up(struct online *o, struct online_part *p) {
  struct frontier *f = o->engine;
  uint32_t until = LOG_PENDING;
  for (uint32_t i = p->open.len; i-- > 0;)
    if (!p->open.at[i].lost)
      until = p->logged[p->open.at[i].op].call;
  if (p->tip.next_call < p->problem.nops &&
      p->logged[p->tip.next_call].call >= until)
    return;
  o->type->cut = p->tip_cut;
  frontier_swap(f, &p->problem, &p->tip);
  bool good = online_advance(o, until);
  p->tip_cut = o->type->cut;
  if (!good && !is_over(o)) {
    const struct log_op *op = f->now.slots.at[f->stuck].op->op;
    if (o->type->cut)
      o->limit = "next states";
    else
      online_violated(o, online_is_real(op) ? op->line : p->line,
                      online_explain_stuck(o, op));
  }
  frontier_swap(f, &o->nothing, &p->tip);
}

/* The result of the k-th open operation is known: the engine comes forward from
 * the stage before its call, and renews the later stages. */
static bool go_again(struct online *o, struct online_part *p, uint32_t k) {
  struct frontier *f = o->engine;
  struct frontier_stage at = stage_spare(o);
  bool good = true;
  /* States that were left out after this stage are tried again. */
  o->type->cut = p->open.at[k].cut;
  stage_copy(&at, &p->open.at[k].before);
  frontier_swap(f, &p->problem, &at);
  for (uint32_t i = k + 1; i < p->open.len && good; i++) {
    struct online_open *later = &p->open.at[i];
    if (!later->staged)
      continue;
    good = online_advance(o, p->logged[later->op].call);
    if (good)
      stage_copy(&later->before, &f->now);
    later->cut = o->type->cut;
  }
  good = good && online_advance(o, LOG_PENDING);
  frontier_swap(f, &o->nothing, &at); /* the new tip */
  stage_recycle(o, &p->tip);
  p->tip = at;
  p->tip_cut = o->type->cut;
  return good;
}

static struct online_busy *busy_of(struct online *o, uint32_t process) {
  uint32_t k = value_map_get(&o->places, datum_number(process));
  return k == WATCH_NONE ? NULL : &o->busy.at[k];
}

static void enter(struct online *o, uint32_t process, struct online_part *p) {
  value_map_put(&o->places, datum_number(process), o->busy.len);
  vec_push(&o->busy, ((struct online_busy){process, p}));
}

static uint32_t open_of(const struct online_part *p, uint32_t process) {
  uint32_t i = 0;
  while (p->open.at[i].process != process)
    i++;
  return i;
}

/* Forgets answers of the type about states that do not come again. */
static void forget_rows(struct frontier *f) {
  if (rows_bytes(&f->rows) < MOST_ROWS)
    return;
  rows_free(&f->rows);
  f->rows = (struct frontier_rows){0};
  rows_clear(f);
}

/* The end of an event: the part may be freed. */
static void end_event(struct online *o, struct online_part *p) {
  if (is_over(o))
    return;
  if (!p->watch && is_too_long(o, p))
    o->limit = "length";
  part_tidy(o, p);
  online_forget(o);
  forget_rows(o->engine);
  if (o->options.budget.memory && online_bytes(o) > o->options.budget.memory)
    o->limit = "memory";
}

static void close_open(struct online *o, struct online_part *p, uint32_t k) {
  struct online_open *x = &p->open.at[k];
  if (x->staged)
    stage_recycle(o, &x->before);
  for (uint32_t i = k + 1; i < p->open.len; i++)
    p->open.at[i - 1] = p->open.at[i];
  p->open.len--;
}

static void leave(struct online *o, struct online_busy *b) {
  struct online_busy last = vec_pop(&o->busy);
  value_map_drop(&o->places, datum_number(b->process));
  if (b == &o->busy.at[o->busy.len])
    return;
  *b = last;
  value_map_put(&o->places, datum_number(last.process),
                (uint32_t)(b - o->busy.at));
}

/* Gives up operations that are open for too long: only for them are operations
 * after the first stage kept. */
static void give_up(struct online *o, struct online_part *p) {
  for (uint32_t i = 0; i < p->open.len; i++) {
    struct online_open *x = &p->open.at[i];
    if (x->lost)
      continue;
    if (p->problem.nops - x->op <= o->options.window)
      return;
    x->lost = true;
    if (x->staged)
      stage_recycle(o, &x->before);
    x->staged = false;
  }
}

static int refuse_whole(const struct online *o, const struct log_event *ev,
                        struct error *e) {
  return error_set(e, ERR_INPUT,
                   "%.*s concerns all keys of a %s, but keys are checked one "
                   "by one: use --no-partition",
                   (int)ev->flen, ev->f, o->type->name);
}

static int add_call(struct online *o, const struct log_event *ev,
                    struct error *e) {
  if (busy_of(o, ev->process))
    return error_set(e, ERR_INPUT,
                     "process %" PRIu32 " calls %.*s before its last operation "
                     "has returned",
                     ev->process, (int)ev->flen, ev->f);
  if (ev->order != LOG_NO_HINT)
    return error_set(e, ERR_INPUT,
                     "a given order of operations cannot be used here, since "
                     "it concerns operations that are called later");
  struct log_op op = {.ret = LOG_PENDING,
                      .process = ev->process,
                      .nargs = ev->nargs,
                      .arg = {DATUM_NONE, DATUM_NONE, DATUM_NONE},
                      .result = DATUM_NONE,
                      .order = LOG_NO_HINT};
  struct type_op t;
  op.f = log_function(&o->log, ev->f, ev->flen);
  for (uint32_t i = 0; i < LOG_ARGS && i < ev->nargs; i++)
    op.arg[i] = ev->arg[i];
  int err = o->type->prepare(o->type, &o->log, &op, &t, e);
  if (err)
    return err;
  bool split = o->type->by_key && !o->options.whole;
  if (split && t.key == DATUM_NONE)
    return refuse_whole(o, ev, e);
  o->events++;
  struct online_part *p = part_find(o, split ? t.key : DATUM_NONE);
  if (!p)
    p = part_new(o, split ? t.key : DATUM_NONE);
  if (p->watch && online_watch_call(o, p, ev->process, &op, &t)) {
    enter(o, ev->process, p);
    end_event(o, p);
    return ERR_NONE;
  }
  if (is_over(o)) /* on the way from the watch to search */
    return ERR_NONE;
  struct online_open x = {
      .process = ev->process, .op = p->problem.nops, .cut = p->tip_cut};
  if (!o->options.lookahead) {
    x.staged = true;
    x.before = stage_spare(o);
    stage_copy(&x.before, &p->tip);
  }
  op.call = p->time++;
  vec_push(&p->open, x);
  part_add_op(p, &op, &t);
  enter(o, ev->process, p);
  if (!o->options.lookahead)
    go_to_tip(o, p); /* a call cannot be wrong */
  give_up(o, p);
  if (o->options.lookahead)
    catch_up(o, p);
  end_event(o, p);
  return ERR_NONE;
}

static void cannot_return(struct online *o, struct online_part *p, uint32_t k,
                          uint32_t line) {
  if (o->limit && strcmp(o->limit, "window"))
    return; /* the budget ended meanwhile */
  if (o->type->cut)
    o->limit = "next states";
  else
    online_violated(o, line, online_explain(o, p, &p->open.at[k]));
}

static int returns(struct online *o, struct online_part *p, uint32_t k,
                   const struct log_event *ev, struct error *e) {
  struct online_open *x = &p->open.at[k];
  struct log_op op = p->logged[x->op];
  struct type_op t;
  op.ret = p->time;
  op.result = ev->result;
  op.failed = ev->kind == LOG_FAIL;
  op.line = ev->line;
  op.column = ev->column;
  int err = o->type->prepare(o->type, &o->log, &op, &t, e);
  if (err)
    return err;
  if (x->lost) {
    o->limit = "window";
    return ERR_NONE;
  }
  p->time++;
  p->logged[x->op] = op;
  t.op = &p->logged[x->op];
  p->problem.ops[x->op] = t;
  if (!o->options.lookahead && !go_again(o, p, k))
    cannot_return(o, p, k, ev->line);
  return ERR_NONE;
}

/* The operation took no effect: it becomes one that does nothing
 * (op_is_idle). */
static void drop(struct online *o, struct online_part *p, uint32_t k,
                 uint32_t line) {
  struct online_open *x = &p->open.at[k];
  if (x->lost)
    o->limit = "window";
  else {
    p->problem.ops[x->op].only_reads = true;
    if (!o->options.lookahead && !go_again(o, p, k))
      cannot_return(o, p, k, line);
  }
}

static int add_end(struct online *o, const struct log_event *ev,
                   struct error *e) {
  struct online_busy *b = busy_of(o, ev->process);
  if (!b)
    return error_set(e, ERR_INPUT,
                     "process %" PRIu32 " returns, but has called nothing",
                     ev->process);
  struct online_part *p = b->part;
  int err = ERR_NONE;
  o->events++;
  p->line = ev->line;
  if (p->watch && online_watch_end(o, p, ev, &err, e)) {
    if (err) {
      o->events--;
      return err;
    }
    leave(o, b);
    end_event(o, p);
    return ERR_NONE;
  }
  if (is_over(o))
    return ERR_NONE;
  uint32_t k = open_of(p, ev->process);
  if (ev->kind == LOG_DROP)
    drop(o, p, k, ev->line);
  else if (ev->kind != LOG_INFO)
    err = returns(o, p, k, ev, e);
  if (err) {
    o->events--;
    return err;
  }
  leave(o, b);
  close_open(o, p, k);
  if (o->options.lookahead)
    catch_up(o, p);
  end_event(o, p);
  return ERR_NONE;
}

int online_add(struct online *o, const struct log_event *ev, struct error *e) {
  assert(ev->kind != LOG_NOTE && ev->kind != LOG_HEAD);
  if (is_over(o)) {
    o->events++;
    return ERR_NONE;
  }
  return ev->kind == LOG_CALL ? add_call(o, ev, e) : add_end(o, ev, e);
}

void online_end(struct online *o) {
  for (uint32_t i = 0; i < o->nbuckets && o->options.lookahead; i++)
    for (struct online_part *p = o->buckets[i]; p && !is_over(o); p = p->next) {
      if (p->watch)
        continue;
      for (uint32_t k = 0; k < p->open.len; k++)
        p->open.at[k].lost = true;
      catch_up(o, p);
    }
}

struct online_answer online_answer(const struct online *o) {
  if (o->violated)
    return (struct online_answer){.verdict = LOG_VIOLATION,
                                  .event = o->bad_event,
                                  .line = o->bad_line,
                                  .text = o->text};
  return (struct online_answer){
      .verdict = o->limit ? LOG_UNKNOWN : LOG_LINEARIZABLE, .limit = o->limit};
}
