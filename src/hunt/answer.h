/* The answers of workers, described as nouns so that they can be packed
 * (base/pack.h). */
#ifndef HUNT_ANSWER_H
#define HUNT_ANSWER_H

#include "hunt/describe.h"
#include "hunt/hunt.h"
#include "model/nouns.h"

extern const struct noun noun_hunt_report, noun_hunt_answer, noun_description;

#endif
