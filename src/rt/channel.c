/*
 * The tables of descriptors, open files and channels, and what is in them.  The
 * hooks ask here in their steps; nothing in this file is a step.
 */
#include "rt/channel.h"

#include "rt/fault.h"
#include "rt/snapshot.h"

#include "base/slow.h"

#include <assert.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>

static struct {
  uint8_t file[DESCRIPTORS]; /* number + 1, or 0; F.used of them */
  struct open_file files[FILES];
  uint32_t used[CHANNEL_KIND_COUNT]; /* masks */
  uint32_t descriptors, nfiles;      /* all in use are below */
} D;
_Static_assert(FILES <= UINT8_MAX + 1, "a watch has a byte for it");
_Static_assert(DESCRIPTORS < FILES + 1, "a byte is enough");
_Static_assert(sizeof(struct channel) <= CHANNEL_SIZE, "stride");

void fl__channels_open(void) {
  void *p = mmap(
      (void *)CHANNEL_BASE, CHANNEL_SPAN, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != (void *)CHANNEL_BASE)
    die("cannot reserve memory for the pipes of the code under test");
}

static struct channel *channel(uint32_t number) {
  assert(number < CHANNELS);
  return (struct channel *)(CHANNEL_BASE + number * CHANNEL_SIZE);
}

struct channel *fl__channel(uint8_t number_and_1) {
  return number_and_1 ? channel(number_and_1 - 1u) : NULL;
}

static uint8_t number_of(const struct channel *c) {
  return c ? (uint8_t)(channel_at((uint64_t)(uintptr_t)c) + 1) : 0;
}
_Static_assert(CHANNELS < UINT8_MAX, "a byte is enough");

/* ---- tables ---- */

int fl__file_of(int fd) {
  uint32_t at = (uint32_t)(fd - DESCRIPTOR_FIRST);
  return fl__is_descriptor(fd) && at < D.descriptors ? D.file[at] - 1 : NO_FILE;
}

struct open_file *fl__file(int file) {
  assert(file >= 0 && (uint32_t)file < D.nfiles && D.files[file].refs); /* D1 */
  return &D.files[file];
}

struct channel *fl__channel_new(enum channel_kind kind, uint64_t pc) {
  uint32_t i = D.used[kind] == UINT32_MAX
                   ? CHANNELS_EACH
                   : (uint32_t)__builtin_ctz(~D.used[kind]);
  if (i == CHANNELS_EACH)
    fl__refuse(
        pc, "more than %d pipes, sockets or eventfds are open at the same time",
        CHANNELS_EACH);
  D.used[kind] |= 1u << i;
  E.live.channels = 1;
  struct channel *c = channel((uint32_t)kind * CHANNELS_EACH + i);
  memset(c, 0, offsetof(struct channel, bytes));
  c->room = CHANNEL_ROOM;
  return c;
}

int fl__file_new(struct channel *in, struct channel *out, bool nonblock,
                 uint64_t pc) {
  uint32_t i = 0;
  while (i < D.nfiles && D.files[i].refs)
    i++;
  if (i + 1 >= FILES)
    fl__refuse(pc, "more than %d files are open at the same time", FILES - 1);
  if (i == D.nfiles)
    D.nfiles++;
  if (in)
    in->readers++;
  if (out)
    out->writers++;
  D.files[i] = (struct open_file){
      .in = number_of(in), .out = number_of(out), .nonblock = nonblock};
  return (int)i;
}

void fl__descriptor_set(int fd, int file) {
  uint32_t at = (uint32_t)(fd - DESCRIPTOR_FIRST);
  assert(at < DESCRIPTORS);
  fl__file_hold(file);
  if (fl__file_of(fd) != NO_FILE)
    fl__file_drop(fl__file_of(fd));
  while (D.descriptors <= at)
    D.file[D.descriptors++] = 0;
  D.file[at] = (uint8_t)(file + 1);
}

int fl__descriptor_new(int file, int least, uint64_t pc) {
  int fd = least < DESCRIPTOR_FIRST ? DESCRIPTOR_FIRST : least;
  while (fl__file_of(fd) != NO_FILE)
    fd++;
  if (fd >= DESCRIPTOR_FIRST + DESCRIPTORS)
    fl__refuse(pc, "more than %d descriptors are open at the same time",
               DESCRIPTORS);
  fl__descriptor_set(fd, file);
  return fd;
}

void fl__descriptor_close(int fd) {
  int file = fl__file_of(fd);
  assert(file != NO_FILE);
  D.file[fd - DESCRIPTOR_FIRST] = 0;
  while (D.descriptors && !D.file[D.descriptors - 1])
    D.descriptors--;
  fl__file_drop(file);
}

void fl__file_hold(int file) {
  D.files[file].refs++; /* a new file has none before */
}

static size_t used_bytes(const struct channel *c) {
  switch (fl__channel_kind(c)) {
  case CHANNEL_EVENTFD:
    return 0;
  case CHANNEL_EPOLL:
    return c->level * sizeof(struct epoll_watch);
  default:
    return c->level;
  }
}

static void give_back(struct channel *c) { /* D2 */
  uint32_t number = channel_at((uint64_t)(uintptr_t)c);
  if (c->readers || c->writers)
    return;
  D.used[number / CHANNELS_EACH] &= ~(1u << number % CHANNELS_EACH);
}

void fl__file_shut(int file, bool in, bool out) {
  struct open_file *f = &D.files[file];
  struct channel *from = fl__channel(f->in), *to = fl__channel(f->out);
  if (in && from) {
    from->readers--;
    f->in = 0;
    fl__channel_news(from, false);
  }
  if (out && to) {
    to->writers--;
    f->out = 0;
    fl__channel_news(to, true);
  }
  if (in && from)
    give_back(from);
  if (out && to && to != from)
    give_back(to);
}

static void remove_watches(uint8_t file) {
  for (uint32_t left = D.used[CHANNEL_EPOLL]; left; left &= left - 1) {
    struct channel *c =
        channel(CHANNEL_EPOLL * CHANNELS_EACH + (uint32_t)__builtin_ctz(left));
    struct epoll_watch *w = fl__watches(c);
    uint64_t n = 0;
    for (uint64_t i = 0; i < c->level; i++)
      if (w[i].file != file)
        w[n++] = w[i];
    c->level = n;
    c->next = n ? (uint16_t)(c->next % n) : 0;
  }
}

void fl__file_drop(int file) {
  struct open_file *f = fl__file(file);
  if (--f->refs)
    return;
  remove_watches((uint8_t)file);
  fl__file_shut(file, true, true);
  *f = (struct open_file){0};
  while (D.nfiles && !D.files[D.nfiles - 1].refs)
    D.nfiles--;
}

/* ---- contents ---- */

/* A message is its length, and its bytes. */
enum { LENGTH = sizeof(uint32_t) };

bool fl__channel_readable(const struct channel *c) {
  return c->level || !c->writers;
}

bool fl__channel_writable(const struct channel *c, uint64_t n) {
  if (!c->readers)
    return true;
  if (fl__channel_kind(c) == CHANNEL_EVENTFD) /* n is what is to be added */
    return n <= UINT64_MAX - 1 - c->level;
  return c->level + n + (c->messages ? LENGTH : 0) <= c->room;
}

void fl__channel_put(struct channel *c, const void *from, size_t n) {
  if (fl__channel_kind(c) == CHANNEL_EVENTFD) {
    uint64_t add;
    memcpy(&add, from, sizeof add);
    c->level += add;
    return;
  }
  uint32_t length = (uint32_t)n;
  if (c->messages) {
    memcpy(c->bytes + c->level, &length, LENGTH);
    c->level += LENGTH;
  }
  memcpy(c->bytes + c->level, from, n);
  c->level += n;
  assert(c->level <= c->room);
}

static size_t take_count(struct channel *c, void *to) {
  uint64_t n = c->semaphore && c->level ? 1 : c->level;
  memcpy(to, &n, sizeof n);
  c->level -= n;
  return sizeof n;
}

size_t fl__channel_take(struct channel *c, void *to, size_t n, bool keep) {
  if (fl__channel_kind(c) == CHANNEL_EVENTFD)
    return take_count(c, to);
  size_t head = 0, whole = c->level;
  if (c->messages && c->level) {
    uint32_t length;
    memcpy(&length, c->bytes, LENGTH);
    head = LENGTH;
    whole = length;
  }
  size_t got = n < whole ? n : whole, gone = head + (c->messages ? whole : got);
  memcpy(to, c->bytes + head, got);
  if (keep)
    return got;
  memmove(c->bytes, c->bytes + gone, c->level - gone);
  c->level -= gone;
  return got;
}

unsigned fl__watch_events(const struct epoll_watch *w) {
  return w->off ? 0 : fl__file_events(w->file, w->events);
}

static bool any_watched(struct channel *c) {
  struct epoll_watch *w = fl__watches(c);
  for (uint64_t i = 0; i < c->level; i++)
    if (fl__watch_events(&w[i]) && (w[i].news || !(w[i].events & EPOLLET)))
      return true;
  return false;
}

static unsigned reading_events(const struct channel *c) {
  unsigned socket = fl__channel_kind(c) == CHANNEL_SOCKET;
  unsigned end = socket ? POLLIN | POLLRDHUP : POLLHUP;
  return (c->level ? POLLIN | POLLRDNORM : 0) | (c->writers ? 0 : end);
}

static unsigned writing_events(const struct channel *c) {
  bool counter = fl__channel_kind(c) == CHANNEL_EVENTFD;
  if (!c->readers)
    return fl__channel_kind(c) == CHANNEL_SOCKET ? POLLOUT | POLLHUP
                                                 : POLLOUT | POLLERR;
  return fl__channel_writable(c, counter ? 1 : CHANNEL_ATOMIC)
             ? POLLOUT | POLLWRNORM
             : 0;
}

unsigned fl__file_events(int file, unsigned wanted) {
  struct open_file *f = fl__file(file);
  struct channel *in = fl__channel(f->in), *out = fl__channel(f->out);
  unsigned events = 0;
  if (in && fl__channel_kind(in) == CHANNEL_EPOLL)
    return any_watched(in) ? wanted & (POLLIN | POLLRDNORM) : 0;
  if (in)
    events |= reading_events(in);
  if (out)
    events |= writing_events(out);
  return events & (wanted | POLLHUP | POLLERR);
}

void fl__channel_news(const struct channel *of, bool to_readers) {
  uint8_t number = number_of(of);
  for (uint32_t left = D.used[CHANNEL_EPOLL]; left; left &= left - 1) {
    struct channel *c =
        channel(CHANNEL_EPOLL * CHANNELS_EACH + (uint32_t)__builtin_ctz(left));
    struct epoll_watch *w = fl__watches(c);
    for (uint64_t i = 0; i < c->level; i++) {
      const struct open_file *f = &D.files[w[i].file];
      if ((to_readers ? f->in : f->out) == number)
        w[i].news = 1;
    }
  }
}

/* ---- state ---- */

static void put_tables(struct snapshot *s) {
  fl__snapshot_put(s, D.used, sizeof D.used);
  fl__snapshot_put(s, &D.descriptors, sizeof D.descriptors);
  fl__snapshot_put(s, &D.nfiles, sizeof D.nfiles);
  fl__snapshot_put(s, D.file, D.descriptors);
  fl__snapshot_put(s, D.files, D.nfiles * sizeof *D.files);
}

void fl__channels_save(struct snapshot *s) {
  check_slow(fl__channels_check_invariants());
  put_tables(s);
  for (uint32_t kind = 0; kind < CHANNEL_KIND_COUNT; kind++)
    for (uint32_t left = D.used[kind]; left; left &= left - 1) {
      const struct channel *c =
          channel(kind * CHANNELS_EACH + (uint32_t)__builtin_ctz(left));
      fl__snapshot_put(s, c, offsetof(struct channel, bytes) + used_bytes(c));
    }
}

static const uint8_t *get(void *to, const uint8_t *from, size_t n) {
  memcpy(to, from, n);
  return from + n;
}

const uint8_t *fl__channels_load(const uint8_t *p) {
  p = get(D.used, p, sizeof D.used);
  p = get(&D.descriptors, p, sizeof D.descriptors);
  p = get(&D.nfiles, p, sizeof D.nfiles);
  p = get(D.file, p, D.descriptors);
  p = get(D.files, p, D.nfiles * sizeof *D.files);
  for (uint32_t kind = 0; kind < CHANNEL_KIND_COUNT; kind++)
    for (uint32_t left = D.used[kind]; left; left &= left - 1) {
      struct channel *c =
          channel(kind * CHANNELS_EACH + (uint32_t)__builtin_ctz(left));
      p = get(c, p, offsetof(struct channel, bytes));
      p = get(c->bytes, p, used_bytes(c));
    }
  return p;
}

void fl__channels_forget(void) { memset(&D, 0, sizeof D); }

bool fl__channels_check_invariants(void) {
  uint32_t readers[CHANNELS] = {0}, writers[CHANNELS] = {0};
  for (uint32_t i = 0; i < D.descriptors; i++)
    assert(!D.file[i] || D.files[D.file[i] - 1].refs); /* D1 */
  for (uint32_t i = 0; i < D.nfiles; i++) {
    const struct open_file *f = &D.files[i];
    if (f->in)
      readers[f->in - 1]++;
    if (f->out)
      writers[f->out - 1]++;
  }
  for (uint32_t i = 0; i < CHANNELS; i++) {
    bool used = D.used[i / CHANNELS_EACH] >> i % CHANNELS_EACH & 1;
    assert(used == (readers[i] || writers[i])); /* D2 */
    assert(!used || (channel(i)->readers == readers[i] &&
                     channel(i)->writers == writers[i]));
  }
  return true;
}
