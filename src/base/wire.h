/*
 * Messages between processes: numbers and byte strings one behind the other.
 * Both ends are the same program on the same kind of machine.  The writer
 * cannot fail; the reader believes nothing: what does not fit gives 0 or an
 * empty string, and sets `bad`.
 */
#ifndef BASE_WIRE_H
#define BASE_WIRE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void wire_put(struct buf *b, uint64_t n) {
  buf_put(b, &n, sizeof n);
}

static inline void wire_put_real(struct buf *b, double d) {
  buf_put(b, &d, sizeof d);
}

static inline void wire_put_bytes(struct buf *b, const void *at, size_t n) {
  wire_put(b, n);
  if (n)
    buf_put(b, at, n);
}

/* NULL is told apart from "". */
static inline void wire_put_text(struct buf *b, const char *text) {
  wire_put(b, text != NULL);
  if (text)
    wire_put_bytes(b, text, strlen(text));
}

struct wire {
  const char *at;
  size_t len, next;
  bool bad;
};

static inline const void *wire_take(struct wire *w, size_t n) {
  if (w->bad || n > w->len - w->next) {
    w->bad = true;
    return NULL;
  }
  const void *at = w->at + w->next;
  w->next += n;
  return at;
}

static inline uint64_t wire_get(struct wire *w) {
  uint64_t n = 0;
  const void *at = wire_take(w, sizeof n);
  if (at)
    memcpy(&n, at, sizeof n);
  return n;
}

static inline double wire_get_real(struct wire *w) {
  double d = 0;
  const void *at = wire_take(w, sizeof d);
  if (at)
    memcpy(&d, at, sizeof d);
  return d;
}

/* Bytes within the message; *n is 0 when there are none. */
static inline const void *wire_get_bytes(struct wire *w, size_t *n) {
  uint64_t len = wire_get(w);
  const void *at = len <= SIZE_MAX ? wire_take(w, len) : NULL;
  *n = at ? len : 0;
  return at ? at : "";
}

/* xmalloced, or NULL when there was none. */
static inline char *wire_get_text(struct wire *w) {
  size_t n;
  if (!wire_get(w))
    return NULL;
  const char *at = wire_get_bytes(w, &n);
  return xstrndup(at, n);
}

/* A count of things that take at least `each` bytes: what cannot be there is
 * bad before memory is made for it. */
static inline uint32_t wire_get_count(struct wire *w, size_t each) {
  uint64_t n = wire_get(w);
  if (w->bad || n > (w->len - w->next) / each || n > UINT32_MAX) {
    w->bad = true;
    return 0;
  }
  return (uint32_t)n;
}

#endif
