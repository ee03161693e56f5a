/* What the files that write JSON share; nobody else includes this. */
#ifndef REPORT_JSON_INT_H
#define REPORT_JSON_INT_H

#include "base/json.h"
#include "report/report.h"

void json_text(struct json *j, const char *name, const char *s); /* or null */
/* Four fields: file, line, column, function. */
void json_place(struct json *j, const struct place *p);
/* A result as a JSON value: a number as a number, a bool as true or false. */
void json_value(struct json *j, const char *name, struct value v);

/* `causes`, `traces` and `nearest` (json_causes.c). */
void json_fences(struct json *j, const struct story *s);
void json_causes(struct json *j, const struct story *s);
void json_nearest(struct json *j, const struct story *s);

/* `kind` (json_kind.c). */
void json_kind(struct json *j, const struct story *s);

/* `rows`, `blocks` and `switches` (json_rows.c). */
void json_rows(struct json *j, const struct story *s);
void json_blocks(struct json *j, const struct story *s);
void json_census(struct json *j, const struct story *s);

/* `sources` of the page (json_source.c). */
void json_sources(struct json *j, const struct story *s,
                  const hooked_list *hooks);

/* The whole report, as a file or as the data of the page (json.c). */
void json_report(const struct report_run *runs, uint32_t n, bool page,
                 struct buf *out);

#endif
