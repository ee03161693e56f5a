/* Growing strings, and files as a whole. */
#define _GNU_SOURCE

#include "base/buf.h"

#include "base/tidy.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for n more bytes and the final zero. */
static void reserve(struct buf *b, size_t n) {
  if (b->cap - b->len > n)
    return;
  size_t cap = b->cap ? b->cap : 64;
  while (cap - b->len <= n)
    cap *= 2;
  b->at = xrealloc(b->at, cap);
  b->cap = cap;
}

void buf_put(struct buf *b, const void *bytes, size_t n) {
  reserve(b, n);
  if (n)
    memcpy(b->at + b->len, bytes, n);
  b->len += n;
  b->at[b->len] = 0;
}

void buf_putc(struct buf *b, char c) { buf_put(b, &c, 1); }

void buf_puts(struct buf *b, const char *s) { buf_put(b, s, strlen(s)); }

void buf_printf(struct buf *b, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  assert(n >= 0);
  reserve(b, (size_t)n);
  vsnprintf(b->at + b->len, (size_t)n + 1, format, again);
  va_end(again);
  b->len += (size_t)n;
}

void buf_spaces(struct buf *b, size_t n) {
  reserve(b, n);
  memset(b->at + b->len, ' ', n);
  b->len += n;
  b->at[b->len] = 0;
}

void buf_clear(struct buf *b) {
  b->len = 0;
  if (b->at)
    b->at[0] = 0;
}

void buf_free(struct buf *b) {
  free(b->at);
  *b = (struct buf){0};
}

const char *buf_text(const struct buf *b) { return b->at ? b->at : ""; }

int buf_read_file(struct buf *b, const char *path, struct error *e) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return error_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
  ssize_t n;
  do {
    reserve(b, 64 << 10);
    n = read(fd, b->at + b->len, b->cap - b->len - 1);
    if (n > 0)
      b->len += (size_t)n;
  } while (n > 0 || (n < 0 && errno == EINTR));
  int why = errno;
  b->at[b->len] = 0;
  close(fd);
  if (n < 0)
    return error_set(e, ERR_INPUT, "%s: %s", path, strerror(why));
  return ERR_NONE;
}

/* 0, or errno. */
static int write_all(int fd, const struct buf *b) {
  for (size_t done = 0; done < b->len;) {
    ssize_t n = write(fd, b->at + done, b->len - done);
    if (n < 0 && errno != EINTR)
      return errno;
    if (n > 0)
      done += (size_t)n;
  }
  return 0;
}

/* Devices, pipes: renaming over them would replace them by a file. */
static int write_special(const struct buf *b, const char *path) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int err = write_all(fd, b);
  if (close(fd) && !err)
    err = errno;
  return err;
}

static int write_regular(const struct buf *b, const char *path, mode_t mode) {
  char *temp = xasprintf("%s.XXXXXX", path);
  int err = 0, fd = mkostemp(temp, O_CLOEXEC);
  if (fd < 0) {
    err = errno;
    goto out;
  }
  tidy_file(temp);
  err = write_all(fd, b);
  if (!err && fchmod(fd, mode))
    err = errno;
  if (close(fd) && !err)
    err = errno;
  if (!err && rename(temp, path))
    err = errno;
  if (err)
    unlink(temp);
  tidy_file_done(temp);
out:
  free(temp);
  return err;
}

/* What a new file would get; there is no way to ask without setting. */
static mode_t new_file_mode(void) {
  mode_t mask = umask(022);
  umask(mask);
  return 0666 & ~mask;
}

static int write_file(const struct buf *b, const char *path) {
  struct stat st;
  if (stat(path, &st))
    return write_regular(b, path, new_file_mode());
  if (!S_ISREG(st.st_mode))
    return write_special(b, path);
  /* Through symbolic links, so that the link stays one. */
  char *real = realpath(path, NULL);
  if (!real)
    return errno;
  int err = write_regular(b, real, st.st_mode & 0777);
  free(real);
  return err;
}

int buf_write_file(const struct buf *b, const char *path, struct error *e) {
  int err;
  if (strcmp(path, "-")) {
    err = write_file(b, path);
  } else {
    fflush(stdout);
    err = write_all(STDOUT_FILENO, b);
  }
  if (err)
    return error_set(e, ERR_SYSTEM, "%s: %s", path, strerror(err));
  return ERR_NONE;
}
