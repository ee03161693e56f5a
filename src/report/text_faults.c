/* The faults of one object, a line each: what the reports before it are about.
 */
#include "report/screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_doubt(const struct story *s) {
  return s->result->verdict == VERDICT_UNKNOWN;
}

static bool is_accepted(const struct story *s) {
  return s->result->accepted != NULL;
}

/* `2 faults, 1 doubt, 1 accepted` */
static void put_counts(const struct report_run *runs, uint32_t n,
                       struct buf *b) {
  uint32_t doubts = 0, accepted = 0;
  for (uint32_t i = 0; i < n; i++) {
    doubts += is_doubt(runs[i].story);
    accepted += is_accepted(runs[i].story);
  }
  uint32_t faults = n - doubts - accepted;
  if (faults)
    buf_printf(b, "%u fault%s", faults, faults == 1 ? "" : "s");
  if (doubts)
    buf_printf(b, "%s%u doubt%s", faults ? ", " : "", doubts,
               doubts == 1 ? "" : "s");
  if (accepted)
    buf_printf(b, ", %u accepted", accepted);
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
  if (is_accepted(story))
    buf_puts(&b, "accepted: ");
  buf_puts(&b, story->message);
  screen_paragraph(s, 2, 5, buf_text(&b));
  buf_free(&b);
}

/* The last search found nothing more: where?  The whole report has that at its
 * end already. */
static void put_searched(struct screen *s, const struct report_run *runs,
                         uint32_t n) {
  for (uint32_t i = 0; i < n && !s->style.whole; i++) {
    const char *all = runs[i].story->result->coverage.sentence;
    const char *last = all ? strstr(all, "no other fault") : NULL;
    if (last) {
      char *text = xasprintf("N%s.", last + 1);
      screen_paragraph(s, 2, 2, text);
      free(text);
    }
  }
}

void report_faults(const struct report_run *runs, uint32_t n,
                   const struct text_style *style, struct buf *out) {
  struct screen s = screen_open(style, out);
  struct buf b = {0};
  bool all_accepted = !runs[0].story->result->finding;
  if (n < 2 || all_accepted) /* the summary says so */
    return;
  buf_printf(&b, "%s: ", runs[0].story->result->object);
  put_counts(runs, n, &b);
  screen_title(&s, buf_text(&b));
  for (uint32_t i = 0; i < n; i++)
    put_fault(&s, i + 1, runs[i].story);
  put_searched(&s, runs, n);
  buf_free(&b);
}
