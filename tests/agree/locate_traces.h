/*
 * Random small traces for the tests of locate/: a few threads, each with a few
 * operations of a few accesses to a few bytes, of one or two bytes, interleaved
 * at random; sometimes memory begins a new life.
 */
#ifndef AGREE_LOCATE_TRACES_H
#define AGREE_LOCATE_TRACES_H

#include "base/rng.h"
#include "base/vec.h"
#include "locate/conflict.h"

#include <stdio.h>

struct shape {
  uint32_t threads, ops,
      accesses;   /* at most: threads, ops each, accesses each */
  uint32_t nodes; /* at most, over all */
  uint32_t bytes;
  uint32_t fresh; /* one in so many steps is FRESH; 0 is none */
};

struct plan {
  uint32_t op;   /* of the thread, from 0 */
  uint32_t left; /* accesses of it */
  uint32_t ops;  /* it will have */
};

static struct access some_access(struct rng *r, const struct shape *s) {
  struct access a = {.kind = rng_below(r, 2) ? ACCESS_WRITE : ACCESS_READ};
  a.size = 1 + rng_below(r, 2);
  a.addr = 1000 + rng_below(r, s->bytes);
  if (s->fresh && !rng_below(r, s->fresh))
    a.kind = ACCESS_FRESH;
  return a;
}

/* One step of thread t; false when it has ended. */
static bool plan_step(struct rng *r, const struct shape *s, struct plan *p,
                      uint32_t t, uint32_t *nodes, struct accesses *out) {
  if (p->op == p->ops)
    return false;
  struct access a = some_access(r, s);
  a.thread = 10 + t;
  a.op = 100 * t + p->op;
  a.event = out->len;
  if (a.kind == ACCESS_FRESH) {
    vec_push(out, a);
    return true;
  }
  if (*nodes < s->nodes) {
    ++*nodes;
    vec_push(out, a);
  }
  if (--p->left)
    return true;
  a.kind = ACCESS_RETURN;
  a.size = 0;
  vec_push(out, a);
  p->op++;
  p->left = 1 + (uint32_t)rng_below(r, s->accesses);
  return true;
}

__attribute__((unused)) static void
random_trace(struct rng *r, const struct shape *s, struct accesses *out) {
  struct plan plans[16] = {{0}};
  uint32_t threads = 2 + (uint32_t)rng_below(r, s->threads - 1), nodes = 0;
  for (uint32_t t = 0; t < threads; t++) {
    plans[t].left = 1 + (uint32_t)rng_below(r, s->accesses);
    plans[t].ops = 1 + (uint32_t)rng_below(r, s->ops);
  }
  out->len = 0;
  for (uint32_t idle = 0; idle < 200;) {
    uint32_t t = (uint32_t)rng_below(r, threads);
    idle = plan_step(r, s, &plans[t], t, &nodes, out) ? 0 : idle + 1;
  }
}

__attribute__((unused)) static void print_trace(const struct accesses *a) {
  static const char *const words[] = {"read", "write", "fresh", "return"};
  for (uint32_t i = 0; i < a->len; i++)
    fprintf(stderr, "  %u: thread %u op %u %s %u+%u\n", i, a->at[i].thread,
            a->at[i].op, words[a->at[i].kind], (unsigned)a->at[i].addr,
            (unsigned)a->at[i].size);
}

#endif
