/*
 * The half of C++ threads that libstdc++ keeps out of line (the other half is
 * inline and calls the POSIX names), and guards of function-local statics.
 *
 * These are C++ functions written in C: `this` is the first argument, and an
 * argument of a class with a destructor (unique_ptr) is passed by its address.
 */
#include "rt/hooks.h"
#include "rt/signals.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- std::condition_variable: a pthread_cond_t and nothing else ---- */

struct unique_lock { /* std::unique_lock<std::mutex> */
  struct mutex *mutex;
  bool owns;
};

WRAP(void, _ZNSt18condition_variableC1Ev, (struct cond * c)) {
  fl__cond_init(c, CALLER_PC);
}
WRAP(void, _ZNSt18condition_variableD1Ev, (struct cond * c)) {
  fl__cond_destroy(c, CALLER_PC);
}
WRAP(void, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE,
     (struct cond * c, struct unique_lock *lock)) {
  fl__cond_wait(c, lock->mutex, NULL, CALLER_PC);
}
WRAP(void, _ZNSt18condition_variable10notify_oneEv, (struct cond * c)) {
  fl__cond_signal(c, CALLER_PC);
}
WRAP(void, _ZNSt18condition_variable10notify_allEv, (struct cond * c)) {
  fl__cond_broadcast(c, CALLER_PC);
}

/* ---- std::thread: a pthread_t, 0 when it is not joinable ---- */

/* std::thread::_State: a complete destructor, a deleting one, _M_run. */
struct thread_state;
struct thread_state_vtable {
  void (*destroy)(struct thread_state *s);
  void (*delete)(struct thread_state *s);
  void (*run)(struct thread_state *s);
};
struct thread_state {
  const struct thread_state_vtable *vtable;
};

static void *run_state(void *arg) {
  struct thread_state *s = arg;
  s->vtable->run(s);
  s->vtable->delete (s);
  return NULL;
}

WRAP(
    void,
    _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE,
    (pthread_t * id, struct thread_state **owner, void (*depend)(void))) {
  (void)depend; /* it only makes the linker take the thread library */
  if (!fl__on())
    fl__misuse(id, CALLER_PC, "a std::thread is started by a constructor");
  struct thread_state *s = *owner;
  *owner = NULL; /* the new thread deletes it */
  fl__thread_create(id, run_state, s, false, CALLER_PC);
}

static pthread_t read_id(pthread_t *id, uint64_t pc) {
  fl__access(EV_READ, id, sizeof *id, pc);
  return *id;
}

static void clear_id(pthread_t *id, uint64_t pc) {
  fl__access(EV_WRITE, id, sizeof *id, pc);
  *id = 0;
}

/* std::system_error, which we cannot throw; programs do not catch it. */
static _Noreturn void not_joinable(pthread_t *id, const char *verb,
                                   uint64_t pc) {
  if (!fl__on())
    fl__misuse(id, pc, "a std::thread is joined by a constructor");
  fl__fault(FAULT_ABORT, pc, (uint64_t)(uintptr_t)id,
            "std::thread::%s of a thread that is not joinable", verb);
}

WRAP(void, _ZNSt6thread4joinEv, (pthread_t * id)) {
  pthread_t thread = read_id(id, CALLER_PC);
  if (!thread || fl__thread_join(thread, NULL, CALLER_PC))
    not_joinable(id, "join", CALLER_PC);
  clear_id(id, CALLER_PC);
}
WRAP(void, _ZNSt6thread6detachEv, (pthread_t * id)) {
  pthread_t thread = read_id(id, CALLER_PC);
  if (!thread || fl__thread_detach(thread))
    not_joinable(id, "detach", CALLER_PC);
  clear_id(id, CALLER_PC);
}

/* ---- std::_Sp_locker: around atomic accesses to a std::shared_ptr ---- */

static struct mutex *shared_ptr_lock(void) {
  static struct mutex *lock; /* of the object; build/flags.c puts it there */
  if (!lock)
    lock = dlsym(E.handle, "fl_shared_ptr_lock");
  return lock;
}

/* The library has sixteen, chosen by the pointer's address: one will do. */
WRAP(void, _ZNSt10_Sp_lockerC1EPKv, (void *self, const void *p)) {
  (void)self, (void)p;
  fl__mutex_lock(shared_ptr_lock(), CALLER_PC);
}
WRAP(void, _ZNSt10_Sp_lockerC1EPKvS1_,
     (void *self, const void *p, const void *q)) {
  (void)self, (void)p, (void)q;
  fl__mutex_lock(shared_ptr_lock(), CALLER_PC);
}
WRAP(void, _ZNSt10_Sp_lockerD1Ev, (void *self)) {
  (void)self;
  fl__mutex_unlock(shared_ptr_lock(), CALLER_PC);
}

/* ---- guards ---- */

/*
 * The compiler tests byte 0 (initialised) itself and calls these when it is 0;
 * byte 1 is ours: being initialised.  They are exported under their own names,
 * so libstdc++'s guards come here too: those are outside the object's data, and
 * nothing interleaves with them.
 */
struct guard {
  uint8_t done, running;
  uint8_t unused[6];
};
int __cxa_guard_acquire(struct guard *g) __attribute__((visibility("default")));
void __cxa_guard_release(struct guard *g)
    __attribute__((visibility("default")));
void __cxa_guard_abort(struct guard *g) __attribute__((visibility("default")));

static bool is_ours(const struct guard *g) {
  return fl__on() && (uint64_t)(uintptr_t)g - E.data_lo < E.data_span;
}

static bool guard_is_idle(struct fiber_state *f) {
  return !((const struct guard *)(uintptr_t)f->addr)->running;
}

int __cxa_guard_acquire(struct guard *g) {
  if (is_ours(g))
    fl__wait(EV_ONCE, g, 0, CALLER_PC, guard_is_idle);
  if (g->done) {
    if (is_ours(g))
      fl__silent();
    return 0;
  }
  g->running = 1;
  return 1;
}

void __cxa_guard_release(struct guard *g) {
  if (is_ours(g))
    point(EV_ONCE, g, sizeof *g, CALLER_PC);
  if (UNLIKELY(E.options.c11) && is_ours(g))
    fl__c11_release((uint64_t)(uintptr_t)g);
  g->running = 0;
  g->done = 1;
}

void __cxa_guard_abort(struct guard *g) {
  if (is_ours(g))
    point(EV_ONCE, g, sizeof *g, CALLER_PC);
  g->running = 0;
}

/* ---- exceptions that nobody catches ---- */

/* As in libstdc++: the virtual functions of a type_info, and the beginning of
 * what stands before a thrown object. */
struct cxx_type {
  const struct {
    void (*destroy[2])(void);
    bool (*is_pointer)(void), (*is_function)(void);
    bool (*catches)(const struct cxx_type *self, const struct cxx_type *thrown,
                    void **object, unsigned outer);
  } * vtable;
  const char *name;
};
struct thrown {
  const struct cxx_type *type;
  uint8_t unused[72];
  uint8_t unwind[32]; /* its first 8 bytes say which language */
};
struct cxx_exception { /* std::exception */
  const struct {
    void (*destroy[2])(void);
    const char *(*what)(const struct cxx_exception *self);
  } * vtable;
};
_Static_assert(sizeof(struct thrown) == 112, "libstdc++'s __cxa_exception");

/* What an object that was thrown says, or NULL. */
static const char *words_of(struct thrown *t, const struct cxx_type *type) {
  const struct cxx_type *base = dlsym(E.handle, "_ZTISt9exception");
  void *object = t + 1;
  if (!base || t->type != type || memcmp(t->unwind, "\0++CCUNG", 8) != 0 ||
      !base->vtable->catches(base, type, &object, 1))
    return NULL;
  const struct cxx_exception *e = object;
  return e->vtable->what(e);
}

bool fl__uncaught(char *text, size_t size) {
  const struct cxx_type *(*type_now)(void) = (const struct cxx_type *(*)(void))(
      uintptr_t)dlsym(E.handle, "__cxa_current_exception_type");
  struct thrown **(*globals)(void) = (struct thrown * *(*)(void))(
      uintptr_t)dlsym(E.handle, "__cxa_get_globals");
  char *(*demangle)(const char *, char *, size_t *, int *) =
      (char *(*)(const char *, char *, size_t *, int *))(uintptr_t)dlsym(
          E.handle, "__cxa_demangle");
  const struct cxx_type *type = type_now ? type_now() : NULL;
  if (!type || !globals)
    return false;
  const char *name = type->name + (*type->name == '*');
  char *readable = demangle ? demangle(name, NULL, NULL, NULL) : NULL;
  struct thrown *t = *globals();
  const char *words = t ? words_of(t, type) : NULL;
  snprintf(text, size, "uncaught exception %s%s%s", readable ? readable : name,
           words ? ": " : "", words ? words : "");
  free(readable);
  return true;
}
