/*
 * Stacks, and the thread control blocks that fibers borrow.
 *
 * Thread-local variables, errno and pthread_self hang on the FS base.  For each
 * fiber a real thread is started that goes to sleep for ever and lends its own:
 * while the fiber runs, FS points to the sleeper's block.  The C library then
 * sees an ordinary thread.
 */
#include "rt/cage.h"
#include "rt/int.h"

#include <asm/prctl.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct tls_index {
  unsigned long module, offset;
};
void *__tls_get_addr(struct tls_index *);

static bool has_wrfsbase;

void fl__fibers_open(void) {
  void *p = mmap(
      (void *)STACK_BASE, STACK_SPAN, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != (void *)STACK_BASE)
    die("cannot reserve memory for stacks");
  for (int t = 0; t < RT_MAX_THREADS; t++)
    if (mprotect((void *)(STACK_BASE + (uint64_t)t * STACK_SIZE), STACK_GUARD,
                 PROT_NONE))
      die("cannot protect the end of a stack");
  E.shadow = xcalloc(RT_MAX_THREADS, sizeof *E.shadow);
  E.start_shadow = xcalloc(RT_MAX_THREADS, sizeof *E.start_shadow);
  has_wrfsbase = getauxval(AT_HWCAP2) & 2; /* HWCAP2_FSGSBASE */
  unsigned long fs;
  syscall(SYS_arch_prctl, ARCH_GET_FS, &fs);
  E.own_fs = E.loaded_fs = fs;
}

void fl__use_fs(uintptr_t fs) {
  if (E.loaded_fs == fs)
    return;
  E.loaded_fs = fs;
  if (has_wrfsbase)
    __asm__ volatile("wrfsbase %0" ::"r"(fs) : "memory");
  else
    syscall(SYS_arch_prctl, ARCH_SET_FS, fs);
}

/*
 * The control words of the floating-point unit, and the exceptions that it has
 * met, are a thread's own.  The registers are not: a hook is a call, before
 * which the compiler saves what it needs of them and leaves the x87 unit's
 * stack empty.
 */
struct float_state fl__float_now(void) {
  struct float_state s;
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
                   : "=m"(s.mxcsr), "=m"(s.x87_control), "=a"(s.x87_met));
  s.x87_met &= 0x3f;
  return s;
}

/* Setting is dear, and most threads leave all as it is. */
void fl__float_set(struct float_state s) {
  struct float_state now = fl__float_now();
  if (s.mxcsr != now.mxcsr)
    __asm__ volatile("ldmxcsr %0" ::"m"(s.mxcsr));
  uint32_t x87[7] = {s.x87_control, s.x87_met, 0xffff /* all are empty */};
  if (s.x87_control != now.x87_control || s.x87_met != now.x87_met)
    __asm__ volatile("fldenv %0" ::"m"(x87));
}

static void *sleeper(void *arg) {
  struct parked_thread *p = arg;
  unsigned long fs;
  syscall(SYS_arch_prctl, ARCH_GET_FS, &fs);
  p->fs = fs;
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
      p->hi = fs + 4096; /* the block lies behind the stack */
    }
    pthread_attr_destroy(&attr);
  }
  atomic_thread_fence(memory_order_seq_cst);
  __atomic_store_n(&p->ready, true, __ATOMIC_RELEASE);
  for (;;)
    pause();
  return NULL;
}

/* At a fixed place: what identifies a thread is an address there, and states
 * that hold it are compared across processes. */
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

void fl__lend(int thread) {
  struct parked_thread *p = &E.lent[thread];
  if (p->ready)
    return;
  uintptr_t fs = E.loaded_fs;
  fl__use_fs(E.own_fs);
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
  while (!__atomic_load_n(&p->ready, __ATOMIC_ACQUIRE))
    sched_yield();
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  fl__use_fs(fs);
}

void fl__tls_reset(int thread) {
  struct parked_thread *p = &E.lent[thread];
  if (p->tls) {
    memcpy(p->tls, E.tls_image, E.tls_image_size);
    memset(p->tls + E.tls_image_size, 0, E.tls_size - E.tls_image_size);
  }
  if (p->errno_at)
    *p->errno_at = 0;
}

void fl__fiber_begin(int thread, void (*body)(void)) {
  fl__lend(thread);
  fl__tls_reset(thread);
  struct fiber_state *f = &E.fiber[thread];
  uint64_t *top =
      (uint64_t *)(STACK_BASE + (uint64_t)(thread + 1) * STACK_SIZE);
  *--top = 0; /* ends backtraces */
  *--top = (uint64_t)(uintptr_t)body;
  for (int i = 0; i < 6; i++)
    *--top = 0;
  *f = (struct fiber_state){.sp = top,
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

uintptr_t fl__handle_of_thread(int thread) { return E.lent[thread].handle; }

/*
 * Frames have holes: padding, and slots that are written later.  What was left
 * there by calls that are over, in this execution or in another one, would make
 * states different that are equal, and the same state different in two
 * processes.  So a step of a search over states finds zeros below the stack, as
 * far down as steps usually go, and as far as something is left.
 */
static void clean(int thread, uint64_t at) {
  enum { USUAL = 1024, BLOCK = 256 };
  uint64_t end = STACK_BASE + (uint64_t)thread * STACK_SIZE + STACK_GUARD;
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
  clean(thread, (uint64_t)(uintptr_t)E.fiber[thread].sp);
}

/* Others see what is left there, and so do the records of steps. */
void fl__clean_shared(void) {
  for (uint32_t left = E.stack_shared; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    uint64_t top = STACK_BASE + (uint64_t)(t + 1) * STACK_SIZE;
    bool runs = (uint32_t)t < E.live.nfibers &&
                E.fiber[t].status == FIBER_PARKED;
    clean(t, runs ? (uint64_t)(uintptr_t)E.fiber[t].sp : top);
  }
}
