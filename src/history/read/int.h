/*
 * Inside the readers.  Bytes come through a window (struct input) that holds at
 * least the form that is being read: a JSON object, an EDN map, a line.  A form
 * that ends beyond the window is read again from its start when more bytes have
 * come; that happens once in a window, not once in a form.
 *
 * A function that reads a form returns
 *   GOT   the form is read, and the place is after it;
 *   MORE  the window ends inside the form;
 *   BAD   the error says what was expected where.
 */
#ifndef HISTORY_READ_INT_H
#define HISTORY_READ_INT_H

#include "base/lex.h"
#include "base/table.h"
#include "history/read/read.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

enum { GOT, MORE, BAD };

enum {
  WINDOW = 256 << 10,
  EDN_DEPTH_MAX = 100, /* nested values; a map becomes three values of JSON */
  NAMES_MAX = 4000,    /* different operations in a file */
  FORM_MAX = 1 << 30,  /* bytes of one form */
  LOOK = 64 << 10,     /* bytes from which the format is recognised */
};

struct input {
  int fd;             /* -1: from memory */
  const char *memory; /* what is left of it */
  size_t memory_len;
  size_t chunk;         /* the most bytes taken at once; tests make it small */
  uint64_t size, taken; /* bytes of the file (0: not known), and taken so far */

  char *buf; /* the window, with NULs after its last byte */
  size_t len, cap;
  bool eof;

  z_stream *gzip; /* NULL: plain */
  unsigned char *packed;
  bool gzip_ended; /* at the end of a member */
};

/* Opens the file and finds out whether it is packed by gzip. */
int input_open(struct input *in, const char *path, struct error *e);
int input_of_memory(struct input *in, const char *text, size_t len,
                    size_t chunk, const char *name, struct error *e);
/* Forgets the first `used` bytes of the window and reads more after the rest.
 * Sets in->eof at the end. */
int input_more(struct input *in, size_t used, const char *name,
               struct error *e);
void input_close(struct input *in);

/* A process and its open call. */
struct reader_call {
  uint32_t process;
  bool used;    /* false: a free slot of the table */
  bool open;    /* it has called an operation that has not returned */
  bool crashed; /* its last operation never returns */
  bool jepsen;  /* called in Jepsen's words: see jepsen.c */
  bool keyed;   /* the value is [key value] */
  uint16_t name;
  uint32_t line;
  uint64_t id;
  datum value; /* :value of the call, in Jepsen's words */
};
TABLE_STRUCT(reader_calls, struct reader_call);

/* What jepsen.c needs to know about the name of an operation. */
enum name_kind {
  NAME_OTHER,
  NAME_READ,  /* read */
  NAME_GET,   /* get */
  NAME_WRITE, /* write */
  NAME_PUT,   /* put */
  NAME_CAS,   /* cas */
  NAME_VOID,  /* returns nothing */
  NAME_TAKE,  /* takes no argument */
};

struct reader_name {
  const char *text;
  uint32_t len;
  enum name_kind kind;
  uint64_t word, mask; /* its bytes, if there are at most eight */
};

/* A key of a map.  `:a`, `a` and `"a"` are different keys, but the first two
 * are one datum. */
struct edn_key {
  datum key;
  uint64_t begins; /* its first character, where that matters */
};

#define NO_ID UINT64_MAX
#define NO_STAMP INT64_MIN /* the entry has no time, or no index */

struct reader {
  char *path;
  enum read_format format;
  struct input in;
  /* The text of the lexer is the window. */
  union {
    struct lexer lex;
    struct {
      LEX_FIELDS
    };
  };
  uint32_t form_line; /* where the form begins that is being read */
  int64_t form_line_at;
  uint32_t form_column;
  bool no_quick;   /* tests: jsonl_quick is not asked */
  bool one_line;   /* the window is one line of a file, for a while */
  bool no_keys;    /* reader_has_no_keys */
  struct error *e; /* of the call in progress */
  bool failed;     /* an error was reported: there are no more events */

  VEC(datum) items;         /* of lists that are being read */
  VEC(struct edn_key) keys; /* of maps that are being read */

  VEC(struct reader_name) names;
  struct arena arena;

  struct reader_calls calls; /* by process */
  VEC(uint64_t) ids;         /* bit set of the ids of operations so far */

  int64_t last_time, last_index;
  bool some_time, some_index;

  bool array;        /* the forms are items of an array */
  bool array_ended;  /* that array was closed */
  uint8_t state;     /* of violat.c */
  bool begun;        /* an event was handed out */
  datum class_name;  /* violat.c */
  datum class_value; /* violat.c */
  bool told_head;    /* kv: the event LOG_HEAD was handed out */

  /* reader_log: the head of the next history. */
  struct log_event kept;
  bool has_kept;
  uint32_t nlogs;
  reader_limit *limit; /* or NULL */
  void *limit_ctx;
  bool ended; /* the limit ended the file */
};

/* reader_of_text with at most `chunk` bytes at a time, for tests. */
struct reader *reader_of_chunks(const char *text, size_t len, size_t chunk,
                                const char *name, enum read_format format,
                                struct error *e);

/* An error in the text at `at`: "expected …".  MORE if the window ends there.
 */
int reader_bad(struct reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An impossible event in well-formed text, with file, line and column. */
int reader_refuse(struct reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The lexer has met something else than it expected. */
int reader_unexpected(struct reader *r);

static inline void reader_newline(struct reader *r, const char *at) {
  lex_newline(&r->lex, at);
}

/* The items read from `base` on; NULL before the first one. */
static inline datum *items_from(struct reader *r, uint32_t base) {
  return r->items.at ? r->items.at + base : NULL;
}

/* A form begins at the current place. */
static inline void reader_mark(struct reader *r) {
  r->form_line = r->line;
  r->form_line_at = r->line_at;
  r->form_column = (uint32_t)(r->p - r->in.buf - r->line_at + 1);
}

/* The column of `at` for a message that names the line on which the form
 * begins: its own column if it is on that line, else that of the form. */
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
                           .type_argument = DATUM_NONE,
                           .object = DATUM_NONE};
}

/* The format of a file, from its first bytes, which end with a NUL; AUTO: not
 * recognised.  `whole`: no more bytes will come. */
enum read_format recognise(const char *p, const char *end, bool whole);

/* One function for each format: the next event of the window, or one of these.
 */
enum {
  NEXT_EVENT = GOT,
  NEXT_MORE = MORE,
  NEXT_BAD = BAD,
  NEXT_END,
  NEXT_AGAIN, /* a form was read that is no event */
};
int jsonl_next(struct reader *r, struct log_event *ev);
/* The same for a line of the usual form.  False: the line has another form;
 * only *ev was changed. */
bool jsonl_quick(struct reader *r, struct log_event *ev);
int edn_next(struct reader *r, struct log_event *ev); /* also kv */
int jepsen_log_next(struct reader *r, struct log_event *ev);
int violat_next(struct reader *r, struct log_event *ev);

#endif
