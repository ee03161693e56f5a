/*
 * Mutexes, reader-writer locks and spinlocks.
 *
 * What POSIX leaves undefined (unlocking another's mutex, destroying a locked
 * one) is a fault here, whatever the C library would make of it; a thread that
 * locks its own lock again waits for ever, and so becomes a deadlock.
 * A timed lock that is scheduled while the lock is taken has timed out.
 */
#include "rt/hooks.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fl__misuse(const volatile void *object, uint64_t pc,
                          const char *text) {
  if (fl__on() || E.reference)
    fl__fault(FAULT_LOCK_MISUSE, pc, (uint64_t)(uintptr_t)object, "%s", text);
  fprintf(stderr, "faultline: while the object was loaded: %s\n", text);
  abort();
}

/* ---- mutexes ---- */

static struct mutex *mutex_of(struct fiber_state *f) {
  return (struct mutex *)(uintptr_t)f->addr;
}

static bool can_lock(struct fiber_state *f) {
  const struct mutex *m = mutex_of(f);
  return !m->owner ||
         (m->owner == fl__owner(f) &&
          (m->kind == MUTEX_RECURSIVE || m->kind == MUTEX_ERRORCHECK));
}

static void reject_destroyed(const struct mutex *m, uint64_t pc) {
  if (m->kind == MUTEX_DESTROYED)
    fl__misuse(m, pc, "use of a mutex after its destruction");
}

/* 0 or an error, without waiting. */
static int take(struct mutex *m) {
  uint32_t me = fl__owner(fl__me());
  if (m->owner == me && m->kind == MUTEX_RECURSIVE) {
    if (m->count == UINT32_MAX)
      return EAGAIN;
    m->count++;
    return 0;
  }
  if (m->owner)
    return EBUSY;
  assert(me && me <= RT_MAX_THREADS); /* S1 */
  m->owner = me;
  fl__me()->held++;
  fl__me()->mutexes ^= (uint64_t)(uintptr_t)m;
  m->count = m->kind == MUTEX_RECURSIVE;
  return 0;
}

int fl__mutex_init(struct mutex *m, int kind, uint64_t pc) {
  fl__access(EV_WRITE, m, sizeof *m, pc);
  memset(m, 0, sizeof *m);
  m->kind = kind;
  return 0;
}

int fl__mutex_destroy(struct mutex *m, uint64_t pc) {
  fl__access(EV_WRITE, m, sizeof *m, pc);
  reject_destroyed(m, pc);
  if (m->owner)
    fl__misuse(m, pc, "destruction of a locked mutex");
  m->kind = MUTEX_DESTROYED;
  return 0;
}

int fl__mutex_lock(struct mutex *m, uint64_t pc) {
  fl__sync_wait(EV_LOCK, m, sizeof *m, pc, can_lock);
  reject_destroyed(m, pc);
  int err = take(m);
  if (err) {
    fl__tried(EV_TRYLOCK, false);
    return err == EBUSY ? EDEADLK : err; /* error-checking, own */
  }
  return 0;
}

int fl__mutex_trylock(struct mutex *m, uint64_t pc) {
  fl__sync_point(EV_TRYLOCK, m, sizeof *m, pc);
  reject_destroyed(m, pc);
  int err = take(m);
  fl__tried(EV_TRYLOCK, !err);
  return err;
}

int fl__mutex_timedlock(struct mutex *m, const struct timespec *until,
                        uint64_t pc) {
  fl__sync_point(EV_TRYLOCK, m, sizeof *m, pc);
  reject_destroyed(m, pc);
  int err = take(m);
  fl__tried(EV_TRYLOCK, !err);
  if (err != EBUSY)
    return err;
  if (m->kind == MUTEX_ERRORCHECK && m->owner == fl__owner(fl__me()))
    return EDEADLK;
  fl__sleep_until(until);
  return ETIMEDOUT;
}

int fl__mutex_unlock(struct mutex *m, uint64_t pc) {
  fl__sync_point(EV_UNLOCK, m, sizeof *m, pc);
  reject_destroyed(m, pc);
  if (m->owner != fl__owner(fl__me())) {
    if (m->kind == MUTEX_RECURSIVE || m->kind == MUTEX_ERRORCHECK) {
      if (fl__on())
        fl__silent();
      return EPERM;
    }
    fl__misuse(m, pc,
               m->owner ? "unlock of a mutex that another thread holds"
                        : "unlock of a mutex that is not locked");
  }
  if (m->count > 1) {
    m->count--;
    return 0;
  }
  m->owner = m->count = 0;
  fl__me()->held--;
  fl__me()->mutexes ^= (uint64_t)(uintptr_t)m;
  return 0;
}

static int kind_of(const pthread_mutexattr_t *attr) {
  int kind = PTHREAD_MUTEX_DEFAULT;
  if (attr)
    pthread_mutexattr_gettype(attr, &kind);
  return kind;
}

WRAP(int, pthread_mutex_init,
     (pthread_mutex_t * m, const pthread_mutexattr_t *attr)) {
  return fl__mutex_init((struct mutex *)m, kind_of(attr), CALLER_PC);
}
WRAP(int, pthread_mutex_destroy, (pthread_mutex_t * m)) {
  return fl__mutex_destroy((struct mutex *)m, CALLER_PC);
}
WRAP(int, pthread_mutex_lock, (pthread_mutex_t * m)) {
  return fl__mutex_lock((struct mutex *)m, CALLER_PC);
}
WRAP(int, pthread_mutex_trylock, (pthread_mutex_t * m)) {
  return fl__mutex_trylock((struct mutex *)m, CALLER_PC);
}
WRAP(int, pthread_mutex_timedlock,
     (pthread_mutex_t * m, const struct timespec *until)) {
  return fl__mutex_timedlock((struct mutex *)m, until, CALLER_PC);
}
WRAP(int, pthread_mutex_clocklock,
     (pthread_mutex_t * m, clockid_t clock, const struct timespec *until)) {
  (void)clock; /* all clocks show the same time */
  return fl__mutex_timedlock((struct mutex *)m, until, CALLER_PC);
}
WRAP(int, pthread_mutex_unlock, (pthread_mutex_t * m)) {
  return fl__mutex_unlock((struct mutex *)m, CALLER_PC);
}

/* ---- reader-writer locks ---- */

enum { DEPTH_BITS = 10, DEEPEST = (1 << DEPTH_BITS) - 1 };
struct rwlock {
  uint16_t writer, destroyed;
  uint32_t readers;                               /* mask */
  uint8_t depth[RT_MAX_THREADS * DEPTH_BITS / 8]; /* a thread's read locks */
  uint32_t unused[2]; /* the C library's kind is among them: no preference is
                         modelled, either side may go first */
};
_Static_assert(sizeof(struct rwlock) == sizeof(pthread_rwlock_t), "overlay");
_Static_assert(offsetof(struct rwlock, unused) ==
                   offsetof(pthread_rwlock_t, __data.__flags),
               "static initialisers");

static struct rwlock *rwlock_of(struct fiber_state *f) {
  return (struct rwlock *)(uintptr_t)f->addr;
}

static bool can_read(struct fiber_state *f) { return !rwlock_of(f)->writer; }
static bool can_write(struct fiber_state *f) {
  return !rwlock_of(f)->writer && !rwlock_of(f)->readers;
}

static void reject_destroyed_rwlock(const struct rwlock *l, uint64_t pc) {
  if (l->destroyed)
    fl__misuse(l, pc, "use of a reader-writer lock after its destruction");
}

/* How often a thread holds it for reading.  Ten bits lie in two bytes, wherever
 * they begin. */
static uint32_t depth_of(const struct rwlock *l, int thread) {
  uint32_t at = (uint32_t)thread * DEPTH_BITS;
  uint16_t two;
  memcpy(&two, l->depth + at / 8, sizeof two);
  return two >> at % 8 & DEEPEST;
}

static void change_depth(struct rwlock *l, int thread, int by) {
  assert(by > 0 ? depth_of(l, thread) < DEEPEST : depth_of(l, thread) > 0);
  uint32_t at = (uint32_t)thread * DEPTH_BITS;
  uint16_t two;
  memcpy(&two, l->depth + at / 8, sizeof two);
  two = (uint16_t)(two + by * (1 << at % 8));
  memcpy(l->depth + at / 8, &two, sizeof two);
}

static int take_read(struct rwlock *l, uint64_t pc) {
  struct fiber_state *f = fl__me();
  if (l->writer)
    return EBUSY;
  if (depth_of(l, fl__number(f)) == DEEPEST)
    fl__refuse(pc, "a thread holds a reader-writer lock more than %d times",
               DEEPEST);
  change_depth(l, fl__number(f), 1);
  l->readers |= fl__bit(f);
  f->held++;
  return 0;
}

static int take_write(struct rwlock *l) {
  if (l->writer || l->readers)
    return EBUSY;
  l->writer = (uint16_t)fl__owner(fl__me()); /* S1 */
  fl__me()->held++;
  return 0;
}

static int lock_rwlock(struct rwlock *l, bool write, uint64_t pc) {
  fl__sync_wait(write ? EV_WRLOCK : EV_RDLOCK, l, sizeof *l, pc,
                write ? can_write : can_read);
  reject_destroyed_rwlock(l, pc);
  return write ? take_write(l) : take_read(l, pc);
}

/* until NULL: only tries. */
static int try_rwlock(struct rwlock *l, bool write,
                      const struct timespec *until, uint64_t pc) {
  fl__sync_point(EV_TRYLOCK, l, sizeof *l, pc);
  reject_destroyed_rwlock(l, pc);
  int err = write ? take_write(l) : take_read(l, pc);
  fl__tried(EV_TRYLOCK, !err);
  if (err == EBUSY && until) {
    fl__sleep_until(until);
    return ETIMEDOUT;
  }
  return err;
}

WRAP(int, pthread_rwlock_init,
     (pthread_rwlock_t * lock, const pthread_rwlockattr_t *attr)) {
  (void)attr;
  fl__access(EV_WRITE, lock, sizeof *lock, CALLER_PC);
  memset(lock, 0, sizeof *lock);
  return 0;
}
WRAP(int, pthread_rwlock_destroy, (pthread_rwlock_t * lock)) {
  struct rwlock *l = (struct rwlock *)lock;
  fl__access(EV_WRITE, l, sizeof *l, CALLER_PC);
  reject_destroyed_rwlock(l, CALLER_PC);
  if (l->writer || l->readers)
    fl__misuse(l, CALLER_PC, "destruction of a locked reader-writer lock");
  l->destroyed = 1;
  return 0;
}
WRAP(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock)) {
  return lock_rwlock((struct rwlock *)lock, false, CALLER_PC);
}
WRAP(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock)) {
  return lock_rwlock((struct rwlock *)lock, true, CALLER_PC);
}
WRAP(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock)) {
  return try_rwlock((struct rwlock *)lock, false, NULL, CALLER_PC);
}
WRAP(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock)) {
  return try_rwlock((struct rwlock *)lock, true, NULL, CALLER_PC);
}
WRAP(int, pthread_rwlock_timedrdlock,
     (pthread_rwlock_t * lock, const struct timespec *until)) {
  return try_rwlock((struct rwlock *)lock, false, until, CALLER_PC);
}
WRAP(int, pthread_rwlock_timedwrlock,
     (pthread_rwlock_t * lock, const struct timespec *until)) {
  return try_rwlock((struct rwlock *)lock, true, until, CALLER_PC);
}
WRAP(int, pthread_rwlock_clockrdlock,
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until)) {
  (void)clock;
  return try_rwlock((struct rwlock *)lock, false, until, CALLER_PC);
}
WRAP(int, pthread_rwlock_clockwrlock,
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until)) {
  (void)clock;
  return try_rwlock((struct rwlock *)lock, true, until, CALLER_PC);
}
WRAP(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock)) {
  struct rwlock *l = (struct rwlock *)lock;
  struct fiber_state *f = fl__me();
  fl__sync_point(EV_UNLOCK, l, sizeof *l, CALLER_PC);
  reject_destroyed_rwlock(l, CALLER_PC);
  if (l->writer == fl__owner(f)) {
    l->writer = 0;
  } else {
    if (!depth_of(l, fl__number(f)))
      fl__misuse(
          l, CALLER_PC,
          "unlock of a reader-writer lock that the thread does not hold");
    change_depth(l, fl__number(f), -1);
    if (!depth_of(l, fl__number(f)))
      l->readers &= ~fl__bit(f);
  }
  f->held--;
  return 0;
}

/* ---- spinlocks ---- */

static bool can_spin_lock(struct fiber_state *f) {
  return !*(uint32_t *)(uintptr_t)f->addr;
}

WRAP(int, pthread_spin_init, (pthread_spinlock_t * lock, int shared)) {
  (void)shared;
  fl__access(EV_WRITE, lock, sizeof *lock, CALLER_PC);
  *lock = 0;
  return 0;
}
WRAP(int, pthread_spin_destroy, (pthread_spinlock_t * lock)) {
  fl__access(EV_WRITE, lock, sizeof *lock, CALLER_PC);
  if (*lock)
    fl__misuse(lock, CALLER_PC, "destruction of a locked spinlock");
  return 0;
}
WRAP(int, pthread_spin_lock, (pthread_spinlock_t * lock)) {
  fl__sync_wait(EV_LOCK, lock, sizeof *lock, CALLER_PC, can_spin_lock);
  *lock = (int)fl__owner(fl__me());
  fl__me()->held++;
  return 0;
}
WRAP(int, pthread_spin_trylock, (pthread_spinlock_t * lock)) {
  fl__sync_point(EV_TRYLOCK, lock, sizeof *lock, CALLER_PC);
  bool ok = !*lock;
  if (ok) {
    *lock = (int)fl__owner(fl__me());
    fl__me()->held++;
  }
  fl__tried(EV_TRYLOCK, ok);
  return ok ? 0 : EBUSY;
}
WRAP(int, pthread_spin_unlock, (pthread_spinlock_t * lock)) {
  fl__sync_point(EV_UNLOCK, lock, sizeof *lock, CALLER_PC);
  if ((uint32_t)*lock != fl__owner(fl__me()))
    fl__misuse(lock, CALLER_PC,
               *lock ? "unlock of a spinlock that another thread holds"
                     : "unlock of a spinlock that is not locked");
  *lock = 0;
  fl__me()->held--;
  return 0;
}

/* ---- for reports ---- */

uint8_t fl__holder(uint8_t kind, uint64_t addr) {
  enum { NOBODY = 255 };
  if (kind != EV_LOCK && kind != EV_RDLOCK && kind != EV_WRLOCK)
    return NOBODY;
  /* Mutexes, spinlocks and writers have their owner in front. */
  uint32_t owner = *(const uint32_t *)(uintptr_t)addr;
  if (owner)
    return (uint8_t)(owner - 1);
  const struct rwlock *l = (const struct rwlock *)(uintptr_t)addr;
  if (kind == EV_WRLOCK && l->readers)
    return (uint8_t)__builtin_ctz(l->readers);
  return NOBODY;
}
