/*
 * The whole of a finding, in the terminal report with --verbose: every row,
 * every result, the orders that were tried, the nearest passing schedule, the
 * races that decide and all causes.
 */
#include "report/races.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Orders that differ only in whose of two equal calls comes first read the
 * same: one of them is enough. */
static bool said_before(const struct story *story, uint32_t at,
                        const char *text) {
  const refutation_list *l = &story->result->finding->refutations;
  struct buf b = {0};
  bool same = false;
  for (uint32_t i = 0; i < at && !same; i++) {
    buf_clear(&b);
    if (l->at[i].order.len)
      story_put_refutation(story, &l->at[i], &b);
    same = strcmp(buf_text(&b), text) == 0;
  }
  buf_free(&b);
  return same;
}

static void put_refutation(struct screen *s, const struct story *story,
                           uint32_t at) {
  const struct refutation *r = &story->result->finding->refutations.at[at];
  struct buf b = {0};
  if (r->order.len)
    story_put_refutation(story, r, &b);
  if (b.len && !said_before(story, at, b.at)) {
    screen_paragraph(s, 2, 6, b.at);
  }
  buf_free(&b);
}

static void put_orders_title(struct screen *s, enum criterion criterion) {
  struct buf b = {0};
  buf_printf(
      &b, "Why no order %s explains them:", criterion_words[criterion].orders);
  screen_title(s, buf_text(&b));
  buf_free(&b);
}

static void put_why(struct screen *s, const struct story *story) {
  const struct finding *f = story->result->finding;
  if (f->refutations.len == 0)
    return;
  enum criterion criterion = criterion_named(story->result->criterion);
  if (f->fault == FAULT_SEQUENTIAL)
    screen_title(s, "What is wrong:");
  else
    put_orders_title(s, criterion);
  for (uint32_t i = 0; i < f->refutations.len; i++)
    put_refutation(s, story, i);
  if (f->only_late)
    screen_paragraph(s, 2, 2, story_only_late);
  if (f->more_refutations) {
    struct buf b = {0};
    buf_puts(&b, "and ");
    story_count(f->more_refutations, &b);
    buf_puts(&b, f->more_refutations == 1 ? " more order" : " more orders");
    screen_paragraph(s, 2, 2, buf_text(&b));
    buf_free(&b);
  }
}

/* How large it was, and whether it is known that it cannot be smaller. */
static void put_client_title(struct screen *s, const struct finding *f) {
  const struct minimal *m = &f->minimal;
  struct buf b = {0};
  buf_puts(&b, screen_client_title(f));
  if (f->fault != FAULT_NONE && m->from > f->client.ncalls) {
    buf_puts(&b, " (shrunk from ");
    story_number(m->from, &b);
    buf_puts(&b, " calls to ");
    story_number(f->client.ncalls, &b);
    buf_printf(&b, "; %sproved minimal)", f->minimal_checked ? "" : "not ");
  } else if (f->fault != FAULT_NONE && (m->tried || f->minimal_checked)) {
    buf_printf(&b, " (%sproved minimal)", f->minimal_checked ? "" : "not ");
  }
  buf_putc(&b, ':');
  screen_title(s, buf_text(&b));
  buf_free(&b);
}

static void put_type(struct screen *s, const struct finding *f) {
  static const char *const words[] = {
      NULL,
      "The results of the concurrent calls alone cannot be explained (CGVT's "
      "type 1).",
      "The results of the concurrent calls alone can be explained; a call "
      "after them shows the fault (CGVT's type 2)."};
  assert(f->minimal.type < sizeof words / sizeof *words);
  if (!words[f->minimal.type])
    return;
  screen_paragraph(s, 2, 2, words[f->minimal.type]);
}

void screen_whole(struct screen *s, const struct story *story) {
  const struct finding *f = story->result->finding;
  if (screen_has_long_client(f)) {
    screen_long_client(s, story);
    return;
  }
  if (f->client.ncalls) {
    put_client_title(s, f);
    screen_paragraph(s, 2, 6, story->client);
    put_type(s, f);
  }
  screen_rows(s, story, 0);
  screen_results(s, story);
  put_why(s, story);
  if (f->kind.fix)
    screen_label(s, "Fix", story->fix);
  screen_nearest(s, story);
  screen_races(s, story);
  screen_causes(s, story);
  screen_fences(s, story);
  screen_patch(s, story);
}
