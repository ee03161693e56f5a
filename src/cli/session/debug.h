/* The replayed execution in a debugger. */
#ifndef CLI_SESSION_DEBUG_H
#define CLI_SESSION_DEBUG_H

#include "cli/session/session.h"

/* Runs gdb on the schedule file; `suite` is -1 for a program, `report` what
 * fl-why shows.  The exit status. */
int debug_session(struct session *s, const char *schedule, int suite,
                  const struct buf *report, struct error *e);

#endif
