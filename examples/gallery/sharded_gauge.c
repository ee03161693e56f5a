/*
 * The number of requests under way, in one counter for each core so that they
 * do not fight over a cache line.  A request may end on another core than it
 * began.
 *
 * Wrong: the sum is made shard by shard.  It can see the end of a request in
 * one shard and miss its beginning in another: a gauge that shows -1. (Counters
 * that only grow by one are right this way; gauges are not.)
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: sum
 */
#include <faultline.h>
#include <pthread.h>

enum { SHARDS = 2 };

static struct {
  pthread_mutex_t lock;
  int count;
} shards[SHARDS] = {{PTHREAD_MUTEX_INITIALIZER, 0},
                    {PTHREAD_MUTEX_INITIALIZER, 0}};

static void add(int shard, int n) {
  pthread_mutex_lock(&shards[shard].lock);
  shards[shard].count += n;
  pthread_mutex_unlock(&shards[shard].lock);
}

static void begin(int core) { add(core, 1); }
static void end(int core) { add(core, -1); }

static int under_way(void) {
  int sum = 0;
#ifdef WRONG
  for (int i = 0; i < SHARDS; i++) {
    pthread_mutex_lock(&shards[i].lock);
    sum += shards[i].count; /* sum */
    pthread_mutex_unlock(&shards[i].lock);
  }
#else
  for (int i = 0; i < SHARDS; i++)
    pthread_mutex_lock(&shards[i].lock);
  for (int i = 0; i < SHARDS; i++)
    sum += shards[i].count;
  for (int i = SHARDS; i-- > 0;)
    pthread_mutex_unlock(&shards[i].lock);
#endif
  return sum;
}

FL_OBJECT(gauge)
FL_OP(void, begin, FL_INT(0, 1))
FL_OP(void, end, FL_INT(0, 1))
FL_OP(int, under_way)
