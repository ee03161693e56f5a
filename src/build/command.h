/*
 * A command is the argument list of a program, run without a shell: what the
 * user wrote reaches the compiler byte for byte.
 */
#ifndef BUILD_COMMAND_H
#define BUILD_COMMAND_H

#include "base/buf.h"
#include "base/vec.h"

#include <sys/types.h>

struct command {
  VEC(char *) argv; /* owned strings; ends with NULL only while running */
  const char *tmp;  /* where it makes its temporary files, or NULL: anywhere */
};

void command_add(struct command *c, const char *word);
void command_addf(struct command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void command_free(struct command *c);

/* As it could be typed into a shell, for --verbose and error texts. */
void command_print(const struct command *c, struct buf *out);

/*
 * Starts the program, found by PATH.  Whatever it prints goes to `fd`, so that
 * a compiler's words never mix into a report.  A program that cannot be started
 * ends with 127.
 */
pid_t command_start(struct command *c, int fd);

/* Waits for it: the exit status, or 128 + signal. */
int command_wait(pid_t pid);

/* The same in words: "exit status 3", "killed by signal 9 (Killed)"; in a place
 * that the next call uses again. */
const char *command_end(int status);

/* Starts it, to print to our stderr, and waits. */
int command_run(struct command *c);

/* Runs it with all that it prints caught in `out`; its exit status. */
int command_capture(struct command *c, struct buf *out);

/* Replaces this process; returns only when the program cannot be started. */
void command_exec(struct command *c);

/* The file that would be started, or NULL; owned by the caller. */
char *command_find(const char *name);

/* What tells a compiler from its next version: path, size and time of it and of
 * the programs that it may start, as a script or ccache starts gcc. */
void command_toolchain(const char *compiler, struct buf *out);

#endif
