/* The reader of any format: opening, events one by one, whole histories. */
#include "history/read/int.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define READ_NAME(id, name, meaning) name,
const char *const read_format_name[] = {READ_FORMATS(READ_NAME) NULL};
#undef READ_NAME

/* Sets the error.  A name may have any bytes; the message is one line. */
static int tell(struct reader *r, const char *at, uint32_t line,
                int64_t line_at, char *text) {
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      *c = '?';
  error_set(r->e, ERR_INPUT, "%.500s:%" PRIu32 ":%" PRId64 ": %s", r->path,
            line, at - r->in.buf - line_at + 1, text);
  return BAD;
}

int reader_bad(struct reader *r, const char *at, const char *format, ...) {
  if (at >= r->end && !r->in.eof)
    return MORE;
  char what[512], text[600];
  va_list ap;
  va_start(ap, format);
  vsnprintf(what, sizeof what, format, ap);
  va_end(ap);
  const char *why = at >= r->end ? r->one_line ? ", but the line ends here"
                                               : ", but the file ends here"
                    : !*at       ? ", but there is a NUL byte"
                                 : "";
  snprintf(text, sizeof text, "%s%s", what, why);
  return tell(r, at, r->line, r->line_at, text);
}

int reader_refuse(struct reader *r, const char *at, const char *format, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  return tell(r, at, r->form_line, r->form_line_at, text);
}

int reader_unexpected(struct reader *r) {
  return reader_bad(r, r->lex.bad_at, "expected %s", r->lex.expected);
}

/* The lexer begins at the first byte of the window. */
static void show_window(struct reader *r) {
  r->p = r->start = r->in.buf;
  r->end = r->in.buf + r->in.len;
  r->whole = r->in.eof;
}

/* Reads more into the window; bytes before the current place are dropped. */
static int more(struct reader *r) {
  size_t used = (size_t)(r->p - r->in.buf);
  if (r->in.len - used > FORM_MAX)
    return error_set(
        r->e, ERR_INPUT,
        "%s:%" PRIu32 ":%" PRId64 ": expected an entry of at most %d bytes",
        r->path, r->line, (int64_t)used - r->line_at + 1, FORM_MAX);
  int err = input_more(&r->in, used, r->path, r->e);
  r->line_at -= (int64_t)used;
  show_window(r);
  return err;
}

static void skip_byte_order_mark(struct reader *r) {
  if (r->in.len >= 3 && !memcmp(r->p, "\xef\xbb\xbf", 3)) {
    r->p += 3;
    r->line_at = 3;
  }
}

static const char *first_byte(const struct reader *r) {
  const char *p = r->p;
  if (r->end - p >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
    p += 3;
  return p + strspn(p, " \t\r\n");
}

/* One line is often enough, and a pipe may not give more for a while. */
static bool try_recognise(struct reader *r, enum read_format format) {
  const char *first = first_byte(r);
  bool whole = r->in.eof || r->in.len >= LOOK;
  if (first == r->end || (r->in.len < 3 && !r->in.eof))
    return false; /* perhaps a part of a byte order mark */
  r->format = format;
  if (format == READ_AUTO && (whole || strchr(first, '\n')))
    r->format = recognise(first, r->end, whole);
  return r->format != READ_AUTO;
}

static int recognise_format(struct reader *r, enum read_format format) {
  while (!try_recognise(r, format) && !r->in.eof &&
         (r->in.len < LOOK || first_byte(r) == r->end)) {
    int err = more(r);
    if (err)
      return err;
  }
  if (first_byte(r) == r->end)
    return error_set(r->e, ERR_INPUT, "%s: the file is empty", r->path);
  skip_byte_order_mark(r);
  if (r->format != READ_AUTO)
    return ERR_NONE;
  return error_set(r->e, ERR_INPUT,
                   "%s:1:1: expected a history: JSON lines {\"type\": …}, EDN "
                   "maps {:process …}, lines of Jepsen's log "
                   "(PROCESS<tab>:invoke<tab>:f<tab>value) or a history of "
                   "Violat {\"schema\": …}",
                   r->path);
}

static struct reader *opened(struct reader *r, int err,
                             enum read_format format) {
  if (!err) {
    show_window(r);
    r->line = 1;
    err = recognise_format(r, format);
  }
  r->e = NULL;
  if (!err)
    return r;
  reader_close(r);
  return NULL;
}

static struct reader *new_reader(const char *name, struct error *e) {
  struct reader *r = xcalloc(1, sizeof *r);
  r->path = xstrdup(name);
  r->e = e;
  r->class_name = r->class_value = DATUM_NONE;
  return r;
}

struct reader *reader_open(const char *path, enum read_format format,
                           struct error *e) {
  struct reader *r = new_reader(strcmp(path, "-") ? path : "standard input", e);
  return opened(r, input_open(&r->in, path, e), format);
}

struct reader *reader_of_chunks(const char *text, size_t len, size_t chunk,
                                const char *name, enum read_format format,
                                struct error *e) {
  struct reader *r = new_reader(name, e);
  return opened(r, input_of_memory(&r->in, text, len, chunk, name, e), format);
}

struct reader *reader_of_text(const char *text, size_t len, const char *name,
                              enum read_format format, struct error *e) {
  return reader_of_chunks(text, len, SIZE_MAX, name, format, e);
}

void reader_has_no_keys(struct reader *r) { r->no_keys = true; }

enum read_format reader_format(const struct reader *r) { return r->format; }

void reader_close(struct reader *r) {
  if (!r)
    return;
  input_close(&r->in);
  buf_free(&r->scratch);
  vec_free(&r->items);
  vec_free(&r->keys);
  vec_free(&r->names);
  vec_free(&r->ids);
  arena_free(&r->arena);
  free(r->calls.slots);
  free(r->path);
  free(r);
}

static int next_of_format(struct reader *r, struct log_event *ev) {
  switch (r->format) {
  case READ_JSONL:
    return jsonl_next(r, ev);
  case READ_EDN:
  case READ_KV:
    return edn_next(r, ev);
  case READ_JEPSEN_LOG:
    return jepsen_log_next(r, ev);
  case READ_VIOLAT:
    return violat_next(r, ev);
  case READ_AUTO:
    break;
  }
  assert(!"a format");
  return NEXT_BAD;
}

/* Reads enough more: a long form is not tried again for every few bytes. */
static int enough_more(struct reader *r) {
  size_t have = (size_t)(r->end - r->p);
  size_t want = have > LOOK ? have + have / 2 : 0;
  do {
    int err = more(r);
    if (err)
      return err;
  } while (!r->in.eof && r->in.len < want);
  return ERR_NONE;
}

static int fail(struct reader *r) {
  assert(!r->e || r->e->code);
  r->failed = true;
  return -1;
}

int reader_next(struct reader *r, struct log_event *ev, struct error *e) {
  r->e = e;
  if (r->failed)
    return 0;
  for (;;) {
    const char *p = r->p;
    uint32_t line = r->line;
    int64_t line_at = r->line_at;
    r->depth = 0;
    r->items.len = r->keys.len = 0;
    switch (next_of_format(r, ev)) {
    case NEXT_EVENT:
      return 1;
    case NEXT_END:
      return 0;
    case NEXT_AGAIN:
      break;
    case NEXT_MORE:
      r->p = p;
      r->line = line;
      r->line_at = line_at;
      if (enough_more(r))
        return fail(r);
      break;
    default:
      return fail(r);
    }
  }
}

/* The next event of this history.  The head of the next history is kept: unlike
 * the texts of other events, its text stays valid. */
static int next_of_log(struct reader *r, struct log_event *ev,
                       struct error *e) {
  if (!r->has_kept)
    return reader_next(r, ev, e);
  *ev = r->kept;
  r->has_kept = false;
  return 1;
}

static int add(struct reader *r, struct log_builder *b,
               const struct log_event *ev, struct error *e) {
  struct error why; /* large: its text is not cleared for every event */
  why.code = ERR_NONE;
  if (!log_add(b, ev, &why))
    return ERR_NONE;
  return error_set(e, ERR_INPUT, "%s:%" PRIu32 ":%" PRIu32 ": %s", r->path,
                   ev->line, ev->column, why.text);
}

void reader_set_limit(struct reader *r, reader_limit *limit, void *ctx) {
  r->limit = limit;
  r->limit_ctx = ctx;
}

/* Whether the limit says that the history is not kept. */
static bool is_over(struct reader *r, struct log *l, uint32_t n) {
  enum { EVENTS = 4096 }; /* between two questions */
  if (r->limit && n % EVENTS == 0)
    l->stopped = r->limit(r->limit_ctx, l->ops.len);
  if (!l->stopped)
    return false;
  l->stopped_at = l->ops.len;
  vec_free(&l->ops);
  r->ended = !strcmp(l->stopped, "time");
  return true;
}

/* Skips the rest of a history that is not kept. */
static int skip_rest(struct reader *r, struct log_event *ev, struct error *e) {
  int got = 1;
  while (!r->ended && (got = next_of_log(r, ev, e)) == 1)
    if (ev->kind == LOG_HEAD) {
      r->kept = *ev;
      r->has_kept = true;
      break;
    }
  return got;
}

/*
 * A long history gets room for what the rest of its file may hold, when it is
 * seen how much a part of it holds.  Room that is not used costs nothing, but
 * growing copies all that is there, into pages that the system has to clear.
 */
static void make_room(const struct reader *r, struct log *l, uint64_t from) {
  const struct input *in = &r->in;
  if (in->size <= in->taken || in->taken <= from)
    return;
  double each = (double)(in->taken - from) / l->ops.len;
  double want = (double)(in->size - from) / each * 1.02;
  if (want < UINT32_MAX / 2)
    vec_reserve(&l->ops, (uint32_t)want);
}

int reader_log(struct reader *r, struct log *out, struct error *e) {
  enum { LONG = 1 << 15 };
  uint64_t from = r->in.taken - (r->in.gzip ? 0 : (uint64_t)(r->end - r->p));
  struct log_event ev;
  struct log_builder b;
  uint32_t n = 0;
  int got = 0, err = 0;
  log_begin(&b, out);
  while (!err && !r->ended && (got = next_of_log(r, &ev, e)) == 1) {
    if (ev.kind == LOG_HEAD && n) {
      r->kept = ev;
      r->has_kept = true;
      break;
    }
    err = add(r, &b, &ev, e);
    if (++n == LONG)
      make_room(r, out, from);
    if (!err && is_over(r, out, n)) {
      got = skip_rest(r, &ev, e);
      break;
    }
  }
  if (err)
    fail(r);
  if (err || got < 0 || !n) {
    log_end(&b, e);
    log_free(out);
    return err || got < 0 ? -1 : 0;
  }
  log_end(&b, e);
  out->source = arena_strdup(&out->arena, r->path);
  out->index = ++r->nlogs;
  return 1;
}
