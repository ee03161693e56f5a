/* The drop-in compiler, run in a child as `faultline cc` would. */
#define _GNU_SOURCE

#include "scratch.h"

#include <stdarg.h>
#include <sys/wait.h>

/* The exit status; 200 + code when build_cc itself returned. */
static int cc(const char *first, ...) {
  char *argv[32] = {(char *)first};
  int argc = 1;
  va_list ap;
  va_start(ap, first);
  while ((argv[argc] = va_arg(ap, char *)))
    argc++;
  va_end(ap);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    struct error e = {0};
    _exit(200 + build_cc(argc, argv, NULL, &e));
  }
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int run(const char *program) {
  struct command c = {0};
  command_add(&c, program);
  int status = command_run(&c);
  command_free(&c);
  return status;
}

static bool imports(const char *so, const char *function, const char *symbol) {
  struct lines *l = scratch_lines(so);
  bool found = scratch_call(l, function, symbol, 0) != 0;
  lines_close(l);
  return found;
}

static const char *const program =
    "#include <stdlib.h>\nint x, *p; int helper(void);\n"
    "int main(void) { x = x + 1; p = malloc(3); return helper(); }\n";

TEST(a_makefile_in_two_steps_makes_a_loadable_program) {
  scratch_write("main.c", program);
  scratch_write("helper.c", "int y; int helper(void) { return y = y + 1; }\n");
  CHECK_INT(cc("cc", "-O1", "-c", "main.c", "-o", "main.o", NULL), 0);
  CHECK_INT(cc("cc", "-O2", "-c", "helper.c", NULL), 0);
  CHECK_INT(cc("cc", "main.o", "helper.o", "-o", "prog", "-lm", "-pie", NULL),
            0);
  CHECK(imports("prog", "main", "__tsan_write4"));
  CHECK(imports("prog", "main", "__wrap_malloc"));
  CHECK(imports("prog", "helper", "__tsan_read4"));
}

TEST(a_program_in_one_step_and_a_library_are_loadable_too) {
  scratch_write("main.c", program);
  scratch_write("helper.c", "int y; int helper(void) { return y = y + 1; }\n");
  CHECK_INT(cc("cc", "-O1", "main.c", "helper.c", "-o", "one",
               "-fsanitize=thread", NULL),
            0);
  CHECK(imports("one", "main", "__wrap_malloc"));
  CHECK(imports("one", "helper", "__tsan_read4"));
  CHECK_INT(cc("cc", "-shared", "-fPIC", "-Wl,-z,defs", "helper.c", "-o",
               "libhelper.so", NULL),
            0);
  CHECK(imports("libhelper.so", "helper", "__tsan_read4"));
}

TEST(checks_of_configure_scripts_run) {
  scratch_write("conftest.c", "int main(void) { return 7; }\n");
  CHECK_INT(cc("cc", "conftest.c", "-o", "conftest", NULL), 0);
  CHECK_INT(run("./conftest"), 7);
  scratch_write("gen.c", "int main(void) { return 9; }\n");
  setenv("FAULTLINE_CC_PASS", "1", 1);
  CHECK_INT(cc("cc", "gen.c", "-o", "gen", NULL), 0);
  unsetenv("FAULTLINE_CC_PASS");
  CHECK_INT(run("./gen"), 9);
  CHECK_INT(cc("cc", "-dumpversion", NULL), 0);
}

TEST(errors_are_the_compilers) {
  scratch_write("wrong.c", "#error deliberate, for this test\n");
  CHECK_INT(cc("cc", "-c", "wrong.c", NULL), 1);
  CHECK_INT(cc("cc", "wrong.c", "-o", "wrong", NULL), 1);
  CHECK(access("wrong", F_OK) != 0);
  scratch_write("gen.c", "int main(void) { return 9; }\n");
  CHECK_INT(cc("cc", "-fsanitize=address", "-c", "gen.c", NULL),
            200 + ERR_USAGE);
  setenv("FAULTLINE_CC", "no-such-compiler", 1);
  CHECK_INT(cc("cc", "-c", "gen.c", NULL), 200 + ERR_BUILD);
  unsetenv("FAULTLINE_CC");
}

TEST(cxx_and_another_compiler_are_chosen_by_name_and_environment) {
  scratch_write("p.cc", "#include <string>\nstd::string s;\n"
                        "int main() { s += 'x'; return 0; }\n");
  CHECK_INT(cc("c++", "p.cc", "-o", "pcc", NULL), 0);
  CHECK(imports("pcc", "main", "__tsan_func_entry"));
  if (!scratch_has("clang"))
    return;
  scratch_write("inc.c", "int x; void inc(void) { x = x + 1; }\n");
  setenv("FAULTLINE_CC", "clang", 1);
  CHECK_INT(cc("cc", "-O1", "-c", "inc.c", NULL), 0);
  CHECK_INT(cc("cc", "-shared", "inc.o", "-o", "inc.so", NULL), 0);
  unsetenv("FAULTLINE_CC");
  CHECK(imports("inc.so", "inc", "__tsan_read4"));
}

TEST_MAIN
