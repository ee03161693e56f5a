/*
 * The lines that Jepsen prints while it runs, with four columns,
 *   INFO  jepsen.util - PROCESS<tab>:invoke<tab>:f<tab>VALUE
 * among others, which are skipped.
 */
#include "history/read/edn.h"
#include "history/read/jepsen.h"
#include "history/read/pair.h"

static const char *const types[] = {":invoke", ":ok", ":fail", ":info"};

/* The first tab of the line, if a type follows it: then the line is an event.
 */
static const char *first_tab(const char *line, const char *end,
                             enum jepsen_type *type) {
  const char *tab = memchr(line, '\t', (size_t)(end - line));
  if (!tab)
    return NULL;
  for (uint32_t i = 0; i < 4; i++) {
    size_t n = strlen(types[i]);
    const char *behind = tab + 1 + n;
    if (behind <= end && !memcmp(tab + 1, types[i], n) &&
        (behind == end || *behind == '\t' || *behind == '\r')) {
      *type = (enum jepsen_type)i;
      return tab;
    }
  }
  return NULL;
}

static int read_process(struct reader *r, const char *line, const char *tab,
                        struct jepsen_entry *in) {
  const char *s = tab;
  while (s > line && s[-1] != ' ' && s[-1] != '\t')
    s--;
  in->at = s;
  in->has_process = true;
  if (*s == ':') {
    in->process = -1;
    return GOT;
  }
  const char *p = s;
  if (!read_int(&p, &in->process) || p != tab || in->process < 0 ||
      in->process >= UINT32_MAX)
    return reader_bad(r, s, "expected a process number before the tab");
  return GOT;
}

/* Reads the columns after the type. */
static int read_columns(struct reader *r, const char *end,
                        struct jepsen_entry *in) {
  const char *s = r->p;
  if (s == end || *s != '\t')
    return reader_bad(r, s, "expected a tab and the operation");
  const char *name = ++s;
  while (s < end && *s != '\t' && *s != '\r')
    s++;
  if (name == s || *name != ':' || s - name < 2)
    return reader_bad(r, name, "expected the operation, as :read");
  int number = name_number(r, name + 1, (size_t)(s - name - 1));
  if (number < 0)
    return bad_name(r, name);
  in->name = (uint16_t)number;
  in->column = reader_column(r, name);
  in->has_name = true;
  r->p = s;
  if (s == end || *s == '\r')
    return GOT;
  r->p++;
  if (in->process >= 0)
    return jepsen_read_value(r, &in->value);
  /* The nemesis may print anything. */
  size_t len = strcspn(r->p, "\r");
  if (len && strncmp(r->p, "nil", 3) && is_utf8(r->p, len))
    in->value.whole = datum_symbol(r->p, len);
  return GOT;
}

static int read_line(struct reader *r, const char *end, struct log_event *ev) {
  struct jepsen_entry in = {.key = DATUM_NONE,
                            .value = {.whole = DATUM_NIL},
                            .time = NO_STAMP,
                            .index = NO_STAMP,
                            .order = LOG_NO_HINT};
  const char *line = r->p;
  reader_mark(r);
  const char *tab = first_tab(line, end, &in.type);
  if (!tab)
    return NEXT_AGAIN;
  in.has_type = true;
  int got = read_process(r, line, tab, &in);
  if (got)
    return got;
  r->p = tab + 1 + strlen(types[in.type]);
  if ((got = read_columns(r, end, &in)))
    return got;
  return jepsen_event(r, &in, ev);
}

int jepsen_log_next(struct reader *r, struct log_event *ev) {
  if (r->p == r->end)
    return r->in.eof ? NEXT_END : MORE;
  const char *end = memchr(r->p, '\n', (size_t)(r->end - r->p));
  if (!end && !r->in.eof)
    return MORE;
  bool last = !end;
  if (last)
    end = r->end;
  /* The reader of the value must not look beyond the line. */
  const char *whole = r->end;
  char *stop = r->in.buf + (end - r->in.buf), kept = *stop;
  bool eof = r->in.eof;
  *stop = 0;
  r->end = end;
  r->in.eof = r->whole = r->one_line = true;
  int got = read_line(r, end, ev);
  *stop = kept;
  r->end = whole;
  r->in.eof = r->whole = eof;
  r->one_line = false;
  if (got == BAD)
    return got;
  r->p = last ? end : end + 1;
  if (!last)
    reader_newline(r, end);
  return got;
}
