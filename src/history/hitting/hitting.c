/* The search for a witness among the schedules of hitting families. */
#include "history/hitting/hitting_int.h"

#include "base/slow.h"
#include "history/log_engine.h"

#include <stdlib.h>

enum { MOST_OPS = 20000 };
#define MANY (UINT64_MAX - 1)

struct hitting_search {
  const struct log_problem *p;
  struct hitting *out;
  struct hitting_depth *depth;
  struct family_maker families;
  struct map128 known;
  struct meter meter;
  bool all;
  VEC(uint32_t) states, next;
};

/* Whether the type explains the schedule.  A non-deterministic type can be in
 * several states. */
static bool is_explained(struct hitting_search *s, const uint16_t *schedule,
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

/* Whether the schedule follows the hints; families only know real time. */
static bool follows_hints(const struct log_problem *p, const uint16_t *schedule,
                          uint32_t n) {
  uint64_t last = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct type_op *o = &p->ops[schedule[i]];
    if (!op_has_hint(o))
      continue;
    if (o->op->order < last)
      return false;
    last = o->op->order;
  }
  return true;
}

/* (S1): no operation comes after one that was called when it had returned. */
static bool follows_time(const struct log_problem *p, const uint16_t *schedule,
                         uint32_t n) {
  uint32_t latest_call = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct log_op *o = p->ops[schedule[i]].op;
    if (o->ret < latest_call)
      return false;
    latest_call = o->call > latest_call ? o->call : latest_call;
  }
  return true;
}

static bool try_schedule(void *ctx, const uint16_t *schedule, uint32_t n) {
  struct hitting_search *s = ctx;
  bool fresh;
  if (++s->meter.steps && (!n || meter_is_due(&s->meter)) &&
      !meter_look(&s->meter, s->p->type,
                  map128_bytes_soon(&s->known) + s->families.bytes))
    return false;
  if (!schedule)
    return true;
  map128_put(&s->known, hash128(schedule, n * sizeof *schedule, 0), &fresh);
  if (!fresh)
    return true;
  check_slow(follows_time(s->p, schedule, n)); /* S1 */
  s->depth->distinct++;
  if (s->depth->witness || !follows_hints(s->p, schedule, n) ||
      !is_explained(s, schedule, n))
    return true;
  s->depth->witness = true;
  if (s->out->verdict != LOG_LINEARIZABLE) {
    s->out->verdict = LOG_LINEARIZABLE;
    s->out->witness = s->depth->d;
    for (uint32_t i = 0; i < n; i++)
      vec_push(&s->out->order, schedule[i]);
  }
  return s->all;
}

static uint64_t times(uint64_t a, uint64_t b) {
  return a && b > MANY / a ? MANY : a * b;
}

static uint64_t count_indices(const struct hitting_search *s, uint32_t d) {
  uint64_t n = s->families.threads.len;
  for (uint32_t i = 0; i + 1 < d; i++)
    n = times(n, s->p->nops - i);
  return n;
}

/* Tries one depth.  False: it was the last one. */
static bool try_depth(struct hitting_search *s, uint32_t d) {
  struct hitting_depth depth = {.d = d, .indices = count_indices(s, d)};
  bool found = s->out->verdict == LOG_LINEARIZABLE;
  s->depth = &depth;
  map128_clear(&s->known);
  whole_make(&s->families, d);
  bool ended = s->out->verdict == LOG_LINEARIZABLE && !found && !s->all;
  depth.whole = !s->meter.limit && !ended;
  vec_push(&s->out->depths, depth);
  return depth.whole;
}

/* Leaves out pending operations, which need not take effect. */
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
  struct hitting_search s = {.p = &returned, .out = out, .all = all};
  s.meter.budget = b;
  s.families =
      (struct family_maker){.p = &returned, .each = try_schedule, .ctx = &s};
  bool whole = n <= MOST_OPS;
  uint32_t last = most && most < n ? most : n;
  if (!n) /* no operation has returned */
    out->verdict = LOG_LINEARIZABLE;
  if (whole)
    whole_open(&s.families);
  else
    out->limit = "there are too many operations for hitting families";
  for (uint32_t d = 1; d <= last && whole; d++)
    whole = try_depth(&s, d);
  bool complete = whole && last >= n && !pending;
  if (out->verdict == LOG_UNKNOWN && complete && !p->type->cut)
    out->verdict = LOG_VIOLATION; /* S3 */
  out->needs_pending =
      out->verdict == LOG_UNKNOWN && whole && last >= n && pending;
  if (out->verdict == LOG_UNKNOWN && !out->limit)
    out->limit = s.meter.limit ? s.meter.limit
                 : pending && last >= n
                     ? "pending operations may have taken effect"
                 : complete ? "the specification has too many next states"
                            : "--depth";
  for (uint32_t i = 0; i < out->order.len; i++)
    out->order.at[i] = index[out->order.at[i]];
  out->steps = s.meter.steps;
  whole_close(&s.families);
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
