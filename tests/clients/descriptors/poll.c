/*
 * poll, select and epoll: a wait ends when something can be read.  An edge is
 * reported to one of those that wait, a level to all of them; a reader that has
 * been told by a level may still find that another one was faster.
 *
 * RUN: explore %s --search=dfs --client '{put()} || {next()} || {put()}'
 * VERDICT: pass
 * OUTCOMES: -,1,-
 * RUN: explore %s --client '{put()} || {next()} || {next(); put()}'
 * VERDICT: error
 * FAULT: deadlock
 * RUN: explore %s --search=dpor --client '{put()} || {next()} || {next(); put()}'
 * FAULT: deadlock
 * RUN: explore %s --client '{put()} || {next()} || {next()} || {put()}'
 * VERDICT: pass
 * RUN: explore %s --client '{put()} || {look()} || {look()}' -- -DHOW=EPOLLIN
 * OUTCOMES: -,0,0 -,0,1 -,1,0 -,1,1
 * RUN: explore %s --client '{put()} || {look()} || {look()}' -- -DHOW='EPOLLIN|EPOLLET'
 * OUTCOMES: -,0,0 -,0,1 -,1,0
 * RUN: explore %s --client '{put()} || {look()} || {look()}' -- -DHOW='EPOLLIN|EPOLLONESHOT'
 * OUTCOMES: -,0,0 -,0,1 -,1,0
 * RUN: explore %s --search=dpor --client '{put()} || {look()} || {look()}' \
 *      -- -DHOW='EPOLLIN|EPOLLET'
 * OUTCOMES: -,0,0 -,0,1 -,1,0
 * RUN: explore %s --client '{put()} || {polled()} || {selected()}; polled()'
 * OUTCOMES: -,0,0,1 -,0,1,1 -,1,0,1 -,1,1,1
 * RUN: explore %s --client '{put()} || {turns()}'
 * VERDICT: pass
 * OUTCOMES: -,1
 */
#include <faultline.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

#ifndef HOW
#define HOW EPOLLIN
#endif

static int set, fd;

static void create(void) {
  struct epoll_event e = {.events = HOW, .data.u64 = 77};
  set = epoll_create1(0);
  fd = eventfd(0, EFD_SEMAPHORE);
  if (set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, fd, &e))
    abort();
}

static void put(void) { eventfd_write(fd, 1); }

static int next(void) {
  struct epoll_event e;
  eventfd_t n;
  if (epoll_wait(set, &e, 1, -1) != 1 || e.data.u64 != 77)
    abort();
  eventfd_read(fd, &n);
  return (int)n;
}

static int look(void) {
  struct epoll_event e[2];
  return epoll_wait(set, e, 2, 0);
}

static int polled(void) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  return poll(&p, 1, 0);
}

static int selected(void) {
  struct timeval none = {0, 0};
  fd_set in;
  FD_ZERO(&in);
  FD_SET(fd, &in);
  int n = select(fd + 1, &in, NULL, NULL, &none);
  if (n != !!FD_ISSET(fd, &in))
    abort();
  return n;
}

/* A time-out is no end: others can go on. */
static int turns(void) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  while (poll(&p, 1, 10) == 0)
    ;
  return p.revents == POLLIN;
}

FL_OBJECT(waiting, create)
FL_OP(void, put)
FL_OP(int, next)
FL_OP(int, look)
FL_OP(int, polled)
FL_OP(int, selected)
FL_OP(int, turns)
