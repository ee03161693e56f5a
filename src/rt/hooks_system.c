/*
 * The system calls that lock-free code makes itself: futexes, by which
 * home-made locks and C++20's atomic waits sleep, and anonymous memory, from
 * which allocators carve.  Other calls go through to the system.
 *
 * A futex wait is one step that compares, and a second one when the thread was
 * woken.  Which waiters a wake reaches is the search's choice.
 */
#include "rt/cage.h"
#include "rt/hooks.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool woken(struct fiber_state *f) { return f->woken; }
static bool always(struct fiber_state *f) {
  (void)f;
  return true;
}

static long fail(int number) {
  errno = number;
  return -1;
}

static long futex_wait(uint32_t *word, uint32_t value, uint32_t mask,
                       const struct timespec *until, uint64_t pc) {
  struct fiber_state *f = fl__me();
  fl__usable(word, sizeof *word, pc);
  fl__point(EV_FUTEX_WAIT, word, sizeof *word, pc);
  fl__silent();
  if (*word != value)
    return fail(EAGAIN);
  f->woken = 0;
  switch (fl__wakes_up(word, WAKE_UP_RETURNS, WAKE_UP_EINTR, pc)) {
  case WAKE_UP_RETURNS: /* "return value 0 can mean a spurious wake-up":
                           futex(2) */
    return 0;
  case WAKE_UP_EINTR:
    return fail(EINTR);
  }
  fl__wait(EV_FUTEX_WOKEN, word, mask, pc, until ? always : woken);
  if (!f->woken) {
    fl__silent();
    fl__sleep_until(until);
    return fail(ETIMEDOUT);
  }
  f->woken = 0;
  return 0;
}

static bool sleeps_on(const struct fiber_state *f, const uint32_t *word,
                      uint32_t mask) {
  return f->status == FIBER_PARKED && f->kind == EV_FUTEX_WOKEN &&
         f->addr == (uint64_t)(uintptr_t)word && !f->woken &&
         ((uint32_t)f->other & mask);
}

static long futex_wake(const uint32_t *word, uint32_t most, uint32_t mask,
                       uint64_t pc) {
  fl__point(EV_FUTEX_WAKE, word, sizeof *word, pc);
  uint32_t sleepers = 0, n = 0;
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    if (sleeps_on(&E.fiber[t], word, mask))
      sleepers |= 1u << t;
  for (; sleepers && n < most; n++) {
    int left = __builtin_popcount(sleepers);
    int k = left > 1 && most - n < (uint32_t)left ? fl__choose(left) : 0;
    uint32_t set = sleepers;
    while (k--)
      set &= set - 1;
    E.fiber[__builtin_ctz(set)].woken = 1;
    sleepers &= ~(set & -set);
  }
  return n;
}

/* std::future waits by these, from inside the C++ library.  True: woken. */
#define FUTEX_WAIT_NAME                                                        \
  _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE
#define FUTEX_WAIT_STEADY_NAME                                                 \
  _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE
#define WRAP_EXPANDED(TYPE, NAME, PARAMETERS) WRAP(TYPE, NAME, PARAMETERS)

static bool future_wait(uint32_t *word, uint32_t value, bool timed, long s,
                        long ns, uint64_t pc) {
  struct timespec until = {s, ns};
  return futex_wait(word, value, FUTEX_BITSET_MATCH_ANY, timed ? &until : NULL,
                    pc) == 0 ||
         errno != ETIMEDOUT;
}
WRAP_EXPANDED(bool, FUTEX_WAIT_NAME,
              (void *self, uint32_t *word, uint32_t value, bool timed, long s,
               long ns)) {
  (void)self;
  return future_wait(word, value, timed, s, ns, CALLER_PC);
}
WRAP_EXPANDED(bool, FUTEX_WAIT_STEADY_NAME,
              (void *self, uint32_t *word, uint32_t value, bool timed, long s,
               long ns)) {
  (void)self;
  return future_wait(word, value, timed, s, ns, CALLER_PC);
}
WRAP(void, _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj,
     (const uint32_t *word)) { /* static, unlike the others */
  futex_wake(word, UINT32_MAX, FUTEX_BITSET_MATCH_ANY, CALLER_PC);
}

static long futex(const long a[6], uint64_t pc) {
  uint32_t *word = (uint32_t *)a[0];
  const struct timespec *until = (const struct timespec *)a[3];
  switch (a[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)) {
  case FUTEX_WAIT:
    return futex_wait(word, (uint32_t)a[2], FUTEX_BITSET_MATCH_ANY, until, pc);
  case FUTEX_WAIT_BITSET:
    return futex_wait(word, (uint32_t)a[2], (uint32_t)a[5], until, pc);
  case FUTEX_WAKE:
    return futex_wake(word, (uint32_t)a[2], FUTEX_BITSET_MATCH_ANY, pc);
  case FUTEX_WAKE_BITSET:
    return futex_wake(word, (uint32_t)a[2], (uint32_t)a[5], pc);
  }
  fl__refuse(pc, "futex operation %ld is not modelled", a[1]);
}

/* Different for each thread, as the real one, and the same in every run. */
static int thread_id(void) { return 1000 + (fl__on() ? E.cur : 0); }

long fl__system_call(long number, const long a[6], uint64_t pc) {
  if (number == SYS_futex && fl__on())
    return futex(a, pc);
  if (number == SYS_gettid)
    return thread_id();
  if (number == SYS_sched_yield) {
    fl__point(EV_YIELD, NULL, 0, pc);
    return 0;
  }
  cage_ask(pc, number, a);
  return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

WRAP(long, syscall, (long number, ...)) {
  uint64_t pc = CALLER_PC;
  long a[6];
  va_list ap;
  va_start(ap, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(ap, long);
  va_end(ap);
  return fl__system_call(number, a, pc);
}

WRAP(pid_t, gettid, (void)) { return thread_id(); }

/* Anonymous memory comes from the heap, so that it is restored between
 * executions like everything else. */
WRAP(void *, mmap,
     (void *at, size_t size, int protection, int flags, int fd, off_t offset)) {
  if (!(flags & MAP_ANONYMOUS) || flags & MAP_FIXED ||
      !(protection & PROT_WRITE))
    return mmap(at, size, protection, flags, fd, offset);
  void *p = fl__alloc(size, PORT_PAGE, 0, true, CALLER_PC);
  if (!p) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return p;
}

WRAP(int, munmap, (void *p, size_t size)) {
  if (!fl__in_heap(p))
    return munmap(p, size);
  uint64_t whole = fl__block_size(p);
  /* A part of a mapping stays: only whole ones can be given back. */
  if (whole && size < whole)
    return 0;
  fl__point(EV_FREE, p, whole, CALLER_PC);
  fl__free(p, CALLER_PC);
  return 0;
}

/* Advice and protection of heap memory would outlive the execution. */
WRAP(int, mprotect, (void *p, size_t size, int protection)) {
  return fl__in_heap(p) ? 0 : mprotect(p, size, protection);
}
WRAP(int, madvise, (void *p, size_t size, int advice)) {
  if (!fl__in_heap(p))
    return madvise(p, size, advice);
  if (advice == MADV_DONTNEED) {
    fl__access(EV_WRITE, p, size, CALLER_PC);
    memset(p, 0, size);
  }
  return 0;
}

/* ---- atomics of any size: libatomic's functions, in one step each ---- */

static void step(enum event_kind kind, const volatile void *p, size_t size,
                 int order, uint64_t pc) {
  if (!fl__on() || !fl__visible((uint64_t)(uintptr_t)p, size))
    return;
  E.self->order = (uint8_t)order;
  point(kind, p, size, pc);
}

WRAP(void, __atomic_load, (size_t size, const void *p, void *to, int order)) {
  step(EV_ATOMIC_READ, p, size, order, CALLER_PC);
  memcpy(to, p, size);
}
WRAP(void, __atomic_store,
     (size_t size, void *p, const void *from, int order)) {
  step(EV_ATOMIC_WRITE, p, size, order, CALLER_PC);
  memcpy(p, from, size);
}
WRAP(void, __atomic_exchange,
     (size_t size, void *p, const void *from, void *old, int order)) {
  step(EV_RMW, p, size, order, CALLER_PC);
  if (fl__on() && !memcmp(p, from, size))
    fl__silent();
  memcpy(old, p, size);
  memcpy(p, from, size);
}
WRAP(bool, __atomic_compare_exchange,
     (size_t size, void *p, void *expected, const void *desired, int order,
      int fail_order)) {
  if (fl__on())
    E.self->fail_order = (uint8_t)fail_order;
  step(EV_CAS, p, size, order, CALLER_PC);
  bool same = !memcmp(p, expected, size);
  if (fl__on() && !same) {
    fl__silent();
    E.self->failed = 1;
    fl__saw(EV_CAS_FAIL, p, p, size);
  }
  if (same)
    memcpy(p, desired, size);
  else
    memcpy(expected, p, size);
  return same;
}
