/* The commands: each gets its own argv, argv[0] being its name, and returns
 * the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/err.h"

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
  _(cc, "cc", "compile as a drop-in for gcc: CC='faultline cc' make")          \
  _(cxx, "cxx", "the same for g++")                                            \
  _(selftest, "selftest", "does your compiler's code reach the engine?")       \
  _(specs, "specs", "list the built-in specifications")

#define COMMAND_DECLARE(id, name, help) int command_##id(int argc, char **argv);
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* Says on stderr what went wrong; the exit status. */
int command_complain(const struct error *e);

#endif
