/*
 * What the tests of the engine under TSO share: random operations, sets of
 * outcomes, and the searches that must find them.
 */
#ifndef TSO_OUTCOMES_H
#define TSO_OUTCOMES_H

#include "engine.h"
#include "tso_machine.h"

enum { VARS = 2 };

static struct tso_op random_op(struct rng *rng) {
  uint8_t var = (uint8_t)rng_below(rng, VARS);
  uint8_t value = (uint8_t)(1 + rng_below(rng, 3));
  switch (rng_below(rng, 12)) {
  case 0:
    return (struct tso_op)TSO_F;
  case 1:
    return (struct tso_op)TSO_X(var, value);
  case 2:
    return (struct tso_op)TSO_A(var, 1);
  case 3:
    return (struct tso_op)TSO_SCW(var, value);
  case 4:
  case 5:
  case 6:
  case 7:
    return (struct tso_op)TSO_R(var);
  }
  return (struct tso_op)TSO_W(var, value);
}

struct outcomes {
  VEC(struct hash128) at;
};

static void add_outcome(struct outcomes *o, const int *results, uint32_t n) {
  struct hash128 h = hash128(results, n * sizeof *results, 0);
  for (uint32_t i = 0; i < o->at.len; i++)
    if (hash128_equal(o->at.at[i], h))
      return;
  vec_push(&o->at, h);
}

static bool same_outcomes(const struct outcomes *a, const struct outcomes *b) {
  for (uint32_t i = 0; i < a->at.len; i++) {
    bool there = false;
    for (uint32_t k = 0; k < b->at.len; k++)
      there |= hash128_equal(a->at.at[i], b->at.at[k]);
    if (!there)
      return false;
  }
  return a->at.len == b->at.len;
}

enum search { DFS, STATEFUL, UNREDUCED, DPOR, SEARCHES };
static const char *const search_name[] = {"dfs", "stateful", "unreduced",
                                          "dpor"};

#endif
