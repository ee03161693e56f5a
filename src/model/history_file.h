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

/* The object's operations, by which the file's are known. */
struct history_names {
  struct op_names ops;
  const uint8_t *nargs;
  const uint8_t *kinds; /* enum value_kind of what each returns */
};

/* What was read; times are line numbers. */
struct history_read {
  struct client client;
  struct history history;
  char *object; /* its name in the file, or NULL */
};

/* ERR_INPUT has file, line and reason; `out` is empty then. */
int history_file_read(struct history_read *out, const char *path,
                      const struct history_names *names, struct error *e);
void history_read_free(struct history_read *h);

#endif
