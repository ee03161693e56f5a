/*
 * May an object that was compiled before be used again?  Yes, when the command
 * that makes it is the same (its name carries the key) and every file that the
 * compiler read for it has the same bytes.  As with make, a header that is put
 * in front of another one on the include path goes unseen.
 */
#ifndef BUILD_REUSE_H
#define BUILD_REUSE_H

#include "build/command.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The words of the command, the compiler itself, the working directory, and
 * the environment that compilers listen to. */
uint64_t reuse_key(const struct command *c);

/* Keeps beside the object what it was made from: `deps` is what -MF wrote.
 * Nothing is kept when one of the files was written after `since`, the start of
 * the compiler: which of its versions the compiler saw is not known. */
void reuse_record(const char *object, const char *deps,
                  const struct timespec *since);
bool reuse_possible(const char *object);

#endif
