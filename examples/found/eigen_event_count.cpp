/*
 * Eigen::EventCount (3.4.0), used as its header says: tokens are put with
 * Notify(false), and who finds none waits.
 *
 * Faultline: a lost wake-up; a thread sleeps for ever beside a token.
 * Notify() hands its signal to a thread that has called Prewait() and is
 * about to call CancelWait(), which drops it. The thread that sleeps in
 * CommitWait() is not woken.
 *
 * PACKAGE: libeigen3-dev
 * RUN: %s --threads 3 -- -std=c++17 -I/usr/include/eigen3
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: get[01]\(\) waits for ever
 */
#include <faultline.h>

#include <unsupported/Eigen/CXX11/ThreadPool>

struct tokens {
  Eigen::MaxSizeVector<Eigen::EventCount::Waiter> waiters;
  Eigen::EventCount event;
  std::atomic<int> n{0};
  tokens() : waiters(2), event((waiters.resize(2), waiters)) {}
};
static tokens *make() { return new tokens; }
static void drop(tokens *t) { delete t; }

static bool take(tokens *t) {
  int n = t->n.load();
  while (n > 0)
    if (t->n.compare_exchange_weak(n, n - 1))
      return true;
  return false;
}
static void put(tokens *t) {
  t->n.fetch_add(1);
  t->event.Notify(false);
}
static void get(tokens *t, int me) {
  while (!take(t)) {
    t->event.Prewait();
    if (take(t)) {
      t->event.CancelWait();
      return;
    }
    t->event.CommitWait(&t->waiters[me]);
  }
}
static void get0(tokens *t) { get(t, 0); }
static void get1(tokens *t) { get(t, 1); }

FL_OBJECT(tokens, make, drop)
FL_OP(void, put)
FL_OP(void, get0, FL_GROUP("0"), FL_BLOCKING)
FL_OP(void, get1, FL_GROUP("1"), FL_BLOCKING)
