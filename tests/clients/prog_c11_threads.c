/*
 * A whole program with everything of C11 threads.
 *
 * RUN: explore %s --search=random --max-executions 300 --seed 1
 * EXIT: 0
 */
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static mtx_t plain;
static mtx_t recursive;
static cnd_t ready;
static once_flag once = ONCE_FLAG_INIT;
static tss_t own;
static int value;
static int made;
static atomic_int destroyed;
static _Thread_local int local = 5;

static void make(void) { made++; }

static void destroy(void *p) {
  (void)p;
  atomic_fetch_add(&destroyed, 1);
}

static int consumer(void *arg) {
  call_once(&once, make);
  tss_set(own, arg);
  local = 6;
  mtx_lock(&plain);
  while (value == 0)
    cnd_wait(&ready, &plain);
  int got = value--;
  mtx_unlock(&plain);
  assert(tss_get(own) == arg);
  assert(local == 6);
  return got;
}

static int producer(void *arg) {
  (void)arg;
  call_once(&once, make);
  thrd_yield();
  mtx_lock(&recursive);
  mtx_lock(&recursive);
  mtx_lock(&plain);
  value = 2;
  cnd_broadcast(&ready);
  mtx_unlock(&plain);
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);
  thrd_exit(9);
}

int main(void) {
  thrd_t c[2];
  thrd_t p;
  int got[2];
  int end;
  assert(mtx_init(&plain, mtx_plain) == thrd_success);
  assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
  assert(cnd_init(&ready) == thrd_success);
  assert(tss_create(&own, destroy) == thrd_success);
  assert(thrd_create(&c[0], consumer, &got[0]) == thrd_success);
  assert(thrd_create(&c[1], consumer, &got[1]) == thrd_success);
  assert(thrd_create(&p, producer, NULL) == thrd_success);
  assert(!thrd_equal(c[0], c[1]));
  thrd_join(p, &end);
  thrd_join(c[0], &got[0]);
  thrd_join(c[1], &got[1]);
  assert(end == 9);
  assert(got[0] + got[1] == 3);
  assert(made == 1);
  assert(local == 5);
  assert(atomic_load(&destroyed) == 2);
  assert(mtx_trylock(&plain) == thrd_success);
  assert(mtx_trylock(&plain) == thrd_busy);
  mtx_unlock(&plain);
  cnd_signal(&ready);
  cnd_destroy(&ready);
  mtx_destroy(&recursive);
  mtx_destroy(&plain);
  tss_delete(own);
  return 0;
}
