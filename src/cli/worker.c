#include "cli/worker.h"

#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REGION = 1 << 30, LOOK_MS = 100, HANG_SECONDS = 10 };

static volatile sig_atomic_t interrupted;
static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

static struct shared *map_region(void) {
  struct shared *s = mmap(NULL, REGION, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (s == MAP_FAILED)
    die("cannot map memory to share with the worker: %s", strerror(errno));
  size_t head = (sizeof *s + 63) & ~(size_t)63;
  arena_init_fixed(&s->arena, (char *)s + head, REGION - head);
  return s;
}

static void silence(void) {
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
  }
}

static _Noreturn void child(struct worker *w,
                            int (*fn)(void *arg, struct shared *s), void *arg) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN); /* the parent decides */
  if (!w->show_output)
    silence();
  int err = fn(arg, w->shared);
  fflush(stdout);
  if (!err)
    w->shared->done = true;
  _exit(err ? 2 : 0);
}

/* CPU time that the process has used, in clock ticks, and whether it sleeps. */
static bool asleep(pid_t pid, unsigned long *ticks) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *f = fopen(path, "r");
  if (!f)
    return false;
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = 0;
  char *after = strrchr(text, ')');
  char state = 'R';
  unsigned long user = 0, system = 0;
  if (after)
    sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
           &state, &user, &system);
  *ticks = user + system;
  return state == 'S';
}

/* Waits for the end of the worker: its end of the pipe closes then. */
static enum worker_end watch(struct worker *w, pid_t pid, int fd) {
  struct progress p;
  progress_init(&p, STDERR_FILENO);
  struct pollfd poll_fd = {fd, POLLIN, 0};
  unsigned long last_ticks = 0;
  uint64_t last_beat = 0;
  uint32_t idle = 0;
  enum worker_end end = WORKER_DONE;
  while (poll(&poll_fd, 1, LOOK_MS) <= 0) {
    if (interrupted) {
      end = WORKER_INTERRUPTED;
      break;
    }
    if (progress_due(&p))
      progress_show(&p, "%llu clients, %llu executions",
                    (unsigned long long)w->shared->clients,
                    (unsigned long long)w->shared->executions);
    unsigned long ticks = 0;
    bool sleeps = asleep(pid, &ticks);
    bool still = sleeps && ticks == last_ticks &&
                 w->shared->heartbeat == last_beat;
    idle = still ? idle + 1 : 0;
    last_ticks = ticks;
    last_beat = w->shared->heartbeat;
    if (idle * LOOK_MS > HANG_SECONDS * 1000) {
      end = WORKER_HANGS;
      break;
    }
  }
  progress_clear(&p);
  return end;
}

enum worker_end worker_run(struct worker *w,
                           int (*fn)(void *arg, struct shared *s), void *arg) {
  if (!w->shared)
    w->shared = map_region();
  int fds[2];
  if (pipe2(fds, O_CLOEXEC))
    die("cannot make a pipe: %s", strerror(errno));
  struct sigaction old, on = {.sa_handler = on_interrupt};
  sigaction(SIGINT, &on, &old);
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0)
    die("cannot fork: %s", strerror(errno));
  if (!pid) {
    close(fds[0]);
    child(w, fn, arg);
  }
  close(fds[1]);
  enum worker_end end = watch(w, pid, fds[0]);
  close(fds[0]);
  if (end != WORKER_DONE)
    kill(pid, SIGKILL);
  while (waitpid(pid, &w->status, 0) < 0 && errno == EINTR)
    ;
  sigaction(SIGINT, &old, NULL);
  if (end != WORKER_DONE)
    return end;
  if (w->shared->done)
    return WORKER_DONE;
  return w->shared->error.code ? WORKER_ERROR : WORKER_DIED;
}

void worker_release(struct worker *w) {
  if (w->shared)
    munmap(w->shared, REGION);
  w->shared = NULL;
}
