/* Makes the schedules of hitting families (hitting.h). */
#include "history/hitting/hitting_int.h"

#include <stdlib.h>
#include <string.h>

/* The family of one part.  Operations are numbered in the order in which they
 * are inserted. */
struct part_family {
  const struct log_problem *p;
  uint32_t first, count, d;
  uint32_t *sequence;   /* their indices in the problem */
  uint32_t *call, *ret; /* their times */
  uint32_t *calls; /* count + 1 rows of d - 1: the earliest calls from there on,
                      ascending; UINT32_MAX: there are no more */
  uint8_t *of_thread; /* by operation: it belongs to the thread of the index */
  uint32_t alone;     /* no operation from here on belongs to that thread */
  uint16_t *tuple;    /* the operations of the index; count: not inserted yet */
  uint32_t missing;   /* how many of the tuple are not inserted yet */
  uint16_t *rows;     /* d schedules of count operations, by `missing` */
  struct map128 *known; /* schedules whose rest is determined */
  hitting_fn *each;
  void *ctx;
};

static inline bool before(const struct part_family *f, uint32_t a, uint32_t b) {
  return f->ret[a] < f->call[b];
}

/* ---- where an operation goes ---- */

/*
 * In these functions the schedule has all operations with smaller numbers than
 * `op`, and none of them must come after `op`.
 */

/* As late as possible, but before `first`; count: at the end. */
static inline void put_before(const struct part_family *f, uint16_t *s,
                              uint32_t op, uint32_t first) {
  uint32_t at = op;
  if (first != f->count)
    do {
      at--;
      s[at + 1] = s[at];
    } while (s[at] != first);
  s[at] = (uint16_t)op;
}

/* As late as possible, but before the elements of the tuple that are concurrent
 * with it: before the first one from which on all are. */
static inline void put_late(const struct part_family *f, uint16_t *s,
                            uint32_t op) {
  uint32_t first = f->count;
  for (uint32_t i = f->d - 1; i-- > 0;) {
    if (f->tuple[i] == f->count)
      continue;
    if (before(f, f->tuple[i], op))
      break;
    first = f->tuple[i];
  }
  put_before(f, s, op, first);
}

/* Just after the last operation that precedes it. */
static inline void put_early(const struct part_family *f, uint16_t *s,
                             uint32_t op) {
  uint32_t at = op, call = f->call[op];
  for (; at && f->ret[s[at - 1]] >= call; at--)
    s[at] = s[at - 1];
  s[at] = (uint16_t)op;
}

static inline void put_other(const struct part_family *f, uint16_t *s,
                             uint32_t op) {
  if (f->of_thread[op])
    put_late(f, s, op);
  else
    put_early(f, s, op);
}

/* ---- all indices; common beginnings of schedules are made once ---- */

static inline uint16_t *row(const struct part_family *f, uint32_t missing) {
  return f->rows + (size_t)missing * f->count;
}

/*
 * The tuple is complete: every operation from `op` on has one place.  From
 * `alone` on that place depends on the schedule only, and the order of what is
 * there stays.  So different schedules stay different, and one that was there
 * before need not be continued.
 */
static bool finish(struct part_family *f, uint32_t op) {
  uint16_t *s = row(f, 0);
  bool fresh;
  for (; op < f->alone; op++)
    put_other(f, s, op);
  map128_put(f->known, hash128(s, op * sizeof *s, 0), &fresh);
  if (!fresh)
    return f->each(f->ctx, NULL, 0);
  for (; op < f->count; op++)
    put_early(f, s, op);
  return f->each(f->ctx, s, f->count);
}

/*
 * Whether the operations from `op` on can fill the tuple.  An operation of the
 * tuple must have been called before those with a later index returned.  So one
 * must fit the first gap, two the second, and so on: then these, in the order
 * of their calls, fill it.
 */
static inline bool can_be_filled(const struct part_family *f, uint32_t op) {
  const uint32_t *calls = f->calls + (size_t)op * (f->d - 1);
  uint32_t bound = UINT32_MAX, left = f->missing;
  for (uint32_t i = f->d - 1; left;) {
    uint32_t t = f->tuple[--i];
    if (t == f->count) {
      if (calls[--left] >= bound)
        return false;
    } else if (f->ret[t] < bound) {
      bound = f->ret[t];
    }
  }
  return true;
}

static bool extend(struct part_family *f, uint32_t op);

/* The operation becomes element i of the tuple, before the later elements. */
static inline bool put_in_tuple(struct part_family *f, uint32_t op, uint32_t i,
                                uint32_t first) {
  const uint16_t *from = row(f, f->missing--);
  uint16_t *s = row(f, f->missing);
  memcpy(s, from, op * sizeof *s);
  put_before(f, s, op, first);
  f->tuple[i] = (uint16_t)op;
  bool on = f->missing ? extend(f, op + 1) : finish(f, op + 1);
  f->tuple[i] = (uint16_t)f->count;
  f->missing++;
  return on;
}

/* Some elements of the tuple are missing: tries each operation from `op` on as
 * each element that it can be, and as none. */
static bool extend(struct part_family *f, uint32_t op) {
  for (; can_be_filled(f, op); op++) {
    uint32_t first = f->count;
    for (uint32_t i = f->d - 1; i-- > 0;) {
      if (f->tuple[i] == f->count) {
        if (!put_in_tuple(f, op, i, first))
          return false;
      } else if (before(f, f->tuple[i], op)) {
        break;
      } else {
        first = f->tuple[i];
      }
    }
    put_other(f, row(f, f->missing), op);
  }
  return true;
}

/* ---- the order of insertion ---- */

static int by_process(const void *a, const void *b) {
  const struct type_op *const *x = a, *const *y = b;
  const struct log_op *p = (*x)->op, *q = (*y)->op;
  if (p->process != q->process)
    return p->process < q->process ? -1 : 1;
  return p->call < q->call ? -1 : p->call > q->call;
}

struct family_sorting {
  struct part_family *f;
  const struct type_op **by_process;
  bool *done; /* by operation of the part */
  uint32_t len;
};

static bool precedes(const struct log_problem *p, uint32_t a, uint32_t b) {
  return p->ops[a].op->ret < p->ops[b].op->call;
}

/* Adds the operation after all that precede it. */
static void sort_in(struct family_sorting *s, uint32_t op) {
  const struct part_family *f = s->f;
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

static void sort_ops(struct part_family *f) {
  struct family_sorting s = {.f = f};
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

static void find_calls(struct part_family *f) {
  uint32_t wide = f->d - 1;
  for (uint32_t k = 0; k < wide; k++)
    f->calls[(size_t)f->count * wide + k] = UINT32_MAX;
  for (uint32_t op = f->count; op-- > 0;) {
    uint32_t *row = f->calls + (size_t)op * wide, call = f->call[op];
    for (uint32_t k = 0; k < wide; k++) {
      uint32_t later = row[wide + k];
      row[k] = call < later ? call : later;
      if (call < later)
        call = later;
    }
  }
}

static void family_open(struct part_family *f, uint32_t thread) {
  uint32_t n = f->count;
  f->sequence = xcalloc(n + 1, sizeof *f->sequence);
  f->call = xcalloc(n + 1, sizeof *f->call);
  f->ret = xcalloc(n + 1, sizeof *f->ret);
  f->calls = xcalloc((size_t)(n + 1) * f->d, sizeof *f->calls);
  f->of_thread = xcalloc(n + 1, 1);
  f->tuple = xcalloc(f->d, sizeof *f->tuple);
  f->rows = xcalloc((size_t)n * f->d + 1, sizeof *f->rows);
  sort_ops(f);
  for (uint32_t i = 0; i < n; i++) {
    const struct log_op *op = f->p->ops[f->sequence[i]].op;
    f->call[i] = op->call;
    f->ret[i] = op->ret;
    f->of_thread[i] = op->process == thread;
    if (f->of_thread[i])
      f->alone = i + 1;
  }
  find_calls(f);
  for (uint32_t i = 0; i + 1 < f->d; i++)
    f->tuple[i] = (uint16_t)n;
}

static void family_close(struct part_family *f) {
  free(f->sequence);
  free(f->call);
  free(f->ret);
  free(f->calls);
  free(f->of_thread);
  free(f->tuple);
  free(f->rows);
}

/* ---- whole schedules ---- */

static struct part_schedules *local_of(struct family_maker *w, uint32_t thread,
                                       uint32_t part, uint32_t elements) {
  return &w->locals.at[elements][thread * w->parts.len + part];
}

static bool keep_local(void *ctx, const uint16_t *s, uint32_t n) {
  struct family_maker *w = ctx;
  struct part_schedules *l = w->making;
  if (!s)
    return ++w->repeated % 1024 || w->each(w->ctx, NULL, 0);
  vec_reserve(&l->at, l->at.len + n);
  for (uint32_t i = 0; i < n; i++)
    l->at.at[l->at.len + i] = (uint16_t)w->of->sequence[s[i]];
  l->at.len += n;
  l->n++;
  return true;
}

static bool make_local(struct family_maker *w, uint32_t thread, uint32_t part,
                       uint32_t elements) {
  struct part_schedules *l = local_of(w, thread, part, elements);
  if (l->made)
    return true;
  struct part_family f = {.p = w->p,
                          .first = w->parts.at[part].first,
                          .count = w->parts.at[part].len,
                          .d = elements + 1,
                          .missing = elements,
                          .known = &w->known,
                          .each = keep_local,
                          .ctx = w};
  family_open(&f, w->threads.at[thread]);
  map128_clear(&w->known);
  w->making = l;
  w->of = &f;
  l->made = elements ? extend(&f, 0) : finish(&f, 0);
  w->bytes += l->at.cap * sizeof *l->at.at;
  family_close(&f);
  return l->made;
}

static bool make_locals(struct family_maker *w, uint32_t thread,
                        uint32_t elements) {
  for (uint32_t i = 0; i < w->parts.len; i++)
    for (uint32_t c = 0; c <= elements && c <= w->parts.at[i].len; c++)
      if (!make_local(w, thread, i, c))
        return false;
  return true;
}

/* The elements of the tuple are in the order of the parts.  So each part takes
 * some of them, and all others go to parts of one operation, where they change
 * nothing. */
static bool put_together(struct family_maker *w, uint32_t thread, uint32_t i,
                         uint32_t left) {
  if (i == w->parts.len)
    return left > w->singles || w->each(w->ctx, w->schedule, w->p->nops);
  const struct hitting_part *part = &w->parts.at[i];
  for (uint32_t c = 0; c <= left && c <= part->len; c++) {
    const struct part_schedules *l = local_of(w, thread, i, c);
    for (uint32_t k = 0; k < l->n; k++) {
      memcpy(w->schedule + part->first, l->at.at + (size_t)k * part->len,
             part->len * sizeof *w->schedule);
      if (!put_together(w, thread, i + 1, left - c))
        return false;
    }
  }
  return true;
}

static void split(struct family_maker *w) {
  const struct log_problem *p = w->p;
  uint32_t end = 0;
  struct hitting_part part = {0};
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

void whole_open(struct family_maker *w) {
  const struct log_problem *p = w->p;
  split(w);
  w->schedule = xcalloc(p->nops + 1, sizeof *w->schedule);
  for (uint32_t i = 0; i < p->nops; i++) {
    w->schedule[i] = (uint16_t)i;
    if (is_first_of_thread(p, i))
      vec_push(&w->threads, p->ops[i].op->process);
  }
}

void whole_close(struct family_maker *w) {
  for (uint32_t c = 0; c < w->locals.len; c++) {
    for (uint32_t i = 0; i < w->threads.len * w->parts.len; i++)
      vec_free(&w->locals.at[c][i].at);
    free(w->locals.at[c]);
  }
  vec_free(&w->locals);
  vec_free(&w->threads);
  vec_free(&w->parts);
  map128_free(&w->known);
  free(w->schedule);
}

void whole_make(struct family_maker *w, uint32_t d) {
  while (w->locals.len < d)
    vec_push(&w->locals,
             xcalloc(w->threads.len * w->parts.len + 1, sizeof **w->locals.at));
  for (uint32_t i = 0; i < w->threads.len; i++)
    if (!make_locals(w, i, d - 1) || !put_together(w, i, 0, d - 1))
      break;
}

void hitting_family(const struct log_problem *p, uint32_t d, hitting_fn *each,
                    void *ctx) {
  struct family_maker w = {.p = p, .each = each, .ctx = ctx};
  whole_open(&w);
  whole_make(&w, d);
  whole_close(&w);
}
