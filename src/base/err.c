/* Errors with a sentence, the end of the program, memory that is there. */
#include "base/err.h"

#include "base/tidy.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int error_set(struct error *e, int code, const char *format, ...) {
  assert(code != ERR_NONE);
  if (e && e->code == ERR_NONE) {
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    e->code = code;
  }
  return code;
}

#ifdef __SANITIZE_ADDRESS__
/* It would give each thread a stack for signals, by a call that the cage of the
 * user's code refuses (rt/cage.h). */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *
__asan_default_options(void) {
  return "use_sigaltstack=0";
}
#endif

static void (*end_by)(const char *text);
void die_by(void (*end)(const char *text)) { end_by = end; }

void die(const char *format, ...) {
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (end_by)
    end_by(text);
  fflush(stdout);
  /* There is no way to reach the progress line from here: wipe the row. */
  const char *wipe = isatty(STDERR_FILENO) ? "\r\033[K" : "";
  fprintf(stderr, "%sfaultline: %s\n", wipe, text);
  tidy_now();
  exit(2);
}

/*
 * What is large comes in large pages where the system has them for the asking:
 * a fault for each 4 KB was a quarter of the time that a history of a million
 * operations takes.
 */
static void *in_large_pages(void *p, size_t size) {
  const uintptr_t page = (uintptr_t)2 << 20;
  uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1),
            to = ((uintptr_t)p + size) & ~(page - 1);
  if (size >= 4 * page && to > from)
    madvise((void *)from, to - from, MADV_HUGEPAGE);
  return p;
}

void *xmalloc(size_t size) {
  void *p = malloc(size ? size : 1);
  if (!p)
    die("out of memory (%zu bytes wanted)", size);
  return in_large_pages(p, size);
}

void *xcalloc(size_t count, size_t size) {
  /* glibc gives a unique pointer for 0 too; others may give NULL. */
  void *p = count && size ? calloc(count, size) : calloc(1, 1);
  if (!p)
    die("out of memory (%zu times %zu bytes wanted)", count, size);
  return in_large_pages(p, count * size);
}

void *xrealloc(void *old, size_t size) {
  void *p = realloc(old, size ? size : 1);
  if (!p)
    die("out of memory (%zu bytes wanted)", size);
  return in_large_pages(p, size);
}

char *xstrdup(const char *s) { return xstrndup(s, strlen(s)); }

char *xstrndup(const char *s, size_t n) {
  size_t len = strnlen(s, n);
  char *copy = xmalloc(len + 1);
  memcpy(copy, s, len);
  copy[len] = 0;
  return copy;
}

char *xasprintf(const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  assert(n >= 0);
  char *s = xmalloc((size_t)n + 1);
  vsnprintf(s, (size_t)n + 1, format, again);
  va_end(again);
  return s;
}
