/* What all strategies do after an execution: count, judge, look at budgets. */
#include "search/explore.h"

#include "base/clock.h"

#include <assert.h>

bool explore_is_late(const struct explore *x) {
  bool is = x->deadline && clock_now() > x->deadline;
  if (is && x->late)
    *x->late = true;
  return is;
}

static void keep_bad(struct explore *x, void (*current)(void *ctx, path *out),
                     void *ctx) {
  path p = {0};
  x->bad_count++;
  if (!current)
    return;
  current(ctx, &p);
  path_put_marks(&p);
  uint32_t switches = path_switches(p.at, p.len);
  if (x->bad_count > 1 && switches >= x->bad_switches) {
    vec_free(&p);
    return;
  }
  vec_free(&x->bad);
  x->bad = p;
  x->bad_switches = switches;
}

void explore_begin_graphs(struct explore *x) { x->by_graph = rt_c11(); }

void explore_end_graphs(struct explore *x) {
  map128_free(&x->graphs);
  x->by_graph = false;
}

/* Executions that end differently count as different graphs: those that a fault
 * ended are beginnings of graphs. */
static bool is_repeated(struct explore *x, enum rt_end how) {
  bool fresh;
  uint64_t end[2] = {how, how == RT_FAULT ? rt_fault()->kind : 0};
  struct hash128 h = hash128_join(rt_graph_hash(), hash128(end, sizeof end, 0));
  map128_put(&x->graphs, h, &fresh);
  return !fresh;
}

bool explore_judge(struct explore *x, enum rt_end how,
                   void (*current)(void *ctx, path *out), void *ctx,
                   enum explore_end *end) {
  assert(x->judge.ended);
  assert(how != RT_STOPPED); /* it has ended */
  x->steps += rt_steps();
  if (how == RT_LEFT_OUT) {
    x->left_out++;
    return true;
  }
  if (x->by_graph && is_repeated(x, how)) {
    x->repeated++;
    return true;
  }
  *(how == RT_CUT ? &x->cut : &x->executions) += 1;
  switch (x->judge.ended(x->judge.ctx, how)) {
  case JUDGE_GOOD:
    return true;
  case JUDGE_STOP:
    *end = EXPLORE_STOPPED;
    return false;
  case JUDGE_BAD:
    break;
  }
  keep_bad(x, current, ctx);
  assert(x->bad_count <= x->executions + x->cut);
  if (x->all)
    return true;
  *end = EXPLORE_BAD;
  return false;
}

bool explore_budget(struct explore *x, uint64_t work, enum explore_end *end) {
  if (x->max_executions &&
      x->executions + x->cut + x->left_out + x->repeated >= x->max_executions) {
    *end = EXPLORE_EXECUTIONS;
    return false;
  }
  if (work % 64) /* a clock is dear */
    return true;
  if (x->heartbeat)
    ++*x->heartbeat;
  if (x->work)
    *x->work = x->states ? x->states : x->executions;
  if (explore_is_late(x)) {
    *end = EXPLORE_TIME;
    return false;
  }
  return true;
}

void explore_again(struct explore *x) {
  if (x->judge.again)
    x->judge.again(x->judge.ctx);
  x->executions = x->cut = x->left_out = x->blocked = x->bad_count = 0;
  x->repeated = 0;
  map128_clear(&x->graphs);
  vec_clear(&x->bad);
}

void leftover_free(struct leftover *l) {
  vec_free(&l->bytes);
  vec_free(&l->ends);
  vec_free(&l->share);
}
