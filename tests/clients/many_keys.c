/*
 * As many keys as a system has, then EAGAIN; each has its own value, and one
 * that was deleted is free again.
 *
 * RUN: explore %s --client '{fill(); fill()} || {one()}'
 * EXIT: 0
 * OUTCOMES: 1023,1023,1 1024,1023,1 1024,1024,1
 */
#include <faultline.h>
#include <pthread.h>

static pthread_key_t key;
static _Atomic int made;

/* The keys that there are. */
static int fill(void) {
  static pthread_key_t all[2000];
  int n = 0;
  made++;
  while (n < 2000 && !pthread_key_create(&all[n], 0)) {
    pthread_setspecific(all[n], &all[n]);
    n++;
  }
  for (int i = 0; i < n; i++)
    if (pthread_getspecific(all[i]) != &all[i])
      return -1;
  for (int i = 0; i < n; i++)
    pthread_key_delete(all[i]);
  return n;
}

static int one(void) {
  made++;
  pthread_key_create(&key, 0);
  pthread_setspecific(key, &key);
  return pthread_getspecific(key) == &key;
}

FL_OBJECT(keys)
FL_OP(int, fill)
FL_OP(int, one)
