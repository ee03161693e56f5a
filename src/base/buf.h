/*
 * A growing string, always zero-terminated.  `struct buf b = {0}` is empty and
 * buf_text() of it is "".
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct buf {
  char *at;
  size_t len, cap;
};

void buf_putc(struct buf *b, char c);
void buf_puts(struct buf *b, const char *s);
void buf_put(struct buf *b, const void *bytes, size_t n);
void buf_printf(struct buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void buf_spaces(struct buf *b, size_t n); /* n spaces; 0 adds nothing */
void buf_clear(struct buf *b);
void buf_free(struct buf *b);
const char *buf_text(const struct buf *b);

/* Reads a whole file; on error sets `e` ("path: reason") and returns its code.
 */
int buf_read_file(struct buf *b, const char *path, struct error *e);

/*
 * Writes the file whole or not at all (a temporary file in the same folder,
 * then rename).  "-" is standard output.
 */
int buf_write_file(const struct buf *b, const char *path, struct error *e);

#endif
