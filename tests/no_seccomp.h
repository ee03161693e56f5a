/*
 * A system without seccomp, for this process and those that it starts: whoever
 * asks for a filter hears that there is no such call.
 */
#ifndef TESTS_NO_SECCOMP_H
#define TESTS_NO_SECCOMP_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* False: it cannot be made to look so. */
static bool no_seccomp(void) {
  enum {
    NUMBER = offsetof(struct seccomp_data, nr),
    FIRST = offsetof(struct seccomp_data, args)
  };
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIRST),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 2, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

#endif
