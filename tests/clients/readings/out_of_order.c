/*
 * A queue and a stack that may be out of order by one place: each thread has a
 * lane of its own, and removals look at the lanes in turn (as in k-FIFO queues
 * and the like).  With two lanes of one element each an element is passed by
 * one other at most.  The lanes of LATE have two places, so two may pass.
 *
 * RUN: test %s -- -DSTRICT
 * VERDICT: violation
 * OUTPUT: dequeue\(\) should return
 * RUN: test %s
 * VERDICT: pass
 * RUN: explore %s --search=dpor \
 *     --client 'enqueue(1); {enqueue(2)} || {dequeue()}; dequeue()'
 * VERDICT: pass
 * RUN: test %s -- -DSTACK
 * VERDICT: pass
 * RUN: test %s -- -DLATE
 * VERDICT: violation
 * OUTPUT: dequeue\(\) should return 1
 * OUTPUT: against FL_OUT_OF_ORDER\(1\)
 * RUN: test %s -- -DLOST
 * VERDICT: violation
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>

enum { LANES = 2, EMPTY = -1 };
#ifdef LATE
enum { PLACES = 2 };
#else
enum { PLACES = 1 };
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lanes[LANES][PLACES], count[LANES];

static bool enqueue(int value) {
  pthread_mutex_lock(&lock);
  int lane = count[0] < PLACES ? 0 : 1;
  bool room = count[lane] < PLACES;
  if (room)
    lanes[lane][count[lane]++] = value;
  pthread_mutex_unlock(&lock);
  return room;
}

static int dequeue(void) {
#ifdef LOST
  int full = count[1];
  pthread_mutex_lock(&lock);
  int lane = full ? 1 : 0;
#else
  pthread_mutex_lock(&lock);
  int lane = count[1] ? 1 : 0; /* the younger lane first */
#endif
  int value = count[lane] ? lanes[lane][0] : EMPTY;
  if (count[lane]) {
    count[lane]--;
    for (int i = 0; i < count[lane]; i++)
      lanes[lane][i] = lanes[lane][i + 1];
  }
  pthread_mutex_unlock(&lock);
  return value;
}

FL_OBJECT(lanes)
FL_OP(bool, enqueue, FL_DATA(1, 3))
#ifdef STRICT
FL_OP(int, dequeue)
#else
FL_OP(int, dequeue, FL_OUT_OF_ORDER(1))
#endif
#ifdef STACK
FL_SPEC(stack, push = enqueue, pop = dequeue, empty = -1, capacity = 2)
#elif defined LATE
FL_SPEC(queue, enqueue = enqueue, dequeue = dequeue, empty = -1, capacity = 4)
#else
FL_SPEC(queue, enqueue = enqueue, dequeue = dequeue, empty = -1, capacity = 2)
#endif
