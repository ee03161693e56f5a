/* Chains and rows: built in one pass over the trace, then asked. */
#include "atomicity/chains.h"
#include "atomicity/tso_int.h"

#include <assert.h>
#include <string.h>

#define NOTHING UINT32_MAX

/* ---- chains and buckets ---- */

/* Chains of buffered reads are made when there is such a read. */
static uint32_t chain_of(struct chains *c, uint32_t i, uint32_t *of_object) {
  const struct txn_event *e = &c->e[i];
  if (tso_mark(e))
    return NOTHING;
  if (e->kind != TXN_READ || !c->buffered[i])
    return 2 * e->thread + (e->kind == TXN_READ);
  uint32_t *chain = &of_object[(size_t)e->thread * c->nobjects + e->object];
  if (!*chain)
    *chain = c->nchains++;
  return *chain;
}

static void count(struct chains *c) {
  for (uint32_t i = 0; i < c->n; i++) {
    const struct txn_event *e = &c->e[i];
    uint32_t other = e->kind == TXN_FORK || e->kind == TXN_JOIN ? e->object : 0;
    if (e->thread >= c->nthreads)
      c->nthreads = e->thread + 1;
    if (other >= c->nthreads)
      c->nthreads = other + 1;
    if (tso_access(e) && e->object >= c->nobjects)
      c->nobjects = e->object + 1;
    if (e->txn >= c->ntxns)
      c->ntxns = e->txn + 1;
  }
  c->nchains = 2 * c->nthreads;
}

static uint32_t *bucket_number(struct chains *c, uint32_t thread,
                               uint32_t object, uint32_t cls) {
  return &c->bucket_of[((size_t)thread * c->nobjects + object) * 3 + cls];
}

static void put_in_bucket(struct chains *c, uint32_t i) {
  const struct txn_event *e = &c->e[i];
  uint32_t cls = e->kind != TXN_READ ? 0 : 1 + c->buffered[i];
  uint32_t *k = bucket_number(c, e->thread, e->object, cls);
  if (!*k) {
    struct chain_bucket b = {.chain = c->chain[i],
                             .thread = e->thread,
                             .object = e->object,
                             .reads = cls != 0,
                             .buffered = c->buffered[i]};
    vec_push(&c->buckets, b);
    *k = c->buckets.len;
    vec_push(&c->on[e->object].buckets, *k - 1);
  }
  vec_push(&c->buckets.at[*k - 1].events, i);
}

static void bucket_free(struct chain_bucket *b) {
  vec_free(&b->events);
  free(b->index);
}

void event_chains_restrict(struct chains *c, const uint32_t *events,
                           uint32_t n) {
  for (uint32_t k = 0; k < c->buckets.len; k++) {
    struct chain_bucket *b = &c->buckets.at[k];
    *bucket_number(c, b->thread, b->object, b->reads + b->buffered) = 0;
    vec_clear(&c->on[b->object].buckets);
    bucket_free(b);
  }
  vec_clear(&c->buckets);
  for (uint32_t i = 0; i < n; i++)
    put_in_bucket(c, events[i]);
}

static void find_chains(struct chains *c) {
  size_t pairs = (size_t)c->nthreads * c->nobjects + 1;
  uint32_t *len = xcalloc(2 * c->nthreads + pairs, sizeof *len);
  uint32_t *of_object = xcalloc(pairs, sizeof *of_object);
  c->bucket_of =
      xcalloc((size_t)c->nthreads * c->nobjects * 3 + 1, sizeof *c->bucket_of);
  for (uint32_t i = 0; i < c->n; i++) {
    c->chain[i] = chain_of(c, i, of_object);
    if (c->chain[i] != NOTHING)
      c->index[i] = len[c->chain[i]]++;
    if (tso_access(&c->e[i]))
      put_in_bucket(c, i);
    if (tso_fences(&c->e[i]))
      vec_push(&c->fences[c->e[i].thread].at, i);
  }
  free(len);
  free(of_object);
  uint32_t *next = xmalloc(((size_t)c->nthreads + 1) * sizeof *next);
  for (uint32_t t = 0; t < c->nthreads; t++)
    next[t] = c->n;
  for (uint32_t i = c->n; i-- > 0;) {
    if (tso_fences(&c->e[i]))
      next[c->e[i].thread] = i;
    c->next_fence[i] = next[c->e[i].thread];
  }
  free(next);
}

/* ---- directed edges ---- */

struct running_txn {
  uint32_t writes, fence, read; /* last ones; read: not buffered */
  VEC(uint32_t) open;           /* reads since the last write or fence */
};

struct last_on { /* of a thread and an object */
  uint32_t write, read, buffered;
  uint32_t fenced_write, fenced_buffered; /* before the last fence */
  uint32_t fence;                         /* which these two are up to */
};

struct chain_edges {
  struct chains *c;
  struct running_txn *thread;
  struct last_on *on;
};

static void edge(struct chain_edges *d, uint32_t from, uint32_t to) {
  if (from != NOTHING)
    vec_push(&d->c->edges.edges, ((struct txn_edge){from, to}));
}

static struct last_on *last_on(struct chain_edges *d, uint32_t thread,
                               uint32_t object) {
  struct last_on *l = &d->on[(size_t)thread * d->c->nobjects + object];
  uint32_t fence = d->thread[thread].fence;
  if (l->fence != fence) { /* everything so far is before that fence */
    l->fence = fence;
    l->fenced_write = l->write;
    l->fenced_buffered = l->buffered;
  }
  return l;
}

static void thread_edges(struct chain_edges *d, uint32_t i) {
  const struct txn_event *e = &d->c->e[i];
  struct running_txn *t = &d->thread[e->thread];
  if (e->kind == TXN_READ) {
    edge(d, t->read, i);
    edge(d, t->fence, i);
    struct last_on *own = last_on(d, e->thread, e->object);
    edge(d, own->write, i);
    edge(d, own->buffered, i);
    if (!d->c->buffered[i])
      t->read = i;
    vec_push(&t->open, i);
    return;
  }
  edge(d, t->writes, i);
  edge(d, t->fence, i);
  for (uint32_t k = 0; k < t->open.len; k++)
    edge(d, t->open.at[k], i);
  vec_clear(&t->open);
  t->writes = i;
}

static void object_edges(struct chain_edges *d, uint32_t i) {
  const struct txn_event *e = &d->c->e[i];
  for (uint32_t t = 0; t < d->c->nthreads; t++) {
    if (t == e->thread)
      continue;
    struct last_on *l = last_on(d, t, e->object);
    edge(d, l->fenced_write, i);
    if (e->kind != TXN_READ) {
      edge(d, l->read, i);
      edge(d, l->fenced_buffered, i);
    }
  }
  struct last_on *own = last_on(d, e->thread, e->object);
  if (e->kind != TXN_READ) {
    own->write = i;
    if (e->kind == TXN_RMW)
      own->fenced_write = i;
  } else if (d->c->buffered[i]) {
    own->buffered = i;
  } else {
    own->read = i;
  }
}

static void fork_join_edges(struct chain_edges *d, uint32_t i) {
  const struct txn_event *e = &d->c->e[i];
  struct running_txn *u = &d->thread[e->object];
  if (e->kind == TXN_FORK) {
    u->fence = i; /* all of its events come after it */
  } else if (e->kind == TXN_JOIN) {
    edge(d, u->writes, i);
    for (uint32_t k = 0; k < u->open.len; k++)
      edge(d, u->open.at[k], i);
  }
}

static void find_edges(struct chains *c) {
  struct chain_edges d = {
      .c = c,
      .thread = xcalloc((size_t)c->nthreads + 1, sizeof *d.thread),
      .on = xmalloc(((size_t)c->nthreads * c->nobjects + 1) * sizeof *d.on)};
  memset(d.on, 0xff, (size_t)c->nthreads * c->nobjects * sizeof *d.on);
  for (uint32_t t = 0; t < c->nthreads; t++)
    d.thread[t] = (struct running_txn){
        .writes = NOTHING, .fence = NOTHING, .read = NOTHING};
  for (uint32_t i = 0; i < c->n; i++) {
    if (tso_mark(&c->e[i]))
      continue;
    thread_edges(&d, i);
    fork_join_edges(&d, i);
    if (tso_access(&c->e[i]))
      object_edges(&d, i);
    if (tso_fences(&c->e[i]))
      d.thread[c->e[i].thread].fence = i;
  }
  for (uint32_t t = 0; t < c->nthreads; t++)
    vec_free(&d.thread[t].open);
  free(d.thread);
  free(d.on);
}

/* ---- rows ---- */

static void lower(uint32_t *row, const uint32_t *by, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    row[k] = by[k] < row[k] ? by[k] : row[k];
}

/* Edges sorted by their source, latest first; all go forward. */
static void event_rows(struct chains *c) {
  size_t size = (size_t)c->n * c->nchains;
  uint32_t *first = xcalloc((size_t)c->n + 2, sizeof *first);
  uint32_t *out = xmalloc(((size_t)c->edges.edges.len + 1) * sizeof *out);
  const struct txn_edge *edges = c->edges.edges.at;
  c->event_row = xmalloc((size + 1) * sizeof *c->event_row);
  memset(c->event_row, 0xff, size * sizeof *c->event_row);
  for (uint32_t k = 0; k < c->edges.edges.len; k++)
    first[edges[k].from + 1]++;
  for (uint32_t i = 0; i < c->n; i++)
    first[i + 1] += first[i];
  uint32_t *at = xmalloc(((size_t)c->n + 1) * sizeof *at);
  memcpy(at, first, c->n * sizeof *at);
  for (uint32_t k = 0; k < c->edges.edges.len; k++)
    out[at[edges[k].from]++] = edges[k].to;
  for (uint32_t i = c->n; i-- > 0;) {
    uint32_t *row = c->event_row + (size_t)i * c->nchains;
    if (c->chain[i] < c->nchains)
      row[c->chain[i]] = c->index[i];
    for (uint32_t k = first[i]; k < first[i + 1]; k++)
      lower(row, c->event_row + (size_t)out[k] * c->nchains, c->nchains);
  }
  free(first);
  free(out);
  free(at);
}

/* Transactions in an order in which edges go forward; there is no cycle. */
static void sort_txns(const struct chains *c, const uint32_t *first,
                      const uint32_t *out, uint32_t *sorted) {
  uint32_t *in = xcalloc((size_t)c->ntxns + 1, sizeof *in), head = 0, tail = 0;
  for (uint32_t k = 0; k < first[c->ntxns]; k++)
    in[out[k]]++;
  for (uint32_t v = 0; v < c->ntxns; v++)
    if (!in[v])
      sorted[tail++] = v;
  while (head < tail) {
    uint32_t v = sorted[head++];
    for (uint32_t k = first[v]; k < first[v + 1]; k++)
      if (!--in[out[k]])
        sorted[tail++] = out[k];
  }
  assert(tail == c->ntxns);
  free(in);
}

static void txn_rows(struct chains *c) {
  size_t size = (size_t)c->ntxns * c->nchains;
  uint32_t *first = xcalloc((size_t)c->ntxns + 2, sizeof *first), n = 0;
  uint32_t *out = xmalloc(((size_t)c->edges.edges.len + 1) * sizeof *out);
  uint32_t *sorted = xmalloc(((size_t)c->ntxns + 1) * sizeof *sorted);
  uint32_t *at = xcalloc((size_t)c->ntxns + 1, sizeof *at);
  const struct txn_edge *edges = c->edges.edges.at;
  c->txn_row = xmalloc((size + 1) * sizeof *c->txn_row);
  memset(c->txn_row, 0xff, size * sizeof *c->txn_row);
  for (uint32_t i = 0; i < c->n; i++)
    if (c->chain[i] < c->nchains) {
      uint32_t *own =
          &c->txn_row[(size_t)c->e[i].txn * c->nchains + c->chain[i]];
      *own = c->index[i] < *own ? c->index[i] : *own;
    }
  for (uint32_t k = 0; k < c->edges.edges.len; k++)
    if (c->e[edges[k].from].txn != c->e[edges[k].to].txn) {
      first[c->e[edges[k].from].txn + 1]++;
      n++;
    }
  for (uint32_t v = 0; v < c->ntxns; v++)
    first[v + 1] += first[v];
  memcpy(at, first, c->ntxns * sizeof *at);
  for (uint32_t k = 0; k < c->edges.edges.len; k++)
    if (c->e[edges[k].from].txn != c->e[edges[k].to].txn)
      out[at[c->e[edges[k].from].txn]++] = c->e[edges[k].to].txn;
  assert(first[c->ntxns] == n);
  sort_txns(c, first, out, sorted);
  for (uint32_t s = c->ntxns; s-- > 0;)
    for (uint32_t k = first[sorted[s]]; k < first[sorted[s] + 1]; k++)
      lower(c->txn_row + (size_t)sorted[s] * c->nchains,
            c->txn_row + (size_t)out[k] * c->nchains, c->nchains);
  free(first);
  free(out);
  free(sorted);
  free(at);
}

void event_chains_dense(struct chains *c) {
  for (uint32_t k = 0; k < c->buckets.len; k++) {
    struct chain_bucket *b = &c->buckets.at[k];
    size_t len = b->events.len;
    b->index = xrealloc(b->index,
                        (2 + 2 * (size_t)c->nchains) * len * sizeof *b->index);
    b->fence = b->index + len;
    b->txn = b->fence + len;
    b->event = b->txn + c->nchains * len;
    for (uint32_t i = 0; i < len; i++) {
      uint32_t e = b->events.at[i];
      const uint32_t *txn = c->txn_row + (size_t)c->e[e].txn * c->nchains;
      const uint32_t *event = c->event_row + (size_t)e * c->nchains;
      b->index[i] = c->index[e];
      b->fence[i] = c->next_fence[e];
      for (uint32_t j = 0; j < c->nchains; j++) {
        b->txn[j * len + i] = txn[j];
        b->event[j * len + i] = event[j];
      }
    }
  }
}

/* ---- the whole ---- */

static bool directed_cycle(struct chains *c, struct conflict_cycle *cycle) {
  uint32_t *node = xmalloc(((size_t)c->n + 1) * sizeof *node);
  struct conflict_graph g;
  for (uint32_t i = 0; i < c->n; i++)
    node[i] = c->e[i].txn;
  conflict_graph_init(&g, node, c->ntxns);
  for (uint32_t k = 0; k < c->edges.edges.len; k++)
    conflict_graph_add(&g, c->edges.edges.at[k].from, c->edges.edges.at[k].to);
  bool cyclic = conflict_graph_cycle(&g, cycle);
  conflict_graph_free(&g);
  free(node);
  return cyclic;
}

bool event_chains_init(struct chains *c, const struct txn_event *e, uint32_t n,
                       struct conflict_cycle *cycle) {
  *c = (struct chains){.e = e, .n = n};
  count(c);
  c->buffered = xcalloc((size_t)n + 1, sizeof *c->buffered);
  c->chain = xcalloc((size_t)n + 1, sizeof *c->chain);
  c->index = xcalloc((size_t)n + 1, sizeof *c->index);
  c->next_fence = xcalloc((size_t)n + 1, sizeof *c->next_fence);
  c->fences = xcalloc((size_t)c->nthreads + 1, sizeof *c->fences);
  c->on = xcalloc((size_t)c->nobjects + 1, sizeof *c->on);
  tso_buffered(e, n, c->buffered);
  find_chains(c);
  find_edges(c);
  if (directed_cycle(c, cycle))
    return false;
  event_rows(c);
  txn_rows(c);
  return true;
}

void event_chains_free(struct chains *c) {
  for (uint32_t t = 0; t < c->nthreads; t++)
    vec_free(&c->fences[t].at);
  for (uint32_t x = 0; x < c->nobjects; x++)
    vec_free(&c->on[x].buckets);
  for (uint32_t k = 0; k < c->buckets.len; k++)
    bucket_free(&c->buckets.at[k]);
  vec_free(&c->buckets);
  conflict_graph_free(&c->edges);
  free(c->bucket_of);
  free(c->fences);
  free(c->on);
  free(c->buffered);
  free(c->chain);
  free(c->index);
  free(c->next_fence);
  free(c->event_row);
  free(c->txn_row);
}

/* ---- windows ---- */

/*
 * By tso_trace_relation: an event before b has an undirected edge if no fence
 * of its thread lies between (nor is it one), unless it is a read that is not
 * buffered; an event after b if no fence of b's thread does, unless b is such a
 * read.
 */
void event_chains_window(const struct chains *c, uint32_t b,
                         const struct chain_bucket *k, uint32_t *from,
                         uint32_t *to) {
  const struct txn_event *e = &c->e[b];
  bool read = e->kind == TXN_READ;
  *from = *to = 0;
  if (k->thread == e->thread || k->object != e->object || (read && k->reads))
    return;
  const struct fences *f = &c->fences[k->thread];
  uint32_t past = events_from(f->at.at, f->at.len, b);
  uint32_t low = past ? f->at.at[past - 1] + 1 : 0;
  uint32_t high = c->next_fence[b];
  if (high < b + 1) /* b is a fence itself */
    high = b;
  if (k->reads && !k->buffered)
    low = b;
  if (read && !c->buffered[b])
    high = b;
  *from = events_from(k->events.at, k->events.len, low);
  *to = events_from(k->events.at, k->events.len, high);
  if (*to < *from)
    *to = *from;
}

uint32_t bucket_from(const struct chains *c, const struct chain_bucket *k,
                     uint32_t index) {
  uint32_t from = 0, to = k->events.len;
  while (from < to) {
    uint32_t mid = from + (to - from) / 2;
    if (c->index[k->events.at[mid]] < index)
      from = mid + 1;
    else
      to = mid;
  }
  return from;
}
