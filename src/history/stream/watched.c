/*
 * check_watched: a whole history goes through the monitor of streams of its
 * type.  The monitors of whole histories (monitor/) do not know which values
 * pending removals took; those of streams do.
 */
#include "history/stream/watch.h"

#include <stdlib.h>
#include <string.h>

struct watched_history {
  const struct log_problem *p;
  struct watch *w;
  struct meter meter;
  struct arena arena; /* of one event */
};

/* An operation that will not return crashes right after its call. */
static enum watch_end call(struct watched_history *g, uint32_t i) {
  struct watch *w = g->w;
  const struct type_op *o = &g->p->ops[i];
  if (!op_is_pending(o))
    o = op_made_pending(g->p, o, &g->arena);
  if (!o)
    return WATCH_CANNOT;
  struct watch_op x = {.process = i, .call = ++w->now, .op = *o->op, .t = *o};
  enum watch_end end = w->kind->called(w, &x);
  if (end != WATCH_GOOD)
    return end;
  watch_open(w, x);
  if (op_is_pending(&g->p->ops[i])) {
    w->now++;
    w->kind->crashed(w, &vec_last(&w->open));
    watch_close(w, w->open.len - 1);
  }
  return WATCH_GOOD;
}

static enum watch_end ret(struct watched_history *g, uint32_t i) {
  struct watch *w = g->w;
  uint32_t k = value_map_get(&w->processes, datum_number(i));
  w->now++;
  enum watch_end end = w->kind->returned(w, &w->open.at[k], &g->p->ops[i]);
  watch_close(w, k);
  return end;
}

static bool goes_on(struct watched_history *g) {
  g->meter.steps++;
  return !meter_is_due(&g->meter) ||
         meter_look(&g->meter, g->p->type, g->w->kind->bytes(g->w));
}

/* Hands all events to the watch.  *at: the operation of the last event. */
static enum watch_end go_through(struct watched_history *g, uint32_t *at) {
  const struct log_problem *p = g->p;
  uint32_t n, c = 0, r = 0;
  uint32_t *returns = ops_by_return(p, &n);
  enum watch_end end = WATCH_GOOD;
  while (end == WATCH_GOOD && (c < p->nops || r < n)) {
    bool calls = c < p->nops &&
                 (r == n || p->ops[c].op->call <= p->ops[returns[r]].op->ret);
    *at = calls ? c : returns[r];
    end = calls ? call(g, c++) : ret(g, returns[r++]);
    arena_reset(&g->arena);
    if (end == WATCH_GOOD && !goes_on(g))
      end = WATCH_TIRED;
  }
  free(returns);
  return end;
}

static bool has_pending(const struct log_problem *p) {
  for (uint32_t i = 0; i < p->nops; i++)
    if (op_is_pending(&p->ops[i]))
      return true;
  return false;
}

static const char *method_of(const struct type *t) {
  static const char *const all[] = {"stream: queue",      "stream: register",
                                    "stream: stack",      "stream: pqueue",
                                    "stream: max-pqueue", "stream: set",
                                    "stream: multiset",   "stream: list"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(all[i] + strlen("stream: "), t->shape))
      return all[i];
  return "stream";
}

bool check_watched(const struct log_problem *p, const struct log_budget *b,
                   struct log_answer *out) {
  if (!has_pending(p) || (p->type->by_key && !ops_have_one_key(p)))
    return false;
  struct watched_history g = {
      .p = p, .w = watch_new(p->type), .meter = {.budget = b}};
  if (!g.w)
    return false;
  uint32_t at = 0;
  enum watch_end end = go_through(&g, &at);
  bool known = end == WATCH_GOOD || end == WATCH_BAD;
  if (known) {
    log_answer_free(out);
    *out = (struct log_answer){.verdict = end == WATCH_BAD ? LOG_VIOLATION
                                                           : LOG_LINEARIZABLE,
                               .method = method_of(p->type),
                               .at = end == WATCH_BAD ? at : UINT32_MAX,
                               .steps = g.meter.steps,
                               .bytes = g.meter.bytes};
    if (end == WATCH_BAD)
      answer_core(p, p->ops[at].op->ret, out);
  }
  watch_free(g.w);
  arena_free(&g.arena);
  return known;
}
