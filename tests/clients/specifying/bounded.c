/*
 * A queue of two slots that says when it is full, and one that waits then.
 * BUG=1 looks whether there is room before it has the lock.
 *
 * RUN: %s --no-save --max-executions 3000 -- -DBUG=0
 * EXIT: 0
 * RUN: %s --no-save -- -DBUG=1
 * EXIT: 1
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct ring {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int first, n, at[2];
};

static struct ring *ring_new(void) {
  struct ring *r = calloc(1, sizeof *r);
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->changed, NULL);
  return r;
}

static void add(struct ring *r, int v) {
  r->at[(r->first + r->n++) % 2] = v;
  pthread_cond_broadcast(&r->changed);
}

static bool try_put(struct ring *r, int v) {
#if BUG == 1
  if (r->n == 2)
    return false;
#endif
  pthread_mutex_lock(&r->lock);
  bool room = BUG == 1 || r->n < 2;
  if (room)
    add(r, v);
  pthread_mutex_unlock(&r->lock);
  return room;
}

static void put(struct ring *r, int v) {
  pthread_mutex_lock(&r->lock);
  while (r->n == 2)
    pthread_cond_wait(&r->changed, &r->lock);
  add(r, v);
  pthread_mutex_unlock(&r->lock);
}

static int try_get(struct ring *r) {
  pthread_mutex_lock(&r->lock);
  int v = -1;
  if (r->n) {
    v = r->at[r->first];
    r->first = (r->first + 1) % 2;
    r->n--;
    pthread_cond_broadcast(&r->changed);
  }
  pthread_mutex_unlock(&r->lock);
  return v;
}

FL_OBJECT(ring, ring_new, free)
FL_OP(bool, try_put, FL_DATA(1, 3))
FL_OP(void, put, FL_DATA(1, 3), FL_BLOCKING)
FL_OP(int, try_get)
FL_SPEC(queue, enqueue = try_put, enqueue = put, dequeue = try_get,
        capacity = 2, full = false, empty = -1)
