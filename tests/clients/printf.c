/*
 * printf inside operations: the code runs as it is, and its output does not
 * get into the report.
 *
 * RUN: %s --client '{add()} || {add()}'
 * EXIT: 0
 * VERDICT: pass
 * NOOUTPUT: counter was
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int counter;

static int add(void) {
  int before = atomic_fetch_add(&counter, 1);
  printf("counter was %d\n", before);
  fflush(stdout);
  fprintf(stdout, "counter was %.1f\n", before * 1.0);
  return before;
}

FL_OBJECT(counter)
FL_OP(int, add)
