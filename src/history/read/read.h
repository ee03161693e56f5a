/*
 * Histories from files of any origin, as a stream of log events in constant
 * memory.  The reader recognises the format by the content, and unpacks gzip.
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

/* "-" is standard input.  Reads only the beginning of the file.  NULL with
 * ERR_INPUT: the format was not recognised, or the file cannot be read. */
struct reader *reader_open(const char *path, enum read_format format,
                           struct error *e);
/* For tests and libraries: from memory. */
struct reader *reader_of_text(const char *text, size_t len, const char *name,
                              enum read_format format, struct error *e);
/* 1: *ev is the next event; 0: the end; -1: *e says file, line, column and what
 * was expected. */
int reader_next(struct reader *r, struct log_event *ev, struct error *e);
/* The object has no keys: a [a b] of Jepsen is an ordinary value, not a key and
 * a value.  Otherwise events say that it was a pair (log_event.pair). */
void reader_has_no_keys(struct reader *r);
enum read_format reader_format(const struct reader *r);
void reader_close(struct reader *r);

/* The next whole history of the file: 1, or 0 at the end, or -1. */
int reader_log(struct reader *r, struct log *out, struct error *e);
/*
 * reader_log asks this from time to time while it reads a history, which has so
 * many operations by then.  NULL: go on; else the reason why the history is not
 * kept (log->stopped).  After "time" the file counts as ended.
 */
typedef const char *reader_limit(void *ctx, uint64_t operations);
void reader_set_limit(struct reader *r, reader_limit *limit, void *ctx);

/* Writes a log in Faultline's own format, docs/history.md. */
void log_write(const struct log *l, struct buf *out);

#endif
