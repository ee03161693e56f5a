/*
 * Assertions of our own that fail.  One that fails on a fiber must end the
 * process: the handler of SIGABRT would take it for a crash of the user's code.
 * The parent calls it damage of the engine, of which nobody knows whose doing
 * it was: code that overwrites memory can damage us as well as a bug of ours
 * (campaign/autopsy.c).  (The assertions of the code under test are wrapped,
 * hooks_end.c.)
 */
#include "rt/engine.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

FL_HIDDEN _Noreturn void __assert_fail(const char *assertion, const char *file,
                                       unsigned line, const char *function) {
  E.in_fiber = 0;
  fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n",
          program_invocation_short_name, file, line, function, assertion);
  abort();
}
