/* The commands.  Each takes its own argv, whose argv[0] is its name, and
 * returns the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/err.h"
#include "base/opt.h"

#include <stdio.h>

#define COMMANDS(_)                                                            \
  _(test, "test", "test an object: the default when the first word is a file") \
  _(check, "check", "tell whether recorded histories are linearizable")        \
  _(explore, "explore", "run every interleaving of one client or program")     \
  _(replay, "replay", "run a saved schedule again")                            \
  _(export, "export", "write a saved schedule as a C file, for your tests")    \
  _(shrink, "shrink", "turn a long failing history into the smallest client")  \
  _(explain, "explain", "tell which lines must be atomic, from trace files")   \
  _(atomicity, "atomicity", "tell whether transactions are serializable")      \
  _(explain_tree, "explain-tree", "print the structure tree of a function")    \
  _(init, "init", "write a harness from the sources' debug information")       \
  _(new, "new", "make a folder with an example to start from")                 \
  _(cc, "cc", "compile in place of gcc: CC='faultline cc' make")               \
  _(cxx, "cxx", "compile in place of g++: CXX='faultline cxx' make")           \
  _(selftest, "selftest",                                                      \
    "find out whether your compiler and flags work here")                      \
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
