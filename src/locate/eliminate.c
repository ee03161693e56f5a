/* Optimal eliminators: tight edges, and cycles of them. */
#include "locate/eliminate.h"

#include "base/slow.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

/* A tight edge (E2). */
struct tight_edge {
  uint32_t from, to;
};

/*
 * (E4) list (p, q) holds the tight edges from thread p to thread q; both ends
 *      strictly grow along it.
 */
struct tight_edges {
  struct tight_edge *at;
  uint32_t len, cap; /* a vector */
  uint32_t *list_at; /* list (p, q) begins at list_at[p × threads + q] */
};

struct node_range {
  uint32_t begin, end;
};

struct eliminator_search {
  const struct conflicts *c;
  struct tight_edges edges;
  struct eliminate_limits limits;
  struct eliminators *out;
  struct tight_edge *chain; /* the edges so far, from the start on */
  uint32_t depth;
  bool *visited;   /* by thread: it has a segment of the chain */
  uint32_t *alive; /* by edge: == epoch when the start can be reached … */
  uint32_t *away;  /* … by a chain of so many edges, this one included */
  uint32_t epoch;
  VEC(uint32_t) queue;
  struct segment *segments; /* scratch, one a thread */
  bool stop;
};

static uint32_t pos_of(const struct eliminator_search *s, uint32_t node) {
  return s->c->nodes[node].pos;
}

static uint32_t thread_of(const struct eliminator_search *s, uint32_t node) {
  return s->c->nodes[node].thread;
}

static const struct operation *op_of(const struct conflicts *c, uint32_t node) {
  return &c->ops[c->nodes[node].op];
}

/* E1: each segment leads to one of them, and these make one cycle. */
static bool is_one_cycle(const struct eliminator_search *s, uint32_t n) {
  uint32_t at = 0, passed = 0;
  do {
    uint32_t next = NONE, edges = 0;
    for (uint32_t j = 0; j < n; j++)
      if (node_reaches(s->c, s->segments[at].first, s->segments[j].last)) {
        next = j;
        edges++;
      }
    if (edges != 1)
      return false;
    at = next;
  } while (++passed < n && at);
  return passed == n && !at;
}

static void emit(struct eliminator_search *s, uint32_t n) {
  check_slow(is_one_cycle(s, n)); /* E1 */
  eliminators_add(s->out, s->segments, n);
  if (s->limits.results && s->out->ends.len >= s->limits.results)
    s->stop = true;
}

/* (E1), m = 1: the last node that comes back to b, if it is in b's operation
 * and did not come back earlier. */
static void find_single(struct eliminator_search *s, uint32_t b) {
  const struct conflicts *c = s->c;
  const struct node *n = &c->nodes[b];
  uint32_t first = op_of(c, b)->first;
  if (b == first || n->back < c->nodes[first].pos)
    return;
  if (c->nodes[node_at(c, n->thread, n->pos - 1)].back == n->back)
    return;
  s->segments[0] = (struct segment){node_at(c, n->thread, n->back), b};
  emit(s, 1);
}

static void find_singles(struct eliminator_search *s) {
  for (uint32_t b = 0; b < s->c->nnodes && !s->stop; b++)
    find_single(s, b);
}

/*
 * The tight edge from thread p to b, if there is one.  A segment ends at b, so
 * b is not the first of its operation, and one begins at the other end, which
 * is not the last of its operation.  The latest node of p that reaches b is the
 * only candidate: one in an earlier operation of p is followed by the whole
 * rest of it, whose last node reaches b.
 */
static void find_edge(struct eliminator_search *s, uint32_t p, uint32_t b) {
  const struct conflicts *c = s->c;
  const struct node *n = &c->nodes[b];
  if (op_of(c, b)->first == b)
    return;
  uint32_t pos = clock_of(c, b)[p];
  if (pos == clock_of(c, node_at(c, n->thread, n->pos - 1))[p])
    return;
  uint32_t a = node_at(c, p, pos);
  if (op_of(c, a)->last != a)
    vec_push(&s->edges, ((struct tight_edge){a, b}));
}

static void find_edges(struct eliminator_search *s) {
  const struct conflicts *c = s->c;
  uint32_t n = c->nthreads;
  s->edges.list_at = xcalloc((size_t)n * n + 1, sizeof *s->edges.list_at);
  for (uint32_t p = 0; p < n; p++)
    for (uint32_t q = 0; q < n; q++) {
      s->edges.list_at[p * n + q] = s->edges.len;
      for (uint32_t pos = 1; p != q && pos <= thread_length(c, q); pos++)
        find_edge(s, p, node_at(c, q, pos));
    }
  s->edges.list_at[n * n] = s->edges.len;
}

static struct node_range list(const struct eliminator_search *s, uint32_t p,
                              uint32_t q) {
  const uint32_t *at = &s->edges.list_at[p * s->c->nthreads + q];
  return (struct node_range){at[0], at[1]};
}

/* The first edge of the range whose source is at `pos` or later. */
static uint32_t from_position(const struct eliminator_search *s,
                              struct node_range r, uint32_t pos) {
  while (r.begin < r.end) {
    uint32_t middle = r.begin + (r.end - r.begin) / 2;
    if (pos_of(s, s->edges.at[middle].from) < pos)
      r.begin = middle + 1;
    else
      r.end = middle;
  }
  return r.begin;
}

/* The first edge of the range whose target is at `pos` or later. */
static uint32_t to_position(const struct eliminator_search *s,
                            struct node_range r, uint32_t pos) {
  while (r.begin < r.end) {
    uint32_t middle = r.begin + (r.end - r.begin) / 2;
    if (pos_of(s, s->edges.at[middle].to) < pos)
      r.begin = middle + 1;
    else
      r.end = middle;
  }
  return r.begin;
}

/*
 * Positions at which a segment that ends in b can begin: in b's operation and
 * behind what reaches b, or the segment would be an eliminator by itself.
 */
static struct node_range begins(const struct eliminator_search *s, uint32_t b) {
  uint32_t first = pos_of(s, op_of(s->c, b)->first);
  uint32_t back = s->c->nodes[b].back;
  return (struct node_range){first > back ? first : back + 1, pos_of(s, b)};
}

/* Positions at which a segment that begins in a can end, likewise. */
static struct node_range ends(const struct eliminator_search *s, uint32_t a) {
  const struct conflicts *c = s->c;
  uint32_t pos = pos_of(s, a), t = thread_of(s, a);
  uint32_t low = pos + 1, high = pos_of(s, op_of(c, a)->last) + 1;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (c->nodes[node_at(c, t, middle)].back < pos)
      low = middle + 1;
    else
      high = middle;
  }
  return (struct node_range){pos + 1, low};
}

/* Edges to thread q that can follow one that arrives in b. */
static struct node_range following(const struct eliminator_search *s,
                                   uint32_t b, uint32_t q) {
  struct node_range at = begins(s, b), all = list(s, thread_of(s, b), q);
  return (struct node_range){from_position(s, all, at.begin),
                             from_position(s, all, at.end)};
}

/* Of a range of edges, those that arrive where a segment from a can end. */
static struct node_range arriving(const struct eliminator_search *s,
                                  struct node_range r, uint32_t a) {
  struct node_range at = ends(s, a);
  return (struct node_range){to_position(s, r, at.begin),
                             to_position(s, r, at.end)};
}

/*
 * The edges from which the start can be reached, going backwards from those
 * that close a cycle, nearest first.  Chords and repeated threads are not
 * looked at, but a cycle has no more edges than there are threads: what is
 * further away is not visited, and a long trace has little that is as near.
 */

static uint32_t longest_cycle(const struct eliminator_search *s,
                              uint32_t first) {
  return s->c->nthreads - first; /* the start is its least thread */
}

static void enliven(struct eliminator_search *s, struct node_range r,
                    uint32_t away) {
  for (uint32_t i = r.begin; i < r.end; i++) {
    if (s->alive[i] == s->epoch)
      continue;
    s->alive[i] = s->epoch;
    s->away[i] = away;
    vec_push(&s->queue, i);
  }
}

static void mark_alive(struct eliminator_search *s, uint32_t start) {
  uint32_t first = thread_of(s, start), most = longest_cycle(s, first);
  s->epoch++;
  vec_clear(&s->queue);
  for (uint32_t p = first + 1; p < s->c->nthreads; p++)
    enliven(s, arriving(s, list(s, p, first), start), 1);
  for (uint32_t i = 0; i < s->queue.len; i++) {
    uint32_t e = s->queue.at[i], a = s->edges.at[e].from;
    if (s->away[e] + 2 > most) /* one more, and the start itself */
      break;
    for (uint32_t p = first + 1; p < s->c->nthreads; p++)
      enliven(s, arriving(s, list(s, p, thread_of(s, a)), a), s->away[e] + 1);
  }
}

/* Whether an edge behind the chain can still close it. */
static bool can_close(const struct eliminator_search *s, uint32_t i) {
  return s->limits.unpruned ||
         (s->alive[i] == s->epoch &&
          s->depth + s->away[i] <=
              longest_cycle(s, thread_of(s, s->chain[0].from)));
}

/* Whether the chain with `e` behind it has an edge that is not its own. */
static bool has_chord(const struct eliminator_search *s, struct tight_edge e) {
  for (uint32_t i = 0; i < s->depth; i++)
    if (node_reaches(s->c, s->chain[i].from, e.to) ||
        node_reaches(s->c, e.from, s->chain[i].to))
      return true;
  return false;
}

static void emit_cycle(struct eliminator_search *s) {
  for (uint32_t i = 0; i < s->depth; i++) {
    uint32_t before = i ? i - 1 : s->depth - 1;
    s->segments[i] = (struct segment){s->chain[i].from, s->chain[before].to};
  }
  emit(s, s->depth);
}

static void extend(struct eliminator_search *s);

static void follow(struct eliminator_search *s, struct tight_edge e) {
  if (s->limits.steps && s->out->steps >= s->limits.steps) {
    s->stop = true;
    return;
  }
  s->out->steps++;
  if (has_chord(s, e))
    return;
  uint32_t t = thread_of(s, e.to);
  s->chain[s->depth++] = e;
  if (t == thread_of(s, s->chain[0].from)) {
    emit_cycle(s);
  } else {
    s->visited[t] = true;
    extend(s);
    s->visited[t] = false;
  }
  s->depth--;
}

/* Closes the chain, then makes it longer.  The start is the chain's least
 * thread, so that a cycle is found once. */
static void extend(struct eliminator_search *s) {
  uint32_t b = s->chain[s->depth - 1].to, a = s->chain[0].from;
  uint32_t first = thread_of(s, a);
  struct node_range close = arriving(s, following(s, b, first), a);
  for (uint32_t i = close.begin; i < close.end && !s->stop; i++)
    follow(s, s->edges.at[i]);
  for (uint32_t q = first + 1; q < s->c->nthreads && !s->stop; q++) {
    if (s->visited[q])
      continue;
    struct node_range r = following(s, b, q);
    for (uint32_t i = r.begin; i < r.end && !s->stop; i++)
      if (can_close(s, i))
        follow(s, s->edges.at[i]);
  }
}

/* Edges of list (p, q) that begin at one node are one edge, since the lists
 * are strict (L1): every edge is a start of its own. */
static void start_at(struct eliminator_search *s, uint32_t i) {
  struct tight_edge e = s->edges.at[i];
  s->depth = 0;
  s->visited[thread_of(s, e.from)] = true;
  follow(s, e);
  s->visited[thread_of(s, e.from)] = false;
}

/* The next node of thread p at which a cycle can start, or NONE. */
static uint32_t next_start(const struct eliminator_search *s, uint32_t p,
                           const struct node_range *left) {
  uint32_t next = NONE;
  for (uint32_t q = p + 1; q < s->c->nthreads; q++)
    if (left[q].begin < left[q].end) {
      uint32_t a = s->edges.at[left[q].begin].from;
      next = a < next ? a : next;
    }
  return next;
}

/* What can come back to a node is found once for all edges that begin there. */
static void find_cycles_from(struct eliminator_search *s, uint32_t p,
                             struct node_range *left) {
  uint32_t n = s->c->nthreads, start;
  for (uint32_t q = p + 1; q < n; q++)
    left[q] = list(s, p, q);
  while (!s->stop && (start = next_start(s, p, left)) != NONE) {
    if (n > 2 && !s->limits.unpruned)
      mark_alive(s, start);
    for (uint32_t q = p + 1; q < n && !s->stop; q++)
      if (left[q].begin < left[q].end &&
          s->edges.at[left[q].begin].from == start)
        start_at(s, left[q].begin++);
  }
}

static void find_cycles(struct eliminator_search *s) {
  struct node_range *left = xcalloc((size_t)s->c->nthreads + 1, sizeof *left);
  for (uint32_t p = 0; p < s->c->nthreads && !s->stop; p++)
    find_cycles_from(s, p, left);
  free(left);
}

static bool lists_are_strict(const struct eliminator_search *s) {
  uint32_t n = s->c->nthreads;
  for (uint32_t l = 0; l < n * n; l++)
    for (uint32_t i = s->edges.list_at[l] + 1; i < s->edges.list_at[l + 1]; i++)
      if (s->edges.at[i - 1].from >= s->edges.at[i].from ||
          s->edges.at[i - 1].to >= s->edges.at[i].to)
        return false;
  return true;
}

void eliminate(const struct conflicts *c, struct eliminate_limits limits,
               struct eliminators *out) {
  *out = (struct eliminators){0};
  struct eliminator_search s = {.c = c, .limits = limits, .out = out};
  uint32_t n = c->nthreads + 1;
  s.segments = xcalloc(n, sizeof *s.segments);
  s.chain = xcalloc(n, sizeof *s.chain);
  s.visited = xcalloc(n, sizeof *s.visited);
  find_singles(&s);
  find_edges(&s);
  check_slow(lists_are_strict(&s)); /* E4 */
  s.alive = xcalloc((size_t)s.edges.len + 1, sizeof *s.alive);
  s.away = xcalloc((size_t)s.edges.len + 1, sizeof *s.away);
  if (!s.stop)
    find_cycles(&s);
  out->cut = s.stop;
  free(s.segments);
  free(s.chain);
  free(s.visited);
  free(s.alive);
  free(s.away);
  free(s.edges.at);
  free(s.edges.list_at);
  vec_free(&s.queue);
}

/* The list of eliminators. */

static int compare_segments(const void *x, const void *y) {
  const struct segment *a = x, *b = y;
  if (a->first != b->first)
    return a->first < b->first ? -1 : 1;
  return a->last < b->last ? -1 : a->last > b->last;
}

void eliminators_add(struct eliminators *e, const struct segment *s,
                     uint32_t n) {
  uint32_t begin = e->segments.len;
  for (uint32_t i = 0; i < n; i++)
    vec_push(&e->segments, s[i]);
  qsort(e->segments.at + begin, n, sizeof *s, compare_segments); /* E3 */
  vec_push(&e->ends, e->segments.len);
}

/* One eliminator, for sorting. */
struct eliminator_item {
  const struct segment *s;
  uint32_t n;
};

static int compare_items(const void *x, const void *y) {
  const struct eliminator_item *a = x, *b = y;
  if (a->n != b->n)
    return a->n < b->n ? -1 : 1;
  for (uint32_t i = 0; i < a->n; i++) {
    int by = compare_segments(&a->s[i], &b->s[i]);
    if (by)
      return by;
  }
  return 0;
}

void eliminators_sort(struct eliminators *e) {
  struct eliminator_item *items =
      xcalloc((size_t)e->ends.len + 1, sizeof *items);
  for (uint32_t i = 0; i < e->ends.len; i++)
    items[i] = (struct eliminator_item){eliminator_segments(e, i),
                                        eliminator_size(e, i)};
  qsort(items, e->ends.len, sizeof *items, compare_items);
  struct eliminators sorted = {.cut = e->cut, .steps = e->steps};
  for (uint32_t i = 0; i < e->ends.len; i++)
    eliminators_add(&sorted, items[i].s, items[i].n);
  free(items);
  eliminators_free(e);
  *e = sorted;
}

bool eliminators_equal(const struct eliminators *a,
                       const struct eliminators *b) {
  if (a->ends.len != b->ends.len || a->segments.len != b->segments.len)
    return false;
  for (uint32_t i = 0; i < a->ends.len; i++)
    if (a->ends.at[i] != b->ends.at[i])
      return false;
  for (uint32_t i = 0; i < a->segments.len; i++)
    if (compare_segments(&a->segments.at[i], &b->segments.at[i]))
      return false;
  return true;
}

void eliminators_free(struct eliminators *e) {
  vec_free(&e->segments);
  vec_free(&e->ends);
  *e = (struct eliminators){0};
}
