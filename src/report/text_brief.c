/*
 * A finding on one screen: the client, the interleaving with what decides
 * nothing folded, why the results are wrong, and what to do.
 *
 * With 80 columns or more all of the report has at most 40 lines, unless its
 * decisive rows or the answer need more.
 */
#include "report/screen.h"

#include <inttypes.h>

enum {
  SCREEN = 40,
  END = 8,        /* lines that follow: replay, the full report, the summary */
  ROWS_TITLE = 3, /* an empty line, the title, the threads */
  ROWS_GOOD = 16, /* enough of them to keep all notes of the answer */
  ROWS_LEAST = 8, /* else the decisive steps have no company */
};

static void put_client(struct screen *s, const struct story *story) {
  const struct finding *f = story->result->finding;
  const struct result *r = story->result;
  struct buf label = {0};
  if (!f->client.ncalls)
    return;
  buf_puts(&label, screen_client_title(f));
  if (r->shrink.version && f->minimal.from > f->client.ncalls) {
    buf_puts(&label, " (shrunk from ");
    story_number(f->minimal.from, &label);
    buf_printf(&label, " calls to %" PRIu32 ")", f->client.ncalls);
  }
  screen_label(s, label.at, story->client);
  buf_free(&label);
}

static void put_sentences(struct screen *s, const struct story *story) {
  const struct finding *f = story->result->finding;
  if (story->why)
    screen_label(s, "Why", story->why);
  if (story->fix)
    screen_label(s, "Fix", story->fix);
  else if (story->nearest)
    screen_label(s, "Nearest passing schedule", story->nearest);
  if (f->patch.asked)
    screen_patch(s, story);
}

/* The sentences that do not fit are those that the interleaving shows. */
void screen_brief(struct screen *s, const struct story *story) {
  const struct finding *f = story->result->finding;
  struct buf all = {0}, few = {0}, client = {0}, below = {0};
  struct screen to_all = screen_open(&s->style, &all);
  struct screen to_few = screen_open(&s->style, &few);
  struct screen to_client = screen_open(&s->style, &client);
  struct screen to_below = screen_open(&s->style, &below);
  screen_answer(&to_all, story, true);
  screen_answer(&to_few, story, false);
  if (screen_has_long_client(f)) {
    screen_long_client(&to_client, story);
  } else {
    put_client(&to_client, story);
    if (!story->rows.len)
      screen_results(&to_client, story);
    put_sentences(&to_below, story);
  }
  uint32_t rest =
      screen_lines(&client) + screen_lines(&below) + END + ROWS_TITLE;
  uint32_t rows = screen_row_lines(story);
  bool fits =
      screen_lines(&all) + rest + (rows < ROWS_GOOD ? rows : ROWS_GOOD) <=
      SCREEN;
  struct buf *answer = fits ? &all : &few;
  uint32_t used = screen_lines(answer) + rest;
  buf_puts(s->out, buf_text(answer));
  buf_puts(s->out, buf_text(&client));
  screen_rows(s, story,
              used + ROWS_LEAST < SCREEN ? SCREEN - used : ROWS_LEAST);
  buf_puts(s->out, buf_text(&below));
  buf_free(&all);
  buf_free(&few);
  buf_free(&client);
  buf_free(&below);
}
