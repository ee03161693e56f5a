/*
 * Results that are no single number: an output parameter, a struct, a floating
 * number, what an iteration shows.  BUG=1 moves without the lock.
 *
 * RUN: %s --no-save --max-executions 3000 -- -DBUG=0
 * EXIT: 0
 * RUN: %s --no-save --ops 1 --init 1 -- -DBUG=1
 * EXIT: 1
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct point {
  int x;
  double y;
};
struct pen {
  pthread_mutex_t lock;
  bool down;
  struct point at;
};

static struct pen *pen_new(void) {
  struct pen *p = calloc(1, sizeof *p);
  pthread_mutex_init(&p->lock, NULL);
  return p;
}

static void move(struct pen *p, int by) {
  if (BUG != 1)
    pthread_mutex_lock(&p->lock);
  p->down = true;
  p->at.x += by;
  p->at.y += by * 0.5;
  if (BUG != 1)
    pthread_mutex_unlock(&p->lock);
}

static struct point pen_at(struct pen *p) {
  pthread_mutex_lock(&p->lock);
  struct point at = p->at;
  pthread_mutex_unlock(&p->lock);
  return at;
}

static bool pen_lift(struct pen *p, int *x) {
  pthread_mutex_lock(&p->lock);
  bool was = p->down;
  if (was)
    *x = p->at.x;
  p->down = false;
  pthread_mutex_unlock(&p->lock);
  return was;
}

FL_OBJECT(pen, pen_new, free)
FL_OP(void, move, FL_INT(1, 2))

static void print(const struct point *p, char *text, size_t size) {
  snprintf(text, size, "(%d, %g)", p->x, p->y);
}

FL_OP(struct point, pen_at, FL_RESULT(print))
FL_OP(bool, pen_lift, FL_OUT(int))
