/*
 * Stacks, and the thread control blocks that fibers borrow.
 *
 * Thread-local variables, errno and pthread_self hang on the thread pointer.
 * For each fiber a real thread is started that goes to sleep for ever and lends
 * its own: while the fiber runs, the pointer is the sleeper's.  The C library
 * then sees an ordinary thread.
 */
#include "base/slow.h"
#include "rt/cage.h"
#include "rt/engine.h"
#include "rt/fiber.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct tls_index {
  unsigned long module, offset;
};
void *__tls_get_addr(struct tls_index *);

static uintptr_t loaded_thread_pointer; /* what the register has now */

void fl__fibers_open(void) {
  void *p = mmap(
      (void *)STACK_BASE, STACK_SPAN, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != (void *)STACK_BASE)
    die("cannot reserve memory for stacks");
  for (int t = 0; t < RT_MAX_THREADS; t++)
    if (mprotect((void *)fl__stack_bottom((uint32_t)t), STACK_GUARD, PROT_NONE))
      die("cannot protect the end of a stack");
  E.shadow = xcalloc(RT_MAX_THREADS, sizeof *E.shadow);
  E.start_shadow = xcalloc(RT_MAX_THREADS, sizeof *E.start_shadow);
  E.own_thread_pointer = loaded_thread_pointer = fl__thread_pointer();
}

void fl__use_thread_pointer(uintptr_t to) {
  check_slow(to != 0);
  if (loaded_thread_pointer == to)
    return;
  loaded_thread_pointer = to;
  fl__set_thread_pointer(to);
}

static void *sleeper(void *arg) {
  struct lent_thread *p = arg;
  p->thread_pointer = fl__thread_pointer();
  p->handle = (uintptr_t)pthread_self();
  p->errno_at = &errno;
  if (E.tls_size) /* makes the C library allocate the block now */
    p->tls = __tls_get_addr(&(struct tls_index){E.tls_module, 0});
  for (uint32_t i = 0; i < E.nlibraries; i++)
    p->library[i] = (uint64_t)(uintptr_t)__tls_get_addr(
        &(struct tls_index){E.library[i].id, 0});
  pthread_attr_t attr;
  void *lo;
  size_t size;
  if (!pthread_getattr_np(pthread_self(), &attr)) {
    if (!pthread_attr_getstack(&attr, &lo, &size)) {
      p->lo = (uint64_t)(uintptr_t)lo;
      p->hi = p->thread_pointer + 4096; /* the block is behind the stack */
    }
    pthread_attr_destroy(&attr);
  }
  __atomic_store_n(&p->ready, true, __ATOMIC_RELEASE);
  for (;;)
    pause();
  return NULL;
}

/* At a fixed place: a pthread_t is an address there, and states that hold one
 * are compared across processes. */
static void set_stack(pthread_attr_t *attr, int thread) {
  enum { SIZE = 256 << 10 };
  void *at = (void *)(LENT_BASE + (uint64_t)thread * SIZE);
  void *p = mmap(
      at, SIZE, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == at)
    pthread_attr_setstack(attr, p, SIZE);
  else
    pthread_attr_setstacksize(attr, SIZE);
}

static void lend(int thread) {
  assert(!E.tls_size || E.tls_module);
  struct lent_thread *p = &E.lent[thread];
  if (p->ready)
    return;
  uintptr_t was = loaded_thread_pointer;
  fl__use_thread_pointer(E.own_thread_pointer);
  sigset_t all, old; /* signals are for the engine's thread */
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  set_stack(&attr, thread);
  pthread_t t;
  cage_reserve(true);
  int err = pthread_create(&t, &attr, sleeper, p);
  cage_reserve(false);
  if (err)
    die("cannot start a thread: %s", strerror(err));
  pthread_attr_destroy(&attr);
  /* Paired with the release in sleeper(). */
  while (!__atomic_load_n(&p->ready, __ATOMIC_ACQUIRE))
    sched_yield();
  assert(p->thread_pointer && p->handle && p->errno_at);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  fl__use_thread_pointer(was);
}

static void reset_tls(int thread) {
  struct lent_thread *p = &E.lent[thread];
  assert(p->ready);
  if (p->tls) {
    memcpy(p->tls, E.tls_image, E.tls_image_size);
    memset(p->tls + E.tls_image_size, 0, E.tls_size - E.tls_image_size);
  }
  if (p->errno_at)
    *p->errno_at = 0;
}

void fl__fiber_begin(int thread, void (*body)(void)) {
  assert(thread >= 0 && thread < RT_MAX_THREADS);
  lend(thread);
  reset_tls(thread);
  struct fiber_state *f = &E.fiber[thread];
  uint64_t top = fl__stack_top((uint32_t)thread);
  *f = (struct fiber_state){.sp = fl__first_frame(top, body),
                            .status = FIBER_PARKED,
                            .kind = EV_STEP,
                            .call = EVENT_NO_CALL,
                            .fp = E.loaded_fp,
                            .random = 0x9e3779b97f4a7c15u * (thread + 1)};
}

int fl__thread_of_handle(uintptr_t handle) {
  for (uint32_t t = 0; t < E.live.nfibers; t++)
    if (E.lent[t].handle == handle)
      return (int)t;
  return -1;
}

uintptr_t fl__handle_of_thread(int thread) {
  assert(E.lent[thread].ready);
  return E.lent[thread].handle;
}

/*
 * Frames have holes: padding, and slots that are written later.  Calls that are
 * over, in this execution or in another one, leave bytes there that would make
 * equal states different, and the same state different in two processes.  So a
 * step of a search over states finds zeros below the stack, as far down as
 * steps usually go, and as far as something is left.
 */
static void clean(int thread, uint64_t at) {
  enum { USUAL = 1024, BLOCK = 256 };
  uint64_t end = fl__stack_bottom((uint32_t)thread) + STACK_GUARD;
  if (at - end < USUAL || at - end > STACK_SIZE)
    return;
  at -= USUAL;
  memset((void *)at, 0, USUAL);
  static const char zeros[BLOCK];
  for (; at - end >= BLOCK; at -= BLOCK) {
    void *block = (void *)(at - BLOCK);
    if (!memcmp(block, zeros, BLOCK))
      return;
    memset(block, 0, BLOCK);
  }
}

void fl__clean_below(int thread) {
  check_slow(E.fiber[thread].status == FIBER_PARKED);
  clean(thread, (uint64_t)(uintptr_t)E.fiber[thread].sp);
}

/* Other threads see the bytes below a shared stack, and so do the records of
 * steps. */
void fl__clean_shared(void) {
  for (uint32_t left = E.stack_shared; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    uint64_t top = fl__stack_top((uint32_t)t);
    bool runs =
        (uint32_t)t < E.live.nfibers && E.fiber[t].status == FIBER_PARKED;
    clean(t, runs ? (uint64_t)(uintptr_t)E.fiber[t].sp : top);
  }
}
