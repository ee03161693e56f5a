/*
 * The text format STD of the RAPID trace tools, as a stream: one event a line,
 *
 *   T0|w(V1)|345
 *
 * thread, operation, place; the place may be missing and is any text.  The
 * operations are r(variable), w(variable), acq(lock), rel(lock), fork(thread),
 * join(thread), begin and end (of a transaction; nested ones count once).
 * Gzip is seen through; memory is that of the names.
 *
 * Impossible events are refused with file, line and reason: an end without a
 * begin, a begin without an end, a release by a thread that does not hold the
 * lock, an acquire of a held lock, a join of an unknown thread, a fork of a
 * running thread, an event after the join.
 */
#ifndef HISTORY_READ_STD_H
#define HISTORY_READ_STD_H

#include "base/err.h"
#include "model/txn.h"

#include <stdbool.h>
#include <stddef.h>

struct std_event {
  enum txn_kind kind; /* acquire and release are TXN_RMW on the lock */
  uint32_t thread, object;
  bool opens; /* a transaction begins with it */
  uint64_t line;
  const char *place; /* until the next event; not ended by NUL */
  size_t place_len;
};

struct std_reader;

struct std_reader *std_open(const char *path, struct error *e);
/* From memory, at most `chunk` bytes at a time. */
struct std_reader *std_of_text(const char *text, size_t len, size_t chunk,
                               const char *name, struct error *e);
/* 1: *ev is the next event; 0: the end; -1: *e says what is wrong. */
int std_next(struct std_reader *r, struct std_event *ev, struct error *e);
const char *std_thread_name(const struct std_reader *r, uint32_t thread);
const char *std_object_name(const struct std_reader *r, uint32_t object);
void std_close(struct std_reader *r);

/* Whether the beginning of a file looks like this format. */
bool std_recognise(const char *text, size_t len);

#endif
