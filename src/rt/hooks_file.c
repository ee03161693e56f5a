/*
 * Pipes, eventfd counters and pairs of sockets inside one process: opening and
 * closing, reading and writing.  hooks_poll.c has the functions that wait for
 * several.
 *
 * A read or a write is one step on the channel.  When it has to wait, that step
 * only looks, and a second one is made when it can be: by then the thread is in
 * the kernel, and another one that closes the descriptor does not wake it.  A
 * write of more than PIPE_BUF bytes is several.  The memory of the caller is
 * read before and written after the step, in pieces.
 *
 * Descriptors of other files go to the system, unless they would wait for
 * something from outside.
 */
#include "rt/hooks_file.h"

#include "rt/cage.h"
#include "rt/fault.h"
#include "rt/record.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int fl__file_fails(int err) {
  errno = err;
  return -1;
}

void fl__table_point(enum event_kind kind, uint64_t pc) {
  fl__point(kind, (void *)CHANNEL_TABLE, 8, pc);
}

void fl__all_point(enum event_kind kind, uint64_t pc) {
  fl__point(kind, (void *)CHANNEL_TABLE, CHANNEL_TABLE_SPAN, pc);
}

void fl__only_looked(const struct channel *c) {
  if (!fl__on())
    return;
  E.self->failed = 1;
  fl__silent();
  if (UNLIKELY(E.recording))
    fl__saw(EV_FD_POLL, NULL, c, c ? sizeof c->level : 0);
}

static struct channel *channel_of(int fd, bool out) {
  int file = fl__file_of(fd);
  return file == NO_FILE
             ? NULL
             : fl__channel(out ? fl__file(file)->out : fl__file(file)->in);
}

/* Another thread may have closed the descriptor, and opened it anew, before the
 * step is made. */
struct channel *fl__channel_point(enum event_kind kind, int fd, bool out,
                                  uint64_t pc) {
  for (struct channel *c = channel_of(fd, out);;) {
    if (c)
      fl__point(kind, c, sizeof c->level, pc);
    else
      fl__table_point(kind, pc);
    struct channel *now = channel_of(fd, out);
    if (now == c)
      return c;
    fl__only_looked(c);
    c = now;
  }
}

void fl__file_sleep(enum event_kind kind, int file, struct channel *c,
                    uint64_t other, const char *function, uint64_t pc,
                    bool (*can)(struct fiber_state *f)) {
  if (!fl__on())
    fl__refuse(pc, "%s() would wait for another thread", function);
  fl__file_hold(file);
  fl__wait_at(kind, c, sizeof c->level, other, pc, can);
}

void fl__file_leave(int file, uint64_t pc) {
  if (fl__file(file)->refs == 1) /* it was closed: now it is gone */
    fl__all_point(EV_FD_CLOSE, pc);
  fl__file_drop(file);
}

void fl__refuse_to_wait(const char *function, int fd, short events,
                        uint64_t pc) {
  struct pollfd p = {.fd = fd, .events = events};
  if (fl__on() && poll(&p, 1, 0) == 0)
    fl__refuse(pc,
               "%s() would wait for something outside of the program, "
               "which is not modelled",
               function);
}

/* ---- opening ---- */

static int open_file(struct channel *in, struct channel *out, bool nonblock,
                     uint64_t pc) {
  return fl__descriptor_new(fl__file_new(in, out, nonblock, pc), 0, pc);
}

static int open_pipe(int fd[2], int flags, uint64_t pc) {
  if (flags & ~(O_NONBLOCK | O_CLOEXEC))
    fl__refuse(pc, "pipe2() with a flag that is not modelled");
  fl__table_point(EV_FD_OPEN, pc);
  struct channel *c = fl__channel_new(CHANNEL_PIPE, pc);
  int ends[2] = {open_file(c, NULL, flags & O_NONBLOCK, pc)};
  ends[1] = open_file(NULL, c, flags & O_NONBLOCK, pc);
  fl__copy(fd, ends, sizeof ends, pc);
  return 0;
}
WRAP(int, pipe, (int fd[2])) { return open_pipe(fd, 0, CALLER_PC); }
WRAP(int, pipe2, (int fd[2], int flags)) {
  return open_pipe(fd, flags, CALLER_PC);
}

WRAP(int, eventfd, (unsigned count, int flags)) {
  uint64_t pc = CALLER_PC;
  fl__table_point(EV_FD_OPEN, pc);
  struct channel *c = fl__channel_new(CHANNEL_EVENTFD, pc);
  c->level = count;
  c->semaphore = (flags & EFD_SEMAPHORE) != 0;
  return open_file(c, c, flags & EFD_NONBLOCK, pc);
}

WRAP(int, socketpair, (int domain, int type, int protocol, int fd[2])) {
  uint64_t pc = CALLER_PC;
  int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (domain != AF_UNIX || protocol ||
      (kind != SOCK_STREAM && kind != SOCK_DGRAM && kind != SOCK_SEQPACKET))
    fl__refuse(pc, "socketpair() is modelled for streams and messages of "
                   "AF_UNIX only");
  fl__table_point(EV_FD_OPEN, pc);
  struct channel *a = fl__channel_new(CHANNEL_SOCKET, pc);
  struct channel *b = fl__channel_new(CHANNEL_SOCKET, pc);
  a->messages = b->messages = kind != SOCK_STREAM;
  int ends[2] = {open_file(a, b, type & SOCK_NONBLOCK, pc)};
  ends[1] = open_file(b, a, type & SOCK_NONBLOCK, pc);
  fl__copy(fd, ends, sizeof ends, pc);
  return 0;
}

/* ---- reading ---- */

enum { NOW = 1, KEEP = 2, QUIET = 4, WHOLE = 8 }; /* of one transfer */

static bool can_read(struct fiber_state *f) {
  return fl__channel_readable((struct channel *)(uintptr_t)f->addr);
}

/* Why a read cannot be: an error number, or 0. */
static int read_error(int file, const struct channel *c, size_t n) {
  if (file == NO_FILE)
    return EBADF;
  if (!c) /* a socket that was shut down is at its end */
    return fl__channel_kind(fl__channel(fl__file(file)->out)) == CHANNEL_SOCKET
               ? 0
               : EBADF;
  if (fl__channel_kind(c) == CHANNEL_EPOLL)
    return EINVAL;
  return fl__channel_kind(c) == CHANNEL_EVENTFD && n < 8 ? EINVAL : 0;
}

static ssize_t receive(int fd, void *to, size_t n, int how,
                       const char *function, uint64_t pc) {
  struct channel *c = fl__channel_point(EV_FD_READ, fd, false, pc);
  int file = fl__file_of(fd), err = read_error(file, c, n);
  bool slept = false;
  if (err || !c || !n) {
    fl__only_looked(c);
    return err ? fl__file_fails(err) : 0;
  }
  if (!fl__channel_readable(c)) {
    fl__only_looked(c);
    if (how & NOW || fl__file(file)->nonblock)
      return fl__file_fails(EAGAIN);
    fl__file_sleep(EV_FD_READ, file, c, 0, function, pc, can_read);
    slept = true;
  }
  size_t most = n < CHANNEL_ROOM ? n : CHANNEL_ROOM;
  if (fl__channel_kind(c) != CHANNEL_EVENTFD && most > c->level)
    most = c->level;
  void *kept = alloca(most + 8);
  bool end = !c->level;
  size_t got = end ? 0 : fl__channel_take(c, kept, most, how & KEEP);
  if (got && !(how & KEEP))
    fl__channel_news(c, false);
  if (end || how & KEEP)
    fl__only_looked(c);
  if (slept)
    fl__file_leave(file, pc);
  fl__copy(to, kept, got, pc);
  return (ssize_t)got;
}

/* ---- writing ---- */

static bool can_write(struct fiber_state *f) {
  return fl__channel_writable((struct channel *)(uintptr_t)f->addr, f->other);
}

static int broken(int how, const char *function, uint64_t pc) {
  struct sigaction a;
  sigaction(SIGPIPE, NULL, &a);
  fl__only_looked(NULL);
  if (how & QUIET || a.sa_handler == SIG_IGN)
    return fl__file_fails(EPIPE);
  if (a.sa_handler != SIG_DFL)
    fl__refuse(pc,
               "%s() would run a signal handler (SIGPIPE), and signals are "
               "not modelled",
               function);
  fl__fault(FAULT_CRASH, pc, 0,
            "%s() to an end that nobody reads ends the "
            "program (SIGPIPE)",
            function);
}

static int write_error(int file, const struct channel *c, uint64_t add,
                       size_t n) {
  if (file == NO_FILE)
    return EBADF;
  if (!c)
    return fl__channel_kind(fl__channel(fl__file(file)->in)) == CHANNEL_SOCKET
               ? EPIPE
               : EBADF;
  switch (fl__channel_kind(c)) {
  case CHANNEL_EPOLL:
    return EINVAL;
  case CHANNEL_EVENTFD:
    return n < 8 || add == UINT64_MAX ? EINVAL : 0;
  default:
    return !c->readers ? EPIPE : c->messages && n + 4 > c->room ? EMSGSIZE : 0;
  }
}

/* One piece of a write; -1 with errno, or how many bytes. */
static ssize_t send_piece(int fd, const void *from, size_t n, int how,
                          const char *function, uint64_t pc) {
  uint64_t add = 0, need = n;
  struct channel *c = fl__channel_point(EV_FD_WRITE, fd, true, pc);
  int file = fl__file_of(fd);
  memcpy(&add, from, n < 8 ? n : 8);
  int err = write_error(file, c, add, n);
  if (err == EPIPE)
    return broken(how, function, pc);
  if (err) {
    fl__only_looked(c);
    return fl__file_fails(err);
  }
  enum channel_kind kind = fl__channel_kind(c);
  if (kind == CHANNEL_EVENTFD) {
    need = add;
    n = 8;
  }
  if (!fl__channel_writable(c, need)) {
    bool now = how & NOW || fl__file(file)->nonblock;
    bool parts = kind == CHANNEL_SOCKET ? !c->messages : how & WHOLE;
    if (now && parts && c->level < c->room) {
      n = c->room - c->level;
    } else {
      fl__only_looked(c);
      if (now)
        return fl__file_fails(EAGAIN);
      fl__file_sleep(EV_FD_WRITE, file, c, need, function, pc, can_write);
      bool gone = !c->readers;
      if (!gone) {
        fl__channel_put(c, from, n);
        fl__channel_news(c, true);
      }
      fl__file_leave(file, pc);
      return gone ? broken(how, function, pc) : (ssize_t)n;
    }
  }
  if (!need && kind == CHANNEL_EVENTFD)
    fl__only_looked(c);
  fl__channel_put(c, from, n);
  fl__channel_news(c, true);
  return (ssize_t)n;
}

/* Is it a channel that keeps the bounds of messages? */
static bool has_messages(int fd) {
  struct channel *c = channel_of(fd, true);
  return c && c->messages;
}

static ssize_t send_all(int fd, const void *from, size_t n, int how,
                        const char *function, uint64_t pc) {
  size_t piece = n, done = 0;
  if (n > CHANNEL_ATOMIC && !has_messages(fd)) {
    piece = CHANNEL_ATOMIC;
    how |= WHOLE;
  }
  if (piece > CHANNEL_ROOM)
    return fl__file_fails(EMSGSIZE);
  uint8_t *kept = alloca(piece + 8);
  do {
    size_t part = n - done < piece ? n - done : piece;
    fl__copy(kept, (const uint8_t *)from + done, part, pc);
    ssize_t sent = send_piece(fd, kept, part, how, function, pc);
    if (sent < 0)
      return done ? (ssize_t)done : sent;
    done += (size_t)sent;
    if ((size_t)sent < part)
      break;
  } while (done < n);
  return (ssize_t)done;
}

/* ---- the functions ---- */

WRAP(ssize_t, read, (int fd, void *to, size_t n)) {
  if (fl__is_descriptor(fd))
    return receive(fd, to, n, 0, "read", CALLER_PC);
  fl__refuse_to_wait("read", fd, POLLIN, CALLER_PC);
  fl__access(EV_WRITE, to, n, CALLER_PC);
  return read(fd, to, n);
}
WRAP(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t room)) {
  if (n > room)
    fl__fault(FAULT_OUT_OF_BOUNDS, CALLER_PC, (uint64_t)(uintptr_t)to,
              "reads %zu bytes into %zu", n, room);
  if (fl__is_descriptor(fd))
    return receive(fd, to, n, 0, "read", CALLER_PC);
  fl__refuse_to_wait("read", fd, POLLIN, CALLER_PC);
  return read(fd, to, n);
}
WRAP(ssize_t, write, (int fd, const void *from, size_t n)) {
  if (fl__is_descriptor(fd))
    return send_all(fd, from, n, 0, "write", CALLER_PC);
  fl__refuse_to_wait("write", fd, POLLOUT, CALLER_PC);
  fl__access(EV_READ, from, n, CALLER_PC);
  return write(fd, from, n);
}

/* Several pieces of memory as one, to be freed by the caller's return. */
static size_t total(const struct iovec *v, int n) {
  size_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += v[i].iov_len;
  return sum;
}

static void gather(uint8_t *to, const struct iovec *v, int n, uint64_t pc) {
  for (int i = 0; i < n; to += v[i++].iov_len)
    fl__copy(to, v[i].iov_base, v[i].iov_len, pc);
}

static void scatter(const struct iovec *v, int n, const uint8_t *from,
                    size_t left, uint64_t pc) {
  for (int i = 0; i < n && left; i++) {
    size_t part = v[i].iov_len < left ? v[i].iov_len : left;
    fl__copy(v[i].iov_base, from, part, pc);
    from += part;
    left -= part;
  }
}

static ssize_t send_vector(int fd, const struct iovec *v, int n, int how,
                           const char *function, uint64_t pc) {
  size_t sum = total(v, n);
  if (sum > CHANNEL_ROOM)
    fl__refuse(pc, "%s() of more than %d bytes is not modelled", function,
               CHANNEL_ROOM);
  uint8_t *whole = alloca(sum + 8);
  gather(whole, v, n, pc);
  return send_all(fd, whole, sum, how, function, pc);
}

static ssize_t receive_vector(int fd, const struct iovec *v, int n, int how,
                              const char *function, uint64_t pc) {
  size_t sum = total(v, n);
  sum = sum < CHANNEL_ROOM ? sum : CHANNEL_ROOM;
  uint8_t *whole = alloca(sum + 8);
  ssize_t got = receive(fd, whole, sum, how, function, pc);
  if (got > 0)
    scatter(v, n, whole, (size_t)got, pc);
  return got;
}

WRAP(ssize_t, readv, (int fd, const struct iovec *v, int n)) {
  if (fl__is_descriptor(fd))
    return receive_vector(fd, v, n, 0, "readv", CALLER_PC);
  fl__refuse_to_wait("readv", fd, POLLIN, CALLER_PC);
  return readv(fd, v, n);
}
WRAP(ssize_t, writev, (int fd, const struct iovec *v, int n)) {
  if (fl__is_descriptor(fd))
    return send_vector(fd, v, n, 0, "writev", CALLER_PC);
  fl__refuse_to_wait("writev", fd, POLLOUT, CALLER_PC);
  return writev(fd, v, n);
}

/* An eventfd function's descriptor is one, or its caller is told. */
WRAP(int, eventfd_read, (int fd, eventfd_t *to)) {
  return receive(fd, to, sizeof *to, 0, "eventfd_read", CALLER_PC) == 8 ? 0
                                                                        : -1;
}
WRAP(int, eventfd_write, (int fd, eventfd_t value)) {
  return send_all(fd, &value, sizeof value, 0, "eventfd_write", CALLER_PC) == 8
             ? 0
             : -1;
}

/* ---- sockets ---- */

static int how_of(int flags, const char *function, uint64_t pc) {
  int known = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_PEEK | MSG_EOR;
  if (flags & ~known)
    fl__refuse(pc, "%s() with flags %#x is not modelled", function,
               (unsigned)flags);
  return (flags & MSG_DONTWAIT ? NOW : 0) | (flags & MSG_PEEK ? KEEP : 0) |
         (flags & MSG_NOSIGNAL ? QUIET : 0);
}

static void only_pairs(int fd, const char *function, uint64_t pc) {
  if (fl__on() && !fl__is_descriptor(fd))
    fl__refuse(pc, "%s() to other processes is not modelled", function);
}

static ssize_t receive_whole(int fd, void *to, size_t n, int flags,
                             const char *function, uint64_t pc) {
  only_pairs(fd, function, pc);
  int how = how_of(flags & ~MSG_WAITALL, function, pc);
  size_t done = 0;
  for (;;) {
    ssize_t got =
        receive(fd, (uint8_t *)to + done, n - done, how, function, pc);
    if (got <= 0)
      return done ? (ssize_t)done : got;
    done += (size_t)got;
    if (done == n || !(flags & MSG_WAITALL))
      return (ssize_t)done;
  }
}

WRAP(ssize_t, recv, (int fd, void *to, size_t n, int flags)) {
  return receive_whole(fd, to, n, flags, "recv", CALLER_PC);
}
WRAP(ssize_t, recvfrom,
     (int fd, void *to, size_t n, int flags, struct sockaddr *a,
      socklen_t *len)) {
  if (a && len)
    *len = 0;
  return receive_whole(fd, to, n, flags, "recvfrom", CALLER_PC);
}
WRAP(ssize_t, send, (int fd, const void *from, size_t n, int flags)) {
  uint64_t pc = CALLER_PC;
  only_pairs(fd, "send", pc);
  return send_all(fd, from, n, how_of(flags, "send", pc), "send", pc);
}
WRAP(ssize_t, sendto,
     (int fd, const void *from, size_t n, int flags, const struct sockaddr *a,
      socklen_t len)) {
  (void)a;
  (void)len;
  uint64_t pc = CALLER_PC;
  only_pairs(fd, "sendto", pc);
  return send_all(fd, from, n, how_of(flags, "sendto", pc), "sendto", pc);
}
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags)) {
  uint64_t pc = CALLER_PC;
  only_pairs(fd, "sendmsg", pc);
  if (m->msg_controllen)
    fl__refuse(pc, "sendmsg() of descriptors is not modelled");
  return send_vector(fd, m->msg_iov, (int)m->msg_iovlen,
                     how_of(flags, "sendmsg", pc), "sendmsg", pc);
}
WRAP(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags)) {
  uint64_t pc = CALLER_PC;
  only_pairs(fd, "recvmsg", pc);
  int how = how_of(flags & ~MSG_CMSG_CLOEXEC, "recvmsg", pc);
  ssize_t got =
      receive_vector(fd, m->msg_iov, (int)m->msg_iovlen, how, "recvmsg", pc);
  if (got >= 0) {
    m->msg_namelen = 0;
    m->msg_controllen = 0;
    m->msg_flags = 0;
  }
  return got;
}
WRAP(int, shutdown, (int fd, int how)) {
  uint64_t pc = CALLER_PC;
  only_pairs(fd, "shutdown", pc);
  fl__all_point(EV_FD_CHANGE, pc);
  int file = fl__file_of(fd);
  if (file == NO_FILE)
    return fl__file_fails(EBADF);
  fl__file_shut(file, how != SHUT_WR, how != SHUT_RD);
  return 0;
}
