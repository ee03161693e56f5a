/*
 * The program: executes itself again without address space randomisation, then
 * serves another rank of a cluster or runs a command.
 */
#include "cli/commands.h"
#include "cli/options.h"

#include "base/err.h"
#include "base/tidy.h"
#include "hunt/hunt.h"
#include "hunt/item.h"
#include "proc/pool_remote.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

/*
 * Gives every run the same addresses, so that two runs print the same.  The
 * program switches address space randomisation off and executes itself again.
 * If the system forbids that, all works but raw addresses differ.
 */
static void same_addresses(char **argv) {
  int now = personality(0xffffffff);
  if (now < 0 || now & ADDR_NO_RANDOMIZE ||
      personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
    return;
  execv("/proc/self/exe", argv);
}

/*
 * Opens /dev/null, for reading only, in place of closed descriptors among 0
 * to 2. Otherwise a file that is opened later would get such a number, and the
 * report would be written into it.
 */
static void open_standard(void) {
  int fd;
  do
    fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO)
    close(fd);
}

/* A report that could not be written is an error, whatever the status.  With
 * --exit-protocol=gnu, settings_exit has set the status already. */
static int finish(int status) {
  bool full = fflush(stdout) || ferror(stdout);
  if (!full)
    return status;
  fprintf(stderr,
          "faultline: cannot write to standard output: some output is lost\n");
  return status == EXIT_GNU_TROUBLE ? status : 2;
}

static int run(int argc, char **argv) {
  int status;
  struct pool_job job = {.open = hunt_serve_open,
                         .item = hunt_serve,
                         .valid = answer_valid,
                         .travel = &target_travel};
  if (remote_begin(&job, &status))
    return status;
  if (argc < 2) {
    commands_usage(stderr);
    return 2;
  }
  const char *word = argv[1];
  const struct cli_command *c = commands_find(word);
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

int main(int argc, char **argv) {
  open_standard();
  signal(SIGXFSZ, SIG_IGN); /* a file that grows too large: write() fails */
  same_addresses(argv);
  tidy_crashes();
  tidy_signals();
  return finish(run(argc, argv));
}
