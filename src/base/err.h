/*
 * The three kinds of trouble: a bug of ours is an assert, no memory or no fork
 * is die(), and trouble in the user's input is an `error`: a code and one
 * sentence with its place, handed up to the one exit.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

enum {
  ERR_NONE = 0,
  ERR_USAGE,   /* wrong flags or a wrong client on the command line */
  ERR_INPUT,   /* a file that cannot be read or understood */
  ERR_BUILD,   /* the user's code does not compile, link or load */
  ERR_SYSTEM,  /* the machine refused something we need */
  ERR_REFUSED, /* the user's code wants what we do not let it do: status 3 */
  ERR_INTERRUPTED, /* the user does not want to wait: status 3 */
};

struct error {
  int code;
  char text[2048];
};

/* Sets the error (the first one set is kept) and returns `code`. */
int error_set(struct error *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints "faultline: …" on stderr and exits with status 2. */
_Noreturn void die(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* In a process that has nobody to print for: die() hands its sentence to `end`
 * first.  If that returns, die() goes on as usual. */
void die_by(void (*end)(const char *text));

/* These never return NULL: they die() instead. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
