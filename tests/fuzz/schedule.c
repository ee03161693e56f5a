/* Schedule files. */
#define FUZZ_NAME "schedule"
#include "fuzz.h"

#include "model/schedule.h"

#include <string.h>

static void fuzz_one(const char *text, size_t len) {
  struct schedule s = {0}, again = {0};
  struct error e = {0};
  struct buf in = {0}, out = {0};
  buf_put(&in, text, len);
  if (schedule_parse(&s, &in, "file", &e)) {
    FUZZ_CHECK(e.code == ERR_INPUT && !strncmp(e.text, "file:", 5));
    FUZZ_CHECK(!s.turns.len && !s.client);
    buf_free(&in);
    return;
  }
  for (uint32_t i = 0; i < s.turns.len; i++) {
    FUZZ_CHECK(s.turns.at[i].steps > 0);
    FUZZ_CHECK(s.turns.at[i].is_choice ||
               s.turns.at[i].thread <= SCHEDULE_MAX_THREAD);
  }
  schedule_print(&s, &out);
  FUZZ_CHECK(!schedule_parse(&again, &out, "file", &e));
  FUZZ_CHECK(schedule_equal(&s, &again));
  buf_free(&in);
  buf_free(&out);
  schedule_free(&s);
  schedule_free(&again);
}
