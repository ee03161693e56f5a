/*
 * A function that looks may use memory of its own, and may crash; it must not
 * write to the object's, nor lock.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DWRITES
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: of FL_ALWAYS: it writes to memory of the object
 * RUN: %s -- -DLOCKS
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: of FL_ALWAYS: it writes to memory of the object
 * RUN: %s -- -DCRASHES
 * EXIT: 1
 * FAULT: invariant
 * OUTPUT: of FL_ALWAYS: invalid memory access \(SIGSEGV\)
 */
#include <faultline.h>
#include <mutex>
#include <vector>

struct list {
  std::mutex lock;
  std::vector<int> items;
  int looked = 0;
  int *last = &looked;
};

static list *make() { return new list; }
static void drop(list *l) { delete l; }
static int add(list *l, int value) {
  std::lock_guard<std::mutex> own(l->lock);
  l->items.push_back(value);
#ifdef CRASHES
  l->last = l->items.size() > 1 ? nullptr : &l->looked;
#endif
  return static_cast<int>(l->items.size());
}

static bool few(list *l) {
#ifdef WRITES
  l->looked++;
#endif
#ifdef LOCKS
  std::lock_guard<std::mutex> own(l->lock);
#endif
  std::vector<int> copy = l->items;
  return copy.size() < 100 && *l->last >= 0;
}

FL_OBJECT(list, make, drop)
FL_OP(int, add, FL_INT(1, 2))
FL_ALWAYS(few)
