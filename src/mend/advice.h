/*
 * Advice: how a reader could make the lines of the best cause atomic, in one
 * sentence.  A candidate is a change of the sources (a patch_form) and the
 * words for it; it is compiled and searched, the clients that are known to fail
 * first, and said only if no fault is found.  What fails is dropped, and the
 * next one is tried.
 *
 * Where the text cannot be changed (C++, headers) nothing can be tried, and all
 * that is said is what the engine has verified by itself: the lines as one step
 * for everything that touches the same data.
 *
 * (A1) nothing is said of a cause that is not verified.
 * (A2) no lock, and no instruction, is advised for lines that are under a lock
 *      already, be it home-made: if they fail, the lock does.
 */
#ifndef MEND_ADVICE_H
#define MEND_ADVICE_H

#include "mend/patch.h"

/* Puts it into the best cause of the run's finding; until `latest` of
 * clock_now(), after which less is said. */
void advise(struct built *b, struct object_run *r, const struct target *t,
            double latest, failing_clients *failing);

#endif
