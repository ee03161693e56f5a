/*
 * pthread_once runs its function once, and nobody returns before it has run;
 * a key has one value a thread.
 *
 * RUN: explore %s --client '{init()} || {init()} || {init()}'
 * EXIT: 0
 * OUTCOMES: 1,1,1
 * RUN: explore %s --client '{key(1)} || {key(2)}'
 * EXIT: 0
 * OUTCOMES: 1,2
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t slot;
static atomic_int started;

static void start(void) { atomic_fetch_add(&started, 1); }

static int init(void) {
  pthread_once(&once, start);
  return atomic_load(&started);
}

static void make_key(void) { pthread_key_create(&slot, NULL); }

static int key(int n) {
  pthread_once(&key_once, make_key);
  pthread_setspecific(slot, (void *)(intptr_t)n);
  atomic_load(&started);
  return (int)(intptr_t)pthread_getspecific(slot);
}

FL_OBJECT(once)
FL_OP(int, init)
FL_OP(int, key, FL_INT(1, 2))
