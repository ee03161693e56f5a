/*
 * A bounded ring with a count that is looked at before the lock is taken.
 * The critical sections are to be widened; -DFIXED has them so.
 *
 * RUN: %s --width=400
 * VERDICT: violation
 * KIND: check-then-act
 * OUTPUT: ring_put\(\) checks .* at line 44 and acts on it at line 50: .* lines 44-50 in ring_put
 * OUTPUT: take pthread_mutex_lock\(&r->lock\) of line 46 before line 44 .*tried
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define CAP 2
struct ring {
  pthread_mutex_t lock;
  int count, head, tail;
  int slots[CAP];
};

static struct ring *ring_new(void) {
  struct ring *r = calloc(1, sizeof *r);
  pthread_mutex_init(&r->lock, NULL);
  return r;
}
static void ring_free(struct ring *r) {
  pthread_mutex_destroy(&r->lock);
  free(r);
}

static bool ring_put(struct ring *r, int v) {
#ifdef FIXED
  pthread_mutex_lock(&r->lock);
  if (r->count == CAP) {
    pthread_mutex_unlock(&r->lock);
    return false;
  }
#else
  if (r->count == CAP)
    return false;
  pthread_mutex_lock(&r->lock);
#endif
  r->slots[r->tail] = v;
  r->tail = (r->tail + 1) % CAP;
  r->count++;
  pthread_mutex_unlock(&r->lock);
  return true;
}

static int ring_get(struct ring *r) {
  int v;
#ifdef FIXED
  pthread_mutex_lock(&r->lock);
  if (r->count == 0) {
    pthread_mutex_unlock(&r->lock);
    return -1;
  }
#else
  if (r->count == 0)
    return -1;
  pthread_mutex_lock(&r->lock);
#endif
  v = r->slots[r->head];
  r->head = (r->head + 1) % CAP;
  r->count--;
  pthread_mutex_unlock(&r->lock);
  return v;
}

FL_OBJECT(ring, ring_new, ring_free)
FL_OP(bool, ring_put, FL_INT(1, 3))
FL_OP(int, ring_get)
