/*
 * The way into the library and out of it.  One lock stands around every public
 * function, since data (model/datum.h) are shared by all checkers of the
 * process and only one thread at a time may make them.
 *
 * Inside, code that has no memory calls die() (base/err.h), and so does code
 * that cannot go on for other reasons.  A library must not end its user's
 * process: die() then jumps back to guarded(), which returns ERR_SYSTEM.
 *
 * (L1) A jump leaves what was being built as it was at that moment: blocks that
 *      only local variables held are lost, and a checker may be half changed.
 *      The caller marks that checker as broken (struct fl_check) and never
 *      looks into it again.
 * (L2) Shared data stay whole: a function that makes one allocates before it
 *      changes a table. tests/unit/lib/no_memory.c
 */
#ifndef LIB_GUARD_H
#define LIB_GUARD_H

#include "base/err.h"

/* Runs body(arg, e) under the lock and returns what it returns; ERR_SYSTEM if
 * it jumped, and then *e says why. */
int guarded(int (*body)(void *arg, struct error *e), void *arg,
            struct error *e);

#endif
