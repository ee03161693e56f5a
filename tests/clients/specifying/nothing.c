/*
 * Operations that return nothing: the end state is what can be wrong.  BUG=1
 * counts without the lock.
 *
 * RUN: %s --no-save --max-executions 3000 -- -DBUG=0
 * EXIT: 0
 * RUN: %s --no-save -- -DBUG=1
 * EXIT: 1
 * FAULT: invariant
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct account {
  pthread_mutex_t lock;
  int paid, owed;
};

static struct account *account_new(void) {
  struct account *a = calloc(1, sizeof *a);
  pthread_mutex_init(&a->lock, NULL);
  return a;
}

static void pay(struct account *a, int sum) {
  if (BUG != 1)
    pthread_mutex_lock(&a->lock);
  a->paid += sum;
  a->owed -= sum;
  if (BUG != 1)
    pthread_mutex_unlock(&a->lock);
}

FL_OBJECT(account, account_new, free)

static bool balanced(struct account *a) { return a->paid + a->owed == 0; }

FL_OP(void, pay, FL_INT(1, 2))
FL_INVARIANT(balanced)
