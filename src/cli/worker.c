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

enum { REGION = 1 << 30, LOOK_MS = 100, HANG_SECONDS = 3 };

static volatile sig_atomic_t interrupted;
static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

static void set_signals(void (*handler)(int)) {
  struct sigaction on = {.sa_handler = handler, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
    sigaction(caught[i], &on, NULL);
}

void worker_catch_signals(void) { set_signals(on_interrupt); }

static void *map(size_t size) {
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    die("cannot map memory to share with the worker: %s", strerror(errno));
  return p;
}

void worker_map(struct worker *w) {
  if (w->shared)
    return;
  struct shared *s = map(REGION);
  size_t head = (sizeof *s + 63) & ~(size_t)63;
  arena_init_fixed(&s->arena, (char *)s + head, REGION - head);
  w->board = s->board = map(sizeof *s->board);
  w->shared = s;
}

void board_write(struct board *b, const char *client, uint64_t clients,
                 uint64_t executions) {
  mprotect(b, sizeof *b, PROT_READ | PROT_WRITE);
  snprintf(b->client, sizeof b->client, "%s", client);
  b->clients = clients;
  b->executions = executions;
  b->known = true;
  mprotect(b, sizeof *b, PROT_READ);
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
  set_signals(SIG_DFL);
  signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
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
  uint32_t hang_seconds = w->hang_seconds ? w->hang_seconds : HANG_SECONDS;
  enum worker_end end = WORKER_DONE;
  double begun = explore_now();
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
    bool still =
        sleeps && ticks == last_ticks && w->shared->heartbeat == last_beat;
    idle = still ? idle + 1 : 0;
    last_ticks = ticks;
    last_beat = w->shared->heartbeat;
    bool late = w->max_seconds && explore_now() - begun > w->max_seconds;
    if (late || idle * LOOK_MS > hang_seconds * 1000) {
      end = WORKER_HANGS;
      break;
    }
  }
  progress_clear(&p);
  return end;
}

enum worker_end worker_run(struct worker *w,
                           int (*fn)(void *arg, struct shared *s), void *arg) {
  worker_map(w);
  int fds[2];
  if (pipe2(fds, O_CLOEXEC))
    die("cannot make a pipe: %s", strerror(errno));
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
  if (interrupted)
    return WORKER_INTERRUPTED;
  if (end != WORKER_DONE)
    return end;
  if (w->shared->done)
    return WORKER_DONE;
  return w->shared->error.code ? WORKER_ERROR : WORKER_DIED;
}

void worker_seal(struct worker *w, bool sealed) {
  mprotect(w->shared, REGION, sealed ? PROT_READ : PROT_READ | PROT_WRITE);
}

void worker_release(struct worker *w) {
  if (w->shared) {
    munmap((void *)w->board, sizeof *w->board);
    munmap(w->shared, REGION);
  }
  w->shared = NULL;
}
