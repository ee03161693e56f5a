/*
 * From a trace to its history: the definition.  The engine stamps calls and
 * returns while it runs, since millions of executions are not recorded; what
 * it stamps must be what is read off the recorded events here.
 *
 * (O1) a call begins at the step of its CALL event and ends at that of its
 *      RETURN event, which carries the result.
 * (O2) these are the shortest intervals: the first and the last step at which
 *      the operation did anything.
 * (O3) initial calls are made before a trace begins: what is known of them is
 *      taken from the trace's own history.
 */
#ifndef ORACLE_HISTORY_H
#define ORACLE_HISTORY_H

#include "model/trace.h"

struct arena;

/* The history of `client`, in `a`.  False when the arena is a fixed one and
 * full.  Of a truncated trace, operations whose end is missing are pending. */
bool history_from_trace(const struct trace *t, struct arena *a,
                        struct history *out);

/* Same intervals, same results; texts are compared, not their addresses. */
bool history_equal(const struct history *a, const struct history *b);

/*
 * Whether (O2) holds of a trace: every event of a call lies inside the call's
 * interval, and some event at each end of it.  *call is one where it does not.
 */
bool trace_is_tight(const struct trace *t, uint32_t *call);

#endif
