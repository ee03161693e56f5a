/* The source excerpt under a diagnostic, as compilers print it. */
#include "report/cell.h"
#include "report/screen.h"
#include "report/source.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { GUTTER = 5, TAB = 8 };

/* Cleans the line with tabs as spaces; *caret becomes the column, from 0, at
 * which byte `column` (from 1) is shown. */
static void expand(const char *line, uint32_t column, bool utf8,
                   struct buf *out, size_t *caret) {
  size_t bytes = 0;
  struct buf one = {0};
  for (const char *p = line; *p;) {
    unsigned c;
    size_t n = cell_decode(p, &c);
    n = n ? n : 1;
    if (bytes < column)
      *caret = cell_width(buf_text(out));
    if (*p == '\t') {
      buf_spaces(out, TAB - cell_width(buf_text(out)) % TAB);
    } else {
      char character[8] = {0};
      memcpy(character, p, n);
      buf_clear(&one);
      cell_clean(character, utf8, &one);
      buf_puts(out, buf_text(&one));
    }
    bytes += n;
    p += n;
  }
  buf_free(&one);
}

/* Columns [from, from+width) of clean text; a cut wide character is left out.
 */
static void window(const char *text, size_t from, size_t width, bool utf8,
                   struct buf *out) {
  size_t at = 0;
  unsigned c;
  for (size_t n; at < from && (n = cell_decode(text, &c)) != 0; text += n) {
    char character[8] = {0};
    memcpy(character, text, n);
    at += cell_width(character);
  }
  cell_fit(text, width, utf8, out);
}

/* Carets under the columns of `p` and, on the same line, of `other`. */
static void put_carets(struct screen *s, size_t first, size_t second) {
  if (first > second) {
    size_t t = first;
    first = second;
    second = t;
  }
  assert(first <= second);
  buf_printf(s->out, "%*s | ", GUTTER, "");
  buf_spaces(s->out, first);
  screen_put(s, INK_CARET, "^");
  if (second > first) {
    buf_spaces(s->out, second - first - 1);
    screen_put(s, INK_CARET, "^");
  }
  buf_putc(s->out, '\n');
}

static void put_line(struct screen *s, const struct place *p,
                     const struct place *other) {
  struct buf line = {0}, text = {0}, shown = {0};
  if (source_line(p, &line)) {
    size_t caret = 0, room = s->style.width - GUTTER - 3, from = 0;
    expand(buf_text(&line), p->column, s->style.utf8, &text, &caret);
    if (cell_width(buf_text(&text)) > room && caret > room / 2)
      from = caret - room / 2;
    window(buf_text(&text), from, room, s->style.utf8, &shown);
    buf_printf(s->out, "%*" PRIu32 " | %s\n", GUTTER, p->line,
               buf_text(&shown));
    size_t second = caret;
    if (other && other->column) {
      buf_clear(&text);
      expand(buf_text(&line), other->column, s->style.utf8, &text, &second);
      if (second < from || second - from >= room)
        second = caret; /* not in the part that is shown */
    }
    if (p->column)
      put_carets(s, caret - from, second - from);
  }
  buf_free(&line);
  buf_free(&text);
  buf_free(&shown);
}

static bool same_line(const struct place *a, const struct place *b) {
  return a->line == b->line && a->file && b->file &&
         strcmp(a->file, b->file) == 0;
}

void screen_source(struct screen *s, const struct place *p,
                   const struct place *until) {
  bool one = until && same_line(p, until);
  put_line(s, p, one ? until : NULL);
  if (until && !one)
    put_line(s, until, NULL);
}
