/* The executions of a finding's client, counted for the reports that show them
 * (struct census). */
#ifndef CLI_CENSUS_H
#define CLI_CENSUS_H

#include "cli/object_run.h"

void census(struct built *b, struct object_run *r, const struct target *t);

#endif
