/*
 * What kind of fault the finding shows (model/kind.h): its patterns are looked
 * for in the failing execution, and counted in all orders of the client.  A
 * kind is named when every failing order has its pattern and good ones have it
 * less often; and, where a pattern is impossible once some lines are atomic,
 * when the client passes with these lines atomic.
 */
#ifndef DIAGNOSE_KINDS_H
#define DIAGNOSE_KINDS_H

#include "campaign/object_run.h"

void kinds(struct built *b, struct object_run *r, const struct target *t);

#endif
