/*
 * The rules of the cage: which system calls the user's code may not make, and
 * why.  Some are not on every processor.
 */
#include "rt/cage_int.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

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
#ifdef SYS_fork
    {SYS_fork, ALWAYS, 0, 0, starts},
    {SYS_vfork, ALWAYS, 0, 0, starts},
#endif
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
#ifdef SYS_dup2
    {SYS_dup2, IS, 1, KEPT_FD, closes},
#endif
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
#ifdef SYS_iopl
    {SYS_iopl, ALWAYS, 0, EPERM, NULL},
    {SYS_ioperm, ALWAYS, 0, EPERM, NULL},
#endif
    {SYS_acct, ALWAYS, 0, EPERM, NULL},
    {SYS_quotactl, ALWAYS, 0, EPERM, NULL},
    {SYS_bpf, ALWAYS, 0, EPERM, NULL},
    {SYS_perf_event_open, ALWAYS, 0, EPERM, NULL},
    {SYS_userfaultfd, ALWAYS, 0, EPERM, NULL},
};

static const struct rule signal_rules[] = {
    {SYS_rt_sigaction, IS, 0, SIGSEGV, handles},
    {SYS_rt_sigaction, IS, 0, SIGBUS, handles},
    {SYS_rt_sigaction, IS, 0, SIGILL, handles},
    {SYS_rt_sigaction, IS, 0, SIGSYS, handles},
    {SYS_rt_sigaction, IS, 0, SIGVTALRM, handles},
    {SYS_sigaltstack, GIVEN, 0, 0, handles},
    {SYS_setitimer, ALWAYS, 0, 0, interrupts},
#ifdef SYS_alarm
    {SYS_alarm, ALWAYS, 0, 0, interrupts},
#endif
    {SYS_timer_create, ALWAYS, 0, 0, interrupts},
};
#define COUNT(A) (sizeof(A) / sizeof *(A))

const struct rule_list fl__process_rules = {process_rules,
                                            COUNT(process_rules)};
const struct rule_list fl__signal_rules = {signal_rules, COUNT(signal_rules)};

/* One call may have several reasons; they are alike. */
const char *fl__why_refused(int number) {
  for (size_t i = 0; i < COUNT(process_rules); i++)
    if (process_rules[i].number == number && process_rules[i].why)
      return process_rules[i].why;
  for (size_t i = 0; i < COUNT(signal_rules); i++)
    if (signal_rules[i].number == number)
      return signal_rules[i].why;
  return NULL;
}

const char *fl__call_name(int number) {
  static const struct {
    int number;
    const char *name;
  } names[] = {
#ifdef SYS_fork
      {SYS_fork, "fork"},
      {SYS_vfork, "vfork"},
#endif
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
#ifdef SYS_dup2
      {SYS_dup2, "dup2"},
#endif
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
#ifdef SYS_alarm
      {SYS_alarm, "alarm"},
#endif
      {SYS_timer_create, "timer_create"}};
  for (size_t i = 0; i < COUNT(names); i++)
    if (names[i].number == number)
      return names[i].name;
  return "a system call";
}
