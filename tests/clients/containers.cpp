/*
 * What library functions do to the object's memory is seen: the nodes of
 * std::list, walks through std::map, a sort.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --client '{add(1)} || {add(2)}; count()'
 * EXIT: 1
 * OUTCOMES: -,-,1 -,-,2
 * RUN: explore %s --client '{add(1)} || {add(2)}; count()' -- -DLOCK
 * EXIT: 0
 * OUTCOMES: -,-,2
 * RUN: explore %s --client '{order()} || {both()}; both()'
 * OUTCOMES: -,11,12 -,12,12 -,21,12 -,22,12
 * RUN: explore %s --client '{insert(3); insert(1); insert(2); sum()}'
 * OUTCOMES: -,-,-,6
 */
#include <faultline.h>

#include <cstdlib>
#include <list>
#include <map>
#include <mutex>

static std::mutex m;
static std::list<int> *l;
static std::map<int, int> *t;
static long v[2] = {2, 1};

static void make() {
  l = new std::list<int>;
  t = new std::map<int, int>;
}

static void add(int i) {
#ifdef LOCK
  std::lock_guard<std::mutex> g(m);
#endif
  l->push_back(i);
}

static int count() { /* not size(), which is a number of its own */
  int n = 0;
  for (auto i = l->begin(); i != l->end(); ++i)
    n++;
  return n;
}

static int up(const void *a, const void *b) {
  return *(const long *)a < *(const long *)b ? -1 : 1;
}
static void order() { qsort(v, 2, sizeof *v, up); }
static int both() {
  int first = (int)v[0];
  return 10 * first + (int)v[1];
}

static void insert(int i) { (*t)[i] = i; }
static int sum() { /* there and back */
  int n = 0;
  for (auto i = t->begin(); i != t->end(); ++i)
    n += i->second;
  for (auto i = t->end(); i != t->begin();)
    if ((--i)->second == 0)
      n = -1;
  return n;
}

FL_OBJECT(containers, make, NULL)
FL_OP(void, add, FL_INT(1, 2))
FL_OP(int, count)
FL_OP(void, order)
FL_OP(int, both)
FL_OP(void, insert, FL_INT(1, 5))
FL_OP(int, sum)
