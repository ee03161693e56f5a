/* The commands: each gets its own argv, argv[0] being its name, and returns
 * the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#define COMMANDS(_)                                                            \
  _(test, "test an object: the default when the first word is a file")         \
  _(explore, "every interleaving of one client or program, with outcomes")     \
  _(replay, "run a saved schedule again")                                      \
  _(cc, "compile as a drop-in for gcc: CC='faultline cc' make")                \
  _(cxx, "the same for g++")                                                   \
  _(selftest, "does your compiler's code reach the engine?")                   \
  _(specs, "list the built-in specifications")

#define COMMAND_DECLARE(name, help) int command_##name(int argc, char **argv);
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

#endif
