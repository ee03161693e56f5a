/*
 * Time and chance, made deterministic.
 *
 * There is one clock.  It starts at a fixed date and stands still but for looks
 * at it, which take a little, and sleeps and time-outs, which take as long as
 * they say.  Threads that sleep at the same time sleep one after the other.  So
 * no thread ever sees an earlier time than another saw before, and a look is a
 * step that depends on those of other threads.  In code that never looks, a
 * sleep is a yield: the search decides how long it lasts.
 *
 * A thread that looks again and again in one call waits for something: its
 * looks take longer and longer, and it comes to its deadline soon.
 *
 * Each thread has its own generator of random numbers, which the thread's own
 * srand() seeds.
 */
#include "rt/hooks.h"
#include "rt/reference_int.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

static const uint64_t epoch = 1700000000; /* seconds */
static const uint64_t second = 1000000000;
static const uint64_t tick = 1000; /* what a look at the clock takes */
enum { USUAL_LOOKS = 8, MOST_DOUBLED = 24 };

static void step_of_clock(uint64_t pc) {
  fl__point(EV_CLOCK, (void *)CLOCK_ADDR, CLOCK_SIZE, pc);
}

/* ---- sleeping and yielding ---- */

void fl__sleep(uint64_t ns, uint64_t pc) {
  if (E.reference)
    return; /* the clock is the engine's */
  if (!E.options.uses_clock) {
    fl__point(EV_YIELD, NULL, 0, pc);
    return;
  }
  step_of_clock(pc);
  E.live.clock += ns;
}

void fl__sleep_until(const struct timespec *until) {
  if (E.reference || !E.options.uses_clock || until->tv_sec < (time_t)epoch)
    return;
  uint64_t at =
      ((uint64_t)until->tv_sec - epoch) * second + (uint64_t)until->tv_nsec;
  step_of_clock(fl__me()->pc);
  if (E.live.clock < at)
    E.live.clock = at; /* never back */
}

static bool bad_time(const struct timespec *t) {
  return t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= (long)second;
}

WRAP(int, sched_yield, (void)) {
  fl__point(EV_YIELD, NULL, 0, CALLER_PC);
  return 0;
}
WRAP(int, pthread_yield, (void)) {
  fl__point(EV_YIELD, NULL, 0, CALLER_PC);
  return 0;
}
WRAP(unsigned, sleep, (unsigned seconds)) {
  fl__sleep(seconds * second, CALLER_PC);
  return 0;
}
WRAP(int, usleep, (useconds_t us)) {
  fl__sleep((uint64_t)us * 1000, CALLER_PC);
  return 0;
}
WRAP(int, nanosleep, (const struct timespec *t, struct timespec *remaining)) {
  (void)remaining; /* written only when a signal interrupts */
  fl__access(EV_READ, t, sizeof *t, CALLER_PC);
  if (bad_time(t)) {
    errno = EINVAL;
    return -1;
  }
  fl__sleep((uint64_t)t->tv_sec * second + (uint64_t)t->tv_nsec, CALLER_PC);
  return 0;
}
WRAP(int, clock_nanosleep,
     (clockid_t clock, int flags, const struct timespec *t,
      struct timespec *remaining)) {
  (void)clock;
  (void)remaining;
  fl__access(EV_READ, t, sizeof *t, CALLER_PC);
  if (bad_time(t))
    return EINVAL;
  struct timespec time = *t;
  if (flags & TIMER_ABSTIME) {
    fl__sleep(0, CALLER_PC);
    fl__sleep_until(&time);
  } else
    fl__sleep((uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec,
              CALLER_PC);
  return 0;
}

/* ---- clocks ---- */

/* Nanoseconds since the clock was started. */
uint64_t fl__look(uint64_t pc) {
  if (UNLIKELY(E.reference))
    fl__reference_fails(pc, "it looks at the clock");
  struct fiber_state *f = fl__me();
  step_of_clock(pc);
  uint32_t doubled = f->looks < USUAL_LOOKS ? 0 : f->looks - USUAL_LOOKS;
  f->looks += doubled < MOST_DOUBLED;
  E.live.clock += tick << doubled;
  return f->clock = E.live.clock;
}

static struct timespec now(uint64_t pc) {
  uint64_t ns = fl__look(pc);
  return (struct timespec){.tv_sec = (time_t)(epoch + ns / second),
                           .tv_nsec = (long)(ns % second)};
}

WRAP(time_t, time, (time_t * out)) {
  time_t t = now(CALLER_PC).tv_sec;
  if (out) {
    fl__access(EV_WRITE, out, sizeof *out, CALLER_PC);
    *out = t;
  }
  return t;
}
WRAP(clock_t, clock, (void)) {
  return (clock_t)(fl__look(CALLER_PC) / (second / CLOCKS_PER_SEC));
}
WRAP(int, gettimeofday, (struct timeval * out, void *zone)) {
  (void)zone;
  struct timespec t = now(CALLER_PC);
  fl__access(EV_WRITE, out, sizeof *out, CALLER_PC);
  *out = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
  return 0;
}
WRAP(int, clock_gettime, (clockid_t clock, struct timespec *out)) {
  struct timespec t = now(CALLER_PC);
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
    t.tv_sec -= (time_t)epoch;
  fl__access(EV_WRITE, out, sizeof *out, CALLER_PC);
  *out = t;
  return 0;
}
WRAP(int, timespec_get, (struct timespec * out, int base)) {
  if (base != TIME_UTC)
    return 0;
  struct timespec t = now(CALLER_PC);
  fl__access(EV_WRITE, out, sizeof *out, CALLER_PC);
  *out = t;
  return base;
}
/* std::chrono::steady_clock::now and system_clock::now: nanoseconds. */
WRAP(int64_t, _ZNSt6chrono3_V212steady_clock3nowEv, (void)) {
  return (int64_t)(epoch * second + fl__look(CALLER_PC));
}
WRAP(int64_t, _ZNSt6chrono3_V212system_clock3nowEv, (void)) {
  return (int64_t)(epoch * second + fl__look(CALLER_PC));
}

/* ---- chance ---- */

/* splitmix64: Steele, Lea, Flood, OOPSLA 2014. */
static uint64_t mixed(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static uint64_t next(void) {
  if (UNLIKELY(E.reference))
    fl__reference_fails(0, "it asks for a random number: fl_choose() leaves a "
                           "choice");
  return mixed(fl__me()->random += 0x9e3779b97f4a7c15u);
}
static int next31(void) { return (int)(next() >> 33); }

static void seed(uint64_t value) { fl__me()->random = mixed(value + 1); }

_Static_assert(RAND_MAX == 0x7fffffff, "31 bits");

WRAP(int, rand, (void)) { return next31(); }
WRAP(void, srand, (unsigned value)) { seed(value); }
WRAP(int, rand_r, (unsigned *state)) {
  fl__access(EV_READ, state, sizeof *state, CALLER_PC);
  uint64_t z = mixed(*state + 0x9e3779b97f4a7c15u);
  fl__access(EV_WRITE, state, sizeof *state, CALLER_PC);
  *state = (unsigned)z;
  return (int)(z >> 33);
}
WRAP(long, random, (void)) { return next31(); }
WRAP(void, srandom, (unsigned value)) { seed(value); }
WRAP(double, drand48, (void)) { return (double)(next() >> 11) * 0x1p-53; }
WRAP(long, lrand48, (void)) { return next31(); }
WRAP(long, mrand48, (void)) { return (int32_t)(next() >> 32); }
WRAP(void, srand48, (long value)) { seed((uint64_t)value); }
WRAP(uint32_t, arc4random, (void)) { return (uint32_t)(next() >> 32); }

static void fill(uint8_t *p, size_t n) {
  for (uint64_t bits = 0; n--; bits >>= 8) {
    if (!bits)
      bits = next();
    *p++ = (uint8_t)bits;
  }
}

WRAP(ssize_t, getrandom, (void *buffer, size_t n, unsigned flags)) {
  (void)flags;
  fl__access(EV_WRITE, buffer, n, CALLER_PC);
  fill(buffer, n);
  return (ssize_t)n;
}
WRAP(int, getentropy, (void *buffer, size_t n)) {
  if (n > 256) {
    errno = EIO;
    return -1;
  }
  fl__access(EV_WRITE, buffer, n, CALLER_PC);
  fill(buffer, n);
  return 0;
}

/* One processor: threads that keep data by processor meet most often so. */
WRAP(int, sched_getcpu, (void)) { return 0; }
