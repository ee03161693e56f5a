/*
 * A program may start as many threads as it likes when it joins them: the bound
 * of the engine is on those that were not joined.  The fault is in the 36th.
 *
 * RUN: explore %s
 * EXIT: 1
 * FAULT: crash
 * RUN: explore %s --search=dpor
 * EXIT: 1
 * FAULT: crash
 * RUN: explore %s --memory-model=tso
 * EXIT: 1
 * FAULT: crash
 *
 * By threads of threads, which nobody else joins:
 *
 * RUN: explore %s -- -DNESTED
 * EXIT: 1
 * FAULT: crash
 *
 * 31 that wait for ever are a deadlock; a 32nd one is too many.
 *
 * RUN: explore %s --spurious-wakeups=off -- -DALIVE=31
 * EXIT: 1
 * FAULT: deadlock
 * RUN: explore %s -- -DALIVE=32
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: pthread_create\(\) of more than 32 threads
 * RUN: explore %s --spurious-wakeups=off --memory-model=tso -- -DALIVE=15
 * EXIT: 1
 * FAULT: deadlock
 * RUN: explore %s --spurious-wakeups=off --memory-model=tso -- -DALIVE=16
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: pthread_create\(\) of more than 16 threads under TSO
 *
 * A lock that a thread has taken with it does not become another's.
 *
 * RUN: explore %s -- -DKEEPS
 * EXIT: 1
 * FAULT: deadlock
 */
#include <pthread.h>
#include <semaphore.h>

#if defined(ALIVE)

static sem_t never;

static void *body(void *arg) {
  sem_wait(&never);
  return arg;
}

int main(void) {
  pthread_t t[ALIVE];
  sem_init(&never, 0, 0);
  for (int i = 0; i < ALIVE; i++)
    pthread_create(&t[i], 0, body, 0);
  for (int i = 0; i < ALIVE; i++)
    pthread_join(t[i], 0);
  return 0;
}

#elif defined(KEEPS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg) {
  if (arg)
    pthread_mutex_lock(&lock);
  return arg;
}

int main(void) {
  pthread_t t;
  for (long i = 0; i < 70; i++) {
    pthread_create(&t, 0, body, (void *)(long)(i % 32 == 0));
    pthread_join(t, 0);
  }
  return 0;
}

#else

static volatile int bug;

static void *body(void *arg) {
  if ((long)arg == 35)
    bug = 1;
  return 0;
}

static void run(long n) {
  pthread_t t;
  pthread_create(&t, 0, body, (void *)n);
  pthread_join(t, 0);
}

static void *two(void *arg) {
  run((long)arg);
  run((long)arg + 1);
  return 0;
}

int main(void) {
#ifdef NESTED
  pthread_t t;
  for (long i = 0; i < 40; i += 2) {
    pthread_create(&t, 0, two, (void *)i);
    pthread_join(t, 0);
  }
#else
  for (long i = 0; i < 40; i++)
    run(i);
#endif
  if (bug)
    __builtin_trap();
  return (int)(long)two == 0;
}

#endif
