/* The executions of a finding's client, counted for the reports that show them
 * (struct census). */
#ifndef DIAGNOSE_CENSUS_H
#define DIAGNOSE_CENSUS_H

#include "campaign/object_run.h"

void census(struct built *b, struct object_run *r, const struct target *t);

#endif
