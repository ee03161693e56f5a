/* Parts that are watched (watch.h), and the change to search when a watch
 * cannot go on. */
#include "history/stream/online_int.h"

#include <assert.h>
#include <stdlib.h>

static void count_step(struct online *o) {
  const struct log_budget *b = &o->options.budget;
  o->meter.steps++;
  if (b->steps && o->meter.steps > b->steps && !o->limit)
    o->limit = "steps";
}

/* Gives up operations that are open for too long and make the watch remember
 * others.  The search for them comes once in as many events as are open. */
static void give_up(const struct online *o, struct watch *w) {
  if (w->now < w->look_at)
    return;
  w->look_at = w->now + w->open.len;
  for (uint32_t i = 0; i < w->open.len; i++) {
    struct watch_op *x = &w->open.at[i];
    if (x->lost || w->now - x->call <= 2 * (uint64_t)o->options.window)
      continue;
    x->lost = w->kind->gives_up(w, x);
  }
}

/* ---- from the watch to search ---- */

struct past_moment {
  uint64_t time;
  uint32_t op;
  bool ret;
};

static int by_moment(const void *x, const void *y) {
  const struct past_moment *a = x, *b = y;
  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  assert(a == b);
  return 0;
}

static int by_call(const void *x, const void *y) {
  const struct watch_past_op *a = x, *b = y;
  return a->op.call < b->op.call ? -1 : a->op.call > b->op.call;
}

/* Times become the numbers from 0 on; returns how many there are. */
static uint32_t number_times(struct watch_past *p) {
  uint32_t n = 0;
  struct past_moment *at = xmalloc((2ull * p->ops.len + 1) * sizeof *at);
  for (uint32_t i = 0; i < p->ops.len; i++) {
    at[n++] = (struct past_moment){p->ops.at[i].call, i, false};
    if (p->ops.at[i].ret != WATCH_NEVER)
      at[n++] = (struct past_moment){p->ops.at[i].ret, i, true};
    p->ops.at[i].op.ret = LOG_PENDING;
  }
  qsort(at, n, sizeof *at, by_moment);
  for (uint32_t i = 0; i < n; i++) {
    struct log_op *op = &p->ops.at[at[i].op].op;
    *(at[i].ret ? &op->ret : &op->call) = i;
  }
  free(at);
  if (n)
    qsort(p->ops.at, p->ops.len, sizeof *p->ops.at, by_call);
  return n;
}

static void add_open(struct watch_past *p, const struct watch_op *x) {
  struct watch_past_op y = {
      .op = x->op, .t = x->t, .call = x->call * PAST_SCALE, .ret = WATCH_NEVER};
  vec_push(&p->ops, y);
}

static const struct watch_op *find_open(const struct watch *w,
                                        const struct watch_past_op *x) {
  for (uint32_t i = 0; i < w->open.len; i++)
    if (w->open.at[i].call * PAST_SCALE == x->call)
      return &w->open.at[i];
  return NULL;
}

/* The engine goes through the past and leaves a stage before each open call. */
static void go_through(struct online *o, struct online_part *p) {
  struct frontier *f = o->engine;
  bool good = true;
  o->type->cut = false;
  frontier_swap(f, &p->problem, &p->tip);
  for (uint32_t i = 0; i < p->open.len && good; i++) {
    struct online_open *x = &p->open.at[i];
    if (x->lost)
      continue;
    good = online_advance(o, p->logged[x->op].call);
    x->staged = good;
    x->cut = o->type->cut;
    if (good) {
      x->before = stage_spare(o);
      stage_copy(&x->before, &f->now);
    }
  }
  good = good && online_advance(o, LOG_PENDING);
  frontier_swap(f, &o->nothing, &p->tip);
  p->tip_cut = o->type->cut;
  assert(good || o->limit || o->type->cut); /* the watch said so */
  if (!good && !o->limit)
    o->limit = "next states";
}

void online_unwatch(struct online *o, struct online_part *p) {
  struct watch *w = p->watch;
  struct watch_past past = {.end = (w->now + 1) * PAST_SCALE};
  if (!w->kind->past(w, &past))
    o->limit = "window";
  for (uint32_t i = 0; i < w->open.len; i++)
    add_open(&past, &w->open.at[i]);
  p->watch = NULL;
  p->time = number_times(&past);
  stage_init(&p->tip, o->type->initial);
  for (uint32_t i = 0; i < past.ops.len; i++) {
    const struct watch_past_op *x = &past.ops.at[i];
    const struct watch_op *open = find_open(w, x);
    if (open) {
      struct online_open y = {
          .process = open->process, .op = p->problem.nops, .lost = open->lost};
      vec_push(&p->open, y);
    }
    part_add_op(p, &x->op, &x->t);
  }
  vec_free(&past.ops);
  watch_free(w);
  if (!o->options.lookahead)
    go_through(o, p);
}

/* ---- events ---- */

bool online_watch_call(struct online *o, struct online_part *p,
                       uint32_t process, const struct log_op *op,
                       const struct type_op *t) {
  struct watch *w = p->watch;
  struct watch_op x = {
      .process = process, .call = w->now + 1, .op = *op, .t = *t};
  w->now++;
  if (w->kind->called(w, &x) == WATCH_CANNOT) {
    w->now--;
    online_unwatch(o, p);
    return false;
  }
  watch_open(w, x);
  count_step(o);
  give_up(o, w);
  return true;
}

static char *explain(const struct online *o, struct watch *w,
                     const struct log_op *op) {
  struct buf b = {0};
  log_print_op(&o->log, op, &b);
  buf_printf(&b,
             " by process %u: no order of the operations so far explains it; "
             "%s",
             op->process, buf_text(&w->why));
  char *text = xstrdup(buf_text(&b));
  buf_free(&b);
  return text;
}

static enum watch_end end_watched(struct online *o, struct watch *w,
                                  struct watch_op *x, struct log_op *op,
                                  const struct log_event *ev, struct type_op *t,
                                  int *err, struct error *e) {
  if (ev->kind == LOG_INFO) {
    w->kind->crashed(w, x);
    return WATCH_GOOD;
  }
  if (ev->kind == LOG_DROP && !x->lost)
    return w->kind->dropped(w, x);
  op->ret = op->call + 1;
  op->result = ev->result;
  op->failed = ev->kind == LOG_FAIL;
  op->line = ev->line;
  if (ev->kind != LOG_DROP)
    *err = o->type->prepare(o->type, &o->log, op, t, e);
  if (*err)
    return WATCH_BAD;
  if (x->lost) {
    o->limit = "window";
    w->kind->crashed(w, x);
    return WATCH_GOOD;
  }
  t->op = op;
  return w->kind->returned(w, x, t);
}

bool online_watch_end(struct online *o, struct online_part *p,
                      const struct log_event *ev, int *err, struct error *e) {
  struct watch *w = p->watch;
  uint32_t k = value_map_get(&w->processes, datum_number(ev->process));
  struct watch_op *x = &w->open.at[k];
  struct log_op op = x->op;
  struct type_op t;
  *err = ERR_NONE;
  w->now++;
  enum watch_end end = end_watched(o, w, x, &op, ev, &t, err, e);
  if (*err || end == WATCH_CANNOT)
    w->now--;
  if (*err)
    return true;
  if (end == WATCH_CANNOT) {
    online_unwatch(o, p);
    return false;
  }
  count_step(o);
  if (end == WATCH_TIRED)
    o->limit = "steps";
  if (end == WATCH_BAD)
    online_violated(o, ev->line, explain(o, w, &op));
  watch_close(w, k);
  return true;
}
