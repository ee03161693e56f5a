/*
 * A shared library that `faultline cc` has linked also has, in a section that
 * nobody loads, what it was linked from: one relocatable object, in which only
 * the names that the library exports are global.  A harness is linked with that
 * object in place of the library.  So the library's globals are the harness's
 * own, set back between executions, its calls are redirected, and several
 * libraries may be in one process.
 */
#ifndef BUILD_LIBRARY_H
#define BUILD_LIBRARY_H

#include "build/command.h"

#include <stdbool.h>

/*
 * Adds the section to the library `so`, which was made by `linker` of these
 * objects, archives and options for them.  `dir` is for temporary files. False:
 * it has none, and is as it was.
 */
bool library_keep(const char *so, const char *linker, char *const *parts,
                  uint32_t n, const char *dir);

/* Writes the object into `dir`; its path, which the caller frees, or NULL: the
 * file has no such section. */
char *library_object(const char *so, const char *dir);

/* The libraries that it needs, as options for the link; those that `compiler`
 * does not find are left out. */
void library_needs(const char *so, const char *compiler, struct command *c);

#endif
