/*
 * Sampling: executions one after the other, each from its own random numbers.
 * This is what the samplers share; each of them decides who steps next.
 *
 * (S1) before each execution the generator is seeded with the search's seed and
 *      the execution's number, so each of them can be made again.
 * (S2) when preemptions are bounded and used up, the current thread stays while
 *      it is enabled.  sample_took sees every pick.
 */
#ifndef SEARCH_SAMPLE_H
#define SEARCH_SAMPLE_H

#include "base/rng.h"
#include "search/explore.h"

struct sample {
  struct explore *x;
  struct rng rng;
  uint64_t number;    /* of this execution, from 0 */
  uint64_t picks;     /* steps of this execution so far */
  uint32_t preempted; /* how often a thread that could go on was left */
  path taken;
};

/* A number in [0, n); and true with probability 1/n. */
static inline uint64_t sample_below(struct sample *s, uint64_t n) {
  const struct dice *d = s->x->dice;
  return d ? d->below(d->ctx, n) : rng_below(&s->rng, n);
}
static inline bool sample_one_in(struct sample *s, uint64_t n) {
  const struct dice *d = s->x->dice;
  return d ? d->one_in(d->ctx, n) : !rng_below(&s->rng, n);
}

/* Must the current thread go on (S2)? */
static inline bool sample_stays(const struct sample *s, uint32_t enabled,
                                int current) {
  return s->x->bound_preemptions && s->preempted >= s->x->preemptions &&
         enabled >> current & 1;
}

/* Notes that `thread` steps next; returns it. */
int sample_took(struct sample *s, uint32_t enabled, int current, int thread);

/* For rt_driver.choose: each alternative is as likely. */
int sample_choose(void *sample, int n);

static inline int sample_pick_any(struct sample *s, uint32_t enabled) {
  uint32_t n = (uint32_t)__builtin_popcount(enabled);
  uint32_t k = (uint32_t)sample_below(s, n);
  while (k--)
    enabled &= enabled - 1;
  return __builtin_ctz(enabled);
}

struct sampler {
  int (*pick)(void *ctx, uint32_t enabled, int current);
  void (*begin)(void *ctx);                /* before each execution */
  void (*end)(void *ctx, enum rt_end how); /* after it */
};

/* `ctx` begins with its struct sample. */
enum explore_end sample_run(struct explore *x, const struct sampler *how,
                            struct sample *ctx);

#endif
