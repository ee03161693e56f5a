/*
 * Condition variables, semaphores, barriers and once.
 *
 * A wait on a condition variable is two steps.  In the first the thread
 * releases the mutex and joins the set of waiters; in the second it has been
 * woken and takes the mutex back.  Which waiter a signal wakes is the search's
 * choice.  Timed waits are three steps: the end of the wait, by a signal or
 * because it is late, is a step of its own, before the thread waits for the
 * mutex.  So a thread that holds the mutex can still make the condition true.
 *
 * A wait that is to end without a reason (fl__wakes_up) only gives back the
 * mutex and takes it again: the thread never joins the set.  If it were in it
 * until then and was signalled, the wait would have ended with a reason.
 *
 * That a thread has been woken is noted in its state and not in the object,
 * which its last user may have freed by the time the thread goes on.
 */
#include "rt/access.h"
#include "rt/execute.h"
#include "rt/heap.h"
#include "rt/hooks.h"

#include "model/wake.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <string.h>

static void wake(uint32_t threads) {
  for (; threads; threads &= threads - 1)
    E.fiber[__builtin_ctz(threads)].woken = 1;
}

/* The i-th thread of a set, as a set. */
static uint32_t member(uint32_t set, int i) {
  assert(i >= 0 && i < __builtin_popcount(set));
  while (i--)
    set &= set - 1;
  return set & -set;
}

/* ---- condition variables ---- */

static bool is_free(uint64_t mutex) {
  return !((const struct mutex *)(uintptr_t)mutex)->owner;
}
static bool mutex_is_free(struct fiber_state *f) { return is_free(f->addr); }
static bool can_wake(struct fiber_state *f) {
  return f->woken && is_free(f->other);
}

static void reject_destroyed(const struct cond *c, uint64_t pc) {
  if (c->destroyed)
    fl__misuse(c, pc, "use of a condition variable after its destruction");
}

void fl__cond_init(struct cond *c, uint64_t pc) {
  fl__access(EV_WRITE, c, sizeof *c, pc);
  memset(c, 0, sizeof *c);
}

void fl__cond_destroy(struct cond *c, uint64_t pc) {
  fl__access(EV_WRITE, c, sizeof *c, pc);
  reject_destroyed(c, pc);
  if (c->waiters)
    fl__misuse(c, pc,
               "destruction of a condition variable that a thread waits on");
  c->destroyed = 1;
}

/* The first step of a wait. */
static void release(struct mutex *m, struct fiber_state *f) {
  m->owner = m->count = 0; /* S2 */
  f->held--;
  f->mutexes ^= (uint64_t)(uintptr_t)m;
  if (E.loopers) /* the step's address is the condition variable's */
    fl__spin_changed(E.cur, f->other, sizeof *m);
}

/* The step by which a timed wait ends: 0 or ETIMEDOUT. */
static int end_wait(struct cond *c, const struct timespec *until, uint64_t pc) {
  struct fiber_state *f = fl__me();
  fl__point(EV_WAIT_OVER, c, 1, pc);
  if (f->woken) {
    f->woken = f->in_wait = 0;
    return 0;
  }
  fl__still_usable(c, sizeof *c, pc);
  c->waiters &= ~fl__bit(f);
  fl__sleep_until(until);
  return ETIMEDOUT;
}

int fl__cond_wait(struct cond *c, struct mutex *m, const struct timespec *until,
                  uint64_t pc) {
  struct fiber_state *f = fl__me();
  if (!fl__on()) /* nobody else is there to signal */
    fl__misuse(c, pc, "the only thread waits on a condition variable");
  fl__usable(m, sizeof *m, pc);
  f->other = (uint64_t)(uintptr_t)m;
  fl__sync_point(EV_COND_WAIT, c, sizeof *c, pc);
  fl__still_usable(m, sizeof *m, pc);
  reject_destroyed(c, pc);
  if (m->owner != fl__owner(f))
    fl__misuse(m, pc, "wait with a mutex that the thread does not hold");
  uint32_t count = m->count;
  bool wakes_up = fl__wakes_up(c, WAKE_UP_RETURNS, WAKE_UP_RETURNS, pc);
  if (!wakes_up)
    c->waiters |= fl__bit(f);
  f->woken = 0;
  f->in_wait = until && !wakes_up;
  release(m, f);

  int err = 0;
  if (wakes_up) {
    fl__wait(EV_LOCK, m, 0, pc, mutex_is_free);
  } else if (until) {
    err = end_wait(c, until, pc);
    fl__wait(EV_LOCK, m, 0, pc, mutex_is_free);
  } else {
    fl__wait(EV_COND_WAKE, c, (uint64_t)(uintptr_t)m, pc, can_wake);
    f->woken = 0;
  }
  fl__still_usable(m, sizeof *m, pc);
  m->owner = fl__owner(f);
  m->count = count;
  f->held++;
  f->mutexes ^= (uint64_t)(uintptr_t)m;
  return err;
}

void fl__cond_signal(struct cond *c, uint64_t pc) {
  fl__sync_point(EV_SIGNAL, c, sizeof *c, pc);
  reject_destroyed(c, pc);
  int n = __builtin_popcount(c->waiters);
  if (!n) {
    if (fl__on())
      fl__silent();
    return;
  }
  uint32_t one = member(c->waiters, n > 1 ? fl__choose(n) : 0);
  c->waiters &= ~one;
  wake(one);
}

void fl__cond_broadcast(struct cond *c, uint64_t pc) {
  fl__sync_point(EV_BROADCAST, c, sizeof *c, pc);
  reject_destroyed(c, pc);
  if (!c->waiters && fl__on())
    fl__silent();
  wake(c->waiters);
  c->waiters = 0;
}

WRAP(int, pthread_cond_init,
     (pthread_cond_t * c, const pthread_condattr_t *attr)) {
  (void)attr;
  fl__cond_init((struct cond *)c, CALLER_PC);
  return 0;
}
WRAP(int, pthread_cond_destroy, (pthread_cond_t * c)) {
  fl__cond_destroy((struct cond *)c, CALLER_PC);
  return 0;
}
WRAP(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m)) {
  return fl__cond_wait((struct cond *)c, (struct mutex *)m, NULL, CALLER_PC);
}
WRAP(int, pthread_cond_timedwait,
     (pthread_cond_t * c, pthread_mutex_t *m, const struct timespec *until)) {
  return fl__cond_wait((struct cond *)c, (struct mutex *)m, until, CALLER_PC);
}
WRAP(int, pthread_cond_clockwait,
     (pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock,
      const struct timespec *until)) {
  (void)clock;
  return fl__cond_wait((struct cond *)c, (struct mutex *)m, until, CALLER_PC);
}
WRAP(int, pthread_cond_signal, (pthread_cond_t * c)) {
  fl__cond_signal((struct cond *)c, CALLER_PC);
  return 0;
}
WRAP(int, pthread_cond_broadcast, (pthread_cond_t * c)) {
  fl__cond_broadcast((struct cond *)c, CALLER_PC);
  return 0;
}

/* ---- semaphores ---- */

struct semaphore {
  uint32_t value;
  uint32_t unused[7];
};
_Static_assert(sizeof(struct semaphore) == sizeof(sem_t), "overlay");

static bool can_decrement(struct fiber_state *f) {
  return ((const struct semaphore *)(uintptr_t)f->addr)->value > 0;
}

static int fails(int err) {
  errno = err;
  return -1;
}

static int try_decrement(struct semaphore *s, int err,
                         const struct timespec *until, uint64_t pc) {
  fl__sync_point(EV_SEM_WAIT, s, sizeof *s, pc);
  bool ok = s->value > 0;
  s->value -= ok;
  fl__tried(EV_SEM_WAIT, ok);
  if (!ok && until)
    fl__sleep_until(until);
  return ok ? 0 : fails(err);
}

WRAP(int, sem_init, (sem_t * sem, int shared, unsigned value)) {
  (void)shared;
  if (value > SEM_VALUE_MAX)
    return fails(EINVAL);
  fl__access(EV_WRITE, sem, sizeof *sem, CALLER_PC);
  *(struct semaphore *)sem = (struct semaphore){.value = value};
  return 0;
}
WRAP(int, sem_destroy, (sem_t * sem)) {
  fl__access(EV_WRITE, sem, sizeof *sem, CALLER_PC);
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    if (&E.fiber[t] != fl__me() && E.live.parked >> t & 1 &&
        E.fiber[t].kind == EV_SEM_WAIT &&
        E.fiber[t].addr == (uint64_t)(uintptr_t)sem)
      fl__misuse(sem, CALLER_PC,
                 "destruction of a semaphore that a thread waits on");
  return 0;
}
/* A semaphore at zero where a signal may interrupt the wait: to find that out
 * is a step.  Else the wait is one step, when there is something to take. */
static bool is_interrupted(struct semaphore *s, uint64_t pc, bool *taken) {
  if (!fl__may_wake_up(pc))
    return false;
  fl__sync_point(EV_SEM_WAIT, s, sizeof *s, pc);
  *taken = s->value > 0;
  s->value -= *taken;
  fl__tried(EV_SEM_WAIT, *taken);
  return !*taken && fl__wakes_up(s, WAKE_UP_EINTR, WAKE_UP_EINTR, pc);
}

static int sleep_at(struct semaphore *s, uint64_t pc) {
  bool taken = false;
  if (is_interrupted(s, pc, &taken))
    return fails(EINTR);
  if (taken)
    return 0;
  fl__sync_wait(EV_SEM_WAIT, s, sizeof *s, pc, can_decrement);
  if (!s->value) /* only while loading: the one thread would wait for ever */
    fl__misuse(s, pc, "the only thread waits on a semaphore that is zero");
  s->value--;
  return 0;
}
WRAP(int, sem_wait, (sem_t * sem)) {
  return sleep_at((struct semaphore *)sem, CALLER_PC);
}
WRAP(int, sem_trywait, (sem_t * sem)) {
  return try_decrement((struct semaphore *)sem, EAGAIN, NULL, CALLER_PC);
}
WRAP(int, sem_timedwait, (sem_t * sem, const struct timespec *until)) {
  return try_decrement((struct semaphore *)sem, ETIMEDOUT, until, CALLER_PC);
}
WRAP(int, sem_clockwait,
     (sem_t * sem, clockid_t clock, const struct timespec *until)) {
  (void)clock;
  return try_decrement((struct semaphore *)sem, ETIMEDOUT, until, CALLER_PC);
}
WRAP(int, sem_post, (sem_t * sem)) {
  struct semaphore *s = (struct semaphore *)sem;
  fl__sync_point(EV_SEM_POST, s, sizeof *s, CALLER_PC);
  if (s->value >= SEM_VALUE_MAX) {
    fl__tried(EV_SEM_POST, false);
    return fails(EOVERFLOW);
  }
  s->value++;
  return 0;
}
/* model/wake.h: the thread is about to make its access, in the same step. */
void fl__wake_added(const struct fiber_state *f) {
  const struct added_wake *w = E.wake;
  uint64_t room =
      w->kind == EV_SEM_WAIT ? sizeof(struct semaphore) : sizeof(struct cond);
  void *sleeper = (void *)(uintptr_t)w->sleeper;
  if (!event_writes[f->kind] || f->addr >= w->addr + w->size ||
      w->addr >= f->addr + f->size)
    return;
  if (w->kind == EV_FUTEX_WAIT) {
    for (uint32_t t = 0; t < E.live.nfibers; t++)
      if (E.fiber[t].status == FIBER_PARKED &&
          E.fiber[t].kind == EV_FUTEX_WOKEN && E.fiber[t].addr == w->sleeper)
        E.fiber[t].woken = 1;
    return;
  }
  if (!fl__readable(w->sleeper, room) ||
      (fl__in_heap(sleeper) && !fl__heap_check(w->sleeper, room)))
    return; /* it is not there yet, or not any more */
  if (w->kind == EV_SEM_WAIT) {
    ((struct semaphore *)sleeper)->value++;
  } else {
    wake(((struct cond *)sleeper)->waiters);
    ((struct cond *)sleeper)->waiters = 0;
  }
}

WRAP(int, sem_getvalue, (sem_t * sem, int *value)) {
  struct semaphore *s = (struct semaphore *)sem;
  fl__me()->order = __ATOMIC_SEQ_CST;
  fl__sync_point(EV_ATOMIC_READ, &s->value, sizeof s->value, CALLER_PC);
  int seen = (int)s->value;
  fl__access(EV_WRITE, value, sizeof *value, CALLER_PC);
  *value = seen;
  return 0;
}

/* ---- barriers ---- */

struct barrier {
  uint32_t count; /* 0: not initialised, or destroyed */
  uint32_t waiters;
  uint32_t unused[6];
};
_Static_assert(sizeof(struct barrier) == sizeof(pthread_barrier_t), "overlay");

static bool was_woken(struct fiber_state *f) { return f->woken; }

WRAP(int, pthread_barrier_init,
     (pthread_barrier_t * barrier, const pthread_barrierattr_t *attr,
      unsigned count)) {
  (void)attr;
  if (!count || count > INT_MAX)
    return EINVAL;
  fl__access(EV_WRITE, barrier, sizeof *barrier, CALLER_PC);
  *(struct barrier *)barrier = (struct barrier){.count = count};
  return 0;
}
WRAP(int, pthread_barrier_destroy, (pthread_barrier_t * barrier)) {
  struct barrier *b = (struct barrier *)barrier;
  fl__access(EV_WRITE, b, sizeof *b, CALLER_PC);
  if (b->waiters)
    fl__misuse(b, CALLER_PC, "destruction of a barrier that a thread waits at");
  b->count = 0;
  return 0;
}
WRAP(int, pthread_barrier_wait, (pthread_barrier_t * barrier)) {
  struct barrier *b = (struct barrier *)barrier;
  struct fiber_state *f = fl__me();
  fl__sync_point(EV_BARRIER, b, sizeof *b, CALLER_PC);
  if (!b->count)
    fl__misuse(b, CALLER_PC, "the barrier is not initialised");
  if ((unsigned)__builtin_popcount(b->waiters) + 1 >= b->count) {
    wake(b->waiters);
    b->waiters = 0;
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  if (!fl__on())
    fl__misuse(b, CALLER_PC, "the only thread waits at a barrier");
  b->waiters |= fl__bit(f);
  f->woken = 0;
  fl__wait(EV_BARRIER, b, 0, CALLER_PC, was_woken);
  f->woken = 0;
  return 0;
}

/* ---- once ---- */

enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE };
_Static_assert(PTHREAD_ONCE_INIT == ONCE_NEW, "static initialisers");
_Static_assert(sizeof(pthread_once_t) == sizeof(int), "overlay");

static bool once_is_idle(struct fiber_state *f) {
  return *(const int *)(uintptr_t)f->addr != ONCE_RUNNING;
}

/* An exception left the routine: the next caller tries again.  (Runs only if
 * this file is compiled with -fexceptions.) */
static void abandon(int **control) {
  if (*control)
    **control = ONCE_NEW;
}

void fl__once(int *control, void (*routine)(void), uint64_t pc) {
  fl__sync_wait(EV_ONCE, control, sizeof *control, pc, once_is_idle);
  if (*control == ONCE_DONE) {
    if (fl__on())
      fl__silent();
    return;
  }
  *control = ONCE_RUNNING;
  int *running __attribute__((cleanup(abandon))) = control;
  routine();
  running = NULL;
  fl__sync_point(EV_ONCE, control, sizeof *control, pc);
  *control = ONCE_DONE;
}

WRAP(int, pthread_once, (pthread_once_t * control, void (*routine)(void))) {
  fl__once((int *)control, routine, CALLER_PC);
  return 0;
}
