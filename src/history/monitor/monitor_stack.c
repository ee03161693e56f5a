/*
 * A stack: last in, first out.  A value can be taken out of the history when
 * each operation on it has a gap that no other value covers: there it is
 * pushed, looked at and popped with nothing above it, whatever the others do.
 * The history is linearizable iff all values can be taken out one after the
 * other, in any order that works (the idea of Lee and Mathur, OOPSLA 2025:
 * decrease and conquer). tests/agree/monitor_containers.c
 *
 *   push(1)  push(2)  pop() = 2  pop() = 1      take out 1, then 2
 *   push(1)  push(2)  pop() = 1  pop() = 2      stuck: 1 covers push(2), and 2
 *                                               covers pop() = 1
 *
 * Gaps between which no value comes or goes form a run.  A tree over the runs
 * holds how many values cover each run, and the sum of their numbers: if only
 * one value covers a run, the sum is that value.  Each run leaves the tree
 * once:
 *
 *   no value covers it: every operation that contains it has its gap;
 *   only v covers it: the operations on v that contain it have their gap, and
 *     when v is taken out no value covers it.
 *
 * When two values cover each run that is left, nothing more can be taken out.
 *
 * An operation waits at the nodes of the tree that make up its interval.  A run
 * that no value covers serves the operations that wait at the nodes above it,
 * up to the first node where another run has been before.
 *
 * Operations that contain another one on the same value are left out.  So calls
 * and returns of the others have the same order, and those that contain a given
 * run stand together.
 */
#include "history/monitor/monitor_int.h"

#include <assert.h>
#include <string.h>

enum { AWAY = 1 << 30 }; /* added to the count of a run that has left */

struct stack_node {
  int32_t least; /* of the counts below, with those of this node */
  int32_t count; /* of values that cover all of it */
  uint32_t sum;  /* of their numbers */
};

struct stack_need { /* an operation on a value: it needs a run of [from, to) */
  uint32_t from, to, value;
};

struct stack_monitor {
  struct monitor *m;
  struct values_seen *s;
  uint32_t *run_of; /* by gap */
  uint32_t nruns;
  /* 1 is the root, 2 i and 2 i + 1 are below i, nruns + r is the run r. */
  struct stack_node *nodes;
  struct stack_need *needs; /* by value */
  uint32_t *first_need;     /* by value: where its needs begin; n + 1 of them */
  uint32_t *next_need;      /* by need: itself; a later one if it has its run */
  uint32_t *left;           /* by value: needs without a run */
  /* The needs that wait at a node: waiting[starts[node] … starts[node + 1]). */
  uint32_t *starts, *waiting;
  uint8_t *been;                /* by node: its needs were served */
  uint32_t *aside, *aside_next; /* by value: list of runs that only it covers */
  number_vec out;               /* values to be taken out */
  uint32_t *order; /* in which values were taken out; NULL: not wanted */
  uint32_t taken;
};

static void touch(struct stack_node *n, int32_t count, uint32_t sum) {
  n->least += count;
  n->count += count;
  n->sum += sum;
}

static void renew(struct stack_node *nodes, uint32_t i) {
  int32_t a = nodes[2 * i].least, b = nodes[2 * i + 1].least;
  nodes[i].least = (a < b ? a : b) + nodes[i].count;
}

/* Runs `body` for each node of those that make up the runs [from, to). */
#define FOR_NODES(k, from_, to_, body)                                         \
  for (uint32_t l_ = (from_) + k->nruns, r_ = (to_) + k->nruns; l_ < r_;       \
       l_ >>= 1, r_ >>= 1) {                                                   \
    if (l_ & 1) {                                                              \
      uint32_t node = l_++;                                                    \
      body;                                                                    \
    }                                                                          \
    if (r_ & 1) {                                                              \
      uint32_t node = --r_;                                                    \
      body;                                                                    \
    }                                                                          \
  }

static void cover_from_to(const struct stack_monitor *k,
                          const struct monitor_value *v, uint32_t *from,
                          uint32_t *to) {
  *from = k->run_of[v->add_res];
  *to = k->run_of[gap_from(k->m, v->rem_inv)];
}

static void add_cover(struct stack_monitor *k, uint32_t v, int32_t count) {
  uint32_t from, to;
  if (k->s->at[v].add_res >= k->s->at[v].rem_inv)
    return;
  cover_from_to(k, &k->s->at[v], &from, &to);
  uint32_t sum = count > 0 ? v : 0u - v;
  FOR_NODES(k, from, to, touch(&k->nodes[node], count, sum));
  if (count > 0)
    return; /* make_tree renews all nodes at once */
  uint32_t a = (from + k->nruns) >> 1, b = (to - 1 + k->nruns) >> 1;
  for (; a != b; a >>= 1, b >>= 1) {
    renew(k->nodes, a);
    renew(k->nodes, b);
  }
  for (; a; a >>= 1)
    renew(k->nodes, a);
}

static void number_runs(struct stack_monitor *k) {
  struct monitor *m = k->m;
  k->run_of = monitor_zeroed(m, (size_t)m->end + 2, sizeof *k->run_of);
  for (uint32_t i = 0; i < k->s->n; i++) {
    const struct monitor_value *v = &k->s->at[i];
    if (v->add_res >= v->rem_inv)
      continue;
    k->run_of[v->add_res] = 1;
    k->run_of[gap_from(m, v->rem_inv)] = 1;
  }
  uint32_t run = 0;
  for (uint32_t g = 0; g <= m->end; g++)
    k->run_of[g] = run += k->run_of[g];
  k->nruns = run + 1;
}

static int by_from(const void *x, const void *y) {
  const struct stack_need *a = x, *b = y;
  if (a->from != b->from)
    return a->from < b->from ? -1 : 1;
  return a->to > b->to ? -1 : a->to < b->to;
}

/* The gaps in which an operation on v can take effect. */
static void gaps_of(const struct stack_monitor *k,
                    const struct monitor_value *v, uint32_t op, uint32_t *from,
                    uint32_t *to) {
  bool peek = op != v->add && op != v->remove;
  *from = peek           ? peek_from(k->m, v, op)
          : op == v->add ? v->add_inv
                         : gap_from(k->m, v->rem_inv);
  *to = peek           ? peek_to(k->m, v, op)
        : op == v->add ? v->add_res
                       : gap_to(k->m, v->rem_res);
}

static struct stack_need need_of(const struct stack_monitor *k, uint32_t v,
                                 uint32_t op) {
  uint32_t from, to;
  gaps_of(k, &k->s->at[v], op, &from, &to);
  return (struct stack_need){k->run_of[from], k->run_of[to - 1] + 1, v};
}

/* Leaves out needs that contain another one. */
static uint32_t keep_least(struct stack_need *a, uint32_t n) {
  uint32_t kept = 0;
  qsort(a, n, sizeof *a, by_from);
  for (uint32_t i = 0; i < n; i++) {
    while (kept && a[kept - 1].to >= a[i].to)
      kept--;
    a[kept++] = a[i];
  }
  return kept;
}

static uint32_t collect_needs(struct stack_monitor *k, uint32_t number,
                              struct stack_need *out) {
  const struct monitor_value *v = &k->s->at[number];
  uint32_t n = 0;
  out[n++] = need_of(k, number, v->add);
  for (uint32_t op = v->peeks; op != MONITOR_NONE; op = k->s->next_peek[op])
    out[n++] = need_of(k, number, op);
  if (v->remove != MONITOR_NONE)
    out[n++] = need_of(k, number, v->remove);
  bool in_order =
      n == 1 || (n == 2 && out[0].from < out[1].from && out[0].to < out[1].to);
  return in_order ? n : keep_least(out, n);
}

static void make_needs(struct stack_monitor *k) {
  struct monitor *m = k->m;
  size_t most = (size_t)k->s->n * 2 + k->s->npeeks + 1, n = k->s->n;
  k->needs = monitor_room(m, most, sizeof *k->needs);
  k->first_need = monitor_room(m, n + 1, sizeof *k->first_need);
  k->left = monitor_room(m, n + 1, sizeof *k->left);
  uint32_t at = 0;
  for (uint32_t v = 0; v < n; v++) {
    k->first_need[v] = at;
    k->left[v] = collect_needs(k, v, k->needs + at);
    at += k->left[v];
  }
  k->first_need[n] = at;
  k->next_need = monitor_room(m, (size_t)at + 1, sizeof *k->next_need);
  for (uint32_t i = 0; i <= at; i++)
    k->next_need[i] = i;
}

static void make_waiting(struct stack_monitor *k) {
  uint32_t n = k->first_need[k->s->n];
  k->starts = monitor_zeroed(k->m, (size_t)k->nruns * 2 + 2, sizeof *k->starts);
  for (uint32_t i = 0; i < n; i++)
    FOR_NODES(k, k->needs[i].from, k->needs[i].to, k->starts[node + 2]++);
  for (uint32_t i = 0; i < k->nruns * 2; i++)
    k->starts[i + 2] += k->starts[i + 1];
  uint32_t all = k->starts[k->nruns * 2 + 1];
  k->waiting = monitor_room(k->m, (size_t)all + 1, sizeof *k->waiting);
  for (uint32_t i = 0; i < n; i++)
    FOR_NODES(k, k->needs[i].from, k->needs[i].to,
              k->waiting[k->starts[node + 1]++] = i);
}

static void make_tree(struct stack_monitor *k) {
  k->nodes = monitor_zeroed(k->m, (size_t)k->nruns * 2, sizeof *k->nodes);
  for (uint32_t v = 0; v < k->s->n; v++)
    add_cover(k, v, 1);
  for (uint32_t i = k->nruns - 1; i; i--)
    renew(k->nodes, i);
}

static uint32_t find_need(struct stack_monitor *k, uint32_t i) {
  while (k->next_need[i] != i) {
    k->next_need[i] = k->next_need[k->next_need[i]];
    i = k->next_need[i];
  }
  return i;
}

static void serve(struct stack_monitor *k, uint32_t need) {
  if (k->next_need[need] != need)
    return;
  k->next_need[need] = need + 1;
  uint32_t v = k->needs[need].value;
  if (!--k->left[v])
    vec_push(&k->out, v);
}

/* No value covers the run. */
static void serve_all(struct stack_monitor *k, uint32_t run) {
  for (uint32_t i = run + k->nruns; i && !k->been[i]; i >>= 1) {
    k->been[i] = 1;
    for (uint32_t w = k->starts[i]; w < k->starts[i + 1]; w++)
      serve(k, k->waiting[w]);
  }
}

/* Only v covers the run. */
static void serve_one(struct stack_monitor *k, uint32_t v, uint32_t run) {
  uint32_t low = k->first_need[v], end = k->first_need[v + 1], high = end;
  k->aside_next[run] = k->aside[v];
  k->aside[v] = run;
  while (low < high) { /* the first need that ends after the run */
    uint32_t mid = low + (high - low) / 2;
    if (k->needs[mid].to > run)
      high = mid;
    else
      low = mid + 1;
  }
  for (uint32_t i = find_need(k, low); i < end && k->needs[i].from <= run;
       i = find_need(k, i))
    serve(k, i);
}

static void take_out(struct stack_monitor *k, uint32_t v) {
  if (k->order)
    k->order[k->taken] = v;
  k->taken++;
  add_cover(k, v, -1);
  for (uint32_t run = k->aside[v]; run != MONITOR_NONE;
       run = k->aside_next[run])
    serve_all(k, run);
}

/* Takes the run that the fewest values cover out of the tree.  False: two
 * values or more cover each run that is left. */
static bool next_run(struct stack_monitor *k) {
  if (k->nodes[1].least > 1)
    return false;
  uint32_t i = 1, sum = 0;
  int32_t count = k->nodes[1].least;
  while (i < k->nruns) {
    sum += k->nodes[i].sum;
    i = 2 * i + (k->nodes[2 * i].least > k->nodes[2 * i + 1].least);
  }
  sum += k->nodes[i].sum;
  uint32_t run = i - k->nruns;
  k->nodes[i].least += AWAY;
  while (i >>= 1)
    renew(k->nodes, i);
  if (count)
    serve_one(k, sum, run);
  else
    serve_all(k, run);
  return true;
}

/* Values that cannot be taken out.  The core is some of them, each of which has
 * an operation that the others cover. */
struct stack_rest {
  struct by_time *some; /* values that are not taken out, by add_res */
  uint32_t n;
  uint32_t *best[2]; /* by place there: the two values up to it that stay
                        longest */
  uint8_t *chosen;   /* by value */
  number_vec core;
  uint32_t *need; /* by value: the operation that has no gap */
};

static uint32_t stays_until(const struct stack_monitor *k, uint32_t v) {
  return v == MONITOR_NONE ? 0 : gap_from(k->m, k->s->at[v].rem_inv);
}

static void rank_rest(struct stack_monitor *k, struct stack_rest *r) {
  uint32_t best[2] = {MONITOR_NONE, MONITOR_NONE};
  for (uint32_t i = 0; i < r->n; i++) {
    uint32_t v = r->some[i].id;
    if (stays_until(k, v) > stays_until(k, best[0])) {
      best[1] = best[0];
      best[0] = v;
    } else if (stays_until(k, v) > stays_until(k, best[1])) {
      best[1] = v;
    }
    r->best[0][i] = best[0];
    r->best[1][i] = best[1];
  }
}

static void collect_rest(struct stack_monitor *k, struct stack_rest *r) {
  struct monitor *m = k->m;
  size_t most = (size_t)k->s->n + 1;
  r->some = monitor_room(m, most, sizeof *r->some);
  for (uint32_t v = 0; v < k->s->n; v++)
    if (k->left[v])
      r->some[r->n++] = (struct by_time){k->s->at[v].add_res, v};
  by_time_sort(m, r->some, r->n);
  for (int i = 0; i < 2; i++)
    r->best[i] = monitor_room(m, most, sizeof *r->best[i]);
  rank_rest(k, r);
  r->chosen = monitor_zeroed(m, most, 1);
  r->need = monitor_room(m, most, sizeof *r->need);
}

static void choose(struct stack_rest *r, uint32_t v) {
  if (r->chosen[v])
    return;
  r->chosen[v] = 1;
  vec_push(&r->core, v);
}

/* The value of the core, other than v, that covers the gap and stays longest.
 * Only the first few are tried. */
static uint32_t chosen_at(const struct stack_monitor *k,
                          const struct stack_rest *r, uint32_t v,
                          uint32_t gap) {
  uint32_t best = MONITOR_NONE;
  for (uint32_t i = 0; i < r->core.len && i < 64; i++) {
    uint32_t u = r->core.at[i];
    if (u != v && k->s->at[u].add_res <= gap && stays_until(k, u) > gap &&
        stays_until(k, u) > stays_until(k, best))
      best = u;
  }
  return best;
}

/* The value that is left, other than v, that covers the gap and stays longest.
 */
static uint32_t any_at(const struct stack_rest *r, uint32_t v, uint32_t gap) {
  uint32_t low = 0, high = r->n; /* how many came by then */
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (r->some[mid].time <= gap)
      low = mid + 1;
    else
      high = mid;
  }
  assert(low);
  uint32_t u = r->best[0][low - 1];
  return u != v ? u : r->best[1][low - 1];
}

static uint32_t op_of_need(const struct stack_monitor *k,
                           const struct stack_need *want) {
  const struct monitor_value *v = &k->s->at[want->value];
  const uint32_t ends[2] = {v->add, v->remove};
  for (int i = 0; i < 2; i++)
    if (ends[i] != MONITOR_NONE) {
      struct stack_need n = need_of(k, want->value, ends[i]);
      if (n.from == want->from && n.to == want->to)
        return ends[i];
    }
  for (uint32_t op = v->peeks;; op = k->s->next_peek[op]) {
    struct stack_need n = need_of(k, want->value, op);
    if (n.from == want->from && n.to == want->to)
      return op;
  }
}

/* Chooses values that together cover an operation on v. */
static void choose_cover(struct stack_monitor *k, struct stack_rest *r,
                         uint32_t v) {
  uint32_t i = k->first_need[v], from, to;
  while (k->next_need[i] != i)
    i++;
  r->need[v] = op_of_need(k, &k->needs[i]);
  gaps_of(k, &k->s->at[v], r->need[v], &from, &to);
  while (from < to) {
    uint32_t u = chosen_at(k, r, v, from);
    if (u == MONITOR_NONE)
      u = any_at(r, v, from);
    assert(stays_until(k, u) > from);
    choose(r, u);
    from = stays_until(k, u);
  }
}

static enum monitor_ending say_stuck(struct stack_monitor *k,
                                     const struct stack_rest *r) {
  const struct monitor_value *a = &k->s->at[r->core.at[0]];
  if (r->core.len == 2) {
    const struct monitor_value *b = &k->s->at[r->core.at[1]];
    return monitor_say(k->m,
                       "neither of %w and %w can lie above the other: %o while "
                       "%w was in the stack, and %o while %w was",
                       a, b, r->need[r->core.at[0]], b, r->need[r->core.at[1]],
                       a);
  }
  return monitor_say(k->m,
                     "%o cannot have been on top: at every moment, the stack "
                     "had another value that could not be removed either",
                     r->need[r->core.at[0]]);
}

static enum monitor_ending stuck(struct stack_monitor *k) {
  struct stack_rest r = {0};
  collect_rest(k, &r);
  choose(&r, r.some[0].id);
  for (uint32_t i = 0; i < r.core.len; i++)
    choose_cover(k, &r, r.core.at[i]);
  for (uint32_t i = 0; i < r.core.len; i++) {
    monitor_blame_value(k->m, &k->s->at[r.core.at[i]]);
    monitor_blame(k->m, r.need[r.core.at[i]]);
  }
  say_stuck(k, &r);
  vec_free(&r.core);
  return MONITOR_NO;
}

static enum monitor_ending decide(struct monitor *m, struct values_seen *s) {
  struct stack_monitor k = {.m = m, .s = s};
  number_runs(&k);
  make_needs(&k);
  make_waiting(&k);
  make_tree(&k);
  k.been = monitor_zeroed(m, (size_t)k.nruns * 2, 1);
  k.aside = monitor_room(m, (size_t)s->n + 1, sizeof *k.aside);
  memset(k.aside, 0xff, ((size_t)s->n + 1) * sizeof *k.aside);
  k.aside_next = monitor_room(m, (size_t)k.nruns + 1, sizeof *k.aside_next);
  if (m->want_order)
    k.order = monitor_room(m, (size_t)s->n + 1, sizeof *k.order);
  do
    while (k.out.len)
      take_out(&k, vec_pop(&k.out));
  while (next_run(&k));
  vec_free(&k.out);
  if (k.taken != s->n)
    return stuck(&k);
  if (k.order)
    monitor_stack_order(m, s, k.order);
  return MONITOR_YES;
}

enum monitor_ending monitor_stack(struct monitor *m) {
  return monitor_container(m, decide);
}
