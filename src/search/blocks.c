/*
 * Which threads are in a block, and how many steps the block still has.
 *
 * Differs from D-PCT: when calls of an operation have ended, the mean of their
 * steps takes the place of the structure tree's estimate.  Loops inside of
 * loops make that a hundred times too large, and a single block is too short to
 * make up for it.
 */
#include "search/blocks.h"
#include "search/pct.h"

#include <assert.h>

enum { OPS = 64 }; /* operations with a mean; others have the estimate */

struct block_thread {
  uint32_t call, end; /* the thread's next call that is not done; its end */
  uint32_t until;     /* behind its calls of this block */
  uint32_t made;      /* steps of the call */
};

struct block_sampling {
  struct pct p;
  const struct blocks *how;
  const struct client *client;
  struct block_thread thread[RT_MAX_THREADS];
  struct {
    uint64_t steps, calls;
  } seen[OPS];
  uint64_t unused; /* mask of change points of the block */
};

static uint64_t estimate(const struct block_sampling *s, uint32_t call) {
  const struct explore *x = s->p.s.x;
  uint32_t op = s->client->calls[call].op;
  if (op < OPS && s->seen[op].calls)
    return (s->seen[op].steps + s->seen[op].calls - 1) / s->seen[op].calls;
  uint32_t n = call < x->nestimates ? x->estimate[call] : 0;
  return n ? n : 1;
}

static void begin(void *ctx) {
  struct block_sampling *s = ctx;
  const struct client *c = s->client;
  pct_begin(&s->p);
  for (int t = 0; t < RT_MAX_THREADS; t++)
    s->thread[t] = (struct block_thread){0};
  for (uint32_t i = c->ninit; i < client_first_final(c); i++) {
    struct block_thread *p = &s->thread[c->calls[i].thread];
    if (!p->end)
      p->call = p->until = i;
    p->end = i + 1;
  }
}

static void begin_block(struct block_sampling *s) {
  uint32_t n = s->client->nthreads;
  uint32_t alone = 1 + (uint32_t)sample_below(&s->p.s, n);
  pct_begin(&s->p);
  s->unused = (1ull << (s->p.depth < 63 ? s->p.depth : 63)) - 2;
  for (uint32_t t = 1; t <= n; t++) {
    struct block_thread *p = &s->thread[t];
    uint32_t calls = 1 + (uint32_t)sample_below(&s->p.s, s->how->most);
    if (s->how->one && t == alone)
      calls = 1;
    p->until = p->end - p->call < calls ? p->end : p->call + calls;
  }
}

/* Steps that are left of the block, as dpct.h counts them (remaining_odds). */
static uint64_t rest(const struct block_sampling *s) {
  uint64_t n = 0;
  bool outgrown = false;
  for (uint32_t t = 1; t <= s->client->nthreads; t++) {
    const struct block_thread *p = &s->thread[t];
    for (uint32_t i = p->call; i < p->until; i++)
      n += estimate(s, i);
    if (p->call == p->until)
      continue;
    uint64_t most = estimate(s, p->call);
    n -= p->made % most; /* D1, D2 */
    outgrown |= p->made >= most;
  }
  return n ? n + outgrown : 2; /* D5 */
}

static void end_call(struct block_sampling *s, struct block_thread *p) {
  assert(p->call < p->end);
  uint32_t op = s->client->calls[p->call++].op;
  if (op < OPS) {
    s->seen[op].steps += p->made;
    s->seen[op].calls++;
  }
  p->made = 0;
}

/* Threads that have calls of the block to make, and the object's own threads.
 */
static uint32_t in_block(struct block_sampling *s) {
  uint32_t mask = ~0u;
  for (uint32_t t = 1; t <= s->client->nthreads; t++) {
    struct block_thread *p = &s->thread[t];
    while (p->call < p->end && rt_call_done(p->call))
      end_call(s, p);
    if (p->call >= p->until)
      mask &= ~(1u << t);
  }
  return mask;
}

/* Without priorities. */
static int pick_any(struct block_sampling *s, uint32_t enabled, uint32_t can,
                    int current) {
  int t = sample_stays(&s->p.s, enabled, current)
              ? current
              : sample_pick_any(&s->p.s, can);
  return sample_took(&s->p.s, enabled, current, t);
}

static int pick(void *ctx, uint32_t enabled, int current) {
  struct block_sampling *s = ctx;
  uint32_t ours = ((2u << s->client->nthreads) - 1) & ~1u;
  uint32_t mask = in_block(s);
  if (!(mask & ours)) {
    begin_block(s);
    mask = in_block(s);
  }
  /* A thread of the block may wait for one that is not in it. */
  uint32_t can = enabled & mask ? enabled & mask : enabled;
  if (s->how->coin)
    return pick_any(s, enabled, can, current);
  for (uint64_t left = s->unused; left; left &= left - 1)
    if (sample_one_in(&s->p.s, rest(s))) {
      s->unused &= ~(left & -left);
      pct_lower(&s->p, can, (uint32_t)__builtin_ctzll(left));
    }
  int t = pct_next(&s->p, can, current, rest(s));
  s->thread[t].made++;
  return t;
}

static void end(void *ctx, enum rt_end how) {
  struct block_sampling *s = ctx;
  (void)how;
  if (s->p.s.picks > s->p.s.x->length)
    s->p.s.x->length = s->p.s.picks;
}

enum explore_end explore_blocks(struct explore *x, const struct blocks *b) {
  static const struct sampler how = {pick, begin, end};
  struct block_sampling s = {
      .p.depth = pct_depth(x), .how = b, .client = rt_history()->client};
  assert(s.client && b->most);
  x->threads = s.client->nthreads;
  x->length = 0;
  x->bound = 0;
  return sample_run(x, &how, &s.p.s);
}
