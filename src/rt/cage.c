#include "rt/cage.h"

#include "rt/engine.h"
#include "rt/fault.h"
#include "rt/signals.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

/* ---- the door (C3) ---- */

long fl__cage_door(long number, long a, long b, long c, long d,
                   long e) FL_HIDDEN;
extern const char fl__cage_door_end[] FL_HIDDEN;
__asm__(".text\n"
        ".globl fl__cage_door, fl__cage_door_end\n"
        ".hidden fl__cage_door, fl__cage_door_end\n"
        ".type fl__cage_door, @function\n"
        "fl__cage_door:\n\t"
        ".cfi_startproc\n\t"
        "movq %rdi, %rax\n\t"
        "movq %rsi, %rdi\n\t"
        "movq %rdx, %rsi\n\t"
        "movq %rcx, %rdx\n\t"
        "movq %r8, %r10\n\t"
        "movq %r9, %r8\n\t"
        "xorl %r9d, %r9d\n\t"
        "syscall\n"
        "fl__cage_door_end:\n\t"
        "ret\n\t"
        ".cfi_endproc\n"
        ".size fl__cage_door, .-fl__cage_door");

long cage_call(long number, long a, long b, long c, long d, long e) {
  long result = fl__cage_door(number, a, b, c, d, e);
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
    fl__cage_door(SYS_exit_group, status, 0, 0, 0, 0);
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

/* ---- the rules ---- */

/*
 * What happens to a call: it is made if no rule speaks of it.  An argument is
 * compared by its lower half, which is all that descriptors, processes and
 * signals have.
 */
enum when { ALWAYS, IS, IS_NOT, BELOW, HAS_NOT, GIVEN };
struct rule {
  uint16_t number;
  uint8_t when, argument;
  uint32_t value;
  const char *why; /* it is refused; NULL: it fails with `value`, an errno */
};

/* Values that are known when the cage is closed only. */
enum { OWN_PID = 0xfffffff0u, PARENT_PID, KEPT_FD };

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

static const char starts[] = "would start a process, and processes are not "
                             "modelled";
static const char replaces[] = "would run another program in place of the test";
static const char signals[] = "would stop or kill the process, or send a "
                              "signal to another one";
static const char closes[] = "would close a file that the code has not opened";
static const char uses[] = "would use a file that the code has not opened";
static const char limits[] = "would change the limits that the test runs under";
static const char reaches[] = "would reach into a process";
static const char handles[] = "would take over a signal by which crashes and "
                              "endless loops are found";
static const char interrupts[] =
    "would interrupt the code by a timer, and timers are not modelled";
static const char ends[] = "has ended the process";

static const struct rule process_rules[] = {
    {SYS_fork, ALWAYS, 0, 0, starts},
    {SYS_vfork, ALWAYS, 0, 0, starts},
    {SYS_clone, HAS_NOT, 0, CLONE_THREAD, starts},
    {SYS_clone3, ALWAYS, 0, ENOSYS, NULL}, /* the C library takes clone then */
    {SYS_execve, ALWAYS, 0, 0, replaces},
    {SYS_execveat, ALWAYS, 0, 0, replaces},
    {SYS_exit_group, ALWAYS, 0, 0, ends},
    {SYS_kill, IS_NOT, 0, OWN_PID, signals},
    {SYS_kill, IS, 1, SIGKILL, signals},
    {SYS_kill, IS, 1, SIGSTOP, signals},
    {SYS_kill, IS, 1, SIGTSTP, signals},
    {SYS_kill, IS, 1, SIGTTIN, signals},
    {SYS_kill, IS, 1, SIGTTOU, signals},
    {SYS_tgkill, IS, 0, PARENT_PID, signals},
    {SYS_tgkill, IS, 2, SIGKILL, signals},
    {SYS_tgkill, IS, 2, SIGSTOP, signals},
    {SYS_tgkill, IS, 2, SIGTSTP, signals},
    {SYS_tgkill, IS, 2, SIGTTIN, signals},
    {SYS_tgkill, IS, 2, SIGTTOU, signals},
    {SYS_tkill, ALWAYS, 0, 0, signals},
    {SYS_rt_sigqueueinfo, IS_NOT, 0, OWN_PID, signals},
    {SYS_rt_tgsigqueueinfo, IS_NOT, 0, OWN_PID, signals},
    {SYS_pidfd_send_signal, ALWAYS, 0, 0, signals},
    {SYS_pidfd_open, ALWAYS, 0, 0, reaches},
    {SYS_ptrace, ALWAYS, 0, 0, reaches},
    {SYS_process_vm_readv, ALWAYS, 0, 0, reaches},
    {SYS_process_vm_writev, ALWAYS, 0, 0, reaches},
    {SYS_close, IS, 0, KEPT_FD, closes},
    {SYS_dup2, IS, 1, KEPT_FD, closes},
    {SYS_dup3, IS, 1, KEPT_FD, closes},
    {SYS_shutdown, IS, 0, KEPT_FD, closes},
    {SYS_close_range, BELOW, 0, KEPT_FD, closes},
    {SYS_write, IS, 0, KEPT_FD, uses},
    {SYS_writev, IS, 0, KEPT_FD, uses},
    {SYS_read, IS, 0, KEPT_FD, uses},
    {SYS_readv, IS, 0, KEPT_FD, uses},
    {SYS_sendto, IS, 0, KEPT_FD, uses},
    {SYS_sendmsg, IS, 0, KEPT_FD, uses},
    {SYS_recvfrom, IS, 0, KEPT_FD, uses},
    {SYS_recvmsg, IS, 0, KEPT_FD, uses},
    {SYS_setrlimit, ALWAYS, 0, 0, limits},
    {SYS_prlimit64, GIVEN, 2, 0, limits},
    {SYS_prctl, IS, 0, PR_SET_PDEATHSIG, limits},
    {SYS_prctl, IS, 0, PR_SET_SECCOMP, limits},
    {SYS_prctl, IS, 0, PR_SET_MM, limits},
    {SYS_seccomp, ALWAYS, 0, 0, limits},
    {SYS_io_uring_setup, ALWAYS, 0, ENOSYS, NULL}, /* goes round the filter */
    /* Only an administrator could. */
    {SYS_setsid, ALWAYS, 0, EPERM, NULL},
    {SYS_setpgid, ALWAYS, 0, EPERM, NULL},
    {SYS_unshare, ALWAYS, 0, EPERM, NULL},
    {SYS_setns, ALWAYS, 0, EPERM, NULL},
    {SYS_sched_setscheduler, ALWAYS, 0, EPERM, NULL},
    {SYS_sched_setattr, ALWAYS, 0, EPERM, NULL},
    {SYS_sched_setparam, ALWAYS, 0, EPERM, NULL},
    {SYS_mount, ALWAYS, 0, EPERM, NULL},
    {SYS_umount2, ALWAYS, 0, EPERM, NULL},
    {SYS_pivot_root, ALWAYS, 0, EPERM, NULL},
    {SYS_chroot, ALWAYS, 0, EPERM, NULL},
    {SYS_reboot, ALWAYS, 0, EPERM, NULL},
    {SYS_kexec_load, ALWAYS, 0, EPERM, NULL},
    {SYS_kexec_file_load, ALWAYS, 0, EPERM, NULL},
    {SYS_init_module, ALWAYS, 0, EPERM, NULL},
    {SYS_finit_module, ALWAYS, 0, EPERM, NULL},
    {SYS_delete_module, ALWAYS, 0, EPERM, NULL},
    {SYS_swapon, ALWAYS, 0, EPERM, NULL},
    {SYS_swapoff, ALWAYS, 0, EPERM, NULL},
    {SYS_sethostname, ALWAYS, 0, EPERM, NULL},
    {SYS_setdomainname, ALWAYS, 0, EPERM, NULL},
    {SYS_settimeofday, ALWAYS, 0, EPERM, NULL},
    {SYS_clock_settime, ALWAYS, 0, EPERM, NULL},
    {SYS_adjtimex, ALWAYS, 0, EPERM, NULL},
    {SYS_clock_adjtime, ALWAYS, 0, EPERM, NULL},
    {SYS_iopl, ALWAYS, 0, EPERM, NULL},
    {SYS_ioperm, ALWAYS, 0, EPERM, NULL},
    {SYS_acct, ALWAYS, 0, EPERM, NULL},
    {SYS_quotactl, ALWAYS, 0, EPERM, NULL},
    {SYS_bpf, ALWAYS, 0, EPERM, NULL},
    {SYS_perf_event_open, ALWAYS, 0, EPERM, NULL},
    {SYS_userfaultfd, ALWAYS, 0, EPERM, NULL},
};

/* One for each signal that signals.c sets up and code could want as well. */
static const struct rule signal_rules[] = {
    {SYS_rt_sigaction, IS, 0, SIGSEGV, handles},
    {SYS_rt_sigaction, IS, 0, SIGBUS, handles},
    {SYS_rt_sigaction, IS, 0, SIGILL, handles},
    {SYS_rt_sigaction, IS, 0, SIGSYS, handles},
    {SYS_rt_sigaction, IS, 0, SIGVTALRM, handles},
    {SYS_sigaltstack, GIVEN, 0, 0, handles},
    {SYS_setitimer, ALWAYS, 0, 0, interrupts},
    {SYS_alarm, ALWAYS, 0, 0, interrupts},
    {SYS_timer_create, ALWAYS, 0, 0, interrupts},
};
#define COUNT(A) (sizeof(A) / sizeof *(A))

/* One call may have several reasons; they are alike. */
static const char *why_refused(int number) {
  for (size_t i = 0; i < COUNT(process_rules); i++)
    if (process_rules[i].number == number && process_rules[i].why)
      return process_rules[i].why;
  for (size_t i = 0; i < COUNT(signal_rules); i++)
    if (signal_rules[i].number == number)
      return signal_rules[i].why;
  return NULL;
}

static const char *name_of(int number) {
  static const struct {
    int number;
    const char *name;
  } names[] = {{SYS_fork, "fork"},
               {SYS_vfork, "vfork"},
               {SYS_clone, "clone"},
               {SYS_execve, "execve"},
               {SYS_execveat, "execveat"},
               {SYS_exit_group, "_exit"},
               {SYS_kill, "kill"},
               {SYS_tgkill, "raise"},
               {SYS_tkill, "tkill"},
               {SYS_rt_sigqueueinfo, "sigqueue"},
               {SYS_rt_tgsigqueueinfo, "pthread_sigqueue"},
               {SYS_pidfd_send_signal, "pidfd_send_signal"},
               {SYS_pidfd_open, "pidfd_open"},
               {SYS_ptrace, "ptrace"},
               {SYS_process_vm_readv, "process_vm_readv"},
               {SYS_process_vm_writev, "process_vm_writev"},
               {SYS_close, "close"},
               {SYS_dup2, "dup2"},
               {SYS_dup3, "dup3"},
               {SYS_shutdown, "shutdown"},
               {SYS_close_range, "close_range"},
               {SYS_write, "write"},
               {SYS_writev, "writev"},
               {SYS_read, "read"},
               {SYS_readv, "readv"},
               {SYS_sendto, "send"},
               {SYS_sendmsg, "sendmsg"},
               {SYS_recvfrom, "recv"},
               {SYS_recvmsg, "recvmsg"},
               {SYS_setrlimit, "setrlimit"},
               {SYS_prlimit64, "setrlimit"},
               {SYS_prctl, "prctl"},
               {SYS_seccomp, "seccomp"},
               {SYS_rt_sigaction, "sigaction"},
               {SYS_sigaltstack, "sigaltstack"},
               {SYS_setitimer, "setitimer"},
               {SYS_alarm, "alarm"},
               {SYS_timer_create, "timer_create"}};
  for (size_t i = 0; i < COUNT(names); i++)
    if (names[i].number == number)
      return names[i].name;
  return "a system call";
}

/* ---- the filter ---- */

enum { MOST_CODE = 1024 };
struct program {
  struct sock_filter at[MOST_CODE];
  unsigned short len;
};

static void emit(struct program *p, uint16_t code, uint32_t k, uint8_t yes,
                 uint8_t no) {
  assert(p->len < MOST_CODE);
  p->at[p->len++] = (struct sock_filter){code, yes, no, k};
}

static void load(struct program *p, size_t offset) {
  emit(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void give(struct program *p, uint32_t result) {
  emit(p, BPF_RET | BPF_K, result, 0, 0);
}

/* Our own calls pass, others are refused. */
static void give_refusal(struct program *p) {
  uint64_t door = (uint64_t)(uintptr_t)fl__cage_door_end;
  size_t at = offsetof(struct seccomp_data, instruction_pointer);
  load(p, at);
  emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)door, 0, 3);
  load(p, at + 4);
  emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(door >> 32), 0, 1);
  give(p, SECCOMP_RET_ALLOW);
  give(p, SECCOMP_RET_TRAP);
}

/* So many instructions are between a rule's conditions and what is behind it.
 */
enum { REFUSAL = 6 };

static void add_condition(struct program *p, const struct rule *r,
                          uint32_t value, uint8_t past) {
  static const uint16_t test[] = {[IS] = BPF_JEQ,
                                  [IS_NOT] = BPF_JEQ,
                                  [BELOW] = BPF_JGT,
                                  [HAS_NOT] = BPF_JSET};
  bool yes = r->when == IS;
  size_t at = offsetof(struct seccomp_data, args) + 8 * r->argument;
  if (r->when == GIVEN) { /* both halves of a pointer */
    load(p, at);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
    load(p, at + 4);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, past, 0);
    return;
  }
  load(p, at);
  emit(p, BPF_JMP | test[r->when] | BPF_K, value, yes ? 0 : past,
       yes ? past : 0);
}

static void add_rule(struct program *p, const struct rule *r, uint32_t value) {
  static const uint8_t length[] = {[ALWAYS] = 0, [IS] = 2,      [IS_NOT] = 2,
                                   [BELOW] = 2,  [HAS_NOT] = 2, [GIVEN] = 4};
  uint8_t body = r->why ? REFUSAL : 1;
  load(p, offsetof(struct seccomp_data, nr));
  emit(p, BPF_JMP | BPF_JEQ | BPF_K, r->number, 0,
       (uint8_t)(length[r->when] + body));
  if (r->when != ALWAYS)
    add_condition(p, r, value, body);
  if (r->why)
    give_refusal(p);
  else
    give(p, SECCOMP_RET_ERRNO | r->value);
}

/* Other ways to make system calls have other numbers. */
static void add_head(struct program *p) {
  load(p, offsetof(struct seccomp_data, arch));
  emit(p, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
  give(p, SECCOMP_RET_TRAP);
  load(p, offsetof(struct seccomp_data, nr));
  emit(p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* x32 */
  give(p, SECCOMP_RET_TRAP);
}

static uint32_t value_of(const struct rule *r) {
  return r->value == OWN_PID      ? (uint32_t)cage.pid
         : r->value == PARENT_PID ? (uint32_t)cage.parent
         : r->value == KEPT_FD    ? (uint32_t)cage.fd
                                  : r->value;
}

static bool install(const struct rule *rules, size_t n) {
  static struct program p;
  p.len = 0;
  add_head(&p);
  for (size_t i = 0; i < n; i++)
    add_rule(&p, &rules[i], value_of(&rules[i]));
  give(&p, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {p.len, p.at};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !cage_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0,
                    0);
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
  const char *why = why_refused(number);
  *pc = last ? last->pc : 0;
  return xasprintf("%s() %s", name_of(number),
                   why ? why : "is not modelled by Faultline");
}

static void refused(int signal_number, siginfo_t *info, void *context) {
  (void)signal_number;
  ucontext_t *uc = context;
  const char *why = why_refused(info->si_syscall);
  bool engine = E.in_fiber && syscall(SYS_gettid) == getpid();
  if (info->si_syscall == SYS_exit_group && !E.in_fiber)
    cage_exit((int)uc->uc_mcontext.gregs[REG_RDI]);
  if (!engine)
    leave(info->si_syscall);
  bool ended = info->si_syscall == SYS_exit_group;
  fl__refused(ended ? FAULT_EXIT : FAULT_UNMODELLED, uc);
  snprintf(E.fault.text, sizeof E.fault.text, "%s() %s",
           name_of(info->si_syscall),
           why ? why : "is not modelled by Faultline");
}

/* ---- without a filter ---- */

static bool applies(const struct rule *r, const long *args) {
  uint32_t given = (uint32_t)args[r->argument], value = value_of(r);
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

static const struct rule *refusal_of(const struct rule *rules, size_t n,
                                     long number, const long *args) {
  for (size_t i = 0; i < n; i++)
    if (rules[i].number == number && rules[i].why && applies(&rules[i], args))
      return &rules[i];
  return NULL;
}

void cage_ask_slowly(uint64_t pc, long number, const long *args) {
  const struct rule *r =
      refusal_of(process_rules, COUNT(process_rules), number, args);
  if (!r && cage.signals)
    r = refusal_of(signal_rules, COUNT(signal_rules), number, args);
  bool ends_here = number == SYS_exit_group;
  if (!r || (ends_here && !E.in_fiber))
    return;
  if (!E.in_fiber || syscall(SYS_gettid) != getpid())
    leave((int)number);
  fl__fault(ends_here ? FAULT_EXIT : FAULT_UNMODELLED, pc, 0, "%s() %s",
            name_of((int)number), r->why);
}

void cage_end_copy_slowly(void) {
  if (getpid() != cage.pid)
    cage_exit(0);
}

/* ---- closing it ---- */

static void limit(int resource, rlim_t most) {
  struct rlimit now;
  if (getrlimit(resource, &now) || now.rlim_max <= most)
    return;
  setrlimit(resource, &(struct rlimit){most, most});
}

/* Bytes of address space that this process has now. */
static uint64_t mapped(void) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f && fscanf(f, "%lu", &pages) != 1)
    pages = 0;
  if (f)
    fclose(f);
  return (uint64_t)pages * 4096;
}

/*
 * Memory: what the engine reserves, and as much as the machine has.  A file
 * that grows without end must not fill the disk.
 */
static void limit_resources(void) {
  struct sysinfo machine;
  const uint64_t reserved = 64ull << 30, largest_file = 1ull << 30;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, largest_file);
  if (!sysinfo(&machine))
    limit(RLIMIT_AS,
          mapped() + reserved + (uint64_t)machine.totalram * machine.mem_unit);
}

/*
 * Root may start processes without a limit: the kernel makes an exception for
 * the real user 0 and for two capabilities.  A worker does without all three;
 * its effective user stays, so that it reads the files that it could read.
 */
static void give_up_exceptions(void) {
  enum { NOBODY = 65534 };
  const uint32_t both = 1u << CAP_SYS_RESOURCE | 1u << CAP_SYS_ADMIN;
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  if (!getuid() && syscall(SYS_setresuid, NOBODY, -1, -1))
    return;
  if (syscall(SYS_capget, &head, sets))
    return;
  sets[0].effective &= ~both;
  sets[0].permitted &= ~both;
  sets[0].inheritable &= ~both;
  syscall(SYS_capset, &head, sets);
}

enum { RESERVE = 48 }; /* processes that the code cannot take from us */

void cage_reserve_slowly(bool taken) {
  struct rlimit now;
  if (getrlimit(RLIMIT_NPROC, &now) || now.rlim_max <= 2 * RESERVE)
    return;
  now.rlim_cur = taken ? now.rlim_max : now.rlim_max - RESERVE;
  cage_call(SYS_prlimit64, 0, RLIMIT_NPROC, (long)&now, 0, 0);
}

/* Where there is no filter: no more processes than a run needs. */
static void limit_processes(void) {
  enum { MORE = 512 };
  unsigned all = 0;
  FILE *f = fopen("/proc/loadavg", "r");
  if (f && fscanf(f, "%*s %*s %*s %*u/%u", &all) != 1)
    all = 0;
  if (f)
    fclose(f);
  limit(RLIMIT_NPROC, all + MORE);
  give_up_exceptions();
  cage_reserve_slowly(false);
}

bool cage_close(int fd) {
  struct sigaction a = {.sa_sigaction = refused,
                        .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&a.sa_mask);
  sigaction(SIGSYS, &a, NULL);
  limit_resources();
  cage.pid = getpid();
  cage.parent = getppid();
  cage.fd = fd;
  bool filtered = install(process_rules, COUNT(process_rules));
  if (!filtered)
    limit_processes();
  cage.state = filtered ? FILTERED : BARE;
  fl__cage_is_bare = !filtered;
  return filtered;
}

void cage_close_signals(void) {
  cage.signals = true;
  if (cage.state == FILTERED)
    install(signal_rules, COUNT(signal_rules));
}
