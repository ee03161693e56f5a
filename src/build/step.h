/*
 * A step is one run of a compiler or a linker that makes one file.  If it was
 * run before and nothing has changed, its result comes from the cache, and no
 * process is started.
 *
 * Two keys lead to a result.  The first is of what is known beforehand: the
 * words of the command, the programs, the environment that compilers listen to,
 * and `more`.  Under it the cache has the list of files that the step read last
 * time, as the compiler (-MD) or the linker (--dependency-file) told.  The
 * second key is of the first one and of the names and bytes of these files.
 * Under it the cache has what the step printed and the file that it made.
 *
 *   cc -c a.c  --key 1-->  a.c b.h  --key 2-->  warnings, a.o
 *
 * (S1) A result is kept only if none of these files changed after the step was
 *      started: which bytes the compiler saw would not be known.
 * (S2) A result is kept only if it depends on nothing else: not on the date
 *      (__DATE__), on a file that is in no list (.incbin, @file, a plugin), or
 *      on the machine (-march=native).
 * (S3) Names of files in the folder `command.tmp` are not a part of a link's
 *      keys: that folder is another one in each run.  Their bytes are in
 * `more`.
 *
 * Not noticed, as with ccache and make: a new header that hides another one on
 * the include path; and a change of a compiler that is neither named nor on the
 * PATH, and is started by a script.  --no-cache is for those.
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
  struct command command; /* without the words that name what it writes */
  struct buf more;        /* what the result depends on besides */
  struct hash128 key;     /* the first one; step_identify makes it */
  char *output;           /* where the result goes */
  bool verbose;           /* the command is printed */

  bool may_keep;
  struct timespec started;
  char *fresh, *deps, *said; /* files that it writes while it runs */
  pid_t pid;                 /* 0: not running */

  int status; /* how it ended … */
  bool made;  /* … and whether the output is there */
};

/* The bytes of a file become a part of `more`. */
void step_depends(struct build_step *s, const char *path);

/* The command and `more` are complete. */
void step_identify(struct build_step *s);

/* Looks for the result.  If it is there, prints what the step has printed, and
 * writes the output. */
bool step_find(struct build_step *s, const struct cache *c);

/* Runs the step.  What it prints goes to stderr when it has ended. */
void step_start(struct build_step *s);
int step_finish(struct build_step *s, struct cache *c, struct error *e);

void step_free(struct build_step *s);

#endif
