/*
 * AeroDrome: Mathur and Viswanathan, "Atomicity checking in linear time using
 * vector clocks", ASPLOS 2020.  clock[t] is what thread t's next event comes
 * after, counted in epochs of each thread (clocks.h).
 *
 * An event of t may not come after the begin of its own transaction by way of
 * another thread: clock[t] takes up another clock c only if c[t] is less than
 * the running transaction's number.  When a transaction ends, everything that
 * comes after its begin comes after its end as well: clocks that have its
 * number take up its clock.
 *
 * Differs: an object names epochs instead of having clocks, so that most
 * accesses compare one number (1 of clocks.h) and an end touches no objects.
 * When t knows a running transaction, its clock is not taken up again though
 * it may have grown: that is done when it ends, and a cycle is seen then.  A
 * read replaces that of another thread which it comes after.
 */
#include "atomicity/clocks.h"
#include "atomicity/sc.h"

#include <assert.h>

struct sc_monitor {
  struct clocks c;
  bool violated;
};

struct sc_monitor *sc_monitor_new(void) {
  return xcalloc(1, sizeof(struct sc_monitor));
}

void sc_monitor_free(struct sc_monitor *m) {
  clocks_free(&m->c);
  free(m);
}

/* The next event of t comes after what c stands for. */
static bool come_after(struct clocks *m, uint32_t t, const uint32_t *c) {
  struct clock_thread *th = &m->thread[t];
  if (c[t] >= m->running[t])
    return false;
  if (!clock_join(clock_of(m, t), c, m->cap))
    return true;
  th->changed = true;
  if (!th->depth)
    th->shot = NO_SHOT; /* another epoch */
  return true;
}

static bool come_after_epoch(struct clocks *m, uint32_t t, uint32_t u,
                             uint32_t shot) {
  return come_after(m, t,
                    m->thread[u].shot == shot ? clock_of(m, u)
                                              : clock_of_shot(m, shot));
}

/* t has no shot: its transaction's first access, or an event outside. */
static __attribute__((noinline)) void new_shot(struct clocks *m, uint32_t t) {
  uint32_t shot = clocks_shot(m), *c = clock_of(m, t);
  m->thread[t].shot = shot;
  if (m->thread[t].depth)
    return;
  if (++c[t] == UINT32_MAX)
    die("more than 4 billion transactions of a thread");
  memcpy(clock_of_shot(m, shot), c, m->cap * sizeof *c);
  clocks_keep_pending(m, shot);
}

static inline struct epoch epoch_of(struct clocks *m, uint32_t t) {
  if (m->thread[t].shot == NO_SHOT)
    new_shot(m, t);
  return (struct epoch){t, clock_of(m, t)[t], m->thread[t].shot};
}

/* ---- accesses ---- */

static void read_by_many(struct clocks *m, struct clock_object *o,
                         struct epoch now) {
  if (o->read.thread != MANY) {
    uint32_t row = clocks_row(m);
    struct epoch old = o->read;
    readers_of(m, row)[old.thread] =
        (struct clock_reader){old.number, old.shot};
    o->read = (struct epoch){MANY, 1, row};
  }
  readers_of(m, o->read.shot)[now.thread] =
      (struct clock_reader){now.number, now.shot};
}

static inline bool read_object(struct clocks *m, uint32_t t, uint32_t x) {
  struct clock_object *o = &m->object[x];
  const uint32_t *c = clock_of(m, t);
  if (c[o->write.thread] < o->write.number &&
      !come_after_epoch(m, t, o->write.thread, o->write.shot))
    return false;
  struct epoch now = epoch_of(m, t);
  if (o->write.shot == now.shot || o->read.shot == now.shot) {
    /* A row of readers may have the same number as a shot. */
    if (o->write.shot == now.shot || o->read.thread != MANY)
      return true;
  }
  if (!o->read.number ||
      (o->read.thread != MANY && c[o->read.thread] >= o->read.number))
    o->read = now;
  else
    read_by_many(m, o, now);
  return true;
}

static bool after_many(struct clocks *m, uint32_t t, struct clock_object *o) {
  struct clock_reader *r = readers_of(m, o->read.shot);
  const uint32_t *c = clock_of(m, t);
  for (uint32_t u = 0; u < m->nthreads; u++) {
    if (c[u] < r[u].number && !come_after_epoch(m, t, u, r[u].shot))
      return false;
    r[u].number = 0;
  }
  vec_push(&m->free_rows, o->read.shot);
  return true;
}

static inline bool write_object(struct clocks *m, uint32_t t, uint32_t x) {
  struct clock_object *o = &m->object[x];
  const uint32_t *c = clock_of(m, t);
  if (o->write.shot == m->thread[t].shot && !o->read.number)
    return true;
  if (c[o->write.thread] < o->write.number &&
      !come_after_epoch(m, t, o->write.thread, o->write.shot))
    return false;
  if (o->read.thread == MANY) {
    if (o->read.number && !after_many(m, t, o))
      return false;
  } else if (c[o->read.thread] < o->read.number &&
             !come_after_epoch(m, t, o->read.thread, o->read.shot)) {
    return false;
  }
  o->write = epoch_of(m, t);
  o->read = (struct epoch){0};
  return true;
}

/* ---- transactions ---- */

static void begin(struct clocks *m, uint32_t t) {
  struct clock_thread *th = &m->thread[t];
  if (th->depth++)
    return;
  m->running[t] = ++clock_of(m, t)[t];
  if (m->running[t] == UINT32_MAX)
    die("more than 4 billion transactions of a thread");
  th->changed = false;
  th->shot = NO_SHOT;
}

/* Other threads and shots that come after the begin of t's transaction. */
static bool tell_others(struct clocks *m, uint32_t t, uint32_t number) {
  struct clock_thread *th = &m->thread[t];
  const uint32_t *c = clock_of(m, t);
  uint64_t bit = UINT64_C(1) << (t % 64);
  for (uint32_t u = 0; th->changed && u < m->nthreads; u++)
    if (u != t && clock_of(m, u)[t] >= number && !come_after(m, u, c))
      return false;
  for (uint32_t i = 0; i < th->pending.len; i++) {
    uint32_t shot = th->pending.at[i];
    m->waits[(size_t)shot * m->words + t / 64] &= ~bit;
    if (th->changed && clock_join(clock_of_shot(m, shot), c, m->cap))
      clocks_keep_pending(m, shot);
  }
  vec_clear(&th->pending);
  return true;
}

static bool end(struct clocks *m, uint32_t t) {
  struct clock_thread *th = &m->thread[t];
  uint32_t number = m->running[t];
  assert(th->depth);
  if (--th->depth)
    return true;
  m->running[t] = UINT32_MAX;
  if (!tell_others(m, t, number))
    return false;
  if (th->shot != NO_SHOT) {
    memcpy(clock_of_shot(m, th->shot), clock_of(m, t),
           m->cap * sizeof *m->clock);
    clocks_keep_pending(m, th->shot);
    th->shot = NO_SHOT;
  }
  return true;
}

static inline bool step(struct clocks *m, enum txn_kind kind, uint32_t t,
                        uint32_t x) {
  switch (kind) {
  case TXN_READ:
    return read_object(m, t, x);
  case TXN_WRITE:
  case TXN_RMW:
    return write_object(m, t, x);
  case TXN_FORK:
    return come_after(m, x, clock_of(m, t));
  case TXN_JOIN:
    /* A thread without events is nothing between its fork and its join. */
    return !m->thread[x].seen || come_after(m, t, clock_of(m, x));
  case TXN_BEGIN:
    begin(m, t);
    return true;
  case TXN_END:
    return end(m, t);
  case TXN_FENCE:
    return true;
  case TXN_COMMIT:
    break;
  }
  assert(!"a commit under SC");
  return true;
}

bool sc_monitor_event(struct sc_monitor *m, enum txn_kind kind, uint32_t thread,
                      uint32_t object) {
  struct clocks *c = &m->c;
  assert(!m->violated);
  if (thread >= c->nthreads)
    clocks_threads(c, thread);
  if (kind <= TXN_RMW) {
    if (object >= c->nobjects)
      clocks_objects(c, object);
  } else if ((kind == TXN_FORK || kind == TXN_JOIN) && object >= c->nthreads) {
    clocks_threads(c, object);
  }
  c->thread[thread].seen = true;
  m->violated = !step(c, kind, thread, object);
  return !m->violated;
}

bool sc_monitor_finish(struct sc_monitor *m) {
  for (uint32_t t = 0; t < m->c.nthreads && !m->violated; t++)
    while (m->c.thread[t].depth && !m->violated)
      m->violated = !end(&m->c, t);
  return !m->violated;
}
