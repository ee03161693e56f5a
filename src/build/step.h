/*
 * A step is one run of a compiler or a linker that makes one file.  If it was
 * run before and nothing has changed, its result comes from the cache, and no
 * process is started.
 *
 * Two keys lead to a result.  The first key hashes what is known beforehand:
 * the words of the command, the programs, the environment variables that affect
 * compilers, and `more`.  Its entry is the list of files that the step read
 * last time, as reported by the compiler (-MD) or the linker
 * (--dependency-file).  The second key hashes the first key and the names and
 * bytes of these files.  Its entry is the output that the step printed and the
 * file that it made.
 *
 *   cc -c a.c  --key 1-->  a.c b.h  --key 2-->  warnings, a.o
 *
 * (S1) A result is kept only if none of these files changed after the step was
 *      started; else the compiler may have read other bytes.
 * (S2) A result is kept only if it depends on nothing else: not on the date
 *      (__DATE__), on a file that is in no list (.incbin, @file, a plugin), or
 *      on the machine (-march=native).
 * (S3) The keys of a link do not contain the names of files in the folder
 *      `command.tmp`, which is another one in each run.  Their bytes are in
 *      `more`.
 *
 * Not noticed, as with ccache and make: a new header that hides another one on
 * the include path, and a change of a compiler that a script starts and that is
 * not on the PATH.  --no-cache is for these cases.
 */
#ifndef BUILD_STEP_H
#define BUILD_STEP_H

#include "build/cache.h"
#include "build/command.h"

#include <stdbool.h>
#include <time.h>

enum step_kind { STEP_COMPILE, STEP_EXPAND, STEP_LINK };

struct build_step {
  enum step_kind kind;
  struct command command; /* without the words that name its output */
  struct buf more;        /* other inputs of the result */
  struct hash128 key;     /* the first key; step_identify sets it */
  char *output;           /* where the result goes */
  bool verbose;           /* print the command */
  struct buf *held;       /* where its output goes; NULL: to stderr */
  bool hushed;            /* its output is of interest only if it fails */

  bool may_keep; /* S2 */
  struct timespec started;
  char *fresh, *deps, *printed; /* its temporary files */
  pid_t pid;                    /* 0: not running */

  int status; /* exit status */
  bool made;  /* the output exists */
};

/* Adds the bytes of a file to `more`. */
void step_depends(struct build_step *s, const char *path);

/* Sets the key, when the command and `more` are complete. */
void step_identify(struct build_step *s);

/* Looks for the result in the cache.  If it is there, prints the output of the
 * earlier step and writes the file. */
bool step_find(struct build_step *s, const struct cache *c);

/* Runs the step, after step_identify.  Its output goes to stderr, or is held, at
 * its end. */
void step_start(struct build_step *s);
int step_finish(struct build_step *s, struct cache *c, struct error *e);

void step_free(struct build_step *s);

#endif
