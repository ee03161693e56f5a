/*
 * The tracefile of lcov(1): a record a source file, with its functions and its
 * lines.  How often a line ran is not counted: 1 or 0.
 */
#include "cli/session/lcov.h"

#include "code/unreached.h"
#include "rt/rt.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool same_file(const struct reached_line *a,
                      const struct reached_line *b) {
  return !strcmp(a->file, b->file);
}

/* A function ran if one of its lines did.  It is named at its first line. */
static void put_functions(const struct reached_line *at, uint32_t n,
                          struct buf *out) {
  uint32_t found = 0, hit = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool first = true, reached = false;
    for (uint32_t k = 0; k < n; k++)
      if (!strcmp(at[k].function, at[i].function)) {
        first &= k >= i;
        reached |= at[k].reached;
      }
    if (!first)
      continue;
    buf_printf(out, "FN:%u,%s\nFNDA:%d,%s\n", at[i].line, at[i].function,
               reached, at[i].function);
    found++;
    hit += reached;
  }
  buf_printf(out, "FNF:%u\nFNH:%u\n", found, hit);
}

static void put_file(const struct reached_line *at, uint32_t n,
                     struct buf *out) {
  char *whole = realpath(at->file, NULL);
  uint32_t hit = 0;
  buf_printf(out, "TN:\nSF:%s\n", whole ? whole : at->file);
  free(whole);
  put_functions(at, n, out);
  for (uint32_t i = 0; i < n; i++) {
    buf_printf(out, "DA:%u,%d\n", at[i].line, at[i].reached);
    hit += at[i].reached;
  }
  buf_printf(out, "LF:%u\nLH:%u\nend_of_record\n", n, hit);
}

int lcov_write(struct session *s, const char *path, struct error *e) {
  struct rt_reached reached = rt_reached();
  unreached_list ignored = {0};
  reached_line_list lines = {0};
  struct buf out = {0};
  int err = ERR_NONE;
  if (reached.at)
    err = unreached_find(s->built.lines, &s->built.probe.sites, reached.at,
                         reached.span, NULL, 0, &ignored, &lines, e);
  for (uint32_t i = 0, n; i < lines.len && !err; i += n) {
    for (n = 1; i + n < lines.len; n++)
      if (!same_file(&lines.at[i], &lines.at[i + n]))
        break;
    put_file(&lines.at[i], n, &out);
  }
  if (!err)
    err = buf_write_file(&out, path, e);
  vec_free(&ignored);
  vec_free(&lines);
  buf_free(&out);
  return err;
}
