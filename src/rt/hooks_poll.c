/*
 * poll, select and epoll over modelled descriptors (channel.h): a step that
 * looks at all of them, and when none is ready a second one that waits for one.
 * A time-out may come at any time, as with timed waits elsewhere
 * (hooks_time.c). Edges (EPOLLET) are news since the last report; sets give
 * each of their files its turn.
 */
#include "rt/hooks_file.h"

#include "rt/fault.h"

#include <alloca.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

/* How long to wait, in nanoseconds. */
static const int64_t for_ever = -1;

static int64_t from_ms(int ms) {
  return ms < 0 ? for_ever : (int64_t)ms * 1000000;
}
static int64_t from_timespec(const struct timespec *t) {
  return t ? (int64_t)t->tv_sec * 1000000000 + t->tv_nsec : for_ever;
}

static const char outside[] =
    "%s() of a file that is no pipe, eventfd or socket pair is not modelled";

/* ---- poll ---- */

enum { POLL_MOST = DESCRIPTORS };

/* On the stack of the thread that polls. */
struct polled {
  struct pollfd *at;
  uint32_t n;
  int16_t file[POLL_MOST]; /* while it sleeps, or NO_FILE */
};

/* Fills revents; how many are not 0. */
static int look_at_all(struct polled *p) {
  int ready = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    struct pollfd *f = &p->at[i];
    int file = fl__file_of(f->fd);
    f->revents = f->fd < 0 ? 0
                 : file == NO_FILE
                     ? POLLNVAL
                     : (short)fl__file_events(file, (unsigned short)f->events);
    ready += f->revents != 0;
  }
  return ready;
}

static bool any_is_ready(struct fiber_state *f) {
  const struct polled *p = (const struct polled *)(uintptr_t)f->other;
  for (uint32_t i = 0; i < p->n; i++)
    if (p->file[i] != NO_FILE &&
        fl__file_events(p->file[i], (unsigned short)p->at[i].events))
      return true;
  return false;
}

/* A step on the one channel that all are about, or on all channels. */
static void look_point(const struct polled *p, uint64_t pc) {
  uint8_t channel = 0;
  bool one = true;
  for (uint32_t i = 0; i < p->n && one; i++) {
    int file = fl__file_of(p->at[i].fd);
    if (file == NO_FILE) {
      one = false;
      break;
    }
    const struct open_file *f = fl__file(file);
    uint8_t in = f->in ? f->in : f->out, out = f->out ? f->out : f->in;
    one = in == out && (!channel || channel == in) && in &&
          fl__channel_kind(fl__channel(in)) != CHANNEL_EPOLL;
    channel = in;
  }
  if (one && channel)
    fl__point(EV_FD_POLL, fl__channel(channel), 8, pc);
  else
    fl__all_point(EV_FD_POLL, pc);
}

static void sleep_until_ready(struct polled *p, uint64_t pc) {
  for (uint32_t i = 0; i < p->n; i++) {
    int file = p->at[i].fd < 0 ? NO_FILE : fl__file_of(p->at[i].fd);
    p->file[i] = (int16_t)file;
    if (file != NO_FILE)
      fl__file_hold(file);
  }
  fl__wait_at(EV_FD_POLL, (void *)CHANNEL_TABLE, CHANNEL_TABLE_SPAN,
              (uint64_t)(uintptr_t)p, pc, any_is_ready);
  for (uint32_t i = 0; i < p->n; i++)
    if (p->file[i] != NO_FILE)
      p->at[i].revents =
          (short)fl__file_events(p->file[i], (unsigned short)p->at[i].events);
  for (uint32_t i = 0; i < p->n; i++)
    if (p->file[i] != NO_FILE)
      fl__file_leave(p->file[i], pc);
}

static int poll_files(struct polled *p, int64_t ns, const char *function,
                      uint64_t pc) {
  look_point(p, pc);
  int ready = look_at_all(p);
  if (ready)
    return ready;
  fl__only_looked(NULL);
  if (ns > 0)
    fl__sleep((uint64_t)ns, pc);
  if (ns >= 0)
    return 0;
  if (!fl__on())
    fl__refuse(pc, "%s() would wait for another thread", function);
  sleep_until_ready(p, pc);
  for (uint32_t i = 0; i < p->n; i++)
    ready += p->at[i].revents != 0;
  return ready;
}

/* All of the files are modelled, or none is. */
static bool are_modelled(const struct pollfd *at, nfds_t n,
                         const char *function, uint64_t pc) {
  nfds_t modelled = 0, others = 0;
  for (nfds_t i = 0; i < n; i++) {
    modelled += fl__is_descriptor(at[i].fd);
    others += at[i].fd >= 0 && !fl__is_descriptor(at[i].fd);
  }
  if (others && fl__on())
    fl__refuse(pc, outside, function);
  if (modelled && n > POLL_MOST)
    fl__refuse(pc, "%s() of more than %d descriptors is not modelled", function,
               POLL_MOST);
  return !others;
}

static int poll_all(struct pollfd *at, nfds_t n, int64_t ns,
                    const char *function, uint64_t pc) {
  fl__access(EV_READ, at, n * sizeof *at, pc);
  struct polled p = {.n = (uint32_t)n};
  if (!are_modelled(at, n, function, pc))
    return poll(at, n, 0);
  if (!n && ns >= 0) {
    fl__sleep((uint64_t)ns, pc);
    return 0;
  }
  p.at = alloca(n * sizeof *at + 8);
  memcpy(p.at, at, n * sizeof *at);
  int ready = poll_files(&p, ns, function, pc);
  for (nfds_t i = 0; i < n; i++) {
    fl__access(EV_WRITE, &at[i].revents, sizeof at[i].revents, pc);
    at[i].revents = p.at[i].revents;
  }
  return ready;
}

WRAP(int, poll, (struct pollfd * at, nfds_t n, int ms)) {
  return poll_all(at, n, from_ms(ms), "poll", CALLER_PC);
}
WRAP(int, __poll_chk, (struct pollfd * at, nfds_t n, int ms, size_t room)) {
  (void)room;
  return poll_all(at, n, from_ms(ms), "poll", CALLER_PC);
}
WRAP(int, ppoll,
     (struct pollfd * at, nfds_t n, const struct timespec *t,
      const sigset_t *mask)) {
  (void)mask;
  return poll_all(at, n, from_timespec(t), "ppoll", CALLER_PC);
}

/* ---- select ---- */

static int select_all(int n, fd_set *in, fd_set *out, fd_set *other, int64_t ns,
                      const char *function, uint64_t pc) {
  struct pollfd *at = alloca(POLL_MOST * sizeof *at);
  struct polled p = {.at = at};
  for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++) {
    bool reads = in && FD_ISSET(fd, in), writes = out && FD_ISSET(fd, out);
    if (!reads && !writes && !(other && FD_ISSET(fd, other)))
      continue;
    if (!fl__is_descriptor(fd))
      fl__refuse(pc, outside, function);
    at[p.n++] = (struct pollfd){
        .fd = fd,
        .events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))};
  }
  if (!p.n && ns >= 0) {
    fl__sleep((uint64_t)ns, pc);
    return 0;
  }
  poll_files(&p, ns, function, pc);
  int ready = 0;
  for (uint32_t i = 0; i < p.n; i++) {
    short got = at[i].revents;
    bool reads = at[i].events & POLLIN && got & (POLLIN | POLLHUP);
    bool writes = at[i].events & POLLOUT && got & (POLLOUT | POLLERR);
    if (got & POLLNVAL)
      return fl__file_fails(EBADF);
    if (in && !reads)
      FD_CLR(at[i].fd, in);
    if (out && !writes)
      FD_CLR(at[i].fd, out);
    if (other)
      FD_CLR(at[i].fd, other);
    ready += reads + writes;
  }
  return ready;
}

WRAP(int, select,
     (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t)) {
  int64_t ns =
      t ? (int64_t)t->tv_sec * 1000000000 + t->tv_usec * 1000 : for_ever;
  return select_all(n, in, out, other, ns, "select", CALLER_PC);
}
WRAP(int, pselect,
     (int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *t,
      const sigset_t *mask)) {
  (void)mask;
  return select_all(n, in, out, other, from_timespec(t), "pselect", CALLER_PC);
}

/* ---- epoll ---- */

enum { WATCHES_MOST = CHANNEL_ROOM / sizeof(struct epoll_watch) };

static int epoll_new(uint64_t pc) {
  fl__table_point(EV_FD_OPEN, pc);
  struct channel *c = fl__channel_new(CHANNEL_EPOLL, pc);
  return fl__descriptor_new(fl__file_new(c, NULL, false, pc), 0, pc);
}
WRAP(int, epoll_create, (int size)) {
  return size > 0 ? epoll_new(CALLER_PC) : fl__file_fails(EINVAL);
}
WRAP(int, epoll_create1, (int flags)) {
  (void)flags;
  return epoll_new(CALLER_PC);
}

static struct epoll_watch *watch_of(struct channel *c, int fd, int file) {
  struct epoll_watch *w = fl__watches(c);
  for (uint64_t i = 0; i < c->level; i++)
    if (w[i].fd == fd && w[i].file == file)
      return &w[i];
  return NULL;
}

static void remove_watch(struct channel *c, struct epoll_watch *w) {
  struct epoll_watch *first = fl__watches(c);
  memmove(w, w + 1, (size_t)(first + c->level - w - 1) * sizeof *w);
  c->level--;
  c->next = c->level ? (uint16_t)(c->next % c->level) : 0;
}

/* An epoll set's channel, or NULL. */
static struct channel *set_of(int file) {
  struct channel *c = file == NO_FILE ? NULL : fl__channel(fl__file(file)->in);
  return c && fl__channel_kind(c) == CHANNEL_EPOLL ? c : NULL;
}

static int change_watch(int set, int what, int fd,
                        const struct epoll_event *e) {
  int file = fl__file_of(fd);
  struct channel *c = set_of(fl__file_of(set));
  if (fl__file_of(set) == NO_FILE || file == NO_FILE)
    return EBADF;
  if (!c || set_of(file) == c)
    return EINVAL;
  struct epoll_watch *w = watch_of(c, fd, file);
  if (what == EPOLL_CTL_ADD ? w != NULL : !w)
    return w ? EEXIST : ENOENT;
  if (what == EPOLL_CTL_DEL) {
    remove_watch(c, w);
    return 0;
  }
  if (what == EPOLL_CTL_ADD && c->level == WATCHES_MOST)
    return ENOSPC;
  if (what == EPOLL_CTL_ADD)
    w = &fl__watches(c)[c->level++];
  *w = (struct epoll_watch){.data = e->data.u64,
                      .events = e->events,
                      .fd = (uint16_t)fd,
                      .file = (uint8_t)file,
                      .news = 1};
  return 0;
}

WRAP(int, epoll_ctl, (int set, int what, int fd, struct epoll_event *e)) {
  uint64_t pc = CALLER_PC;
  struct epoll_event kept = {0};
  if (!fl__is_descriptor(fd))
    fl__refuse(pc, outside, "epoll_ctl");
  if (what != EPOLL_CTL_DEL)
    fl__copy(&kept, e, sizeof kept, pc);
  fl__all_point(EV_FD_CHANGE, pc);
  int err = change_watch(set, what, fd, &kept);
  return err ? fl__file_fails(err) : 0;
}

static bool set_is_ready(struct fiber_state *f) {
  return fl__file_events((int)f->other, POLLIN);
}

/* Reports of the set, from the watch whose turn it is on. */
static int report(struct channel *c, struct epoll_event *to, int most) {
  struct epoll_watch *w = fl__watches(c);
  int n = 0;
  uint32_t turn = c->next;
  for (uint64_t i = 0; i < c->level && n < most; i++) {
    uint32_t at = (uint32_t)((turn + i) % c->level);
    unsigned events = fl__watch_events(&w[at]);
    if (!events || (w[at].events & EPOLLET && !w[at].news))
      continue;
    to[n++] = (struct epoll_event){.events = events, .data.u64 = w[at].data};
    if (w[at].events & EPOLLET)
      w[at].news = 0;
    w[at].off = (w[at].events & EPOLLONESHOT) != 0;
    if (c->level > (uint64_t)most) /* else all get theirs */
      c->next = (uint16_t)((at + 1) % c->level);
  }
  return n;
}

/* Does a report change the set, so that the order of reports matters? */
static bool changes(const struct channel *c, int most) {
  const struct epoll_watch *w = fl__watches((struct channel *)(uintptr_t)c);
  bool does = c->level > (uint64_t)most;
  for (uint64_t i = 0; i < c->level; i++)
    does |= (w[i].events & (EPOLLET | EPOLLONESHOT)) != 0;
  return does;
}

static int wait_for_events(int set, struct epoll_event *to, int most,
                           int64_t ns, const char *function, uint64_t pc) {
  if (most <= 0)
    return fl__file_fails(EINVAL);
  struct channel *c = set_of(fl__file_of(set));
  bool before = c && changes(c, most);
  fl__all_point(before ? EV_FD_READ : EV_FD_POLL, pc);
  int file = fl__file_of(set);
  c = set_of(file);
  if (!c)
    return fl__file_fails(file == NO_FILE ? EBADF : EINVAL);
  if (!before && changes(c, most)) /* it has become so: a step that says it */
    fl__all_point(EV_FD_READ, pc);
  most = most < WATCHES_MOST ? most : WATCHES_MOST;
  struct epoll_event *got = alloca((size_t)most * sizeof *got);
  int n = fl__file_of(set) == file ? report(c, got, most) : 0;
  if (!n) {
    fl__only_looked(NULL);
    if (ns > 0)
      fl__sleep((uint64_t)ns, pc);
    if (ns >= 0)
      return 0;
    if (!fl__on())
      fl__refuse(pc, "%s() would wait for another thread", function);
    fl__file_hold(file);
    do {
      fl__wait_at(EV_FD_READ, (void *)CHANNEL_TABLE, CHANNEL_TABLE_SPAN,
                  (uint64_t)file, pc, set_is_ready);
      n = report(c, got, most);
    } while (!n);
    fl__file_leave(file, pc);
  }
  fl__copy(to, got, (size_t)n * sizeof *got, pc);
  return n;
}

WRAP(int, epoll_wait, (int set, struct epoll_event *to, int most, int ms)) {
  return wait_for_events(set, to, most, from_ms(ms), "epoll_wait", CALLER_PC);
}
WRAP(int, epoll_pwait,
     (int set, struct epoll_event *to, int most, int ms,
      const sigset_t *mask)) {
  (void)mask;
  return wait_for_events(set, to, most, from_ms(ms), "epoll_pwait", CALLER_PC);
}
WRAP(int, epoll_pwait2,
     (int set, struct epoll_event *to, int most, const struct timespec *t,
      const sigset_t *mask)) {
  (void)mask;
  return wait_for_events(set, to, most, from_timespec(t), "epoll_pwait2",
                         CALLER_PC);
}
