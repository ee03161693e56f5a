/*
 * A bit is cleared by a load and a store.  What is stored is computed from what
 * was read: an exchange would have to know it before.  In -DBRANCH the store is
 * behind a condition, and an exchange would store in any case: one thread alone
 * would see that, and so it is a compare-and-swap.
 *
 * RUN: %s --width=400
 * EXIT: 1
 * OUTPUT: replace the read of line 32 and the write of line 33 by atomic_fetch_and\(&map, ~\(1u << i\)\) \(tried: compiled and searched, no fault
 * NOOUTPUT: exchange
 * RUN: %s --width=400 -- -DBRANCH
 * EXIT: 1
 * OUTPUT: write with a compare-and-swap at line 29, atomic_compare_exchange_strong\(&map, &m, 0\), and begin again at line 26 when it fails \(tried: compiled and searched, no fault
 * NOOUTPUT: atomic_exchange
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_uint map;

static bool set(int i) { return !(atomic_fetch_or(&map, 1u << i) >> i & 1); }

static bool clear(int i) {
#ifdef BRANCH
  unsigned m = atomic_load(&map);
  if (m != 1u << i)
    return false;
  atomic_store(&map, 0);
  return true;
#else
  unsigned m = atomic_load(&map);
  atomic_store(&map, m & ~(1u << i));
  return m >> i & 1;
#endif
}

FL_OBJECT(bits)
FL_OP(bool, set, FL_INT(0, 1))
FL_OP(bool, clear, FL_INT(0, 1))
