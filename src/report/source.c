/* Reading the user's sources for reports. */
#include "report/source.h"

#include <string.h>
#include <sys/stat.h>

enum { SOURCE_MAX = 16 << 20 }; /* bytes */

/* A path from debug information can name anything, a pipe for instance. */
bool source_read(const char *path, struct buf *out) {
  struct stat st;
  struct error e = {0};
  return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size <= SOURCE_MAX &&
         !buf_read_file(out, path, &e);
}

bool source_line(const struct place *p, struct buf *out) {
  struct buf file = {0};
  if (!p->file || !p->line || !source_read(p->file, &file)) {
    buf_free(&file);
    return false;
  }
  const char *at = buf_text(&file);
  for (uint32_t i = 1; i < p->line && at; i++) {
    at = strchr(at, '\n');
    at = at ? at + 1 : NULL;
  }
  bool found = at && *at;
  if (found)
    buf_put(out, at, strcspn(at, "\r\n"));
  buf_free(&file);
  return found;
}

uint32_t source_first_column(const struct place *p) {
  struct buf line = {0};
  uint32_t column = 0;
  if (source_line(p, &line)) {
    size_t blanks = strspn(buf_text(&line), " \t\v\f");
    column = blanks < line.len ? (uint32_t)blanks + 1 : 0;
  }
  buf_free(&line);
  return column;
}
