/*
 * The body of the fuzz targets of the readers.  A text of any bytes gives
 * histories or an error with its place; the same ones however the bytes come;
 * and what log_write makes of them is read as the same.
 */
#include "fuzz.h"

#include "history/read/int.h"

#include <inttypes.h>
#include <stdlib.h>

/* All histories of the text as log_write writes them, then the error; whether
 * there was none. */
static bool fuzz_read(struct buf *out, const char *text, size_t len,
                      size_t chunk, enum read_format format) {
  struct error e = {0};
  struct log l;
  int got = -1;
  struct reader *r = reader_of_chunks(text, len, chunk, "x", format, &e);
  while (r && (got = reader_log(r, &l, &e)) == 1) {
    log_check_invariants(&l);
    log_write(&l, out);
    log_free(&l);
  }
  FUZZ_CHECK((got < 0) == (e.code == ERR_INPUT));
  FUZZ_CHECK(got == 0 || !strncmp(e.text, "x:", 2));
  reader_close(r);
  if (got < 0)
    buf_puts(out, e.text);
  return got == 0;
}

static void fuzz_reader(const char *text, size_t len, enum read_format format) {
  struct buf whole = {0}, pieces = {0}, again = {0};
  bool good = fuzz_read(&whole, text, len, SIZE_MAX, format);
  FUZZ_CHECK(fuzz_read(&pieces, text, len, 1 + len % 13, format) == good);
  /* What is said of damaged gzip data depends on how many packed bytes there
   * are at once. */
  bool packed = len >= 2 && !memcmp(text, "\x1f\x8b", 2);
  FUZZ_CHECK((packed && !good) || !strcmp(buf_text(&whole), buf_text(&pieces)));
  /* The histories without the error, when there are any. */
  size_t histories = whole.len;
  while (histories && whole.at[histories - 1] != '\n')
    histories--;
  if (histories) {
    fuzz_read(&again, whole.at, histories, SIZE_MAX, READ_AUTO);
    whole.at[histories] = 0;
    bool deeper = strstr(buf_text(&again), "nested values");
    FUZZ_CHECK(deeper || !strcmp(buf_text(&whole), buf_text(&again)));
  }
  buf_free(&whole);
  buf_free(&pieces);
  buf_free(&again);
}
