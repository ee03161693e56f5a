/*
 * fl_thread() for both kinds of client threads.  One process may have the
 * object with hooks (as its own specification) and the native one: fibers run
 * on one OS thread and only while no other runs user code (R2), so in_fiber
 * tells which of them asks.
 */
#include "rt/native.h"
#include "rt/int.h"

static _Thread_local void *thread_data;

void rt_native_thread(void *data) { thread_data = data; }

void *fl_thread(void) { return fl__on() ? E.self->thread_data : thread_data; }
