#include "report/source.h"

#include <string.h>
#include <sys/stat.h>

enum { SOURCE_MAX = 16 << 20 };

bool source_line(const struct place *p, struct buf *out) {
  struct stat st;
  struct error e = {0};
  struct buf file = {0};
  /* A path from debug information can name anything, a pipe for instance. */
  if (!p->file || !p->line || stat(p->file, &st) != 0 || !S_ISREG(st.st_mode) ||
      st.st_size > SOURCE_MAX || buf_read_file(&file, p->file, &e) != ERR_NONE)
    return false;
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
