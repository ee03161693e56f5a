/* The faults of one object, a line each: what the reports before it are about.
 */
#include "report/screen.h"

#include <inttypes.h>
#include <string.h>

static bool is_doubt(const struct story *s) {
  return s->result->verdict == VERDICT_UNKNOWN;
}

/* `2 faults, 1 doubt` */
static void put_counts(const struct report_run *runs, uint32_t n,
                       struct buf *b) {
  uint32_t doubts = 0;
  for (uint32_t i = 0; i < n; i++)
    doubts += is_doubt(runs[i].story);
  if (n > doubts)
    buf_printf(b, "%u fault%s", n - doubts, n - doubts == 1 ? "" : "s");
  if (doubts)
    buf_printf(b, "%s%u doubt%s", n > doubts ? ", " : "", doubts,
               doubts == 1 ? "" : "s");
}

static void put_fault(struct screen *s, uint32_t number,
                      const struct story *story) {
  const struct place *p = story->place;
  struct buf b = {0};
  buf_printf(&b, "%u. ", number);
  if (p->file && p->line)
    buf_printf(&b, "%s:%" PRIu32 ": ", p->file, p->line);
  if (is_doubt(story) && strncmp(story->message, "inconclusive", 12) != 0)
    buf_puts(&b, "inconclusive: ");
  buf_puts(&b, story->message);
  screen_paragraph(s, 2, 5, buf_text(&b));
  buf_free(&b);
}

void report_faults(const struct report_run *runs, uint32_t n,
                   const struct text_style *style, struct buf *out) {
  struct screen s = screen_open(style, out);
  struct buf b = {0};
  if (n < 2)
    return;
  buf_printf(&b, "%s: ", runs[0].story->result->object);
  put_counts(runs, n, &b);
  screen_title(&s, buf_text(&b));
  for (uint32_t i = 0; i < n; i++)
    put_fault(&s, i + 1, runs[i].story);
  buf_free(&b);
}
