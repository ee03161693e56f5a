/*
 * The number of interleavings against closed formulas.  An operation has as
 * many steps as accesses, and one if it has none (a run without any access has
 * checked nothing, hence its status 3); threads with n, m, ... steps
 * have (n + m + ...)! / (n! m! ...) executions.  A thread at a lock that is
 * held cannot step.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{three()} || {three()}'
 * EXIT: 0
 * EXECUTIONS: 20
 * RUN: explore %s --search=dfs --client '{two()} || {two()} || {two()}'
 * EXIT: 0
 * EXECUTIONS: 90
 * RUN: explore %s --search=dfs --client '{three()} || {three()} || {three()}'
 * EXIT: 0
 * EXECUTIONS: 1680
 * RUN: explore %s --search=dfs --client '{one()} || {one()} || {one()} || \
 *     {one()}'
 * EXIT: 0
 * EXECUTIONS: 24
 * RUN: explore %s --search=dfs --client '{three(); two()} || {two()}'
 * EXIT: 0
 * EXECUTIONS: 21
 * RUN: explore %s --search=dfs --client 'three(); {one(); one()} || {two()}; \
 *     three()'
 * EXIT: 0
 * EXECUTIONS: 6
 * RUN: explore %s --search=dfs --client '{none()} || {none()}'
 * EXIT: 3
 * EXECUTIONS: 2
 * RUN: explore %s --search=dfs --client '{none(); one()} || {two()}'
 * EXIT: 0
 * EXECUTIONS: 6
 * RUN: explore %s --search=dfs --client '{locked()} || {locked()}'
 * EXIT: 0
 * EXECUTIONS: 2
 * RUN: explore %s --search=dfs --client '{locked()} || {locked()} || \
 *     {locked()}'
 * EXIT: 0
 * EXECUTIONS: 6
 * RUN: explore %s --search=dfs --client '{one(); locked()} || {one(); \
 *     locked()}'
 * EXIT: 0
 * EXECUTIONS: 10
 * RUN: explore %s --search=dfs --client '{three()}'
 * EXIT: 0
 * EXECUTIONS: 1
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void none(void) {}

static void one(void) { atomic_fetch_add(&x, 1); }

static void two(void) {
  atomic_fetch_add(&x, 1);
  atomic_fetch_add(&x, 1);
}

static void three(void) {
  atomic_fetch_add(&x, 1);
  atomic_fetch_add(&x, 1);
  atomic_fetch_add(&x, 1);
}

static void locked(void) {
  pthread_mutex_lock(&lock);
  atomic_fetch_add(&x, 1);
  pthread_mutex_unlock(&lock);
}

FL_OBJECT(steps)
FL_OP(void, none)
FL_OP(void, one)
FL_OP(void, two)
FL_OP(void, three)
FL_OP(void, locked)
