/*
 * Threads that the code under test makes, and their keys.
 *
 * The threads are fibers like the client's own.  A handle is the pthread_t of
 * the thread that lends the fiber its control block, so functions of the C
 * library that are not redirected can use it.
 */
#include "rt/hooks.h"
#include "rt/order.h"

#include "base/slow.h"

#include <errno.h>
#include <limits.h>

static bool is_client(int t) {
  return E.client && t && (uint32_t)t <= E.client->nthreads;
}

/*
 * Mask: the threads that have ended before the next step of t, in all orders of
 * the steps that do not conflict.  These are the threads that t has joined,
 * those that the joined ones had joined, and those that its creator had.  The
 * main thread waits for the client's threads, and they begin after its set-up.
 *
 *   T1: create(T3), join(T3), create(T4)      past of T1 and of T4: {T3}
 */
static uint32_t past_of(int t) {
  uint32_t past = E.fiber[t].past;
  if (is_client(t))
    past |= E.fiber[0].past;
  for (uint32_t i = 1; !t && E.client && i <= E.client->nthreads; i++)
    past |= E.fiber[i].past;
  return past;
}

/* Thread t has ended, and its number is given to another one. */
static void forget_thread(int t) {
  assert(E.fiber[t].status == FIBER_DONE && E.fiber[t].joined);
  for (uint32_t i = 0; i < E.live.nfibers; i++)
    E.fiber[i].past &= ~(1u << t);
  fl__spin_forget(t);
}

/*
 * The number of a new thread.  Numbers are used again only when there are no
 * more, and only where the threads that share one cannot be confused: all that
 * the first did is before the second.  Then their accesses neither conflict nor
 * race, and dpor may take them for one thread.  The locks that the first holds
 * for ever must not become the second's.
 */
int fl__new_number(uint64_t pc) {
  uint32_t most =
      E.options.tso || E.options.c11 ? RT_BUFFERS : RT_MAX_THREADS;
  if (E.live.nfibers < most)
    return (int)E.live.nfibers++;
  for (int t = 1; t < (int)most; t++)
    if (past_of(E.cur) >> t & 1 && !is_client(t) && !E.fiber[t].held) {
      forget_thread(t);
      return t;
    }
  fl__refuse(pc,
             "pthread_create() of more than %u threads%s; one that has ended "
             "counts until it is joined",
             most, E.options.tso   ? " under TSO"
                   : E.options.c11 ? " under C11"
                                   : "");
}

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
  assert(E.fiber[t].status == FIBER_DONE);
  E.fiber[t].joined = 1;
  if (UNLIKELY(E.options.c11))
    fl__c11_join(t);
  E.self->past |= 1u << t | E.fiber[t].past;
  if (UNLIKELY(E.ordering))
    fl__order_join(E.cur, t);
  if (value) {
    fl__access(EV_WRITE, value, sizeof *value, pc);
    *value = E.fiber[t].exit_value;
  }
  return 0;
}

int fl__thread_create(pthread_t *thread, void *(*start)(void *), void *arg,
                      bool detached, uint64_t pc) {
  if (!fl__on()) /* no scheduler would run it */
    fl__misuse(thread, pc,
               E.reference ? "it starts a thread"
                           : "a thread is started by a constructor");
  fl__access(EV_WRITE, thread, sizeof *thread, pc);
  int t = fl__spawn(start, arg, pc);
  E.fiber[t].past = past_of(E.cur);
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
  /* A read of the thread's status: its handle stands for that. */
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
  (void)thread;
  if (!fl__on())
    return ESRCH;
  fl__refuse(CALLER_PC, "pthread_cancel() is not modelled");
}

/* ---- keys ---- */

static bool key_in_use(unsigned key) {
  return key < E.live.keys && E.key[key].used;
}

static void forget_values(unsigned key) {
  for (uint32_t left = E.live.keyed; left; left &= left - 1)
    E.key_value[__builtin_ctz(left)][key] = NULL;
}

int fl__key_create(unsigned *key, void (*destructor)(void *), uint64_t pc) {
  fl__access(EV_WRITE, key, sizeof *key, pc);
  unsigned k = E.live.free_key;
  if (k == KEYS_MAX)
    return EAGAIN;
  if (k == E.live.keys)
    E.live.keys++;
  E.key[k] = (struct specific_key){true, destructor};
  while (key_in_use(E.live.free_key))
    E.live.free_key++;
  forget_values(k);
  check_slow(fl__keys_check_invariants());
  *key = k;
  return 0;
}

int fl__key_delete(unsigned key) {
  if (!key_in_use(key))
    return EINVAL;
  E.key[key] = (struct specific_key){0}; /* equal states have equal bytes */
  if (key < E.live.free_key)
    E.live.free_key = key;
  forget_values(key);
  while (E.live.keys && !E.key[E.live.keys - 1].used)
    E.live.keys--;
  check_slow(fl__keys_check_invariants());
  return 0;
}

int fl__key_set(unsigned key, const void *value) {
  if (!key_in_use(key))
    return EINVAL;
  int t = fl__number(fl__me());
  if (!(E.live.keyed >> t & 1)) {
    if (!value)
      return 0;
    memset(E.key_value[t], 0, E.live.keys * sizeof *E.key_value[t]); /* K3 */
    E.live.keyed |= 1u << t;
  }
  E.key_value[t][key] = (void *)(uintptr_t)value;
  return 0;
}

void *fl__key_get(unsigned key) {
  int t = fl__number(fl__me()); /* K3 */
  return key_in_use(key) && E.live.keyed >> t & 1 ? E.key_value[t][key] : NULL;
}

/* K1, K2 */
bool fl__keys_check_invariants(void) {
  assert(E.live.keys <= KEYS_MAX && E.live.free_key <= E.live.keys);
  assert(!E.live.keys || E.key[E.live.keys - 1].used);
  assert(!key_in_use(E.live.free_key));
  for (unsigned k = 0; k < E.live.free_key; k++)
    assert(key_in_use(k));
  return true;
}

/* At a thread's very end, on its own stack.  Destructors are user code and
 * may set values anew, so there is more than one round. */
void fl__run_key_destructors(void) {
  bool again = E.live.keyed >> fl__number(fl__me()) & 1;
  for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
    again = false;
    for (unsigned k = 0; k < E.live.keys; k++) {
      void *value = fl__key_get(k);
      if (!value)
        continue;
      fl__key_set(k, NULL);
      if (E.key[k].destructor) {
        E.key[k].destructor(value);
        again = true;
      }
    }
  }
}

_Static_assert(sizeof(pthread_key_t) == sizeof(unsigned), "keys");
_Static_assert(KEYS_MAX == PTHREAD_KEYS_MAX, "as many as POSIX systems have");

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
