/* The command line of the commands that take sources. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "hunt/settings.h"

/*
 * Parses the command line of a command that takes sources.  Returns ERR_NONE,
 * or the error's code; with --help prints the help and sets *help.
 */
int settings_parse(struct settings *s, const char *command, int argc,
                   char **argv, bool *help, struct error *e);
void settings_free(struct settings *s);
/* The exit status by the protocol of --exit-protocol. */
int settings_exit(const struct settings *s, int status, bool interrupted);

#endif
