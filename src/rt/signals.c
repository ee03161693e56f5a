/*
 * A crash of the user's code is a finding.  The handler runs on a stack of its
 * own, notes what happened, and resumes in the engine as if the fiber had
 * parked; the fiber is abandoned where it is, and the next execution begins
 * from a clean state.  A signal outside a fiber is our own bug (or the result
 * of a wild write): the worker dies, and its parent reports that.
 */
#include "rt/signals.h"

#include "rt/cage.h"
#include "rt/engine.h"
#include "rt/reference_int.h"
#include "rt/snapshot.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

enum { ALT_STACK = 64 << 10 };

static void abandon(void *context) {
  assert(E.in_fiber); /* E1 */
  E.arrival = FAULTED;
  fl__context_leave(context, E.engine_sp);
}

struct user_search {
  uint64_t found; /* the innermost place in the user's code */
  uint32_t frames;
};

static _Unwind_Reason_Code find_user(struct _Unwind_Context *c, void *ctx) {
  enum { MOST_FRAMES = 1000 }; /* frames that were overwritten go in circles */
  struct user_search *w = ctx;
  uint64_t ip = _Unwind_GetIP(c);
  if (ip - E.code_lo < E.code_span)
    w->found = ip;
  return w->found || ++w->frames == MOST_FRAMES ? _URC_END_OF_STACK
                                                : _URC_NO_REASON;
}

/* A stack pointer that leads nowhere (longjmp with garbage, say) is not
 * followed: the unwinder would crash. */
static uint64_t stack_end(void) {
  return fl__stack_bottom((uint32_t)E.cur) + STACK_GUARD;
}
static bool has_stack(const void *context) {
  return fl__context_sp(context) - stack_end() < STACK_SIZE - STACK_GUARD;
}

/* In the guard, or in a frame that is larger than the guard. */
static bool is_overflow(const void *context, uint64_t addr) {
  enum { LARGEST_FRAME = 1 << 30 };
  uint64_t sp = fl__context_sp(context), end = stack_end();
  return end - 1 - addr < STACK_GUARD ||
         (end - 1 - sp < LARGEST_FRAME && end - 1 - addr < LARGEST_FRAME);
}

/*
 * The place: the instruction itself when it is the user's; else, in a library,
 * the user's innermost call; else the last known step.  Places are looked up
 * at pc - 1, as for return addresses.
 */
static uint64_t place_of(const void *context) {
  uint64_t pc = fl__context_pc(context);
  if (pc - E.base < E.image_span)
    return pc - E.base + 1;
  static bool walking; /* a crash in the unwinder itself comes back here */
  struct user_search w = {0};
  if ((has_stack(context) || E.reference) && !walking) {
    walking = true;
    _Unwind_Backtrace(find_user, &w);
  }
  walking = false;
  if (w.found)
    return w.found - E.base;
  return E.reference ? 0 : fl__offset(E.self->pc);
}

/* A reference implementation: a mistake in the harness. */
_Noreturn void fl__reference_stopped(const void *context, const char *why) {
  uint64_t place = place_of(context);
  fl__reference_is_stopped();
  fl__reference_fails(place ? E.base + place : 0, "%s", why);
}

static void fill(enum fault kind, const void *context, uint64_t addr,
                 int number) {
  assert(kind != FAULT_NONE);
  E.fault.kind = kind;
  E.fault.pc = place_of(context);
  E.fault.thread = (uint8_t)E.cur;
  E.fault.addr = addr;
  E.fault.signal = number;
}

void fl__refused(enum fault kind, void *context) {
  assert(E.in_fiber); /* E1 */
  fill(kind, context, 0, 0);
  abandon(context);
}

/* Is it an abort because an exception was not caught?  Its words are the
 * user's code: no step is made in them. */
static bool was_uncaught(int number, char *text, size_t size) {
  if (number != SIGABRT)
    return false;
  E.in_fiber = 0;
  bool was = fl__uncaught(text, size);
  E.in_fiber = 1;
  return was;
}

static const char *words(int number, int code) {
  switch (number) {
  case SIGSEGV:
    return "invalid memory access (SIGSEGV)";
  case SIGBUS:
    return "bus error (SIGBUS)";
  case SIGFPE:
    return code == FPE_INTDIV   ? "integer division by zero (SIGFPE)"
           : code == FPE_FLTDIV ? "floating-point division by zero (SIGFPE)"
           : code == FPE_FLTINV ? "invalid floating-point operation (SIGFPE)"
                                : "arithmetic error (SIGFPE)";
  case SIGILL:
    return "illegal instruction (SIGILL)";
  case SIGABRT:
    return "abort (SIGABRT)";
  case SIGTRAP:
    return "trap (SIGTRAP)";
  }
  return "signal";
}

static void crashed(int number, siginfo_t *info, void *context) {
  if (number == SIGSEGV && info->si_code == SEGV_ACCERR &&
      fl__pages_touch((uint64_t)(uintptr_t)info->si_addr))
    return; /* the first write to a page: again */
  if ((number == SIGILL || (number == SIGSEGV && info->si_code == SI_KERNEL)) &&
      fl__site_trap(context))
    return;
  fl__context_set_pc(context, fl__site_pc(fl__context_pc(context)));
  if (E.reference)
    fl__reference_stopped(context, words(number, info->si_code));
  if (!E.in_fiber) {
    cage_default_signal(number); /* ours: happens again, and is fatal then */
    return;
  }
  uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
  bool memory = number == SIGSEGV || number == SIGBUS;
  if (memory && is_overflow(context, addr)) {
    fill(FAULT_STACK_OVERFLOW, context, addr, number);
    snprintf(E.fault.text, sizeof E.fault.text,
             "the thread's stack of %llu KB is full: recursion too deep, or "
             "variables too large",
             STACK_SIZE >> 10);
  } else {
    fill(number == SIGABRT ? FAULT_ABORT : FAULT_CRASH, context,
         memory ? addr : 0, number);
    if (memory && info->si_code > 0 && addr)
      snprintf(E.fault.text, sizeof E.fault.text, "%s at address 0x%llx",
               words(number, info->si_code), (unsigned long long)addr);
    else if (memory && info->si_code > 0 && info->si_code != SI_KERNEL)
      snprintf(E.fault.text, sizeof E.fault.text, "NULL dereferenced (%s)",
               number == SIGSEGV ? "SIGSEGV" : "SIGBUS");
    else if (!was_uncaught(number, E.fault.text, sizeof E.fault.text))
      snprintf(E.fault.text, sizeof E.fault.text, "%s",
               words(number, info->si_code));
  }
  abandon(context);
}

static void tick(int number, siginfo_t *info, void *context) {
  (void)info;
  if (!fl__watch_expired(fl__context_pc(context)))
    return;
  if (E.reference)
    fl__reference_stopped(context, "it does not end");
  fill(FAULT_ENDLESS, context, 0, number);
  snprintf(E.fault.text, sizeof E.fault.text,
           "no visible step for %u ms of CPU time", E.options.watchdog_ms);
  abandon(context);
}

bool fl__own_signal(int number) {
  struct sigaction a;
  return !sigaction(number, NULL, &a) &&
         (a.sa_sigaction == crashed || a.sa_sigaction == tick);
}

void fl__signals_open(const char *so) {
  struct user_search ignored = {0}; /* the unwinder allocates memory now */
  _Unwind_Backtrace(find_user, &ignored);
  static const int numbers[] = {SIGSEGV, SIGBUS,  SIGFPE,
                                SIGILL,  SIGABRT, SIGTRAP};
  stack_t alt = {.ss_size = ALT_STACK};
  alt.ss_sp = mmap(NULL, ALT_STACK, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (alt.ss_sp == MAP_FAILED || sigaltstack(&alt, NULL))
    die("cannot set up the stack for signals: %s", strerror(errno));
  struct sigaction a = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&a.sa_mask);
  a.sa_sigaction = crashed;
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &a, NULL);
  if (E.options.watchdog_ms) {
    a.sa_sigaction = tick;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(SIGVTALRM, &a, NULL);
    fl__watch_open(so);
  }
}
