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

static const char *at(struct pen *p) {
  static _Thread_local char text[40];
  struct point now = pen_at(p);
  snprintf(text, sizeof text, "(%d, %g)", now.x, now.y);
  return text;
}

static const char *lift(struct pen *p) {
  static _Thread_local char text[40];
  int x;
  if (!pen_lift(p, &x))
    return "no";
  snprintf(text, sizeof text, "at %d", x);
  return text;
}

FL_OP(const char *, at)
FL_OP(const char *, lift)
