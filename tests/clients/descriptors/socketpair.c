/*
 * A pair of sockets: each end has what was sent to the other.  A stream may cut
 * and join what was sent, messages stay whole.  What is read after the other
 * end was shut down is the end of the stream.
 *
 * RUN: explore %s --client '{ask(1)} || {serve()}; rest()'
 * OUTCOMES: 2,1,0
 * RUN: explore %s --search=dpor --client '{ask(1)} || {serve()}; rest()'
 * OUTCOMES: 2,1,0
 * RUN: explore %s --client '{send1(1); send1(2)} || {receive2()}'
 * OUTCOMES: -,-,1 -,-,258
 * RUN: explore %s --search=dpor --client '{send1(1); send1(2)} || {receive2()}'
 * OUTCOMES: -,-,1 -,-,258
 * RUN: explore %s --client '{send1(1); send1(2)} || {receive2()}' \
 *      -- -DTYPE=SOCK_DGRAM
 * OUTCOMES: -,-,1
 * RUN: explore %s --client '{finish()} || {receive2()}'
 * OUTCOMES: -,0
 * RUN: explore %s --client '{receive2()}'
 * FAULT: deadlock
 * OUTPUT: waits to read from socket#1
 */
#include <faultline.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef TYPE
#define TYPE SOCK_STREAM
#endif

static int fd[2];

static void create(void) {
  if (socketpair(AF_UNIX, TYPE, 0, fd))
    abort();
}

static int ask(int n) {
  if (write(fd[1], &n, sizeof n) != sizeof n ||
      recv(fd[1], &n, sizeof n, MSG_WAITALL) != sizeof n)
    abort();
  return n;
}
static int serve(void) {
  int n, answer;
  if (read(fd[0], &n, sizeof n) != sizeof n)
    abort();
  answer = n + 1;
  if (send(fd[0], &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer)
    abort();
  return n;
}
static int rest(void) {
  char c;
  return recv(fd[0], &c, 1, MSG_DONTWAIT) == 1;
}

static void send1(int n) {
  char c = (char)n;
  if (write(fd[1], &c, 1) != 1)
    abort();
}
static int receive2(void) {
  char c[2];
  ssize_t n = read(fd[0], c, 2);
  return n == 2 ? c[0] * 256 + c[1] : n == 1 ? c[0] : (int)n;
}
static void finish(void) { shutdown(fd[1], SHUT_WR); }

FL_OBJECT(pair, create)
FL_OP(int, ask, FL_INT(1, 2))
FL_OP(int, serve)
FL_OP(int, rest)
FL_OP(void, send1, FL_INT(1, 2))
FL_OP(int, receive2)
FL_OP(void, finish)
