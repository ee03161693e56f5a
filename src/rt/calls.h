/*
 * What the fibers of a client run (calls.c): bodies for fl__fiber_begin.
 */
#ifndef RT_CALLS_H
#define RT_CALLS_H

#include "rt/fiber.h"

void fl__main_body(void) FL_HIDDEN;
void fl__client_body(void) FL_HIDDEN;
/* The thread stands before the first step of a call: it goes on behind that,
 * in its next transit. */
void fl__leave_call_out(int thread) FL_HIDDEN;
/* What a function of the operation's type has returned, as a value. */
struct value fl__result_of(const struct fl_op *op, long long raw) FL_HIDDEN;
void fl__program_body(void) FL_HIDDEN; /* main() of a whole program */

/* The condition on which the main thread waits: all client threads are done. */
bool fl__clients_done(struct fiber_state *f) FL_HIDDEN;

#endif
