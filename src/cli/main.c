#include "cli/commands.h"

#include "base/err.h"
#include "base/opt.h"
#include "cli/pool_remote.h"

#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

struct command {
  const char *name, *help;
  int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
#define COMMAND_ROW(id, name, help) {name, help, command_##id},
    COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void usage(FILE *to) {
  fputs("faultline finds linearizability violations in concurrent C objects.\n"
        "\n"
        "Usage: faultline FILE... [options] [-- compiler flags]\n"
        "       faultline COMMAND ...\n"
        "\n",
        to);
  for (int i = 0; i < NCOMMANDS; i++)
    fprintf(to, "  %-12s %s\n", commands[i].name, commands[i].help);
  fputs("\n"
        "A FILE is a C or C++ source, an object file or a shared object; one "
        "of them\n"
        "is the harness (it includes <faultline.h>).  faultline COMMAND "
        "--help tells\n"
        "more.\n",
        to);
}

/*
 * The same addresses in every run, so that two runs say the same: the system's
 * randomisation is off for this process and begins with exec.  Where it is not
 * allowed to be, everything works, and raw addresses differ.
 */
static void same_addresses(char **argv) {
  int now = personality(0xffffffff);
  if (now < 0 || now & ADDR_NO_RANDOMIZE ||
      personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
    return;
  execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
  same_addresses(argv);
  int status;
  struct pool_job job = {.open = hunt_serve_open, .item = hunt_serve};
  if (remote_begin(&job, &status))
    return status;
  if (argc < 2) {
    usage(stderr);
    return 2;
  }
  const char *word = argv[1];
  if (!strcmp(word, "c++"))
    word = "cxx";
  for (int i = 0; i < NCOMMANDS; i++)
    if (!strcmp(word, commands[i].name))
      return commands[i].run(argc - 1, argv + 1);
  if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
    usage(stdout);
    return 0;
  }
  if (!strcmp(word, "--version")) {
    printf("faultline %s\n", FL_VERSION);
    return 0;
  }
  /* Not a command: a file, or an option of `test`; or a mistyped command. */
  if (word[0] != '-' && !strpbrk(word, "./") && access(word, F_OK)) {
    const char *names[NCOMMANDS + 1] = {0};
    for (int i = 0; i < NCOMMANDS; i++)
      names[i] = commands[i].name;
    const char *near = opt_nearest(word, names);
    fprintf(stderr, "faultline: no command or file \"%s\"%s%s%s\n", word,
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return 2;
  }
  return command_test(argc, argv);
}
