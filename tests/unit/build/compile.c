#define _GNU_SOURCE

#include "scratch.h"

static bool has_import(struct lines *l, const char *function,
                       const char *symbol) {
  return scratch_call(l, function, symbol, 0) != 0;
}

TEST(every_access_has_a_hook_and_the_library_is_redirected) {
  scratch_write("a.c", "#include <stdlib.h>\n#include <string.h>\n"
                       "struct s { long a, b, c; };\n"
                       "int x;\n"
                       "void inc(void) { x = x + 1; }\n"
                       "void *get(void) { return malloc(3); }\n"
                       "void copy(struct s *p, struct s *q)"
                       " { memcpy(p, q, sizeof *p); }\n"
                       "void clear(struct s *p) { memset(p, 0, 24); }\n"
                       "int same(char *p) { return strcmp(p, \"ab\") == 0; }\n"
                       "void name(char *p) { strcpy(p, \"hello\"); }\n"
                       "void loop(int *p)"
                       " { for (int i = 0; i < 16; i++) p[i] = 0; }\n");
  EACH_COMPILER(cc, opt) {
    char *so = scratch_build(cc, opt, "a.c", NULL);
    if (!CHECK(so != NULL))
      continue;
    struct lines *l = scratch_lines(so);
    CHECK(has_import(l, "inc", "__tsan_read4"));
    CHECK(has_import(l, "inc", "__tsan_write4"));
    CHECK(has_import(l, "get", "__wrap_malloc"));
    CHECK(has_import(l, "copy", "__wrap_memcpy") ||
          has_import(l, "copy", "__tsan_memcpy"));
    CHECK(has_import(l, "clear", "__wrap_memset") ||
          has_import(l, "clear", "__tsan_memset"));
    /* clang 19 compares byte by byte with what is short */
    CHECK(has_import(l, "same", "__wrap_strcmp") ||
          has_import(l, "same", "__tsan_read1"));
    CHECK(has_import(l, "name", "__wrap_strcpy") ||
          has_import(l, "name", "__wrap_memcpy") ||
          has_import(l, "name", "__tsan_memcpy"));
    /* a loop must not look like one atomic memset (unrolled it may be) */
    bool set = has_import(l, "loop", "__wrap_memset") ||
               has_import(l, "loop", "__tsan_memset");
    if (!strcmp(opt, "-O0") || !strcmp(opt, "-O1") || !strcmp(cc, "gcc"))
      CHECK(!set);
    lines_close(l);
    free(so);
  }
}

TEST(c_and_cxx_sources_make_one_object) {
  struct build b = {0};
  struct error e = {0};
  char *so;
  scratch_write("c.c", "int from_c(void) { return 1; }\n");
  scratch_write("d.cc", "#include <vector>\nextern \"C\" int from_c();\n"
                        "std::vector<int> v;\n"
                        "int add() { v.push_back(from_c()); return 0; }\n");
  vec_push(&b.inputs, "c.c");
  vec_push(&b.inputs, "d.cc");
  CHECK_INT(build_shared(&b, "deep/er/out", &so, &e), ERR_NONE);
  if (CHECK(so != NULL)) {
    struct lines *l = scratch_lines(so);
    CHECK(has_import(l, NULL, "__wrap__Znwm"));
    lines_close(l);
  }
  free(so);
  vec_free(&b.inputs);
}

TEST(a_compiler_error_names_the_file) {
  struct build b = {0};
  struct error e = {0};
  char *so;
  scratch_write("good.c", "int x;\n");
  scratch_write("bad.c", "int x\n#error deliberate, for this test\n");
  vec_push(&b.inputs, "good.c");
  vec_push(&b.inputs, "bad.c");
  CHECK_INT(build_shared(&b, "out", &so, &e), ERR_BUILD);
  CHECK(so == NULL);
  CHECK(strstr(e.text, "bad.c") != NULL);
  vec_free(&b.inputs);
}

static int build_with(const char *input, const char *f1, const char *f2,
                      struct error *e) {
  struct build b = {0};
  char *so;
  *e = (struct error){0};
  vec_push(&b.inputs, input);
  if (f1)
    vec_push(&b.flags, f1);
  if (f2)
    vec_push(&b.flags, f2);
  int err = build_shared(&b, "out", &so, e);
  CHECK((err == ERR_NONE) == (so != NULL));
  free(so);
  vec_free(&b.inputs);
  vec_free(&b.flags);
  return err;
}

TEST(user_flags_win_unless_they_would_undo_the_hooks) {
  struct error e;
  scratch_write("f.c", "#ifndef X\n#error no X\n#endif\nint x = X;\n"
                       "#ifdef __OPTIMIZE__\n#error optimised\n#endif\n");
  CHECK_INT(build_with("f.c", "-DX=3", "-O0", &e), ERR_NONE);
  CHECK_INT(build_with("f.c", "-D", "X=3", &e), ERR_BUILD); /* -O1 is ours */
  CHECK_INT(build_with("f.c", "-fsanitize=address", NULL, &e), ERR_USAGE);
  CHECK(strstr(e.text, "-fsanitize=address") != NULL);
  CHECK_INT(build_with("f.c", "-fno-sanitize=thread", NULL, &e), ERR_USAGE);
  CHECK_INT(build_with("f.c", "-o", "x", &e), ERR_USAGE);
  CHECK_INT(build_with("f.c", "-I", NULL, &e), ERR_USAGE);
  scratch_write("lto.c", "int x; void f(void) { x = x + 1; }\n");
  char *so = scratch_build("gcc", NULL, "lto.c", "-flto");
  if (CHECK(so != NULL)) {
    struct lines *l = scratch_lines(so);
    CHECK(has_import(l, "f", "__tsan_write4"));
    lines_close(l);
  }
  free(so);
  CHECK_INT(build_with("lto.c", "-Wl,-z,defs", "-lm", &e), ERR_NONE);
  CHECK_INT(build_with("lto.c", "-static", "-pie", &e), ERR_NONE);
}

TEST(wrong_inputs_are_told_apart) {
  struct error e;
  struct build b = {0};
  char *so;
  scratch_write("x.txt", "");
  scratch_write("x.c", "");
  CHECK_INT(build_with("missing.c", NULL, NULL, &e), ERR_INPUT);
  CHECK(strstr(e.text, "missing.c") != NULL);
  CHECK_INT(build_with("x.txt", NULL, NULL, &e), ERR_USAGE);
  CHECK_INT(build_shared(&b, "out", &so, &e), ERR_USAGE);
  e = (struct error){0};
  b.cc = "no-such-compiler";
  vec_push(&b.inputs, "x.c");
  CHECK_INT(build_shared(&b, "out", &so, &e), ERR_BUILD);
  CHECK(strstr(e.text, "no-such-compiler") != NULL);
  vec_free(&b.inputs);
}

TEST(a_shared_object_is_returned_as_it_is) {
  scratch_write("s.c", "int s;\n");
  char *so = scratch_build("gcc", "-O1", "s.c", NULL);
  char *again = scratch_build("gcc", "-O1", so, NULL);
  CHECK_STR(again, so);
  free(so);
  free(again);
}

TEST(a_function_of_the_users_own_is_not_redirected) {
  struct build b = {0};
  struct error e = {0};
  char *so;
  scratch_write("own.c", "int n; void srand(unsigned x) { n = x; }\n");
  scratch_write("use.c", "void srand(unsigned); unsigned sleep(unsigned);\n"
                         "void f(void) { srand(1); sleep(1); }\n");
  vec_push(&b.inputs, "own.c");
  vec_push(&b.inputs, "use.c");
  CHECK_INT(build_shared(&b, "out", &so, &e), ERR_NONE);
  if (CHECK(so != NULL)) {
    struct lines *l = scratch_lines(so);
    CHECK(!has_import(l, "f", "__wrap_srand"));
    CHECK(has_import(l, "f", "__wrap_sleep"));
    lines_close(l);
  }
  free(so);
  vec_free(&b.inputs);
}

TEST(the_source_hash_sees_bytes_and_flags) {
  struct build b = {0};
  char h1[17], h2[17], h3[17];
  scratch_write("h.c", "int h;\n");
  vec_push(&b.inputs, "h.c");
  build_source_hash(&b, h1);
  vec_push(&b.flags, "-DX");
  build_source_hash(&b, h2);
  scratch_write("h.c", "int g;\n");
  build_source_hash(&b, h3);
  CHECK_INT(strlen(h1), 16);
  CHECK(strcmp(h1, h2) && strcmp(h2, h3) && strcmp(h1, h3));
  vec_free(&b.inputs);
  vec_free(&b.flags);
}

TEST_MAIN
