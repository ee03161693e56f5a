/*
 * Reading clients.  A recursive-descent parser without recursion, since the
 * notation does not nest; the grammar is in client.h.  Most of this file is
 * about saying well what is wrong: clients are typed by hand.
 */
#include "model/client.h"

#include "model/nearest.h"
#include "model/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct client_reader {
  const char *text, *at;
  const struct op_names *names;
  const uint8_t *nargs;
  struct client *c;
  struct error *e;
  bool concurrent_seen; /* the part with braces or || */
};

enum { CARET_WIDTH = 72, MAX_LISTED = 16, NAME_WIDTH = 60 };

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct client_reader *r) {
  while (is_space(*r->at))
    r->at++;
}

static void skip_separators(struct client_reader *r) {
  while (is_space(*r->at) || *r->at == ';')
    r->at++;
}

/* ---- what is wrong, and where ---- */

/* The bytes of a UTF-8 character after its first take no column. */
static bool is_continuation(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

static uint32_t columns(const char *from, const char *to) {
  uint32_t n = 0;
  for (; from < to; from++)
    n += !is_continuation(*from);
  return n;
}

/* The text around `at` on one line, and a caret below. */
static void print_caret(const char *text, const char *at, struct buf *out) {
  const char *from = at;
  uint32_t before = 0, n = 0;
  while (from > text && before < CARET_WIDTH / 2)
    before += !is_continuation(*--from);
  const char *cut = from > text ? "..." : "";
  buf_printf(out, "\n  %s", cut);
  for (const char *p = from; *p; p++) {
    n += !is_continuation(*p);
    if (n > CARET_WIDTH || p - from >= 4 * CARET_WIDTH) {
      buf_puts(out, "...");
      break;
    }
    buf_putc(out, (unsigned char)*p < ' ' || *p == 127 ? ' ' : *p);
  }
  buf_puts(out, "\n  ");
  buf_spaces(out, before + strlen(cut));
  buf_putc(out, '^');
}

static void print_operations(const struct client_reader *r, struct buf *out) {
  buf_puts(out, "\noperations:");
  uint32_t n = r->names->count < MAX_LISTED ? r->names->count : MAX_LISTED;
  for (uint32_t i = 0; i < n; i++) {
    buf_printf(out, "%s %.*s(", i ? "," : "", NAME_WIDTH, r->names->name[i]);
    for (uint32_t k = 0; k < r->nargs[i]; k++)
      buf_puts(out, k ? ", _" : "_");
    buf_putc(out, ')');
  }
  if (n < r->names->count)
    buf_printf(out, ", and %" PRIu32 " more", r->names->count - n);
}

/* Returns ERR_USAGE with `what` (which it frees) at place `at`. */
static int wrong(struct client_reader *r, const char *at, char *what) {
  struct buf b = {0};
  buf_printf(&b, "client, column %" PRIu32 ": %s", columns(r->text, at) + 1,
             what);
  print_caret(r->text, at, &b);
  print_operations(r, &b);
  int code = error_set(r->e, ERR_USAGE, "%s", buf_text(&b));
  buf_free(&b);
  free(what);
  return code;
}

/* What stands at `at`, for "expected …, found …". */
static const char *found(const char *at, char out[8]) {
  if (!*at)
    return "the end";
  size_t n = 1;
  while (n < 4 && is_continuation(at[n]))
    n++;
  if (n == 1 && ((unsigned char)*at < ' ' || (unsigned char)*at >= 127))
    return "an unexpected byte";
  out[0] = '\'';
  memcpy(out + 1, at, n);
  out[n + 1] = '\'';
  out[n + 2] = '\0';
  return out;
}

static int want(struct client_reader *r, const char *what) {
  char here[8];
  return wrong(r, r->at,
               xasprintf("expected %s, found %s", what, found(r->at, here)));
}

/* ---- reading ---- */

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == ':' || c == '$' ||
         c == '~' || c == '.' || (unsigned char)c >= 0x80;
}

static int unknown_operation(struct client_reader *r, size_t n) {
  int width = n < NAME_WIDTH ? (int)n : NAME_WIDTH;
  const char *near = nearest_name(r->names, r->at, n);
  if (near)
    return wrong(r, r->at,
                 xasprintf("no operation '%.*s'; did you mean '%.*s'?", width,
                           r->at, NAME_WIDTH, near));
  return wrong(r, r->at, xasprintf("no operation '%.*s'", width, r->at));
}

/*
 * Any known name that stands here before a parenthesis, the longest one; that
 * way names can have any characters (templates, operators).
 */
static int read_name(struct client_reader *r, uint16_t *op) {
  size_t best = 0;
  for (uint32_t i = 0; i < r->names->count; i++) {
    size_t n = strlen(r->names->name[i]);
    if (n <= best || strncmp(r->at, r->names->name[i], n) != 0)
      continue;
    const char *p = r->at + n;
    while (is_space(*p))
      p++;
    if (*p == '(') {
      best = n;
      *op = (uint16_t)i;
    }
  }
  if (best) {
    r->at += best;
    return ERR_NONE;
  }
  size_t n = 0;
  while (is_name_char(r->at[n]))
    n++;
  if (!n)
    return want(r, "an operation");
  for (uint32_t i = 0; i < r->names->count; i++)
    if (strlen(r->names->name[i]) == n &&
        memcmp(r->names->name[i], r->at, n) == 0) {
      r->at += n;
      skip_space(r);
      return want(r, "'('");
    }
  return unknown_operation(r, n);
}

static int read_word(struct client_reader *r, int64_t *out) {
  size_t n = 0;
  while (is_name_char(r->at[n]))
    n++;
  bool yes = n == 4 && memcmp(r->at, "true", 4) == 0;
  bool no = n == 5 && memcmp(r->at, "false", 5) == 0;
  if (!yes && !no)
    return want(r, "a number, true or false");
  *out = yes;
  r->at += n;
  return ERR_NONE;
}

/* One of the object's texts, as it is printed. */
static int read_text(struct client_reader *r, int64_t *out) {
  struct buf b = {0};
  uint32_t i = 0;
  for (; i < r->names->ntexts; i++) {
    const char *text = r->names->texts[i];
    buf_clear(&b);
    value_print((struct value){VALUE_STRING, (uint64_t)(uintptr_t)text}, &b);
    if (!strncmp(r->at, buf_text(&b), b.len))
      break;
  }
  size_t n = b.len;
  buf_free(&b);
  if (i == r->names->ntexts)
    return wrong(r, r->at,
                 xstrdup(i ? "no FL_STRING has this text"
                           : "no argument is a text (FL_STRING)"));
  *out = op_names_argument(r->names, r->names->texts[i],
                           strlen(r->names->texts[i]));
  r->at += n;
  return ERR_NONE;
}

static int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c = (char)(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Hexadecimal numbers are bit patterns: 0xffffffffffffffff is -1. */
static int read_number(struct client_reader *r, int64_t *out) {
  const char *from = r->at;
  bool negative = *r->at == '-';
  r->at += negative;
  bool hex = r->at[0] == '0' && (r->at[1] == 'x' || r->at[1] == 'X');
  r->at += hex ? 2 : 0;
  int base = hex ? 16 : 10;
  uint64_t max = negative ? UINT64_C(1) << 63 : hex ? UINT64_MAX : INT64_MAX;
  if (digit(*r->at) >= base)
    return want(r, "a digit");
  uint64_t n = 0;
  for (int d; (d = digit(*r->at)) < base; r->at++) {
    if (n > (max - (uint64_t)d) / (uint64_t)base)
      return wrong(r, from, xstrdup("the number does not fit 64 bits"));
    n = n * (uint64_t)base + (uint64_t)d;
  }
  *out = (int64_t)(negative ? 0 - n : n);
  return ERR_NONE;
}

static int read_args(struct client_reader *r, struct call *call,
                     const char *name_at) {
  uint32_t takes = r->nargs[call->op], n = 0;
  r->at++; /* the '(' that read_name saw */
  skip_space(r);
  while (*r->at != ')') {
    int64_t value = 0;
    int code = *r->at == '"' ? read_text(r, &value)
               : isdigit((unsigned char)*r->at) || *r->at == '-'
                   ? read_number(r, &value)
                   : read_word(r, &value);
    if (code)
      return code;
    if (n < CLIENT_MAX_ARGS)
      call->args[n] = value;
    n++;
    skip_space(r);
    if (*r->at == ',') {
      r->at++;
      skip_space(r);
      if (*r->at == ')')
        return want(r, "an argument");
    } else if (*r->at != ')') {
      return want(r, "',' or ')'");
    }
  }
  r->at++;
  if (n != takes)
    return wrong(r, name_at,
                 xasprintf("%.*s takes %" PRIu32 " argument%s, not %" PRIu32,
                           NAME_WIDTH, r->names->name[call->op], takes,
                           takes == 1 ? "" : "s", n));
  call->nargs = (uint8_t)n;
  return ERR_NONE;
}

static int read_call(struct client_reader *r, struct call *call) {
  *call = (struct call){0};
  const char *from = r->at;
  int code = read_name(r, &call->op);
  if (code)
    return code;
  skip_space(r);
  if (r->c->ncalls >= CLIENT_MAX_CALLS)
    return wrong(r, from,
                 xasprintf("more than %d calls", (int)CLIENT_MAX_CALLS));
  return read_args(r, call, from);
}

/* "{" … "}": the calls of one thread. */
static int read_braces(struct client_reader *r, uint32_t thread) {
  const char *open = r->at++;
  for (;;) {
    skip_separators(r);
    if (*r->at == '}') {
      r->at++;
      return ERR_NONE;
    }
    if (!*r->at)
      return wrong(r, open, xstrdup("this '{' is not closed"));
    struct call call;
    int code = read_call(r, &call);
    if (code)
      return code;
    client_add(r->c, thread, call);
    skip_space(r);
    if (*r->at && *r->at != ';' && *r->at != '}')
      return want(r, "';' or '}'");
  }
}

static bool at_bars(struct client_reader *r) {
  skip_space(r);
  return r->at[0] == '|' && r->at[1] == '|';
}

/* The threads; the first one may have been read already as a plain call. */
static int read_threads(struct client_reader *r, const struct call *first,
                        const char *from) {
  if (r->concurrent_seen)
    return wrong(r, from,
                 xstrdup("only one part has threads: {…} || {…} || …"));
  r->concurrent_seen = true;
  if (first)
    client_add(r->c, 1, *first);
  bool plain = first; /* the last thread is a call without braces */
  for (bool more = !first; more || at_bars(r); more = false) {
    if (!more)
      r->at += 2;
    skip_space(r);
    plain = *r->at != '{';
    if (r->c->nthreads == CLIENT_MAX_THREADS)
      return wrong(r, r->at,
                   xasprintf("more than %d threads", (int)CLIENT_MAX_THREADS));
    uint32_t thread = r->c->nthreads + 1;
    int code;
    if (plain) {
      struct call call;
      code = read_call(r, &call);
      if (!code)
        client_add(r->c, thread, call);
    } else {
      code = read_braces(r, thread);
    }
    if (code)
      return code;
  }
  if (plain && *r->at && *r->at != ';')
    return want(r, "';' or '||'");
  return ERR_NONE;
}

/* A plain call, or the part with the threads. */
static int read_part(struct client_reader *r) {
  const char *from = r->at;
  if (*r->at == '{')
    return read_threads(r, NULL, from);
  struct call call;
  int code = read_call(r, &call);
  if (code)
    return code;
  if (at_bars(r))
    return read_threads(r, &call, from);
  if (r->concurrent_seen)
    client_add_final(r->c, call);
  else
    client_add_init(r->c, call);
  if (*r->at && *r->at != ';' && *r->at != '{')
    return want(r, "';' or '||'");
  return ERR_NONE;
}

int client_read(struct client *c, const char *text,
                const struct op_names *names, const uint8_t *nargs,
                struct error *e) {
  struct client_reader r = {text, text, names, nargs, c, e, false};
  *c = (struct client){0};
  int code = ERR_NONE;
  for (skip_separators(&r); *r.at && !code; skip_separators(&r))
    code = read_part(&r);
  if (!code && !c->ncalls)
    code = wrong(&r, r.at, xstrdup("a client makes at least one call"));
  if (code)
    client_free(c);
  return code;
}
