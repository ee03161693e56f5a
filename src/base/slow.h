/*
 * The second price of a check.  assert() is cheap and stays on everywhere;
 * check_slow() may walk a structure and is on in the dev and asan builds only;
 * x_check_invariants() looks at a whole noun and is called by tests.
 */
#ifndef BASE_SLOW_H
#define BASE_SLOW_H

#include <assert.h>

#ifdef FL_SLOW_CHECKS
#define check_slow(X) assert(X)
#else
/* Compiled, so that it does not rot, but never evaluated. */
#define check_slow(X) ((void)(0 && (X)))
#endif

#endif
