/* Between the files of the JSON report; nobody else includes this. */
#ifndef REPORT_JSON_INT_H
#define REPORT_JSON_INT_H

#include "base/json.h"
#include "report/report.h"

void json_text(struct json *j, const char *name, const char *s); /* or null */
/* Four fields: file, line, column, function. */
void json_place(struct json *j, const struct place *p);
/* A result as a JSON value: numbers and truth values are what they are. */
void json_value(struct json *j, const char *name, struct value v);

/* `causes`, `traces` and `nearest` (json_causes.c). */
void json_fences(struct json *j, const struct story *s);
void json_causes(struct json *j, const struct story *s);
void json_nearest(struct json *j, const struct story *s);

#endif
