/*
 * A bounded buffer: producers wait while it is full, consumers while it is
 * empty.
 *
 * Wrong: `if` instead of `while` around the wait.  A spurious wake-up, and the
 * waiter takes what is not there.  A signal does the same if a third thread
 * takes the item before the waiter has the lock again.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: wait
 */
#include <faultline.h>
#include <pthread.h>
#include <stdlib.h>

enum { SIZE = 1 };

struct buffer {
  pthread_mutex_t lock;
  pthread_cond_t not_empty, not_full;
  unsigned count, first;
  int items[SIZE];
};

static struct buffer *buffer_new(void) {
  struct buffer *b = calloc(1, sizeof *b);
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->not_empty, NULL);
  pthread_cond_init(&b->not_full, NULL);
  return b;
}

static void put(struct buffer *b, int item) {
  pthread_mutex_lock(&b->lock);
  while (b->count == SIZE)
    pthread_cond_wait(&b->not_full, &b->lock);
  b->items[(b->first + b->count) % SIZE] = item;
  b->count++;
  pthread_cond_signal(&b->not_empty);
  pthread_mutex_unlock(&b->lock);
}

static int take(struct buffer *b) {
  pthread_mutex_lock(&b->lock);
#ifdef WRONG
  if (b->count == 0) /* wait */
#else
  while (b->count == 0)
#endif
    pthread_cond_wait(&b->not_empty, &b->lock);
  int item = b->items[b->first];
  b->first = (b->first + 1) % SIZE;
  b->count--;
  pthread_cond_signal(&b->not_full);
  pthread_mutex_unlock(&b->lock);
  return item;
}

FL_OBJECT(buffer, buffer_new, free)
FL_OP(void, put, FL_DATA(1, 3), FL_BLOCKING)
FL_OP(int, take, FL_BLOCKING)
