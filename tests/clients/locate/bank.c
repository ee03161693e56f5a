/*
 * A transfer between two accounts that holds one lock after the other.  To
 * hold them together is right only in one order, as with -DFIXED.
 *
 * RUN: %s --width=400
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: transfer\(\) is not linearizable: lines 57-60 can
 * NOOUTPUT: To make them atomic
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct account {
  pthread_mutex_t lock;
  int balance;
};
struct bank {
  struct account acc[2];
};

static struct bank *bank_new(void) {
  struct bank *b = calloc(1, sizeof *b);
  for (int i = 0; i < 2; i++) {
    pthread_mutex_init(&b->acc[i].lock, NULL);
    b->acc[i].balance = 2;
  }
  return b;
}
static void bank_free(struct bank *b) { free(b); }

static bool transfer(struct bank *b, int from, int amount) {
  struct account *a = &b->acc[from], *c = &b->acc[1 - from];
#ifdef FIXED
  pthread_mutex_lock(&b->acc[0].lock);
  pthread_mutex_lock(&b->acc[1].lock);
  if (a->balance < amount) {
    pthread_mutex_unlock(&b->acc[1].lock);
    pthread_mutex_unlock(&b->acc[0].lock);
    return false;
  }
  a->balance -= amount;
  c->balance += amount;
  pthread_mutex_unlock(&b->acc[1].lock);
  pthread_mutex_unlock(&b->acc[0].lock);
#else
  pthread_mutex_lock(&a->lock);
  if (a->balance < amount) {
    pthread_mutex_unlock(&a->lock);
    return false;
  }
  a->balance -= amount;
  pthread_mutex_unlock(&a->lock);
  pthread_mutex_lock(&c->lock);
  c->balance += amount;
  pthread_mutex_unlock(&c->lock);
#endif
  return true;
}

static int total(struct bank *b) {
  int sum;
  pthread_mutex_lock(&b->acc[0].lock);
  pthread_mutex_lock(&b->acc[1].lock);
  sum = b->acc[0].balance + b->acc[1].balance;
  pthread_mutex_unlock(&b->acc[1].lock);
  pthread_mutex_unlock(&b->acc[0].lock);
  return sum;
}

FL_OBJECT(bank, bank_new, bank_free)
FL_OP(bool, transfer, FL_INT(0, 1), FL_INT(1, 2))
FL_OP(int, total)
