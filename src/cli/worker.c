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

enum { HANG_SECONDS = 3 };
enum { DONE = 1, TROUBLE }; /* kinds of frames */
/* Two traces of the largest size, ten times over. */
#define ANSWER_MOST (UINT64_C(1) << 27)

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
  w->shared = map(sizeof *w->shared);
  w->board = map(sizeof *w->board);
  if (w->records)
    w->recording = map(sizeof *w->recording);
}

void worker_hide(const struct worker *w) {
  if (w->shared)
    mprotect(w->shared, sizeof *w->shared, PROT_NONE);
  if (w->board)
    mprotect((void *)w->board, sizeof *w->board, PROT_NONE);
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

/* In the process: what the function has found, or why it has not. */
static void answer(const struct worker *w, struct work *own, int err) {
  struct buf bytes = {0};
  if (!w->noun) /* it has told otherwise */
    return;
  if (!err)
    noun_pack(w->noun, own->answer, &bytes);
  if (bytes.len > ANSWER_MOST)
    err = error_set(&own->error, ERR_SYSTEM,
                    "internal error: an answer of %zu bytes", bytes.len);
  if (err && own->error.code)
    frame_send(w->fd, (struct frame_tag){TROUBLE}, &own->error,
               sizeof own->error);
  else if (!err)
    frame_send(w->fd, (struct frame_tag){DONE}, bytes.at, bytes.len);
}

static _Noreturn void child(struct worker *w, pid_t parent,
                            int (*fn)(void *arg, struct work *s), void *arg) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) /* it went before it could have told */
    _exit(2);
  phase_silence();
  set_signals(SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
  if (!w->show_output)
    silence();
  struct work *own = xcalloc(1, sizeof *own);
  own->shared = w->shared;
  own->board = (struct board *)w->board;
  own->recording = w->recording;
  int err = fn(arg, own);
  fflush(stdout);
  answer(w, own, err);
  _exit(err ? 2 : 0);
}

void worker_start(struct worker *w, int (*fn)(void *arg, struct work *s),
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

bool worker_error(struct error *e, const struct buf *bytes) {
  if (bytes->len != sizeof *e)
    return false;
  memcpy(e, bytes->at, sizeof *e);
  e->text[sizeof e->text - 1] = 0;
  return e->code >= ERR_USAGE && e->code <= ERR_SYSTEM;
}

/* Reads what is there; true: there is no more to come. */
static bool read_answer(struct worker *w) {
  w->state = frame_read(&w->in, w->fd);
  if (w->state == FRAME_PART)
    w->watch.idle = 0; /* a sign of life */
  return w->state != FRAME_PART;
}

/* Waits for the answer, or for the end of the worker: its end of the socket
 * closes then. */
static enum worker_end wait_for(struct worker *w) {
  struct pollfd poll_fd = {w->fd, POLLIN, 0};
  enum worker_end end = WORKER_DONE;
  while (poll(&poll_fd, 1, WORKER_LOOK_MS) <= 0 || !read_answer(w)) {
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

/* What it sent, if that is an answer; else it counts as dead. */
static enum worker_end take_answer(struct worker *w) {
  const struct buf *body = &w->in.body;
  bool whole = w->state == FRAME_WHOLE;
  if (whole && w->in.head.tag.kind == TROUBLE && worker_error(&w->error, body))
    return WORKER_ERROR;
  if (whole && w->in.head.tag.kind == DONE)
    w->answer = noun_unpack(w->noun, body->at, body->len, &w->arena);
  if (w->answer)
    return WORKER_DONE;
  /* A part of an answer is what a process leaves that a signal ended. */
  w->garbled =
      w->state == FRAME_CLOSED ? w->in.have && WIFEXITED(w->status) : true;
  return WORKER_DIED;
}

enum worker_end worker_run(struct worker *w,
                           int (*fn)(void *arg, struct work *s), void *arg) {
  worker_start(w, fn, arg);
  w->in.most = ANSWER_MOST;
  enum worker_end end = wait_for(w);
  if (end == WORKER_DONE && w->state == FRAME_CLOSED)
    reap(w, 0); /* it is about to end by itself */
  worker_end(w);
  if (interrupted)
    end = WORKER_INTERRUPTED;
  if (end == WORKER_DONE)
    end = take_answer(w);
  frame_in_free(&w->in);
  return end;
}

void worker_release(struct worker *w) {
  if (w->shared) {
    munmap((void *)w->board, sizeof *w->board);
    munmap(w->shared, sizeof *w->shared);
  }
  if (w->recording)
    munmap(w->recording, sizeof *w->recording);
  arena_free(&w->arena);
  w->shared = NULL;
  w->recording = NULL;
  w->answer = NULL;
  w->used = w->garbled = false;
}
