/* Changes that look as if the author had made them. */
#include "source/critical_int.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void writer_begin(struct writer *w) {
  unsigned n = 1;
  snprintf(w->result, sizeof w->result, "result");
  while (ctext_has_name(w->c, w->result))
    snprintf(w->result, sizeof w->result, "result_%u", ++n);
  w->spread =
      cstmt_first_line(w->c, w->f->body) == cstmt_last_line(w->c, w->f->body);
}

bool cstmt_follows_label(const struct ctext *c, uint32_t s) {
  uint32_t k = cstmt_of(c, cstmt_of(c, s)->parent)->child, before = CTEXT_NONE;
  for (; k != s; k = cstmt_of(c, k)->next)
    before = k;
  return before != CTEXT_NONE && cstmt_is_label(c, before);
}

static const char *line_end(const struct ctext *c) {
  const char *n = memchr(c->text, '\n', c->len);
  return n && n > c->text && n[-1] == '\r' ? "\r\n" : "\n";
}

uint32_t ctext_line_start(const struct ctext *c, uint32_t at) {
  while (at && c->text[at - 1] != '\n')
    at--;
  return at;
}

bool ctext_begins_line(const struct ctext *c, uint32_t token) {
  uint32_t at = c->tokens.at[token].at;
  for (uint32_t i = ctext_line_start(c, at); i < at; i++)
    if (c->text[i] != ' ' && c->text[i] != '\t')
      return false;
  return true;
}

uint32_t ctext_rest_of_line(const struct ctext *c, uint32_t at) {
  while (at < c->len && c->text[at] != '\n') {
    if (c->text[at] == '/' && at + 1 < c->len && c->text[at + 1] == '*') {
      const char *end = memmem(c->text + at + 2, c->len - at - 2, "*/", 2);
      const char *line = memchr(c->text + at, '\n', c->len - at);
      if (!end || (line && line < end))
        return 0;
      at = (uint32_t)(end - c->text) + 2;
    } else if (c->text[at] == '/' && at + 1 < c->len &&
               c->text[at + 1] == '/') {
      const char *line = memchr(c->text + at, '\n', c->len - at);
      if (!line || line[-1] == '\\')
        return 0;
      at = (uint32_t)(line - c->text);
    } else if (isspace((unsigned char)c->text[at])) {
      at++;
    } else {
      return 0;
    }
  }
  return at < c->len ? at + 1 : 0;
}

static void put_indent(const struct ctext *c, uint32_t token, struct buf *out) {
  uint32_t at = ctext_line_start(c, c->tokens.at[token].at), end = at;
  while (end < c->len && (c->text[end] == ' ' || c->text[end] == '\t'))
    end++;
  buf_put(out, c->text + at, end - at);
}

bool writer_add(struct writer *w, uint32_t at, uint32_t cut, const char *text) {
  if (edits_add(w->edits, at, cut, text))
    return true;
  *w->why = "its sections overlap";
  return false;
}

/* A line of its own in a function that was one line; `text` may be empty. */
static void put_own_line(struct writer *w, const char *text, struct buf *out) {
  buf_puts(out, line_end(w->c));
  put_indent(w->c, w->f->name, out);
  buf_printf(out, "  %s", text);
}

static bool is_changed_until(const struct writer *w, uint32_t at) {
  for (uint32_t i = 0; i < w->edits->list.len; i++) {
    const struct edit *d = &w->edits->list.at[i];
    if (d->cut && d->at + d->cut == at)
      return true;
  }
  return false;
}

static uint32_t blanks_before(const struct ctext *c, uint32_t at) {
  uint32_t n = 0;
  while (n < at && (c->text[at - n - 1] == ' ' || c->text[at - n - 1] == '\t'))
    n++;
  return n;
}

/* The brace at the end of the function comes on a line of its own. */
static bool put_last_brace(struct writer *w) {
  const struct ctext *c = w->c;
  uint32_t at = c->tokens.at[cstmt_of(c, w->f->body)->last].at;
  uint32_t n = blanks_before(c, at);
  if (!n || is_changed_until(w, at))
    return true;
  struct buf b = {0};
  buf_puts(&b, line_end(c));
  put_indent(c, w->f->name, &b);
  bool ok = writer_add(w, at - n, n, b.at);
  buf_free(&b);
  return ok;
}

static bool spread_before(struct writer *w, uint32_t at, const char *text) {
  struct buf b = {0};
  uint32_t n = blanks_before(w->c, at);
  bool again = is_changed_until(w, at);
  if (again) { /* the statement has a line of its own already */
    buf_puts(&b, text);
    n = 0;
  } else {
    put_own_line(w, text, &b);
  }
  put_own_line(w, "", &b);
  bool ok = writer_add(w, at - n, n, b.at) && put_last_brace(w);
  buf_free(&b);
  return ok;
}

bool writer_put_before(struct writer *w, uint32_t token, const char *text) {
  const struct ctext *c = w->c;
  struct buf b = {0};
  uint32_t at = c->tokens.at[token].at;
  if (w->spread)
    return spread_before(w, at, text);
  if (ctext_begins_line(c, token)) {
    put_indent(c, token, &b);
    buf_printf(&b, "%s%s", text, line_end(c));
    at = ctext_line_start(c, at);
  } else {
    buf_printf(&b, "%s ", text);
  }
  bool ok = writer_add(w, at, 0, b.at);
  buf_free(&b);
  return ok;
}

bool writer_put_after(struct writer *w, uint32_t stmt, uint32_t last,
                      uint32_t like, const char *text) {
  const struct ctext *c = w->c;
  struct buf b = {0};
  const struct ctoken *t = &c->tokens.at[last];
  uint32_t at = t->at + t->len;
  uint32_t next = ctext_begins_line(c, cstmt_of(c, stmt)->first)
                      ? ctext_rest_of_line(c, at)
                      : 0;
  if (next) {
    put_indent(c, like, &b);
    buf_printf(&b, "%s%s", text, line_end(c));
    at = next;
  } else if (w->spread && strcmp(text, "}")) {
    put_own_line(w, text, &b);
  } else {
    buf_printf(&b, " %s", text);
  }
  bool ok = writer_add(w, at, 0, b.at);
  buf_free(&b);
  return ok;
}

bool writer_open_brace(struct writer *w, uint32_t s) {
  const struct ctoken *t = &w->c->tokens.at[cstmt_of(w->c, s)->first - 1];
  return writer_add(w, t->at + t->len, 0, " {");
}

bool writer_close_brace(struct writer *w, uint32_t s) {
  const struct cstmt *x = cstmt_of(w->c, s);
  uint32_t like = cstmt_has_no_braces(w->c, s)
                      ? cstmt_of(w->c, x->parent)->first
                      : x->first - 1; /* a label's end */
  return writer_put_after(w, s, x->last, like, "}");
}
