/* The pool: processes of this machine, and the loop that waits for news. */
#include "proc/pool.h"

#include "base/clock.h"
#include "proc/frame.h"
#include "proc/pool_remote.h"
#include "rt/cage.h"

#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEM = 1, ANSWER, TROUBLE }; /* kinds of frames */
enum { GRACE_MS = 1000 }; /* to end in, for a process that closed its socket */

struct local_slot {
  struct worker worker;
  bool runs; /* there is a process, which may have ended since */
  bool busy; /* it has an item */
  struct frame_in in;
  struct frame_out out;
};

struct pool {
  struct pool_job job;
  uint32_t local;
  struct local_slot *slots;
  struct remote *remote; /* slots on other machines, behind the local ones; or
                            NULL */
  struct pollfd *fds;    /* of local slots, then that of the relay */
  uint32_t turn;         /* the slot that is served first: all get their turn */
  double look;           /* when the slots are looked at for a sign of life */
  struct pool_message message;
};

struct pool *pool_open(const struct pool_job *job, uint32_t local) {
  struct pool *p = xcalloc(1, sizeof *p);
  p->job = *job;
  p->local = local;
  p->slots = xcalloc(local + 1, sizeof *p->slots);
  p->fds = xcalloc(local + 1, sizeof *p->fds);
  /* All of it now: processes whose memory is laid out in the same way have the
   * same addresses in their states, which a parallel search compares. */
  for (uint32_t i = 0; i < local; i++) {
    p->slots[i].worker = (struct worker){.hang_seconds = job->hang_seconds,
                                         .max_seconds = job->max_seconds,
                                         .show_output = job->show_output};
    worker_map(&p->slots[i].worker);
  }
  p->remote = remote_open(job);
  return p;
}

uint32_t pool_slots(const struct pool *p) {
  return p->local + (p->remote ? remote_slots() : 0);
}
uint32_t pool_local_slots(const struct pool *p) { return p->local; }

bool pool_usable(const struct pool *p, uint32_t slot) {
  assert(slot < pool_slots(p));
  return slot < p->local || remote_usable(p->remote, slot - p->local);
}

/* ---- inside a process of the pool ---- */

struct slot_start {
  struct pool *pool;
  struct local_slot *slot;
};

/* This process must not use the other processes' sockets and memory. */
static void close_others(const struct pool *p, const struct local_slot *own) {
  for (uint32_t i = 0; i < p->local; i++) {
    if (&p->slots[i] == own)
      continue;
    if (p->slots[i].runs)
      close(p->slots[i].worker.fd);
    worker_hide(&p->slots[i].worker);
  }
  remote_forget();
}

static int tell_trouble(int fd, const struct work *s, int code) {
  struct error e = s->error;
  e.code = code;
  frame_send(fd, (struct frame_tag){TROUBLE}, &e, sizeof e);
  return code;
}

/* The function of the process: does items until the parent has no more. */
static int work(void *arg, struct work *s) {
  const struct slot_start *b = arg;
  const struct pool_job *job = &b->pool->job;
  int fd = b->slot->worker.fd;
  worker_dies_by(fd, TROUBLE);
  close_others(b->pool, b->slot);
  struct frame_in in = {0};
  struct buf answer = {0};
  int err = job->open(job->arg, s);
  while (!err && frame_receive(&in, fd)) {
    buf_clear(&answer);
    err = job->item(job->arg, s, &in.body, &answer);
    cage_end_copy();
    if (!err &&
        !frame_send(fd, (struct frame_tag){ANSWER}, answer.at, answer.len))
      break;
  }
  return err ? tell_trouble(fd, s, err) : ERR_NONE;
}

/* ---- slots ---- */

static void end_process(struct local_slot *s) {
  assert(s->runs);
  worker_end(&s->worker);
  frame_in_free(&s->in);
  frame_out_free(&s->out);
  s->runs = s->busy = false;
}

static void start_process(struct pool *p, struct local_slot *s) {
  struct slot_start b = {p, s};
  assert(!s->runs);
  worker_start(&s->worker, work, &b);
  s->runs = true;
}

/* What the process wrote about its last item must not be taken for the next. */
static void forget_client(struct worker *w) {
  ((struct board *)w->board)->known = false;
  w->shared->path.len = w->shared->path.nmarks = 0;
}

static void give_local(struct pool *p, struct local_slot *s, const void *item,
                       size_t len) {
  assert(!s->busy);
  if (s->runs && worker_ended(&s->worker))
    end_process(s);
  if (s->runs)
    forget_client(&s->worker);
  else
    start_process(p, s);
  assert(s->runs); /* P1 */
  frame_next(&s->in);
  frame_put(&s->out.bytes, (struct frame_tag){ITEM}, item, len);
  frame_flush(&s->out, s->worker.fd); /* pool_wait notices if it is gone */
  s->busy = true;
  worker_watch(&s->worker);
}

void pool_give(struct pool *p, uint32_t slot, const void *item, size_t len) {
  assert(slot < pool_slots(p));
  if (slot < p->local)
    give_local(p, &p->slots[slot], item, len);
  else
    remote_give(p->remote, slot - p->local, item, len);
}

const struct shared *pool_look(const struct pool *p, uint32_t slot) {
  assert(slot < pool_slots(p));
  bool here = slot < p->local && p->slots[slot].runs;
  return here ? p->slots[slot].worker.shared : NULL;
}

/* ---- news ---- */

/* News of a slot: its item is done (P2). */
static struct pool_message *say(struct pool *p, enum pool_news news,
                                uint32_t slot) {
  assert(news >= POOL_INTERRUPTED || !p->slots[slot].busy); /* P2 */
  p->message.news = news;
  p->message.slot = slot;
  return &p->message;
}

/* The process may have written anything: every length is bounded (P3). */
static void take_death(const struct worker *w, struct pool_death *d) {
  const struct board *b = w->board;
  const struct live_path *path = &w->shared->path;
  const uint8_t *at = live_whole(path, &d->len);
  d->status = w->status;
  d->hang = w->hang;
  d->known = b->known;
  d->clients = b->clients;
  d->executions = b->executions;
  d->client = xstrndup(b->client, sizeof b->client);
  d->path = xmalloc(d->len + 1);
  memcpy(d->path, at, d->len);
  d->only_choices = path->only_choices;
}

/* Ends the process of a busy slot; `news` says why. */
static void end_slot(struct pool *p, uint32_t i, enum pool_news news) {
  struct local_slot *s = &p->slots[i];
  assert(s->busy); /* P2 */
  end_process(s);
  take_death(&s->worker, &p->message.death);
  say(p, news, i);
}

static void end_garbled(struct pool *p, uint32_t i) {
  end_slot(p, i, POOL_DIED);
  p->message.death.garbled = true;
}

/* The socket is closed: the process is about to end. */
static void take_end(struct pool *p, uint32_t i) {
  struct worker *w = &p->slots[i].worker;
  for (int ms = 0; ms < GRACE_MS && !worker_ended(w); ms++)
    usleep(1000);
  bool alone = worker_ended(w);
  bool killed =
      alone && WIFSIGNALED(w->status) && WTERMSIG(w->status) == SIGKILL;
  end_slot(p, i, killed ? POOL_KILLED : POOL_DIED);
}

static void take_frame(struct pool *p, uint32_t i) {
  struct local_slot *s = &p->slots[i];
  struct pool_message *m = &p->message;
  bool (*valid)(const struct buf *) = p->job.valid;
  if (s->in.head.tag.kind == ANSWER && (!valid || valid(&s->in.body))) {
    m->answer = s->in.body;
    s->in.body = (struct buf){0};
    frame_next(&s->in);
    s->busy = false;
    say(p, POOL_ANSWER, i);
  } else if (s->in.head.tag.kind == TROUBLE &&
             worker_error(&m->error, &s->in.body)) {
    end_process(s);
    say(p, POOL_ERROR, i);
  } else {
    end_garbled(p, i);
  }
}

/* True when there is news. */
static bool receive(struct pool *p, uint32_t i) {
  struct local_slot *s = &p->slots[i];
  if (!s->busy) { /* ended, or writes without being asked */
    end_process(s);
    return false;
  }
  switch (frame_read(&s->in, s->worker.fd)) {
  case FRAME_PART:
    return false;
  case FRAME_WHOLE:
    take_frame(p, i);
    return true;
  case FRAME_GARBLED:
    end_garbled(p, i);
    return true;
  case FRAME_CLOSED:
    take_end(p, i);
    return true;
  }
  return false;
}

static int fill_fds(struct pool *p) {
  for (uint32_t i = 0; i < p->local; i++) {
    const struct local_slot *s = &p->slots[i];
    short events = frame_pending(&s->out) ? POLLIN | POLLOUT : POLLIN;
    p->fds[i] = (struct pollfd){s->runs ? s->worker.fd : -1, events, 0};
  }
  if (!p->remote)
    return (int)p->local;
  short events = remote_writes(p->remote) ? POLLIN | POLLOUT : POLLIN;
  p->fds[p->local] = (struct pollfd){remote_fd(p->remote), events, 0};
  return (int)p->local + 1;
}

static bool serve(struct pool *p, uint32_t i) {
  struct local_slot *s = &p->slots[i];
  short got = p->fds[i].revents;
  if (got & POLLOUT)
    frame_flush(&s->out, s->worker.fd);
  return got & ~POLLOUT && receive(p, i);
}

static bool serve_all(struct pool *p) {
  for (uint32_t k = 0; k < p->local; k++) {
    uint32_t i = (p->turn + k) % p->local;
    if (serve(p, i)) {
      p->turn = i + 1;
      return true;
    }
  }
  return false;
}

/*
 * Looks for processes that hang, and for those that have ended while a child of
 * theirs keeps their socket open.
 */
static bool look_at_all(struct pool *p) {
  p->look = clock_now() + WORKER_LOOK_MS / 1000.0;
  for (uint32_t i = 0; i < p->local; i++) {
    struct local_slot *s = &p->slots[i];
    if (!s->busy)
      continue;
    if (worker_ended(&s->worker)) {
      if (!receive(p, i))
        take_end(p, i);
      return true;
    }
    if (worker_stuck(&s->worker)) {
      end_slot(p, i, POOL_HANGS);
      return true;
    }
  }
  return false;
}

static bool take_remote(struct pool *p) {
  if (!p->remote || !remote_news(p->remote, &p->message))
    return false;
  p->message.slot += p->local;
  return true;
}

/* Is it the end?  Then the last news of other machines are read first. */
static bool ends(struct pool *p) {
  bool end = worker_interrupted() || (p->remote && remote_over(p->remote));
  while (end && take_remote(p))
    message_clear(&p->message);
  return end;
}

const struct pool_message *pool_wait(struct pool *p) {
  message_clear(&p->message);
  double now = clock_now(), end = now + WORKER_LOOK_MS / 1000.0;
  if (!p->look)
    p->look = end;
  do {
    if (ends(p))
      break;
    if (take_remote(p))
      return &p->message;
    double next = end < p->look ? end : p->look;
    int ms = next > now ? (int)((next - now) * 1000) + 1 : 0;
    if (poll(p->fds, (nfds_t)fill_fds(p), ms) > 0 && serve_all(p))
      return &p->message;
    now = clock_now();
    if (now >= p->look && look_at_all(p))
      return &p->message;
  } while (now < end);
  return say(p, ends(p) ? POOL_INTERRUPTED : POOL_TICK, 0);
}

const char *pool_lost(const struct pool *p) {
  return p->remote ? remote_lost(p->remote) : NULL;
}

void pool_close(struct pool *p) {
  for (uint32_t i = 0; i < p->local; i++) /* all at once, then one by one */
    if (p->slots[i].runs && !worker_ended(&p->slots[i].worker))
      kill(p->slots[i].worker.pid, SIGKILL);
  for (uint32_t i = 0; i < p->local; i++) {
    struct local_slot *s = &p->slots[i];
    if (s->runs)
      end_process(s);
    worker_release(&s->worker);
  }
  if (p->remote)
    remote_close(p->remote);
  message_clear(&p->message);
  free(p->slots);
  free(p->fds);
  free(p);
}
