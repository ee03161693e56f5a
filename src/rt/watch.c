/*
 * What is watched across processes: endless loops, and which code is reached.
 *
 * The watchdog: a step that takes too long is an endless loop.  It ticks in CPU
 * time of this process, so that a busy machine does not make a step look long.
 *
 * A search meets the same loop many times, and so do the analyses that follow
 * it.  Waiting long for it once is enough: its place is kept, for later
 * processes too, and a loop that is known is left after a part of the time.
 */
#include "rt/engine.h"
#include "rt/signals.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

enum {
  TICK_MS = 50,
  KNOWN_PART = 10, /* of the time, for a loop that is known */
  KNOWN_LEAST = 2, /* but so many ticks */
  MOST_LOOPS = 16,
  LOOP_BYTES = 4096 /* more is no one loop */
};

/* Where the code was at each tick, without the load address. */
struct known_loop {
  uint64_t image; /* which shared object that is */
  uint64_t lo, hi;
};

struct known_loops {
  uint32_t n;
  struct known_loop at[MOST_LOOPS];
};

static struct known_loops own, *loops = &own;
static uint64_t image;

void rt_share_loops(void) {
  if (loops != &own)
    return;
  void *p = mmap(NULL, sizeof *loops, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p != MAP_FAILED) /* else each process learns for itself */
    loops = p;
}

/* The processes that share it do not wait for each other: a loop that is lost
 * when two write at once is learnt again. */
static void learn(const struct known_loop *l) {
  uint32_t n = loops->n; /* others may write anything meanwhile */
  n = n < MOST_LOOPS ? n : 0;
  if (l->hi < l->lo || l->hi - l->lo > LOOP_BYTES)
    return;
  loops->at[n] = *l;
  loops->n = n + 1;
}

static bool is_known(const struct known_loop *l) {
  for (uint32_t i = 0; i < loops->n && i < MOST_LOOPS; i++) {
    const struct known_loop *k = &loops->at[i];
    if (k->image == l->image && k->lo <= l->lo && l->hi <= k->hi)
      return true;
  }
  return false;
}

/* ---- which code is reached ---- */

struct rt_reached rt_share_reached(uint64_t span) {
  struct rt_reached before = rt_reached();
  void *p = span ? mmap(NULL, span, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                 : MAP_FAILED;
  bool noted = p != MAP_FAILED; /* else nothing is said about it */
  E.reached = noted ? p : NULL;
  E.reached_span = noted ? span : 0;
  return before;
}

void rt_reached_restore(struct rt_reached before) {
  if (E.reached)
    munmap(E.reached, E.reached_span);
  E.reached = before.at;
  E.reached_span = before.span;
}

struct rt_reached rt_reached(void) {
  return (struct rt_reached){E.reached, E.reached_span};
}

/* ---- the watchdog ---- */

/* Counters that another process looks at (rt_share_watch), or NULL. */
static volatile uint64_t *ticks_seen, *steps_seen;

void rt_share_watch(volatile uint64_t *ticks, volatile uint64_t *steps) {
  assert(!ticks == !steps);
  ticks_seen = ticks;
  steps_seen = steps;
}

bool fl__watch_expired(uint64_t pc) {
  static uint64_t last;
  static uint32_t idle;
  static bool inside; /* at each tick in the user's code */
  static struct known_loop seen;
  uint64_t at = pc - E.base;
  if (ticks_seen) {
    ++*ticks_seen;
    *steps_seen = E.progress;
  }
  if ((!E.in_fiber && !E.reference) || E.progress != last) {
    last = E.progress;
    idle = 0;
    return false;
  }
  if (!idle++) {
    seen = (struct known_loop){image, at, at};
    inside = true;
  }
  inside &= at < E.image_span;
  seen.lo = at < seen.lo ? at : seen.lo;
  seen.hi = at > seen.hi ? at : seen.hi;
  uint32_t most = E.options.watchdog_ms / TICK_MS;
  if (inside && idle >= KNOWN_LEAST && idle >= most / KNOWN_PART &&
      is_known(&seen)) {
    idle = 0;
    return true;
  }
  if (idle < most)
    return false;
  if (at >= E.image_span && idle < 2 * most)
    return false; /* in a library or a hook: give it a chance to come out */
  if (inside)
    learn(&seen);
  idle = 0;
  return true;
}

void fl__watch_open(const char *so) {
  struct itimerval every = {{0, TICK_MS * 1000}, {0, TICK_MS * 1000}};
  image = hash64(so, strlen(so), 0);
  if (ticks_seen)
    *ticks_seen = 1; /* it is expected to tick from here on */
  setitimer(ITIMER_VIRTUAL, &every, NULL);
}
