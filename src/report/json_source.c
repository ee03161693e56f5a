/*
 * The source text around the lines that a report names, for the page, which
 * cannot read files.  Small files are whole; of others, the lines near by.
 */
#include "report/json_int.h"
#include "report/source.h"

#include <stdlib.h>
#include <string.h>

enum {
  WHOLE = 600, /* lines of a file that is shown whole */
  NEAR = 30,   /* lines around a named one */
  MOST_FILES = 40,
  MOST_LINE = 400,     /* bytes */
  MOST_BYTES = 500000, /* of all sources, then no more lines */
};

struct named_file { /* and its lines that the report names */
  const char *file;
  VEC(uint32_t) lines;
};
typedef VEC(struct named_file) named_list;

static void name_line(named_list *l, const char *file, uint32_t line) {
  uint32_t i = 0;
  if (!file || !line)
    return;
  while (i < l->len && strcmp(l->at[i].file, file))
    i++;
  if (i == MOST_FILES)
    return;
  if (i == l->len)
    vec_push(l, ((struct named_file){.file = file}));
  struct named_file *s = &l->at[i];
  if (!s->lines.len || vec_last(&s->lines) != line)
    vec_push(&s->lines, line);
}

static void name_all(const struct story *s, named_list *l) {
  const struct finding *f = s->result->finding;
  name_line(l, s->place->file, s->place->line);
  for (uint32_t i = 0; i < s->notes.len; i++)
    name_line(l, s->notes.at[i].place->file, s->notes.at[i].place->line);
  for (uint32_t i = 0; i < s->rows.len; i++)
    name_line(l, s->rows.at[i].place->file, s->rows.at[i].place->line);
  for (uint32_t i = 0; f && i < f->causes.len; i++)
    for (uint32_t k = 0; k < f->causes.at[i].cause.nblocks; k++) {
      const struct code_block *b = &f->causes.at[i].cause.blocks[k];
      name_line(l, b->file, b->first);
      name_line(l, b->file, b->last);
    }
  for (uint32_t i = 0; f && i < f->census.nlines; i++)
    name_line(l, f->census.lines[i].file, f->census.lines[i].line);
}

static uint32_t count_lines(const struct buf *b) {
  uint32_t n = 0;
  for (const char *c = buf_text(b); *c; n++) {
    const char *end = strchr(c, '\n');
    c = end ? end + 1 : c + strlen(c);
  }
  return n;
}

/* By line, from 1: is it near a named one? */
static uint8_t *choose(const struct named_file *s, uint32_t n) {
  uint8_t *shown = xcalloc(n + 2u, 1);
  if (n <= WHOLE)
    memset(shown, 1, n + 1u);
  for (uint32_t i = 0; i < s->lines.len; i++) {
    uint32_t at = s->lines.at[i];
    for (uint32_t k = at > NEAR ? at - NEAR : 1; k <= at + NEAR && k <= n; k++)
      shown[k] = 1;
  }
  return shown;
}

static void put_line(struct json *j, const struct named_file *s, uint32_t line,
                     const char *at, size_t len, const hooked_list *hooks) {
  char *text = xstrndup(at, len > MOST_LINE ? MOST_LINE : len);
  const struct hooked_line *h =
      hooks ? hooked_line(hooks, s->file, line) : NULL;
  json_object(j, NULL);
  json_uint(j, "line", line);
  json_string(j, "text", text);
  if (h)
    json_string(j, "code", h->hooked ? "seen" : "unseen");
  json_end_object(j);
  free(text);
}

static void put_source(struct json *j, const struct named_file *s,
                       const hooked_list *hooks, size_t until) {
  struct buf text = {0};
  if (!source_read(s->file, &text))
    goto out;
  uint32_t n = count_lines(&text), line = 1;
  uint8_t *shown = choose(s, n);
  json_object(j, NULL);
  json_string(j, "file", s->file);
  json_uint(j, "lines", n);
  json_array(j, "text");
  for (const char *c = buf_text(&text); *c; line++) {
    size_t len = strcspn(c, "\n");
    if (shown[line] && j->out->len < until)
      put_line(j, s, line, c, len && c[len - 1] == '\r' ? len - 1 : len, hooks);
    c += len + (c[len] == '\n');
  }
  json_end_array(j);
  json_end_object(j);
  free(shown);
out:
  buf_free(&text);
}

void json_sources(struct json *j, const struct story *s,
                  const hooked_list *hooks) {
  named_list l = {0};
  size_t until = j->out->len + MOST_BYTES;
  name_all(s, &l);
  json_array(j, "sources");
  for (uint32_t i = 0; i < l.len; i++) {
    put_source(j, &l.at[i], hooks, until);
    vec_free(&l.at[i].lines);
  }
  json_end_array(j);
  vec_free(&l);
}
