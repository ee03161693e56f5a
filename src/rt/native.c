/*
 * fl_thread() for both kinds of client threads, and the marks of blocks that
 * are to be atomic.
 *
 * One process may have the object with hooks (as its own specification) and the
 * native one.  Fibers run on one OS thread and only while no other runs user
 * code (R2), so fl__on() tells which of the two asks.
 */
#include "rt/native.h"

#include "rt/park.h"
#include "rt/record.h"

static _Thread_local void *thread_data;

void rt_native_thread(void *data) { thread_data = data; }

void *fl_thread(void) { return fl__on() ? E.self->thread_data : thread_data; }

/* Marks are no steps: nothing is decided at them. */
void fl_atomic_begin(void) {
  if (!fl__on())
    return;
  E.self->marks++;
  if (E.recording)
    fl__record_mark(EV_TXN_BEGIN, E.cur, CALLER_PC);
}
void fl_atomic_end(void) {
  if (!fl__on())
    return;
  E.self->marks -= E.self->marks > 0;
  if (E.recording)
    fl__record_mark(EV_TXN_END, E.cur, CALLER_PC);
}
