/*
 * A patch makes the lines of the best cause atomic in the sources (--patch).
 */
#ifndef MODEL_PATCH_H
#define MODEL_PATCH_H

#include <stdbool.h>

struct patch {
  bool asked;
  char *file;    /* where it was written; NULL: it was not, */
  char *reason;  /* since: a sentence without a full stop */
  char *what;    /* what it does: "takes the lock of line 85 before line 77" */
  bool tried;    /* some change was compiled and searched */
  bool verified; /* compiled and searched again, without a fault … */
  char *covered; /* … in all this */
  char *hint;    /* how to apply it */
};

#endif
