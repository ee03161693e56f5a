/*
 * The object under test.  It knows nothing of Faultline.
 *
 * With -DBROKEN, stack_pop() looks at the top, lets go of the lock, and takes
 * what it saw: `make broken` shows what Faultline has to say about that.
 */
#include "stack.h"

#include <pthread.h>
#include <stdlib.h>

struct stack {
  pthread_mutex_t lock;
  int top; /* how many there are */
  int values[STACK_SIZE];
};

struct stack *stack_new(void) {
  struct stack *s = calloc(1, sizeof *s);
  if (s)
    pthread_mutex_init(&s->lock, NULL);
  return s;
}

void stack_free(struct stack *s) {
  pthread_mutex_destroy(&s->lock);
  free(s);
}

bool stack_push(struct stack *s, int value) {
  pthread_mutex_lock(&s->lock);
  bool fits = s->top < STACK_SIZE;
  if (fits)
    s->values[s->top++] = value;
  pthread_mutex_unlock(&s->lock);
  return fits;
}

int stack_pop(struct stack *s) {
  int value = STACK_EMPTY;
  pthread_mutex_lock(&s->lock);
  int top = s->top;
#ifdef BROKEN
  pthread_mutex_unlock(&s->lock);
  pthread_mutex_lock(&s->lock);
#endif
  if (top > 0) {
    s->top = top - 1;
    value = s->values[top - 1];
  }
  pthread_mutex_unlock(&s->lock);
  return value;
}
