/*
 * The two programs after Theorem 2 of "On atomicity in presence of non-atomic
 * writes": TSO-serializable, though the left one is not robust and the right
 * one not SC-serializable.  What is outside of the marked blocks is a
 * transaction access by access.
 *
 * And the left one with a fence at the end of each transaction: Theorem 3.
 *
 * RUN: atomicity %s --client '{left1()} || {left2()}' --memory-model=tso
 * EXIT: 0
 * ANSWERS: yes yes no
 * OUTPUT: cycle of program order and memory conflicts
 * RUN: atomicity %s --client '{right1()} || {right2()}' --memory-model=tso
 * EXIT: 0
 * ANSWERS: no yes yes
 * RUN: atomicity %s --client '{right1()} || {right2()}'
 * EXIT: 1
 * ANSWERS: no yes yes
 * RUN: atomicity %s --client '{fenced1()} || {fenced2()}' --memory-model=tso
 * EXIT: 0
 * ANSWERS: yes yes yes
 * RUN: atomicity %s --client '{early1()} || {early2()}' --memory-model=tso
 * EXIT: 1
 * ANSWERS: yes no no
 * OUTPUT: TSO-serializable  no: all transactions end with a fence
 * NOOUTPUT: under TSO
 * RUN: atomicity %s --client '{early1()} || {early2()}' --memory-model=tso \
 *     --no-reduction
 * EXIT: 1
 * ANSWERS: yes no no
 * OUTPUT: under TSO
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x, y;

#define GET(P) atomic_load_explicit(&(P), memory_order_relaxed)
#define SET(P, V) atomic_store_explicit(&(P), V, memory_order_relaxed)
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#define ATOMIC(...)                                                            \
  FL_ATOMIC_BEGIN;                                                             \
  __VA_ARGS__;                                                                 \
  FL_ATOMIC_END

static int left1(void) {
  ATOMIC(SET(x, 1));
  ATOMIC(int r = GET(y));
  return r;
}
static int left2(void) {
  ATOMIC(SET(y, 1));
  ATOMIC(int r = GET(x));
  return r;
}

static int right1(void) {
  SET(x, 1);
  return GET(y);
}
static int right2(void) {
  ATOMIC(int r = GET(x); SET(y, 1));
  return r;
}

static int fenced1(void) {
  ATOMIC(SET(x, 1); FENCE);
  ATOMIC(int r = GET(y); FENCE);
  return r;
}
static int fenced2(void) {
  ATOMIC(SET(y, 1); FENCE);
  ATOMIC(int r = GET(x); FENCE);
  return r;
}

/* A read is before the fence: transaction-fenced, SC-serializable, and not
 * robust. */
static int early1(void) {
  ATOMIC(SET(x, 1); int r = GET(y); FENCE);
  return r;
}
static int early2(void) {
  ATOMIC(SET(y, 1); FENCE);
  ATOMIC(int r = GET(x); FENCE);
  return r;
}

FL_OBJECT(theorem2)
FL_OP(int, left1)
FL_OP(int, left2)
FL_OP(int, right1)
FL_OP(int, right2)
FL_OP(int, fenced1)
FL_OP(int, fenced2)
FL_OP(int, early1)
FL_OP(int, early2)
