/*
 * Partial-order sampling (POS): Yuan, Yang, Gu, CAV 2018.  Every pending access
 * has a random priority, the one with the highest is made, and the pending
 * accesses that race with it get new priorities.  So the order of two accesses
 * that race is drawn anew each time.  An access that races with none does not
 * change who comes first: long stretches without races cost nothing.
 *     T1: l l l l x    T2: y    (l races with none): x before y in 1 of 6
 *
 * Differs: operations on locks, condition variables and the like race with each
 * other when they touch the same bytes.
 *
 * (A) m accesses of one thread that race with nobody, then one that does,
 *     against one of another thread: the long way comes first with probability
 *     1/(m + 2); a random walk would give 2^-(m + 1).
 *                                                  tests/unit/search/pct_pos.c
 */
#include "search/sample.h"

#include <assert.h>

struct pos_sampling {
  struct sample s;
  uint32_t known, ever; /* masks: threads that have a pending access, had one */
  uint64_t priority[RT_MAX_THREADS];
  struct rt_access pending[RT_MAX_THREADS];
};

static bool writes(uint8_t kind) {
  return event_writes[kind] || !event_reads[kind];
}

static bool race(const struct rt_access *a, const struct rt_access *b) {
  return a->addr < b->addr + b->size && b->addr < a->addr + a->size &&
         (writes(a->kind) || writes(b->kind));
}

static bool same(const struct rt_access *a, const struct rt_access *b) {
  return a->kind == b->kind && a->addr == b->addr && a->size == b->size;
}

static void begin(void *ctx) { ((struct pos_sampling *)ctx)->known = 0; }

static int pick(void *ctx, uint32_t enabled, int current) {
  struct pos_sampling *s = ctx;
  struct rt_access last = {0};
  if (s->s.picks) {
    last = s->pending[current];
    s->known &= ~(1u << current);
  }
  int best = -1;
  for (uint32_t left = enabled; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    struct rt_access now;
    rt_pending(t, &now);
    /* A thread that was let go on without a step (a join) has another one. */
    if (!(s->known >> t & 1) || !same(&now, &s->pending[t]) ||
        race(&now, &last)) {
      s->pending[t] = now;
      s->priority[t] = rng_next(&s->s.rng);
      s->known |= 1u << t;
    }
    if (best < 0 || s->priority[t] > s->priority[best])
      best = t;
  }
  assert(best >= 0);
  s->ever |= enabled;
  if (sample_stays(&s->s, enabled, current))
    best = current;
  return sample_took(&s->s, enabled, current, best);
}

static void end(void *ctx, enum rt_end how) {
  struct pos_sampling *s = ctx;
  struct explore *x = s->s.x;
  if (how != RT_CUT && s->s.picks > x->length)
    x->length = s->s.picks;
}

enum explore_end explore_pos(struct explore *x) {
  static const struct sampler how = {pick, begin, end};
  struct pos_sampling s = {0};
  x->length = 0;
  enum explore_end end = sample_run(x, &how, &s.s);
  x->threads = (uint32_t)__builtin_popcount(s.ever);
  return end;
}
