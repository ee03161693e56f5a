/*
 * A counter that forgets: `counter++` is a read and a write.
 *
 * Faultline: not linearizable; two increments that overlap count as one.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: increment\(\).*increment\(\)
 * LINE: race
 */
#include <faultline.h>

static int counter;

static void increment(void) { counter++; /* race */ }

static int get(void) { return counter; }

FL_OBJECT(counter)
FL_OP(void, increment)
FL_OP(int, get)
