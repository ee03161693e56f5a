/*
 * AeroDrome: Mathur and Viswanathan, "Atomicity checking in linear time using
 * vector clocks", ASPLOS 2020; after their idea, with these names:
 *
 *   clock[t]   what thread t's next event comes after, counted in begun
 *              transactions of each thread
 *   begin[t]   clock[t][t] when t's running transaction began
 *   W, R, H    of an object: of its last write; the join over its reads; the
 *              same with the reader's own component left out
 *
 * An event of t may not come after the begin of its own transaction by way of
 * another thread: clock[t] takes up another clock c only if c[t] < begin[t].
 * When a transaction ends, everything that comes after its begin comes after
 * its end as well: clocks that know its begin take up its clock.
 *
 * Differs: the clocks of objects that know the begin of a running transaction
 * are in a list of that transaction (`pending`), so that an end touches no
 * others; and an access that would change nothing, since neither the thread's
 * clock nor the object's has changed, is passed by (`version`).
 *
 * (1) an object with W[v] or R[v] >= begin[v] of a running v is pending for v.
 * (2) after[t] has the running v with clock[t][v] >= begin[v].
 */
#include "atomicity/sc.h"

#include <assert.h>
#include <string.h>

#define NO_THREAD UINT32_MAX

struct object {
  uint64_t read_version, write_version;
  uint32_t reader, writer; /* whose versions these are, or NO_THREAD */
  bool read_since;         /* read since the last write */
};

struct thread {
  uint64_t version; /* of its clock */
  uint32_t begin, depth;
  bool changed; /* the clock has grown since the begin */
  bool seen;    /* it has had an event */
  VEC(uint32_t) pending;
};

struct sc_monitor {
  uint32_t nthreads, cap; /* cap: components of a clock, a multiple of 4 */
  uint32_t words;         /* of a set of threads */
  struct thread *thread;
  uint32_t *clock; /* cap a thread */
  uint64_t *after; /* words a thread */
  uint32_t nobjects, objects_cap;
  struct object *object;
  uint32_t *clocks;  /* W, R, H an object: 3 * cap */
  uint64_t *pending; /* words an object: (1) */
  bool violated;
};

struct sc_monitor *sc_monitor_new(void) {
  return xcalloc(1, sizeof(struct sc_monitor));
}

void sc_monitor_free(struct sc_monitor *m) {
  for (uint32_t t = 0; t < m->cap; t++)
    vec_free(&m->thread[t].pending);
  free(m->thread);
  free(m->clock);
  free(m->after);
  free(m->object);
  free(m->clocks);
  free(m->pending);
  free(m);
}

/* ---- room ---- */

/* Rows of `from` items become rows of `to`, the new ones 0. */
static void *widen(void *old, size_t size, size_t rows, size_t from, size_t to,
                   size_t new_rows) {
  char *p = xcalloc(new_rows * to + 1, size);
  for (size_t i = 0; i < rows; i++)
    if (from)
      memcpy(p + i * to * size, (char *)old + i * from * size, from * size);
  free(old);
  return p;
}

static void more_threads(struct sc_monitor *m, uint32_t thread) {
  uint32_t cap = m->cap ? m->cap : 4, old = m->cap;
  while (cap <= thread)
    cap *= 2;
  uint32_t words = (cap + 63) / 64;
  if (cap != old) {
    m->thread = xrealloc(m->thread, cap * sizeof *m->thread);
    memset(m->thread + old, 0, (cap - old) * sizeof *m->thread);
    m->clock = widen(m->clock, 4, old, old, cap, cap);
    m->clocks = widen(m->clocks, 4, 3 * (size_t)m->nobjects, old, cap,
                      3 * (size_t)m->objects_cap);
    m->after = widen(m->after, 8, old, m->words, words, cap);
    m->pending =
        widen(m->pending, 8, m->nobjects, m->words, words, m->objects_cap);
    m->cap = cap;
    m->words = words;
  }
  m->nthreads = thread + 1;
}

static void more_objects(struct sc_monitor *m, uint32_t object) {
  if (object >= m->objects_cap) {
    uint32_t cap = m->objects_cap ? m->objects_cap : 64;
    while (cap <= object)
      cap *= 2;
    m->object = xrealloc(m->object, cap * sizeof *m->object);
    m->clocks = widen(m->clocks, 4, 3 * (size_t)m->nobjects, m->cap, m->cap,
                      3 * (size_t)cap);
    m->pending = widen(m->pending, 8, m->nobjects, m->words, m->words, cap);
    m->objects_cap = cap;
  }
  for (; m->nobjects <= object; m->nobjects++)
    m->object[m->nobjects] =
        (struct object){.reader = NO_THREAD, .writer = NO_THREAD};
}

/* ---- clocks ---- */

static inline uint32_t *clock_of(struct sc_monitor *m, uint32_t t) {
  return m->clock + (size_t)t * m->cap;
}
static inline uint64_t *after_of(struct sc_monitor *m, uint32_t t) {
  return m->after + (size_t)t * m->words;
}

typedef uint32_t four __attribute__((vector_size(16), may_alias));

/* a := a join b; whether a has changed. */
static inline bool join(uint32_t *restrict a, const uint32_t *restrict b,
                        uint32_t n) {
  four change = {0};
  for (uint32_t i = 0; i < n; i += 4) {
    four x = *(const four *)(a + i), y = *(const four *)(b + i);
    four less = (four)(x < y);
    change |= less;
    *(four *)(a + i) = (y & less) | (x & ~less);
  }
  return change[0] | change[1] | change[2] | change[3];
}

/* Both join c, h without the component of t. */
static inline void join_read(uint32_t *restrict r, uint32_t *restrict h,
                             const uint32_t *restrict c, uint32_t t,
                             uint32_t n) {
  uint32_t others = h[t];
  for (uint32_t i = 0; i < n; i += 4) {
    four y = *(const four *)(c + i);
    four x = *(const four *)(r + i), less = (four)(x < y);
    *(four *)(r + i) = (y & less) | (x & ~less);
    x = *(const four *)(h + i), less = (four)(x < y);
    *(four *)(h + i) = (y & less) | (x & ~less);
  }
  h[t] = others;
}

static void find_after(struct sc_monitor *m, uint32_t t) { /* (2) */
  const uint32_t *c = clock_of(m, t);
  uint64_t *after = after_of(m, t);
  memset(after, 0, m->words * sizeof *after);
  for (uint32_t v = 0; v < m->nthreads; v++)
    if (m->thread[v].depth && c[v] >= m->thread[v].begin)
      after[v / 64] |= UINT64_C(1) << (v % 64);
}

static void take_up(struct sc_monitor *m, uint32_t t, const uint32_t *c) {
  if (!join(clock_of(m, t), c, m->cap))
    return;
  m->thread[t].changed = true;
  m->thread[t].version++;
  find_after(m, t);
}

/* The next event of t comes after what c stands for.  `own` is c[t], or that
 * part of it which other threads know. */
static inline bool come_after(struct sc_monitor *m, uint32_t t,
                              const uint32_t *c, uint32_t own) {
  if (m->thread[t].depth && m->thread[t].begin <= own)
    return false;
  take_up(m, t, c);
  return true;
}

/* What t knows has gone into the clocks of the object. */
static inline void keep_pending(struct sc_monitor *m, uint32_t t, uint32_t x) {
  const uint64_t *after = after_of(m, t);
  uint64_t *pending = m->pending + (size_t)x * m->words;
  for (uint32_t w = 0; w < m->words; w++) {
    uint64_t fresh = after[w] & ~pending[w];
    pending[w] |= fresh;
    for (; fresh; fresh &= fresh - 1)
      vec_push(&m->thread[w * 64 + (uint32_t)__builtin_ctzll(fresh)].pending,
               x);
  }
}

/* ---- events ---- */

static bool read_object(struct sc_monitor *m, uint32_t t, uint32_t x) {
  struct object *o = &m->object[x];
  const struct thread *th = &m->thread[t];
  if ((o->reader == t && o->read_version == th->version) ||
      (o->writer == t && o->write_version == th->version))
    return true;
  uint32_t *w = m->clocks + (size_t)x * 3 * m->cap;
  uint32_t *r = w + m->cap, *h = r + m->cap;
  if (o->writer != t && o->writer != NO_THREAD && !come_after(m, t, w, w[t]))
    return false;
  join_read(r, h, clock_of(m, t), t, m->cap);
  keep_pending(m, t, x);
  o->reader = t;
  o->read_version = th->version;
  o->read_since = true;
  return true;
}

static bool write_object(struct sc_monitor *m, uint32_t t, uint32_t x) {
  struct object *o = &m->object[x];
  const struct thread *th = &m->thread[t];
  if (o->writer == t && o->write_version == th->version && !o->read_since)
    return true;
  uint32_t *w = m->clocks + (size_t)x * 3 * m->cap;
  uint32_t *r = w + m->cap, *h = r + m->cap;
  if (o->writer != t && o->writer != NO_THREAD && !come_after(m, t, w, w[t]))
    return false;
  if (o->read_since && !come_after(m, t, r, h[t]))
    return false;
  memcpy(w, clock_of(m, t), m->cap * sizeof *w);
  keep_pending(m, t, x);
  o->writer = t;
  o->write_version = th->version;
  o->reader = NO_THREAD;
  o->read_since = false;
  return true;
}

static void begin(struct sc_monitor *m, uint32_t t) {
  struct thread *th = &m->thread[t];
  if (th->depth++)
    return;
  th->begin = ++clock_of(m, t)[t];
  th->changed = false;
  th->version++;
  find_after(m, t);
}

static void end_object(struct sc_monitor *m, uint32_t t, uint32_t x) {
  uint32_t from = m->thread[t].begin;
  uint32_t *w = m->clocks + (size_t)x * 3 * m->cap;
  uint32_t *r = w + m->cap, *h = r + m->cap;
  const struct object *o = &m->object[x];
  uint64_t version = m->thread[t].version;
  bool written = o->writer == t && o->write_version == version;
  bool read = o->reader == t && o->read_version == version;
  if (w[t] >= from && !written)
    join(w, clock_of(m, t), m->cap);
  if (r[t] >= from && !read && !(written && !o->read_since))
    join_read(r, h, clock_of(m, t), t, m->cap);
  keep_pending(m, t, x); /* (1): of the transactions that t comes after */
}

static bool end(struct sc_monitor *m, uint32_t t) {
  struct thread *th = &m->thread[t];
  uint64_t bit = UINT64_C(1) << (t % 64);
  assert(th->depth);
  if (--th->depth)
    return true;
  for (uint32_t u = 0; u < m->nthreads; u++)
    after_of(m, u)[t / 64] &= ~bit;
  for (uint32_t u = 0; th->changed && u < m->nthreads; u++)
    if (u != t && clock_of(m, u)[t] >= th->begin &&
        !come_after(m, u, clock_of(m, t), clock_of(m, t)[u]))
      return false;
  for (uint32_t i = 0; i < th->pending.len; i++) {
    uint32_t x = th->pending.at[i];
    m->pending[(size_t)x * m->words + t / 64] &= ~bit;
    if (th->changed)
      end_object(m, t, x);
  }
  vec_clear(&th->pending);
  return true;
}

static bool step(struct sc_monitor *m, enum txn_kind kind, uint32_t t,
                 uint32_t x) {
  switch (kind) {
  case TXN_READ:
    return read_object(m, t, x);
  case TXN_WRITE:
  case TXN_RMW:
    return write_object(m, t, x);
  case TXN_FORK:
    return come_after(m, x, clock_of(m, t), clock_of(m, t)[x]);
  case TXN_JOIN:
    /* A thread without events is nothing between its fork and its join. */
    return !m->thread[x].seen ||
           come_after(m, t, clock_of(m, x), clock_of(m, x)[t]);
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
  assert(!m->violated);
  if (thread >= m->nthreads)
    more_threads(m, thread);
  if (kind <= TXN_RMW) {
    if (object >= m->nobjects)
      more_objects(m, object);
  } else if (kind == TXN_FORK || kind == TXN_JOIN) {
    if (object >= m->nthreads)
      more_threads(m, object);
  }
  m->thread[thread].seen = true;
  m->violated = !step(m, kind, thread, object);
  return !m->violated;
}

bool sc_monitor_finish(struct sc_monitor *m) {
  for (uint32_t t = 0; t < m->nthreads && !m->violated; t++)
    while (m->thread[t].depth && !m->violated)
      m->violated = !end(m, t);
  return !m->violated;
}
