/*
 * How far we are, for a person who waits.  On a terminal it is one line, which
 * appears only when the work takes longer than two seconds, is redrawn at most
 * five times a second, and must be cleared before anything else is printed.
 * Where nobody watches (a pipe, a file, a dumb terminal: continuous
 * integration) it is a line of its own every 30 seconds, so that a log shows
 * that the work is alive.
 *
 *   struct progress p;
 *   progress_init(&p, STDERR_FILENO);
 *   while (work())
 *     if (progress_due(&p))
 *       progress_show(&p, "%u clients, %u executions", a, b);
 *   progress_clear(&p);
 *
 * progress_due reads a clock (some 30 ns): ask once in many executions.
 * FAULTLINE_PROGRESS_MS in the environment takes the place of all these times,
 * for tests.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
  int fd;
  bool terminal;           /* and not a dumb one */
  bool shown;              /* the line is on the screen now */
  uint64_t every;          /* nanoseconds from one to the next */
  uint64_t due;            /* not to be drawn before this time */
  uint64_t (*clock)(void); /* nanoseconds; tests put their own here */
};

void progress_init(struct progress *p, int fd);
bool progress_due(const struct progress *p);
/* Draws the line, cut to the width of the terminal, whether due or not. */
void progress_show(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void progress_clear(struct progress *p);

#endif
