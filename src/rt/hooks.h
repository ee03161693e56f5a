/*
 * What the redirected library functions share.
 *
 * The state of a synchronization object lies inside the user's own object, so
 * that it is copied, restored and hashed with the user's memory, and so that a
 * statically initialised object needs no call.  All zero is "free".
 *
 * (S1) owners are thread number + 1; sets of threads are masks.
 * (S2) equal situations have equal bytes: nothing is counted up for ever, and a
 *      lock that is free has no owner and no count.
 * (S3) a wrapper takes CALLER_PC itself and hands it down: the return address
 *      of a function that it calls would be ours.
 * (S4) without an engine (constructors at load time) there is one thread: no
 *      steps, and nothing can be held by another.
 *
 * The user's code can overwrite its own objects, so S1 and S2 are asserted
 * where we write them, not where we read them.  S3 is a rule for writing
 * wrappers, and S4 is what fl__on() asks.
 */
#ifndef RT_HOOKS_H
#define RT_HOOKS_H

#include "rt/access.h"
#include "rt/heap.h"
#include "rt/park.h"
#include "rt/record.h"
#include "rt/reference_int.h"
#include "rt/writes.h"

#include <pthread.h>
#include <time.h>

/* The place of the call.  The call is a visit to the library, and all its steps
 * are made in one place (atomic.c). */
#undef CALLER_PC
#define CALLER_PC                                                              \
  (E.fiber[E.cur].visits++, (uint64_t)(uintptr_t)__builtin_return_address(0))

/* Defines the function that the user's references to NAME lead to. */
#define WRAP(TYPE, NAME, PARAMETERS)                                           \
  __attribute__((visibility("default"))) TYPE __wrap_##NAME PARAMETERS;        \
  TYPE __wrap_##NAME PARAMETERS

struct mutex {
  uint32_t owner;
  uint32_t count; /* recursive: locked so many times */
  uint32_t unused[2];
  int32_t kind; /* where the C library's static initialisers put it */
  uint32_t unused2[5];
};
enum {
  MUTEX_NORMAL = PTHREAD_MUTEX_NORMAL,
  MUTEX_RECURSIVE = PTHREAD_MUTEX_RECURSIVE,
  MUTEX_ERRORCHECK = PTHREAD_MUTEX_ERRORCHECK,
  MUTEX_DESTROYED = -1,
};
_Static_assert(sizeof(struct mutex) == sizeof(pthread_mutex_t), "overlay");
_Static_assert(offsetof(struct mutex, kind) ==
                   offsetof(pthread_mutex_t, __data.__kind),
               "static initialisers");

struct cond {
  uint32_t waiters;
  uint32_t destroyed;
  uint32_t unused[10];
};
_Static_assert(sizeof(struct cond) == sizeof(pthread_cond_t), "overlay");

/* The running thread's state. */
static inline struct fiber_state *fl__me(void) {
  return fl__on() ? E.self : &E.fiber[0];
}
static inline int fl__number(const struct fiber_state *f) {
  return (int)(f - E.fiber);
}
static inline uint32_t fl__bit(const struct fiber_state *f) {
  return 1u << fl__number(f);
}
static inline uint32_t fl__owner(const struct fiber_state *f) { /* S1 */
  return (uint32_t)fl__number(f) + 1;
}

static inline void fl__point(enum event_kind kind, const volatile void *addr,
                             uint64_t size, uint64_t pc) {
  if (LIKELY(fl__on())) {
    E.self->visit = E.self->visits;
    point(kind, addr, size, pc);
  }
}

/*
 * The object is about to be used: freed memory is a fault, and a wild pointer
 * crashes here, in the user's thread, rather than when the engine asks whether
 * the thread can go on.
 */
static inline void fl__usable(const volatile void *object, uint64_t size,
                              uint64_t pc) {
  if (fl__on())
    fl__must_live((uint64_t)(uintptr_t)object, size, true, pc);
  else if (E.reference)
    fl__reference_touch((uint64_t)(uintptr_t)object, size, true, pc);
  (void)*(const volatile uint8_t *)object;
}

/* The same after a step: the memory may have been freed before it. */
static inline void fl__still_usable(const volatile void *object, uint64_t size,
                                    uint64_t pc) {
  if (UNLIKELY(fl__in_heap(object)) && fl__on())
    fl__must_live((uint64_t)(uintptr_t)object, size, true, pc);
}

/* A step on a synchronization object that can always be made. */
static inline void fl__sync_point(enum event_kind kind, volatile void *object,
                                  uint64_t size, uint64_t pc) {
  fl__usable(object, size, pc);
  fl__point(kind, object, size, pc);
  if (UNLIKELY(E.options.c11) && fl__on())
    fl__c11_sync(kind, (uint64_t)(uintptr_t)object, E.self->other);
  fl__still_usable(object, size, pc);
}

/* One that may have to wait. */
static inline void fl__sync_wait(enum event_kind kind, volatile void *object,
                                 uint64_t size, uint64_t pc,
                                 bool (*can)(struct fiber_state *f)) {
  fl__usable(object, size, pc);
  if (LIKELY(fl__on()))
    fl__wait(kind, object, 0, pc, can);
  fl__still_usable(object, size, pc);
}

/* An attempt succeeded (it is recorded with value 1) or failed (0): then it
 * changed nothing. */
static inline void fl__tried(enum event_kind kind, bool ok) {
  if (!fl__on())
    return;
  E.self->failed = !ok;
  if (UNLIKELY(E.options.c11) && ok && kind == EV_TRYLOCK)
    fl__c11_acquire(E.self->addr);
  if (!ok)
    fl__silent();
  if (UNLIKELY(E.recording)) {
    uint8_t value = ok;
    fl__saw(kind, NULL, &value, sizeof value);
  }
}

/* The user broke a lock's rules; `text` is a sentence without its end. */
_Noreturn void fl__misuse(const volatile void *object, uint64_t pc,
                          const char *text) FL_HIDDEN;

/* hooks_pthread.c; all give 0 or an error number */
int fl__mutex_init(struct mutex *m, int kind, uint64_t pc) FL_HIDDEN;
int fl__mutex_destroy(struct mutex *m, uint64_t pc) FL_HIDDEN;
int fl__mutex_lock(struct mutex *m, uint64_t pc) FL_HIDDEN;
int fl__mutex_trylock(struct mutex *m, uint64_t pc) FL_HIDDEN;
int fl__mutex_timedlock(struct mutex *m, const struct timespec *until,
                        uint64_t pc) FL_HIDDEN;
int fl__mutex_unlock(struct mutex *m, uint64_t pc) FL_HIDDEN;

/* The thread that has the lock that a parked thread waits for, or 255. */
uint8_t fl__holder(uint8_t kind, uint64_t addr) FL_HIDDEN;

/* hooks_sync.c; `until` NULL: wait for ever */
void fl__cond_init(struct cond *c, uint64_t pc) FL_HIDDEN;
void fl__cond_destroy(struct cond *c, uint64_t pc) FL_HIDDEN;
int fl__cond_wait(struct cond *c, struct mutex *m, const struct timespec *until,
                  uint64_t pc) FL_HIDDEN;
void fl__cond_signal(struct cond *c, uint64_t pc) FL_HIDDEN;
void fl__cond_broadcast(struct cond *c, uint64_t pc) FL_HIDDEN;
void fl__once(int *control, void (*routine)(void), uint64_t pc) FL_HIDDEN;

/* hooks_thread.c; error numbers as pthread_create and pthread_join */
int fl__thread_create(pthread_t *thread, void *(*start)(void *), void *arg,
                      bool detached, uint64_t pc) FL_HIDDEN;
int fl__thread_join(pthread_t thread, void **value, uint64_t pc) FL_HIDDEN;
int fl__thread_detach(pthread_t thread) FL_HIDDEN;
int fl__key_create(unsigned *key, void (*destructor)(void *),
                   uint64_t pc) FL_HIDDEN;
int fl__key_delete(unsigned key) FL_HIDDEN;
int fl__key_set(unsigned key, const void *value) FL_HIDDEN;
void *fl__key_get(unsigned key) FL_HIDDEN;

/* hooks_string.c.  The length of a string, at most `most`, in a step that reads
 * it; until the next step the string stays as it is. */
size_t fl__read_string(const char *s, size_t most, uint64_t pc) FL_HIDDEN;

/* hooks_string.c: memmove and memset, in pieces */
void *fl__copy(void *to, const void *from, size_t n, uint64_t pc) FL_HIDDEN;
void *fl__fill(void *to, int byte, size_t n, uint64_t pc) FL_HIDDEN;

/* hooks_refused.c: the signal would run a handler of the code's */
void fl__refuse_handler(const char *function, int number,
                        uint64_t pc) FL_HIDDEN;

/* hooks_time.c */
void fl__sleep(uint64_t ns, uint64_t pc) FL_HIDDEN;
void fl__sleep_until(const struct timespec *until) FL_HIDDEN; /* no step */
/* Nanoseconds since the clock was started. */
uint64_t fl__look(uint64_t pc) FL_HIDDEN;

/* hooks_system.c: what syscall() does */
long fl__system_call(long number, const long a[6], uint64_t pc) FL_HIDDEN;

#endif
