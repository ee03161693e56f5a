/*
 * Histories as files: JSON lines, one event a line, in the order of time.
 * docs/history.md is the format's page.
 */
#ifndef MODEL_HISTORY_FILE_H
#define MODEL_HISTORY_FILE_H

#include "base/err.h"
#include "model/history.h"

enum { HISTORY_FILE_VERSION = 1 };

/* The text of the file.  `object` is the object's name. */
void history_file_print(const struct history *h, const char *object,
                        const struct op_names *names, struct buf *out);

/* Whole or not at all; "-" is standard output. */
int history_file_write(const struct history *h, const char *object,
                       const struct op_names *names, const char *path,
                       struct error *e);

#endif
