#define _GNU_SOURCE

#include "scratch.h"

static const char *const source =
    "#include <stdbool.h>\n"                                /* 1 */
    "int counter;\n"                                        /* 2 */
    "static inline __attribute__((always_inline))\n"        /* 3 */
    "void bump(int by) {\n"                                 /* 4 */
    "  counter = by;\n"                                     /* 5 */
    "}\n"                                                   /* 6 */
    "__attribute__((noinline)) void twice(void) {\n"        /* 7 */
    "  bump(7);\n"                                          /* 8 */
    "}\n"                                                   /* 9 */
    "struct point { int x, y; };\n"                         /* 10 */
    "struct deep {\n"                                       /* 11 */
    "  union { long whole; struct { int low, high; }; };\n" /* 12 */
    "  struct point grid[2][3];\n"                          /* 13 */
    "  unsigned red : 3, green : 5;\n"                      /* 14 */
    "  const volatile _Atomic(int) flag;\n"                 /* 15 */
    "} deep, many[4];\n"                                    /* 16 */
    "static char text[8];\n"                                /* 17 */
    "int *local(int i) { static int kept[3];"
    " text[i] = 1; kept[0] = text[1]; return &kept[i]; }\n" /* 18 */
    "bool sig(void *p, int i, ...) { return p && i; }\n"    /* 19 */
    "struct point *make(void) { return 0; }\n"              /* 20 */
    "void nothing(void) {}\n";                              /* 21 */

static uint64_t symbol(struct lines *l, const char *name) {
  for (uint32_t i = 0; i < l->symbols.len; i++)
    if (!strcmp(l->symbols.at[i].name, name))
      return l->symbols.at[i].addr;
  return 0;
}

static void check_global(struct lines *l, const char *variable, uint64_t offset,
                         uint64_t size, const char *want) {
  struct buf b = {0};
  CHECK(lines_global(l, symbol(l, variable) + offset, size, &b));
  CHECK_STR(buf_text(&b), want);
  buf_free(&b);
}

TEST(an_address_has_a_line_and_its_inlining_chain) {
  scratch_write("p.c", source);
  EACH_COMPILER(cc, opt) {
    char *so = scratch_build(cc, opt, "p.c", NULL);
    struct lines *l = scratch_lines(so);
    uint64_t pc = scratch_call(l, "twice", "__tsan_write4", 0);
    CHECK(pc != 0);
    const struct place *p = lines_place(l, pc - 1);
    CHECK_STR(p->file, "p.c");
    CHECK_INT(p->line, 5);
    CHECK(p->column > 0);
    CHECK_STR(p->function, "bump");
    if (CHECK(p->next != NULL)) {
      CHECK_STR(p->next->function, "twice");
      CHECK_STR(p->next->file, "p.c");
      CHECK_INT(p->next->line, 8);
      CHECK(p->next->next == NULL);
    }
    CHECK(lines_place(l, pc - 1) == p);
    CHECK_STR(lines_function(l, symbol(l, "twice")), "twice");
    CHECK(lines_function(l, symbol(l, "twice") + 1) == NULL);
    CHECK_INT(lines_place(l, 1)->line, 0);
    lines_close(l);
    free(so);
  }
}

TEST(both_versions_of_the_format_are_read) {
  scratch_write("p.c", source);
  static const char *const versions[] = {"-gdwarf-4", "-gdwarf-5"};
  EACH_COMPILER(cc, opt)
  for (int v = 0; v < 2; v++) {
    if (strcmp(opt, "-O1"))
      continue;
    char *so = scratch_build(cc, opt, "p.c", versions[v]);
    struct lines *l = scratch_lines(so);
    uint64_t pc = scratch_call(l, "twice", "__tsan_write4", 0);
    const struct place *p = lines_place(l, pc - 1);
    CHECK_STR(p->file, "p.c");
    CHECK_INT(p->line, 5);
    CHECK_INT(p->next ? p->next->line : 0, 8);
    check_global(l, "deep", 0, 8, "deep.whole");
    lines_close(l);
    free(so);
  }
}

TEST(parts_of_variables_have_names) {
  scratch_write("p.c", source);
  EACH_COMPILER(cc, opt) {
    char *so = scratch_build(cc, opt, "p.c", NULL);
    struct lines *l = scratch_lines(so);
    check_global(l, "counter", 0, 4, "counter");
    check_global(l, "counter", 1, 1, "counter+1");
    check_global(l, "deep", 0, 8, "deep.whole");
    check_global(l, "deep", 4, 4, "deep.high");
    check_global(l, "deep", 8, 4, "deep.grid[0][0].x");
    check_global(l, "deep", 8 + 8 * 4 + 4, 4, "deep.grid[1][1].y");
    check_global(l, "deep", 56, 1, "deep.red/green");
    check_global(l, "deep", 60, 4, "deep.flag");
    check_global(l, "deep", 0, 64, "deep");
    check_global(l, "many", 3 * 64 + 60, 4, "many[3].flag");
    check_global(l, "many", 0, 256, "many");
    check_global(l, "text", 5, 1, "text[5]");
    struct buf b = {0};
    CHECK(!lines_global(l, 1, 4, &b));
    CHECK_STR(buf_text(&b), "");
    bool kept = false;
    for (uint32_t i = 0; i < l->variables.len; i++)
      if (!strcmp(l->variables.at[i].name, "kept")) {
        kept = lines_global(l, l->variables.at[i].addr + 8, 4, &b);
        CHECK_STR(buf_text(&b), "kept[2]");
      }
    CHECK(kept);
    buf_free(&b);
    lines_close(l);
    free(so);
  }
}

TEST(signatures_are_known) {
  scratch_write("p.c", source);
  EACH_COMPILER(cc, opt) {
    char *so = scratch_build(cc, opt, "p.c", NULL);
    struct lines *l = scratch_lines(so);
    struct signature s;
    lines_signature(l, symbol(l, "sig"), &s);
    CHECK(s.known && s.returns_bool && !s.returns_void && s.variadic);
    CHECK_INT(s.nparams, 2);
    CHECK_INT(s.param[0], PARAM_POINTER);
    CHECK_INT(s.param[1], PARAM_INTEGER);
    CHECK_INT(s.return_size, 1);
    lines_signature(l, symbol(l, "make"), &s);
    CHECK(s.known && s.returns_pointer && !s.variadic);
    CHECK_INT(s.nparams, 0);
    lines_signature(l, symbol(l, "nothing"), &s);
    CHECK(s.known && s.returns_void);
    lines_signature(l, 1, &s);
    CHECK(!s.known);
    lines_close(l);
    free(so);
  }
}

TEST(without_debug_information_a_place_has_its_function) {
  scratch_write("p.c", source);
  char *so = scratch_build("gcc", "-O1", "p.c", "-g0");
  struct lines *l = scratch_lines(so);
  const struct place *p = lines_place(l, symbol(l, "twice") + 1);
  CHECK_STR(p->function, "twice");
  CHECK_INT(p->line, 0);
  CHECK(p->file == NULL);
  check_global(l, "deep", 8, 4, "deep+8");
  lines_close(l);
  free(so);
}

TEST(members_of_classes_are_named_with_their_class) {
  scratch_write("k.cc", "#include <atomic>\nnamespace shop { class till {\n"
                        "  int cents = 0; public: void pay(int n);\n"
                        "  static int open; };\n"
                        "void till::pay(int n) {\n  cents = n;\n}\n"
                        "int till::open = 1; }\n"
                        "struct base { int low; };\n"
                        "struct top : base { std::atomic<int> n; } t;\n");
  static const char *const compilers[] = {"gcc", "clang"};
  for (int i = 0; i < 2; i++) {
    if (!scratch_has(compilers[i]))
      continue;
    char *so = scratch_build(compilers[i], "-O1", "k.cc", NULL);
    struct lines *l = scratch_lines(so);
    uint64_t pc = scratch_call(l, NULL, "__tsan_write4", 0);
    const struct place *p = lines_place(l, pc - 1);
    CHECK_STR(p->function, "shop::till::pay");
    CHECK_INT(p->line, 6);
    check_global(l, "t", 0, 4, "t.low");
    check_global(l, "t", 4, 4, "t.n");
    check_global(l, "_ZN4shop4till4openE", 0, 4, "open");
    lines_close(l);
    free(so);
  }
}

TEST(what_is_no_object_is_refused) {
  struct error e = {0};
  scratch_write("junk.so", "not an object");
  CHECK(lines_open("junk.so", &e) == NULL);
  CHECK(strstr(e.text, "junk.so") != NULL);
  e = (struct error){0};
  CHECK(lines_open("missing.so", &e) == NULL);
  CHECK_INT(e.code, ERR_INPUT);
}

TEST_MAIN
