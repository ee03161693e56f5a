/* Files with a history of an object under test. */
#include "history/read/history_file.h"

#include "history/read/read.h"

#include <inttypes.h>

/* There is one history in the file. */
static int read_log(struct log *l, const char *path, struct error *e) {
  struct reader *r = reader_open(path, READ_AUTO, e);
  struct log second;
  if (!r)
    return e->code;
  reader_has_no_keys(r);
  int got = reader_log(r, l, e);
  if (!got)
    error_set(e, ERR_INPUT, "%s: the file has no history", path);
  if (got == 1) {
    got = reader_log(r, &second, e);
    if (got == 1) {
      error_set(e, ERR_INPUT,
                "%s:%" PRIu32 ": a second history, but a file holds one here",
                path, second.type_line);
      log_free(&second);
    }
    if (e->code)
      log_free(l);
  }
  reader_close(r);
  return e->code;
}

int history_file_read(struct history_read *out, const char *path,
                      const struct history_names *names, struct error *e) {
  struct log l;
  *out = (struct history_read){0};
  if (read_log(&l, path, e))
    return e->code;
  int err = log_to_history(out, &l, names, e);
  log_free(&l);
  return err;
}
