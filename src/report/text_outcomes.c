/*
 * The outcomes of a client: one row for each combination of results, one column
 * for each call that returns something, in the order of the client.
 */
#include "report/cell.h"
#include "report/screen.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 20, GAP = 2, COUNT = 10 /* columns of "executions" */ };

struct columns {
  VEC(uint32_t) call;
  VEC(size_t) width;
};

static bool returns(const outcome_list *l, uint32_t call) {
  for (uint32_t i = 0; i < l->len; i++)
    if (call < l->at[i].results.len &&
        l->at[i].results.at[call].kind != VALUE_VOID)
      return true;
  return false;
}

static void put_cell(const struct story *story, uint32_t row, uint32_t call,
                     struct buf *out) {
  struct value v = story->outcomes->list->at[row].results.at[call];
  if (v.kind == VALUE_VOID) /* of a call that returns something */
    buf_puts(out, "waits");
  else
    story_put_value(story, v, out);
}

static void put_head(const struct story *story, uint32_t call,
                     struct buf *out) {
  const struct call *c = &story->outcomes->client->calls[call];
  if (c->thread)
    buf_printf(out, "%s ", story_thread(c->thread));
  call_print(c, &story->result->names, out);
}

/* False when the columns do not fit. */
static bool measure(struct screen *s, const struct story *story,
                    struct columns *c) {
  const struct story_outcomes *o = story->outcomes;
  struct buf b = {0};
  size_t all = GAP + COUNT;
  for (uint32_t i = 0; i < o->client->ncalls; i++) {
    if (!returns(o->list, i))
      continue;
    put_head(story, i, &b);
    size_t width = screen_width(s, buf_text(&b));
    for (uint32_t row = 0; row < o->list->len && row < ROWS; row++) {
      buf_clear(&b);
      put_cell(story, row, i, &b);
      size_t one = screen_width(s, buf_text(&b));
      width = one > width ? one : width;
    }
    buf_clear(&b);
    vec_push(&c->call, i);
    vec_push(&c->width, width);
    all += width + GAP;
  }
  buf_free(&b);
  return all + sizeof "  NOT ALLOWED" - 1 <= s->style.width;
}

static void put_end(struct screen *s, const struct outcome *o) {
  if (!o->allowed) {
    buf_puts(s->out, "  ");
    screen_put(s, INK_ERROR, "NOT ALLOWED");
  }
  buf_putc(s->out, '\n');
}

static void put_columns(struct screen *s, const struct story *story,
                        const struct columns *c) {
  const struct story_outcomes *o = story->outcomes;
  struct buf b = {0};
  buf_spaces(s->out, GAP);
  for (uint32_t i = 0; i < c->call.len; i++) {
    uint8_t thread = o->client->calls[c->call.at[i]].thread;
    put_head(story, c->call.at[i], &b);
    screen_put_fit(s, INK_THREAD + thread, buf_text(&b), c->width.at[i], true);
    buf_spaces(s->out, GAP);
    buf_clear(&b);
  }
  buf_puts(s->out, "executions\n");
  for (uint32_t row = 0; row < o->list->len && row < ROWS; row++) {
    buf_spaces(s->out, GAP);
    for (uint32_t i = 0; i < c->call.len; i++) {
      put_cell(story, row, c->call.at[i], &b);
      screen_put_fit(s, INK_PLAIN, buf_text(&b), c->width.at[i], true);
      buf_spaces(s->out, GAP);
      buf_clear(&b);
    }
    story_number(o->list->at[row].executions, &b);
    buf_spaces(s->out, b.len < COUNT ? COUNT - b.len : 0);
    buf_puts(s->out, buf_text(&b));
    buf_clear(&b);
    put_end(s, &o->list->at[row]);
  }
  buf_free(&b);
}

/* `     3  1, -1, 2` */
static void put_list(struct screen *s, const struct story *story,
                     const struct columns *c) {
  const struct story_outcomes *o = story->outcomes;
  struct buf b = {0};
  buf_puts(s->out, "  executions  results\n");
  for (uint32_t row = 0; row < o->list->len && row < ROWS; row++) {
    story_number(o->list->at[row].executions, &b);
    buf_spaces(s->out, GAP + (b.len < COUNT ? COUNT - b.len : 0));
    buf_puts(s->out, buf_text(&b));
    buf_spaces(s->out, GAP);
    buf_clear(&b);
    for (uint32_t i = 0; i < c->call.len; i++) {
      buf_puts(&b, i ? ", " : "");
      put_cell(story, row, c->call.at[i], &b);
    }
    size_t used = 2 * GAP + COUNT;
    buf_puts(&b, o->list->at[row].allowed ? "" : "  NOT ALLOWED");
    screen_wrap(s, used, used, buf_text(&b));
    buf_clear(&b);
  }
  buf_free(&b);
}

static void put_rest(struct screen *s, uint64_t n, const char *what) {
  if (!n)
    return;
  struct buf b = {0};
  buf_puts(&b, "and ");
  story_number(n, &b);
  buf_printf(&b, " %s%s", n == 1 ? "" : "more ", what);
  screen_paragraph(s, GAP, GAP, buf_text(&b));
  buf_free(&b);
}

void screen_outcomes(struct screen *s, const struct story *story) {
  const struct story_outcomes *o = story->outcomes;
  if (!o || !o->client || !o->client->ncalls)
    return; /* a program has none */
  struct columns c = {0};
  struct buf title = {0};
  buf_puts(&title, "Outcomes of ");
  client_print(o->client, &story->result->names, &title);
  buf_putc(&title, ':');
  if (story->result->finding)
    buf_putc(s->out, '\n');
  screen_wrap(s, 0, 4, buf_text(&title));
  bool fits = measure(s, story, &c);
  if (!o->list->len)
    buf_puts(s->out, "  none: every execution ended in a fault\n");
  else if (!c.call.len)
    buf_puts(s->out, "  one: no call returns a value\n");
  else if (fits)
    put_columns(s, story, &c);
  else
    put_list(s, story, &c);
  uint32_t n = o->list->len;
  put_rest(s, n > ROWS ? n - ROWS : 0, "outcomes; --json has all");
  if (o->faults && n) {
    buf_clear(&title);
    story_number(o->faults, &title);
    buf_printf(&title, " execution%s ended in a fault instead",
               o->faults == 1 ? "" : "s");
    screen_paragraph(s, GAP, GAP, buf_text(&title));
  }
  buf_free(&title);
  vec_free(&c.call);
  vec_free(&c.width);
}
