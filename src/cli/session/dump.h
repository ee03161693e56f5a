/* --debug-dump: what a maintainer of Faultline needs to know of a run whose
 * execution could not be repeated, or of any other. */
#ifndef CLI_SESSION_DUMP_H
#define CLI_SESSION_DUMP_H

#include "cli/session/session.h"

int dump_write(struct session *s, const char *path, struct error *e);

#endif
