/* The races that decide, in the different formats. */
#ifndef REPORT_RACES_H
#define REPORT_RACES_H

#include "base/json.h"
#include "report/screen.h"

/* A short list in the terminal report (text_races.c). */
void screen_races(struct screen *s, const struct story *story);

/* `cdrs` and `tree` of the JSON report (json_races.c). */
void json_races(struct json *j, const struct story *story);

/* The labelled graph for Graphviz (dot.c). */
void report_dot(const struct story *story, struct buf *out);

/* `remove_key(1) of T1`; `T1` when it is in no call of the client. */
void race_who(const struct story *story, const struct step *s, struct buf *out);

#endif
