/* What workers answer, as nouns (base/pack.h). */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "cli/describe.h"
#include "cli/hunt.h"
#include "model/nouns.h"

extern const struct noun noun_hunt_report, noun_hunt_answer, noun_description;

#endif
