/*
 * Two locks taken in both orders.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: deadlock
 * CLIENT: give\(\).*take\(\)|take\(\).*give\(\)
 * RUN: %s --client '{give(); give()} || {give()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int left = 5;
static int right;

static void give(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  left--;
  right++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
}

static void take(void) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  right--;
  left++;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
}

FL_OBJECT(accounts)
FL_OP(void, give)
FL_OP(void, take)
