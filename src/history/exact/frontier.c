/*
 * Exact search in time order.  After each return there is a set of
 * configurations (frontier_int.h); each is the result of some order of the
 * operations so far. If the set is empty there is no order.  At a return each
 * configuration is expanded by open operations until the returning one is
 * placed: no operation is placed before some return asks for it.  Time and
 * memory are linear in the length of the history when few operations are open
 * at once. After "just-in-time linearization": Lowe, Concurrency Comput. 29(4),
 * 2017.
 *
 * Differs; each rule only leaves out what is not needed:
 * (A) A read is placed as soon as the state explains it.  Of configurations
 * with the same state the one that has placed more reads is kept. (B) Of open
 * operations that are alike, the one that returns first is placed first. (C)
 * Orders with fewer crashed operations are enough.  So a configuration that has
 * placed more of them than another, with all else equal, is left out. And a
 * crashed operation is placed only where the next one behaves differently after
 * it. (D) A crashed operation that all configurations have placed is forgotten.
 * (E) A write that no operation sees before the next write is not placed: it
 * gets a maybe bit (frontier_int.h). The answers are the same without them:
 * tests/agree/frontier_brute.c.
 */
#include "history/exact/frontier_int.h"

#include "base/slow.h"

#include <assert.h>

enum { SNAPSHOT_EVERY = 256, FORGET_BYTES = 1 << 20 };

static void make_scratch(struct frontier *f) {
  size_t bytes = sizeof(struct frontier_config) + f->now.words * 16ull;
  f->from = xrealloc(f->from, bytes);
  f->to = xrealloc(f->to, bytes);
  f->settled = xrealloc(f->settled, f->now.words * 8ull);
  rows_clear(f);
}

struct frontier *frontier_new(const struct log_problem *p) {
  struct frontier *f = xcalloc(1, sizeof *f);
  f->p = p;
  f->type = p->type;
  f->cut = f->until = LOG_PENDING;
  f->order = true;
  f->one_key = ops_have_one_key(p);
  f->forget_at = type_bytes(p->type) + FORGET_BYTES;
  hints_collect(&f->hints, p, LOG_PENDING - 1);
  stage_init(&f->now, p->type->initial);
  stage_copy(&f->old, &f->now);
  stage_copy(&f->older, &f->now);
  make_scratch(f);
  return f;
}

void frontier_swap(struct frontier *f, const struct log_problem *p,
                   struct frontier_stage *g) {
  struct frontier_stage t = f->now;
  f->now = *g;
  *g = t;
  f->p = p;
  f->decided = f->violated = false;
  f->nopened += OPENED + 1; /* rows know the slots of other operations */
  if (f->now.words != f->rows.words)
    make_scratch(f);
}

/* The same history up to `cut`, from the stage `older` on: no operation open
 * there returns later. */
static struct frontier *frontier_again(const struct frontier *f, uint32_t cut) {
  struct frontier *g = xcalloc(1, sizeof *g);
  g->p = f->p;
  g->type = f->type;
  g->cut = cut;
  g->until = LOG_PENDING;
  g->one_key = f->one_key;
  g->forget_at = UINT64_MAX; /* f holds states, too */
  hints_collect(&g->hints, f->p, cut);
  stage_copy(&g->now, &f->older);
  make_scratch(g);
  return g;
}

uint64_t frontier_bytes(const struct frontier *f) {
  return stage_bytes(&f->now) + stage_bytes(&f->old) + stage_bytes(&f->older) +
         set_bytes(&f->work) + set_bytes(&f->done) + rows_bytes(&f->rows) +
         f->waiting.cap * 4ull + f->growth.nodes.cap * 8ull +
         f->growth.trunk.cap * 4ull + f->hints.len * 8ull;
}

void frontier_free(struct frontier *f) {
  stage_free(&f->now);
  stage_free(&f->old);
  stage_free(&f->older);
  set_free(&f->work);
  set_free(&f->done);
  rows_free(&f->rows);
  vec_free(&f->levels);
  vec_free(&f->waiting);
  vec_free(&f->growth.nodes);
  vec_free(&f->growth.trunk);
  hints_free(&f->hints);
  arena_free(&f->made);
  free(f->from);
  free(f->to);
  free(f->settled);
  free(f);
}

static bool call(struct frontier *f) {
  struct frontier_stage *g = &f->now;
  uint32_t id = g->next_call++, words = g->words;
  const struct type_op *op = &f->p->ops[id];
  if (!op_is_pending(op) && op->op->ret > f->cut)
    op = op_made_pending(f->p, op, &f->made);
  if (!op)
    return false;
  if (op_is_idle(op))
    return true;
  uint32_t slot = stage_open(g, op, id, f->hints.pending, f->one_key);
  if (g->words != words)
    make_scratch(f);
  f->opened[f->nopened++ % OPENED] = slot;
  if (bit_of(g->reads, slot))
    frontier_settle(f, slot);
  return true;
}

/* (D): crashed operations that all configurations have placed are closed. */
static void retire(struct frontier *f) {
  struct frontier_stage *g = &f->now;
  for (uint32_t w = 0; w < g->words; w++) {
    uint64_t all = g->crashed[w];
    for (uint32_t i = 0; i < g->set.len && all; i++)
      all &= config_at(&g->set, i)->mask[w];
    for (uint32_t i = 0; i < g->set.len && all; i++)
      config_at(&g->set, i)->mask[w] &= ~all;
    for (; all; all &= all - 1) {
      uint32_t slot = w * 64 + (uint32_t)__builtin_ctzll(all);
      if (bit_of(g->hints, slot) &&
          (!g->has_taken_hint || frontier_hint(g, slot) > g->taken_hint)) {
        g->has_taken_hint = true;
        g->taken_hint = frontier_hint(g, slot);
      }
      stage_close(g, slot);
    }
  }
}

static void each_state(struct frontier *f,
                       void (*visit)(struct frontier *, uint32_t *)) {
  struct config_set *sets[] = {&f->now.set, &f->old.set, &f->older.set,
                               &f->work, &f->done};
  for (int k = 0; k < (f->busy ? 5 : 3); k++)
    for (uint32_t i = 0; i < sets[k]->len; i++) {
      struct frontier_config *c = config_at(sets[k], i);
      if (c->state < BLIND_STATE)
        visit(f, &c->state);
      if (c->prev < BLIND_STATE)
        visit(f, &c->prev);
    }
}

static void note_state(struct frontier *f, uint32_t *state) {
  vec_push(&f->kept, *state);
}

static void take_state(struct frontier *f, uint32_t *state) {
  *state = f->kept.at[f->kept.len++];
}

void frontier_forget(struct frontier *f) {
  if (!f->type->forget)
    return;
  vec_clear(&f->kept);
  each_state(f, note_state);
  f->type->forget(f->type, f->kept.at, f->kept.len);
  vec_clear(&f->kept);
  each_state(f, take_state);
  vec_free(&f->kept);
  rows_clear(f);
  f->forget_at = 2 * type_bytes(f->type) + FORGET_BYTES;
  if (!f->busy)
    return;
  set_reindex(&f->work, &f->now);
  set_reindex(&f->done, &f->now);
}

static void take_snapshot(struct frontier *f, uint32_t time) {
  if (f->cut != LOG_PENDING || time <= f->old.horizon ||
      f->now.returned - f->old.returned < SNAPSHOT_EVERY)
    return;
  struct frontier_stage t = f->older;
  f->older = f->old;
  f->old = t;
  stage_copy(&f->old, &f->now);
}

static void end_return(struct frontier *f) {
  struct frontier_stage *g = &f->now;
  uint32_t time = g->slots.at[f->stuck].op->op->ret;
  stage_close(g, f->stuck);
  f->busy = false;
  retire(f);
  take_snapshot(f, time);
  if (f->type->forget && type_bytes(f->type) >= f->forget_at)
    frontier_forget(f);
  growth_collect(f);
}

/* The operation of the slot returns.  False: every configuration has placed it
 * already, and there is nothing to expand. */
static bool begin_return(struct frontier *f, uint32_t slot) {
  struct frontier_stage *g = &f->now;
  uint32_t n = 0;
  f->stuck = slot;
  for (uint32_t i = 0; i < g->set.len; i++)
    n += bit_of(config_at(&g->set, i)->mask, slot);
  bool all = n == g->set.len;
  set_clear(&f->work, g->words, g->set.len);
  set_clear(&f->done, g->words, g->set.len);
  vec_clear(&f->levels);
  vec_clear(&f->waiting);
  for (uint32_t i = 0; i < g->set.len; i++) {
    struct frontier_config *c = config_at(&g->set, i);
    bool placed = bit_of(c->mask, slot), maybe = bit_of(maybe_of(g, c), slot);
    bit_clear(c->mask, slot);
    bit_clear(maybe_of(g, c), slot);
    if (all)
      continue;
    if (!placed) {
      uint32_t k = set_add(&f->work, g, c);
      if (k != UINT32_MAX)
        frontier_wait(f, k);
    }
    if (maybe)
      c->node = growth_add(f, c->node, g->slots.at[slot].id | OVERWRITTEN);
    if (placed || maybe)
      set_add(&f->done, g, c);
  }
  f->busy = !all;
  return !all;
}

/* All of `work` has been expanded.  False: no configuration has placed the
 * operation that returns. */
static bool survives(struct frontier *f) {
  struct frontier_stage *g = &f->now;
  if (!f->done.live)
    return false;
  set_compact(&f->done);
  check_slow(f->done.len > 64 || set_check_invariants(&f->done, g));
  struct config_set t = g->set;
  g->set = f->done;
  f->done = t;
  return true;
}

static enum frontier_end decide(struct frontier *f, bool violated) {
  f->decided = true;
  f->violated = violated;
  return FRONTIER_DECIDED;
}

static bool may_go_on(struct frontier *f) {
  return !meter_is_due(f->m) || meter_look(f->m, f->type, frontier_bytes(f));
}

enum frontier_end frontier_run(struct frontier *f, struct meter *m,
                               uint64_t stop) {
  struct frontier_stage *g = &f->now;
  f->m = m;
  while (!f->decided) {
    if (!may_go_on(f))
      return FRONTIER_LIMIT;
    if (m->steps >= stop)
      return FRONTIER_PAUSED;
    m->steps++;
    if (f->busy) {
      uint32_t i = frontier_take(f);
      if (i != UINT32_MAX)
        frontier_expand(f, i);
      else if (!survives(f))
        return decide(f, true);
      else
        end_return(f);
      continue;
    }
    uint32_t slot = stage_next_return(g), time = f->cut;
    if (slot != NO_SLOT)
      time = g->slots.at[slot].op->op->ret;
    if (g->next_call < f->p->nops && f->p->ops[g->next_call].op->call < time) {
      if (f->p->ops[g->next_call].op->call >= f->until)
        return FRONTIER_PAUSED;
      if (!call(f)) {
        f->lacking = true;
        return FRONTIER_LIMIT;
      }
    } else if (slot == NO_SLOT) {
      return decide(f, false);
    } else if (time >= f->until) {
      return FRONTIER_PAUSED;
    } else if (!begin_return(f, slot)) {
      end_return(f);
    }
  }
  return FRONTIER_DECIDED;
}

/* Whether the history up to `cut` has no order; -1: not known. */
static int bad_until(struct frontier *f, uint32_t cut) {
  struct frontier *g = frontier_again(f, cut);
  enum frontier_end end = frontier_run(g, f->m, UINT64_MAX);
  int bad = end == FRONTIER_DECIDED ? g->violated : -1;
  frontier_free(g);
  return bad;
}

/* The last return of an operation called before `time`.  The history up to
 * there has no order: it knows all results that the configurations knew. */
static uint32_t last_return(const struct log_problem *p, uint32_t time) {
  uint32_t last = time;
  for (uint32_t i = 0; i < p->nops && p->ops[i].op->call < time; i++)
    if (!op_is_pending(&p->ops[i]) && p->ops[i].op->ret > last)
      last = p->ops[i].op->ret;
  return last;
}

/*
 * The first return with which the history has no order.  The configurations
 * know what open operations will return; a prefix of the history does not.  So
 * the first bad prefix may be a later one.  It is searched among the returns
 * from that time on, in steps that double.
 *   enq(1)  enq(2)  a: deq()…  deq() = 2  a: … = 3
 *   stuck at deq() = 2, since a did not take 1; up to there it still could
 */
static uint32_t first_bad(struct frontier *f, uint32_t time,
                          int (*bad)(struct frontier *, uint32_t)) {
  /* Hints concern operations that are called later, too. */
  uint32_t last = f->hints.len ? LOG_PENDING - 1 : last_return(f->p, time);
  uint32_t n, *at = returns_from(f->p, time, last, &n), lo = 0, hi = 0;
  while (hi + 1 < n && at[hi] < last)
    hi++;
  bool near = true; /* no bad prefix is known yet */
  for (uint32_t stride = 0; lo < hi; stride = 2 * stride + 1) {
    uint32_t probe =
        near && stride < hi - lo ? lo + stride : lo + (hi - lo) / 2;
    int is = bad(f, at[probe]);
    if (is < 0) {
      free(at);
      return UINT32_MAX;
    }
    near &= !is;
    if (is)
      hi = probe;
    else
      lo = probe + 1;
  }
  uint32_t found = n ? at[lo] : time;
  free(at);
  return op_returned_at(f->p, found);
}

static int bad_from_scratch(struct frontier *f, uint32_t cut) {
  stage_free(&f->older);
  stage_init(&f->older, f->type->initial);
  return bad_until(f, cut);
}

uint32_t first_bad_return(const struct log_problem *p, uint32_t from,
                          struct meter *m) {
  struct frontier *f = frontier_new(p);
  f->m = m;
  uint32_t at = first_bad(f, from, bad_from_scratch);
  frontier_free(f);
  return at;
}

/* The configuration that has placed most operations, of those that cannot place
 * the one that returns; returns its node. */
static uint32_t longest(struct frontier *f) {
  uint32_t best = 0, most = 0;
  for (uint32_t i = 0; i < f->work.len; i++) {
    const struct frontier_config *c = config_at(&f->work, i);
    uint32_t n = 1;
    if (c->state == NO_STATE)
      continue;
    for (uint32_t w = 0; w < f->now.words; w++)
      n += (uint32_t)__builtin_popcountll((c->mask[w] & ~f->now.crashed[w]) |
                                          c->mask[f->now.words + w]);
    if (n > most) {
      most = n;
      best = i;
    }
  }
  /* All maybe bits count as placed. */
  struct frontier_config *c = config_at(&f->work, best);
  uint32_t node = c->node;
  for (uint32_t i = 0; i < f->now.slots.len; i++)
    if (bit_of(maybe_of(&f->now, c), i))
      node = growth_add(f, node, f->now.slots.at[i].id | OVERWRITTEN);
  return node;
}

static void answer_violation(struct frontier *f, struct log_answer *out) {
  const struct frontier_slot *s = &f->now.slots.at[f->stuck];
  out->verdict = LOG_VIOLATION;
  growth_order(f, longest(f), out);
  answer_core(f->p, f->hints.len ? LOG_PENDING : s->op->op->ret, out);
  /* With hints, an earlier stage knows too much. */
  out->at =
      first_bad(f, s->op->op->ret, f->hints.len ? bad_from_scratch : bad_until);
  answer_check_cut(f->p, out);
}

static uint32_t reached(const struct frontier *f) {
  uint32_t slot = f->busy ? f->stuck : stage_next_return(&f->now);
  if (slot != NO_SLOT)
    return f->now.slots.at[slot].id;
  return f->now.next_call ? f->now.next_call - 1 : UINT32_MAX;
}

void frontier_answer(struct frontier *f, struct meter *m, bool want_order,
                     struct log_answer *out) {
  f->m = m;
  out->method = "frontier";
  meter_look(m, f->type, frontier_bytes(f));
  out->at = UINT32_MAX;
  if (!f->decided) {
    out->verdict = LOG_UNKNOWN;
    out->limit = m->limit;
    out->at = reached(f);
  } else if (f->violated) {
    answer_violation(f, out);
  } else {
    out->verdict = LOG_LINEARIZABLE;
    if (want_order)
      growth_order(f, config_at(&f->now.set, 0)->node, out);
  }
  out->steps = m->steps;
  out->bytes = m->bytes;
}

void check_frontier(const struct log_problem *p, const struct log_budget *b,
                    bool want_order, struct log_answer *out) {
  struct meter m = {.budget = b};
  struct frontier *f = frontier_new(p);
  log_answer_free(out);
  *out = (struct log_answer){0};
  frontier_run(f, &m, UINT64_MAX);
  frontier_answer(f, &m, want_order, out);
  frontier_free(f);
}
