/* The files for continuous integration that commands on traces write. */
#ifndef CLI_SESSION_CASES_H
#define CLI_SESSION_CASES_H

#include "report/ci_case.h"

struct case_files {
  const char *junit, *sarif, *tap; /* or NULL */
};

/* One of them is standard output: the text goes to standard error then. */
bool cases_on_stdout(const struct case_files *f);
/* Writes those that are named.  `c` lacks only what it is about. */
int cases_write(struct ci_cases *c, const struct case_files *f, int status,
                struct error *e);

/* The folder of the repository, as the service says, if `here` is in it. */
const char *cases_root(const char *here);

#endif
