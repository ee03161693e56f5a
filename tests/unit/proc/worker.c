#include "proc/worker.h"
#include "model/nouns.h"
#include "no_seccomp.h"
#include "rt/cage.h"
#include "test.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int loop(void *arg, struct work *s) {
  (void)arg, (void)s;
  for (volatile int i = 0; i >= 0;)
    ;
  return ERR_NONE;
}

/* Whoever started it has gone away without ending it, say. */
TEST(a_worker_that_nobody_watches_ends_by_itself) {
  struct worker w = {.max_seconds = 1};
  worker_start(&w, loop, NULL);
  siginfo_t i = {0};
  CHECK_INT(waitid(P_PID, (id_t)w.pid, &i, WEXITED | WNOWAIT), 0);
  worker_end(&w);
  CHECK(WIFSIGNALED(w.status) && WTERMSIG(w.status) == SIGXCPU);
  worker_release(&w);
}

static int tell_limit(void *arg, struct work *s) {
  (void)arg;
  struct rlimit cpu;
  getrlimit(RLIMIT_CPU, &cpu);
  s->shared->work = cpu.rlim_cur == RLIM_INFINITY ? 0 : cpu.rlim_cur;
  s->shared->clients = cpu.rlim_max == RLIM_INFINITY ? 0 : cpu.rlim_max;
  return ERR_NONE;
}

static void limits_of(uint32_t max_seconds, uint64_t *soft, uint64_t *hard) {
  struct worker w = {.max_seconds = max_seconds};
  worker_start(&w, tell_limit, NULL);
  siginfo_t i = {0};
  waitid(P_PID, (id_t)w.pid, &i, WEXITED | WNOWAIT);
  worker_end(&w);
  *soft = w.shared->work;
  *hard = w.shared->clients;
  worker_release(&w);
}

/* Else it could end before the parent says that it was late. */
TEST(the_limit_is_longer_than_the_parent_waits) {
  struct rlimit own;
  uint64_t soft, hard;
  getrlimit(RLIMIT_CPU, &own);
  if (own.rlim_max != RLIM_INFINITY)
    return;
  limits_of(100, &soft, &hard);
  CHECK(soft > 100 && hard > soft);
  CHECK(hard > 100 * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
  limits_of(0, &soft, &hard);
  CHECK_INT(soft, 0);
  CHECK_INT(hard, 0);
}

TEST(a_worker_that_is_late_is_said_to_be_late) {
  struct worker w = {.noun = &noun_client, .max_seconds = 1};
  CHECK_INT(worker_run(&w, loop, NULL), WORKER_HANGS);
  CHECK_INT(w.hang, HANG_LATE);
  worker_release(&w);
}

static int assert_nothing(void *arg, struct work *s) {
  (void)s;
  assert(arg);
  return ERR_NONE;
}

TEST(an_assertion_of_ours_ends_the_process_by_sigabrt) {
  struct worker w = {.noun =
                         &noun_client}; /* campaign/autopsy.c goes by that */
  CHECK_INT(worker_run(&w, assert_nothing, NULL), WORKER_DIED);
  CHECK(WIFSIGNALED(w.status) && WTERMSIG(w.status) == SIGABRT);
  worker_release(&w);
}

/* One in a session of its own, with a child in another: no filter forbids it.
 */
static int leave_orphans(void *arg, struct work *s) {
  (void)arg;
  int fds[2];
  char c;
  if (pipe(fds))
    return ERR_SYSTEM;
  if (!cage_fork()) {
    if (setsid() < 0)
      cage_exit(1);
    s->shared->clients = (uint64_t)getpid();
    if (!cage_fork()) {
      s->shared->work = (uint64_t)getpid();
      if (setsid() < 0 || write(fds[1], "x", 1) != 1)
        cage_exit(1);
    }
    for (;;)
      pause();
  }
  return read(fds[0], &c, 1) == 1 ? ERR_NONE : ERR_SYSTEM;
}

TEST(orphans_of_a_worker_end_with_it) {
  struct worker w = {0}, other = {0};
  worker_catch_signals();
  CHECK(no_seccomp());
  worker_start(&other, loop, NULL);
  worker_start(&w, leave_orphans, NULL);
  siginfo_t i = {0};
  CHECK_INT(waitid(P_PID, (id_t)w.pid, &i, WEXITED | WNOWAIT), 0);
  worker_end(&w);
  pid_t first = (pid_t)w.shared->clients, second = (pid_t)w.shared->work;
  CHECK(first > 0 && second > 0);
  CHECK(kill(first, 0) < 0 && errno == ESRCH);
  CHECK(kill(second, 0) < 0 && errno == ESRCH);
  CHECK(!worker_ended(&other)); /* which is none */
  worker_end(&other);
  worker_release(&w);
  worker_release(&other);
}

TEST_MAIN
