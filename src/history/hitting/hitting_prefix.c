/* The operations of a history, numbered for prefixes. */
#include "history/hitting/hitting_prefix.h"

#include <stdlib.h>

/* Those that returned, and of the pending ones that can have an effect the
 * `completed`, a bit each. */
static void choose_ops(struct depth_ops *o, const struct log_problem *p,
                       uint32_t completed) {
  uint32_t pending = 0;
  for (uint32_t i = 0; i < p->nops; i++) {
    bool takes = !op_is_pending(&p->ops[i]);
    if (is_effectful_pending(&p->ops[i]))
      takes = completed >> pending++ & 1;
    if (!takes)
      continue;
    const struct log_op *op = p->ops[i].op;
    o->op[o->n] = i;
    o->call[o->n] = op->call;
    o->ret[o->n] = op->ret == LOG_PENDING ? LOG_PENDING - p->nops + i : op->ret;
    o->hint[o->n++] = op->order;
  }
}

static void sort_returns(struct depth_ops *o) {
  for (uint32_t i = 0; i < o->n; i++) {
    uint32_t k = i;
    for (; k && o->ret[o->returns[k - 1]] > o->ret[i]; k--)
      o->returns[k] = o->returns[k - 1];
    o->returns[k] = i;
  }
  for (uint32_t k = 0; k < o->n; k++)
    o->rank[o->returns[k]] = k;
}

/* False: too many operations are open at one time. */
static bool give_slots(struct depth_ops *o) {
  uint64_t used = 0;
  for (uint32_t i = 0, k = 0; i < o->n; i++) {
    for (; o->ret[o->returns[k]] < o->call[i]; k++)
      used &= ~((uint64_t)1 << o->slot[o->returns[k]]);
    if (used == UINT64_MAX)
      return false;
    o->slot[i] = (uint8_t)__builtin_ctzll(~used);
    used |= (uint64_t)1 << o->slot[i];
  }
  return true;
}

static void find_callable(struct depth_ops *o) {
  for (uint32_t k = 0, called = 0; k < o->n; k++) {
    uint32_t ret = o->ret[o->returns[k]], from = o->callable.len;
    o->first[k] = from;
    if (k) /* what could come before and has not returned */
      for (uint32_t i = o->first[k - 1]; i < from; i++)
        if (o->ret[o->callable.at[i]] >= ret)
          vec_push(&o->callable, o->callable.at[i]);
    for (; called < o->n && o->call[called] < ret; called++)
      vec_push(&o->callable, called);
  }
  o->first[o->n] = o->first[o->n + 1] = o->callable.len;
}

bool ops_open(struct depth_ops *o, const struct log_problem *p,
              uint32_t completed) {
  size_t n = p->nops + 2;
  o->op = xcalloc(n, sizeof *o->op);
  o->call = xcalloc(n, sizeof *o->call);
  o->ret = xcalloc(n, sizeof *o->ret);
  o->hint = xcalloc(n, sizeof *o->hint);
  o->rank = xcalloc(n, sizeof *o->rank);
  o->returns = xcalloc(n, sizeof *o->returns);
  o->slot = xcalloc(n, sizeof *o->slot);
  o->first = xcalloc(n, sizeof *o->first);
  choose_ops(o, p, completed);
  sort_returns(o);
  bool ok = give_slots(o);
  if (ok)
    find_callable(o);
  return ok;
}

void ops_close(struct depth_ops *o) {
  free(o->op);
  free(o->call);
  free(o->ret);
  free(o->hint);
  free(o->rank);
  free(o->returns);
  free(o->slot);
  free(o->first);
  vec_free(&o->callable);
}
