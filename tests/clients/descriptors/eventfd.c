/*
 * The counter of an eventfd: a read takes all of it, of a semaphore 1; a read
 * of 0 waits, or fails with EAGAIN.
 *
 * RUN: explore %s --search=dfs --client '{add(2)} || {add(3)} || {take()}; left()'
 * OUTCOMES: -,-,2,3 -,-,3,2 -,-,5,0
 * RUN: explore %s --search=dpor --client '{add(2)} || {add(3)} || {take()}; left()'
 * OUTCOMES: -,-,2,3 -,-,3,2 -,-,5,0
 * RUN: explore %s --client '{add(2)} || {add(3)} || {take()}; left()'
 * OUTCOMES: -,-,2,3 -,-,3,2 -,-,5,0
 * RUN: explore %s --client '{add(2)} || {take()} || {take()}; left()' \
 *      -- -DFLAGS=EFD_SEMAPHORE
 * VERDICT: pass
 * OUTCOMES: -,1,1,0
 * RUN: explore %s --client '{add(2)} || {left()}; left()'
 * OUTCOMES: -,0,2 -,2,0
 * RUN: explore %s --client '{add(-3)} || {add(1)}'
 * VERDICT: pass
 * RUN: explore %s --client 'add(-2); {add(1)}'
 * EXIT: 1
 * FAULT: deadlock
 * OUTPUT: waits to write to eventfd#1
 */
#include <errno.h>
#include <faultline.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifndef FLAGS
#define FLAGS 0
#endif

static int fd, quick;

/* The second one is there for its number. */
static void create(void) {
  fd = eventfd(0, FLAGS);
  quick = eventfd(7, EFD_NONBLOCK);
  uint64_t n = 0;
  if (read(quick, &n, sizeof n) != 8 || n != 7 ||
      read(quick, &n, sizeof n) != -1 || errno != EAGAIN ||
      read(quick, &n, 4) != -1 || errno != EINVAL)
    abort();
}

static void add(int n) {
  uint64_t by = (uint64_t)(int64_t)n;
  if (write(fd, &by, sizeof by) != sizeof by)
    abort();
}

static int take(void) {
  eventfd_t n;
  if (eventfd_read(fd, &n))
    abort();
  return (int)n;
}

static int left(void) {
  int on = 1, off = 0;
  eventfd_t n = 0;
  ioctl(fd, FIONBIO, &on);
  if (eventfd_read(fd, &n) && errno != EAGAIN)
    abort();
  ioctl(fd, FIONBIO, &off);
  return (int)n;
}

FL_OBJECT(counter, create)
FL_OP(void, add, FL_INT(1, 2))
FL_OP(int, take, FL_BLOCKING)
FL_OP(int, left)
