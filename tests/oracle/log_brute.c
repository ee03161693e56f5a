/*
 * The definition: tries every order of every choice of operations.
 *
 * (K1) an order holds every operation that returned, and may hold pending ones.
 * (K2) one that returned before another was called comes before it.
 * (K3) of two that have a hint, the one with the smaller hint comes first.
 * (K4) the type explains it from its initial state on.
 */
#include "oracle/log_brute.h"

#include "oracle/log_cut.h"

#include <assert.h>
#include <string.h>

enum { MOST = 16 };

struct brute {
  const struct log_problem *p;
  uint32_t order[MOST], len;
  bool placed[MOST];
  uint32_t left;                        /* that returned and are not placed */
  uint32_t best[MOST], best_len, least; /* the longest order so far */
  uint64_t steps;
};

static bool comes_before(const struct log_op *a, const struct log_op *b) {
  if (a->ret < b->call)
    return true;
  return a->order != LOG_NO_HINT && b->order != LOG_NO_HINT &&
         a->order < b->order;
}

/* Whether `op` may come next: nothing that must precede it is still to come,
 * and nothing that must follow it has been. */
static bool may_come(const struct brute *b, uint32_t op) {
  const struct log_op *o = b->p->ops[op].op;
  for (uint32_t i = 0; i < b->p->nops; i++) {
    const struct log_op *other = b->p->ops[i].op;
    if (i == op)
      continue;
    if (b->placed[i] ? comes_before(o, other)
                     : other->ret != LOG_PENDING && comes_before(other, o))
      return false;
  }
  return true;
}

static void keep_longest(struct brute *b) {
  if (b->left >= b->least)
    return;
  b->least = b->left;
  b->best_len = b->len;
  memcpy(b->best, b->order, sizeof b->best);
}

static bool complete(struct brute *b, uint32_t state) {
  keep_longest(b);
  if (!b->left)
    return true;
  for (uint32_t i = 0; i < b->p->nops; i++) {
    if (b->placed[i] || !may_come(b, i))
      continue;
    uint32_t next[TYPE_NEXT];
    uint32_t n = b->p->type->step(b->p->type, state, &b->p->ops[i], next);
    bool returned = b->p->ops[i].op->ret != LOG_PENDING, found = false;
    b->placed[i] = true;
    b->order[b->len++] = i;
    b->left -= returned;
    b->steps++;
    for (uint32_t k = 0; k < n && !found; k++)
      found = complete(b, next[k]);
    if (found)
      return true;
    b->placed[i] = false;
    b->len--;
    b->left += returned;
  }
  return false;
}

static bool is_linearizable(struct brute *b, const struct log_problem *p) {
  assert(p->nops <= MOST);
  *b = (struct brute){.p = p, .least = UINT32_MAX};
  for (uint32_t i = 0; i < p->nops; i++)
    b->left += !op_is_pending(&p->ops[i]);
  return complete(b, p->type->initial);
}

static uint32_t shortest_bad(const struct log_problem *p) {
  uint32_t n, *returns = ops_by_return(p, &n), at = UINT32_MAX;
  for (uint32_t i = 0; i < n && at == UINT32_MAX; i++) {
    struct log_cut cut;
    struct brute b;
    if (log_cut_make(&cut, p, p->ops[returns[i]].op->ret) &&
        !is_linearizable(&b, &cut.problem))
      at = returns[i];
    log_cut_free(&cut);
  }
  free(returns);
  return at;
}

void check_log_brute(const struct log_problem *p, struct log_answer *out) {
  struct brute b;
  log_answer_free(out);
  *out = (struct log_answer){.method = "brute", .at = UINT32_MAX};
  bool yes = is_linearizable(&b, p);
  out->verdict = yes ? LOG_LINEARIZABLE : LOG_VIOLATION;
  out->steps = b.steps;
  for (uint32_t i = 0; i < b.best_len; i++)
    vec_push(&out->order, b.best[i]);
  if (yes)
    return;
  out->at = shortest_bad(p);
  answer_core(p, UINT32_MAX, out);
}
