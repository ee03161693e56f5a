/* The line of progress: when it is due, and how much of it fits. */
#include "base/progress.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t SECOND = 1000000000u;
static const char CLEAR[] = "\r\033[K"; /* to the left, erase to the right */

void progress_init(struct progress *p, int fd) {
  const char *term = getenv("TERM"), *ms = getenv("FAULTLINE_PROGRESS_MS");
  *p = (struct progress){.fd = fd, .clock = clock_ns};
  p->terminal = isatty(fd) && term && strcmp(term, "dumb");
  uint64_t first = p->terminal ? 2 * SECOND : 30 * SECOND;
  p->every = p->terminal ? SECOND / 5 : first;
  if (ms && *ms)
    first = p->every = strtoull(ms, NULL, 10) * (SECOND / 1000);
  p->due = p->clock() + first;
}

bool progress_due(const struct progress *p) { return p->clock() >= p->due; }

/* Bytes of the UTF-8 string that fit into `width` columns. */
static size_t fitting(const char *s, size_t width) {
  size_t i = 0, used = 0;
  for (; s[i]; i++) {
    used += (s[i] & 0xc0) != 0x80;
    if (used > width)
      break;
  }
  return i;
}

/* Progress that cannot be written is no reason to stop. */
static void put(int fd, const char *s, size_t n) {
  ssize_t ignored = write(fd, s, n);
  (void)ignored;
}

void progress_show(struct progress *p, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  /* One write, or the line flickers. */
  struct buf line = {0};
  if (p->terminal) {
    /* The last column stays free: some terminals wrap when it is written. */
    buf_puts(&line, CLEAR);
    buf_put(&line, text, fitting(text, terminal_width(p->fd) - 1));
  } else {
    buf_printf(&line, "faultline: %s\n", text);
  }
  put(p->fd, line.at, line.len);
  buf_free(&line);
  p->shown = p->terminal;
  p->due = p->clock() + p->every;
}

void progress_clear(struct progress *p) {
  if (p->shown)
    put(p->fd, CLEAR, strlen(CLEAR));
  p->shown = false;
}
