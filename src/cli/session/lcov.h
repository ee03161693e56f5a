/* --coverage: the lines of the object that ran, for lcov and its kin. */
#ifndef CLI_SESSION_LCOV_H
#define CLI_SESSION_LCOV_H

#include "cli/session/session.h"

int lcov_write(struct session *s, const char *path, struct error *e);

#endif
