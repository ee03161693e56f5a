/*
 * Assertions of our own that fail.  In a worker nobody reads what is printed,
 * and abort() would look like a crash of the user's code: the user would read
 * of a bug that is ours.  So the parent is told, and its status is 2.
 * (The assertions of the code under test are wrapped, hooks_end.c.)
 */
#include "base/err.h"
#include "rt/cage.h"
#include "rt/engine.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

FL_HIDDEN _Noreturn void __assert_fail(const char *assertion, const char *file,
                                       unsigned line, const char *function) {
  char text[512];
  E.in_fiber = 0;
  snprintf(text, sizeof text,
           "internal error: %s:%u: %s: assertion `%s' failed", file, line,
           function, assertion);
  if (die_tell(text))
    cage_exit(2);
  fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n",
          program_invocation_short_name, file, line, function, assertion);
  abort();
}
