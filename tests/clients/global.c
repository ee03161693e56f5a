/*
 * Globals without a constructor, .data and .bss, function-local statics: all
 * start again with their initial values in each of the 2 executions.
 *
 * RUN: explore %s --search=dfs --client '{next()} || {next()}'
 * EXIT: 0
 * VERDICT: pass
 * EXECUTIONS: 2
 * OUTCOMES: 5,6 6,5
 */
#include <faultline.h>

static int next(void) {
  static int value = 5;
  return __sync_fetch_and_add(&value, 1);
}

FL_OBJECT(ids)
FL_OP(int, next)
