/*
 * The definition, word for word.  Nothing is assumed of a tuple: it may have an
 * operation twice, or one that must come before an earlier element.
 */
#include "oracle/depth_brute.h"

#include "log_types.h"

#include <assert.h>
#include <string.h>

enum { MOST = 6, MOST_SCHEDULES = 720 };

struct depth_schedules { /* of some operations */
  const struct log_problem *p;
  uint32_t ops[MOST], n;
  uint32_t at[MOST_SCHEDULES][MOST];
  bool witness[MOST_SCHEDULES];
  uint32_t count;
};

static bool precedes(const struct log_problem *p, uint32_t a, uint32_t b) {
  return p->ops[a].op->ret < p->ops[b].op->call;
}

/* y ≥ x in the order of the history. */
static bool is_from(const struct log_problem *p, uint32_t y, uint32_t x) {
  return y == x || precedes(p, x, y);
}

bool strongly_hits(const struct log_problem *p, const uint32_t *schedule,
                   uint32_t n, const uint32_t *tuple, uint32_t d) {
  for (uint32_t i = 0; i < d; i++) {
    bool from_here = false; /* y ≥ tuple[i] in the schedule */
    for (uint32_t k = 0; k < n; k++) {
      bool from_later = false; /* y ≥ tuple[j] in the history */
      from_here |= schedule[k] == tuple[i];
      for (uint32_t j = i; j < d; j++)
        from_later |= is_from(p, schedule[k], tuple[j]);
      if (from_here && !from_later)
        return false;
    }
  }
  return true;
}

static bool is_witness(const struct log_problem *p, const uint32_t *schedule,
                       uint32_t n) {
  uint64_t hint = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t order = p->ops[schedule[i]].op->order;
    if (order != LOG_NO_HINT && order < hint)
      return false;
    if (order != LOG_NO_HINT)
      hint = order;
  }
  return order_is_explained(p, schedule, n);
}

static void add_schedules(struct depth_schedules *s, uint32_t len,
                          uint32_t used) {
  uint32_t *schedule = s->at[s->count];
  if (len == s->n) {
    s->witness[s->count] = is_witness(s->p, schedule, s->n);
    if (++s->count < MOST_SCHEDULES)
      memcpy(s->at[s->count], schedule, sizeof s->at[0]);
    return;
  }
  for (uint32_t i = 0; i < s->n; i++) {
    bool may = !(used >> i & 1);
    for (uint32_t k = 0; k < s->n; k++)
      may &= used >> k & 1 || !precedes(s->p, s->ops[k], s->ops[i]);
    if (!may)
      continue;
    s->at[s->count][len] = s->ops[i];
    add_schedules(s, len + 1, used | 1u << i);
  }
}

static void make_schedules(struct depth_schedules *s,
                           const struct log_problem *p, uint32_t chosen) {
  s->p = p;
  s->n = s->count = 0;
  for (uint32_t i = 0; i < p->nops; i++)
    if (p->ops[i].op->ret != LOG_PENDING || chosen >> i & 1) {
      assert(s->n < MOST);
      s->ops[s->n++] = i;
    }
  add_schedules(s, 0, 0);
}

static bool is_good(const struct depth_schedules *s, const uint32_t *tuple,
                    uint32_t d) {
  bool hit = false;
  for (uint32_t i = 0; i < s->count; i++)
    if (strongly_hits(s->p, s->at[i], s->n, tuple, d)) {
      hit = true;
      if (!s->witness[i])
        return false;
    }
  assert(hit); /* every tuple is hit by some schedule */
  return true;
}

static bool some_tuple_is_good(const struct depth_schedules *s, uint32_t d) {
  uint32_t tuples = 1, tuple[MOST];
  for (uint32_t i = 0; i < d; i++)
    tuples *= s->n;
  for (uint32_t code = 0; code < tuples; code++) {
    uint32_t rest = code;
    for (uint32_t i = 0; i < d; i++, rest /= s->n)
      tuple[i] = s->ops[rest % s->n];
    if (is_good(s, tuple, d))
      return true;
  }
  return false;
}

uint32_t depth_brute(const struct log_problem *p) {
  static struct depth_schedules s;
  uint32_t pending = 0, least = 0;
  for (uint32_t i = 0; i < p->nops; i++)
    if (p->ops[i].op->ret == LOG_PENDING)
      pending |= 1u << i;
  for (uint32_t chosen = pending;; chosen = (chosen - 1) & pending) {
    make_schedules(&s, p, chosen);
    for (uint32_t d = 1; d <= s.n && (!least || d < least); d++)
      if (some_tuple_is_good(&s, d))
        least = d;
    if (!chosen)
      return least;
  }
}

void count_brute(const struct log_problem *p, uint64_t *schedules,
                 uint64_t *witnesses) {
  static struct depth_schedules s;
  make_schedules(&s, p, 0);
  *schedules = s.count;
  *witnesses = 0;
  for (uint32_t i = 0; i < s.count; i++)
    *witnesses += s.witness[i];
}

bool tuple_proves(const struct log_problem *p, const uint32_t *completed,
                  uint32_t ncompleted, const uint32_t *tuple, uint32_t d) {
  static struct depth_schedules s;
  uint32_t chosen = 0;
  for (uint32_t i = 0; i < ncompleted; i++)
    chosen |= 1u << completed[i];
  make_schedules(&s, p, chosen);
  return is_good(&s, tuple, d);
}
