/* The bytes of a file, a pipe or a text in memory, unpacked, through a window.
 */
#include "history/read/int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Takes at most n bytes as they are in the file; -1: errno. */
static ssize_t raw(struct input *in, void *to, size_t n) {
  if (n > in->chunk)
    n = in->chunk;
  if (in->fd >= 0) {
    ssize_t got;
    do
      got = read(in->fd, to, n);
    while (got < 0 && errno == EINTR);
    in->taken += got > 0 ? (uint64_t)got : 0;
    return got;
  }
  if (n > in->memory_len)
    n = in->memory_len;
  if (n)
    memcpy(to, in->memory, n);
  in->memory += n;
  in->memory_len -= n;
  return (ssize_t)n;
}

static int get_plain(struct input *in, const char *name, struct error *e) {
  ssize_t n = raw(in, in->buf + in->len, in->cap - in->len);
  if (n < 0)
    return error_set(e, ERR_INPUT, "%s: %s", name, strerror(errno));
  in->len += (size_t)n;
  in->eof = n == 0;
  return ERR_NONE;
}

/* Takes the next packed bytes.  False: there are none.  In joined files another
 * gzip member may follow the end of one. */
static bool refill(struct input *in) {
  ssize_t n = raw(in, in->packed, WINDOW);
  in->gzip->next_in = in->packed;
  in->gzip->avail_in = n > 0 ? (uInt)n : 0;
  return n > 0;
}

static int get_packed(struct input *in, const char *name, struct error *e) {
  z_stream *z = in->gzip;
  size_t room = in->cap - in->len;
  z->next_out = (unsigned char *)in->buf + in->len;
  z->avail_out = (uInt)room;
  while (z->avail_out == room) {
    if (!z->avail_in && !refill(in)) {
      if (!in->gzip_ended)
        return error_set(e, ERR_INPUT, "%s: the gzip data end early", name);
      in->eof = true;
      return ERR_NONE;
    }
    if (in->gzip_ended) {
      inflateReset(z);
      in->gzip_ended = false;
    }
    int got = inflate(z, Z_NO_FLUSH);
    if (got == Z_STREAM_END)
      in->gzip_ended = true;
    else if (got == Z_MEM_ERROR)
      die("no memory to unpack gzip");
    else if (got != Z_OK && got != Z_BUF_ERROR && z->avail_out == room)
      /* The bytes before the damage are read first; zlib reports it again. */
      return error_set(e, ERR_INPUT, "%s: the gzip data are damaged (%s)", name,
                       z->msg ? z->msg : "unexpected end");
  }
  in->len += room - z->avail_out;
  return ERR_NONE;
}

int input_more(struct input *in, size_t used, const char *name,
               struct error *e) {
  memmove(in->buf, in->buf + used, in->len - used);
  in->len -= used;
  if (in->cap - in->len < in->cap / 4) {
    in->cap *= 2;
    in->buf = xrealloc(in->buf, in->cap + LEX_SLACK);
  }
  int err = in->gzip ? get_packed(in, name, e) : get_plain(in, name, e);
  memset(in->buf + in->len, 0, LEX_SLACK);
  return err;
}

static void unpack(struct input *in) {
  in->gzip = xcalloc(1, sizeof *in->gzip);
  if (inflateInit2(in->gzip, 15 + 16) != Z_OK)
    die("no memory to unpack gzip");
  in->packed = xmalloc(WINDOW);
  /* The window has packed bytes. */
  memcpy(in->packed, in->buf, in->len);
  in->gzip->next_in = in->packed;
  in->gzip->avail_in = (uInt)in->len;
  in->len = 0;
  memset(in->buf, 0, LEX_SLACK);
}

static int begin(struct input *in, const char *name, struct error *e) {
  if (!in->cap)
    in->cap = WINDOW;
  in->buf = xmalloc(in->cap + LEX_SLACK);
  while (in->len < 2 && !in->eof) {
    int err = get_plain(in, name, e);
    if (err)
      return err;
  }
  memset(in->buf + in->len, 0, LEX_SLACK);
  if (in->len >= 2 && !memcmp(in->buf, "\x1f\x8b", 2))
    unpack(in);
  return ERR_NONE;
}

int input_open(struct input *in, const char *path, struct error *e) {
  in->chunk = SIZE_MAX;
  in->fd =
      strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
  if (in->fd < 0)
    return error_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
  struct stat st;
  if (!fstat(in->fd, &st) && S_ISREG(st.st_mode))
    in->size = (uint64_t)st.st_size;
  return begin(in, path, e);
}

int input_of_memory(struct input *in, const char *text, size_t len,
                    size_t chunk, const char *name, struct error *e) {
  in->fd = -1;
  in->chunk = chunk;
  in->memory = text;
  in->memory_len = len;
  /* Small for small chunks, so that tests see the window grow. */
  in->cap = len < chunk ? len : chunk;
  in->cap = in->cap < 16 ? 16 : in->cap > WINDOW ? WINDOW : in->cap;
  return begin(in, name, e);
}

void input_close(struct input *in) {
  if (in->fd >= 0)
    close(in->fd);
  if (in->gzip)
    inflateEnd(in->gzip);
  free(in->gzip);
  free(in->packed);
  free(in->buf);
}
