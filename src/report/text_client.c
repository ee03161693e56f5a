/* The client in the terminal report: its title, its results, and the long ones
 * that real threads ran. */
#include "report/screen.h"

#include <assert.h>
#include <string.h>

const char *screen_client_title(const struct finding *f) {
  if (f->fault == FAULT_NONE)
    return "Client";
  if (fault_is_doubt(f->fault))
    return f->minimal_checked ? "Smallest client that comes there"
                              : "Client that comes there";
  return f->minimal_checked ? "Smallest failing client" : "Failing client";
}

/* The calls [from, to) on one line, behind the thread's name. */
static void put_results(struct screen *s, const struct story *story,
                        const char *who, unsigned ink, uint32_t from,
                        uint32_t to) {
  if (from == to)
    return;
  assert(from < to && to <= story->result->finding->client.ncalls);
  struct buf b = {0};
  for (uint32_t i = from; i < to; i++) {
    buf_puts(&b, i > from ? "; " : "");
    story_put_result(story, i, &b);
  }
  buf_spaces(s->out, 2);
  screen_put_fit(s, ink, who, 8, true);
  screen_wrap(s, 10, 10, buf_text(&b));
  buf_free(&b);
}

void screen_results(struct screen *s, const struct story *story) {
  const struct client *c = &story->result->finding->client;
  if (c->ncalls == 0 || !story->result->finding->trace.history.ops)
    return;
  screen_title(s, "Results:");
  put_results(s, story, "before", INK_PLAIN, 0, c->ninit);
  uint32_t end = client_first_final(c);
  for (uint32_t i = c->ninit, next; i < end; i = next) {
    uint8_t thread = c->calls[i].thread;
    for (next = i; next < end && c->calls[next].thread == thread;)
      next++;
    put_results(s, story, story_thread(thread), INK_THREAD + thread, i, next);
  }
  put_results(s, story, "after", INK_PLAIN, end, c->ncalls);
}

enum { MANY_CALLS = 40, FIRST_CALLS = 3 };

bool screen_has_long_client(const struct finding *f) {
  return f->real_threads && f->client.ncalls > MANY_CALLS;
}

/* One line a thread: its first calls, and how many more. */
static void put_beginnings(struct screen *s, const struct story *story) {
  const struct client *c = &story->result->finding->client;
  for (uint32_t i = 0, next; i < c->ncalls; i = next) {
    uint8_t thread = c->calls[i].thread;
    struct buf b = {0};
    for (next = i; next < c->ncalls && c->calls[next].thread == thread;)
      next++;
    for (uint32_t k = i; k < next && k < i + FIRST_CALLS; k++) {
      buf_puts(&b, k > i ? "; " : "");
      story_put_result(story, k, &b);
    }
    if (next - i > FIRST_CALLS) {
      buf_puts(&b, "; and ");
      story_number(next - i - FIRST_CALLS, &b);
      buf_printf(&b, " more call%s", next - i - FIRST_CALLS == 1 ? "" : "s");
    }
    buf_spaces(s->out, 2);
    screen_put_fit(s, INK_THREAD + thread,
                   thread         ? story_thread(thread)
                   : i < c->ninit ? "before"
                                  : "after",
                   8, true);
    screen_wrap(s, 10, 10, buf_text(&b));
    buf_free(&b);
  }
}

/* How far the longest explanation goes. */
static void put_short_why(struct screen *s, const struct story *story) {
  const struct finding *f = story->result->finding;
  if (!f->refutations.len)
    return;
  struct refutation last = f->refutations.at[0];
  uint32_t explained = (uint32_t)last.order.len - 1;
  uint32_t call = last.order.at[explained];
  last.order.at += explained;
  last.order.len = 1;
  struct buf b = {0}, text = {0};
  story_put_refutation(story, &last, &text);
  story_number(explained, &b);
  buf_printf(&b, " call%s can be put in order; then %s:%s",
             explained == 1 ? "" : "s",
             story_thread(f->client.calls[call].thread),
             buf_text(&text) + strlen("first"));
  screen_title(s, "How far an order explains them:");
  screen_paragraph(s, 2, 6, buf_text(&b));
  buf_free(&b);
  buf_free(&text);
}

void screen_long_client(struct screen *s, const struct story *story) {
  screen_title(s, "Failing client, shortened, with its results:");
  put_beginnings(s, story);
  put_short_why(s, story);
}
