/*
 * How much each row of the execution matters, so that a short report can leave
 * out the others.  Decisive is what the answer is about: the marks of the kind
 * of fault, the ends of the interruption and the access between them, what the
 * notes point to, the fault itself and whoever waits.
 *
 *     T1 push(1)                     frame
 *     T1 12 write node#1.value       passive: nobody else touches it before …
 *     T1 13 write node#1.next        shared: … T2 reads this one
 *     T1 14 cas   s->top             decisive: the note points here
 */
#include "report/story_int.h"

#include <assert.h>
#include <stdlib.h>

enum { GRANULE = 4, MOST_GRANULES = 1024 };

/* Who touches so many bytes: masks of threads. */
struct touched {
  uint64_t at;
  uint32_t readers, writers;
};

typedef VEC(struct touched) touched_list;

/* A lock and the like are used as if they were written. */
static bool writes(const struct event *e) {
  return event_writes[e->kind] || !event_reads[e->kind];
}

static bool is_shared_kind(const struct event *e) {
  return e->addr && e->kind != EV_ALLOC && e->kind != EV_JOIN &&
         e->kind != EV_CREATE && e->kind != EV_CLOCK;
}

static uint64_t granules(const struct event *e) {
  uint64_t n = (e->addr % GRANULE + e->size + GRANULE - 1) / GRANULE;
  return n == 0 ? 1 : n < MOST_GRANULES ? n : MOST_GRANULES;
}

static int by_address(const void *a, const void *b) {
  const struct touched *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

/* What the concurrent part touches, sorted, each granule once. */
static void collect(const struct story *s, touched_list *out) {
  const struct trace *t = &s->result->finding->trace;
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    if (s->events[i].part != STORY_THREADS || !is_shared_kind(e))
      continue;
    uint32_t bit = 1u << (e->thread & 31);
    for (uint64_t k = 0; k < granules(e); k++) {
      struct touched one = {e->addr / GRANULE + k, writes(e) ? 0 : bit,
                            writes(e) ? bit : 0};
      vec_push(out, one);
    }
  }
  if (out->len)
    qsort(out->at, out->len, sizeof *out->at, by_address);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < out->len; i++)
    if (kept && out->at[kept - 1].at == out->at[i].at) {
      out->at[kept - 1].readers |= out->at[i].readers;
      out->at[kept - 1].writers |= out->at[i].writers;
    } else {
      out->at[kept++] = out->at[i];
    }
  out->len = kept;
}

/* Does another thread conflict with the event? */
static bool is_shared(const touched_list *l, const struct event *e) {
  uint32_t own = 1u << (e->thread & 31);
  if (!is_shared_kind(e) || !l->len)
    return false;
  for (uint64_t k = 0; k < granules(e); k++) {
    struct touched key = {.at = e->addr / GRANULE + k};
    const struct touched *t =
        bsearch(&key, l->at, l->len, sizeof *l->at, by_address);
    if (t && ((t->writers & ~own) || (writes(e) && (t->readers & ~own))))
      return true;
  }
  return false;
}

static bool is_decisive(const struct story *s, const struct story_row *r) {
  const struct finding *f = s->result->finding;
  if (r->kind == ROW_FAULT || r->kind == ROW_WAIT)
    return true;
  if (r->kind != ROW_STEP)
    return false;
  for (uint32_t i = 0; i < s->decisive.len; i++)
    if (s->decisive.at[i] == r->index)
      return true;
  for (uint32_t i = 0; f->kind.kind && i < kind_marks[f->kind.kind]; i++)
    if (f->kind.marks[i] == r->index)
      return true;
  return false;
}

void story_weigh(struct story *s) {
  const struct trace *t = &s->result->finding->trace;
  touched_list touched = {0};
  collect(s, &touched);
  for (uint32_t i = 0; i < s->rows.len; i++) {
    struct story_row *r = &s->rows.at[i];
    if (is_decisive(s, r)) {
      r->weight = WEIGHT_DECISIVE; /* S4 */
    } else if (r->kind != ROW_STEP) {
      r->weight = WEIGHT_FRAME;
    } else {
      assert(r->index < t->nevents);
      r->weight = is_shared(&touched, &t->events[r->index]) ? WEIGHT_SHARED
                                                            : WEIGHT_PASSIVE;
    }
  }
  vec_free(&touched);
}
