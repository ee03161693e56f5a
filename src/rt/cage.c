/*
 * Closing the cage, the engine's own way out of it, and what becomes of a call
 * that is refused.
 */
#include "rt/cage_int.h"

#include "rt/engine.h"
#include "rt/fault.h"
#include "rt/port.h"
#include "rt/reference_int.h"
#include "rt/signals.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

enum cage_state {
  NO_CAGE, /* this is no worker */
  FILTERED,
  BARE, /* a worker without a filter: cage_ask stands in for it */
};
static struct {
  enum cage_state state;
  bool signals; /* cage_close_signals */
  pid_t pid, parent;
  int fd; /* to be left alone */
} cage;
bool fl__cage_is_bare;

uint32_t fl__rule_value(const struct rule *r) {
  return r->value == OWN_PID      ? (uint32_t)cage.pid
         : r->value == PARENT_PID ? (uint32_t)cage.parent
         : r->value == KEPT_FD    ? (uint32_t)cage.fd
                                  : r->value;
}

/* ---- the engine's own calls (C3) ---- */

long cage_call(long number, long a, long b, long c, long d, long e) {
  long result = fl__door(number, a, b, c, d, e);
  if (result >= 0 || result < -4095)
    return result;
  errno = (int)-result;
  return -1;
}

pid_t cage_fork(void) {
  cage_reserve(true);
  pid_t pid = (pid_t)cage_call(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  int reason = errno;
  cage_reserve(false);
  errno = reason;
  return pid;
}

int cage_kill(pid_t pid, int number) {
  return (int)cage_call(SYS_kill, pid, number, 0, 0, 0);
}

_Noreturn void cage_exit(int status) {
  for (;;)
    fl__door(SYS_exit_group, status, 0, 0, 0, 0);
}

/* What the kernel takes: the C library's sigaction is behind the filter. */
void cage_default_signal(int number) {
  struct {
    void *handler;
    unsigned long flags;
    void *restorer;
    unsigned long mask;
  } a = {.handler = SIG_DFL};
  cage_call(SYS_rt_sigaction, number, (long)&a, 0, sizeof a.mask, 0);
}

/* ---- a refusal ---- */

/* Written by processes that end; nothing of it is believed. */
static struct last_words {
  volatile int number;
  volatile uint64_t pc;
} * last;
enum { REFUSED_STATUS = 86 };

void cage_prepare(void) {
  if (last)
    return;
  last = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (last == MAP_FAILED)
    last = NULL;
}

/* The innermost code that is neither the C library's nor ours. */
static _Unwind_Reason_Code find_object(struct _Unwind_Context *c, void *found) {
  uint64_t ip = _Unwind_GetIP(c);
  Dl_info info;
  if (!dladdr((void *)(uintptr_t)ip, &info) || !info.dli_fname ||
      !strstr(info.dli_fname, ".so") || strstr(info.dli_fname, "/libc.so") ||
      strstr(info.dli_fname, "/ld-linux"))
    return _URC_NO_REASON;
  *(uint64_t *)found = ip - (uint64_t)(uintptr_t)info.dli_fbase;
  return _URC_END_OF_STACK;
}

static _Noreturn void leave(int number) {
  uint64_t pc = 0;
  if (last) {
    last->number = number;
    _Unwind_Backtrace(find_object, &pc);
    last->pc = pc;
  }
  cage_exit(REFUSED_STATUS);
}

char *cage_words(int status, uint64_t *pc) {
  int number = last ? last->number : 0;
  *pc = 0;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
    return xstrdup("a system call that Faultline refuses was made");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != REFUSED_STATUS)
    return NULL;
  const char *why = fl__why_refused(number);
  *pc = last ? last->pc : 0;
  return xasprintf("%s() %s", fl__call_name(number),
                   why ? why : "is not modelled by Faultline");
}

/* For a reference implementation. */
static const char *refusal_text(int number) {
  static char text[200];
  const char *why = fl__why_refused(number);
  snprintf(text, sizeof text, "%s() %s", fl__call_name(number),
           why ? why : "is not modelled by Faultline");
  return text;
}

static void refused(int signal_number, siginfo_t *info, void *context) {
  (void)signal_number;
  const char *why = fl__why_refused(info->si_syscall);
  bool engine = E.in_fiber && syscall(SYS_gettid) == getpid();
  if (info->si_syscall == SYS_exit_group && !E.in_fiber)
    cage_exit((int)fl__context_argument(context));
  bool forks = info->si_syscall == SYS_clone; /* libc holds locks meanwhile */
  if (E.reference && !forks && syscall(SYS_gettid) == getpid())
    fl__reference_stopped(context, refusal_text(info->si_syscall));
  if (!engine)
    leave(info->si_syscall);
  bool ended = info->si_syscall == SYS_exit_group;
  fl__refused(ended ? FAULT_EXIT : FAULT_UNMODELLED, context);
  snprintf(E.fault.text, sizeof E.fault.text, "%s() %s",
           fl__call_name(info->si_syscall),
           why ? why : "is not modelled by Faultline");
}

/* ---- without a filter ---- */

static bool applies(const struct rule *r, const long *args) {
  uint32_t given = (uint32_t)args[r->argument], value = fl__rule_value(r);
  switch ((enum when)r->when) {
  case ALWAYS:
    return true;
  case IS:
    return given == value;
  case IS_NOT:
    return given != value;
  case BELOW:
    return given <= value;
  case HAS_NOT:
    return !(given & value);
  case GIVEN:
    return args[r->argument] != 0;
  }
  return false;
}

static const struct rule *refusal_of(const struct rule_list *rules, long number,
                                     const long *args) {
  for (size_t i = 0; i < rules->n; i++) {
    const struct rule *r = &rules->at[i];
    if (r->number == number && r->why && applies(r, args))
      return r;
  }
  return NULL;
}

void cage_ask_slowly(uint64_t pc, long number, const long *args) {
  const struct rule *r = refusal_of(&fl__process_rules, number, args);
  if (!r && cage.signals)
    r = refusal_of(&fl__signal_rules, number, args);
  bool ends_here = number == SYS_exit_group;
  if (!r || (ends_here && !E.in_fiber))
    return;
  if ((!E.in_fiber && !E.reference) || syscall(SYS_gettid) != getpid())
    leave((int)number);
  fl__fault(ends_here ? FAULT_EXIT : FAULT_UNMODELLED, pc, 0, "%s() %s",
            fl__call_name((int)number), r->why);
}

void cage_end_copy_slowly(void) {
  if (getpid() != cage.pid)
    cage_exit(0);
}

/* ---- closing it ---- */

bool cage_close(int fd) {
  struct sigaction a = {.sa_sigaction = refused,
                        .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&a.sa_mask);
  sigaction(SIGSYS, &a, NULL);
  fl__limit_resources();
  cage.pid = getpid();
  cage.parent = getppid();
  cage.fd = fd;
  bool filtered = fl__cage_filter(&fl__process_rules);
  if (!filtered)
    fl__limit_processes();
  cage.state = filtered ? FILTERED : BARE;
  fl__cage_is_bare = !filtered;
  return filtered;
}

void cage_close_signals(void) {
  cage.signals = true;
  if (cage.state == FILTERED)
    fl__cage_filter(&fl__signal_rules);
}
