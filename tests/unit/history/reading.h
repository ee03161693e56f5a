/* Histories of a text, as texts: what the tests of the readers compare. */
#ifndef TESTS_READING_H
#define TESTS_READING_H

#include "history/read/int.h"
#include "history/read/token.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>

/* "0 write(3) 1-4; 2 read() = nil 2-; | …": process, operation, times; notes as
 * "start 3-"; the histories between bars; or the error. */
static inline void put_log(struct buf *out, const struct log *l) {
  if (l->type) {
    buf_printf(out, "<%s", l->type);
    if (l->type_argument != DATUM_NONE) {
      buf_putc(out, ' ');
      datum_print(l->type_argument, out);
    }
    buf_puts(out, "> ");
  }
  for (uint32_t i = 0; i < l->ops.len; i++) {
    const struct log_op *o = &l->ops.at[i];
    buf_printf(out, "%" PRIu32 " ", o->process);
    log_print_op(l, o, out);
    if (o->order != LOG_NO_HINT)
      buf_printf(out, " #%" PRIu64, o->order);
    buf_printf(out, " %" PRIu32 "-", o->call);
    if (o->ret != LOG_PENDING)
      buf_printf(out, "%" PRIu32, o->ret);
    buf_puts(out, "; ");
  }
  for (uint32_t i = 0; i < l->notes.len; i++) {
    const struct log_note *n = &l->notes.at[i];
    buf_printf(out, "'%s' %" PRIu32 "-", n->text, n->from);
    if (n->to != LOG_PENDING)
      buf_printf(out, "%" PRIu32, n->to);
    buf_puts(out, "; ");
  }
}

static inline void put_histories(struct buf *out, struct reader *r,
                                 struct error *e) {
  struct log l;
  int got;
  while ((got = reader_log(r, &l, e)) == 1) {
    log_check_invariants(&l);
    if (out->len)
      buf_puts(out, "| ");
    put_log(out, &l);
    log_free(&l);
  }
  if (got < 0) {
    buf_clear(out);
    buf_puts(out, e->text);
  }
}

static inline const char *read_chunks(const char *text, size_t len,
                                      size_t chunk, enum read_format format) {
  static struct buf out;
  struct error e = {0};
  buf_clear(&out);
  struct reader *r = reader_of_chunks(text, len, chunk, "x", format, &e);
  if (r)
    put_histories(&out, r, &e);
  else
    buf_puts(&out, e.text);
  CHECK(!e.code || e.code == ERR_INPUT);
  reader_close(r);
  return buf_text(&out);
}

/* The same must come out however the bytes come in. */
static inline const char *reading(const char *text, size_t len,
                                  enum read_format format) {
  char *whole = xstrdup(read_chunks(text, len, SIZE_MAX, format));
  for (size_t chunk = 1; chunk < 20; chunk += 3)
    CHECK_STR(read_chunks(text, len, chunk, format), whole);
  static struct buf out;
  buf_clear(&out);
  buf_puts(&out, whole);
  free(whole);
  return buf_text(&out);
}

#define READS(TEXT, AS)                                                        \
  CHECK_STR(reading(TEXT, sizeof(TEXT) - 1, READ_AUTO), AS)
#define READS_AS(FORMAT, TEXT, AS)                                             \
  CHECK_STR(reading(TEXT, sizeof(TEXT) - 1, FORMAT), AS)

/* The folder of recorded histories, or NULL, which is told once. */
static inline const char *recorded(const char *name) {
  static char path[4096];
  static bool told;
  const char *root = getenv("SOURCE_DIR");
  snprintf(path, sizeof path, "%s/../shared/data/%s", root ? root : ".", name);
  FILE *f = fopen(path, "r");
  if (f) {
    fclose(f);
    return path;
  }
  if (!told)
    printf("skipped: there is no ../shared/data\n");
  told = true;
  return NULL;
}

#endif
