/*
 * What code under test needs of the runtime when it runs on real threads,
 * without hooks: fl_thread().
 */
#ifndef RT_NATIVE_H
#define RT_NATIVE_H

/* What fl_thread() returns from now on in the calling OS thread, outside of
 * the engine's executions. */
void rt_native_thread(void *data);

#endif
