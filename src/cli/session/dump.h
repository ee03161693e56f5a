/* --debug-dump: details of a run for the maintainers of Faultline, for example
 * when an execution could not be repeated. */
#ifndef CLI_SESSION_DUMP_H
#define CLI_SESSION_DUMP_H

#include "cli/session/session.h"

int dump_write(struct session *s, const char *path, struct error *e);

#endif
