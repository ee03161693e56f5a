/*
 * Random walks for clients whose faults need one call to be overtaken by many
 * others, as ABA does.  A thread is held up at a random step until the others
 * have ended or wait; meanwhile these walk at random.  A plain random walk
 * leaves a thread behind for m steps with a probability that falls
 * exponentially in m, and PCT gives the others no chance to cross.
 *     T1: pop: reads top = A ………………………… CAS(top, A, next)
 *     T2:                     pop A   pop B   push A
 *
 * A thread that holds a lock is seldom left.  Where all accesses to a location
 * are made under one lock, nobody can see the difference, and there are fewer
 * places to choose from.  Where they are not, seldom is enough.
 *
 * (A) without locks, a thread of m steps is held up before each of them with
 *     the same probability.                     tests/unit/search/delay.c
 */
#include "search/delay.h"

#include "search/sample.h"

#include <string.h>

enum {
  LEAVES_LOCK = 16, /* the thread may be left at one in 16 steps under a lock */
  PATIENCE = 300,   /* steps of others while one is held up */
  WALKS = 4,        /* one of so many executions holds nobody up */
  NOBODY = RT_MAX_THREADS,
};

struct delay_sampling {
  struct sample s;
  uint32_t length[RT_MAX_THREADS]; /* steps of each thread, at most so far */
  uint32_t made[RT_MAX_THREADS];   /* in this execution */
  uint32_t locks[RT_MAX_THREADS];  /* that are held */
  uint32_t held_up;                /* a thread, or NOBODY … */
  uint32_t until;  /* … that is held up behind so many steps */
  uint32_t waited; /* steps of others meanwhile */
};

static void choose_thread_to_hold_up(struct delay_sampling *s) {
  uint32_t known[RT_MAX_THREADS], n = 0;
  for (uint32_t t = 0; t < RT_MAX_THREADS; t++)
    if (s->length[t])
      known[n++] = t;
  s->held_up = NOBODY;
  if (n < 2 || !rng_below(&s->s.rng, WALKS))
    return;
  s->held_up = known[rng_below(&s->s.rng, n)];
  s->until = (uint32_t)rng_below(&s->s.rng, s->length[s->held_up]); /* A */
}

static void begin(void *ctx) {
  struct delay_sampling *s = ctx;
  memset(s->made, 0, sizeof s->made);
  memset(s->locks, 0, sizeof s->locks);
  s->waited = 0;
  choose_thread_to_hold_up(s);
}

/* The threads that may step: not the one that is held up, if there is another.
 */
static uint32_t without_held_up(struct delay_sampling *s, uint32_t enabled) {
  if (s->held_up == NOBODY || s->made[s->held_up] < s->until ||
      s->locks[s->held_up])
    return enabled;
  uint32_t others = enabled & ~(1u << s->held_up);
  if (!others || s->waited++ >= PATIENCE)
    return enabled;
  return others;
}

static bool stays_locked(struct delay_sampling *s, uint32_t enabled,
                         int current) {
  return s->locks[current] && enabled >> current & 1 &&
         rng_below(&s->s.rng, LEAVES_LOCK);
}

static void note_step(struct delay_sampling *s, int t) {
  struct rt_access a;
  rt_pending(t, &a);
  s->made[t]++;
  if (a.kind == EV_LOCK || a.kind == EV_WRLOCK || a.kind == EV_RDLOCK ||
      a.kind == EV_COND_WAKE)
    s->locks[t]++;
  else if ((a.kind == EV_UNLOCK || a.kind == EV_COND_WAIT) && s->locks[t])
    s->locks[t]--;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  struct delay_sampling *s = ctx;
  int t = current;
  if (!sample_stays(&s->s, enabled, current) &&
      !stays_locked(s, enabled, current))
    t = sample_pick_any(&s->s, without_held_up(s, enabled));
  note_step(s, t);
  return sample_took(&s->s, enabled, current, t);
}

static void end(void *ctx, enum rt_end how) {
  struct delay_sampling *s = ctx;
  if (how == RT_CUT)
    return;
  for (uint32_t t = 0; t < RT_MAX_THREADS; t++)
    if (s->made[t] > s->length[t])
      s->length[t] = s->made[t];
}

enum explore_end explore_delay(struct explore *x) {
  static const struct sampler how = {pick, begin, end};
  struct delay_sampling s = {0};
  return sample_run(x, &how, &s.s);
}
