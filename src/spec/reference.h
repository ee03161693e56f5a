/*
 * A reference implementation in the harness as a specification: FL_SPEC(model,
 * …) and FL_SPEC(relation, …).
 *
 * A state is an image of its memory (rt/reference.h).  A model's function is
 * run once for each distinct call in each distinct state, with every sequence
 * of answers to fl_choose(); results and next states are kept.
 */
#ifndef SPEC_REFERENCE_H
#define SPEC_REFERENCE_H

#include "spec/spec.h"

/* Appends "FILE:LINE: " for a place in the object (an offset), if it is known;
 * NULL: places are not told. */
typedef void reference_placer(void *ctx, uint64_t pc, struct buf *out);

/*
 * NULL and no error: the suite's FL_SPEC is none of these.  Every operation of
 * the suite needs a function, once; else ERR_INPUT with the harness's file and
 * line.  A function that fails (crashes, does not come to an end, frees what
 * is not its own) is the end of the program: die(), with the line that failed
 * and the calls that led there.
 */
struct spec *spec_reference(const struct fl_suite *suite,
                            reference_placer *place, void *ctx,
                            struct error *e);

/* A state in words: the calls that first led there.  Of another specification:
 * nothing. */
void spec_reference_print(const struct spec *s, uint32_t state,
                          struct buf *out);

/*
 * What FL_SPEC gives operation `op` of a suite that has such a specification;
 * false: nothing, or it cannot be read.
 */
struct reference_function {
  void (*function)(void);
  uint32_t nparams;  /* that it should have … */
  bool takes_state;  /* … the state among them, which is the first … */
  bool takes_result; /* … and the result, which is the last */
  char *name;        /* to be freed */
};
bool spec_reference_function(const struct fl_suite *suite, uint32_t op,
                             struct reference_function *out);

#endif
