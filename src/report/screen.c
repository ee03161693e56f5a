/* Writing to a screen: colours, columns, broken lines. */
#include "report/screen.h"

#include "base/slow.h"
#include "report/cell.h"

#include <assert.h>
#include <string.h>

static const char *code(unsigned ink) {
  static const char *const fixed[] = {"", "1", "1;31", "1;36", "1;32"};
  static const char *const thread[] = {"36", "33", "35", "34", "32", "96"};
  return ink < INK_THREAD ? fixed[ink] : thread[(ink - INK_THREAD + 5) % 6];
}

static void painted(struct screen *s, unsigned ink, const char *clean) {
  check_slow(cell_is_clean(clean)); /* W1 */
  bool paint = s->style.colour && ink != INK_PLAIN && *clean;
  if (paint)
    buf_printf(s->out, "\033[%sm", code(ink));
  buf_puts(s->out, clean);
  if (paint)
    buf_puts(s->out, "\033[0m");
}

uint32_t screen_lines(const struct buf *b) {
  uint32_t n = 0;
  for (size_t i = 0; i < b->len; i++)
    n += b->at[i] == '\n';
  return n;
}

void screen_put(struct screen *s, unsigned ink, const char *text) {
  struct buf b = {0};
  cell_clean(text, s->style.utf8, &b);
  painted(s, ink, buf_text(&b));
  buf_free(&b);
}

size_t screen_width(const struct screen *s, const char *text) {
  struct buf b = {0};
  cell_clean(text, s->style.utf8, &b);
  size_t width = cell_width(buf_text(&b));
  buf_free(&b);
  return width;
}

void screen_put_fit(struct screen *s, unsigned ink, const char *text,
                    size_t width, bool pad) {
  struct buf clean = {0}, fit = {0};
  cell_clean(text, s->style.utf8, &clean);
  cell_fit(buf_text(&clean), width, s->style.utf8, &fit);
  painted(s, ink, buf_text(&fit));
  size_t used = cell_width(buf_text(&fit));
  if (pad && used < width)
    buf_spaces(s->out, width - used);
  buf_free(&clean);
  buf_free(&fit);
}

void screen_wrap(struct screen *s, size_t used, size_t hang, const char *text) {
  size_t width = s->style.width;
  assert(hang < width); /* a line has room for a word */
  bool first = true;    /* no word stands on this line yet */
  struct buf clean = {0}, word = {0}, fit = {0};
  cell_clean(text, s->style.utf8, &clean);
  for (const char *p = buf_text(&clean); *p;) {
    size_t n = strcspn(p, " ");
    buf_clear(&word);
    buf_clear(&fit);
    buf_put(&word, p, n);
    cell_fit_middle(buf_text(&word), width - hang, s->style.utf8, &fit);
    size_t columns = cell_width(buf_text(&fit));
    if (used + !first + columns > width && used > hang) {
      buf_putc(s->out, '\n');
      buf_spaces(s->out, hang);
      used = hang;
      first = true;
    }
    if (!first)
      buf_putc(s->out, ' ');
    buf_puts(s->out, buf_text(&fit));
    used += !first + columns;
    first = false;
    p += n;
    p += strspn(p, " ");
  }
  buf_putc(s->out, '\n');
  buf_free(&clean);
  buf_free(&word);
  buf_free(&fit);
}

/* How many bytes of `s` take at most `room` columns, up to a space if there is
 * one in their second half. */
static size_t part_of(const char *s, size_t room) {
  size_t at = 0, used = 0, space = 0;
  struct buf one = {0};
  unsigned c;
  for (size_t n; (n = cell_decode(s + at, &c)) != 0; at += n) {
    buf_clear(&one);
    buf_put(&one, s + at, n);
    used += cell_width(buf_text(&one));
    if (used > room)
      break;
    if (s[at] == ' ' && used > room / 2)
      space = at;
  }
  buf_free(&one);
  return s[at] && space ? space : at;
}

void screen_put_broken(struct screen *s, unsigned ink, const char *clean,
                       size_t used, size_t hang) {
  size_t width = s->style.width;
  assert(used < width && hang < width);
  for (;;) {
    size_t n = part_of(clean, width - used);
    if (!n && *clean) /* a wide character in the last column */
      n = strlen(clean);
    struct buf line = {0};
    buf_put(&line, clean, n);
    painted(s, ink, buf_text(&line));
    buf_putc(s->out, '\n');
    buf_free(&line);
    clean += n;
    clean += strspn(clean, " ");
    if (!*clean)
      return;
    buf_spaces(s->out, hang);
    used = hang;
  }
}

void screen_label(struct screen *s, const char *label, const char *text) {
  buf_putc(s->out, '\n');
  screen_put(s, INK_BOLD, label);
  buf_puts(s->out, ": ");
  screen_wrap(s, strlen(label) + 2, 4, text);
}

void screen_paragraph(struct screen *s, size_t indent, size_t hang,
                      const char *text) {
  buf_spaces(s->out, indent);
  screen_wrap(s, indent, hang, text);
}

void screen_title(struct screen *s, const char *title) {
  buf_putc(s->out, '\n');
  screen_put_fit(s, INK_BOLD, title, s->style.width, false);
  buf_putc(s->out, '\n');
}
