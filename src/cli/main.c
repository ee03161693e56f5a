#include "cli/commands.h"

#include "base/err.h"
#include "cli/pool_remote.h"

#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

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
    commands_usage(stderr);
    return 2;
  }
  const char *word = argv[1];
  const struct command *c = commands_find(word);
  if (c)
    return commands_run(c, argc - 1, argv + 1);
  if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
    commands_usage(stdout);
    return 0;
  }
  if (!strcmp(word, "--version")) {
    printf("faultline %s\n", FL_VERSION);
    return 0;
  }
  /* Not a command: a file, or an option of `test`; or a mistyped command. */
  if (word[0] != '-' && !strpbrk(word, "./") && access(word, F_OK))
    return command_unknown(word, "command or file");
  return command_test(argc, argv);
}
