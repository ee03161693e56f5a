/* News of a pool as bytes: they come back as they were, or not at all. */
#include "proc/pool_remote.h"
#include "test.h"

#include <stdlib.h>

static struct pool_message a_hang(void) {
  struct pool_message m = {.news = POOL_HANGS};
  m.death = (struct pool_death){.status = 9,
                                .hang = HANG_STILL,
                                .known = true,
                                .client = xstrdup("push(1) || pop()"),
                                .path = (uint8_t *)xstrdup("\1\2"),
                                .len = 2,
                                .clients = 7,
                                .executions = 11};
  return m;
}

static bool read_back(const struct buf *bytes, size_t len,
                      struct pool_message *out) {
  struct wire w = {.at = buf_text(bytes), .len = len};
  *out = (struct pool_message){0};
  return message_read(out, &w);
}

TEST(a_hang_comes_back_as_it_was) {
  struct pool_message m = a_hang(), got;
  struct buf bytes = {0};
  message_write(&m, &bytes);
  CHECK(read_back(&bytes, bytes.len, &got));
  CHECK_INT(got.news, POOL_HANGS);
  CHECK_INT(got.death.hang, HANG_STILL);
  CHECK_INT(got.death.status, 9);
  CHECK_STR(got.death.client, m.death.client);
  CHECK_INT(got.death.len, 2);
  CHECK_INT(got.death.path[1], 2);
  CHECK_INT((long long)got.death.executions, 11);
  message_clear(&got);
  message_clear(&m);
  buf_free(&bytes);
}

TEST(what_is_cut_short_is_no_news) {
  struct pool_message m = a_hang(), got;
  struct buf bytes = {0};
  message_write(&m, &bytes);
  for (size_t len = 0; len < bytes.len; len++)
    if (!CHECK(!read_back(&bytes, len, &got)))
      message_clear(&got);
  message_clear(&m);
  buf_free(&bytes);
}

TEST(a_hang_of_no_known_kind_is_no_news) {
  struct pool_message m = a_hang(), got;
  struct buf bytes = {0};
  m.death.hang = (enum worker_hang)(HANG_LATE + 1);
  message_write(&m, &bytes);
  CHECK(!read_back(&bytes, bytes.len, &got));
  message_clear(&m);
  buf_free(&bytes);
}

TEST_MAIN
