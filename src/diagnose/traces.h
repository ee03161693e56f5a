/*
 * All traces of one client in a folder, for `faultline explain` and other tools
 * (docs/trace.md): one of each class, those that fail in failing.jsonl, the
 * others in good.jsonl.  They are the traces that the causes of a fault are
 * made of (causes.c), and a client without a fault has them too.
 *
 * (A) the folder appears when it is complete, or not at all; one with these
 *     files is replaced, one with others is refused.       tests/cli/traces.sh
 * (B) what explains the folder gives the client's causes.  tests/cli/traces.sh
 */
#ifndef DIAGNOSE_TRACES_H
#define DIAGNOSE_TRACES_H

#include "campaign/object_run.h"

/* Can the folder be written?  Asked before the search. */
int traces_check(const char *folder, struct error *e);

/* Of the client of the settings; `run` has looked for its faults. */
int traces_write(const struct object_run *run, const struct target *t,
                 const char *folder, struct error *e);

#endif
