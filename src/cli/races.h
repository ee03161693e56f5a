/*
 * Which races decide that the finding's client fails: its tree of interleavings
 * is searched in a worker (hunt_races), labelled, and what was found put into
 * the finding.
 */
#ifndef CLI_RACES_H
#define CLI_RACES_H

#include "cli/session.h"

/* --races; the first three are those of search/step_graph.h. */
enum race_search { RACES_CONFLICTING, RACES_SHARED, RACES_ALL, RACES_OFF };

void races(struct session *s, struct run *r, const struct hunt_order *order);

#endif
