/*
 * FL_EXPECT_FAULT turns the exit status round.
 *
 * RUN: %s
 * EXIT: 0
 * RUN: %s -- -DCORRECT
 * EXIT: 1
 */
#include <faultline.h>

static int counter;

static int next(void) {
#ifdef CORRECT
  return __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
#else
  return counter++;
#endif
}

FL_OBJECT(counter)
FL_OP(int, next)
FL_EXPECT_FAULT
