/* Clocks: joining, epochs that end, shots that are counted. */
#include "atomicity/clocks.h"

void clocks_free(struct clocks *m) {
  for (uint32_t t = 0; t < m->cap; t++)
    vec_free(&m->thread[t].pending);
  free(m->thread);
  free(m->clock);
  free(m->running);
  free(m->object);
  free(m->shots);
  free(m->waits);
  free(m->marked);
  free(m->readers);
  vec_free(&m->free_shots);
  vec_free(&m->free_rows);
}

/* Rows of `from` items become rows of `to`, the new ones 0. */
static void *widen(void *old, size_t size, size_t rows, size_t from, size_t to,
                   size_t new_rows) {
  char *p = xcalloc(new_rows * to + 1, size);
  for (size_t i = 0; i < rows && from; i++)
    memcpy(p + i * to * size, (char *)old + i * from * size, from * size);
  free(old);
  return p;
}

void clocks_threads(struct clocks *m, uint32_t thread) {
  uint32_t old = m->cap, cap = old ? old : 4;
  while (cap <= thread)
    cap *= 2;
  if (cap != old) {
    uint32_t words = (cap + 63) / 64;
    m->thread = xrealloc(m->thread, cap * sizeof *m->thread);
    m->running = xrealloc(m->running, cap * sizeof *m->running);
    memset(m->thread + old, 0, (cap - old) * sizeof *m->thread);
    for (uint32_t t = old; t < cap; t++) {
      m->thread[t].shot = NO_SHOT;
      m->running[t] = UINT32_MAX;
    }
    m->clock = widen(m->clock, sizeof *m->clock, old, old, cap, cap);
    m->shots =
        widen(m->shots, sizeof *m->shots, m->nshots, old, cap, m->nshots);
    m->readers =
        widen(m->readers, sizeof *m->readers, m->nrows, old, cap, m->rows_cap);
    m->waits = widen(m->waits, sizeof *m->waits, m->nshots, m->words, words,
                     m->nshots);
    m->cap = cap;
    m->words = words;
  }
  m->nthreads = thread + 1;
}

void clocks_objects(struct clocks *m, uint32_t object) {
  if (object >= m->objects_cap) {
    uint32_t cap = m->objects_cap ? m->objects_cap : 64;
    while (cap <= object)
      cap *= 2;
    m->object = xrealloc(m->object, cap * sizeof *m->object);
    memset(m->object + m->objects_cap, 0,
           (cap - m->objects_cap) * sizeof *m->object);
    m->objects_cap = cap;
  }
  m->nobjects = object + 1;
}

uint32_t clocks_row(struct clocks *m) {
  if (m->free_rows.len)
    return vec_pop(&m->free_rows);
  if (m->nrows == m->rows_cap) {
    uint32_t cap = m->rows_cap ? 2 * m->rows_cap : 16;
    m->readers =
        widen(m->readers, sizeof *m->readers, m->nrows, m->cap, m->cap, cap);
    m->rows_cap = cap;
  }
  return m->nrows++;
}

/* ---- shots ---- */

static void mark_object(struct clocks *m, const struct clock_object *o) {
  if (o->write.number)
    m->marked[o->write.shot] = 1;
  if (!o->read.number)
    return;
  if (o->read.thread != MANY) {
    m->marked[o->read.shot] = 1;
    return;
  }
  const struct clock_reader *r = readers_of(m, o->read.shot);
  for (uint32_t u = 0; u < m->nthreads; u++)
    if (r[u].number)
      m->marked[r[u].shot] = 1;
}

static void more_shots(struct clocks *m, uint32_t want) {
  m->shots = widen(m->shots, sizeof *m->shots, m->nshots, m->cap, m->cap, want);
  m->waits =
      widen(m->waits, sizeof *m->waits, m->nshots, m->words, m->words, want);
  m->marked = xrealloc(m->marked, want);
  vec_reserve(&m->free_shots, want);
  for (uint32_t s = want; s-- > (m->nshots ? m->nshots : 1);)
    vec_push(&m->free_shots, s);
  m->nshots = want;
}

/* Those that nothing names any more.  Pending lists name none: a shot that only
 * they have will not be asked for. */
static void collect(struct clocks *m) {
  if (m->nshots)
    memset(m->marked, 0, m->nshots);
  for (uint32_t x = 0; x < m->nobjects; x++)
    mark_object(m, &m->object[x]);
  for (uint32_t t = 0; t < m->nthreads; t++)
    if (m->thread[t].shot != NO_SHOT)
      m->marked[m->thread[t].shot] = 1;
  for (uint32_t t = 0; t < m->nthreads; t++) {
    struct clock_thread *th = &m->thread[t];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < th->pending.len; i++)
      if (m->marked[th->pending.at[i]])
        th->pending.at[kept++] = th->pending.at[i];
    th->pending.len = kept;
  }
  vec_clear(&m->free_shots);
  for (uint32_t s = m->nshots; s-- > 1;)
    if (!m->marked[s]) {
      memset(m->waits + (size_t)s * m->words, 0, m->words * sizeof *m->waits);
      vec_push(&m->free_shots, s);
    }
}

/* There are so many that to collect them costs a step or two a shot. */
uint32_t clocks_shot(struct clocks *m) {
  if (!m->free_shots.len) {
    collect(m);
    uint64_t work = m->nobjects + (uint64_t)m->nrows * m->nthreads;
    uint64_t want = m->nshots ? m->nshots : 4;
    while (m->free_shots.len + (want - m->nshots) < want / 2 ||
           m->free_shots.len + (want - m->nshots) < work / 4)
      want *= 2;
    if (want != m->nshots)
      more_shots(m, (uint32_t)want);
  }
  return vec_pop(&m->free_shots);
}

void clocks_keep_pending(struct clocks *m, uint32_t shot) {
  const uint32_t *c = clock_of_shot(m, shot);
  uint64_t *waits = m->waits + (size_t)shot * m->words;
  for (uint32_t v = 0; v < m->nthreads; v++) {
    uint64_t bit = UINT64_C(1) << (v % 64);
    if (c[v] >= m->running[v] && !(waits[v / 64] & bit)) {
      waits[v / 64] |= bit;
      vec_push(&m->thread[v].pending, shot);
    }
  }
}
