/*
 * An interruption is where an operation of a failing execution was cut in two:
 * between two of its accesses another thread made accesses that conflict with
 * them (overlapping bytes, at least one of the two writes).
 *
 *     T1: r = x              T1: x = r + 1     before, after
 *     T2:          x = 7                       by
 *
 * It is the most telling place that can be named from one trace alone.  It is
 * not the root cause, and the report must not call it so.
 *
 * (I1) before < by < after in the trace; before and after belong to `call`, by
 *      belongs to another thread.
 * (I2) with `both`, an access in between conflicts with before, and the same or
 *      a later one with after, so the operation cannot be moved to one side of
 *      them: it is not serializable there.  `by` is one of them that writes,
 *      where there is one.  Without `both`, before and after are neighbours and
 *      by conflicts with some access of the operation.
 */
#ifndef REPORT_INTERRUPTION_H
#define REPORT_INTERRUPTION_H

#include "model/finding.h"

struct interruption {
  uint32_t call;
  uint32_t before, after; /* events of the operation */
  uint32_t by;            /* the event between that is to blame */
  bool both;
};

bool events_conflict(const struct event *a, const struct event *b);

/*
 * The best interruption of a finding; false when no operation was interrupted.
 * Preferred, in this order: `both`; a call that disagrees in a refutation; few
 * accesses between; late in the trace.
 */
bool interruption_find(const struct finding *f, struct interruption *out);

/*
 * The same, only among the accesses of some executions of a piece of code:
 * event e belongs to execution unit[e], from 1; 0: to none.  A unit is of one
 * call.
 */
bool interruption_within(const struct finding *f, const uint32_t *unit,
                         uint32_t nunits, struct interruption *out);

#endif
