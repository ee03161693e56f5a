/*
 * Slots on other machines: the session's end of the link to the relay, and the
 * server that does items on another rank.
 */
#include "proc/pool_remote.h"

#include "proc/relay.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the session ---- */

/* The link to the relay: one for the life of the process, as for MPI. */
static struct relay_link {
  uint32_t ranks; /* 0: no cluster */
  int fd;
  bool over;
  bool *lost;       /* by slot (R3) */
  struct buf story; /* a sentence about lost ranks */
  uint32_t serial;  /* of the last pool */
  struct frame_in in;
  struct frame_out out;
} the_link;

struct remote {
  uint32_t serial;
  struct buf order;
  struct remote_slot {
    bool open, busy;
  } * places; /* by slot */
};

/* Slots are the ranks without the session's own, which is 0. */
static uint32_t rank_of(uint32_t slot) { return slot + 1; }

void pool_remote_init(int fd, uint32_t ranks) {
  struct relay_link *l = &the_link;
  *l = (struct relay_link){.ranks = ranks, .fd = fd};
  l->lost = xcalloc(ranks, sizeof *l->lost);
}

uint32_t remote_slots(void) { return the_link.ranks ? the_link.ranks - 1 : 0; }

struct remote *remote_open(const struct pool_job *job) {
  if (!remote_slots() || !job->travel)
    return NULL;
  struct remote *r = xcalloc(1, sizeof *r);
  struct error e = {0};
  r->serial = ++the_link.serial;
  r->places = xcalloc(remote_slots(), sizeof *r->places);
  wire_put(&r->order, job->show_output);
  wire_put(&r->order, job->hang_seconds);
  wire_put(&r->order, job->max_seconds);
  if (job->travel->write(job->arg, &r->order, &e))
    die("%s", e.text);
  return r;
}

static void post(struct remote *r, uint32_t kind, uint32_t slot,
                 const void *body, size_t len) {
  struct frame_tag tag = {kind, rank_of(slot), r->serial};
  if (the_link.fd < 0)
    return;
  frame_put(&the_link.out.bytes, tag, body, len);
  frame_flush(&the_link.out, the_link.fd);
}

void remote_give(struct remote *r, uint32_t slot, const void *item,
                 size_t len) {
  assert(slot < remote_slots() && !r->places[slot].busy);
  struct remote_slot *p = &r->places[slot];
  p->busy = true;
  if (!remote_usable(r, slot))
    return; /* remote_news says so */
  if (!p->open)
    post(r, RELAY_OPEN, slot, r->order.at, r->order.len);
  p->open = true;
  post(r, RELAY_ITEM, slot, item, len);
}

bool remote_usable(const struct remote *r, uint32_t slot) {
  (void)r;
  return !the_link.lost[slot];
}

int remote_fd(const struct remote *r) {
  (void)r;
  return the_link.fd;
}

bool remote_writes(const struct remote *r) {
  (void)r;
  return frame_pending(&the_link.out);
}

bool remote_over(const struct remote *r) {
  (void)r;
  return the_link.over;
}

const char *remote_lost(const struct remote *r) {
  (void)r;
  return the_link.story.len ? buf_text(&the_link.story) : NULL;
}

static void lose(struct remote *r, uint32_t slot, const struct buf *machine) {
  struct buf *b = &the_link.story;
  if (slot >= remote_slots() || the_link.lost[slot])
    return;
  the_link.lost[slot] = true;
  buf_printf(b, "%srank %u (%s) is gone", b->len ? "; " : "", rank_of(slot),
             buf_text(machine));
  if (r->places[slot].busy)
    buf_puts(b, ", and with it the work that it was doing");
}

/* True when it is news for the pool. */
static bool take_frame(struct remote *r, struct pool_message *m) {
  struct frame_in *in = &the_link.in;
  uint32_t slot = in->head.tag.slot - 1;
  switch (in->head.tag.kind) {
  case RELAY_LOST:
    lose(r, slot, &in->body);
    return false;
  case RELAY_OVER:
    the_link.over = true;
    return false;
  case RELAY_NEWS:
    break;
  default:
    return false;
  }
  struct wire w = {.at = buf_text(&in->body), .len = in->body.len};
  if (in->head.tag.serial != r->serial || slot >= remote_slots() || /* R2 */
      !r->places[slot].busy)
    return false;
  if (!message_read(m, &w)) {
    m->news = POOL_ERROR;
    error_set(&m->error, ERR_SYSTEM, "rank %u sent an invalid answer",
              rank_of(slot));
  }
  m->slot = slot;
  r->places[slot].busy = false;
  return true;
}

/* News of an item whose rank is gone. */
static bool take_lost(struct remote *r, struct pool_message *m) {
  for (uint32_t i = 0; i < remote_slots(); i++)
    if (r->places[i].busy && the_link.lost[i]) {
      r->places[i].busy = false;
      *m = (struct pool_message){.news = POOL_KILLED, .slot = i};
      return true;
    }
  return false;
}

static void hang_up(void) {
  close(the_link.fd);
  the_link.fd = -1;
  the_link.over = true;
}

bool remote_news(struct remote *r, struct pool_message *m) {
  struct relay_link *l = &the_link;
  if (l->fd >= 0)
    frame_flush(&l->out, l->fd);
  while (l->fd >= 0) {
    enum frame_state state = frame_read(&l->in, l->fd);
    if (state == FRAME_PART)
      break;
    if (state != FRAME_WHOLE) {
      hang_up();
      break;
    }
    bool news = take_frame(r, m);
    frame_next(&l->in);
    if (news)
      return true;
  }
  return take_lost(r, m);
}

void remote_close(struct remote *r) {
  for (uint32_t i = 0; i < remote_slots(); i++)
    if (r->places[i].open && !the_link.lost[i])
      post(r, RELAY_CLOSE, i, NULL, 0);
  buf_free(&r->order);
  free(r->places);
  free(r);
}

void remote_forget(void) {
  if (the_link.fd > 0)
    close(the_link.fd);
}

/* ---- a server ---- */

struct remote_server {
  int fd;
  uint32_t rank, serial;
  struct pool_job job;
  struct pool *pool;
  bool busy;
  struct error error; /* why there is no pool */
};

static bool send_news(struct remote_server *s, const struct pool_message *m) {
  struct buf b = {0};
  struct frame_tag tag = {RELAY_NEWS, s->rank, s->serial};
  message_write(m, &b);
  bool sent = frame_send(s->fd, tag, b.at, b.len);
  buf_free(&b);
  return sent;
}

static void close_pool(struct remote_server *s) {
  if (s->pool)
    pool_close(s->pool);
  s->job.travel->free(s->job.arg);
  s->pool = NULL;
  s->job.arg = NULL;
  s->busy = false;
}

static void open_pool(struct remote_server *s, const struct buf *body) {
  struct wire w = {.at = buf_text(body), .len = body->len};
  close_pool(s);
  s->error = (struct error){0};
  s->job.show_output = wire_get(&w);
  s->job.hang_seconds = (uint32_t)wire_get(&w);
  s->job.max_seconds = (uint32_t)wire_get(&w);
  struct buf rest = {.at = (char *)w.at + w.next, .len = w.len - w.next};
  s->job.arg = s->job.travel->read(&rest, &s->error);
  if (s->job.arg)
    s->pool = pool_open(&s->job, 1);
}

static bool begin_item(struct remote_server *s, const struct buf *item) {
  if (s->pool && !s->busy) {
    pool_give(s->pool, 0, item->at, item->len);
    s->busy = true;
    return true;
  }
  struct pool_message m = {.news = POOL_ERROR, .error = s->error};
  error_set(&m.error, ERR_SYSTEM, "an item came without an order");
  return send_news(s, &m);
}

/* False: the end. */
static bool obey(struct remote_server *s, const struct frame_in *in) {
  switch (in->head.tag.kind) {
  case RELAY_OPEN:
    s->serial = in->head.tag.serial;
    open_pool(s, &in->body);
    return true;
  case RELAY_ITEM:
    return begin_item(s, &in->body);
  case RELAY_CLOSE:
    close_pool(s);
    return true;
  default:
    return false;
  }
}

/* Waits for news of the item in progress; false: the end. */
static bool work(struct remote_server *s) {
  const struct pool_message *m = pool_wait(s->pool);
  if (m->news == POOL_INTERRUPTED)
    return false;
  if (m->news == POOL_TICK)
    return true;
  s->busy = false;
  return send_news(s, m);
}

int pool_remote_serve(int fd, uint32_t rank, const struct pool_job *job) {
  struct remote_server s = {.fd = fd, .rank = rank, .job = *job};
  the_link.fd = fd; /* for remote_forget; a server has no slots elsewhere */
  struct frame_in in = {0};
  bool goes_on = true;
  while (goes_on && !worker_interrupted()) {
    if (!s.busy)
      frame_wait(fd);
    enum frame_state state = frame_read(&in, fd);
    if (state == FRAME_WHOLE) {
      goes_on = obey(&s, &in);
      frame_next(&in);
    } else if (state != FRAME_PART) {
      goes_on = false;
    }
    if (goes_on && s.busy)
      goes_on = work(&s);
  }
  close_pool(&s);
  frame_in_free(&in);
  return 0;
}

/* ---- */

bool remote_begin(const struct pool_job *job, int *status) {
  const char *text = getenv(RELAY_ENV);
  int fd;
  uint32_t rank, ranks;
  if (!text || sscanf(text, "%d %u %u", &fd, &rank, &ranks) != 3)
    return false;
  unsetenv(RELAY_ENV);
  if (fcntl(fd, F_SETFD, FD_CLOEXEC))
    return false;
  if (!rank) {
    pool_remote_init(fd, ranks);
    return false;
  }
  worker_catch_signals();
  rt_share_loops();
  *status = pool_remote_serve(fd, rank, job);
  return true;
}
