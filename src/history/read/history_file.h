/* A file with one history of an object, in any format that is read. */
#ifndef HISTORY_READ_HISTORY_FILE_H
#define HISTORY_READ_HISTORY_FILE_H

#include "model/log_client.h"

/* ERR_INPUT has file, line and reason; `out` is empty then. */
int history_file_read(struct history_read *out, const char *path,
                      const struct history_names *names, struct error *e);

#endif
