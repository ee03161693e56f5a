/*
 * Library functions that may be called as they are: they return by themselves,
 * and touch no memory but their arguments' and the library's own.  Whatever is
 * not here (read, poll, fork, mmap, signal, syscall, …) is said to be unknown.
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
 * What to call a function that touches memory of its caller unseen; NULL when
 * this one does not.  `__isoc99_sscanf` is sscanf to its user, and the insides
 * of the C++ library are called after the class that they work for.
 */
const char *known_unseen(const char *name);

#endif
