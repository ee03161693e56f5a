/* The replayed execution in a debugger. */
#ifndef CLI_SESSION_DEBUG_H
#define CLI_SESSION_DEBUG_H

#include "cli/session/session.h"

/* Runs gdb on the schedule file; returns the exit status.  `suite` is -1 for a
 * program; fl-why shows `report`. */
int debug_session(struct session *s, const char *schedule, int suite,
                  const struct buf *report, struct error *e);

#endif
