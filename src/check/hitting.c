#include "check/hitting.h"

#include "base/map128.h"
#include "check/log_engine.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPS = 20000 };
#define MANY (UINT64_MAX - 1)

/*
 * A part of the history that everything before it precedes and that precedes
 * everything behind it; schedules are made of those of the parts.
 */
struct part {
  uint32_t first, len; /* operations */
};

/* Operations have the numbers in which they are inserted. */
struct family {
  const struct log_problem *p;
  uint32_t first, count, d;
  uint32_t *sequence; /* their indices in the problem */
  uint8_t *before;    /* count × count: a precedes b at [b * count + a] */
  uint8_t *of_thread; /* of the index, … */
  uint32_t alone;     /* no operation from here on is, … */
  uint16_t *tuple;    /* … whose operations these are; count: not inserted */
  uint32_t missing;   /* of the tuple */
  uint16_t *schedule;
  uint32_t len;
  bool settled;        /* all that is still to come has one place */
  struct map128 known; /* schedules at the time when that began */
  hitting_fn *each;
  void *ctx;
};

static inline bool before(const struct family *f, uint32_t a, uint32_t b) {
  return f->before[b * f->count + a];
}

/* ---- where an operation goes ---- */

static uint32_t place_of(const struct family *f, uint32_t op) {
  uint32_t at = 0;
  while (f->schedule[at] != op)
    at++;
  return at;
}

/*
 * As late as possible, but before those of the tuple that have index `from` or
 * a later one: in front of the first of them from which on all are concurrent.
 * Nothing that is in the schedule comes after the operation.
 */
static uint32_t place_late(const struct family *f, uint32_t op, uint32_t from) {
  uint32_t first = f->count;
  for (uint32_t i = f->d - 1; i-- > from;) {
    if (f->tuple[i] == f->count)
      continue;
    if (before(f, f->tuple[i], op))
      break;
    first = f->tuple[i];
  }
  return first == f->count ? f->len : place_of(f, first);
}

/* Just behind the last one that precedes it. */
static uint32_t place_early(const struct family *f, uint32_t op) {
  uint32_t at = f->len;
  while (at && !before(f, f->schedule[at - 1], op))
    at--;
  return at;
}

/* ---- all indices, with what their schedules have in common made once ---- */

static bool extend(struct family *f, uint32_t op);

static bool insert(struct family *f, uint32_t op, uint32_t place) {
  uint16_t *s = f->schedule;
  for (uint32_t i = f->len; i > place; i--)
    s[i] = s[i - 1];
  s[place] = (uint16_t)op;
  f->len++;
  bool on = extend(f, op + 1);
  f->len--;
  for (uint32_t i = place; i < f->len; i++)
    s[i] = s[i + 1];
  return on;
}

/* It fits there if it comes after none of those with a later index. */
static bool extend_in_tuple(struct family *f, uint32_t op) {
  for (uint32_t i = f->d - 1; i-- > 0;) {
    if (f->tuple[i] < f->count) {
      if (before(f, f->tuple[i], op))
        return true;
      continue;
    }
    uint32_t place = place_late(f, op, i + 1);
    f->tuple[i] = (uint16_t)op;
    f->missing--;
    bool on = insert(f, op, place);
    f->missing++;
    f->tuple[i] = (uint16_t)f->count;
    if (!on)
      return false;
  }
  return true;
}

/*
 * The places of what is still to come depend on the schedule alone, and it
 * keeps the order of what is there: different schedules stay different, and
 * one that was here before need not be gone on with.
 */
static bool settle(struct family *f, uint32_t op) {
  bool fresh;
  map128_put(&f->known, hash128(f->schedule, op * sizeof *f->schedule, 0),
             &fresh);
  if (!fresh)
    return f->each(f->ctx, NULL, 0);
  f->settled = true;
  bool on = extend(f, op);
  f->settled = false;
  return on;
}

static bool extend(struct family *f, uint32_t op) {
  if (!f->settled && !f->missing && op >= f->alone)
    return settle(f, op);
  if (op == f->count)
    return f->each(f->ctx, f->schedule, f->count);
  if (f->missing && !extend_in_tuple(f, op))
    return false;
  if (f->missing >= f->count - op)
    return true;
  return insert(f, op,
                f->of_thread[op] ? place_late(f, op, 0) : place_early(f, op));
}

/* ---- the order of insertion ---- */

static int by_process(const void *a, const void *b) {
  const struct type_op *const *x = a, *const *y = b;
  const struct log_op *p = (*x)->op, *q = (*y)->op;
  if (p->process != q->process)
    return p->process < q->process ? -1 : 1;
  return p->call < q->call ? -1 : p->call > q->call;
}

struct sorting {
  struct family *f;
  const struct type_op **by_process;
  bool *done; /* by operation of the part */
  uint32_t len;
};

static bool precedes(const struct log_problem *p, uint32_t a, uint32_t b) {
  return p->ops[a].op->ret < p->ops[b].op->call;
}

/* Behind all that precede it. */
static void sort_in(struct sorting *s, uint32_t op) {
  const struct family *f = s->f;
  if (s->done[op - f->first])
    return;
  for (uint32_t i = 0; i < f->count; i++) {
    uint32_t other = (uint32_t)(s->by_process[i] - f->p->ops);
    if (!s->done[other - f->first] && precedes(f->p, other, op))
      sort_in(s, other);
  }
  s->done[op - f->first] = true;
  f->sequence[s->len++] = op;
}

static void sort_ops(struct family *f) {
  struct sorting s = {.f = f};
  s.by_process = xcalloc(f->count + 1, sizeof(void *));
  s.done = xcalloc(f->count + 1, sizeof *s.done);
  for (uint32_t i = 0; i < f->count; i++)
    s.by_process[i] = &f->p->ops[f->first + i];
  qsort(s.by_process, f->count, sizeof(void *), by_process);
  for (uint32_t i = 0; i < f->count; i++)
    sort_in(&s, (uint32_t)(s.by_process[i] - f->p->ops));
  free(s.by_process);
  free(s.done);
}

static bool is_first_of_thread(const struct log_problem *p, uint32_t op) {
  for (uint32_t i = 0; i < op; i++)
    if (p->ops[i].op->process == p->ops[op].op->process)
      return false;
  return true;
}

static void family_open(struct family *f, uint32_t thread) {
  uint32_t n = f->count;
  f->sequence = xcalloc(n + 1, sizeof *f->sequence);
  f->before = xcalloc((size_t)n * n + 1, 1);
  f->of_thread = xcalloc(n + 1, 1);
  f->tuple = xcalloc(f->d, sizeof *f->tuple);
  f->schedule = xcalloc(n + 1, sizeof *f->schedule);
  sort_ops(f);
  for (uint32_t b = 0; b < n; b++) {
    f->of_thread[b] = f->p->ops[f->sequence[b]].op->process == thread;
    if (f->of_thread[b])
      f->alone = b + 1;
    for (uint32_t a = 0; a < n; a++)
      f->before[b * n + a] = precedes(f->p, f->sequence[a], f->sequence[b]);
  }
  for (uint32_t i = 0; i + 1 < f->d; i++)
    f->tuple[i] = (uint16_t)n;
}

static void family_close(struct family *f) {
  free(f->sequence);
  free(f->before);
  free(f->of_thread);
  free(f->tuple);
  free(f->schedule);
  map128_free(&f->known);
}

/* ---- whole schedules ---- */

struct local { /* distinct schedules of a part, one behind the other */
  VEC(uint16_t) at;
  uint32_t n;
};

struct whole {
  const struct log_problem *p;
  VEC(struct part) parts; /* with more than one operation */
  uint32_t singles;       /* parts with one */
  uint32_t d;
  struct local *locals; /* of the present thread: parts × d */
  struct local *making;
  const struct family *of;
  uint32_t repeated;
  uint16_t *schedule; /* singles stand in their places already */
  hitting_fn *each;
  void *ctx;
};

static bool keep_local(void *ctx, const uint16_t *s, uint32_t n) {
  struct whole *w = ctx;
  if (!s)
    return ++w->repeated % 1024 || w->each(w->ctx, NULL, 0);
  for (uint32_t i = 0; i < n; i++)
    vec_push(&w->making->at, (uint16_t)w->of->sequence[s[i]]);
  w->making->n++;
  return true;
}

/* All schedules of one part, for one thread and a tuple of d - 1. */
static bool make_local(struct whole *w, const struct part *part,
                       uint32_t thread, uint32_t d) {
  struct family f = {.p = w->p,
                     .first = part->first,
                     .count = part->len,
                     .d = d,
                     .missing = d - 1,
                     .each = keep_local,
                     .ctx = w};
  vec_clear(&w->making->at);
  w->making->n = 0;
  family_open(&f, thread);
  w->of = &f;
  bool on = extend(&f, 0);
  family_close(&f);
  return on;
}

static bool make_locals(struct whole *w, uint32_t thread) {
  for (uint32_t i = 0; i < w->parts.len; i++)
    for (uint32_t c = 0; c < w->d && c <= w->parts.at[i].len; c++) {
      w->making = &w->locals[i * w->d + c];
      if (!make_local(w, &w->parts.at[i], thread, c + 1))
        return false;
    }
  return true;
}

/*
 * The tuple's elements are in the order of the parts.  So each part takes some
 * of them, and all others go to parts of one operation, where they change
 * nothing.
 */
static bool put_together(struct whole *w, uint32_t i, uint32_t left) {
  if (i == w->parts.len)
    return left > w->singles || w->each(w->ctx, w->schedule, w->p->nops);
  const struct part *part = &w->parts.at[i];
  for (uint32_t c = 0; c <= left && c <= part->len; c++) {
    const struct local *l = &w->locals[i * w->d + c];
    for (uint32_t k = 0; k < l->n; k++) {
      memcpy(w->schedule + part->first, l->at.at + (size_t)k * part->len,
             part->len * sizeof *w->schedule);
      if (!put_together(w, i + 1, left - c))
        return false;
    }
  }
  return true;
}

static void split(struct whole *w) {
  const struct log_problem *p = w->p;
  uint32_t end = 0;
  struct part part = {0};
  for (uint32_t i = 0; i <= p->nops; i++) {
    if (i && (i == p->nops || p->ops[i].op->call > end)) {
      part.len = i - part.first;
      if (part.len > 1)
        vec_push(&w->parts, part);
      else
        w->singles++;
      part.first = i;
    }
    if (i < p->nops && p->ops[i].op->ret > end)
      end = p->ops[i].op->ret;
  }
}

void hitting_family(const struct log_problem *p, uint32_t d, hitting_fn *each,
                    void *ctx) {
  struct whole w = {.p = p, .d = d, .each = each, .ctx = ctx};
  split(&w);
  w.locals = xcalloc(w.parts.len * d + 1, sizeof *w.locals);
  w.schedule = xcalloc(p->nops + 1, sizeof *w.schedule);
  for (uint32_t i = 0; i < p->nops; i++)
    w.schedule[i] = (uint16_t)i;
  for (uint32_t i = 0; i < p->nops; i++) {
    if (!is_first_of_thread(p, i))
      continue;
    if (!make_locals(&w, p->ops[i].op->process) || !put_together(&w, 0, d - 1))
      break;
  }
  for (uint32_t i = 0; i < w.parts.len * d; i++)
    vec_free(&w.locals[i].at);
  free(w.locals);
  free(w.schedule);
  vec_free(&w.parts);
}

/* ---- looking for a witness ---- */

struct search {
  const struct log_problem *p;
  struct hitting *out;
  struct hitting_depth *depth;
  struct map128 known;
  struct meter meter;
  bool all;
  VEC(uint32_t) states, next;
};

/* Whether the type explains the schedule; a type that is not deterministic can
 * be in several states. */
static bool is_explained(struct search *s, const uint16_t *schedule,
                         uint32_t n) {
  struct type *t = s->p->type;
  vec_clear(&s->states);
  vec_push(&s->states, t->initial);
  for (uint32_t i = 0; i < n && s->states.len; i++) {
    vec_clear(&s->next);
    for (uint32_t k = 0; k < s->states.len; k++) {
      uint32_t to[TYPE_NEXT];
      uint32_t m = t->step(t, s->states.at[k], &s->p->ops[schedule[i]], to);
      for (uint32_t j = 0; j < m; j++) {
        uint32_t seen = 0;
        while (seen < s->next.len && s->next.at[seen] != to[j])
          seen++;
        if (seen == s->next.len)
          vec_push(&s->next, to[j]);
      }
      s->meter.steps++;
    }
    vec_clear(&s->states);
    for (uint32_t k = 0; k < s->next.len; k++)
      vec_push(&s->states, s->next.at[k]);
  }
  return s->states.len != 0;
}

static bool try_schedule(void *ctx, const uint16_t *schedule, uint32_t n) {
  struct search *s = ctx;
  bool fresh;
  if (++s->meter.steps && (!n || meter_is_due(&s->meter)) &&
      !meter_look(&s->meter, s->p->type, map128_bytes(&s->known)))
    return false;
  if (!schedule)
    return true;
  map128_put(&s->known, hash128(schedule, n * sizeof *schedule, 0), &fresh);
  if (!fresh)
    return true;
  s->depth->distinct++;
  if (s->depth->witness || !is_explained(s, schedule, n))
    return true;
  s->depth->witness = true;
  if (s->out->verdict != LOG_LINEARIZABLE) {
    s->out->verdict = LOG_LINEARIZABLE;
    s->out->depth = s->depth->d;
    for (uint32_t i = 0; i < n; i++)
      vec_push(&s->out->order, schedule[i]);
  }
  return s->all;
}

static uint64_t times(uint64_t a, uint64_t b) {
  return a && b > MANY / a ? MANY : a * b;
}

static uint64_t count_indices(const struct log_problem *p, uint32_t d) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < p->nops; i++)
    n += is_first_of_thread(p, i);
  for (uint32_t i = 0; i + 1 < d; i++)
    n = times(n, p->nops - i);
  return n;
}

/* One depth; false: it is the last one. */
static bool try_depth(struct search *s, uint32_t d) {
  struct hitting_depth depth = {.d = d, .indices = count_indices(s->p, d)};
  bool found = s->out->verdict == LOG_LINEARIZABLE;
  s->depth = &depth;
  map128_clear(&s->known);
  hitting_family(s->p, d, try_schedule, s);
  bool ended = s->out->verdict == LOG_LINEARIZABLE && !found && !s->all;
  depth.whole = !s->meter.limit && !ended;
  vec_push(&s->out->depths, depth);
  return depth.whole;
}

/* Pending operations need not take effect: those that returned alone. */
static bool leave_out_pending(const struct log_problem *p,
                              struct log_problem *out, uint32_t **index) {
  uint32_t n = 0;
  *out = *p;
  out->ops = xcalloc(p->nops + 1, sizeof *out->ops);
  *index = xcalloc(p->nops + 1, sizeof **index);
  for (uint32_t i = 0; i < p->nops; i++)
    if (!op_is_pending(&p->ops[i])) {
      (*index)[n] = i;
      out->ops[n++] = p->ops[i];
    }
  out->nops = n;
  return n != p->nops;
}

void check_hitting(const struct log_problem *p, uint32_t most, bool all,
                   const struct log_budget *b, struct hitting *out) {
  struct log_problem returned;
  uint32_t *index;
  *out = (struct hitting){.verdict = LOG_UNKNOWN};
  bool pending = leave_out_pending(p, &returned, &index);
  uint32_t n = returned.nops;
  struct search s = {.p = &returned, .out = out, .all = all};
  s.meter.budget = b;
  bool whole = true;
  uint32_t last = most && most < n ? most : n ? n : 1;
  if (n > MOST_OPS) {
    out->limit = "there are too many operations for hitting families";
    whole = false;
  }
  for (uint32_t d = 1; d <= last && whole; d++)
    whole = try_depth(&s, d);
  bool complete = whole && last >= n && !pending;
  if (out->verdict == LOG_UNKNOWN && complete && !p->type->cut)
    out->verdict = LOG_VIOLATION; /* T3 */
  else if (out->verdict == LOG_UNKNOWN && !out->limit)
    out->limit = s.meter.limit ? s.meter.limit
                 : pending && last >= n
                     ? "pending operations may have taken effect"
                 : complete ? "the specification has too many next states"
                            : "--depth";
  for (uint32_t i = 0; i < out->order.len; i++)
    out->order.at[i] = index[out->order.at[i]];
  out->steps = s.meter.steps;
  map128_free(&s.known);
  vec_free(&s.states);
  vec_free(&s.next);
  free(returned.ops);
  free(index);
}

void hitting_free(struct hitting *h) {
  vec_free(&h->order);
  vec_free(&h->depths);
}

struct hitting_shape hitting_shape(const struct log_problem *p) {
  struct hitting_shape s = {.ops = p->nops};
  for (uint32_t i = 0; i < p->nops; i++) {
    const struct log_op *a = p->ops[i].op;
    uint32_t open = 1; /* when i is called */
    s.threads += is_first_of_thread(p, i);
    for (uint32_t k = 0; k < i; k++)
      open += p->ops[k].op->ret > a->call;
    s.pairs += open - 1;
    if (open > s.level)
      s.level = open;
  }
  return s;
}
