/* STD traces: events or an error with its place, the same ones however the
 * bytes come. */
#define FUZZ_NAME "read_std"
#include "fuzz.h"

#include "history/read/std.h"

#include <string.h>

/* Whether it could be read to its end. */
static bool read_all(const char *text, size_t len, size_t chunk,
                     struct buf *out) {
  struct error e = {0};
  struct std_event ev;
  struct std_reader *r = std_of_text(text, len, chunk, "text", &e);
  int got = r ? 0 : -1;
  while (r && (got = std_next(r, &ev, &e)) > 0) {
    const char *thread = std_thread_name(r, ev.thread);
    buf_printf(out, "%d %s %u %d %llu ", ev.kind, thread, ev.object, ev.opens,
               (unsigned long long)ev.line);
    buf_put(out, ev.place, ev.place_len);
    buf_putc(out, '\n');
  }
  FUZZ_CHECK((got < 0) == (e.code != 0));
  if (got < 0 && strncmp(e.text, "text: ", 6)) /* gzip has no lines */
    FUZZ_CHECK(!strncmp(e.text, "text:", 5) && e.text[5] >= '0' &&
               e.text[5] <= '9');
  buf_puts(out, e.text);
  if (r)
    std_close(r);
  return !got;
}

static void fuzz_one(const char *text, size_t len) {
  struct buf whole = {0}, parts = {0};
  bool good = read_all(text, len, SIZE_MAX, &whole);
  bool good_parts = read_all(text, len, 3, &parts);
  FUZZ_CHECK(good == good_parts);
  /* How far damaged gzip data are read, and what is said of them, depends on
   * how many packed bytes there are at once. */
  bool packed = len >= 2 && !memcmp(text, "\x1f\x8b", 2);
  if (good || !packed)
    FUZZ_CHECK(whole.len == parts.len &&
               !memcmp(buf_text(&whole), buf_text(&parts), whole.len));
  buf_free(&whole);
  buf_free(&parts);
}
