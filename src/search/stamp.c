/*
 * Choosing processors and a clock: measures how far the clocks of two
 * processors can be apart (T2), and falls back to a shared counter.
 */
#include "search/stamp.h"
#include "base/err.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum {
  MESSAGES = 1000,      /* each way, for a pair of processors */
  MARGIN_MAX = 1 << 16, /* ticks; beyond it a counter is the better clock */
  PATIENCE = 1 << 12,   /* looks at a location before giving the processor up */
};

static bool bind_to(uint32_t cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return !sched_setaffinity(0, sizeof set, &set);
}

bool stamps_bind(const struct stamps *s, uint32_t thread) {
  assert(s->ncpus && s->ncpus <= STAMP_MAX_CPUS);
  return bind_to(s->cpu[thread % s->ncpus]); /* T3 */
}

/* ---- how far two processors' clocks can be apart (T2) ---- */

/*
 *     p: sends 100         clocks agree (d = 0), a message takes 30 ticks:
 *     q:      shows 130    130 - 100 = 30 bounds d; both ways: margin 30
 */

struct side {
  struct exchange *both;
  _Alignas(64) _Atomic uint64_t sent; /* the time on this side, then */
  uint32_t cpu, moved;
  int64_t least; /* of messages to this side: time here minus time there */
};
struct exchange {
  struct side side[2];
};

static void *play(void *arg) {
  struct side *me = arg;
  struct side *other = &me->both->side[me == &me->both->side[0]];
  bool first = me < other;
  struct stamper here = {.cpu = me->cpu};
  here.moved = !bind_to(me->cpu);
  uint64_t had = 0;
  me->least = INT64_MAX;
  for (int i = 0; i < MESSAGES; i++) {
    if (first)
      atomic_store(&me->sent, stamp_call(&here));
    uint64_t got;
    for (int n = 0; (got = atomic_load(&other->sent)) == had;)
      if (++n % PATIENCE)
        machine_pause();
      else
        sched_yield();
    had = got;
    int64_t apart = (int64_t)(stamp_call(&here) - got);
    me->least = apart < me->least ? apart : me->least;
    if (!first)
      atomic_store(&me->sent, stamp_call(&here));
  }
  me->moved = here.moved;
  return NULL;
}

/* The bound for a pair, or more than MARGIN_MAX when there is none. */
static uint64_t apart(uint32_t p, uint32_t q) {
  struct exchange x = {.side = {{.cpu = p}, {.cpu = q}}};
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) {
    x.side[i].both = &x;
    if (pthread_create(&thread[i], NULL, play, &x.side[i]))
      die("cannot start a thread");
  }
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  if (x.side[0].moved || x.side[1].moved)
    return UINT64_MAX;
  int64_t a = x.side[0].least, b = x.side[1].least, most = a > b ? a : b;
  return most > 0 ? (uint64_t)most : 0;
}

static uint64_t margin_of(const struct stamps *s) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < s->ncpus; i++)
    for (uint32_t k = 0; k < i && most <= MARGIN_MAX; k++) {
      uint64_t m = apart(s->cpu[i], s->cpu[k]);
      most = m > most ? m : most;
    }
  return most;
}

/* Spread over the processors that we may use, since neighbours may share a
 * core.
 */
static void choose_cpus(struct stamps *s, uint32_t wanted) {
  cpu_set_t set;
  uint16_t all[CPU_SETSIZE];
  uint32_t n = 0;
  if (!sched_getaffinity(0, sizeof set, &set))
    for (uint32_t i = 0; i < CPU_SETSIZE; i++)
      if (CPU_ISSET(i, &set))
        all[n++] = (uint16_t)i;
  if (!n)
    all[n++] = 0;
  wanted = wanted ? wanted : 1;
  wanted = wanted < n ? wanted : n;
  s->ncpus = wanted < STAMP_MAX_CPUS ? wanted : STAMP_MAX_CPUS;
  for (uint32_t i = 0; i < s->ncpus; i++)
    s->cpu[i] = all[(uint64_t)i * n / s->ncpus];
}

void stamps_init(struct stamps *s, enum stamp_clock clock, uint32_t nthreads) {
  memset(s, 0, sizeof *s);
  choose_cpus(s, nthreads);
  s->clock = STAMP_COUNTER;
  if (clock == STAMP_COUNTER || !machine_has_ticks())
    return;
  uint64_t margin = margin_of(s);
  if (margin > MARGIN_MAX)
    return;
  s->clock = STAMP_TSC;
  s->margin = margin;
}
