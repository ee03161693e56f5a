/*
 * Each thread has its own thread-local variables, errno and pthread_self().
 * Were they shared, a thread would find the other's value.
 *
 * RUN: explore %s --client '{use(1)} || {use(2)} || {use(3)}'
 * EXIT: 0
 * OUTCOMES: 1,2,3
 * RUN: explore %s --client '{error(1)} || {error(2)}'
 * EXIT: 0
 * OUTCOMES: 1,2
 * RUN: explore %s --client '{self()} || {self()}'
 * EXIT: 0
 * OUTCOMES: 1,1
 */
#include <errno.h>
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static __thread int mine;
static __thread char more[3000]; /* does not fit where small ones do */
static atomic_int shared;
static pthread_t owner;

static int use(int n) {
  mine = n;
  more[2999] = (char)n;
  atomic_fetch_add(&shared, 1);
  int found = mine == more[2999] ? mine : -1;
  mine = 0;
  more[2999] = 0;
  return found;
}

static int error(int n) {
  errno = n;
  atomic_fetch_add(&shared, 1);
  return errno;
}

static int self(void) {
  pthread_t me = pthread_self();
  owner = me;
  atomic_fetch_add(&shared, 1);
  return pthread_equal(me, pthread_self()) != 0;
}

FL_OBJECT(tls)
FL_OP(int, use, FL_INT(1, 3))
FL_OP(int, error, FL_INT(1, 2))
FL_OP(int, self)
