/*
 * Advice: how a reader could make the lines of the best cause atomic, in one
 * sentence.  A candidate is a change of the sources (a patch_form) and the
 * words for it; it is compiled and searched, the clients that are known to fail
 * first, and said only if no fault is found.  What fails is dropped, and the
 * next one is tried.  When none holds, a lock in exactly the printed lines is
 * tried: nothing to advise, but whether the lines are the right ones.
 *
 * What the kind of fault asks for (a wake-up, a loop around a wait, two locks
 * in the other order) comes first; if it holds, nothing else is tried.  Of C++,
 * only the lock in the printed lines is.  Where the text cannot be changed
 * (headers) nothing can be tried, and all that is said is what the engine has
 * enforced: the lines as one step for everything that touches the same data.
 *
 * (A1) nothing is said of a cause with which a client fails in the engine.
 * (A2) no lock, and no instruction, is advised for lines that are under a lock
 *      already, be it home-made: if they fail, the lock does.
 */
#ifndef MEND_ADVICE_H
#define MEND_ADVICE_H

#include "mend/patch.h"

/* Puts it into the kind and the best cause of the run's finding; until `latest`
 * of clock_now(), after which less is said. */
void advise(struct built *b, struct object_run *r, const struct target *t,
            double latest, failing_clients *failing);

#endif
