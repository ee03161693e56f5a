/*
 * Which change makes a source be compiled again?  The compiler is a script that
 * counts its runs.
 */
#define _GNU_SOURCE

#include "scratch.h"

#include "build/step.h"

#include <sys/stat.h>
#include <time.h>

static struct timespec file_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME_COARSE, &t);
  return t;
}

/* Nobody could know which bytes a compiler saw that is started in the moment in
 * which a file was written: waits until the clock that steps are started by has
 * passed the file's time, which may be a finer one. */
static void settle(const char *path) {
  struct timespec now;
  struct stat st;
  if (stat(path, &st))
    return;
  do
    now = file_clock();
  while (now.tv_sec < st.st_ctim.tv_sec || (now.tv_sec == st.st_ctim.tv_sec &&
                                            now.tv_nsec <= st.st_ctim.tv_nsec));
}

static void put_source(const char *path, const char *text) {
  scratch_write(path, text);
  settle(path);
}

static void make_compiler(const char *path, const char *comment) {
  struct buf b = {0};
  buf_printf(&b, "#!/bin/sh\n# %s\necho >>%s/runs\nexec gcc \"$@\"\n", comment,
             scratch_dir);
  put_source(path, buf_text(&b));
  buf_free(&b);
  CHECK_INT(chmod(path, 0755), 0);
}

/* How often is the compiler run?  A source and its link are two runs; a new
 * compiler is asked twice what it is. */
static size_t runs_with(const char *input, const char *f1, const char *f2) {
  struct build b = {.cc = "./counting", .cache = true};
  struct error e = {0};
  struct buf runs = {0};
  char *so = NULL, *count = xasprintf("%s/runs", scratch_dir);
  unlink(count);
  vec_push(&b.inputs, input);
  if (f1)
    vec_push(&b.flags, f1);
  if (f2)
    vec_push(&b.flags, f2);
  CHECK_INT(build_shared(&b, "out", &so, &e), ERR_NONE);
  if (CHECK(so != NULL)) {
    struct lines *l = scratch_lines(so); /* it is whole */
    lines_close(l);
    unlink(so);
  }
  free(so);
  vec_free(&b.inputs);
  vec_free(&b.flags);
  e = (struct error){0};
  buf_read_file(&runs, count, &e);
  size_t n = runs.len;
  free(count);
  buf_free(&runs);
  return n;
}

static size_t runs(void) { return runs_with("a.c", NULL, NULL); }

static void begin(const char *name) {
  char *path = xasprintf("%s/%s", scratch_dir, name);
  setenv("XDG_CACHE_HOME", path, 1);
  free(path);
  make_compiler("counting", "as it is");
  put_source("a.h", "#define A 1\n");
  put_source("a.c", "#include \"a.h\"\n#include <stdlib.h>\nint a = A;\n");
  CHECK_INT(runs(), 4);
  CHECK_INT(runs(), 0);
}

TEST(what_a_source_is_made_of_counts) {
  begin("sources");
  put_source("a.h", "#define A 2\n");
  CHECK_INT(runs(), 2);
  CHECK_INT(runs(), 0);
  put_source("a.h", "#define A 1\n"); /* as it was */
  CHECK_INT(runs(), 0);
  put_source("a.h", "#define A 1 /* said otherwise */\n"); /* same object */
  CHECK_INT(runs(), 1);
  CHECK_INT(unlink("a.h"), 0);
  put_source("a.c", "int a;\n");
  CHECK_INT(runs(), 2);
}

TEST(a_header_of_a_header_counts) {
  begin("nested");
  put_source("a.h", "#include \"b.h\"\n");
  put_source("b.h", "#define A 3\n");
  CHECK_INT(runs(), 2);
  CHECK_INT(runs(), 0);
  put_source("b.h", "#define A 4\n");
  CHECK_INT(runs(), 2);
}

TEST(the_command_counts) {
  begin("command");
  CHECK_INT(runs_with("a.c", "-DX", NULL), 1); /* the same object comes of it */
  CHECK_INT(runs_with("a.c", "-DX", NULL), 0);
  CHECK_INT(runs_with("a.c", "-lpthread", NULL), 1); /* a link only */
  make_compiler("counting", "another one");
  CHECK_INT(runs(), 4);
  CHECK_INT(runs(), 0);
}

TEST(a_compiler_behind_another_of_the_same_name_counts) {
  char *path = xasprintf("%s:%s/behind", getenv("PATH"), scratch_dir);
  char *was = xstrdup(getenv("PATH"));
  begin("disguise");
  CHECK_INT(mkdir("behind", 0777), 0);
  make_compiler("behind/gcc", "as it was");
  setenv("PATH", path, 1);
  CHECK_INT(runs(), 4);
  CHECK_INT(runs(), 0);
  make_compiler("behind/gcc", "another one");
  CHECK_INT(runs(), 4);
  setenv("PATH", was, 1);
  free(path);
  free(was);
}

TEST(the_environment_and_the_folder_count) {
  begin("environment");
  CHECK_INT(mkdir("include", 0777), 0);
  setenv("CPATH", "include", 1);
  CHECK_INT(runs(), 2);
  CHECK_INT(runs(), 0);
  unsetenv("CPATH");
  CHECK_INT(runs(), 0);
  setenv("SOME_VARIABLE", "1", 1);
  CHECK_INT(runs(), 0);
  CHECK_INT(mkdir("elsewhere", 0777), 0);
  CHECK_INT(chdir("elsewhere"), 0);
  make_compiler("counting", "as it is");
  put_source("a.c", "int a = 1;\n");
  CHECK_INT(runs(), 4);
  CHECK_INT(chdir(".."), 0);
}

TEST(objects_and_archives_of_the_users_count) {
  begin("objects");
  struct command c = {0};
  put_source("b.c", "int b = 1;\n");
  put_source("b.sh", "gcc -c -DB=$1 b.c && rm -f libb.a && ar rc libb.a b.o\n");
  command_add(&c, "sh");
  command_add(&c, "b.sh");
  command_add(&c, "1");
  CHECK_INT(command_run(&c), 0);
  settle("b.o");
  settle("libb.a");
  CHECK_INT(runs_with("a.c", "-L.", "-lb"), 1);
  CHECK_INT(runs_with("a.c", "-L.", "-lb"), 0);
  CHECK_INT(runs_with("a.c", "b.o", NULL), 1);
  CHECK_INT(runs_with("b.o", NULL, NULL), 1);
  CHECK_INT(runs_with("b.o", NULL, NULL), 0);
  put_source("b.c", "int b = 2;\n");
  CHECK_INT(command_run(&c), 0);
  settle("b.o");
  settle("libb.a");
  CHECK_INT(runs_with("a.c", "-L.", "-lb"), 1);
  CHECK_INT(runs_with("a.c", "b.o", NULL), 1);
  CHECK_INT(runs_with("b.o", NULL, NULL), 1);
  command_free(&c);
  put_source("b.sh", "rm libb.a && ar rcT libb.a b.o\n"); /* a thin one */
  command_add(&c, "sh");
  command_add(&c, "b.sh");
  CHECK_INT(command_run(&c), 0);
  settle("b.o");
  settle("libb.a");
  CHECK_INT(runs_with("a.c", "-L.", "-lb"), 1);
  CHECK_INT(runs_with("a.c", "-L.", "-lb"), 1);
  command_free(&c);
}

/* Compiled again each time; the link of the same object is not. */
static void never_kept(const char *source, const char *flag) {
  put_source("a.c", source);
  runs_with("a.c", flag, NULL);
  size_t again = runs_with("a.c", flag, NULL);
  if (!CHECK(again >= 1))
    fprintf(stderr, "  with %s %s", flag ? flag : "", source);
}

TEST(what_depends_on_more_is_never_kept) {
  begin("more");
  put_source("data", "x");
  put_source("words", "-DWORDS=1\n");
  never_kept("const char *a = __DATE__;\n", NULL);
  never_kept("const char *a = __TIME__;\n", NULL);
  never_kept("const char *a = __TIMESTAMP__;\n", NULL);
  never_kept("asm(\".section .rodata\\n.incbin \\\"data\\\"\\n.text\");\n",
             NULL);
  put_source("a.h", "#define WHEN __DATE__\n");
  never_kept("#include \"a.h\"\nconst char *a = WHEN;\n", NULL);
  never_kept("#if 0\n# embed \"data\"\n#endif\nint a;\n", NULL);
  never_kept("int a;\n", "@words");
  never_kept("int a;\n", "-march=native");
  never_kept("int a;\n", "-ftest-coverage");
  never_kept("int a;\n", "-Wl,-Map=map");
}

/* Does the object that a.c becomes have the text in it? */
static bool object_has(const char *text) {
  struct build b = {.cc = "./counting", .cache = true};
  struct error e = {0};
  struct buf bytes = {0};
  char *so = NULL;
  vec_push(&b.inputs, "a.c");
  CHECK_INT(build_shared(&b, "out", &so, &e), ERR_NONE);
  if (CHECK(so != NULL))
    CHECK_INT(buf_read_file(&bytes, so, &e), ERR_NONE);
  bool found = memmem(bytes.at, bytes.len, text, strlen(text)) != NULL;
  buf_free(&bytes);
  free(so);
  vec_free(&b.inputs);
  return found;
}

TEST(a_file_that_changes_while_the_compiler_runs_is_not_trusted) {
  begin("racing");
  put_source("a.c", "#include \"a.h\"\nconst char a[] = A;\n");
  put_source("a.h", "#define A \"first words\"\n");
  put_source("counting", "#!/bin/sh\ngcc \"$@\" || exit\ncase $* in *-c*)"
                         " echo '#define A \"other words\"' >a.h ;; esac\n");
  CHECK(object_has("first words"));
  settle("a.h");
  CHECK(object_has("other words"));
}

TEST(a_linker_that_cannot_list_its_files_links_all_the_same) {
  begin("old_linker");
  struct buf b = {0};
  buf_printf(&b,
             "#!/bin/sh\necho >>%s/runs\n"
             "case $* in *--dependency-file*) exit 1 ;; esac\n"
             "exec gcc \"$@\"\n",
             scratch_dir);
  put_source("counting", buf_text(&b));
  buf_free(&b);
  CHECK_INT(runs(), 5);
  CHECK_INT(runs(), 2); /* both tries to link */
}

static struct hash128 link_key(const char *word, const char *more) {
  struct build_step s = {.kind = STEP_LINK, .command.tmp = "out"};
  command_add(&s.command, "gcc");
  command_add(&s.command, word);
  buf_puts(&s.more, more);
  step_identify(&s);
  struct hash128 key = s.key;
  step_free(&s);
  return key;
}

TEST(the_wraps_of_a_link_count_and_names_of_temporary_files_do_not) {
  struct hash128 k = link_key("out/a-1.o", "malloc free");
  CHECK(hash128_equal(link_key("out/a-2.o", "malloc free"), k));
  CHECK(!hash128_equal(link_key("out/a-1.o", "malloc free calloc"), k));
  CHECK(!hash128_equal(link_key("a-1.o", "malloc free"), k));
}

TEST(the_preprocessed_text_is_kept_too) {
  begin("expanded");
  struct build b = {.cc = "./counting", .cache = true};
  struct error e = {0};
  struct buf first = {0}, second = {0};
  vec_push(&b.inputs, "a.c");
  CHECK_INT(build_expand(&b, "a.c", "out", &first, &e), ERR_NONE);
  CHECK(strstr(buf_text(&first), "int a = 1;") != NULL);
  unlink("runs");
  CHECK_INT(build_expand(&b, "a.c", "out", &second, &e), ERR_NONE);
  CHECK(access("runs", F_OK) != 0);
  CHECK_STR(buf_text(&second), buf_text(&first));
  buf_free(&first);
  buf_free(&second);
  vec_free(&b.inputs);
}

TEST_MAIN
