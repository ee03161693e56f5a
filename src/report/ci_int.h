/* What the formats for continuous integration share; nobody else includes this.
 */
#ifndef REPORT_CI_INT_H
#define REPORT_CI_INT_H

#include "base/json.h"
#include "report/ci.h"

/* The path from the root; false: it is not below the root, and is absolute. */
bool ci_path(const struct ci_report *c, const char *file, struct buf *out);

/* The sentence of a run: its answer, or its coverage. */
const char *ci_sentence(const struct report_run *r);

/* The name of run i, different from that of all others. */
void ci_name(const struct ci_report *c, uint32_t i, struct buf *out);

/* What a run that did not end as it should is called: the fault, or why there
 * is none. */
#define CI_INCONCLUSIVE "inconclusive"
#define CI_MISSING "expected-fault-missing"
const char *ci_type(const struct report_run *r);

/* `accepted: SENTENCE, because REASON (ENTRY)`; false: it is not. */
bool ci_accepted(const struct report_run *r, struct buf *out);

/* Is there a line to point at? */
bool ci_has_place(const struct place *p);

/* The last line of the answer's place; the first one when it is not known. */
uint32_t ci_last_line(const struct story *s);

/* Text of an element or an attribute.  Characters that XML cannot hold become
 * U+FFFD. */
void ci_xml(struct buf *out, const char *s);
void ci_attribute(struct buf *out, const char *name, const char *value);

/* Of TAP: one line, in which a "#" would begin a directive; and a YAML string
 * in double quotes. */
void ci_tap_line(struct buf *out, const char *s);
void ci_yaml(struct buf *out, const char *name, const char *s);

#define SARIF_SCHEMA "https://json.schemastore.org/sarif-2.1.0-rtm.5.json"
/* {"text": …} */
void sarif_text(struct json *j, const char *name, const char *text);
/* A rule of the tool, and the function that a location is in (or NULL). */
void sarif_rule(struct json *j, const char *id, const char *meaning,
                const char *level);
void sarif_function(struct json *j, const char *function);
/* How the program ended, with its warnings; and where paths begin. */
void sarif_invocation(struct json *j, const struct ci_report *c);
void sarif_base(struct json *j, const struct ci_report *c);
/* SARIF's location of a file: {"uri": …, "uriBaseId": …}. */
void sarif_artifact(struct json *j, const struct ci_report *c,
                    const char *file);
/* "fixes" of a patch that was verified and written. */
void sarif_fixes(struct json *j, const struct ci_report *c,
                 const struct patch *p);

#endif
