/*
 * Inside of the readers.  Bytes come through a window (struct input) that holds
 * at least the form which is being read: a JSON object, an EDN map, a line.  A
 * form that ends beyond the window is read again from its start when there is
 * more of it; that happens once in a window, not once in a form.
 *
 * Who reads a form gives one of
 *   GOT   it is read, and the place is behind it
 *   MORE  the window ends inside of it
 *   BAD   the error says what was expected where
 */
#ifndef HISTORY_READ_INT_H
#define HISTORY_READ_INT_H

#include "base/buf.h"
#include "history/read/read.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

enum { GOT, MORE, BAD };

enum {
  WINDOW = 256 << 10,
  /* Of nested values.  A map of EDN is three values of JSON. */
  EDN_DEPTH_MAX = 100,
  JSON_DEPTH_MAX = 400,
  NAMES_MAX = 4000,   /* different operations in a file */
  FORM_MAX = 1 << 30, /* bytes of one form */
  SLACK = 16,         /* NULs behind the window */
  LOOK = 64 << 10,    /* bytes from which the format is recognised */
};

struct input {
  int fd;             /* -1: from memory */
  const char *memory; /* what is left of it */
  size_t memory_len;
  size_t chunk;         /* at most so many bytes at once; tests make it small */
  uint64_t size, taken; /* bytes of the file, 0: not known; those read of it */

  char *buf; /* the window, with NULs behind its last byte */
  size_t len, cap;
  bool eof;

  z_stream *gzip; /* NULL: plain */
  unsigned char *packed;
  bool gzip_ended; /* at the end of a member */
};

/* Opens and looks for gzip. */
int input_open(struct input *in, const char *path, struct error *e);
int input_of_memory(struct input *in, const char *text, size_t len,
                    size_t chunk, const char *name, struct error *e);
/* Forgets the first `used` bytes of the window and gets more behind the rest:
 * ERR_NONE with in->eof set when there is nothing more. */
int input_more(struct input *in, size_t used, const char *name,
               struct error *e);
void input_close(struct input *in);

/* A call that has not returned, by process. */
struct reader_call {
  uint32_t process;
  bool used;    /* a process that was seen */
  bool open;    /* it is inside of an operation */
  bool crashed; /* its last operation never returns */
  bool jepsen;  /* called in Jepsen's words: see jepsen.c */
  bool keyed;   /* the value is [key value] */
  uint16_t name;
  uint32_t line;
  uint64_t id;
  datum value; /* what the call was given, in Jepsen's words */
};

/* What jepsen.c has to know of an operation's name. */
enum name_kind {
  NAME_OTHER,
  NAME_READ,  /* read */
  NAME_GET,   /* get */
  NAME_WRITE, /* write */
  NAME_PUT,   /* put */
  NAME_CAS,   /* cas */
  NAME_VOID,  /* gives nothing */
  NAME_TAKE,  /* is given nothing */
};

struct reader_name {
  const char *text;
  uint32_t len;
  enum name_kind kind;
  uint64_t word, mask; /* its bytes, when there are at most eight */
};

/* `:a`, `a` and `"a"` are different keys, and the first two one datum. */
struct edn_key {
  datum key;
  uint64_t begins; /* with which character, where that matters */
};

#define NO_ID UINT64_MAX
#define NO_STAMP INT64_MIN /* no time, no index was said */

struct reader {
  char *path;
  enum read_format format;
  struct input in;
  const char *p, *end; /* the place, the end of the window; *end is 0 */
  uint32_t line;
  int64_t line_at; /* where the line begins, counted from the window's start */
  uint32_t form_line; /* where the form begins that is being read */
  int64_t form_line_at;
  uint32_t form_column;
  bool no_quick;   /* tests: jsonl_quick is not asked */
  bool one_a_line; /* a form of JSON may not go beyond its line */
  bool one_line;   /* the window is one line of a file, for a while */
  bool no_keys;    /* reader_has_no_keys */
  struct error *e; /* of the call in progress */
  bool failed;     /* an error was told: there is nothing more */

  struct buf scratch;       /* a text without its escapes */
  VEC(datum) items;         /* of lists that are being read */
  VEC(struct edn_key) keys; /* of maps that are being read */
  uint32_t depth;

  VEC(struct reader_name) names;
  struct arena arena;

  struct reader_call *calls; /* open addressing */
  uint32_t calls_mask, ncalls;
  VEC(uint64_t) ids; /* bits: numbers that operations had */

  int64_t last_time, last_index;
  bool some_time, some_index;

  bool array;        /* the forms stand inside of [ ] */
  bool array_ended;  /* and that was closed */
  uint8_t state;     /* of violat.c */
  bool begun;        /* an event was handed out */
  datum class_name;  /* violat.c */
  datum class_value; /* violat.c */
  bool told_head;    /* kv: the type was told */

  /* reader_log: an event that belongs to the next history. */
  struct log_event kept;
  bool has_kept;
  uint32_t nlogs;
  reader_limit *limit; /* or NULL */
  void *limit_ctx;
  bool ended; /* by it */
};

/* reader_of_text with at most `chunk` bytes at a time, for tests. */
struct reader *reader_of_chunks(const char *text, size_t len, size_t chunk,
                                const char *name, enum read_format format,
                                struct error *e);

/* What does not belong here at `at`, "expected …".  MORE when that is only the
 * end of the window. */
int reader_bad(struct reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What cannot be, in a form that is well written: file, line, column of it. */
int reader_refuse(struct reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void reader_newline(struct reader *r, const char *at) {
  r->line++;
  r->line_at = at + 1 - r->in.buf;
}

/* The items that were read from `base` on; none before the first one. */
static inline datum *items_from(struct reader *r, uint32_t base) {
  return r->items.at ? r->items.at + base : NULL;
}

/* A form begins at the place. */
static inline void reader_mark(struct reader *r) {
  r->form_line = r->line;
  r->form_line_at = r->line_at;
  r->form_column = (uint32_t)(r->p - r->in.buf - r->line_at + 1);
}

/* The column of something in a form, told with the line on which the form
 * begins: where it stands if that is there, else where the form begins. */
static inline uint32_t reader_column(const struct reader *r, const char *at) {
  return r->line == r->form_line
             ? (uint32_t)(at - r->in.buf - r->form_line_at + 1)
             : r->form_column;
}

/* An empty event of this kind, with the line of the place. */
static inline void event_begin(const struct reader *r, struct log_event *ev,
                               enum log_event_kind kind) {
  *ev = (struct log_event){.kind = kind,
                           .line = r->form_line,
                           .column = r->form_column,
                           .arg = {DATUM_NONE, DATUM_NONE, DATUM_NONE},
                           .result = DATUM_NONE,
                           .order = LOG_NO_HINT,
                           .type_argument = DATUM_NONE};
}

/* From the first bytes, which begin at p and end with a NUL; AUTO: nothing was
 * recognised.  `whole`: there will not be more to look at. */
enum read_format recognise(const char *p, const char *end, bool whole);

/* One a format: the next event of the window, or what to do for it. */
enum {
  NEXT_EVENT = GOT,
  NEXT_MORE = MORE,
  NEXT_BAD = BAD,
  NEXT_END,
  NEXT_AGAIN, /* something was read that is no event */
};
int jsonl_next(struct reader *r, struct log_event *ev);
/* The same for a line of the usual form; false: it is not one, and nothing was
 * done but to *ev. */
bool jsonl_quick(struct reader *r, struct log_event *ev);
int edn_next(struct reader *r, struct log_event *ev); /* kv too */
int jepsen_log_next(struct reader *r, struct log_event *ev);
int violat_next(struct reader *r, struct log_event *ev);

#endif
