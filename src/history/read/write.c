/* Writes a log as Faultline's own history file, docs/history.md. */
#include "history/read/read.h"
#include "history/read/token.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_text(const char *s, size_t len, struct buf *out) {
  buf_putc(out, '"');
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c == '"' || c == '\\')
      buf_putc(out, '\\');
    if (c < 0x20)
      buf_printf(out, "\\u%04x", c);
    else
      buf_putc(out, (char)c);
  }
  buf_putc(out, '"');
}

/* Whether a symbol is a number that JSON can write: 1.5, 1e9, many digits. */
static bool is_json_number(const char *s) {
  s += *s == '-';
  size_t n = strspn(s, "0123456789");
  if (!n || (*s == '0' && n > 1))
    return false;
  s += n;
  if (*s == '.') {
    n = strspn(++s, "0123456789");
    if (!n)
      return false;
    s += n;
  }
  if (*s == 'e' || *s == 'E') {
    s++;
    s += *s == '+' || *s == '-';
    n = strspn(s, "0123456789");
    if (!n)
      return false;
    s += n;
  }
  return !*s;
}

static void put(datum d, struct buf *out);

static void put_list(const datum *items, uint32_t n, struct buf *out) {
  buf_putc(out, '[');
  for (uint32_t i = 0; i < n; i++) {
    if (i)
      buf_putc(out, ',');
    put(items[i], out);
  }
  buf_putc(out, ']');
}

/* Whether a map can be written as an object, and not be mistaken for one with a
 * special meaning. */
static bool has_plain_keys(const struct datum_box *b) {
  for (uint32_t i = 0; i < b->len; i += 2)
    if (datum_kind(b->items[i]) != DATUM_IS_TEXT ||
        datum_box(b->items[i])->symbol)
      return false;
  const char *first = b->len == 2 ? datum_box(b->items[0])->text : "";
  return strcmp(first, "symbol") && strcmp(first, "pointer") &&
         strcmp(first, "map");
}

static void put_map(const struct datum_box *b, struct buf *out) {
  bool plain = has_plain_keys(b);
  buf_puts(out, plain ? "{" : "{\"map\":[");
  for (uint32_t i = 0; i < b->len; i += 2) {
    if (i)
      buf_putc(out, ',');
    if (!plain)
      buf_putc(out, '[');
    put(b->items[i], out);
    buf_putc(out, plain ? ':' : ',');
    put(b->items[i + 1], out);
    if (!plain)
      buf_putc(out, ']');
  }
  buf_puts(out, plain ? "}" : "]}");
}

/* The keyword :2 is a symbol: as 2 it would be read as a number. */
static bool is_whole_number(const char *s) {
  int64_t n;
  return read_int(&s, &n) && !*s;
}

static void put_symbol(const struct datum_box *b, struct buf *out) {
  if (is_json_number(b->text) && !is_whole_number(b->text) &&
      strlen(b->text) == b->len) {
    buf_put(out, b->text, b->len);
    return;
  }
  buf_puts(out, "{\"symbol\":");
  put_text(b->text, b->len, out);
  buf_putc(out, '}');
}

static void put(datum d, struct buf *out) {
  switch (datum_kind(d)) {
  case DATUM_IS_NUMBER:
    buf_printf(out, "%" PRId64, datum_to_number(d));
    break;
  case DATUM_IS_TEXT:
    if (datum_box(d)->symbol)
      put_symbol(datum_box(d), out);
    else
      put_text(datum_box(d)->text, datum_box(d)->len, out);
    break;
  case DATUM_IS_LIST:
    put_list(datum_box(d)->items, datum_box(d)->len, out);
    break;
  case DATUM_IS_MAP:
    put_map(datum_box(d), out);
    break;
  case DATUM_IS_OTHER:
    buf_puts(out, d == DATUM_TRUE    ? "true"
                  : d == DATUM_FALSE ? "false"
                                     : "null");
  }
}

static void put_order(const struct log_op *o, struct buf *out) {
  if (o->order != LOG_NO_HINT)
    buf_printf(out, ",\"order\":%" PRIu64, o->order);
}

static void put_call(const struct log *l, const struct log_op *o,
                     struct buf *out) {
  const char *name = l->functions.at[o->f];
  buf_printf(
      out, "{\"type\":\"call\",\"process\":%" PRIu32 ",\"name\":", o->process);
  put_text(name, strlen(name), out);
  buf_puts(out, ",\"args\":");
  if (o->nargs > LOG_ARGS)
    put(o->arg[0], out);
  else
    put_list(o->arg, o->nargs, out);
  put_order(o, out);
  buf_puts(out, "}\n");
}

static void put_return(const struct log_op *o, struct buf *out) {
  buf_printf(out, "{\"type\":\"%s\",\"process\":%" PRIu32,
             o->failed ? "fail" : "return", o->process);
  if (o->result != DATUM_NONE) {
    buf_puts(out, ",\"result\":");
    put(o->result, out);
  }
  buf_puts(out, "}\n");
}

static void put_note(const char *verb, const char *text, struct buf *out) {
  buf_puts(out, "{\"type\":\"note\",\"text\":");
  struct buf b = {0};
  buf_puts(&b, verb);
  buf_puts(&b, text);
  put_text(buf_text(&b), b.len, out);
  buf_free(&b);
  buf_puts(out, "}\n");
}

/* Writes the end of a note: "start-kill n1" ends with "stop-kill". */
static void put_stop(const char *text, struct buf *out) {
  const char *what = text + strlen("start");
  char *word = xstrndup(what, strcspn(what, " "));
  put_note("stop", word, out);
  free(word);
}

static void put_head(const struct log *l, struct buf *out) {
  buf_puts(out, "{\"type\":\"history\",\"version\":1");
  if (l->type) {
    buf_puts(out, ",\"spec\":");
    put_text(l->type, strlen(l->type), out);
  }
  if (l->type_argument != DATUM_NONE) {
    buf_puts(out, ",\"argument\":");
    put(l->type_argument, out);
  }
  buf_puts(out, "}\n");
}

/* The event at a time.  Times are distinct (L1 of model/log.h). */
struct write_moment {
  enum { AT_NOTHING, AT_CALL, AT_RETURN, AT_NOTE, AT_NOTE_END } what;
  uint32_t which;
};

static struct write_moment *moments(const struct log *l) {
  struct write_moment *all = xcalloc((size_t)l->end + 1, sizeof *all);
  for (uint32_t i = 0; i < l->ops.len; i++) {
    const struct log_op *o = &l->ops.at[i];
    all[o->call] = (struct write_moment){AT_CALL, i};
    if (o->ret != LOG_PENDING)
      all[o->ret] = (struct write_moment){AT_RETURN, i};
  }
  for (uint32_t i = 0; i < l->notes.len; i++) {
    const struct log_note *n = &l->notes.at[i];
    all[n->from] = (struct write_moment){AT_NOTE, i};
    if (n->to != n->from && n->to != LOG_PENDING)
      all[n->to] = (struct write_moment){AT_NOTE_END, i};
  }
  return all;
}

void log_write(const struct log *l, struct buf *out) {
  put_head(l, out);
  struct write_moment *all = moments(l);
  for (uint32_t t = 0; t < l->end; t++)
    switch (all[t].what) {
    case AT_CALL:
      put_call(l, &l->ops.at[all[t].which], out);
      break;
    case AT_RETURN:
      put_return(&l->ops.at[all[t].which], out);
      break;
    case AT_NOTE:
      put_note("", l->notes.at[all[t].which].text, out);
      break;
    case AT_NOTE_END:
      put_stop(l->notes.at[all[t].which].text, out);
      break;
    case AT_NOTHING:
      break;
    }
  free(all);
}
