/*
 * A thread may hold a reader-writer lock for reading many times; beyond what
 * the engine counts there is no verdict.
 *
 * RUN: explore %s --client '{read_deep()} || {set()}'
 * EXIT: 0
 *
 * RUN: explore %s --client '{read_deep()} || {read_deep()}' \
 *   --max-executions=200
 * EXIT: 3
 * NOOUTPUT: misuse|cannot be checked
 *
 * RUN: explore %s --client '{read_deep()}' -- -DTIMES=1024
 * EXIT: 3
 * OUTPUT: holds a reader-writer lock more than 1023
 */
#include <faultline.h>
#include <pthread.h>

#ifndef TIMES
#define TIMES 300
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static int read_deep(void) {
  for (int i = 0; i < TIMES; i++)
    pthread_rwlock_rdlock(&lock);
  int r = x >= 0;
  for (int i = 0; i < TIMES; i++)
    pthread_rwlock_unlock(&lock);
  return r;
}
static void set(void) {
  pthread_rwlock_wrlock(&lock);
  x++;
  pthread_rwlock_unlock(&lock);
}

FL_OBJECT(deep)
FL_OP(int, read_deep)
FL_OP(void, set)
