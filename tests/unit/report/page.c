/* The page: its data, read back by another library, and what hostile texts
 * become in it. */
#include "fixture.h"
#include "json_test.h"
#include "test.h"

#include <string.h>

static const char DATA[] = "<script type=\"application/json\" id=\"data\">";

/* The data, as a browser finds them: up to the first end of a script. */
static const struct json_node *data_of(const struct buf *page) {
  const char *at = strstr(buf_text(page), DATA);
  const char *end = at ? strstr(at, "</script>") : NULL;
  if (!end)
    return NULL;
  at += strlen(DATA);
  return json_parsed(at, (size_t)(end - at));
}

static uint32_t count(const char *text, const char *what) {
  uint32_t n = 0;
  for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
    n++;
  return n;
}

static void page_of(struct fixture *f, struct buf *out) {
  struct story *s = story_new(&f->result, &f->namer);
  struct report_run run = {.story = s};
  report_html(&run, 1, out);
  story_free(s);
}

TEST(a_page_has_the_run_in_it) {
  struct fixture *f = fixture_violation();
  struct buf page = {0};
  page_of(f, &page);
  const struct json_node *j = data_of(&page);
  if (CHECK(j != NULL)) {
    CHECK_STR(json_text_of(json_get(j, "client")),
              "push(1); {push(2)} || {pop()}; pop()");
    CHECK_INT((int)json_len(json_get(j, "events")), 14);
    const struct json_node *rows = json_get(j, "rows");
    CHECK_INT((int)json_len(rows), 14);
    const struct json_node *row = json_at(rows, 6);
    CHECK_STR(json_text_of(json_get(row, "text")), "rmw s->top: 1 -> 2");
    CHECK_INT(json_number_of(json_get(row, "event")), 6);
    CHECK(json_is(json_get(j, "sources"), JSON_ARRAY));
  }
  CHECK(!strstr(buf_text(&page), "FAULTLINE-"));
  CHECK(!strstr(buf_text(&page), "http:") ||
        strstr(buf_text(&page), "http://www.w3.org/2000/svg"));
  CHECK(!strstr(buf_text(&page), "https:"));
  CHECK(page.len < 100000);
  buf_free(&page);
  fixture_free(f);
}

TEST(hostile_texts_do_not_end_the_script) {
  static const char hostile[] = "</script><script>alert(1)</script><!--<script>"
                                "\xe2\x80\xa8\xe2\x80\xa9]]>&lt;\xff\x01";
  struct fixture *f = fixture_violation();
  struct buf plain = {0}, page = {0};
  page_of(f, &plain);
  f->result.object = hostile;
  free(f->result.spec);
  f->result.spec = xstrdup(hostile);
  free(f->result.replay_command);
  f->result.replay_command = xstrdup(hostile);
  page_of(f, &page);
  const char *a = buf_text(&plain), *b = buf_text(&page);
  CHECK_INT(count(b, "<script"), count(a, "<script"));
  CHECK_INT(count(b, "</script"), count(a, "</script"));
  CHECK_INT(count(b, "<!--"), count(a, "<!--"));
  CHECK_INT(count(b, "\xe2\x80\xa8"), 0);
  CHECK_INT(count(b, "\xe2\x80\xa9"), 0);
  const struct json_node *j = data_of(&page);
  if (CHECK(j != NULL)) {
    CHECK_STR(json_text_of(json_get(j, "object")),
              "</script><script>alert(1)</script><!--<script>"
              "\xe2\x80\xa8\xe2\x80\xa9]]>&lt;\xef\xbf\xbd\x01");
  }
  buf_free(&plain);
  buf_free(&page);
  fixture_free(f);
}

/* A store that waits in its thread's buffer, and the commit that ends that. */
TEST(tells_of_store_buffers) {
  struct fixture *f = fixture_violation();
  uint32_t at = f->finding.trace.nevents;
  struct event *store = add(f, EV_WRITE, 1, 1, 1305, ITEM, 0, 2);
  store->flags = EVENT_ISSUED;
  add(f, EV_READ, 1, 1, 1305, ITEM, 0, 2)->flags = EVENT_FORWARDED;
  struct event *commit = add(f, EV_COMMIT, 1, 1, 1305, ITEM, 0, 2);
  commit->issue = at;
  struct buf page = {0};
  page_of(f, &page);
  const struct json_node *j = data_of(&page), *events = json_get(j, "events");
  CHECK(json_is_true(json_get(json_at(events, at), "buffered")));
  CHECK(json_is_true(json_get(json_at(events, at + 1), "forwarded")));
  CHECK_INT(json_number_of(json_get(json_at(events, at + 2), "issued")), at);
  buf_free(&page);
  fixture_free(f);
}

TEST(a_pass_has_a_page_too) {
  struct fixture *f = fixture_new("", FAULT_NONE);
  struct buf page = {0};
  page_of(f, &page);
  const struct json_node *j = data_of(&page);
  CHECK_STR(json_text_of(json_get(j, "verdict")), "pass");
  buf_free(&page);
  fixture_free(f);
}

TEST_MAIN
