/* The files for continuous integration of the commands on traces. */
#ifndef CLI_SESSION_CASES_H
#define CLI_SESSION_CASES_H

#include "report/ci_case.h"

struct case_files {
  const char *junit, *sarif, *tap; /* or NULL */
};

/* Is one of them standard output?  Then the text goes to standard error. */
bool cases_on_stdout(const struct case_files *f);
/* Writes the files that are not NULL; sets c->about meanwhile. */
int cases_write(struct ci_cases *c, const struct case_files *f, int status,
                struct error *e);

/* The folder of the repository that the environment of the service names, if
 * `here` is inside it; else `here`. */
const char *cases_root(const char *here);

#endif
