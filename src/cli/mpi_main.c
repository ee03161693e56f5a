/*
 * faultline-mpi: `mpirun -n 4 faultline-mpi <the arguments of faultline>`.
 *
 * Each rank is a relay between MPI and a `faultline` process that it starts:
 * the session on rank 0, a server on the others (see pool_remote.h).  A relay
 * runs no user code and sleeps most of the time.  It forks its `faultline`
 * before MPI_Init, since fork and MPI do not mix.
 *
 * (M1) ranks other than 0 talk to rank 0 only.
 * (M2) every relay sends a beat each second; a rank that is silent for
 *      `timeout` seconds is lost.  Not asserted: tests/cli/mpi.sh stops ranks.
 * (M3) nothing waits for a rank that may be lost: sends are polled, and
 *      MPI_Finalize, which waits for all ranks, is not called if one is lost
 *      (tests/cli/mpi.sh).
 */
#include "base/clock.h"
#include "base/vec.h"
#include "proc/relay.h"

#include <mpi.h>

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  BEAT_SECONDS = 1,
  LOST_SECONDS = 10, /* unless FAULTLINE_RANK_TIMEOUT is set */
  SILENCE_MS = 250,  /* at the end: a rank that is silent so long is lost */
  DRAIN_MS = 1000,   /* for the last messages */
  NAP_MIN = 50,      /* microseconds of sleep when nothing happens */
  NAP_MAX = 1000,
};

enum tag {
  TAG_FRAME = 1,
  TAG_BEAT, /* the body is the name of the machine */
  TAG_PING, /* answered by a beat */
  TAG_END,  /* one byte: is no rank lost, so that MPI_Finalize can be called? */
};

/* A message that MPI has not sent yet. */
struct pending_send {
  MPI_Request request;
  void *bytes;
  int to, tag;
};

struct peer {
  char machine[256];
  double heard; /* clock_now() of its last message */
  bool lost;
};

struct relay {
  int rank, ranks;
  pid_t child;
  int fd; /* to the child; -1: it has ended */
  struct frame_in in;
  struct frame_out out;
  VEC(struct pending_send) sends;
  struct peer *peers;
  double next_beat, timeout;
  bool ended, all_there; /* TAG_END came; its byte */
  unsigned nap;
};

static volatile sig_atomic_t signalled;
static void on_signal(int number) {
  (void)number;
  signalled = 1;
}

/* ---- the other process ---- */

/* Executes `faultline`, which is in the folder of this program. */
static _Noreturn void exec_faultline(int fd, char **argv) {
  struct frame_in in = {0};
  char path[4096 + 16], text[64];
  if (!frame_receive(&in, fd))
    _exit(2); /* MPI_Init failed */
  snprintf(text, sizeof text, "%d %u %u", fd, in.head.tag.slot,
           in.head.tag.serial);
  setenv(RELAY_ENV, text, 1);
  /* mpirun kills the process group of the relay.  A group of its own lets the
   * session finish its report; the relay ends it. */
  setpgid(0, 0);
  ssize_t n = readlink("/proc/self/exe", path, 4096);
  char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
  if (slash) {
    strcpy(slash + 1, "faultline");
    argv[0] = path;
    execv(path, argv);
  }
  die("cannot start %s: %s", slash ? path : "faultline", strerror(errno));
}

static void start_child(struct relay *r, char **argv) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
    die("cannot make a socket: %s", strerror(errno));
  r->child = fork();
  if (r->child < 0)
    die("cannot fork: %s", strerror(errno));
  close(fds[!r->child ? 0 : 1]);
  if (!r->child)
    exec_faultline(fds[1], argv);
  r->fd = fds[0];
  fcntl(r->fd, F_SETFD, FD_CLOEXEC);
}

static void drop_child(struct relay *r) {
  if (r->fd >= 0)
    close(r->fd);
  r->fd = -1;
}

/* ---- messages ---- */

static void post(struct relay *r, int to, int tag, const void *bytes,
                 size_t n) {
  assert(to != r->rank && (!r->rank || !to)); /* M1 */
  struct pending_send l = {.to = to, .tag = tag, .bytes = xmalloc(n + 1)};
  memcpy(l.bytes, bytes, n);
  if (r->peers[to].lost || MPI_Isend(l.bytes, (int)n, MPI_BYTE, to, tag,
                                     MPI_COMM_WORLD, &l.request)) {
    free(l.bytes);
    return;
  }
  vec_push(&r->sends, l);
}

static void test_sends(struct relay *r) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < r->sends.len; i++) {
    struct pending_send *l = &r->sends.at[i];
    int done = 0;
    if (MPI_Test(&l->request, &done, MPI_STATUS_IGNORE) || done)
      free(l->bytes);
    else
      r->sends.at[kept++] = *l;
  }
  r->sends.len = kept;
}

static bool is_pending(const struct relay *r, int to, int tag) {
  for (uint32_t i = 0; i < r->sends.len; i++)
    if (r->sends.at[i].to == to && r->sends.at[i].tag == tag)
      return true;
  return false;
}

static void beat(struct relay *r, int to) {
  const char *machine = r->peers[r->rank].machine;
  if (to != r->rank && !is_pending(r, to, TAG_BEAT))
    post(r, to, TAG_BEAT, machine, strlen(machine) + 1);
}

/* To all ranks that this rank talks to (M1). */
static void beat_all(struct relay *r) {
  for (int i = 0; i < (r->rank ? 1 : r->ranks); i++)
    beat(r, i);
}

/* ---- from one side to the other ---- */

static void send_to_child(struct relay *r, struct frame_tag tag,
                          const void *body, size_t len) {
  frame_put(&r->out.bytes, tag, body, len);
}

static void mark_lost(struct relay *r, int rank) {
  struct peer *p = &r->peers[rank];
  if (p->lost)
    return;
  p->lost = true;
  if (r->rank) /* without rank 0 there is nothing to do */
    r->ended = true;
  else
    send_to_child(r, (struct frame_tag){RELAY_LOST, (uint32_t)rank, 0},
                  p->machine, strlen(p->machine));
}

/* Passes on a frame of the child; true: there was one. */
static bool from_child(struct relay *r) {
  if (r->fd < 0)
    return false;
  enum frame_state state = frame_read(&r->in, r->fd);
  if (state == FRAME_PART)
    return false;
  if (state != FRAME_WHOLE) {
    drop_child(r);
    return true;
  }
  struct buf b = {0};
  int to = r->rank ? 0 : (int)r->in.head.tag.slot;
  frame_put(&b, r->in.head.tag, r->in.body.at, r->in.body.len);
  frame_next(&r->in);
  if (to >= 0 && to < r->ranks && to != r->rank)
    post(r, to, TAG_FRAME, b.at, b.len);
  buf_free(&b);
  return true;
}

static void take_message(struct relay *r, int from, int tag, const char *bytes,
                         size_t n) {
  struct peer *p = &r->peers[from];
  p->heard = clock_now();
  switch (tag) {
  case TAG_FRAME:
    buf_put(&r->out.bytes, bytes, n); /* a frame with its head */
    break;
  case TAG_BEAT:
    if (n)
      snprintf(p->machine, sizeof p->machine, "%.*s", (int)n - 1, bytes);
    break;
  case TAG_PING:
    beat(r, from);
    break;
  case TAG_END:
    r->ended = true;
    r->all_there = n && bytes[0];
    break;
  }
}

/* Takes a message of another rank; true: there was one. */
static bool from_rank(struct relay *r) {
  int there = 0, n = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there,
                 &status) ||
      !there)
    return false;
  MPI_Get_count(&status, MPI_BYTE, &n);
  char *bytes = xmalloc((size_t)n + 1);
  if (!MPI_Recv(bytes, n, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
                MPI_COMM_WORLD, MPI_STATUS_IGNORE))
    take_message(r, status.MPI_SOURCE, status.MPI_TAG, bytes, (size_t)n);
  free(bytes);
  return true;
}

/* Sends beats, and finds ranks that send none. */
static void check_clock(struct relay *r) {
  double time = clock_now();
  if (time < r->next_beat)
    return;
  r->next_beat = time + BEAT_SECONDS;
  beat_all(r);
  for (int i = 0; i < (r->rank ? 1 : r->ranks); i++)
    if (i != r->rank && time - r->peers[i].heard > r->timeout)
      mark_lost(r, i);
}

/* Sleeps until the child sends something, but only for a short while, since
 * nothing can wait for the child and for MPI at the same time. */
static void nap(struct relay *r, bool happened) {
  short events = frame_pending(&r->out) ? POLLIN | POLLOUT : POLLIN;
  struct pollfd p = {r->fd, events, 0};
  r->nap = happened ? NAP_MIN : r->nap * 2 > NAP_MAX ? NAP_MAX : r->nap * 2;
  struct timespec t = {.tv_nsec = (long)r->nap * 1000};
  ppoll(&p, 1, &t, NULL);
}

static void turn(struct relay *r) {
  bool happened = from_child(r);
  happened |= from_rank(r);
  test_sends(r);
  if (r->fd >= 0)
    frame_flush(&r->out, r->fd);
  check_clock(r);
  if (!happened || frame_pending(&r->out))
    nap(r, happened);
}

static void turn_for(struct relay *r, int ms, bool until_sent) {
  double end = clock_now() + ms / 1000.0;
  while (clock_now() < end && !(until_sent && !r->sends.len))
    turn(r);
}

/* ---- the end ---- */

/*
 * mpirun ends all ranks when one dies and does not say which.  Ranks that are
 * still alive answer a ping, although they were signalled, too.
 */
static void find_dead(struct relay *r) {
  double begun = clock_now();
  for (int i = 1; i < r->ranks; i++)
    post(r, i, TAG_PING, "", 0);
  turn_for(r, SILENCE_MS, false);
  for (int i = 1; i < r->ranks; i++)
    if (r->peers[i].heard < begun)
      mark_lost(r, i);
}

static void end_session(struct relay *r) {
  find_dead(r);
  send_to_child(r, (struct frame_tag){RELAY_OVER, 0, 0}, NULL, 0);
  if (r->fd >= 0)
    frame_flush(&r->out, r->fd);
  kill(r->child, SIGTERM); /* it may not be reading */
}

static int wait_for_child(struct relay *r) {
  int status = 0;
  while (waitpid(r->child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static int relay_of_session(struct relay *r) {
  bool ending = false;
  while (r->fd >= 0) {
    turn(r);
    if (signalled && !ending) {
      end_session(r);
      ending = true;
    }
  }
  int status = wait_for_child(r);
  char all_there = !ending;
  for (int i = 1; i < r->ranks; i++)
    all_there &= !r->peers[i].lost;
  for (int i = 1; i < r->ranks; i++)
    post(r, i, TAG_END, &all_there, 1);
  turn_for(r, DRAIN_MS, true);
  r->all_there = all_there;
  return status;
}

static int relay_of_server(struct relay *r) {
  bool reported = false;
  double end = 0;
  while (!r->ended && !(end && clock_now() > end)) {
    turn(r);
    if (r->fd < 0 && !reported) { /* the server ended too early */
      struct buf b = {0};
      const char *machine = r->peers[r->rank].machine;
      frame_put(&b, (struct frame_tag){RELAY_LOST, (uint32_t)r->rank, 0},
                machine, strlen(machine));
      post(r, 0, TAG_FRAME, b.at, b.len);
      buf_free(&b);
      reported = true;
    }
    if (signalled && !end) /* stays to answer a ping */
      end = clock_now() + 2 * SILENCE_MS / 1000.0;
  }
  drop_child(r);
  wait_for_child(r);
  return 0;
}

static double rank_timeout(void) {
  const char *text = getenv("FAULTLINE_RANK_TIMEOUT");
  double seconds = text ? atof(text) : 0;
  return seconds > 2 * BEAT_SECONDS ? seconds : LOST_SECONDS;
}

static void catch_signals(void) {
  struct sigaction on = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGTERM, &on, NULL);
  sigaction(SIGINT, &on, NULL);
  sigaction(SIGHUP, &on, NULL);
}

int main(int argc, char **argv) {
  struct relay r = {.nap = NAP_MIN, .timeout = rank_timeout()};
  start_child(&r, argv);
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
  catch_signals();
  r.peers = xcalloc((size_t)r.ranks, sizeof *r.peers);
  for (int i = 0; i < r.ranks; i++) {
    r.peers[i].heard = clock_now();
    strcpy(r.peers[i].machine, "its machine is not known");
  }
  gethostname(r.peers[r.rank].machine, sizeof r.peers->machine - 1);
  send_to_child(&r, (struct frame_tag){0, (uint32_t)r.rank, (uint32_t)r.ranks},
                NULL, 0);
  int status = r.rank ? relay_of_server(&r) : relay_of_session(&r);
  if (r.all_there) /* else it would wait for ever (M3) */
    MPI_Finalize();
  _exit(status); /* no leak check: MPI leaks */
}
