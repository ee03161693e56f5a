/*
 * Descriptors that the engine models: pipes, eventfd counters, socket pairs and
 * epoll sets inside one process.  channel.c has the tables and what they mean,
 * hooks_file.c and hooks_poll.c the functions of the C library.
 *
 * As in the kernel, a descriptor leads to an open file, and several may lead to
 * the same; a file has a channel that it reads from, one that it writes to, or
 * both.  A thread that sleeps in a call keeps the file open.
 *
 * (D1) a file is there while a descriptor or a sleeping thread refers to it.
 * (D2) a channel is there while a file has an end of it.
 */
#ifndef RT_CHANNEL_H
#define RT_CHANNEL_H

#include "model/channel.h"
#include "rt/attributes.h"
#include "rt/rt.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  DESCRIPTOR_FIRST = 512, /* below are those of the system */
  DESCRIPTORS = 256,
  FILES = 256,
  CHANNEL_ROOM = 64 << 10, /* bytes, as a new pipe has */
  CHANNEL_ATOMIC = 4096,   /* PIPE_BUF */
  NO_FILE = -1,
};

struct channel {
  uint64_t level; /* bytes; of an eventfd its counter; watches of an epoll */
  uint32_t readers, writers; /* files with this end */
  uint32_t room;             /* for so many bytes */
  uint16_t next;             /* epoll: the watch whose turn it is */
  uint8_t semaphore;         /* eventfd: a read takes 1 */
  uint8_t messages;          /* a socket that keeps their bounds */
  uint8_t bytes[CHANNEL_ROOM];
};

/* Of an epoll set, in `bytes`. */
struct epoll_watch {
  uint64_t data;
  uint32_t events;
  uint16_t fd;
  uint8_t file;
  uint8_t news; /* since it was last reported (EPOLLET) */
  uint8_t off;  /* it was reported (EPOLLONESHOT) */
};

struct open_file {
  uint16_t refs;   /* D1; 0: free */
  uint8_t in, out; /* number of a channel + 1, or 0 */
  uint8_t nonblock;
};

void fl__channels_open(void) FL_HIDDEN;

/* The file of a descriptor, or NO_FILE. */
int fl__file_of(int fd) FL_HIDDEN;
struct open_file *fl__file(int file) FL_HIDDEN;
struct channel *fl__channel(uint8_t number_and_1) FL_HIDDEN; /* 0: NULL */
static inline enum channel_kind fl__channel_kind(const struct channel *c) {
  return (enum channel_kind)(channel_at((uint64_t)(uintptr_t)c) /
                             CHANNELS_EACH);
}
static inline bool fl__is_descriptor(int fd) {
  return fd >= DESCRIPTOR_FIRST && fd < DESCRIPTOR_FIRST + DESCRIPTORS;
}

/* All of these end the execution when there is no room (`pc`). */
struct channel *fl__channel_new(enum channel_kind kind, uint64_t pc) FL_HIDDEN;
int fl__file_new(struct channel *in, struct channel *out, bool nonblock,
                 uint64_t pc) FL_HIDDEN;
int fl__descriptor_new(int file, int least, uint64_t pc) FL_HIDDEN;
void fl__descriptor_set(int fd, int file) FL_HIDDEN; /* closes what it was */
void fl__descriptor_close(int fd) FL_HIDDEN;

void fl__file_hold(int file) FL_HIDDEN;
void fl__file_drop(int file) FL_HIDDEN;
/* It will not be read (or written) any more. */
void fl__file_shut(int file, bool in, bool out) FL_HIDDEN;

/* Can a read come back at once, with bytes or at the end? */
bool fl__channel_readable(const struct channel *c) FL_HIDDEN;
/* Is there room for n bytes, or nobody who would read them? */
bool fl__channel_writable(const struct channel *c, uint64_t n) FL_HIDDEN;
/* n bytes at the end, which has room; or n bytes of an eventfd's counter. */
void fl__channel_put(struct channel *c, const void *from, size_t n) FL_HIDDEN;
/* At most n bytes from the front; of a message the rest is lost.  With `keep`
 * nothing is taken away. */
size_t fl__channel_take(struct channel *c, void *to, size_t n,
                        bool keep) FL_HIDDEN;
/* Which of these events (POLLIN, …) are there?  POLLHUP and POLLERR always. */
unsigned fl__file_events(int file, unsigned wanted) FL_HIDDEN;
/* EPOLLET: something has come that could be read from it, or some was taken. */
void fl__channel_news(const struct channel *c, bool to_readers) FL_HIDDEN;
/* What a watch has to report, without a look at `news`. */
unsigned fl__watch_events(const struct epoll_watch *w) FL_HIDDEN;
static inline struct epoll_watch *fl__watches(struct channel *c) {
  return (struct epoll_watch *)(void *)c->bytes;
}

/* ---- state (snapshot.c) ---- */

void fl__channels_save(struct snapshot *s) FL_HIDDEN;
const uint8_t *fl__channels_load(const uint8_t *p) FL_HIDDEN;
void fl__channels_forget(void) FL_HIDDEN; /* as at the beginning */
/* D1 and D2; for check_slow. */
bool fl__channels_check_invariants(void) FL_HIDDEN;

#endif
