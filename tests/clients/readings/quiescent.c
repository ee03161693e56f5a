/*
 * A counting network of width 2 (Aspnes, Herlihy, Shavit, J.ACM 41(5), 1994): a
 * balancer sends every other thread to the other counter.  A thread that was
 * sent to one of them and has not arrived leaves a gap: another one gets 2 or
 * 3, while a third, which begins later, gets 1.  That is not linearizable, but
 * when all is quiet no number is missing.  The balancer of RACY sends two
 * threads the same way.
 *
 * RUN: test %s --criterion=linearizability --threads 3 --ops 2
 * VERDICT: violation
 * OUTPUT: Why no order that real time allows explains them
 * OUTPUT: criterion linearizability \(FL_CRITERION says quiescent\)
 * RUN: test %s --threads 3 --ops 2 --max-executions 20000
 * VERDICT: pass
 * OUTPUT: criterion quiescent \(FL_CRITERION\)
 * RUN: explore %s --client '{next()} || {next(); next()} || {next()}' \
 *     --search=dpor
 * VERDICT: pass
 * RUN: test %s -- -DRACY
 * VERDICT: violation
 * OUTPUT: Why no order that quiescent consistency allows explains them
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int toggle, counts[2];

static int next(void) {
#ifdef RACY
  int side = atomic_load(&toggle);
  atomic_store(&toggle, !side);
#else
  int side = atomic_fetch_xor(&toggle, 1);
#endif
  return 2 * atomic_fetch_add(&counts[side], 1) + side;
}

FL_OBJECT(network)
FL_OP(int, next)
FL_SPEC(counter, fetch_inc = next)
FL_CRITERION(quiescent)
