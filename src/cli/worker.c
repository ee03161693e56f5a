#include "cli/worker.h"

#include "cli/phase.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REGION = 1 << 30, HANG_SECONDS = 3 };

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
bool worker_interrupted(void) { return interrupted; }

void worker_go_on(void) { interrupted = 0; }

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

/* New memory: what is left of an earlier process cannot reach it. */
static void map_anew(struct worker *w) {
  if (w->used)
    worker_release(w);
  worker_map(w);
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

static _Noreturn void child(struct worker *w, pid_t parent,
                            int (*fn)(void *arg, struct shared *s), void *arg) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) /* it went before it could have told */
    _exit(2);
  phase_silence();
  set_signals(SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
  if (!w->show_output)
    silence();
  int err = fn(arg, w->shared);
  fflush(stdout);
  if (!err)
    w->shared->done = true;
  _exit(err ? 2 : 0);
}

void worker_start(struct worker *w, int (*fn)(void *arg, struct shared *s),
                  void *arg) {
  map_anew(w);
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
    die("cannot make a socket: %s", strerror(errno));
  fflush(NULL);
  pid_t parent = getpid();
  w->pid = fork();
  if (w->pid < 0)
    die("cannot fork: %s", strerror(errno));
  close(fds[!w->pid ? 0 : 1]);
  w->fd = fds[!w->pid ? 1 : 0];
  if (!w->pid)
    child(w, parent, fn, arg);
  w->used = true;
  worker_watch(w);
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

void worker_watch(struct worker *w) {
  w->watch = (struct worker_watch){.begun = explore_now()};
}

bool worker_stuck(struct worker *w) {
  struct worker_watch *v = &w->watch;
  uint32_t hang_seconds = w->hang_seconds ? w->hang_seconds : HANG_SECONDS;
  unsigned long ticks = 0;
  uint64_t beat = w->shared->heartbeat;
  bool sleeps = asleep(w->pid, &ticks);
  bool still = sleeps && ticks == v->ticks && beat == v->beat;
  v->idle = still ? v->idle + 1 : 0;
  v->ticks = ticks;
  v->beat = beat;
  bool late = w->max_seconds && explore_now() - v->begun > w->max_seconds;
  return late || v->idle * WORKER_LOOK_MS > hang_seconds * 1000;
}

static bool reap(struct worker *w, int flags) {
  pid_t pid;
  while ((pid = waitpid(w->pid, &w->status, flags)) < 0 && errno == EINTR)
    ;
  if (pid)
    w->pid = 0;
  return pid;
}

bool worker_ended(struct worker *w) { return !w->pid || reap(w, WNOHANG); }

void worker_end(struct worker *w) {
  if (!worker_ended(w)) {
    kill(w->pid, SIGKILL);
    reap(w, 0);
  }
  close(w->fd);
  w->fd = -1;
}

/* Waits for the end of the worker: its end of the socket closes then. */
static enum worker_end wait_for(struct worker *w) {
  struct pollfd poll_fd = {w->fd, POLLIN, 0};
  enum worker_end end = WORKER_DONE;
  while (poll(&poll_fd, 1, WORKER_LOOK_MS) <= 0) {
    if (interrupted) {
      end = WORKER_INTERRUPTED;
      break;
    }
    if (phase_due())
      phase_show(w->shared->clients, w->shared->executions, NULL);
    if (worker_stuck(w)) {
      end = WORKER_HANGS;
      break;
    }
  }
  phase_clear();
  phase_count(w->shared->clients, w->shared->executions);
  return end;
}

enum worker_end worker_run(struct worker *w,
                           int (*fn)(void *arg, struct shared *s), void *arg) {
  worker_start(w, fn, arg);
  enum worker_end end = wait_for(w);
  if (end == WORKER_DONE)
    reap(w, 0);
  worker_end(w);
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
  w->used = false;
}
