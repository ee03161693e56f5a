/*
 * A queue of numbers in a pipe: a write of few bytes is one step, and a read
 * waits.  With -DSPLIT a number is written in two halves, and a reader can get
 * a half of each of two.
 *
 * RUN: explore %s --search=dfs --client '{put(1)} || {put(2)} || {get(); get()}'
 * VERDICT: pass
 * OUTCOMES: -,-,257,514 -,-,514,257
 * RUN: explore %s --search=dpor --client '{put(1)} || {put(2)} || {get(); get()}'
 * VERDICT: pass
 * OUTCOMES: -,-,257,514 -,-,514,257
 * RUN: explore %s --client '{put(1)} || {put(2)} || {get(); get()}'
 * VERDICT: pass
 * OUTCOMES: -,-,257,514 -,-,514,257
 * RUN: explore %s --client '{get()} || {get()} || {put(1)}'
 * VERDICT: pass
 * RUN: explore %s --client '{put(1)} || {try_get()}; try_get()'
 * OUTCOMES: -,-1,257 -,257,-1
 * RUN: explore %s --memory-model=tso --client '{put(1)} || {put(2)} || {get()}'
 * VERDICT: pass
 * RUN: %s -- -DSPLIT
 * EXIT: 1
 * VERDICT: violation
 * LINE: first half
 * LINE: second half
 * OUTPUT: send  pipe#1: 0 -> 1
 */
#include <errno.h>
#include <faultline.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int fd[2];

static void create(void) {
  if (pipe(fd))
    abort();
}

static void put(int n) {
  unsigned char bytes[2] = {(unsigned char)n, (unsigned char)n};
#ifdef SPLIT
  if (write(fd[1], bytes, 1) != 1 ||  /* first half */
      write(fd[1], bytes + 1, 1) != 1) /* second half */
    abort();
#else
  if (write(fd[1], bytes, 2) != 2)
    abort();
#endif
}

static int get(void) {
  unsigned char bytes[2];
  for (int n = 0; n < 2;) {
    ssize_t got = read(fd[0], bytes + n, 2 - n);
    if (got <= 0)
      abort();
    n += (int)got;
  }
  return bytes[0] * 256 + bytes[1];
}

static int try_get(void) {
  unsigned char bytes[2];
  int flags = fcntl(fd[0], F_GETFL);
  fcntl(fd[0], F_SETFL, flags | O_NONBLOCK);
  ssize_t got = read(fd[0], bytes, sizeof bytes);
  if (got < 0 && errno != EAGAIN)
    abort();
  fcntl(fd[0], F_SETFL, flags);
  return got < 0 ? -1 : bytes[0] * 256 + bytes[1];
}

FL_OBJECT(queue, create)
FL_OP(void, put, FL_DATA(1, 2))
FL_OP(int, get, FL_BLOCKING)
FL_OP(int, try_get)
