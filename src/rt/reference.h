/*
 * Reference implementations in the harness (FL_SPEC(model, …)): plain
 * sequential functions, called in this process beside the engine's executions.
 *
 * They have a memory of their own: a small heap, and the object's data as they
 * were when the object was loaded.  An image holds all of it.  A call begins in
 * one image and leaves another, and what the engine's execution has in the
 * object's data is as before when it is over.
 *
 * (X1) equal images, equal functions and arguments: equal answers.  Of memory
 *      that nobody uses, nothing is in an image: so a push and a pop lead back
 *      to the image from before.                 tests/unit/rt/reference.c
 * (X2) a call that does not return leaves no image: whatever it was (fl_waits,
 *      a crash, an endless loop), nothing of it remains.
 */
#ifndef RT_REFERENCE_H
#define RT_REFERENCE_H

#include "base/buf.h"
#include "model/value.h"

#include <faultline.h>
#include <stdbool.h>
#include <stdint.h>

enum reference_end {
  REFERENCE_RETURNED,
  REFERENCE_WAITS,  /* it called fl_waits() */
  REFERENCE_FAILED, /* see reference_trouble() */
  REFERENCE_ASTRAY, /* of a guess: it left its memory */
};

enum {
  REFERENCE_CHOICES = 16, /* fl_choose() in one call … */
  REFERENCE_WAYS = 4096,  /* … and in how many ways it can go on */
};

struct reference_call {
  const struct fl_suite *suite;
  void (*function)(void); /* NULL: the constructor */
  const struct fl_op *op; /* whose signature it has */
  /* It is asked whether `wanted` is allowed, behind the arguments (if there is
   * a result), and returns a bool. */
  bool asks;
  long long wanted;
  int64_t args[FL_MAX_ARGS];
  /* What its blocks are called when a pointer to one is a result: the client's
   * call + 1; 0: allocated outside of calls. */
  uint32_t label;
  bool labels; /* blocks have these names; else their memory is all they are */
  bool guess;  /* an argument is made up, so it may be no index of an array */
  /* The answers of fl_choose.  The call adds those that are missing, all 0, and
   * how many alternatives each had. */
  uint8_t nchoices;
  int choice[REFERENCE_CHOICES], alternatives[REFERENCE_CHOICES];
};

/* After rt_open, before the first rt_prepare; once more does no harm. */
void reference_open(void);
/* `before` is an image; it is not read by the constructor.  *after and *result
 * are set if it returned. */
enum reference_end reference_run(struct reference_call *c,
                                 const struct buf *before, struct buf *after,
                                 struct value *result);
/* Of the last call that failed: a phrase, and the place in the object (an
 * offset, 0: not known). */
const char *reference_trouble(uint64_t *pc);

#endif
