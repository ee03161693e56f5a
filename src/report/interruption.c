/*
 * For an access p of a call, let x(p) be the first access of another thread
 * after p that conflicts with p; for an access q, let y(q) be the last one
 * before q that conflicts with q.  The call is interrupted on both sides
 * between p and q exactly when x(p) <= y(q).  For each q the nearest such p is
 * enough.  This is quadratic in the number of events, so only the last ones are
 * looked at; a violation is about its end.
 */
#include "report/interruption.h"

#include <assert.h>

enum { WINDOW = 4096 };
#define NONE UINT32_MAX

struct call_access {
  uint32_t event;
  uint32_t next_conflict; /* x(p) or NONE */
  uint32_t last_conflict; /* y(q) or NONE */
};
typedef VEC(struct call_access) access_list;

static bool touches(const struct event *e) {
  return (event_reads[e->kind] || event_writes[e->kind]) &&
         !(e->flags & EVENT_ISSUED);
}

bool events_conflict(const struct event *a, const struct event *b) {
  return a->thread != b->thread && touches(a) && touches(b) &&
         (event_writes[a->kind] || event_writes[b->kind]) &&
         a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* x(p) and y(q) of each access of the list. */
static void find_conflicts(const struct trace *t, access_list *out) {
  if (out->len == 0)
    return;
  uint32_t first = out->at[0].event, last = vec_last(out).event;
  for (uint32_t i = 0; i < out->len; i++) {
    struct call_access *a = &out->at[i];
    const struct event *e = &t->events[a->event];
    for (uint32_t k = a->event + 1; k < last; k++)
      if (events_conflict(e, &t->events[k])) {
        a->next_conflict = k;
        break;
      }
    for (uint32_t k = a->event; k-- > first + 1;)
      if (events_conflict(e, &t->events[k])) {
        a->last_conflict = k;
        break;
      }
  }
}

static void collect(const struct trace *t, uint32_t from, uint32_t call,
                    access_list *out) {
  vec_clear(out);
  for (uint32_t i = from; i < t->nevents; i++)
    if (t->events[i].call == call && touches(&t->events[i])) {
      struct call_access a = {i, NONE, NONE};
      vec_push(out, a);
    }
  find_conflicts(t, out);
}

static bool disagrees(const struct finding *f, uint32_t call) {
  for (uint32_t i = 0; i < f->refutations.len; i++) {
    const struct refutation *r = &f->refutations.at[i];
    if (r->order.len && vec_last(&r->order) == call)
      return true;
  }
  return false;
}

struct interruption_choice {
  struct interruption where;
  bool disagrees;
  uint32_t between; /* accesses of the call between before and after */
};

static bool better(const struct interruption_choice *a,
                   const struct interruption_choice *b) {
  if (a->where.both != b->where.both)
    return a->where.both;
  if (a->disagrees != b->disagrees)
    return a->disagrees;
  if (a->between != b->between)
    return a->between < b->between;
  return a->where.after > b->where.after;
}

/* An access of another thread in the gap that conflicts with any of `list`;
 * a write if there is one. */
static uint32_t intruder(const struct trace *t, const access_list *list,
                         uint32_t gap) {
  uint32_t found = NONE;
  for (uint32_t k = list->at[gap].event + 1; k < list->at[gap + 1].event; k++)
    for (uint32_t i = 0; i < list->len; i++) {
      if (!events_conflict(&t->events[k], &t->events[list->at[i].event]))
        continue;
      if (event_writes[t->events[k].kind])
        return k;
      if (found == NONE)
        found = k;
    }
  return found;
}

/*
 * The access that is named as cutting p from q: the first that conflicts with
 * p; if that only reads, the last that conflicts with q; if that reads too, a
 * write to p's bytes in between, if there is one.
 */
static uint32_t cutting_access(const struct trace *t,
                               const struct call_access *p,
                               const struct call_access *q) {
  uint32_t first = p->next_conflict, last = q->last_conflict;
  if (event_writes[t->events[first].kind])
    return first;
  if (event_writes[t->events[last].kind])
    return last;
  for (uint32_t k = first + 1; k < last; k++)
    if (event_writes[t->events[k].kind] &&
        events_conflict(&t->events[k], &t->events[p->event]))
      return k;
  return first;
}

static void offer(struct interruption_choice *best, bool *found,
                  struct interruption_choice c) {
  assert(c.where.before < c.where.by && c.where.by < c.where.after); /* I1 */
  if (!*found || better(&c, best))
    *best = c;
  *found = true;
}

static void search_call(const struct finding *f, uint32_t call,
                        const access_list *list,
                        struct interruption_choice *best, bool *found) {
  struct interruption_choice c = {.where.call = call,
                                  .disagrees = disagrees(f, call)};
  for (uint32_t q = 1; q < list->len; q++) {
    c.where.after = list->at[q].event;
    c.where.both = true;
    if (list->at[q].last_conflict != NONE)
      for (uint32_t p = q; p-- > 0;)
        if (list->at[p].next_conflict <= list->at[q].last_conflict) { /* I2 */
          c.where.before = list->at[p].event;
          c.where.by = cutting_access(&f->trace, &list->at[p], &list->at[q]);
          c.between = q - p - 1;
          offer(best, found, c);
          break;
        }
    if (*found && best->where.both)
      continue;
    c.where.both = false;
    c.where.before = list->at[q - 1].event;
    c.where.by = intruder(&f->trace, list, q - 1);
    c.between = 0;
    if (c.where.by != NONE)
      offer(best, found, c);
  }
}

bool interruption_find(const struct finding *f, struct interruption *out) {
  const struct trace *t = &f->trace;
  uint32_t from = t->nevents > WINDOW ? t->nevents - WINDOW : 0;
  access_list list = {0};
  struct interruption_choice best = {0};
  bool found = false;
  for (uint32_t call = 0; call < f->client.ncalls; call++) {
    if (f->client.calls[call].thread == 0)
      continue;
    collect(t, from, call, &list);
    search_call(f, call, &list, &best, &found);
  }
  vec_free(&list);
  *out = best.where;
  return found;
}

bool interruption_within(const struct finding *f, const uint32_t *unit,
                         uint32_t nunits, struct interruption *out) {
  const struct trace *t = &f->trace;
  uint32_t from = t->nevents > WINDOW ? t->nevents - WINDOW : 0;
  access_list *lists = xcalloc((size_t)nunits + 1, sizeof *lists);
  struct interruption_choice best = {0};
  bool found = false;
  for (uint32_t i = from; i < t->nevents; i++)
    if (unit[i] && touches(&t->events[i]))
      vec_push(&lists[unit[i]], ((struct call_access){i, NONE, NONE}));
  for (uint32_t u = 1; u <= nunits; u++) {
    access_list *l = &lists[u];
    find_conflicts(t, l);
    if (l->len)
      search_call(f, t->events[l->at[0].event].call, l, &best, &found);
    vec_free(l);
  }
  free(lists);
  *out = best.where;
  return found;
}
