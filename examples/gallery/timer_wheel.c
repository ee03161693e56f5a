/*
 * A timer wheel: timers hang in the slot of the tick at which they fire.
 * cancel() promises, if it returns true, that the timer will not fire.
 *
 * Wrong: cancel() looks without the lock whether the timer is armed, since
 * "that is just a flag", and does not look again with it.  tick() can fire the
 * timer in between; the caller frees what the callback is about to use.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: armed
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SLOTS = 4, TIMERS = 2 };

struct timer {
  atomic_bool armed;
  struct timer *next, **link;
};

struct wheel {
  pthread_mutex_t lock;
  unsigned now;
  struct timer *slots[SLOTS];
  struct timer timers[TIMERS];
};

static struct wheel *wheel_new(void) {
  struct wheel *w = calloc(1, sizeof *w);
  pthread_mutex_init(&w->lock, NULL);
  return w;
}

static void unlink_timer(struct timer *t) {
  *t->link = t->next;
  if (t->next)
    t->next->link = t->link;
  atomic_store(&t->armed, false);
}

static bool arm(struct wheel *w, int id, int delay) {
  struct timer *t = &w->timers[id];
  pthread_mutex_lock(&w->lock);
  bool fresh = !atomic_load(&t->armed);
  if (fresh) {
    struct timer **slot = &w->slots[(w->now + (unsigned)delay) % SLOTS];
    t->next = *slot;
    if (t->next)
      t->next->link = &t->next;
    t->link = slot;
    *slot = t;
    atomic_store(&t->armed, true);
  }
  pthread_mutex_unlock(&w->lock);
  return fresh;
}

static bool cancel(struct wheel *w, int id) {
  struct timer *t = &w->timers[id];
#ifdef WRONG
  if (!atomic_load(&t->armed)) /* armed */
    return false;
  pthread_mutex_lock(&w->lock);
  unlink_timer(t);
  pthread_mutex_unlock(&w->lock);
  return true;
#else
  pthread_mutex_lock(&w->lock);
  bool was = atomic_load(&t->armed);
  if (was)
    unlink_timer(t);
  pthread_mutex_unlock(&w->lock);
  return was;
#endif
}

/* The timers that fire, a bit for each. */
static int tick(struct wheel *w) {
  int fired = 0;
  pthread_mutex_lock(&w->lock);
  struct timer **slot = &w->slots[++w->now % SLOTS];
  while (*slot) {
    fired |= 1 << (*slot - w->timers);
    unlink_timer(*slot);
  }
  pthread_mutex_unlock(&w->lock);
  return fired;
}

FL_OBJECT(wheel, wheel_new, free)
FL_OP(bool, arm, FL_INT(0, 1), FL_INT(1, 2))
FL_OP(bool, cancel, FL_INT(0, 1))
FL_OP(int, tick)
