/*
 * A command is the argument list of a program, run without a shell: the user's
 * arguments reach the compiler byte for byte.
 */
#ifndef BUILD_COMMAND_H
#define BUILD_COMMAND_H

#include "base/buf.h"
#include "base/vec.h"

#include <sys/types.h>

struct command {
  VEC(char *) argv; /* owned strings; ends with NULL only while running */
  const char *tmp;  /* folder for its temporary files; NULL: the default */
};

void command_add(struct command *c, const char *word);
void command_addf(struct command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void command_free(struct command *c);

/* Prints it as it could be typed into a shell. */
void command_print(const struct command *c, struct buf *out);

/*
 * Starts the program, found by PATH.  All its output goes to `fd`, so that it
 * is never mixed into a report.  A program that cannot be started ends with
 * status 127.
 */
pid_t command_start(struct command *c, int fd);

/* Waits for the process; returns the exit status, or 128 + signal. */
int command_wait(pid_t pid);

/* The status in words: "exit status 3", "killed by signal 9 (Killed)".  The
 * next call overwrites the text. */
const char *command_end(int status);

/* Starts it with its output on our stderr, and waits. */
int command_run(struct command *c);

/* Runs it with its output in `out`; returns the exit status. */
int command_capture(struct command *c, struct buf *out);

/* Replaces this process; returns only if the program cannot be started. */
void command_exec(struct command *c);

/* The file that would be started, or NULL; the caller frees it. */
char *command_find(const char *name);

/* Identifies the version of a compiler: path, size and time of it and of the
 * programs that it may start, as a script or ccache starts gcc. */
void command_toolchain(const char *compiler, struct buf *out);

#endif
