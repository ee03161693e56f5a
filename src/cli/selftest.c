/*
 * faultline selftest: compiles a racy counter with the user's compiler and
 * flags and expects to find its fault.  A compiler whose code does not reach
 * the engine would make every test pass.
 */
#include "cli/commands.h"

#include "base/buf.h"
#include "base/tidy.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
    "#include <faultline.h>\n"
    "static int counter;\n"
    "static int racy_increment(void) { return counter++; }\n"
    "FL_OBJECT(selftest)\n"
    "FL_OP(int, racy_increment)\n";

int command_selftest(int argc, char **argv) {
  char dir[] = "/tmp/faultline-selftest-XXXXXX";
  if (!mkdtemp(dir)) {
    fprintf(stderr, "faultline: %s: %s\n", dir, strerror(errno));
    return 2;
  }
  tidy_file(dir);
  char *path = xasprintf("%s/selftest.c", dir);
  struct buf text = {0};
  struct error e = {0};
  buf_puts(&text, source);
  int status = 2;
  unsetenv("FAULTLINE_OPTIONS");
  unsetenv("GITHUB_ACTIONS"); /* the fault of the counter needs no annotation */
  if (buf_write_file(&text, path, &e)) {
    fprintf(stderr, "faultline: %s\n", e.text);
  } else {
    VEC(char *) args = {0};
    vec_push(&args, (char *)"selftest");
    vec_push(&args, path);
    vec_push(&args, (char *)"--no-save");
    vec_push(&args, (char *)"--quiet");
    for (int i = 1; i < argc; i++)
      vec_push(&args, argv[i]);
    vec_push(&args, NULL);
    status = command_test((int)args.len - 1, args.at);
    vec_free(&args);
    if (status == 1) {
      puts("selftest: the racy counter was caught");
      status = 0;
    } else if (status != 2) {
      fprintf(stderr, "faultline: selftest: the racy counter was NOT caught: "
                      "results with this compiler and these flags mean "
                      "nothing\n");
      status = 1;
    }
  }
  unlink(path);
  rmdir(dir);
  tidy_file_done(dir);
  buf_free(&text);
  free(path);
  return status;
}
