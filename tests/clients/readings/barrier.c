/*
 * A barrier for two.  STALE never forgets who has arrived, so a third thread
 * goes through alone, and in LOST the last one does not wake the others.
 *
 * RUN: test %s --threads 3 --ops 2
 * VERDICT: pass
 * RUN: explore %s --search=dpor --client '{arrive()} || {arrive()}'
 * VERDICT: pass
 * RUN: test %s -- -DSTALE
 * VERDICT: violation
 * OUTPUT: arrive\(\) should wait
 * RUN: test %s -- -DLOST
 * EXIT: 1
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int arrived, round_;

static bool arrive(void) {
  pthread_mutex_lock(&lock);
  int mine = round_;
  bool last = ++arrived == 2;
#ifdef STALE
  last = arrived >= 2;
  if (last)
    round_++;
#else
  if (last) {
    arrived = 0;
    round_++;
  }
#endif
#ifndef LOST
  if (last)
    pthread_cond_broadcast(&changed);
#endif
  while (mine == round_)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return last;
}

FL_OBJECT(barrier)
FL_OP(bool, arrive, FL_BLOCKING)
FL_SPEC(barrier, wait = arrive, parties = 2, leader = true, ok = false)
