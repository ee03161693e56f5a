/* Frames: reading and writing them, piece by piece or at once. */
#include "proc/frame.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  MAGIC = 0x464c4652,
  PIECE = 1 << 16,
  PIECES = 64, /* of one frame_read: other sockets want their turn */
};
/* Less than an MPI message can have. */
static const uint64_t most = ((uint64_t)1 << 31) - (1 << 12);

static long call_plainly(long number, long a, long b, long c, long d, long e) {
  return syscall(number, a, b, c, d, e, 0L);
}
static frame_call *make_call = call_plainly;

void frame_calls_by(frame_call *call) { make_call = call; }

/* MSG_NOSIGNAL: a process that has died must not end us by SIGPIPE. */
static ssize_t send_some(int fd, const void *at, size_t len) {
  return make_call(SYS_sendto, fd, (long)at, (long)len,
                   MSG_DONTWAIT | MSG_NOSIGNAL, 0);
}

/* Bytes, 0 when the other side is gone, -1 when there is nothing now. */
static ssize_t get(int fd, void *to, size_t n) {
  ssize_t got;
  do
    got = make_call(SYS_recvfrom, fd, (long)to, (long)n, MSG_DONTWAIT, 0);
  while (got < 0 && errno == EINTR);
  return got < 0 && errno != EAGAIN ? 0 : got;
}

static enum frame_state stopped(ssize_t got) {
  return got ? FRAME_PART : FRAME_CLOSED;
}

/* Is the next frame none?  Then it stays where it is: who is on the other side
 * can tell that it was not read, and what it was doing when it was sent. */
static bool begins_wrong(int fd) {
  const uint32_t magic = MAGIC;
  uint32_t first;
  ssize_t got = make_call(SYS_recvfrom, fd, (long)&first, sizeof first,
                          MSG_DONTWAIT | MSG_PEEK, 0);
  return got > 0 && memcmp(&first, &magic, (size_t)got) != 0;
}

static enum frame_state read_head(struct frame_in *in, int fd) {
  if (!in->have && begins_wrong(fd))
    return FRAME_GARBLED;
  while (in->have < sizeof in->head) {
    ssize_t got =
        get(fd, (char *)&in->head + in->have, sizeof in->head - in->have);
    if (got <= 0)
      return stopped(got);
    in->have += (size_t)got;
  }
  assert(in->have == sizeof in->head); /* M1 */
  uint64_t bound = in->most ? in->most : most;
  if (in->head.magic != MAGIC || in->head.len > bound)
    return FRAME_GARBLED;
  return FRAME_WHOLE;
}

enum frame_state frame_read(struct frame_in *in, int fd) {
  char piece[PIECE];
  enum frame_state head = read_head(in, fd);
  if (head != FRAME_WHOLE)
    return head;
  for (int i = 0; i < PIECES && in->body.len < in->head.len; i++) {
    uint64_t left = in->head.len - in->body.len;
    ssize_t got = get(fd, piece, left < PIECE ? (size_t)left : PIECE);
    if (got <= 0)
      return stopped(got);
    buf_put(&in->body, piece, (size_t)got);
  }
  assert(in->body.len <= in->head.len); /* M1 */
  return in->body.len == in->head.len ? FRAME_WHOLE : FRAME_PART;
}

void frame_next(struct frame_in *in) {
  in->have = 0;
  buf_clear(&in->body);
}

void frame_in_free(struct frame_in *in) {
  buf_free(&in->body);
  in->have = 0;
}

static struct frame_head head_of(struct frame_tag tag, size_t len) {
  if (len > most)
    die("a message of %zu bytes is too long", len);
  return (struct frame_head){.magic = MAGIC, .tag = tag, .len = len};
}

void frame_put(struct buf *out, struct frame_tag tag, const void *body,
               size_t len) {
  struct frame_head head = head_of(tag, len);
  buf_put(out, &head, sizeof head);
  buf_put(out, body, len);
}

bool frame_pending(const struct frame_out *out) {
  return out->sent < out->bytes.len;
}

bool frame_flush(struct frame_out *out, int fd) {
  while (frame_pending(out)) {
    ssize_t n =
        send_some(fd, out->bytes.at + out->sent, out->bytes.len - out->sent);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno == EAGAIN;
    out->sent += (size_t)n;
    assert(out->sent <= out->bytes.len);
  }
  buf_clear(&out->bytes);
  out->sent = 0;
  return true;
}

void frame_out_free(struct frame_out *out) {
  buf_free(&out->bytes);
  out->sent = 0;
}

static void wait_until(int fd, short events) {
  struct pollfd p = {fd, events, 0};
  poll(&p, 1, -1); /* the caller looks again, whatever came */
}

void frame_wait(int fd) { wait_until(fd, POLLIN); }

static bool send_all(int fd, const void *bytes, size_t len) {
  const char *at = bytes;
  while (len) {
    ssize_t n = send_some(fd, at, len);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return false;
    if (n < 0 && errno == EAGAIN)
      wait_until(fd, POLLOUT);
    at += n > 0 ? n : 0;
    len -= n > 0 ? (size_t)n : 0;
  }
  return true;
}

/* Allocates nothing: this also tells the parent that there is no memory. */
bool frame_send(int fd, struct frame_tag tag, const void *body, size_t len) {
  struct frame_head head = head_of(tag, len);
  struct iovec both[] = {{&head, sizeof head}, {(void *)body, len}};
  struct msghdr message = {.msg_iov = both, .msg_iovlen = 2};
  /* A small frame comes in one piece. */
  ssize_t n = make_call(SYS_sendmsg, fd, (long)&message,
                        MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
  size_t sent = n > 0 ? (size_t)n : 0;
  if (sent < sizeof head)
    return send_all(fd, (char *)&head + sent, sizeof head - sent) &&
           send_all(fd, body, len);
  sent -= sizeof head;
  return send_all(fd, (const char *)body + sent, len - sent);
}

bool frame_receive(struct frame_in *in, int fd) {
  enum frame_state state;
  frame_next(in);
  while ((state = frame_read(in, fd)) == FRAME_PART)
    wait_until(fd, POLLIN);
  return state == FRAME_WHOLE;
}
