/*
 * Each operation is one step.
 *
 * OPT: -O1 -O2
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * OUTPUT: FL_PROGRESS was decided on the states of 48 clients
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int n;

static int inc(void) { return atomic_fetch_add(&n, 1); }

FL_OBJECT(counter)
FL_OP(int, inc)
FL_PROGRESS(wait_free, 1)
