/*
 * What cannot be modelled makes the run inconclusive when it is reached, with
 * its line: neither a pass nor a violation.
 *
 * OPT: -O0 -O2
 * RUN: %s -- -DHOW=1
 * EXIT: 3
 * FAULT: not-modelled
 * OUTPUT: refused.c:26:3: inconclusive: .*the instruction 'rdrand' is not
 * RUN: %s -- -DHOW=2
 * EXIT: 3
 * FAULT: not-modelled
 * OUTPUT: refused.c:29:3: inconclusive: .*'fistp' touches shared memory
 * RUN: %s -- -DHOW=3
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

static long n;

static int next(void) {
  int r = 0;
  long mine;
#if HOW == 1
  __asm__ volatile("rdrand %0" : "=r"(r));
  r = 0;
#elif HOW == 2
  __asm__ volatile("fld1; fistpq %0" : "=m"(n));
#else
  if (r) /* never reached */
    __asm__ volatile("rdrand %0" : "=r"(r));
  __asm__ volatile("fld1; fistpq %0" : "=m"(mine)); /* nobody else's */
  r = (int)mine;
#endif
  (void)mine;
  __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST);
  return r;
}

FL_OBJECT(counter)
FL_OP(int, next)
