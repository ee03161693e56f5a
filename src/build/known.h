/*
 * Library functions that may be called as they are: they return by themselves,
 * and touch no memory but their arguments' and the library's own.  Whatever is
 * not here (read, poll, fork, mmap, signal, syscall, …) is said to be unknown.
 */
#ifndef BUILD_KNOWN_H
#define BUILD_KNOWN_H

enum known {
  KNOWN_NOT,
  KNOWN_PURE, /* no errno, no thread-local state, no memory of the library */
  KNOWN_LIBRARY,
};

enum known known_function(const char *name);

#endif
