/* faultline cc: compiles as the tool does, in place of the compiler. */
#include "campaign/built.h"
#include "cli/commands.h"
#include "cli/options.h"

#include <stdio.h>

static int compile(int argc, char **argv) {
  struct settings set = {0};
  struct build b;
  struct error e = {0};
  built_compiler(&set, &b);
  build_cc(argc, argv, b.include, &e);
  fprintf(stderr, "faultline: %s\n", e.text);
  return 2;
}

int command_cc(int argc, char **argv) { return compile(argc, argv); }
int command_cxx(int argc, char **argv) { return compile(argc, argv); }
