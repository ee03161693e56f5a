/*
 * The cage on a system without seccomp.  Each test closes it in a process of
 * its own; what runs there says by its exit status how it went.
 */
#include "rt/cage.h"
#include "no_seccomp.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { GOOD = 40, BAD, CANNOT };
static uid_t expected_user;

/* The wait status of a process that does this in a cage without a filter. */
static int status_of(int (*body)(void)) {
  cage_prepare();
  pid_t pid = fork();
  if (!pid) {
    if (!no_seccomp())
      _exit(CANNOT);
    _exit(cage_close(-1) ? BAD : body());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

static bool ends_well(int (*body)(void)) {
  int status = status_of(body);
  return WIFEXITED(status) && WEXITSTATUS(status) == GOOD;
}

static bool is_refused(int (*body)(void), const char *words) {
  uint64_t pc;
  char *said = cage_words(status_of(body), &pc);
  bool so = said && strstr(said, words);
  if (!so)
    fprintf(stderr, "  said: %s\n", said ? said : "nothing");
  free(said);
  return so;
}

static int signals_itself(void) {
  signal(SIGUSR1, SIG_IGN);
  return kill(getpid(), SIGUSR1) || kill(getpid(), 0) ? BAD : GOOD;
}

TEST(a_process_may_signal_itself) { CHECK(ends_well(signals_itself)); }

static int kills_parent(void) { return kill(getppid(), 0), BAD; }
static int kills_group(void) { return killpg(getpgrp(), 0), BAD; }
static int kills_all(void) { return kill(-1, 0), BAD; }
static int queues(void) { return sigqueue(getppid(), 0, (union sigval){0}); }
static int kills_thread(void) { return tgkill(getppid(), getppid(), 0), BAD; }

TEST(signals_to_others_are_refused) {
  CHECK(is_refused(kills_parent, "kill() would"));
  CHECK(is_refused(kills_group, "kill() would"));
  CHECK(is_refused(kills_all, "kill() would"));
  CHECK(is_refused(queues, "sigqueue() would"));
  CHECK(is_refused(kills_thread, "raise() would"));
}

static int limits(void) {
  return setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}), BAD;
}

TEST(limits_cannot_be_changed) {
  CHECK(is_refused(limits, "setrlimit() would"));
}

/* Root, too: one process is one too many for the limit of one. */
static int cannot_fork(void) {
  struct rlimit one = {1, 1};
  if (cage_call(SYS_setrlimit, RLIMIT_NPROC, (long)&one, 0, 0, 0))
    return BAD;
  pid_t pid = cage_fork();
  if (!pid)
    cage_exit(0);
  if (pid > 0)
    waitpid(pid, NULL, 0);
  return pid < 0 && errno == EAGAIN ? GOOD : BAD;
}

TEST(the_limit_on_processes_binds_root) { CHECK(ends_well(cannot_fork)); }

/* The effective user stays: files are read as before. */
static int same_user(void) {
  int fd = open("/proc/self/exe", O_RDONLY);
  return geteuid() == expected_user && fd >= 0 ? GOOD : BAD;
}

TEST(files_are_read_as_before) {
  expected_user = geteuid();
  CHECK(ends_well(same_user));
}

/* A copy of the worker goes on as the worker does, until here. */
static int copies_end(void) {
  pid_t pid = cage_fork();
  cage_end_copy();
  if (!pid)
    return BAD;
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? GOOD : BAD;
}

TEST(a_copy_of_the_worker_ends) { CHECK(ends_well(copies_end)); }

TEST_MAIN
