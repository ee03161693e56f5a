/* One operation of list.txt, beside a lost update. */
#define _GNU_SOURCE
#include <errno.h>
#include <faultline.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;
static volatile int x;
static volatile long sink;

static void ignore(int number) { (void)number; }

static long trap(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}

static void set_handler(int number, void (*handler)(int)) {
  struct sigaction a = {.sa_handler = handler};
  sigaction(number, &a, NULL);
}

static void block_all(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
}

static void scribble(const char *kind, int byte) {
  char line[512], text[8];
  unsigned long lo, hi;
  FILE *f = fopen("/proc/self/maps", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "%lx-%lx %7s", &lo, &hi, text) == 3 && !strcmp(text, kind))
      memset((void *)lo, byte, hi - lo < 1 << 20 ? hi - lo : 1 << 20);
  if (f)
    fclose(f);
}

static void *do_nothing(void *arg) { return arg; }
static void use_unused(void) {
  (void)ignore, (void)trap, (void)set_handler, (void)block_all, (void)scribble;
  (void)do_nothing, (void)sink;
}

#ifdef EARLY
__attribute__((constructor)) static void early(void) { BAD; }
static int bad(void) { return 0; }
#else
static int bad(void) {
  use_unused();
  x = 1;
  BAD;
  x = 2;
  return 0;
}
#endif

static int inc(void) { /* a real fault */
  int r = x;
  x = r + 1;
  return r;
}

FL_OBJECT(o)
FL_OP(int, bad)
FL_OP(int, inc)
