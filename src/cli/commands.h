/* The commands.  Each takes its own argv, whose argv[0] is its name, and
 * returns the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/err.h"
#include "base/opt.h"

#include <stdio.h>

#define COMMANDS(_)                                                            \
  _(test, "test", "test an object: the default when the first word is a file") \
  _(check, "check", "are recorded histories linearizable?")                    \
  _(explore, "explore",                                                        \
    "every interleaving of one client or program, with outcomes")              \
  _(replay, "replay", "run a saved schedule again")                            \
  _(export, "export", "a saved schedule as a C file, for your tests")          \
  _(shrink, "shrink", "from a long failing history to the smallest client")    \
  _(explain, "explain", "which lines must be atomic, from traces in files")    \
  _(atomicity, "atomicity", "are transactions of traces serializable?")        \
  _(explain_tree, "explain-tree", "the structure tree of a function")          \
  _(init, "init", "write a harness from the sources' debug information")       \
  _(new, "new", "a folder with an example to start from")                      \
  _(cc, "cc", "compile as a drop-in for gcc: CC='faultline cc' make")          \
  _(cxx, "cxx", "the same for g++")                                            \
  _(selftest, "selftest", "does your compiler's code reach the engine?")       \
  _(specs, "specs", "list the built-in specifications")

/* Commands that the help does not list, for packages and gdb. */
#define HIDDEN_COMMANDS(_)                                                     \
  _(help, "help", "help on a command")                                         \
  _(man_page, "man-page", "print a man page")                                  \
  _(debug_run, "debug-run", "what gdb runs for replay --gdb")                  \
  _(completion, "completion", "print completions for bash, zsh or fish")

#define COMMAND_DECLARE(id, name, help) int command_##id(int argc, char **argv);
COMMANDS(COMMAND_DECLARE)
HIDDEN_COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

struct cli_command {
  const char *name, *help;
  int (*run)(int argc, char **argv);
  bool hidden;
};
extern const struct cli_command commands[]; /* ends with a NULL name */

/* The command of this name, or NULL; c++ is cxx. */
const struct cli_command *commands_find(const char *name);

int commands_run(const struct cli_command *c, int argc, char **argv);

/* Prints the usage of the program. */
void commands_usage(FILE *to);

/* Passes the table of the command's options to `visit`; false: it has none. */
bool command_visit(const struct cli_command *c,
                   void (*visit)(void *ctx, const struct opt_command *t),
                   void *ctx);

/* Prints `no command "tset"; did you mean test?`; returns the exit status. */
int command_unknown(const char *word, const char *what);

/* Prints the help of a table on stdout. */
void command_show_help(const struct opt_command *c);

/* Prints the error on stderr; returns the exit status. */
int command_complain(const struct error *e);

#endif
