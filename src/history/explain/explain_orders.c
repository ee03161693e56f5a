/*
 * The longest orders of a core: all orders that the type agrees with are
 * walked, each set of operations with a state once, and those that cannot go on
 * and are longest are kept.  For a large core it is one order: the one that the
 * search reached, continued as far as it goes.
 */
#include "base/map128.h"
#include "base/rng.h"
#include "history/explain/explain_int.h"

#include <string.h>

enum {
  MOST_OPS = 64, /* a core with more is large */
  MOST_PARTIALS = 8,
  MOST_STEPS = 200000,
  MOST_STATES = 64,
  MOST_REFUSALS = 64,
  MOST_LARGE = 5000, /* operations; effort grows with their square */
};

struct orders_walk {
  const struct log_problem *p;
  const uint32_t *ids; /* of the core's operations, in the log */
  struct log_explained *out;
  const struct log_budget *budget;
  struct meter meter;
  struct map128 seen;
  uint32_t path[MOST_OPS];
  uint32_t best;
};

/* Whether hints order a before b.  A pending operation need not come, but if it
 * does, it comes in order. */
static bool is_ordered(const struct log_op *a, const struct log_op *b) {
  return a->order != LOG_NO_HINT && b->order != LOG_NO_HINT &&
         a->order < b->order;
}

static bool may_come(const struct orders_walk *w, uint64_t placed, uint32_t i) {
  const struct log_op *a = w->p->ops[i].op;
  for (uint32_t k = 0; k < w->p->nops; k++) {
    const struct log_op *b = w->p->ops[k].op;
    if (placed >> k & 1
            ? is_ordered(a, b)
            : k != i && (b->ret < a->call ||
                         (b->ret != LOG_PENDING && is_ordered(b, a))))
      return false;
  }
  return true;
}

static void forget_partials(struct log_explained *x) {
  struct log_explained old = {0};
  memcpy(&old.partials, &x->partials, sizeof old.partials);
  memset(&x->partials, 0, sizeof x->partials);
  x->more_partials = false;
  log_explained_free(&old);
}

static char *would_return(struct type *t, uint32_t state,
                          const struct type_op *o) {
  struct buf b = {0};
  char *text = NULL;
  if (t->answer && t->answer(t, state, o, &b))
    text = xstrdup(buf_text(&b));
  buf_free(&b);
  return text;
}

static void keep(struct orders_walk *w, uint64_t placed, uint32_t state,
                 uint32_t len) {
  if (len > w->best)
    forget_partials(w->out);
  w->best = len;
  if (w->out->partials.len == MOST_PARTIALS) {
    w->out->more_partials = true;
    return;
  }
  struct log_partial p = {0};
  struct buf b = {0};
  for (uint32_t i = 0; i < len; i++)
    vec_push(&p.order, w->ids[w->path[i]]);
  for (uint32_t i = 0; i < w->p->nops; i++)
    if (!(placed >> i & 1) && may_come(w, placed, i) &&
        !op_is_pending(&w->p->ops[i]))
      vec_push(&p.refusals,
               ((struct log_refusal){
                   w->ids[i], would_return(w->p->type, state, &w->p->ops[i])}));
  if (w->p->type->print_state) {
    w->p->type->print_state(w->p->type, state, &b);
    p.state = xstrdup(buf_text(&b));
  }
  buf_free(&b);
  vec_push(&w->out->partials, p);
}

static bool is_new(struct orders_walk *w, uint64_t placed, uint32_t state) {
  struct rng r = {placed ^ (uint64_t)state * UINT64_C(0x9e3779b97f4a7c15)};
  struct hash128 key = {rng_next(&r), placed + state};
  bool fresh;
  map128_put(&w->seen, key, &fresh);
  return fresh;
}

static void go(struct orders_walk *w, uint64_t placed, uint32_t state,
               uint32_t len) {
  bool on = false;
  if (!is_new(w, placed, state) || w->meter.limit)
    return;
  for (uint32_t i = 0; i < w->p->nops; i++) {
    uint32_t next[TYPE_NEXT];
    if (placed >> i & 1 || !may_come(w, placed, i))
      continue;
    if (++w->meter.steps > w->meter.look)
      meter_look(&w->meter, w->p->type, map128_bytes_soon(&w->seen));
    uint32_t n = w->p->type->step(w->p->type, state, &w->p->ops[i], next);
    w->path[len] = i;
    for (uint32_t k = 0; k < n; k++)
      go(w, placed | UINT64_C(1) << i, next[k], len + 1);
    on |= n > 0;
  }
  if (!on && len >= w->best)
    keep(w, placed, state, len);
}

/* ---- large cores ---- */

/* One order, the states after it, and by operation whether it is in it. */
struct orders_path {
  const struct log_problem *p;
  op_vec order;
  uint8_t *placed;
  VEC(uint32_t) states; /* of a type with several, at most MOST_STATES */
};

static bool can_be_next(const struct orders_path *t, uint32_t i) {
  const struct log_op *a = t->p->ops[i].op;
  for (uint32_t k = 0; k < t->p->nops; k++) {
    const struct log_op *b = t->p->ops[k].op;
    if (t->placed[k] ? is_ordered(a, b)
                     : k != i && (b->ret < a->call ||
                                  (b->ret != LOG_PENDING && is_ordered(b, a))))
      return false;
  }
  return true;
}

static void add_state(struct orders_path *t, uint32_t state) {
  for (uint32_t i = 0; i < t->states.len; i++)
    if (t->states.at[i] == state)
      return;
  if (t->states.len < MOST_STATES)
    vec_push(&t->states, state);
}

/* Appends the operation to the path, if the type agrees. */
static bool follow(struct orders_path *t, uint32_t i) {
  uint32_t from[MOST_STATES], n = t->states.len, next[TYPE_NEXT];
  memcpy(from, t->states.at, n * sizeof *from);
  t->states.len = 0;
  for (uint32_t s = 0; s < n; s++) {
    uint32_t some = t->p->type->step(t->p->type, from[s], &t->p->ops[i], next);
    for (uint32_t k = 0; k < some; k++)
      add_state(t, next[k]);
  }
  if (t->states.len) {
    vec_push(&t->order, i);
    t->placed[i] = 1;
    return true;
  }
  for (uint32_t s = 0; s < n; s++)
    vec_push(&t->states, from[s]);
  return false;
}

/* Appends one more operation.  Pending ones need not come: those that the
 * search used are enough. */
static bool go_on(struct orders_path *t) {
  for (uint32_t i = 0; i < t->p->nops; i++)
    if (!t->placed[i] && !op_is_pending(&t->p->ops[i]) && can_be_next(t, i) &&
        follow(t, i))
      return true;
  return false;
}

/* The operations that could come next, and what they would have to return. */
static void put_refusals(const struct orders_path *t, const uint32_t *ids,
                         struct log_partial *out) {
  struct type *type = t->p->type;
  for (uint32_t i = 0; i < t->p->nops && out->refusals.len < MOST_REFUSALS; i++)
    if (!t->placed[i] && !op_is_pending(&t->p->ops[i]) && can_be_next(t, i))
      vec_push(&out->refusals,
               ((struct log_refusal){ids[i], would_return(type, t->states.at[0],
                                                          &t->p->ops[i])}));
}

static void take_one(const struct log_problem *p, const uint32_t *ids,
                     const struct log_budget *b, struct log_explained *out) {
  struct log_answer a = {0};
  struct log_partial partial = {0};
  struct orders_path t = {.p = p, .placed = xcalloc(p->nops + 1, 1)};
  struct buf state = {0};
  check_exact(p, b, true, &a);
  vec_push(&t.states, p->type->initial);
  for (uint32_t i = 0; i < a.order.len && follow(&t, a.order.at[i]);)
    i++;
  bool pairs = p->nops <= MOST_LARGE;
  while (pairs && go_on(&t))
    ;
  for (uint32_t i = 0; i < t.order.len; i++)
    vec_push(&partial.order, ids[t.order.at[i]]);
  if (pairs)
    put_refusals(&t, ids, &partial);
  if (p->type->print_state) {
    p->type->print_state(p->type, t.states.at[0], &state);
    partial.state = xstrdup(buf_text(&state));
  }
  vec_push(&out->partials, partial);
  out->more_partials = true;
  buf_free(&state);
  vec_free(&t.order);
  vec_free(&t.states);
  free(t.placed);
  log_answer_free(&a);
}

void explain_orders(const struct log_problem *core, const uint32_t *ids,
                    const struct log_budget *b, struct log_explained *out) {
  struct log_budget few = *b;
  few.steps = MOST_STEPS;
  if (core->nops > MOST_OPS) {
    take_one(core, ids, &few, out);
    return;
  }
  struct orders_walk w = {
      .p = core, .ids = ids, .out = out, .meter.budget = &few};
  go(&w, 0, core->type->initial, 0);
  out->more_partials |= w.meter.limit != NULL;
  map128_free(&w.seen);
}
