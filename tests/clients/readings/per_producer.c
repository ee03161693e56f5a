/*
 * A queue of queues, one for each producer, as those of message systems: what
 * one thread adds comes out in the order in which it was added, and nothing is
 * said of elements of different threads.  In MIXED a producer whose own queue
 * is locked uses the next one, and its elements come out of order.
 *
 * RUN: test %s -- -DSTRICT
 * VERDICT: violation
 * RUN: test %s --threads 2 --ops 3
 * VERDICT: pass
 * RUN: explore %s --search=dpor \
 *     --client '{send(1); send(2)} || {send(3); receive()}; receive()'
 * VERDICT: pass
 * RUN: test %s -- -DMIXED
 * VERDICT: violation
 * OUTPUT: receive\(\) should return .* against FL_PER_PRODUCER
 */
#include <faultline.h>
#include <pthread.h>
#include <stddef.h>

enum { LANES = 3, PLACES = 12, EMPTY = -1 };

struct lane {
  pthread_mutex_t lock;
  int at[PLACES], first, end;
};

static struct lane lanes[LANES];
static int threads;

static void begin(void) {
  for (int i = 0; i < LANES; i++)
    pthread_mutex_init(&lanes[i].lock, NULL);
}

static void *enter(void *object) {
  (void)object;
  return &lanes[threads++ % LANES];
}

static void send(int value) {
  struct lane *own = fl_thread();
#ifdef MIXED
  while (pthread_mutex_trylock(&own->lock))
    own = own == &lanes[LANES - 1] ? lanes : own + 1;
#else
  pthread_mutex_lock(&own->lock);
#endif
  own->at[own->end++] = value;
  pthread_mutex_unlock(&own->lock);
}

static int take(struct lane *l) {
  return l->first < l->end ? l->at[l->first++] : EMPTY;
}

static int receive(void) {
  int value = EMPTY;
  for (int i = 0; i < LANES; i++)
    pthread_mutex_lock(&lanes[i].lock);
  for (int i = 0; i < LANES && value == EMPTY; i++)
    value = take(&lanes[i]);
  for (int i = 0; i < LANES; i++)
    pthread_mutex_unlock(&lanes[i].lock);
  return value;
}

FL_OBJECT(lanes, begin, NULL)
FL_THREAD(enter, NULL)
FL_OP(void, send, FL_DATA(1, 3))
#ifdef STRICT
FL_OP(int, receive)
#else
FL_OP(int, receive, FL_PER_PRODUCER)
#endif
FL_SPEC(queue, enqueue = send, dequeue = receive, empty = -1)
