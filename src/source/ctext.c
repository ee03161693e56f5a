/* Tokens, directives, and what the preprocessor leaves out. */
#include "source/ctext.h"

#include "base/slow.h"
#include "source/ctext_int.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens ---- */

struct ctext_scanner {
  struct ctext *c;
  uint32_t at, line;
  uint32_t depth;   /* of #if */
  bool begins_line; /* nothing but blanks before */
};

static char peek(const struct ctext_scanner *s, uint32_t k) {
  return s->at + k < s->c->len ? s->c->text[s->at + k] : 0;
}

static void advance(struct ctext_scanner *s, uint32_t n) {
  for (; n && s->at < s->c->len; n--)
    if (s->c->text[s->at++] == '\n') {
      s->line++;
      s->begins_line = true;
    }
}

/* A backslash at the end of a line: how long it is, or 0. */
static uint32_t continuation(const struct ctext_scanner *s, uint32_t k) {
  if (peek(s, k) != '\\')
    return 0;
  if (peek(s, k + 1) == '\n')
    return 2;
  return peek(s, k + 1) == '\r' && peek(s, k + 2) == '\n' ? 3 : 0;
}

static void skip_block_comment(struct ctext_scanner *s) {
  advance(s, 2);
  while (s->at < s->c->len && !(peek(s, 0) == '*' && peek(s, 1) == '/'))
    advance(s, 1);
  advance(s, 2);
}

static void
skip_line(struct ctext_scanner *s) { /* up to its end, comments too */
  while (s->at < s->c->len && peek(s, 0) != '\n') {
    uint32_t n = continuation(s, 0);
    if (n)
      advance(s, n);
    else if (peek(s, 0) == '/' && peek(s, 1) == '*')
      skip_block_comment(s);
    else
      advance(s, 1);
  }
}

static void skip_line_comment(struct ctext_scanner *s) {
  while (s->at < s->c->len && peek(s, 0) != '\n') {
    uint32_t n = continuation(s, 0);
    advance(s, n ? n : 1);
  }
}

static void read_directive(struct ctext_scanner *s) {
  struct cdirective d = {.at = s->at, .line = s->line};
  uint32_t k = 1, n = 0;
  while (peek(s, k) == ' ' || peek(s, k) == '\t')
    k++;
  while (isalpha((unsigned char)peek(s, k)) && n + 1 < sizeof d.word)
    d.word[n++] = peek(s, k++);
  skip_line(s);
  d.len = s->at - d.at;
  bool opens = !strncmp(d.word, "if", 2);
  bool between = !strncmp(d.word, "el", 2);
  bool closes = !strcmp(d.word, "endif");
  if ((between || closes) && s->depth)
    s->depth--;
  d.depth = s->depth;
  s->depth += opens || between;
  vec_push(&s->c->directives, d);
}

static uint32_t quoted_length(const struct ctext_scanner *s, uint32_t k) {
  char quote = peek(s, k++);
  while (s->at + k < s->c->len && peek(s, k) != quote && peek(s, k) != '\n') {
    uint32_t n = continuation(s, k);
    k += n ? n : peek(s, k) == '\\' ? 2 : 1;
  }
  return k + (peek(s, k) == quote);
}

static bool is_name_char(char ch) {
  return isalnum((unsigned char)ch) || ch == '_' || ch == '$' || (ch & 0x80);
}

static uint32_t number_length(const struct ctext_scanner *s) {
  uint32_t k = 1;
  while (is_name_char(peek(s, k)) || peek(s, k) == '.' ||
         (peek(s, k) == '\'' && is_name_char(peek(s, k + 1))) || /* 1'000 */
         ((peek(s, k) == '+' || peek(s, k) == '-') &&
          strchr("eEpP", peek(s, k - 1))))
    k++;
  return k;
}

static uint32_t punct_length(const struct ctext_scanner *s) {
  static const char *const long_ones[] = {
      "<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
      "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
      "*=",  "/=",  "%=",  "&=", "|=", "^=", "::", "##"};
  for (uint32_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++) {
    uint32_t n = (uint32_t)strlen(long_ones[i]);
    if (s->at + n <= s->c->len && !memcmp(s->c->text + s->at, long_ones[i], n))
      return n;
  }
  return 1;
}

/* R"x(…)x" whose quote is at `k`; 0: it is none. */
static uint32_t raw_length(const struct ctext_scanner *s, uint32_t k) {
  enum { LONGEST = 16 };
  const char *open = s->c->text + s->at + k + 1, *text_end;
  uint32_t n = 0;
  while (n <= LONGEST && peek(s, k + 1 + n) && !strchr("(\"\\ \n", open[n]))
    n++;
  if (peek(s, k + 1 + n) != '(')
    return 0;
  text_end = s->c->text + s->c->len;
  for (const char *p = open + n + 1; text_end - p >= (ptrdiff_t)n + 2; p++)
    if (*p == ')' && !memcmp(p + 1, open, n) && p[n + 1] == '"')
      return (uint32_t)(p + n + 2 - (s->c->text + s->at));
  return 0;
}

static void read_token(struct ctext_scanner *s) {
  struct ctoken t = {.at = s->at, .line = s->line};
  char ch = peek(s, 0);
  if (is_name_char(ch) && !isdigit((unsigned char)ch)) {
    t.kind = CTOKEN_NAME;
    while (is_name_char(peek(s, t.len)))
      t.len++;
    if (t.len <= 2 && strchr("LuU", ch) &&
        (peek(s, t.len) == '"' || peek(s, t.len) == '\'')) {
      t.kind = CTOKEN_QUOTED;
      t.len = quoted_length(s, t.len);
    } else if (peek(s, t.len - 1) == 'R' && peek(s, t.len) == '"') {
      uint32_t raw = raw_length(s, t.len);
      t.kind = raw ? CTOKEN_QUOTED : t.kind;
      t.len = raw ? raw : t.len;
    }
  } else if (isdigit((unsigned char)ch) ||
             (ch == '.' && isdigit((unsigned char)peek(s, 1)))) {
    t.kind = CTOKEN_NUMBER;
    t.len = number_length(s);
  } else if (ch == '"' || ch == '\'') {
    t.kind = CTOKEN_QUOTED;
    t.len = quoted_length(s, 0);
  } else {
    t.kind = CTOKEN_PUNCT;
    t.len = punct_length(s);
  }
  if (t.at + t.len > s->c->len)
    t.len = s->c->len - t.at;
  vec_push(&s->c->tokens, t);
  advance(s, t.len);
  s->begins_line = false;
}

static void scan(struct ctext *c) {
  struct ctext_scanner s = {.c = c, .line = 1, .begins_line = true};
  while (s.at < c->len) {
    char ch = peek(&s, 0);
    uint32_t n = continuation(&s, 0);
    if (n)
      advance(&s, n);
    else if (isspace((unsigned char)ch) || ch == 0)
      advance(&s, 1);
    else if (ch == '/' && peek(&s, 1) == '*')
      skip_block_comment(&s);
    else if (ch == '/' && peek(&s, 1) == '/')
      skip_line_comment(&s);
    else if (ch == '#' && s.begins_line)
      read_directive(&s);
    else
      read_token(&s);
  }
}

/* ---- what the preprocessor leaves out ---- */

/* Lines of `file` that have something in the preprocessor's output; at[0] is
 * line 1. */
typedef VEC(bool) line_set;

static bool marks_file(const char *mark, size_t len, const char *file) {
  const char *open = memchr(mark, '"', len);
  const char *close = open ? memrchr(mark, '"', len) : NULL;
  size_t n = close > open ? (size_t)(close - open - 1) : 0;
  return n == strlen(file) && !memcmp(open + 1, file, n);
}

/* Called for each line that the preprocessor made of a file. */
typedef void expanded_visit(void *ctx, uint32_t line, const char *text,
                            size_t len);

static void expanded_walk(const char *expanded, const char *file,
                          expanded_visit *visit, void *ctx) {
  bool here = false;
  uint32_t line = 1;
  for (const char *p = expanded, *end; *p; p = *end ? end + 1 : end) {
    end = strchrnul(p, '\n');
    size_t len = (size_t)(end - p);
    if (len > 2 && p[0] == '#' && p[1] == ' ' && isdigit((unsigned char)p[2])) {
      here = marks_file(p, len, file);
      line = (uint32_t)strtoul(p + 2, NULL, 10);
      continue;
    }
    if (here)
      visit(ctx, line, p, len);
    line++;
  }
}

static void note_line(void *ctx, uint32_t line, const char *text, size_t len) {
  line_set *set = ctx;
  size_t blank = 0;
  while (blank < len && isspace((unsigned char)text[blank]))
    blank++;
  if (blank == len || line == 0 || line > UINT32_C(10000000))
    return;
  while (set->len < line)
    vec_push(set, false);
  set->at[line - 1] = true;
}

/* The directive that begins the part of an #if that a line is in, or NONE. */
static void part_of_lines(const struct ctext *c, uint32_t *part, uint32_t n) {
  VEC(uint32_t) open = {0};
  uint32_t next = 0;
  for (uint32_t line = 1; line <= n; line++) {
    for (; next < c->directives.len && c->directives.at[next].line <= line;
         next++) {
      const char *w = c->directives.at[next].word;
      bool opens = !strncmp(w, "if", 2), between = !strncmp(w, "el", 2);
      if ((between || !strcmp(w, "endif")) && open.len)
        (void)vec_pop(&open);
      if (opens || between)
        vec_push(&open, next);
    }
    part[line - 1] = open.len ? vec_last(&open) : CTEXT_NONE;
  }
  vec_free(&open);
}

/* A part of an #if is left out when no line of it has an outcome. */
static void drop_left_out(struct ctext *c, const char *expanded,
                          const char *file) {
  line_set set = {0};
  uint32_t nlines = c->tokens.len ? vec_last(&c->tokens).line : 0, kept = 0;
  uint32_t *part = xcalloc((size_t)nlines + 1, sizeof *part);
  bool *alive = xcalloc((size_t)c->directives.len + 1, sizeof *alive);
  expanded_walk(expanded, file, note_line, &set);
  part_of_lines(c, part, nlines);
  for (uint32_t i = 0; i < nlines && i < set.len; i++)
    if (set.at[i] && part[i] != CTEXT_NONE)
      alive[part[i]] = true;
  for (uint32_t i = 0; i < c->tokens.len; i++) {
    uint32_t p = part[c->tokens.at[i].line - 1];
    if (p == CTEXT_NONE || alive[p])
      c->tokens.at[kept++] = c->tokens.at[i];
  }
  c->tokens.len = kept;
  free(part);
  free(alive);
  vec_free(&set);
}

/* ---- questions ---- */

bool ctext_is(const struct ctext *c, uint32_t token, const char *word) {
  if (token >= c->tokens.len)
    return false;
  const struct ctoken *t = &c->tokens.at[token];
  return strlen(word) == t->len && !memcmp(c->text + t->at, word, t->len);
}

uint32_t ctext_last_line(const struct ctext *c, uint32_t token) {
  const struct ctoken *t = &c->tokens.at[token];
  uint32_t line = t->line;
  for (uint32_t i = 0; i < t->len; i++)
    line += c->text[t->at + i] == '\n';
  return line;
}

void ctext_put(const struct ctext *c, uint32_t first, uint32_t last,
               struct buf *out) {
  const struct ctoken *a = &c->tokens.at[first], *b = &c->tokens.at[last];
  buf_put(out, c->text + a->at, b->at + b->len - a->at);
}

bool ctext_same(const struct ctext *c, uint32_t a, uint32_t b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const struct ctoken *x = &c->tokens.at[a + i], *y = &c->tokens.at[b + i];
    if (x->len != y->len ||
        memcmp(c->text + x->at, c->text + y->at, x->len) != 0)
      return false;
  }
  return true;
}

bool ctext_has_name(const struct ctext *c, const char *name) {
  for (uint32_t i = 0; i < c->tokens.len; i++)
    if (ctext_is(c, i, name))
      return true;
  return false;
}

uint32_t cstmt_first_line(const struct ctext *c, uint32_t stmt) {
  return c->tokens.at[c->stmts.at[stmt].first].line;
}

uint32_t cstmt_last_line(const struct ctext *c, uint32_t stmt) {
  return ctext_last_line(c, c->stmts.at[stmt].last);
}

bool cstmt_in(const struct ctext *c, uint32_t inner, uint32_t outer) {
  for (; inner != CTEXT_NONE; inner = c->stmts.at[inner].parent)
    if (inner == outer)
      return true;
  return false;
}

/* `size` of `ns::Queue<int, (1 > 0)>::size<long>`, as far as it is a name. */
static char *last_name(const char *name) {
  size_t depth = 0, from = 0, to = 0;
  for (size_t i = 0; name[i]; i++) {
    if (!depth && name[i] == ':')
      from = to = i + 1;
    depth += name[i] == '<' || name[i] == '(';
    if (!depth)
      to = i + 1;
    depth -= depth && (name[i] == '>' || name[i] == ')');
  }
  return xstrndup(name + from, to - from);
}

const struct cfunction *ctext_function(const struct ctext *c, const char *full,
                                       uint32_t line) {
  const struct cfunction *found = NULL;
  char *name = last_name(full);
  bool again = false;
  for (uint32_t i = 0; i < c->functions.len; i++) {
    const struct cfunction *f = &c->functions.at[i];
    if (!ctext_is(c, f->name, name) || line < c->tokens.at[f->name].line ||
        line > cstmt_last_line(c, f->body))
      continue;
    again |= found != NULL;
    found = f;
  }
  free(name);
  return again ? NULL : found;
}

/* ---- macros ---- */

struct jumps {
  uint32_t first, last; /* lines */
  uint32_t count[16];
};

static const char *const jump_words[] = {
    "return", "goto", /* count wherever they stand */
    "break",  "continue", "if",   "else",    "while",
    "for",    "do",       "case", "default", "switch"};
enum { JUMPS = sizeof jump_words / sizeof *jump_words, ANYWHERE = 2 };

static void count_jumps(const struct ctext *c, uint32_t from, uint32_t to,
                        uint32_t *count) {
  int depth = 0;
  for (uint32_t i = from; i < to; i++) {
    depth += ctext_is(c, i, "(");
    depth -= ctext_is(c, i, ")");
    for (uint32_t k = 0; k < JUMPS; k++)
      if ((depth == 0 || k < ANYWHERE) && ctext_is(c, i, jump_words[k]))
        count[k]++;
  }
}

struct expanded_lines {
  uint32_t first, last;
  struct buf text;
};

static void take_line(void *ctx, uint32_t line, const char *text, size_t len) {
  struct expanded_lines *e = ctx;
  if (line >= e->first && line <= e->last) {
    buf_put(&e->text, text, len);
    buf_putc(&e->text, '\n');
  }
}

bool ctext_hides_jumps(const struct ctext *c, const struct cfunction *f,
                       const char *expanded, const char *file) {
  struct expanded_lines e = {
      c->tokens.at[f->name].line, cstmt_last_line(c, f->body), {0}};
  uint32_t here[JUMPS] = {0}, there[JUMPS] = {0}, from = 0, to;
  struct ctext x = {0};
  expanded_walk(expanded, file, take_line, &e);
  x.text = buf_text(&e.text);
  x.len = (uint32_t)e.text.len;
  scan(&x);
  /* Other functions may share a line with it: theirs are in both. */
  while (from < c->tokens.len && c->tokens.at[from].line < e.first)
    from++;
  for (to = from; to < c->tokens.len && c->tokens.at[to].line <= e.last;)
    to++;
  count_jumps(c, from, to, here);
  count_jumps(&x, 0, x.tokens.len, there);
  ctext_free(&x);
  buf_free(&e.text);
  return memcmp(here, there, sizeof here) != 0;
}

/* ---- all of it ---- */

void ctext_read(struct ctext *c, const char *text, size_t len,
                const char *expanded, const char *file) {
  *c = (struct ctext){.text = text, .len = (uint32_t)len};
  scan(c);
  if (expanded)
    drop_left_out(c, expanded, file);
  ctext_parse(c);
  check_slow((ctext_check_invariants(c), true));
}

void ctext_free(struct ctext *c) {
  vec_free(&c->tokens);
  vec_free(&c->directives);
  vec_free(&c->stmts);
  vec_free(&c->functions);
}

void ctext_check_invariants(const struct ctext *c) {
  for (uint32_t i = 0; i < c->tokens.len; i++) {
    const struct ctoken *t = &c->tokens.at[i];
    assert(t->len && t->at + t->len <= c->len);  /* T1 */
    assert(!i || t[-1].at + t[-1].len <= t->at); /* T1 */
  }
  for (uint32_t i = 0; i < c->stmts.len; i++) {
    const struct cstmt *s = &c->stmts.at[i];
    assert(s->first <= s->last && s->last < c->tokens.len);
    uint32_t before = s->first;
    for (uint32_t k = s->child; k != CTEXT_NONE; k = c->stmts.at[k].next) {
      const struct cstmt *t = &c->stmts.at[k];
      assert(t->parent == i && t->first >= before && t->last <= s->last);
      before = t->last + 1; /* T2 */
    }
  }
}
