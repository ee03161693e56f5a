/*
 * A lock whose waiters pause for longer and longer: the length of a pause makes
 * no more states, and takes no time.
 *
 * RUN: %s --client '{increment()} || {increment()} || {increment()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{sleepy()} || {sleepy()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{named()} || {named()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int locked;
static int counter;

static int count(void) {
  int before = counter++;
  atomic_store(&locked, 0);
  return before;
}

static int increment(void) {
  for (unsigned long wait = 0; atomic_exchange(&locked, 1);) {
    wait = wait * 8 + 7;
    for (unsigned long i = wait & 0xfffffff; i; i--)
      __asm__ volatile("pause");
  }
  return count();
}

static int sleepy(void) {
  unsigned tries = 0, wait = 1;
  while (atomic_exchange(&locked, 1)) {
    if (++tries < 8)
      sched_yield();
    else
      usleep(wait *= 2);
  }
  return count();
}

struct backoff {
  int rounds;
};
__attribute__((noinline)) static void rest(struct backoff *b) {
  for (volatile int i = 0; i < b->rounds; i++)
    ;
  b->rounds = b->rounds * 2 + 1;
}
static int named(void) {
  struct backoff b = {1};
  while (atomic_exchange(&locked, 1))
    rest(&b);
  return count();
}

FL_OBJECT(counter)
FL_OP(int, increment)
FL_OP(int, sleepy)
FL_OP(int, named)
FL_BACKOFF(rest)
