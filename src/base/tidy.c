/* Files and processes that go when the program does. */
#include "base/tidy.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Who does not find room is not tidied up in a hurry. */
enum { MOST_FILES = 32, MOST_PROCESSES = 1024 };
static const char *volatile files[MOST_FILES];
static volatile pid_t processes[MOST_PROCESSES];
static volatile pid_t owner; /* who has registered them */
static volatile bool full;   /* a process is running that is not registered */

static void forget(void) {
  memset((void *)files, 0, sizeof files);
  memset((void *)processes, 0, sizeof processes);
}

/* A forked process has a copy of its parent's. */
static void own(void) {
  if (owner != getpid())
    forget();
  owner = getpid();
}

void tidy_file(const char *path) {
  own();
  for (int i = 0; i < MOST_FILES; i++)
    if (!files[i]) {
      files[i] = path;
      return;
    }
}

void tidy_file_done(const char *path) {
  for (int i = 0; i < MOST_FILES; i++)
    if (files[i] == path)
      files[i] = NULL;
}

char *tidy_folder(const char *prefix) {
  char *path = xasprintf("%sXXXXXX", prefix);
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  bool made = mkdtemp(path) != NULL;
  int reason = errno;
  if (made)
    tidy_file(path);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (made)
    return path;
  free(path);
  errno = reason;
  return NULL;
}

char *tidy_temporary_folder(void) {
  const char *tmp = getenv("TMPDIR");
  char *prefix = xasprintf("%s/faultline-", tmp && *tmp ? tmp : "/tmp");
  char *path = tidy_folder(prefix);
  int reason = errno;
  free(prefix);
  errno = reason;
  return path;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *f) {
  (void)st, (void)kind, (void)f;
  return remove(path);
}

/* By another program: what nftw does is more than a signal handler may do, and
 * takes memory. */
static void remove_by_rm(char **argv) {
  pid_t pid = _Fork();
  if (!pid) {
    execv("/bin/rm", argv);
    _exit(127);
  }
  if (pid > 0)
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
      ;
}

void tidy_folder_remove(char *path) {
  char *argv[] = {(char *)"rm", (char *)"-rf", (char *)"--", path, NULL};
  if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS))
    remove_by_rm(argv);
  tidy_file_done(path);
  free(path);
}

void tidy_process(pid_t pid) {
  own();
  for (int i = 0; i < MOST_PROCESSES; i++)
    if (!processes[i]) {
      processes[i] = pid;
      return;
    }
  full = true;
}

void tidy_process_done(pid_t pid) {
  for (int i = 0; i < MOST_PROCESSES; i++)
    if (processes[i] == pid)
      processes[i] = 0;
}

static bool is_orphan(pid_t pid) {
  if (getsid(pid) == getsid(0))
    return false;
  for (int i = 0; i < MOST_PROCESSES; i++)
    if (processes[i] == pid || processes[i] == -pid)
      return false;
  return true;
}

/* ---- orphans; nothing here that a signal handler may not do ---- */

struct pids {
  pid_t at[4096];
  int n;
};

static bool has(const struct pids *p, pid_t pid) {
  for (int i = 0; i < p->n; i++)
    if (p->at[i] == pid)
      return true;
  return false;
}

static void add(struct pids *p, pid_t pid) {
  if (p->n < (int)(sizeof p->at / sizeof *p->at) && !has(p, pid))
    p->at[p->n++] = pid;
}

/* "/proc/PID/task/PID/children" */
static void children_path(pid_t pid, char *out) {
  char digits[16], *d = digits + sizeof digits - 1;
  *d = 0;
  for (; pid; pid /= 10)
    *--d = (char)('0' + pid % 10);
  strcpy(out, "/proc/");
  strcat(out, d);
  strcat(out, "/task/");
  strcat(out, d);
  strcat(out, "/children");
}

/* None where the system does not say. */
static void add_children(struct pids *p, pid_t parent, bool orphans_only) {
  char text[4096], path[64];
  children_path(parent, path);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof text);
  if (fd >= 0)
    close(fd);
  pid_t pid = 0;
  for (ssize_t i = 0; i < len; i++)
    if (text[i] >= '0' && text[i] <= '9') {
      pid = pid * 10 + (text[i] - '0');
    } else { /* a blank is behind each of them */
      if (!orphans_only || is_orphan(pid))
        add(p, pid);
      pid = 0;
    }
}

static void find_orphans(struct pids *p) {
  p->n = 0;
  add_children(p, getpid(), true);
  for (int i = 0; i < p->n; i++)
    add_children(p, p->at[i], false);
}

/*
 * They may start others faster than these are ended: each that ends makes room
 * for one.  Stopped, all of them, they do not, and their number has a limit.
 */
static void stop_orphans(struct pids *p) {
  static struct pids before;
  bool more = true;
  for (before.n = 0; more; before = *p) {
    find_orphans(p);
    more = false;
    for (int i = 0; i < p->n; i++) {
      more |= !has(&before, p->at[i]);
      kill(p->at[i], SIGSTOP);
    }
  }
}

/* With every process that ends, its children may become ours: again, until
 * there are none. */
void tidy_orphans(void) {
  static struct pids p;
  if (owner != getpid() || full)
    return;
  for (;;) {
    stop_orphans(&p);
    if (!p.n)
      return;
    for (int i = 0; i < p.n; i++)
      kill(p.at[i], SIGKILL);
    for (int i = 0; i < p.n; i++) /* those that are our children */
      while (waitpid(p.at[i], NULL, 0) < 0 && errno == EINTR)
        ;
  }
}

void tidy_nothing(void) {
  forget();
  owner = 0;
  signal(SIGALRM, SIG_DFL);
}

static void remove_files(void) {
  char *argv[MOST_FILES + 4] = {(char *)"rm", (char *)"-rf", (char *)"--"};
  int n = 3;
  for (int i = 0; i < MOST_FILES; i++)
    if (files[i])
      argv[n++] = (char *)files[i];
  if (n > 3)
    remove_by_rm(argv);
}

void tidy_now(void) {
  if (owner != getpid())
    return;
  for (int i = 0; i < MOST_PROCESSES; i++)
    if (processes[i])
      kill(processes[i], SIGKILL);
  tidy_orphans();
  remove_files();
}

static _Noreturn void leave(const char *words, int status) {
  tidy_now();
  if (write(STDERR_FILENO, words, strlen(words)) < 0)
    _exit(status);
  _exit(status);
}

static void end(int number) {
  (void)number;
  leave("faultline: interrupted\n", 3);
}

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { CRASHES = sizeof crashes / sizeof *crashes };

void tidy_crash(int number) {
  if (owner == getpid())
    leave("faultline: faultline itself crashed: out of memory, or a bug of "
          "Faultline\n",
          2);
  signal(number, SIG_DFL);
  raise(number);
}

void tidy_crashes(void) {
#ifndef __SANITIZE_ADDRESS__   /* it says more */
  static char stack[64 << 10]; /* its own may be what is used up */
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction a = {.sa_handler = tidy_crash, .sa_flags = SA_ONSTACK};
  own();
  sigaltstack(&other, NULL);
  for (int i = 0; i < CRASHES; i++)
    sigaction(crashes[i], &a, NULL);
#endif
}

static void end_by_signal(int number) {
  tidy_now();
  signal(number, SIG_DFL);
  raise(number); /* when this handler has returned */
}

void tidy_signals(void) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction a = {.sa_handler = end_by_signal}, was;
  sigfillset(&a.sa_mask);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (!sigaction(ends[i], NULL, &was) && was.sa_handler != SIG_IGN)
      sigaction(ends[i], &a, NULL);
}

void tidy_hurry(void) {
  struct sigaction a = {.sa_handler = end};
  struct itimerval once = {.it_value = {TIDY_MS / 1000, TIDY_MS % 1000 * 1000}};
  sigfillset(&a.sa_mask);
  sigaction(SIGALRM, &a, NULL);
  setitimer(ITIMER_REAL, &once, NULL);
}
