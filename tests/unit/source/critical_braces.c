/*
 * Functions made by chance, with locks put around some of their lines: what
 * comes out has no pair of braces around nothing but another pair, and as many
 * that open as that close.
 */
#include "test.h"

#include "base/rng.h"
#include "source/critical.h"

#include <ctype.h>
#include <stdlib.h>

static struct rng rng;
static bool one_line;

static uint32_t below(uint32_t n) { return (uint32_t)(rng_next(&rng) % n); }

static void put_stmt(struct buf *b, int depth, bool in_loop);

static void put_space(struct buf *b, int depth) {
  if (one_line || !below(3)) {
    buf_putc(b, ' ');
    return;
  }
  buf_putc(b, '\n');
  buf_spaces(b, (size_t)(2 * depth + 2));
}

static void put_body(struct buf *b, int depth, bool in_loop) {
  if (below(2)) {
    put_space(b, depth + 1);
    put_stmt(b, depth + 1, in_loop);
    return;
  }
  put_space(b, depth);
  buf_putc(b, '{');
  for (uint32_t n = 1 + below(3); n--;) {
    put_space(b, depth + 1);
    put_stmt(b, depth + 1, in_loop);
  }
  put_space(b, depth);
  buf_putc(b, '}');
}

static void put_stmt(struct buf *b, int depth, bool in_loop) {
  static const char *const simple[] = {"g++;", "return s->x;", "return 1;",
                                       "h(g);"};
  static const char *const heads[] = {"if (g)", "while (g)", "for (;;)"};
  uint32_t kind = below(depth > 3 ? 5 : 10);
  if (kind < 4) {
    buf_puts(b, simple[kind]);
  } else if (kind == 4) {
    buf_puts(b, in_loop ? "continue;" : "g = 2;");
  } else if (kind < 8) {
    buf_puts(b, heads[kind - 5]);
    put_body(b, depth, in_loop || kind > 5);
  } else if (kind == 8) {
    buf_puts(b, "if (g)");
    put_body(b, depth, in_loop);
    put_space(b, depth);
    buf_puts(b, "else");
    put_body(b, depth, in_loop);
  } else {
    buf_puts(b, "switch (g) {");
    for (int i = 1; i <= 2; i++) {
      put_space(b, depth);
      buf_printf(b, "case %d:", i);
      put_space(b, depth + 1);
      put_stmt(b, depth + 1, in_loop);
    }
    put_space(b, depth);
    buf_putc(b, '}');
  }
}

/* `{` with nothing but blanks and our calls between it and the next `{`. */
static bool has_double_brace(const char *text) {
  for (const char *p = text; (p = strchr(p, '{')); p++) {
    const char *q = p + 1;
    while (isspace((unsigned char)*q) || !strncmp(q, "L;", 2) ||
           !strncmp(q, "U;", 2))
      q += isspace((unsigned char)*q) ? 1 : 2;
    if (*q == '{')
      return true;
  }
  return false;
}

static int balance(const char *text) {
  int n = 0;
  for (; *text; text++)
    n += (*text == '{') - (*text == '}');
  return n;
}

/* Some of its lines, as patches take them; false when they cannot be. */
static bool wrap(const struct buf *source, struct buf *out) {
  struct ctext c;
  struct edits e = {0};
  struct cregion regions[3];
  const char *why = NULL;
  uint32_t lines = 1, n = 0;
  for (const char *p = source->at; *p; p++)
    lines += *p == '\n';
  ctext_read(&c, source->at, source->len, NULL, NULL);
  for (uint32_t tries = 1 + below(3); tries-- && c.functions.len;) {
    uint32_t from = 1 + below(lines), to = from + below(lines - from + 1);
    n += cregion_of_lines(&c, &c.functions.at[0], from, to, &regions[n], &why);
  }
  n = cregions_merge(&c, regions, n);
  bool ok = n > 0;
  for (uint32_t i = 0; ok && i < n; i++)
    ok = critical_wrap(&c, &regions[i], "L;", "U;", &e, &why);
  if (ok)
    edits_apply(&e, source->at, source->len, out);
  edits_free(&e);
  ctext_free(&c);
  return ok;
}

TEST(braces_are_never_doubled) {
  uint32_t wrapped = 0;
  rng = (struct rng){1};
  for (uint32_t i = 0; i < 30000; i++) {
    struct buf source = {0}, out = {0};
    one_line = !below(3);
    buf_puts(&source, "static int f(struct s *s) {");
    for (uint32_t n = 1 + below(4); n--;) {
      put_space(&source, 0);
      put_stmt(&source, 0, false);
    }
    buf_puts(&source, one_line ? " }\n" : "\n  return 0;\n}\n");
    if (wrap(&source, &out)) {
      wrapped++;
      if (!CHECK(!has_double_brace(buf_text(&out))) ||
          !CHECK_INT(balance(buf_text(&out)), 0))
        printf("%s", buf_text(&out));
    }
    buf_free(&source);
    buf_free(&out);
  }
  CHECK(wrapped > 1000);
}

TEST_MAIN
