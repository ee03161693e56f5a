/*
 * Library functions that may be called without a wrap: they do not block, and
 * they access only memory of their arguments and of the library.  All other
 * functions (read, poll, fork, mmap, signal, syscall, …) are unknown.
 */
#ifndef BUILD_KNOWN_H
#define BUILD_KNOWN_H

#include <stdbool.h>

enum known {
  KNOWN_NOT,
  KNOWN_PURE, /* no errno, no thread-local state, no memory of the library */
  KNOWN_LIBRARY,
};

enum known known_function(const char *name);

/* Does the function write to a FILE? */
bool known_prints(const char *name);

/*
 * The name to report for a function that accesses memory of its caller unseen;
 * NULL: it does not.  Example: sscanf for `__isoc99_sscanf`, std::list for an
 * internal function of that class.
 */
const char *known_unseen(const char *name);

#endif
