/*
 * Processes are not modelled: a child would go on as a second worker.  The cage
 * stops the system calls (cage.h); here the functions are stopped by which most
 * code asks for them, so that the report has their names, and so that most code
 * is stopped on a system without a filter, too.
 */
#include "rt/cage.h"
#include "rt/hooks.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_fork
#define SYS_fork SYS_clone /* newer processors have no other call */
#endif

static void refuse(const char *name, uint64_t pc) {
  if (fl__on())
    fl__refuse(pc, "%s() would start a process, and processes are not modelled",
               name);
  cage_ask(pc, SYS_fork, (long[6]){0});
}

WRAP(pid_t, fork, (void)) {
  refuse("fork", CALLER_PC);
  return fork();
}
WRAP(pid_t, _Fork, (void)) {
  refuse("_Fork", CALLER_PC);
  return _Fork();
}
WRAP(pid_t, vfork, (void)) { /* the real one must not return twice to here */
  refuse("vfork", CALLER_PC);
  return fork();
}
WRAP(int, daemon, (int nochdir, int noclose)) {
  refuse("daemon", CALLER_PC);
  return daemon(nochdir, noclose);
}
WRAP(int, system, (const char *command)) {
  refuse("system", CALLER_PC);
  return system(command);
}
WRAP(FILE *, popen, (const char *command, const char *type)) {
  refuse("popen", CALLER_PC);
  return popen(command, type);
}
WRAP(int, posix_spawn,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attr, char *const argv[], char *const env[])) {
  refuse("posix_spawn", CALLER_PC);
  return posix_spawn(pid, path, actions, attr, argv, env);
}
WRAP(int, posix_spawnp,
     (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attr, char *const argv[], char *const env[])) {
  refuse("posix_spawnp", CALLER_PC);
  return posix_spawnp(pid, file, actions, attr, argv, env);
}

/* ---- functions that reach other processes ---- */

/*
 * These stand in the place of the C library's own, for the object and for us:
 * names in this program come first when the object is loaded.  So they are what
 * they were to everything that looks at the object's calls, and they are there
 * while its constructors run.  All of them ask, and make the call; behind a
 * filter that is all there is to do.
 */
#define GUARD __attribute__((visibility("default")))
#define ASK_AND_CALL(NUMBER, ...)                                              \
  ask_and_call((uint64_t)(uintptr_t)__builtin_return_address(0), NUMBER,       \
               (long[6]){__VA_ARGS__})

static long ask_and_call(uint64_t pc, long number, const long *a) {
  cage_ask(pc, number, a);
  return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

GUARD int kill(pid_t pid, int number) {
  if (pid == getpid())
    fl__refuse_handler("kill", number,
                       (uint64_t)(uintptr_t)__builtin_return_address(0));
  return (int)ASK_AND_CALL(SYS_kill, pid, number);
}

GUARD int killpg(pid_t group, int number) {
  if (group >= 0)
    return (int)ASK_AND_CALL(SYS_kill, -group, number);
  errno = EINVAL;
  return -1;
}

GUARD int tgkill(pid_t process, pid_t thread, int number) {
  return (int)ASK_AND_CALL(SYS_tgkill, process, thread, number);
}

GUARD int sigqueue(pid_t pid, int number, const union sigval value) {
  siginfo_t info = {.si_signo = number, .si_code = SI_QUEUE};
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value = value;
  return (int)ASK_AND_CALL(SYS_rt_sigqueueinfo, pid, number, (long)&info);
}

GUARD int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
  return (int)ASK_AND_CALL(SYS_setrlimit, resource, (long)limit);
}

#ifndef __SANITIZE_ADDRESS__ /* which has its own */
/* Nobody here reads words of another process by it, which would be told in
 * another way. */
GUARD long ptrace(enum __ptrace_request request, ...) {
  va_list ap;
  va_start(ap, request);
  long pid = va_arg(ap, pid_t), addr = va_arg(ap, long),
       data = va_arg(ap, long);
  va_end(ap);
  return ASK_AND_CALL(SYS_ptrace, request, pid, addr, data);
}

GUARD ssize_t process_vm_readv(pid_t pid, const struct iovec *to,
                               unsigned long nto, const struct iovec *from,
                               unsigned long nfrom, unsigned long flags) {
  return ASK_AND_CALL(SYS_process_vm_readv, pid, (long)to, (long)nto,
                      (long)from, (long)nfrom, (long)flags);
}

GUARD ssize_t process_vm_writev(pid_t pid, const struct iovec *from,
                                unsigned long nfrom, const struct iovec *to,
                                unsigned long nto, unsigned long flags) {
  return ASK_AND_CALL(SYS_process_vm_writev, pid, (long)from, (long)nfrom,
                      (long)to, (long)nto, (long)flags);
}
#endif
