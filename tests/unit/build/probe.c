#define _GNU_SOURCE

#include "scratch.h"

#include "build/known.h"
#include "build/probe.h"

static char *probe_text(const char *so, struct probe *p) {
  struct lines *l = scratch_lines(so);
  struct error e = {0};
  struct buf b = {0};
  CHECK_INT(probe_object(p, so, l, &e), ERR_NONE);
  /* No engine is linked to this program: every hook is unknown to it. */
  for (uint32_t i = 0; i < p->unknown_hooks.len; i++)
    free(p->unknown_hooks.at[i]);
  vec_clear(&p->unknown_hooks);
  probe_print(p, &b);
  lines_close(l);
  return b.at ? b.at : xstrdup("");
}

static bool listed(char *const *list, uint32_t n, const char *name) {
  for (uint32_t i = 0; i < n; i++)
    if (!strcmp(list[i], name))
      return true;
  return false;
}

TEST(a_good_object_gives_no_warning) {
  scratch_write(
      "good.c",
      "#include <stdatomic.h>\n#include <stdlib.h>\n#include <stdio.h>\n"
      "#include <pthread.h>\n#include <string.h>\n"
      "static const int squares[] = {0, 1, 4, 9};\n"
      "struct s { _Atomic long n; pthread_mutex_t m; char name[24]; };\n"
      "int square(int i) { return squares[i & 3]; }\n"
      "static int up(const void *a, const void *b) { return *(const int *)a -"
      " *(const int *)b; }\n"
      "int *find(int *p, int n) { return bsearch(&n, p, n, sizeof *p, up); }\n"
      "struct s *make(void) { struct s *s = calloc(1, sizeof *s);\n"
      "  pthread_mutex_init(&s->m, 0); strcpy(s->name, \"a\"); return s; }\n"
      "long add(struct s *s) { pthread_mutex_lock(&s->m);\n"
      "  long n = atomic_fetch_add(&s->n, 1); pthread_mutex_unlock(&s->m);\n"
      "  printf(\"%ld\\n\", n); __sync_synchronize(); return n; }\n");
  EACH_COMPILER(cc, opt) {
    struct probe p;
    char *so = scratch_build(cc, opt, "good.c", NULL);
    char *text = probe_text(so, &p);
    CHECK_STR(text, "");
    CHECK(p.hooks >= 3);
    CHECK(!p.has_tls);
    CHECK(p.needs_libc_tls); /* printf */
    probe_free(&p);
    free(text);
    free(so);
  }
}

static uint32_t sites_of_kind(const struct probe *p, enum site_kind kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->sites.len; i++)
    n += p->sites.at[i].kind == kind;
  return n;
}

TEST(inline_assembly_is_stopped_at) {
  scratch_write(
      "asm.c",
      "int n;\n"
      "int add(int *p) { int v = 1;\n"
      "  __asm__ volatile(\"lock xaddl %0, %1\"\n"
      "      : \"+r\"(v), \"+m\"(*p) : : \"memory\"); return v; }\n"
      "int cas(int *p, int v) { int r = 0;\n"
      "  __asm__ volatile(\"lock; cmpxchgl %2, %1\"\n"
      "      : \"+a\"(r), \"+m\"(*p) : \"r\"(v)); return r; }\n"
      "void swap(int *p) { int v = 1;\n"
      "  __asm__ volatile(\"xchgl %0, %1\" : \"+r\"(v), \"+m\"(*p));"
      " n = v; }\n"
      "void fence(void) {\n"
      "  __asm__ volatile(\"mfence; lfence\" ::: \"memory\"); n = 1; }\n"
      "void wait(void) { __asm__ volatile(\"pause; nopw (%rax); 1: pause; "
      "jmp 2f; nop; 2:\"); n = 2; }\n"
      "void both(volatile int *p) { *p = 1;\n"
      "  __asm__ volatile(\"movl $2, %0\" : \"=m\"(*p)); }\n"
      "void none(void) { n = 3; __asm__ volatile(\"rdrand %%eax\""
      " ::: \"eax\"); }\n");
  EACH_COMPILER(cc, opt) {
    struct probe p;
    char *so = scratch_build(cc, opt, "asm.c", NULL);
    char *text = probe_text(so, &p);
    CHECK_STR(text, "");
    CHECK_INT(sites_of_kind(&p, SITE_ATOMIC), 2);
    CHECK_INT(sites_of_kind(&p, SITE_CAS), 1);
    CHECK_INT(sites_of_kind(&p, SITE_FENCE), 1);
    CHECK_INT(sites_of_kind(&p, SITE_PAUSE), 1);
    CHECK_INT(sites_of_kind(&p, SITE_WRITE), 1); /* the other has a hook */
    CHECK_INT(sites_of_kind(&p, SITE_REFUSED), 1);
    CHECK_INT(p.sites.len, 7);
    probe_free(&p);
    free(text);
    free(so);
  }
}

TEST(functions_that_touch_memory_unseen_are_named_once) {
  scratch_write(
      "unseen.c",
      "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n"
      "#include <string.h>\n#include <time.h>\n#include <unistd.h>\n"
      "int list[4], n; char text[32];\n"
      "static int up(const void *a, const void *b) { return *(const int *)a -"
      " *(const int *)b; }\n"
      "void one(void) { char *a = text; swab(a, a + 2, 2); }\n"
      "#ifdef MORE\n"
      "void more(struct tm *t) { strftime(text, 32, \"%a\", t);\n"
      "  sscanf(text, \"%d\", &n); swab(text, text + 4, 2);\n"
      "  qsort(list, 2, sizeof *list, up);\n"
      "  snprintf(text, 32, \"%d\", n); puts(text); }\n"
      "#endif\n");
  struct probe p;
  char *so = scratch_build("gcc", "-O1", "unseen.c", NULL);
  char *text = probe_text(so, &p);
  CHECK_STR(text, "warning: swab touches memory without hooks: races in it "
                  "are not seen\n");
  probe_free(&p);
  free(text);
  free(so);
  so = scratch_build("gcc", "-O1", "unseen.c", "-DMORE");
  text = probe_text(so, &p);
  CHECK_INT(p.unseen.len, 3);
  CHECK(listed(p.unseen.at, p.unseen.len, "swab"));
  CHECK(listed(p.unseen.at, p.unseen.len, "strftime"));
  CHECK(listed(p.unseen.at, p.unseen.len, "sscanf"));
  CHECK_HAS(text, " and ");
  CHECK_HAS(text, " touch memory without hooks: races in them are not seen\n");
  probe_free(&p);
  free(text);
  free(so);
}

TEST(the_insides_of_the_cxx_library_have_its_users_names) {
  CHECK_STR(known_unseen("_ZNSt8__detail15_List_node_base7_M_hookEPS0_"),
            "std::list");
  CHECK_STR(known_unseen("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base"),
            "std::map");
  CHECK_STR(known_unseen("__isoc99_sscanf"), "sscanf");
  CHECK(!known_unseen("printf"));
  CHECK(!known_unseen("bsearch"));
  CHECK(!known_unseen("snprintf"));
  /* a parameter of this type is not yet its work */
  CHECK(!known_unseen("_ZNSt12system_errorC1ESt10error_codeRKNSt7__cxx11"
                      "12basic_stringIcSt11char_traitsIcESaIcEEE"));
}

TEST(data_of_libraries_is_no_unknown_function) {
  scratch_write("data.cc", "#include <thread>\n#include <unistd.h>\n"
                           "int n; int f() { std::thread t([] { n = 1; });\n"
                           "  t.join(); return optind; }\n");
  struct probe p;
  char *so = scratch_build("gcc", "-O1", "data.cc", NULL);
  char *text = probe_text(so, &p);
  for (uint32_t i = 0; i < p.unknown.len; i++)
    CHECK(strncmp(p.unknown.at[i], "_ZTI", 4) != 0);
  CHECK(!listed(p.unknown.at, p.unknown.len, "optind"));
  probe_free(&p);
  free(text);
  free(so);
}

TEST(functions_that_may_block_are_listed) {
  scratch_write("block.c",
                "#include <sys/file.h>\n#include <unistd.h>\n#include <math.h>\n"
                "int foo(void); int n;\n"
                "int f(double x) { n = 1; flock(0, LOCK_EX); sleep(1);"
                " return foo() + (int)floor(x); }\n");
  struct probe p;
  char *so = scratch_build("gcc", "-O1", "block.c", NULL);
  char *text = probe_text(so, &p);
  CHECK_INT(p.unknown.len, 2);
  CHECK(listed(p.unknown.at, p.unknown.len, "flock"));
  CHECK(listed(p.unknown.at, p.unknown.len, "foo"));
  CHECK_HAS(text, "warning: 2 functions are not modelled and may block or "
                  "touch shared memory: ");
  probe_free(&p);
  free(text);
  free(so);
}

static int run(const char *const *words) {
  struct command c = {0};
  for (; *words; words++)
    command_add(&c, *words);
  int status = command_run(&c);
  command_free(&c);
  return status;
}

TEST(code_without_hooks_is_stopped_at) {
  struct build b = {0};
  struct error e = {0};
  struct probe p;
  char *so;
  scratch_write("plain.c", "int plain_n; int plain(int *p) { return *p; }\n"
                           "void set(int *p) { *p = plain_n; }\n");
  scratch_write("hooked.c", "int n; void f(void) { n = n + 1; }\n"
                            "__attribute__((no_sanitize(\"thread\")))\n"
                            "void hidden(int *p) { *p = 3; }\n");
  CHECK_INT(run((const char *[]){"gcc", "-g", "-O1", "-fPIC", "-c", "plain.c",
                                 "-o", "plain.o", NULL}),
            0);
  vec_push(&b.inputs, "plain.o");
  vec_push(&b.inputs, "hooked.c");
  CHECK_INT(build_shared(&b, "out", &so, &e), ERR_NONE);
  char *text = probe_text(so, &p);
  CHECK_INT(p.sites.len, 4); /* plain(), set() and hidden() */
  CHECK_INT(p.hooks, 2);
  CHECK(!p.alien);
  CHECK_STR(text, "");
  probe_free(&p);
  free(text);
  free(so);
  vec_free(&b.inputs);
}

TEST(an_object_that_was_built_without_us_is_not_green) {
  struct probe p;
  scratch_write("alien.c", "#include <stdlib.h>\nint n; __thread int t;\n"
                           "void *f(void) { n++; t++; return malloc(n); }\n");
  CHECK_INT(run((const char *[]){"gcc", "-shared", "-fPIC", "alien.c", "-o",
                                 "alien.so", NULL}),
            0);
  char *text = probe_text("alien.so", &p);
  CHECK_INT(p.hooks, 0);
  CHECK(p.alien);
  CHECK_INT(p.sites.len, 0);
  CHECK(p.has_tls);
  CHECK(p.needs_libc_tls);
  CHECK(listed(p.unknown.at, p.unknown.len, "malloc"));
  CHECK_HAS(text, "the object has no hooks");
  probe_free(&p);
  free(text);
}

TEST(hooks_that_nobody_exports_are_listed) {
  struct probe p;
  struct error e = {0};
  struct buf b = {0};
  scratch_write("hook.c", "void __tsan_never_heard_of(void);\n"
                          "void f(void) { __tsan_never_heard_of(); }\n");
  char *so = scratch_build("gcc", "-O1", "hook.c", NULL);
  struct lines *l = scratch_lines(so);
  CHECK_INT(probe_object(&p, so, l, &e), ERR_NONE);
  CHECK(
      listed(p.unknown_hooks.at, p.unknown_hooks.len, "__tsan_never_heard_of"));
  probe_print(&p, &b);
  CHECK_HAS(buf_text(&b), "__tsan_never_heard_of");
  buf_free(&b);
  probe_free(&p);
  lines_close(l);
  free(so);
}

TEST(cxx_is_as_quiet_as_c) {
  scratch_write("q.cc", "#include <atomic>\n#include <map>\n#include <mutex>\n"
                        "#include <string>\n#include <vector>\n"
                        "#include <stdexcept>\n"
                        "std::atomic<int> a; std::mutex m;\n"
                        "std::vector<std::string> v; std::map<int, int> t;\n"
                        "int f() { std::lock_guard<std::mutex> g(m);\n"
                        "  v.push_back(\"x\"); t[1] = 2;\n"
                        "  if (a > 3) throw std::runtime_error(\"no\");\n"
                        "  static std::string once(\"y\"); return a++; }\n");
  static const char *const compilers[] = {"gcc", "clang"};
  for (int i = 0; i < 2; i++) {
    struct probe p;
    if (!scratch_has(compilers[i]))
      continue;
    char *so = scratch_build(compilers[i], "-O1", "q.cc", NULL);
    char *text = probe_text(so, &p);
    /* what the library does out of line is said, and nothing else */
    for (uint32_t k = 0; k < p.unseen.len; k++)
      CHECK(!strncmp(p.unseen.at[k], "std::", 5));
    CHECK_INT(p.unknown.len, 0);
    probe_free(&p);
    free(text);
    free(so);
  }
}

/* With clang the reads have hooks of their own. */
TEST(stores_to_bit_fields_are_found_with_their_bytes) {
  scratch_write("bits.c",
                "struct bits { int n; unsigned a : 3, b : 5, c : 20; };\n"
                "struct bits global;\n"
                "struct big { long a[3]; } all[3];\n"
                "void low(struct bits *p, int i) { p->a = i; }\n"
                "void high(struct bits *p, int i) { p->c = i; }\n"
                "void fixed(int i) { global.c = i; }\n"
                "void whole(struct bits *p, int i) { p->n = i; }\n"
                "void more(struct bits *p) { p->n++; }\n"
                "void copy(struct bits *p, struct bits *q) { *p = *q; }\n"
                "void shift(void) { all[0] = all[1]; }\n"
                "void flag(char *p, int i) { *p = i > 3; }\n"
                "void swap(int *p) { int t = p[0]; p[0] = p[1]; p[1] = t; }\n");
  EACH_COMPILER(cc, opt) {
    struct probe p;
    char *so = scratch_build(cc, opt, "bits.c", NULL);
    free(probe_text(so, &p));
    bool gcc = !strcmp(cc, "gcc");
    if (CHECK_INT(p.part_stores.len, gcc ? 3 : 0) && gcc)
      for (uint32_t i = 0; i < 3; i++) {
        CHECK_INT(p.part_stores.at[i].offset, 0);
        CHECK_INT(p.part_stores.at[i].size, i == 0 ? 1 : 4);
      }
    probe_free(&p);
    free(so);
  }
}

TEST(the_table_of_known_functions_has_three_answers) {
  CHECK_INT(known_function("fabs"), KNOWN_PURE);
  CHECK_INT(known_function("printf"), KNOWN_LIBRARY);
  CHECK_INT(known_function("rint"), KNOWN_PURE);
  CHECK_INT(known_function("print"), KNOWN_NOT);
  CHECK_INT(known_function("read"), KNOWN_NOT);
  CHECK_INT(known_function("fork"), KNOWN_NOT);
  CHECK_INT(known_function("syscall"), KNOWN_NOT);
  CHECK_INT(known_function("__atomic_load_16"), KNOWN_NOT);
  CHECK_INT(known_function("_ZNSt6vectorIiE4sizeEv"), KNOWN_LIBRARY);
  CHECK_INT(known_function(
                "_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj"),
            KNOWN_NOT);
}

TEST_MAIN
