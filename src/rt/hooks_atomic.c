/*
 * Atomic operations: the compilers hand them over completely, so we perform
 * them, in one step each, as plain C: no other thread runs meanwhile.
 */
#include "rt/access.h"
#include "rt/order.h"
#include "rt/park.h"
#include "rt/record.h"
#include "rt/reference_int.h"
#include "rt/writes.h"

#include <string.h>

typedef uint8_t a8;
typedef uint16_t a16;
typedef uint32_t a32;
typedef uint64_t a64;
typedef unsigned __int128 a128;

static inline __attribute__((always_inline)) bool
begin(enum event_kind kind, const volatile void *p, uint64_t size, int order,
      uint64_t pc) {
  if (UNLIKELY(!E.in_fiber)) {
    fl__reached(pc);
    if (E.reference)
      fl__reference_touch((uint64_t)(uintptr_t)p, size, event_writes[kind], pc);
    return false;
  }
  uint64_t addr = (uint64_t)(uintptr_t)p;
  if (LIKELY(addr - E.data_lo < E.data_span) || fl__visible(addr, size)) {
    E.self->order = (uint8_t)order;
    point(kind, p, size, pc);
    return true;
  }
  if (UNLIKELY(E.ordering) && event_writes[kind])
    fl__order_hidden(addr, size);
  fl__quiet(pc);
  return false;
}

/* The step is made by the rules of C11. */
static inline __attribute__((always_inline)) bool weak(bool step) {
  return UNLIKELY(E.options.c11) && step;
}
#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))

static inline void saw(enum event_kind kind, const void *old, const void *new,
                       uint64_t size) {
  if (UNLIKELY(E.recording))
    fl__saw(kind, old, new, size);
}

#define LOAD_STORE(bits)                                                       \
  FL_HOT a##bits __tsan_atomic##bits##_load(const volatile a##bits *p,         \
                                            int order) {                       \
    if (weak(begin(EV_ATOMIC_READ, p, bits / 8, order, CALLER_PC))) {          \
      a##bits v;                                                               \
      fl__c11_load(ADDRESS(p), sizeof v, order, &v);                           \
      saw(EV_ATOMIC_READ, &v, &v, sizeof v);                                   \
      return v;                                                                \
    }                                                                          \
    return *p;                                                                 \
  }                                                                            \
  FL_HOT void __tsan_atomic##bits##_store(volatile a##bits *p, a##bits v,      \
                                          int order) {                         \
    if (weak(begin(EV_ATOMIC_WRITE, p, bits / 8, order, CALLER_PC))) {         \
      saw(EV_ATOMIC_WRITE, NULL, &v, sizeof v);                                \
      fl__c11_store(ADDRESS(p), sizeof v, order, &v);                          \
      return;                                                                  \
    }                                                                          \
    *p = v;                                                                    \
  }

#define RMW(bits, name, expression)                                            \
  FL_HOT a##bits __tsan_atomic##bits##_##name(volatile a##bits *p, a##bits v,  \
                                              int order) {                     \
    bool step = begin(EV_RMW, p, bits / 8, order, CALLER_PC);                  \
    a##bits old;                                                               \
    if (weak(step))                                                            \
      fl__c11_rmw_read(ADDRESS(p), sizeof old, order, &old);                   \
    else                                                                       \
      old = *p;                                                                \
    a##bits new = (a##bits)(expression);                                       \
    if (weak(step))                                                            \
      fl__c11_rmw_write(sizeof new, order, &new);                              \
    else                                                                       \
      *p = new;                                                                \
    if (step) {                                                                \
      if (old == new)                                                          \
        fl__silent();                                                          \
      saw(EV_RMW, &old, &new, sizeof old);                                     \
    }                                                                          \
    return old;                                                                \
  }

static inline bool may_fail(bool weak) {
  return weak && E.options.spurious_cas && fl__choose(2) == 1;
}

/* A CAS that fails is a read: it changes nothing. */
#define CAS(bits)                                                              \
  static inline __attribute__((always_inline)) bool cas##bits(                 \
      volatile a##bits *p, a##bits *expected, a##bits desired, int order,      \
      int fail_order, bool is_weak, uint64_t pc) {                             \
    if (LIKELY(E.in_fiber))                                                    \
      E.self->fail_order = (uint8_t)fail_order;                                \
    bool step = begin(EV_CAS, p, bits / 8, order, pc);                         \
    a##bits old = *expected;                                                   \
    bool ok;                                                                   \
    if (weak(step)) {                                                          \
      ok = fl__c11_cas(ADDRESS(p), sizeof old, order, fail_order,              \
                       is_weak && E.options.spurious_cas, &old, &desired);     \
    } else {                                                                   \
      old = *p;                                                                \
      ok = old == *expected && !(step && may_fail(is_weak));                   \
      if (ok)                                                                  \
        *p = desired;                                                          \
    }                                                                          \
    if (step) {                                                                \
      E.self->failed = !ok;                                                    \
      E.self->expected = (uint64_t)*expected;                                  \
      if (!ok || old == desired)                                               \
        fl__silent();                                                          \
      saw(ok ? EV_CAS : EV_CAS_FAIL, &old, ok ? &desired : &old, sizeof old);  \
    }                                                                          \
    if (!ok)                                                                   \
      *expected = old;                                                         \
    return ok;                                                                 \
  }                                                                            \
  FL_HOT int __tsan_atomic##bits##_compare_exchange_strong(                    \
      volatile a##bits *p, a##bits *expected, a##bits desired, int order,      \
      int fail_order) {                                                        \
    return cas##bits(p, expected, desired, order, fail_order, false,           \
                     CALLER_PC);                                               \
  }                                                                            \
  FL_HOT int __tsan_atomic##bits##_compare_exchange_weak(                      \
      volatile a##bits *p, a##bits *expected, a##bits desired, int order,      \
      int fail_order) {                                                        \
    return cas##bits(p, expected, desired, order, fail_order, true,            \
                     CALLER_PC);                                               \
  }                                                                            \
  FL_HOT a##bits __tsan_atomic##bits##_compare_exchange_val(                   \
      volatile a##bits *p, a##bits expected, a##bits desired, int order,       \
      int fail_order) {                                                        \
    cas##bits(p, &expected, desired, order, fail_order, false, CALLER_PC);     \
    return expected;                                                           \
  }

#define ATOMICS(bits)                                                          \
  LOAD_STORE(bits)                                                             \
  RMW(bits, exchange, v)                                                       \
  RMW(bits, fetch_add, old + v)                                                \
  RMW(bits, fetch_sub, old - v)                                                \
  RMW(bits, fetch_and, old &v)                                                 \
  RMW(bits, fetch_or, old | v)                                                 \
  RMW(bits, fetch_xor, old ^ v)                                                \
  RMW(bits, fetch_nand, ~(old & v))                                            \
  CAS(bits)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
ATOMICS(128)

/* Under SC a fence orders nothing that is not ordered already, and no other
 * thread can see it: recorded, but not a step.  Under TSO that holds for all
 * but the sequentially consistent one (mfence).  Under C11 a fence changes its
 * thread's views, and has no choice. */
void __tsan_atomic_thread_fence(int order) {
  if (!E.in_fiber)
    return;
  E.self->order = (uint8_t)order;
  if (UNLIKELY(E.ordering))
    fl__order_fence(order);
  if (UNLIKELY(E.options.c11))
    fl__c11_fence(order);
  if (UNLIKELY(E.options.tso) && order == __ATOMIC_SEQ_CST)
    point(EV_FENCE, NULL, 0, CALLER_PC);
  else if (E.recording)
    fl__record_simple(EV_FENCE, NULL, 0, CALLER_PC);
}

void __tsan_atomic_signal_fence(int order) { (void)order; }
