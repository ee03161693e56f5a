/*
 * Histories from files of any origin, as a stream of log events in constant
 * memory.  The format is recognised by its content.  Gzip is seen through.
 */
#ifndef HISTORY_READ_READ_H
#define HISTORY_READ_READ_H

#include "model/log.h"

#define READ_FORMATS(_)                                                        \
  _(AUTO, "auto", "recognised by content")                                     \
  _(JSONL, "jsonl", "Faultline JSON lines, docs/history.md")                   \
  _(EDN, "edn", "Jepsen and Knossos histories")                                \
  _(JEPSEN_LOG, "jepsen-log", "lines that Jepsen prints (INFO jepsen.util)")   \
  _(KV, "kv", "key-value logs as porcupine's tests have them")                 \
  _(VIOLAT, "violat", "check-lin and Violat JSON")

#define READ_ENUM(id, name, meaning) READ_##id,
enum read_format { READ_FORMATS(READ_ENUM) };
#undef READ_ENUM
extern const char *const read_format_name[]; /* ends with NULL */

struct reader;

/* "-" is standard input.  The file is not read to its end here; what cannot be
 * recognised is ERR_INPUT with what was looked for. */
struct reader *reader_open(const char *path, enum read_format format,
                           struct error *e);
/* For tests and libraries: from memory. */
struct reader *reader_of_text(const char *text, size_t len, const char *name,
                              enum read_format format, struct error *e);
/* 1: *ev is the next event; 0: the end; -1: *e says file, line, column and what
 * was expected. */
int reader_next(struct reader *r, struct log_event *ev, struct error *e);
/* The object is not one by key: [a b] of Jepsen is a value like any other, and
 * not a key and a value.  Else events say that it was (log_event.pair). */
void reader_has_no_keys(struct reader *r);
enum read_format reader_format(const struct reader *r);
void reader_close(struct reader *r);

/* The next whole history of the file: 1, or 0 at the end, or -1. */
int reader_log(struct reader *r, struct log *out, struct error *e);
/*
 * What reader_log asks from time to time while it reads a history of so many
 * operations: NULL, or why it shall not be kept (log->stopped).  After "time"
 * the file has ended.
 */
typedef const char *reader_limit(void *ctx, uint64_t operations);
void reader_set_limit(struct reader *r, reader_limit *limit, void *ctx);

/* Writes a log in Faultline's own format, docs/history.md. */
void log_write(const struct log *l, struct buf *out);

#endif
