/*
 * The end of a pipe: a reader comes to it when the last writer has closed it,
 * and a copy of a descriptor keeps it open.  Closing a descriptor that another
 * thread reads from does not wake that thread.  A write that nobody can read
 * any more ends the program.  A full pipe is waited for.
 *
 * RUN: explore %s --search=dfs --client '{get()} || {close_in()}'
 * OUTCOMES: 0,-
 * RUN: explore %s --search=dpor --client '{get()} || {close_in()}'
 * OUTCOMES: 0,-
 * RUN: explore %s --client '{get()} || {close_in()}'
 * OUTCOMES: 0,-
 * RUN: explore %s --client 'copy(); {get()} || {close_in()}'
 * FAULT: deadlock
 * RUN: explore %s --client '{get()} || {close_out()}'
 * FAULT: deadlock
 * OUTPUT: waits to read from pipe#1
 * RUN: explore %s --search=dpor --client '{get()} || {close_out()}'
 * FAULT: deadlock
 * RUN: explore %s --client '{put(1)} || {close_out()}'
 * FAULT: crash
 * OUTPUT: SIGPIPE
 * RUN: explore %s --client 'ignore(); {put(1)} || {close_out()}'
 * VERDICT: pass
 * OUTCOMES: -,-1,- -,1,-
 * RUN: explore %s --client 'fill(); {put(1)} || {get()}; count()'
 * VERDICT: pass
 * OUTCOMES: -,1,7,4096
 * RUN: explore %s --client 'fill(); {put(1)}'
 * FAULT: deadlock
 * OUTPUT: waits to write to pipe#1
 * RUN: explore %s --client '{two()} || {two()}'
 * VERDICT: pass
 * OUTCOMES: 3,3
 */
#define _GNU_SOURCE
#include <errno.h>
#include <faultline.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

static int fd[2];

static void create(void) {
  if (pipe2(fd, O_CLOEXEC) || fcntl(fd[1], F_SETPIPE_SZ, 4096) != 4096)
    abort();
}

static int get(void) {
  char c = 9;
  ssize_t n = read(fd[0], &c, 1);
  return n == 1 ? c : n == 0 ? 0 : -errno;
}
static int put(int n) {
  char c = (char)n;
  return (int)write(fd[1], &c, 1);
}
static void close_in(void) { close(fd[1]); }
static void close_out(void) { close(fd[0]); }
static void copy(void) { dup(fd[1]); }
static void ignore(void) { signal(SIGPIPE, SIG_IGN); }
static void fill(void) {
  char bytes[4096];
  memset(bytes, 7, sizeof bytes);
  if (write(fd[1], bytes, sizeof bytes) != sizeof bytes)
    abort();
}
static int count(void) {
  int n = 0;
  ioctl(fd[0], FIONREAD, &n);
  return n;
}
/* A pipe of its own, in pieces. */
static int two(void) {
  int own[2];
  char a[2] = {1, 0}, b[2] = {2, 0};
  struct iovec out[2] = {{a, 1}, {b, 1}}, in[2] = {{a + 1, 1}, {b + 1, 1}};
  if (pipe(own) || writev(own[1], out, 2) != 2 || readv(own[0], in, 2) != 2)
    abort();
  close(own[0]);
  close(own[1]);
  return a[1] + b[1];
}

FL_OBJECT(ends, create)
FL_OP(int, get)
FL_OP(int, put, FL_INT(1, 2))
FL_OP(void, close_in)
FL_OP(void, close_out)
FL_OP(void, copy)
FL_OP(void, ignore)
FL_OP(void, fill)
FL_OP(int, count)
FL_OP(int, two)
