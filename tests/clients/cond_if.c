/*
 * A consumer that waits with `if` where it needs `while`: when another one
 * takes the value between the signal and its wake-up, both return it.  The
 * condition variable is made by pthread_cond_init.
 *
 * RUN: %s --client '{take()} || {take()} || {put(1)}'
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * NOOUTPUT: To make them atomic
 * RUN: %s --client '{take()} || {put(1)}' -- -DCORRECT
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{take()} || {take()} || {put(1)}' -- -DCORRECT
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>
#include <stdlib.h>

struct buffer {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  int count;
  int value;
};

static struct buffer *buffer_new(void) {
  struct buffer *b = calloc(1, sizeof *b);
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->filled, NULL);
  return b;
}

static void buffer_free(struct buffer *b) {
  pthread_cond_destroy(&b->filled);
  pthread_mutex_destroy(&b->lock);
  free(b);
}

static void put(struct buffer *b, int v) {
  pthread_mutex_lock(&b->lock);
  b->value = v;
  b->count++;
  pthread_cond_signal(&b->filled);
  pthread_mutex_unlock(&b->lock);
}

static int take(struct buffer *b) {
  pthread_mutex_lock(&b->lock);
#ifdef CORRECT
  while (b->count == 0)
    pthread_cond_wait(&b->filled, &b->lock);
#else
  if (b->count == 0)
    pthread_cond_wait(&b->filled, &b->lock);
#endif
  b->count--;
  int v = b->value;
  pthread_mutex_unlock(&b->lock);
  return v;
}

FL_OBJECT(buffer, buffer_new, buffer_free)
FL_OP(void, put, FL_INT(1, 2))
FL_OP(int, take, FL_BLOCKING)
