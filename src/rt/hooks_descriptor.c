/*
 * Closing, copying and setting of modelled descriptors (channel.h).  What
 * changes where descriptors lead to is a step on all that they can lead to.
 */
#include "rt/hooks_file.h"

#include "rt/cage.h"
#include "rt/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

WRAP(int, close, (int fd)) {
  uint64_t pc = CALLER_PC;
  if (!fl__is_descriptor(fd)) {
    cage_ask(pc, SYS_close, (long[6]){fd});
    return close(fd);
  }
  fl__all_point(EV_FD_CLOSE, pc);
  if (fl__file_of(fd) == NO_FILE) {
    fl__only_looked(NULL);
    return fl__file_fails(EBADF);
  }
  fl__descriptor_close(fd);
  return 0;
}

static int duplicate(int fd, int least, uint64_t pc) {
  fl__all_point(EV_FD_OPEN, pc);
  int file = fl__file_of(fd);
  return file == NO_FILE ? fl__file_fails(EBADF)
                         : fl__descriptor_new(file, least, pc);
}

static int duplicate_to(int fd, int to, uint64_t pc) {
  if (!fl__is_descriptor(fd) || !fl__is_descriptor(to))
    fl__refuse(pc,
               "dup2() of a pipe to a number that is not modelled (%d to "
               "%d are)",
               DESCRIPTOR_FIRST, DESCRIPTOR_FIRST + DESCRIPTORS - 1);
  fl__all_point(EV_FD_CLOSE, pc);
  int file = fl__file_of(fd);
  if (file == NO_FILE)
    return fl__file_fails(EBADF);
  if (fd != to)
    fl__descriptor_set(to, file);
  return to;
}

WRAP(int, dup, (int fd)) {
  return fl__is_descriptor(fd) ? duplicate(fd, 0, CALLER_PC) : dup(fd);
}
WRAP(int, dup2, (int fd, int to)) {
  uint64_t pc = CALLER_PC;
  if (fl__is_descriptor(fd) || fl__is_descriptor(to))
    return duplicate_to(fd, to, pc);
  cage_ask(pc, SYS_dup3, (long[6]){fd, to});
  return dup2(fd, to);
}
WRAP(int, dup3, (int fd, int to, int flags)) {
  uint64_t pc = CALLER_PC;
  if (fl__is_descriptor(fd) || fl__is_descriptor(to))
    return fd == to ? fl__file_fails(EINVAL) : duplicate_to(fd, to, pc);
  cage_ask(pc, SYS_dup3, (long[6]){fd, to, flags});
  return dup3(fd, to, flags);
}

static int mode_of(const struct open_file *f) {
  return f->in && f->out ? O_RDWR : f->out ? O_WRONLY : O_RDONLY;
}

static int resize(struct channel *c, long bytes, uint64_t pc) {
  uint32_t room = CHANNEL_ATOMIC;
  if (bytes < 0 || bytes > CHANNEL_ROOM)
    fl__refuse(pc, "a pipe of more than %d bytes is not modelled",
               CHANNEL_ROOM);
  while (room < bytes)
    room *= 2;
  if (room < c->level)
    return fl__file_fails(EBUSY);
  c->room = room;
  return (int)room;
}

static int control(int fd, int command, long a, uint64_t pc) {
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
    return duplicate(fd, (int)a, pc);
  bool looks = command == F_GETFL || command == F_GETFD;
  fl__all_point(looks ? EV_FD_POLL : EV_FD_CHANGE, pc);
  int file = fl__file_of(fd);
  if (file == NO_FILE)
    return fl__file_fails(EBADF);
  struct open_file *f = fl__file(file);
  struct channel *c = fl__channel(f->in ? f->in : f->out);
  switch (command) {
  case F_GETFL:
    return mode_of(f) | (f->nonblock ? O_NONBLOCK : 0);
  case F_SETFL:
    f->nonblock = (a & O_NONBLOCK) != 0;
    return 0;
  case F_GETFD: /* no program is ever started */
    return FD_CLOEXEC;
  case F_SETFD:
    return 0;
  case F_GETPIPE_SZ:
    return (int)c->room;
  case F_SETPIPE_SZ:
    return resize(c, a, pc);
  }
  fl__refuse(pc, "fcntl() with command %d is not modelled for a pipe", command);
}

#define ARGUMENT(TYPE, LAST, TO)                                               \
  do {                                                                         \
    va_list ap;                                                                \
    va_start(ap, LAST);                                                        \
    TO = va_arg(ap, TYPE);                                                     \
    va_end(ap);                                                                \
  } while (0)

WRAP(int, fcntl, (int fd, int command, ...)) {
  long a;
  ARGUMENT(long, command, a);
  return fl__is_descriptor(fd) ? control(fd, command, a, CALLER_PC)
                               : fcntl(fd, command, a);
}
WRAP(int, fcntl64, (int fd, int command, ...)) {
  long a;
  ARGUMENT(long, command, a);
  return fl__is_descriptor(fd) ? control(fd, command, a, CALLER_PC)
                               : fcntl(fd, command, a);
}

WRAP(int, ioctl, (int fd, unsigned long request, ...)) {
  uint64_t pc = CALLER_PC;
  void *p;
  ARGUMENT(void *, request, p);
  if (!fl__is_descriptor(fd))
    return ioctl(fd, request, p);
  if (request == FIONBIO) {
    int on;
    fl__copy(&on, p, sizeof on, pc);
    return control(fd, F_SETFL, on ? O_NONBLOCK : 0, pc);
  }
  if (request != FIONREAD)
    fl__refuse(pc, "ioctl() with request %#lx is not modelled for a pipe",
               request);
  struct channel *c = fl__channel_point(EV_FD_POLL, fd, false, pc);
  if (!c)
    return fl__file_fails(EBADF);
  int n = (int)c->level;
  if (c->messages && c->level)
    memcpy(&n, c->bytes, sizeof n);
  fl__copy(p, &n, sizeof n, pc);
  return 0;
}
