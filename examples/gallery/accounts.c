/*
 * Accounts with a lock each; a transfer needs two of them.
 *
 * Wrong: the locks are taken in the order of the arguments.  A transfer from A
 * to B and one from B to A each hold one lock and wait for the other.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: deadlock
 * BLAME: second
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>

enum { ACCOUNTS = 2 };

static struct account {
  pthread_mutex_t lock;
  int balance;
} accounts[ACCOUNTS] = {{PTHREAD_MUTEX_INITIALIZER, 1},
                        {PTHREAD_MUTEX_INITIALIZER, 1}};

static void lock_both(int a, int b) {
#ifndef WRONG
  if (a > b) { /* always the lower one first */
    int t = a;
    a = b;
    b = t;
  }
#endif
  pthread_mutex_lock(&accounts[a].lock);
  pthread_mutex_lock(&accounts[b].lock); /* second */
}

static void unlock_both(int a, int b) {
  pthread_mutex_unlock(&accounts[a].lock);
  pthread_mutex_unlock(&accounts[b].lock);
}

/* Moves 1, if it is there. */
static bool transfer(int from) {
  int to = 1 - from;
  lock_both(from, to);
  bool enough = accounts[from].balance > 0;
  if (enough) {
    accounts[from].balance--;
    accounts[to].balance++;
  }
  unlock_both(from, to);
  return enough;
}

static int balance(int which) {
  pthread_mutex_lock(&accounts[which].lock);
  int b = accounts[which].balance;
  pthread_mutex_unlock(&accounts[which].lock);
  return b;
}

static bool nothing_lost(void) {
  return accounts[0].balance + accounts[1].balance == ACCOUNTS;
}

FL_OBJECT(accounts)
FL_OP(bool, transfer, FL_INT(0, 1))
FL_OP(int, balance, FL_INT(0, 1))
FL_INVARIANT(nothing_lost)
