/* C text as tokens, functions and statements. */
#include "test.h"

#include "base/rng.h"
#include "source/critical.h"

#include <stdlib.h>

static struct ctext text;

static void read_text(const char *source, const char *expanded) {
  ctext_free(&text);
  ctext_read(&text, source, strlen(source), expanded, "x.c");
  ctext_check_invariants(&text);
}

static void put_stmt(uint32_t s, struct buf *out) {
  static const char *const names[] = {"{",        "if",     "loop", "switch",
                                      "label",    "return", "goto", "break",
                                      "continue", "-"};
  for (; s != CTEXT_NONE; s = text.stmts.at[s].next) {
    const struct cstmt *x = &text.stmts.at[s];
    buf_printf(out, "%s%s", out->len ? " " : "", names[x->kind]);
    if (x->child != CTEXT_NONE) {
      buf_puts(out, "(");
      struct buf inner = {0};
      put_stmt(x->child, &inner);
      buf_printf(out, "%s)", buf_text(&inner));
      buf_free(&inner);
    }
  }
}

/* The statements of the first function, in words; or why they are not known. */
static const char *shape(const char *source) {
  static struct buf out;
  buf_clear(&out);
  read_text(source, NULL);
  if (!CHECK(text.functions.len > 0))
    return "";
  const struct cfunction *f = &text.functions.at[0];
  if (f->broken)
    buf_puts(&out, f->broken);
  else
    put_stmt(text.stmts.at[f->body].child, &out);
  return buf_text(&out);
}

TEST(finds_functions_among_other_braces) {
  read_text("struct s { int a; };\n"
            "enum { A, B };\n"
            "static int t[] = {1, 2};\n"
            "FL_OP(int, one)\n"
            "static struct s *one(int a, int (*g)(void)) { return 0; }\n"
            "void two(void) __attribute__((noinline));\n"
            "__attribute__((noinline)) unsigned long two(void)\n"
            "    __attribute__((cold)) {}\n",
            NULL);
  CHECK_INT(text.functions.len, 2);
  struct buf b = {0};
  const struct cfunction *f = text.functions.at;
  CHECK(ctext_is(&text, f[0].name, "one"));
  ctext_put(&text, f[0].type, f[0].type_end - 1, &b);
  CHECK_STR(buf_text(&b), "struct s *");
  CHECK(ctext_is(&text, f[1].name, "two"));
  buf_clear(&b);
  ctext_put(&text, f[1].type, f[1].type_end - 1, &b);
  CHECK_STR(buf_text(&b), "unsigned long");
  buf_free(&b);
  CHECK(ctext_function(&text, "one", 5) == &f[0]);
  CHECK(ctext_function(&text, "one", 7) == NULL);
  CHECK(ctext_function(&text, "three", 5) == NULL);
}

TEST(finds_functions_in_classes_and_namespaces) {
  read_text("namespace n {\n"
            "template <class T> class Q : base {\n"
            " public:\n"
            "  Q() : n_{0} { n_ = 1'000; }\n"
            "  int size() const noexcept { return n_; }\n"
            "  void put(T v) override {\n"
            "    std::lock_guard<std::mutex> l(m_);\n"
            "    each([&](T x) { if (x) return; });\n"
            "    log(R\"x(\" } )\" )x\");\n"
            "  }\n"
            "  std::mutex m_{};\n"
            "};\n"
            "}\n"
            "extern \"C\" {\n"
            "int size(void) { return 0; }\n"
            "}\n",
            NULL);
  CHECK(ctext_function(&text, "size", 5) != NULL);
  CHECK(ctext_function(&text, "size", 15) != NULL);
  CHECK(ctext_function(&text, "size", 6) == NULL);
  const struct cfunction *put =
      ctext_function(&text, "n::Q<std::map<int, long> >::put", 8);
  if (!CHECK(put != NULL))
    return;
  CHECK(!put->broken);
  struct buf b = {0};
  put_stmt(text.stmts.at[put->body].child, &b);
  CHECK_STR(buf_text(&b), "- - -");
  buf_free(&b);
}

TEST(statements_have_their_shape) {
  CHECK_STR(shape("void f(void) { a(); b = (struct s){1, {2}}; ; }"), "- - -");
  CHECK_STR(
      shape("void f(void) { if (a) b(); else if (c) d(); else { e(); } }"),
      "if(- if(- {(-)))");
  CHECK_STR(shape("void f(void) { if (a) if (b) c(); else d(); }"),
            "if(if(- -))");
  CHECK_STR(shape("void f(void) { for (;;) while (a) do b(); while (c); }"),
            "loop(loop(loop(-)))");
  CHECK_STR(shape("int f(int k) { switch (k) { case 1 ? 2 : 3: a(); break; "
                  "default: return 1; } x: goto x; }"),
            "switch({(label - break label return)) label goto");
  CHECK_STR(shape("void f(void) { struct { int a; } s = {.a = 1}; "
                  "int x = ({ int y = 1; y; }); _Atomic(int) z; }"),
            "- - -");
  CHECK_STR(shape("void f(void) { while (a) continue; { } }"),
            "loop(continue) {");
}

TEST(what_is_not_understood_is_said) {
  CHECK_STR(shape("void f(void) { FOR_EACH(x) { a(); } }"),
            "it has a macro that stands for a statement");
  CHECK_STR(shape("void f(void) { else a(); }"),
            "it has an else without an if");
  CHECK_STR(shape("void f(void) { a() }"),
            "it has a macro that stands for a statement");
  CHECK_STR(shape("void f(void) { if a(); }"), "a statement is not understood");
  CHECK_STR(shape("void f(void) { do a(); }"), "a statement is not understood");
  CHECK_STR(shape("void f(void) { if (a) x: b(); }"),
            "it has a label in an unexpected place");
}

TEST(parts_of_if_that_are_left_out_are_no_code) {
  static const char source[] = "int f(void) {\n"
                               "#ifdef A\n"
                               "  return 1;\n"
                               "#elif defined B\n"
                               "  x++;\n"
                               "# if C\n"
                               "  y++;\n"
                               "# endif\n"
                               "#else\n"
                               "  z++;\n"
                               "#endif\n"
                               "  return 2;\n"
                               "}\n";
  static const char expanded[] = "# 0 \"x.c\"\n"
                                 "# 1 \"/usr/include/y.h\" 1\n"
                                 "z\nz\nz\n"
                                 "# 1 \"x.c\"\n"
                                 "int f(void) {\n"
                                 "\n\n\n"
                                 "  x++;\n"
                                 "# 12 \"x.c\"\n"
                                 "  return 2;\n"
                                 "}\n";
  read_text(source, expanded);
  CHECK(ctext_has_name(&text, "x"));
  CHECK(!ctext_has_name(&text, "y"));
  CHECK(!ctext_has_name(&text, "z"));
  CHECK_INT(text.directives.len, 6);
  CHECK_INT(text.directives.at[2].depth, 1);
  CHECK_INT(text.directives.at[5].depth, 0);
  struct buf b = {0};
  put_stmt(text.stmts.at[text.functions.at[0].body].child, &b);
  CHECK_STR(buf_text(&b), "- return");
  buf_free(&b);
  CHECK(!ctext_hides_jumps(&text, &text.functions.at[0], expanded, "x.c"));
}

TEST(macros_that_jump_are_seen) {
  static const char source[] = "int f(void) {\n  CHECK(x);\n  return 2;\n}\n";
  read_text(source, NULL);
  const struct cfunction *f = &text.functions.at[0];
  CHECK(ctext_hides_jumps(&text, f,
                          "# 1 \"x.c\"\nint f(void) {\n"
                          "  ({ if (!x) return 1; });\n  return 2;\n}\n",
                          "x.c"));
  CHECK(ctext_hides_jumps(&text, f,
                          "# 1 \"x.c\"\nint f(void) {\n"
                          "  if (!x) y();\n  return 2;\n}\n",
                          "x.c"));
  CHECK(!ctext_hides_jumps(&text, f,
                           "# 1 \"x.c\"\nint f(void) {\n"
                           "  ({ if (!x) y(); });\n  return 2;\n}\n",
                           "x.c"));
}

/* Whatever the text is, nothing breaks, and what is changed stays C enough to
 * be read again. */
TEST(survives_any_text) {
  static const char *const pieces[] = {"{",
                                       "}",
                                       "(",
                                       ")",
                                       "[",
                                       ";",
                                       ":",
                                       "?",
                                       "if",
                                       "else",
                                       "while",
                                       "do",
                                       "for",
                                       "switch",
                                       "case",
                                       "default",
                                       "return",
                                       "goto",
                                       "break",
                                       "x",
                                       "f",
                                       "\"",
                                       "'",
                                       "\\",
                                       "\n",
                                       "\r\n",
                                       "/*",
                                       "*/",
                                       "//",
                                       "#",
                                       "#if 1\n",
                                       "#else\n",
                                       "#endif\n",
                                       "\\\n",
                                       "lock",
                                       "unlock",
                                       "lock(m);",
                                       "unlock(m);",
                                       "=",
                                       "->",
                                       "&",
                                       ",",
                                       " ",
                                       "0x1p+",
                                       "L'",
                                       "\xff",
                                       "void f(void) {",
                                       "int x;"};
  struct rng r = {7};
  for (unsigned round = 0; round < 30000; round++) {
    struct buf b = {0}, out = {0}, what = {0};
    for (uint64_t n = rng_below(&r, 60); n; n--) {
      buf_puts(&b, pieces[rng_below(&r, sizeof pieces / sizeof *pieces)]);
      buf_puts(&b, rng_below(&r, 2) ? " " : "");
    }
    read_text(buf_text(&b), rng_below(&r, 2) ? buf_text(&b) : NULL);
    for (uint32_t i = 0; i < text.functions.len; i++) {
      struct edits e = {0};
      struct cregion reg;
      const char *why;
      uint32_t line = 1 + (uint32_t)rng_below(&r, 8);
      if (cregion_of_lines(&text, &text.functions.at[i], line,
                           line + (uint32_t)rng_below(&r, 3), &reg, &why)) {
        bool ok = rng_below(&r, 2)
                      ? critical_wrap(&text, &reg, "L;", "U;", &e, &why)
                      : critical_widen(&text, &reg, 0, &e, &what, &why);
        if (ok)
          edits_diff(&e, b.at, b.len, "x.c", &out);
        ctext_hides_jumps(&text, &text.functions.at[i], b.at, "x.c");
      }
      edits_free(&e);
    }
    buf_free(&b);
    buf_free(&out);
    buf_free(&what);
  }
}

TEST_MAIN
