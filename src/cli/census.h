/* The executions of a finding's client, counted for the reports that show them
 * (struct census). */
#ifndef CLI_CENSUS_H
#define CLI_CENSUS_H

#include "cli/session.h"

void census(struct session *s, struct run *r, const struct hunt_order *order);

#endif
