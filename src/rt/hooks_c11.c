/* C11 threads: the POSIX objects with other names and result codes. */
#include "rt/hooks.h"

#include <errno.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) == sizeof(struct mutex), "overlay");
_Static_assert(sizeof(cnd_t) == sizeof(struct cond), "overlay");
_Static_assert(sizeof(once_flag) == sizeof(int), "overlay");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "handles");
_Static_assert(sizeof(tss_t) == sizeof(unsigned), "keys");

static int code(int err) {
  switch (err) {
  case 0:
    return thrd_success;
  case EBUSY:
    return thrd_busy;
  case ETIMEDOUT:
    return thrd_timedout;
  case ENOMEM:
    return thrd_nomem;
  default:
    return thrd_error;
  }
}

/* ---- threads ---- */

/* The start routine gives an int where the engine wants a pointer: both come
 * back in the same register, and thrd_join looks at the int only. */
WRAP(int, thrd_create, (thrd_t * thread, thrd_start_t start, void *arg)) {
  void *(*as_pointer)(void *) = (void *(*)(void *))(void (*)(void))start;
  return code(fl__thread_create((pthread_t *)thread, as_pointer, arg, false,
                                CALLER_PC));
}
WRAP(int, thrd_join, (thrd_t thread, int *result)) {
  void *value = NULL;
  int err = fl__thread_join((pthread_t)thread, &value, CALLER_PC);
  if (!err && result) {
    fl__access(EV_WRITE, result, sizeof *result, CALLER_PC);
    *result = (int)(intptr_t)value;
  }
  return code(err);
}
WRAP(int, thrd_detach, (thrd_t thread)) {
  return code(fl__thread_detach((pthread_t)thread));
}
WRAP(_Noreturn void, thrd_exit, (int result)) {
  if (!fl__on())
    thrd_exit(result);
  fl__end_thread((void *)(intptr_t)result);
}
WRAP(thrd_t, thrd_current, (void)) {
  return fl__on() ? (thrd_t)fl__handle_of_thread(E.cur) : thrd_current();
}
WRAP(void, thrd_yield, (void)) { fl__point(EV_YIELD, NULL, 0, CALLER_PC); }
WRAP(int, thrd_sleep,
     (const struct timespec *duration, struct timespec *remaining)) {
  (void)remaining; /* written only when a signal interrupts */
  fl__access(EV_READ, duration, sizeof *duration, CALLER_PC);
  if (duration->tv_nsec < 0 || duration->tv_nsec > 999999999 ||
      duration->tv_sec < 0)
    return -2;
  fl__sleep((uint64_t)duration->tv_sec * 1000000000u +
                (uint64_t)duration->tv_nsec,
            CALLER_PC);
  return 0;
}

/* ---- mutexes ---- */

WRAP(int, mtx_init, (mtx_t * m, int type)) {
  if (type & ~(mtx_plain | mtx_timed | mtx_recursive))
    return thrd_error;
  return code(fl__mutex_init(
      (struct mutex *)m, type & mtx_recursive ? MUTEX_RECURSIVE : MUTEX_NORMAL,
      CALLER_PC));
}
WRAP(void, mtx_destroy, (mtx_t * m)) {
  fl__mutex_destroy((struct mutex *)m, CALLER_PC);
}
WRAP(int, mtx_lock, (mtx_t * m)) {
  return code(fl__mutex_lock((struct mutex *)m, CALLER_PC));
}
WRAP(int, mtx_trylock, (mtx_t * m)) {
  return code(fl__mutex_trylock((struct mutex *)m, CALLER_PC));
}
WRAP(int, mtx_timedlock, (mtx_t * m, const struct timespec *until)) {
  return code(fl__mutex_timedlock((struct mutex *)m, until, CALLER_PC));
}
WRAP(int, mtx_unlock, (mtx_t * m)) {
  return code(fl__mutex_unlock((struct mutex *)m, CALLER_PC));
}

/* ---- condition variables ---- */

WRAP(int, cnd_init, (cnd_t * c)) {
  fl__cond_init((struct cond *)c, CALLER_PC);
  return thrd_success;
}
WRAP(void, cnd_destroy, (cnd_t * c)) {
  fl__cond_destroy((struct cond *)c, CALLER_PC);
}
WRAP(int, cnd_wait, (cnd_t * c, mtx_t *m)) {
  return code(
      fl__cond_wait((struct cond *)c, (struct mutex *)m, NULL, CALLER_PC));
}
WRAP(int, cnd_timedwait, (cnd_t * c, mtx_t *m, const struct timespec *until)) {
  return code(
      fl__cond_wait((struct cond *)c, (struct mutex *)m, until, CALLER_PC));
}
WRAP(int, cnd_signal, (cnd_t * c)) {
  fl__cond_signal((struct cond *)c, CALLER_PC);
  return thrd_success;
}
WRAP(int, cnd_broadcast, (cnd_t * c)) {
  fl__cond_broadcast((struct cond *)c, CALLER_PC);
  return thrd_success;
}

/* ---- once and thread-specific storage ---- */

WRAP(void, call_once, (once_flag * flag, void (*routine)(void))) {
  fl__once((int *)flag, routine, CALLER_PC);
}
WRAP(int, tss_create, (tss_t * key, tss_dtor_t destructor)) {
  return code(fl__key_create(key, destructor, CALLER_PC));
}
WRAP(void, tss_delete, (tss_t key)) { fl__key_delete(key); }
WRAP(void *, tss_get, (tss_t key)) { return fl__key_get(key); }
WRAP(int, tss_set, (tss_t key, void *value)) {
  return code(fl__key_set(key, value));
}
