/* Finds loops by their keywords, and where each statement begins. */
#include "source/loops_read.h"

#include "base/err.h"
#include "source/ctext.h"

#include <string.h>

enum { DEEPEST = 200 }; /* statements without braces in each other */

struct loop_scan {
  const struct ctext *c;
  struct loops_file *to;
  VEC(uint32_t) closing; /* the `while` at the end of each `do` */
};

static bool opens(const struct ctext *c, uint32_t i) {
  return ctext_is(c, i, "(") || ctext_is(c, i, "[") || ctext_is(c, i, "{");
}

static bool closes(const struct ctext *c, uint32_t i) {
  return ctext_is(c, i, ")") || ctext_is(c, i, "]") || ctext_is(c, i, "}");
}

/* The token behind what `i` opens. */
static uint32_t behind(const struct ctext *c, uint32_t i) {
  uint32_t depth = 0;
  for (; i < c->tokens.len; i++) {
    depth += opens(c, i);
    if (closes(c, i) && (!depth || !--depth))
      return i + 1;
  }
  return i;
}

static bool is_named_loop(const struct ctext *c, uint32_t i) {
  static const char *const words[] = {"foreach", "for_each", "FOREACH",
                                      "FOR_EACH", "ForEach"};
  const struct ctoken *t = &c->tokens.at[i];
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (t->kind == CTOKEN_NAME && t->len >= strlen(words[k]) &&
        memmem(c->text + t->at, t->len, words[k], strlen(words[k])))
      return true;
  return false;
}

/* A word with a condition in parentheses and a statement behind it. */
static bool is_header(const struct ctext *c, uint32_t i) {
  return i + 1 < c->tokens.len && ctext_is(c, i + 1, "(") &&
         (ctext_is(c, i, "if") || ctext_is(c, i, "switch") ||
          ctext_is(c, i, "for") || ctext_is(c, i, "while") ||
          is_named_loop(c, i));
}

/* The token behind the statement that begins at `i`. */
static uint32_t behind_statement(const struct ctext *c, uint32_t i,
                                 unsigned depth) {
  uint32_t n = c->tokens.len;
  if (i >= n || depth > DEEPEST)
    return n;
  if (ctext_is(c, i, "{"))
    return behind(c, i);
  if (is_header(c, i)) {
    uint32_t end = behind_statement(c, behind(c, i + 1), depth + 1);
    if (end < n && ctext_is(c, i, "if") && ctext_is(c, end, "else"))
      end = behind_statement(c, end + 1, depth + 1);
    return end;
  }
  if (ctext_is(c, i, "do")) {
    uint32_t end = behind_statement(c, i + 1, depth + 1);
    return end + 1 < n && ctext_is(c, end, "while") ? behind(c, end + 1) + 1
                                                    : end;
  }
  while (i < n && !ctext_is(c, i, ";") && !ctext_is(c, i, "}"))
    i = opens(c, i) ? behind(c, i) : i + 1;
  return i + 1;
}

static uint32_t line_of(const struct ctext *c, uint32_t token) {
  return c->tokens.at[token].line;
}

static uint32_t column_of(const struct ctext *c, uint32_t token) {
  uint32_t at = c->tokens.at[token].at, from = at;
  while (from && c->text[from - 1] != '\n')
    from--;
  return at - from + 1;
}

/* `for (a; b; step)`: where the step stands. */
static void find_step(const struct ctext *c, uint32_t open, struct loop *l) {
  uint32_t close = behind(c, open) - 1, semicolons = 0;
  for (uint32_t i = open + 1; i < close;) {
    if (ctext_is(c, i, ";") && ++semicolons == 2 && i + 1 < close) {
      l->step_line = line_of(c, i + 1);
      l->step_column = column_of(c, i + 1);
      l->step_end_line = line_of(c, close);
      l->step_end_column = column_of(c, close);
      return;
    }
    i = opens(c, i) ? behind(c, i) : i + 1;
  }
}

static void add(struct loop_scan *s, uint32_t from, uint32_t end,
                struct loop l) {
  if (end > s->c->tokens.len)
    end = s->c->tokens.len;
  if (end <= from)
    return;
  l.first = line_of(s->c, from);
  l.last = ctext_last_line(s->c, end - 1);
  loops_add(s->to, l);
}

static bool closes_do(const struct loop_scan *s, uint32_t i) {
  for (uint32_t k = 0; k < s->closing.len; k++)
    if (s->closing.at[k] == i)
      return true;
  return false;
}

static void look_for_keyword(struct loop_scan *s, uint32_t i) {
  const struct ctext *c = s->c;
  struct loop l = {0};
  if (ctext_is(c, i, "do")) {
    uint32_t body = behind_statement(c, i + 1, 0);
    if (body < c->tokens.len && ctext_is(c, body, "while")) {
      vec_push(&s->closing, body);
      add(s, i, behind_statement(c, i, 0), l);
    }
    return;
  }
  if (!is_header(c, i) || ctext_is(c, i, "if") || ctext_is(c, i, "switch") ||
      closes_do(s, i))
    return;
  if (ctext_is(c, i, "for"))
    find_step(c, i + 1, &l);
  add(s, i, behind_statement(c, i, 0), l);
}

static bool ends_statement(const struct ctext *c, uint32_t i) {
  return ctext_is(c, i, ";") || ctext_is(c, i, "{") || ctext_is(c, i, "}");
}

/* Whether both tokens are between the same #if, #else and #endif: else the one
 * may be compiled without the other. */
static bool same_condition(const struct ctext *c, uint32_t a, uint32_t b) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i < c->directives.len; i++) {
    const struct cdirective *d = &c->directives.at[i];
    if (d->at < c->tokens.at[a].at || d->at > c->tokens.at[b].at)
      continue;
    if (!strncmp(d->word, "if", 2))
      depth++;
    else if (!strcmp(d->word, "endif") && depth)
      depth--;
    else if (!depth &&
             (!strcmp(d->word, "endif") || !strncmp(d->word, "el", 2)))
      return false;
  }
  return !depth;
}

/* `again: … goto again;`, as far as the block of the label goes. */
static void look_for_label(struct loop_scan *s, uint32_t i) {
  const struct ctext *c = s->c;
  if (c->tokens.at[i].kind != CTOKEN_NAME || !i || !ends_statement(c, i - 1) ||
      i + 2 >= c->tokens.len || !ctext_is(c, i + 1, ":") ||
      ctext_is(c, i + 2, ":"))
    return;
  uint32_t last = 0, depth = 0;
  for (uint32_t k = i + 2; k + 1 < c->tokens.len; k++) {
    depth += ctext_is(c, k, "{");
    if (ctext_is(c, k, "}") && !depth--)
      break;
    if (ctext_is(c, k, "goto") && ctext_same(c, k + 1, i, 1) &&
        same_condition(c, i, k))
      last = k + 2;
  }
  if (last)
    add(s, i, last, (struct loop){0});
}

/* A line that goes on with the statement of an earlier one begins there. */
static void find_beginnings(const struct ctext *c, struct loops_file *f) {
  uint32_t n = c->tokens.len, start = 0, header_end = CTEXT_NONE;
  f->nlines = (n ? ctext_last_line(c, n - 1) : 0) + 2;
  f->begins = xcalloc(f->nlines, sizeof *f->begins);
  for (uint32_t i = 0; i < f->nlines; i++)
    f->begins[i] = i;
  unsigned depth = 0; /* of parentheses */
  for (uint32_t i = 0; i < n; i++) {
    bool fresh = !i || (!depth && ends_statement(c, i - 1)) || i == header_end;
    if (fresh) {
      start = line_of(c, i);
      depth = 0;
    }
    if (!depth && is_header(c, i))
      header_end = behind(c, i + 1);
    if (!fresh && line_of(c, i) > start && line_of(c, i) != line_of(c, i - 1))
      f->begins[line_of(c, i)] = f->begins[start];
    depth += ctext_is(c, i, "(") || ctext_is(c, i, "[");
    if (depth && (ctext_is(c, i, ")") || ctext_is(c, i, "]")))
      depth--;
  }
}

void loops_read_text(struct loops_file *f, const char *text, size_t len) {
  struct ctext c;
  struct loop_scan s = {.c = &c, .to = f};
  ctext_read(&c, text, len, NULL, NULL);
  find_beginnings(&c, f);
  for (uint32_t i = 0; i < c.tokens.len; i++)
    look_for_keyword(&s, i);
  for (uint32_t i = 0; i < c.tokens.len; i++)
    look_for_label(&s, i); /* last: it takes the loops that it leaves along */
  vec_free(&s.closing);
  ctext_free(&c);
}

void loops_read_source(struct loops_file *f) {
  struct error ignored = {0};
  struct buf text = {0};
  if (!buf_read_file(&text, f->file, &ignored))
    loops_read_text(f, buf_text(&text), text.len);
  buf_free(&text);
}
