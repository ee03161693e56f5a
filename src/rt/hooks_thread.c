/*
 * Threads that the code under test makes, and their keys.
 *
 * They are fibers like the client's own; a handle is the pthread_t of the
 * thread that lends the fiber its control block, so it stays valid for what of
 * the C library is not redirected.
 */
#include "rt/hooks.h"

#include <errno.h>

static bool is_done(struct fiber_state *f) {
  return E.fiber[f->other].status == FIBER_DONE;
}

/* The number of a thread that can be joined or detached, or -1 and *err. */
static int joinable(pthread_t thread, int *err) {
  int t = fl__thread_of_handle((uintptr_t)thread);
  if (t < 0)
    *err = ESRCH;
  else if (E.fiber[t].detached || E.fiber[t].joined)
    *err = EINVAL;
  else
    return t;
  return -1;
}

static int collect(int t, void **value, uint64_t pc) {
  if (E.fiber[t].joined) /* another thread was faster */
    return EINVAL;
  E.fiber[t].joined = 1;
  if (value) {
    fl__access(EV_WRITE, value, sizeof *value, pc);
    *value = E.fiber[t].exit_value;
  }
  return 0;
}

int fl__thread_create(pthread_t *thread, void *(*start)(void *), void *arg,
                      bool detached, uint64_t pc) {
  if (!fl__on()) /* loading: no scheduler would run it */
    return EAGAIN;
  fl__access(EV_WRITE, thread, sizeof *thread, pc);
  int t = fl__spawn(start, arg, pc);
  if (t < 0)
    return EAGAIN;
  E.fiber[t].detached = detached;
  *thread = (pthread_t)fl__handle_of_thread(t);
  return 0;
}

int fl__thread_join(pthread_t thread, void **value, uint64_t pc) {
  int err = ESRCH;
  int t = fl__on() ? joinable(thread, &err) : -1;
  if (t < 0)
    return err;
  if (t == E.cur)
    return EDEADLK;
  fl__wait(EV_JOIN, (void *)(uintptr_t)thread, (uint64_t)t, pc, is_done);
  return collect(t, value, pc);
}

static int try_join(pthread_t thread, void **value, int busy,
                    const struct timespec *until, uint64_t pc) {
  int err = ESRCH;
  int t = fl__on() ? joinable(thread, &err) : -1;
  if (t < 0)
    return err;
  if (t == E.cur)
    return EDEADLK;
  /* Reads the thread's status, so to say; its handle stands for that. */
  E.self->order = __ATOMIC_SEQ_CST;
  point(EV_ATOMIC_READ, (void *)(uintptr_t)thread, 1, pc);
  bool done = E.fiber[t].status == FIBER_DONE && !(E.live.buffered >> t & 1);
  fl__tried(EV_JOIN, done);
  if (done)
    return collect(t, value, pc);
  if (until)
    fl__sleep_until(until);
  return busy;
}

int fl__thread_detach(pthread_t thread) {
  int err = ESRCH;
  int t = fl__on() ? joinable(thread, &err) : -1;
  if (t < 0)
    return err;
  E.fiber[t].detached = 1;
  return 0;
}

WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attr, void *(*start)(void *),
      void *arg)) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attr)
    pthread_attr_getdetachstate(attr, &state);
  return fl__thread_create(thread, start, arg, state == PTHREAD_CREATE_DETACHED,
                           CALLER_PC);
}
/*
 * libgcc.a has a __wrap_pthread_create of its own (for split stacks), and a
 * link of a client would take that one.  So the client's own is a jump, which
 * the build adds, to this second name.
 */
int fl_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                      void *)
    __attribute__((alias("__wrap_pthread_create"), visibility("default")));

WRAP(int, pthread_join, (pthread_t thread, void **value)) {
  return fl__thread_join(thread, value, CALLER_PC);
}
WRAP(int, pthread_tryjoin_np, (pthread_t thread, void **value)) {
  return try_join(thread, value, EBUSY, NULL, CALLER_PC);
}
WRAP(int, pthread_timedjoin_np,
     (pthread_t thread, void **value, const struct timespec *until)) {
  return try_join(thread, value, ETIMEDOUT, until, CALLER_PC);
}
WRAP(int, pthread_detach, (pthread_t thread)) {
  return fl__thread_detach(thread);
}
WRAP(_Noreturn void, pthread_exit, (void *value)) {
  if (!fl__on())
    pthread_exit(value);
  fl__end_thread(value);
}
WRAP(pthread_t, pthread_self, (void)) {
  return fl__on() ? (pthread_t)fl__handle_of_thread(E.cur) : pthread_self();
}
WRAP(int, pthread_cancel, (pthread_t thread)) {
  if (!fl__on())
    return ESRCH;
  fl__fault(FAULT_ABORT, CALLER_PC, (uint64_t)thread,
            "pthread_cancel is not modelled");
}

/* ---- keys ---- */

static bool key_in_use(unsigned key) {
  return key < KEYS_MAX && E.live.keys >> key & 1;
}

static void **key_slot(unsigned key) {
  return &E.key_value[fl__number(fl__me())][key];
}

int fl__key_create(unsigned *key, void (*destructor)(void *), uint64_t pc) {
  fl__access(EV_WRITE, key, sizeof *key, pc);
  if (E.live.keys == UINT32_MAX)
    return EAGAIN;
  unsigned k = (unsigned)__builtin_ctz(~E.live.keys);
  E.live.keys |= 1u << k;
  E.key_destructor[k] = destructor;
  for (int t = 0; t < RT_MAX_THREADS; t++)
    E.key_value[t][k] = NULL;
  *key = k;
  return 0;
}

int fl__key_delete(unsigned key) {
  if (!key_in_use(key))
    return EINVAL;
  E.live.keys &= ~(1u << key);
  return 0;
}

int fl__key_set(unsigned key, const void *value) {
  if (!key_in_use(key))
    return EINVAL;
  *key_slot(key) = (void *)(uintptr_t)value;
  return 0;
}

void *fl__key_get(unsigned key) {
  return key_in_use(key) ? *key_slot(key) : NULL;
}

/* At a thread's very end, on its own stack.  Destructors are user code and
 * may set values anew, so there is more than one round. */
void fl__run_key_destructors(void) {
  bool again = true;
  for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
    again = false;
    for (unsigned k = 0; k < KEYS_MAX; k++) {
      void *value = fl__key_get(k);
      if (!value)
        continue;
      *key_slot(k) = NULL;
      if (E.key_destructor[k]) {
        E.key_destructor[k](value);
        again = true;
      }
    }
  }
}

_Static_assert(sizeof(pthread_key_t) == sizeof(unsigned), "keys");

WRAP(int, pthread_key_create,
     (pthread_key_t * key, void (*destructor)(void *))) {
  return fl__key_create(key, destructor, CALLER_PC);
}
WRAP(int, pthread_key_delete, (pthread_key_t key)) {
  return fl__key_delete(key);
}
WRAP(void *, pthread_getspecific, (pthread_key_t key)) {
  return fl__key_get(key);
}
WRAP(int, pthread_setspecific, (pthread_key_t key, const void *value)) {
  return fl__key_set(key, value);
}
