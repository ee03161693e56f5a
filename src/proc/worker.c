/* Workers: forked, watched, ended, and their answers read. */
#include "proc/worker.h"

#include "base/clock.h"
#include "base/tidy.h"
#include "proc/phase.h"
#include "rt/cage.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  HANG_SECONDS = 3,
  /* of user CPU time: */
  BLIND_SECONDS = 3,
  STILL_SECONDS = 300,
};
enum { DONE = 1, TROUBLE }; /* kinds of frames */
/* Two traces of the largest size, ten times over. */
#define ANSWER_MOST (UINT64_C(1) << 27)

static long clock_ticks(void) { return sysconf(_SC_CLK_TCK); }

static volatile sig_atomic_t interrupted;
static void on_interrupt(int number) {
  (void)number;
  if (!interrupted)
    tidy_hurry();
  interrupted = 1;
}

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

static void set_signals(void (*handler)(int)) {
  struct sigaction on = {.sa_handler = handler, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
    sigaction(caught[i], &on, NULL);
}

void worker_catch_signals(void) {
  set_signals(on_interrupt);
  cage_prepare();
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans of a worker become ours (W2) */
}
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

/* New memory, which processes of an earlier worker cannot reach (W3). */
static void map_anew(struct worker *w) {
  if (w->used)
    worker_release(w);
  worker_map(w);
}

/* The process in which die() tells the parent why. */
static struct {
  pid_t pid;
  int fd;
  uint32_t kind;
} dying;

/*
 * Between two clients everything that this process has sent was read.  Else it
 * was the code that has sent it, in the client that is on the board, and it is
 * no answer: no other client begins, and the parent knows which one it was.
 */
static void stop_if_garbled(void) {
  int unread = 0;
  if (dying.pid &&
      !cage_call(SYS_ioctl, dying.fd, SIOCOUTQ, (long)&unread, 0, 0) && unread)
    cage_exit(2);
}

void board_write(struct board *b, const char *client, uint64_t clients,
                 uint64_t executions) {
  stop_if_garbled();
  mprotect(b, sizeof *b, PROT_READ | PROT_WRITE);
  snprintf(b->client, sizeof b->client, "%s", client);
  b->clients = clients;
  b->executions = executions;
  b->known = true;
  mprotect(b, sizeof *b, PROT_READ);
}

/* The user's code neither prints nor reads what is typed. */
static void silence(bool show_output) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0)
    return;
  dup2(null, STDIN_FILENO);
  if (!show_output) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  close(null);
}

/* In the process: sends the answer, or the error. */
static void answer(const struct worker *w, struct work *own, int err) {
  struct buf bytes = {0};
  if (!w->noun) /* the function has sent its answers itself */
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

/* Sends it as an error of the system: a worker that ends without one counts as
 * killed by the user's code. */
static void tell_why(const char *text) {
  if (dying.pid != getpid())
    return;
  struct error e = {.code = ERR_SYSTEM};
  snprintf(e.text, sizeof e.text, "%s", text);
  frame_send(dying.fd, (struct frame_tag){dying.kind}, &e, sizeof e);
  cage_exit(2);
}

void worker_dies_by(int fd, uint32_t kind) {
  dying.pid = getpid();
  dying.fd = fd;
  dying.kind = kind;
  die_by(tell_why);
}

/*
 * For the case that nobody watches any more.  While the parent lives it ends a
 * worker that is late before that (worker_stuck): the time of one thread on a
 * processor is not longer than time, and a pool, which has max_seconds for each
 * item, is closed after as much time in all.  Only the threads of a stress
 * process may need more, as many times as there are processors: it takes all of
 * the hard limit.
 */
static void limit_time(uint32_t max_seconds) {
  enum { GENEROUS = 2 };
  struct rlimit now, cpu;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (!max_seconds || getrlimit(RLIMIT_CPU, &now))
    return;
  cpu.rlim_cur = GENEROUS * (rlim_t)max_seconds;
  cpu.rlim_max = cpu.rlim_cur * (rlim_t)(cores > 1 ? cores : 1) + 1;
  if (now.rlim_max < cpu.rlim_max)
    cpu.rlim_max = now.rlim_max;
  if (now.rlim_cur < cpu.rlim_cur)
    cpu.rlim_cur = now.rlim_cur;
  signal(SIGXCPU, SIG_DFL);
  setrlimit(RLIMIT_CPU, &cpu);
}

/*
 * It has a session, but no PID namespace.  As process 1 of one, the code would
 * not be ended by its own signals (raise(SIGTERM), abort() with a handler): it
 * would behave otherwise than anywhere else.  As process 2 it would need one
 * more process for each worker.  Both need an administrator, or namespaces for
 * users, which many systems forbid.  And it would do nothing where there is a
 * filter, behind which no process begins (rt/cage.h); where there is none, the
 * parent finds what has left the session (tidy_orphans).
 */
static _Noreturn void child(struct worker *w, pid_t parent,
                            int (*fn)(void *arg, struct work *s), void *arg) {
  setsid(); /* a group of its own: all that it starts ends with it (W2) */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) /* the parent ended before the line above */
    _exit(2);
  tidy_nothing();
  worker_dies_by(w->fd, TROUBLE);
  phase_silence();
  set_signals(SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGINT, SIG_IGN); /* from the terminal: the parent decides */
  silence(w->show_output);
  struct work *own = xcalloc(1, sizeof *own);
  own->shared = w->shared;
  own->board = (struct board *)w->board;
  own->recording = w->recording;
  rt_share_watch(&w->shared->ticks, &w->shared->steps);
  frame_calls_by(cage_call);
  limit_time(w->max_seconds);
  cage_close(w->fd);
  int err = fn(arg, own);
  cage_end_copy();
  fflush(stdout);
  answer(w, own, err);
  cage_exit(err ? 2 : 0);
}

void worker_start(struct worker *w, int (*fn)(void *arg, struct work *s),
                  void *arg) {
  assert(!w->pid); /* W1 */
  map_anew(w);
  assert(w->shared && w->board && !w->used); /* W3 */
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
  tidy_process(-w->pid);
  worker_watch(w);
}

/* A process, as the system describes it. */
struct process_status {
  bool rests; /* it sleeps, is stopped, or its first thread has ended */
  unsigned long user, all; /* CPU time, in clock ticks */
};

/* Reads /proc; false: that is not possible now. */
static bool look_at(pid_t pid, struct process_status *out) {
  struct process_status st = {0};
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  if (n <= 0)
    return false;
  text[n] = 0;
  char *after = strrchr(text, ')');
  char state = 'R';
  unsigned long system = 0;
  if (after)
    sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
           &state, &st.user, &system);
  st.all = st.user + system;
  st.rests = strchr("STZ", state) != NULL;
  *out = st;
  return true;
}

void worker_watch(struct worker *w) {
  struct process_status st = {0};
  look_at(w->pid, &st);
  w->watch = (struct worker_watch){.begun = clock_now(),
                                   .at_tick = st.user,
                                   .at_step = st.user,
                                   .tick = w->shared->ticks,
                                   .step = w->shared->steps};
}

/* The engine's watchdog should tick every 50 ms of the process's user time. */
static bool is_blind(struct worker *w, const struct process_status *st) {
  struct worker_watch *v = &w->watch;
  uint64_t tick = w->shared->ticks;
  if (tick != v->tick || !tick)
    v->at_tick = st->user;
  v->tick = tick;
  return st->user - v->at_tick > BLIND_SECONDS * (unsigned long)clock_ticks();
}

/* Has it made no step for long?  Analyses may compute for long between two. */
static bool is_still(struct worker *w, const struct process_status *st,
                     bool beats) {
  struct worker_watch *v = &w->watch;
  uint64_t step = w->shared->steps;
  if (step != v->step || beats)
    v->at_step = st->user;
  v->step = step;
  return st->user - v->at_step > STILL_SECONDS * (unsigned long)clock_ticks();
}

bool worker_stuck(struct worker *w) {
  struct worker_watch *v = &w->watch;
  uint32_t hang_seconds = w->hang_seconds ? w->hang_seconds : HANG_SECONDS;
  bool late = w->max_seconds && clock_now() - v->begun > w->max_seconds;
  struct process_status st;
  w->hang = HANG_LATE;
  if (!look_at(w->pid, &st))
    return late; /* the next look may know */
  uint64_t beat = w->shared->heartbeat;
  bool beats = beat != v->beat;
  v->idle = st.rests && st.all == v->cpu && !beats ? v->idle + 1 : 0;
  v->cpu = st.all;
  v->beat = beat;
  bool sleeps = v->idle * WORKER_LOOK_MS > hang_seconds * 1000;
  bool blind = is_blind(w, &st), still = is_still(w, &st, beats);
  w->hang = sleeps  ? HANG_SLEEPS
            : blind ? HANG_BLIND
            : still ? HANG_STILL
                    : HANG_LATE;
  return sleeps || blind || still || late;
}

/* Ends the process and all that it has started (W2), and waits for them.  The
 * process's number is its group's, and the system gives it to no other process
 * before it was waited for. */
static void reap(struct worker *w) {
  pid_t group = w->pid;
  assert(group > 0); /* W1; kill(0) and kill(-1) would end others */
  kill(-group, SIGKILL);
  kill(group, SIGKILL); /* it may have had no time to become a group */
  while (waitpid(group, &w->status, 0) < 0 && errno == EINTR)
    ;
  while (waitpid(-group, NULL, 0) > 0) /* orphans that came to us */
    ;
  tidy_process_done(-group);
  tidy_orphans();
  w->pid = 0;
}

bool worker_ended(struct worker *w) {
  if (!w->pid)
    return true;
  siginfo_t i = {0};
  if (waitid(P_PID, (id_t)w->pid, &i, WEXITED | WNOHANG | WNOWAIT) || !i.si_pid)
    return false;
  reap(w);
  return true;
}

void worker_end(struct worker *w) {
  if (!worker_ended(w))
    reap(w);
  close(w->fd);
  w->fd = -1;
}

/* It has closed its socket, which it does only at its end. */
static bool ends_soon(struct worker *w) {
  enum { GRACE_MS = 1000 };
  for (int ms = 0; ms < GRACE_MS && !worker_ended(w); ms++)
    usleep(1000);
  return worker_ended(w);
}

bool worker_error(struct error *e, const struct buf *bytes) {
  if (bytes->len != sizeof *e)
    return false;
  memcpy(e, bytes->at, sizeof *e);
  e->text[sizeof e->text - 1] = 0;
  return e->code >= ERR_USAGE && e->code <= ERR_REFUSED;
}

/* Reads the bytes that came; true: no more will come. */
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

/* Takes what it sent, if that is an answer; else the worker counts as dead. */
static enum worker_end take_answer(struct worker *w) {
  const struct buf *body = &w->in.body;
  bool whole = w->state == FRAME_WHOLE;
  if (whole && w->in.head.tag.kind == TROUBLE && worker_error(&w->error, body))
    return WORKER_ERROR;
  if (whole && w->in.head.tag.kind == DONE)
    w->answer = noun_unpack(w->noun, body->at, body->len, &w->arena);
  if (w->answer)
    return WORKER_DONE;
  /* A process that a signal ended may leave a part of an answer. */
  w->garbled =
      w->state == FRAME_CLOSED ? w->in.have && WIFEXITED(w->status) : true;
  return WORKER_DIED;
}

enum worker_end worker_run(struct worker *w,
                           int (*fn)(void *arg, struct work *s), void *arg) {
  assert(w->noun);
  worker_start(w, fn, arg);
  w->in.most = ANSWER_MOST;
  enum worker_end end = wait_for(w);
  if (end == WORKER_DONE && w->state == FRAME_CLOSED && !ends_soon(w))
    end = WORKER_HANGS;
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
