/*
 * PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010; we keep their
 * names.  n threads, k steps, d the depth of a bug: how many pairs of steps
 * must come in a given order for it to show.
 *
 * Differs: k is not given.  It is the length of the longest execution so far
 * in which no thread had to give way; the first execution, which has nothing
 * to go by, is a random walk, so fair that it hardly ever spins.  Threads that
 * the code creates get their random priority when they first appear.
 *
 * Differs: a change point before step k_i lowers the thread that would make
 * that step.  PCT lowers the thread that has just made step k_i, and so never a
 * thread that has not begun; then (A) does not hold for more than two threads
 * and three orders:
 *     T1: a a'   T2: b   T3: c     b between a and a', c behind a'
 * T1 has to fall behind a, and as T3 is above it then, c comes before a' unless
 * T3 falls as well, before its first step.
 *
 * (A) an execution meets a given bug of depth d with probability at least
 *     1/(n k^(d-1)), if no execution is longer than k and none spins.
 *                                              tests/unit/search/pct_exact.c
 * (B) without change points to come, threads run one after the other.
 */
#include "search/pct.h"

#include "base/slow.h"

#include <assert.h>
#include <string.h>

/* A thread that yields says that it waits. */
enum { YIELD_COSTS = 64 };

void pct_begin(struct pct *p) {
  p->known = 0;
  p->lowest = 0;
  p->unfair = false;
  memset(p->starving, 0, sizeof p->starving);
}

static void meet(struct pct *p, uint32_t fresh) {
  for (; fresh; fresh &= fresh - 1) {
    int t = __builtin_ctz(fresh);
    /* P1 and P2; two are equal with a probability of 2^-62, which is ignored.
     */
    p->priority[t] = (int64_t)sample_below(&p->s, PCT_RANKS) + PCT_MAX_DEPTH;
    p->known |= 1u << t;
  }
}

static int highest(const struct pct *p, uint32_t enabled) {
  int best = __builtin_ctz(enabled);
  for (enabled &= enabled - 1; enabled; enabled &= enabled - 1) {
    int t = __builtin_ctz(enabled);
    if (p->priority[t] > p->priority[best])
      best = t;
  }
  return best;
}

void pct_lower(struct pct *p, uint32_t enabled, uint32_t i) {
  assert(i >= 1 && i < p->depth);
  meet(p, enabled & ~p->known);
  p->priority[highest(p, enabled)] = (int64_t)i; /* P2, P1: i is used once */
}

/* P1, of the threads that have a priority. */
static bool all_differ(const struct pct *p) {
  for (uint32_t left = p->known; left; left &= left - 1)
    for (uint32_t k = left & (left - 1); k; k &= k - 1)
      if (p->priority[__builtin_ctz(left)] == p->priority[__builtin_ctz(k)])
        return false;
  return true;
}

int pct_next(struct pct *p, uint32_t enabled, int current, uint64_t k) {
  uint64_t patience = 2 * k > PCT_PATIENCE ? 2 * k : PCT_PATIENCE;
  meet(p, enabled & ~p->known);
  check_slow(all_differ(p)); /* P1 */
  if (sample_stays(&p->s, enabled, current))
    return sample_took(&p->s, enabled, current, current);
  int t = highest(p, enabled);
  uint32_t others = enabled & ~(1u << t);
  if (!others)
    return sample_took(&p->s, enabled, current, t);
  struct rt_access a;
  rt_pending(t, &a);
  uint32_t price = a.kind == EV_YIELD ? YIELD_COSTS : 1;
  for (uint32_t left = others; left; left &= left - 1) {
    int o = __builtin_ctz(left);
    p->starving[o] += price;
    if (p->starving[o] > patience) {
      /* The threads that ran instead have higher priorities: all of them fall,
       * one after the other, until it is the highest. */
      p->priority[t] = --p->lowest;
      p->unfair = true;
      t = highest(p, enabled);
      break;
    }
  }
  p->starving[t] = 0;
  return sample_took(&p->s, enabled, current, t);
}

uint32_t pct_depth(const struct explore *x) {
  uint32_t d = x->depth ? x->depth : PCT_DEPTH;
  return d < PCT_MAX_DEPTH ? d : PCT_MAX_DEPTH;
}

void pct_bound(struct explore *x, uint32_t depth) {
  x->bound = 1 / (double)(x->threads ? x->threads : 1);
  for (uint32_t i = 1; i < depth; i++)
    x->bound /= (double)(x->length ? x->length : 1);
}

struct pct_sampling {
  struct pct p;
  uint64_t k; /* steps of the longest fair execution so far; 0: none yet */
  uint64_t point[PCT_MAX_DEPTH]; /* change point i: before that step, from 1 */
};

static void begin(void *ctx) {
  struct pct_sampling *s = ctx;
  pct_begin(&s->p);
  for (uint32_t i = 1; i < s->p.depth; i++)
    s->point[i] = s->k ? 1 + sample_below(&s->p.s, s->k) : 0;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  struct pct_sampling *s = ctx;
  if (!s->k) {
    s->p.known |= enabled;
    int t = sample_stays(&s->p.s, enabled, current)
                ? current
                : sample_pick_any(&s->p.s, enabled);
    return sample_took(&s->p.s, enabled, current, t);
  }
  for (uint32_t i = 1; i < s->p.depth; i++)
    if (s->point[i] == s->p.s.picks + 1)
      pct_lower(&s->p, enabled, i);
  return pct_next(&s->p, enabled, current, s->k);
}

void pct_end(struct pct *p, enum rt_end how, uint64_t *longest) {
  struct explore *x = p->s.x;
  uint32_t n = (uint32_t)__builtin_popcount(p->known);
  if (n > x->threads)
    x->threads = n;
  if (how != RT_CUT && !p->unfair && p->s.picks > *longest)
    *longest = p->s.picks;
}

static void end(void *ctx, enum rt_end how) {
  struct pct_sampling *s = ctx;
  pct_end(&s->p, how, &s->k);
}

enum explore_end explore_pct(struct explore *x) {
  static const struct sampler how = {pick, begin, end};
  struct pct_sampling s = {.p.depth = pct_depth(x)};
  x->threads = 0;
  enum explore_end end = sample_run(x, &how, &s.p.s);
  x->length = s.k;
  pct_bound(x, s.p.depth);
  return end;
}
