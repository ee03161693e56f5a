/*
 * A lost update beside an operation that the engine does not run: fork() would
 * start a process.  It is left out, also where it is tried what would repair the
 * update, so that there is advice (mend/places.c draws clients of its own).
 *
 * RUN: %s -v
 * EXIT: 1
 * VERDICT: violation unknown
 * OUTPUT: To make it atomic, .*\(tried: compiled and searched, no fault
 */
#include <faultline.h>
#include <unistd.h>

static int n;

static int next(void) { return n++; }

static int child(void) {
  n += 10;
  return fork() > 0;
}

FL_OBJECT(counter)
FL_OP(int, next)
FL_OP(int, child)
