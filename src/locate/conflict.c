/* The conflict graph of a trace: nodes, edges, clocks. */
#include "locate/conflict.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

void accesses_from_trace(const struct trace *t, struct accesses *out) {
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    struct access a = {.event = i,
                       .thread = e->thread,
                       .op = e->call, /* EVENT_NO_CALL is ACCESS_NO_OP */
                       .addr = e->addr,
                       .size = e->size};
    if (e->flags & EVENT_ISSUED)
      continue; /* into the thread's own buffer; the commit is the write */
    if (e->kind == EV_ALLOC)
      a.kind = ACCESS_FRESH;
    else if (e->kind == EV_RETURN)
      a.kind = ACCESS_RETURN;
    else if (event_writes[e->kind])
      a.kind = ACCESS_WRITE;
    else if (event_reads[e->kind])
      a.kind = ACCESS_READ;
    else
      continue;
    if (a.size || a.kind == ACCESS_RETURN)
      vec_push(out, a);
  }
}

/*
 * Cells.  The ends of all accesses cut memory into pieces; an access covers a
 * run of whole pieces, and a piece in one life is a cell.
 */

struct pieces {
  uint64_t *cuts; /* sorted, distinct */
  uint32_t n;
  uint32_t *cell; /* of each piece now, or NO_CELL */
};

#define NO_CELL UINT32_MAX

static bool is_node(const struct access *a) {
  return a->kind == ACCESS_READ || a->kind == ACCESS_WRITE;
}

static uint64_t end_of(const struct access *a) {
  uint64_t end = a->addr + a->size;
  return end < a->addr ? UINT64_MAX : end;
}

static int compare_cuts(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

static void pieces_init(struct pieces *p, const struct access *a, uint32_t n) {
  uint32_t len = 0;
  p->cuts = xcalloc(2 * (size_t)n + 1, sizeof *p->cuts);
  for (uint32_t i = 0; i < n; i++) {
    if (a[i].kind == ACCESS_RETURN)
      continue;
    p->cuts[len++] = a[i].addr;
    p->cuts[len++] = end_of(&a[i]);
  }
  qsort(p->cuts, len, sizeof *p->cuts, compare_cuts);
  p->n = 0;
  for (uint32_t i = 0; i < len; i++)
    if (!p->n || p->cuts[p->n - 1] != p->cuts[i])
      p->cuts[p->n++] = p->cuts[i];
  p->cell = xcalloc((size_t)p->n + 1, sizeof *p->cell);
  memset(p->cell, 0xff, p->n * sizeof *p->cell);
}

static uint32_t piece_of(const struct pieces *p, uint64_t addr) {
  const uint64_t *at = bsearch(&addr, p->cuts, p->n, sizeof addr, compare_cuts);
  return (uint32_t)(at - p->cuts);
}

static void pieces_free(struct pieces *p) {
  free(p->cuts);
  free(p->cell);
}

typedef VEC(uint32_t) cell_vec;

static void add_cells(struct conflicts *c, struct pieces *p, cell_vec *cells,
                      const struct access *a, struct node *n) {
  n->cells = cells->len;
  uint64_t end = end_of(a);
  for (uint32_t i = piece_of(p, a->addr); p->cuts[i] < end; i++) {
    if (p->cell[i] == NO_CELL)
      p->cell[i] = c->ncells++;
    vec_push(cells, p->cell[i]);
  }
  n->ncells = cells->len - n->cells;
}

static void begin_life(struct pieces *p, const struct access *a) {
  uint64_t end = end_of(a);
  for (uint32_t i = piece_of(p, a->addr); p->cuts[i] < end; i++)
    p->cell[i] = NO_CELL;
}

/* Threads and operations are numbered in the order in which they appear. */

struct running_op {
  uint32_t thread; /* the caller's number */
  uint32_t op;     /* the caller's number of the running operation */
  uint32_t last;   /* its last node + 1, or 0 */
  uint32_t length;
};

struct address_numbering {
  VEC(struct running_op) threads;
  VEC(struct operation) ops;
};

static uint32_t number_thread(struct address_numbering *m, uint32_t thread) {
  uint32_t t = 0;
  while (t < m->threads.len && m->threads.at[t].thread != thread)
    t++;
  if (t == m->threads.len)
    vec_push(&m->threads, ((struct running_op){thread, ACCESS_NO_OP, 0, 0}));
  return t;
}

static void number_node(struct address_numbering *m, const struct access *a,
                        struct node *nodes, uint32_t i) {
  struct node *n = &nodes[i];
  n->thread = number_thread(m, a->thread);
  struct running_op *r = &m->threads.at[n->thread];
  n->pos = ++r->length;
  if (r->last && r->op == a->op && a->op != ACCESS_NO_OP) {
    n->op = nodes[r->last - 1].op;
    m->ops.at[n->op].last = i;
  } else {
    n->op = m->ops.len;
    vec_push(&m->ops, ((struct operation){i, i, a->op}));
  }
  r->op = a->op;
  r->last = i + 1;
}

/* The operation's last node so far is its last. */
static void number_return(struct address_numbering *m, const struct access *a,
                          struct node *nodes, uint32_t nnodes) {
  uint32_t t = 0;
  while (t < m->threads.len && m->threads.at[t].thread != a->thread)
    t++;
  if (t == m->threads.len)
    return;
  const struct running_op *r = &m->threads.at[t];
  if (r->last && r->op == a->op && a->op != ACCESS_NO_OP)
    nodes[r->last - 1].returned = nnodes;
}

static void make_nodes(struct conflicts *c, const struct access *a,
                       uint32_t n) {
  struct pieces p;
  struct address_numbering m = {0};
  cell_vec cells = {0};
  pieces_init(&p, a, n);
  c->nodes = xcalloc((size_t)n + 1, sizeof *c->nodes);
  for (uint32_t i = 0; i < n; i++) {
    if (a[i].kind == ACCESS_FRESH) {
      begin_life(&p, &a[i]);
    } else if (a[i].kind == ACCESS_RETURN) {
      number_return(&m, &a[i], c->nodes, c->nnodes);
    } else {
      assert(is_node(&a[i]) && a[i].size);
      struct node *node = &c->nodes[c->nnodes];
      node->event = a[i].event;
      node->writes = a[i].kind == ACCESS_WRITE;
      node->addr = a[i].addr;
      node->size = a[i].size;
      number_node(&m, &a[i], c->nodes, c->nnodes);
      add_cells(c, &p, &cells, &a[i], node);
      c->nnodes++;
    }
  }
  c->cells = cells.at;
  c->ops = m.ops.at;
  c->nops = m.ops.len;
  c->nthreads = m.threads.len;
  c->thread_ids = xcalloc((size_t)c->nthreads + 1, sizeof *c->thread_ids);
  for (uint32_t t = 0; t < c->nthreads; t++)
    c->thread_ids[t] = m.threads.at[t].thread;
  vec_free(&m.threads);
  pieces_free(&p);
}

static void sort_by_thread(struct conflicts *c) {
  c->thread_at = xcalloc((size_t)c->nthreads + 1, sizeof *c->thread_at);
  c->by_thread = xcalloc((size_t)c->nnodes + 1, sizeof *c->by_thread);
  for (uint32_t i = 0; i < c->nnodes; i++)
    c->thread_at[c->nodes[i].thread + 1]++;
  for (uint32_t t = 0; t < c->nthreads; t++)
    c->thread_at[t + 1] += c->thread_at[t];
  for (uint32_t i = 0; i < c->nnodes; i++) {
    const struct node *n = &c->nodes[i];
    c->by_thread[c->thread_at[n->thread] + n->pos - 1] = i; /* F1 */
  }
}

/*
 * Clocks.  Since clocks do not fall along a thread (F3), of the nodes of one
 * thread that touched a cell only the last one matters.
 */

struct last_access {
  uint32_t *writer, *any; /* positions: cells × threads */
  uint32_t *done;         /* of each thread: the last node that returned */
  uint32_t *waiting;      /* of each thread: one whose return is yet to come */
};

static void max_into(uint32_t *to, uint32_t x) {
  if (*to < x)
    *to = x;
}

static void direct(const struct conflicts *c, const struct last_access *l,
                   uint32_t i, uint32_t *before) {
  const struct node *n = &c->nodes[i];
  const uint32_t *table = n->writes ? l->any : l->writer;
  for (uint32_t k = 0; k < n->ncells; k++) {
    const uint32_t *row = table + (size_t)c->cells[n->cells + k] * c->nthreads;
    for (uint32_t t = 0; t < c->nthreads; t++)
      if (t != n->thread)
        max_into(&before[t], row[t]);
  }
  if (!l->done || c->ops[n->op].first != i)
    return;
  for (uint32_t t = 0; t < c->nthreads; t++)
    if (t != n->thread)
      max_into(&before[t], l->done[t]);
}

static void set_clock(struct conflicts *c, uint32_t i) {
  struct node *n = &c->nodes[i];
  uint32_t *mine = c->clocks + (size_t)i * c->nthreads;
  const uint32_t *before = c->last_before + (size_t)i * c->nthreads;
  if (n->pos > 1) {
    uint32_t previous = node_at(c, n->thread, n->pos - 1);
    memcpy(mine, clock_of(c, previous), c->nthreads * sizeof *mine);
    n->back = c->nodes[previous].back;
  }
  for (uint32_t t = 0; t < c->nthreads; t++) {
    if (!before[t])
      continue;
    const uint32_t *theirs = clock_of(c, node_at(c, t, before[t]));
    max_into(&n->back, theirs[n->thread]);
    for (uint32_t u = 0; u < c->nthreads; u++)
      max_into(&mine[u], theirs[u]);
  }
  mine[n->thread] = n->pos;
}

static void touch(const struct conflicts *c, struct last_access *l,
                  uint32_t i) {
  const struct node *n = &c->nodes[i];
  for (uint32_t k = 0; k < n->ncells; k++) {
    size_t at = (size_t)c->cells[n->cells + k] * c->nthreads + n->thread;
    l->any[at] = n->pos;
    if (n->writes)
      l->writer[at] = n->pos;
  }
}

/* Before node i: returns that have come count. */
static void returns(const struct conflicts *c, struct last_access *l,
                    uint32_t i) {
  for (uint32_t t = 0; t < c->nthreads; t++) {
    uint32_t w = l->waiting[t];
    if (w && c->nodes[node_at(c, t, w)].returned <= i) {
      l->done[t] = w;
      l->waiting[t] = 0;
    }
  }
}

static void make_clocks(struct conflicts *c, unsigned flags) {
  size_t table = (size_t)c->ncells * c->nthreads + 1;
  struct last_access l = {xcalloc(table, sizeof *l.writer),
                          xcalloc(table, sizeof *l.any), NULL, NULL};
  if (flags & CONFLICTS_REAL_TIME) {
    l.done = xcalloc((size_t)c->nthreads + 1, sizeof *l.done);
    l.waiting = xcalloc((size_t)c->nthreads + 1, sizeof *l.waiting);
  }
  size_t n = (size_t)c->nnodes * c->nthreads + 1;
  c->clocks = xcalloc(n, sizeof *c->clocks);
  c->last_before = xcalloc(n, sizeof *c->last_before);
  for (uint32_t i = 0; i < c->nnodes; i++) {
    if (l.done)
      returns(c, &l, i);
    direct(c, &l, i, c->last_before + (size_t)i * c->nthreads);
    set_clock(c, i);
    touch(c, &l, i);
    if (l.done && c->nodes[i].returned)
      l.waiting[c->nodes[i].thread] = c->nodes[i].pos;
  }
  free(l.writer);
  free(l.any);
  free(l.done);
  free(l.waiting);
}

void conflicts_init(struct conflicts *c, const struct access *a, uint32_t n,
                    unsigned flags) {
  *c = (struct conflicts){0};
  make_nodes(c, a, n);
  if (!(flags & CONFLICTS_REAL_TIME))
    for (uint32_t i = 0; i < c->nnodes; i++)
      c->nodes[i].returned = 0;
  sort_by_thread(c);
  make_clocks(c, flags);
}

void conflicts_free(struct conflicts *c) {
  free(c->nodes);
  free(c->ops);
  free(c->thread_ids);
  free(c->thread_at);
  free(c->by_thread);
  free(c->cells);
  free(c->clocks);
  free(c->last_before);
  *c = (struct conflicts){0};
}

/*
 * Clocks say which of two conflicting accesses came first, and follow from it.
 * The sum over nodes and the order in a clock do not depend on how the threads
 * happened to be numbered.
 */
struct hash128 conflicts_digest(const struct conflicts *c) {
  struct hash128 sum = {c->nnodes, c->nthreads};
  for (uint32_t i = 0; i < c->nnodes; i++) {
    const struct node *n = &c->nodes[i];
    const uint32_t *clock = clock_of(c, i);
    uint64_t key[] = {c->thread_ids[n->thread],
                      c->ops[n->op].id,
                      n->pos,
                      n->writes,
                      n->addr,
                      n->size};
    struct hash128 h = hash128(key, sizeof key, 0), before = {0, 0};
    for (uint32_t t = 0; t < c->nthreads; t++) {
      uint32_t reached[] = {c->thread_ids[t], clock[t]};
      before.lo += clock[t] ? hash64(reached, sizeof reached, 0) : 0;
      before.hi += clock[t] ? hash64(reached, sizeof reached, 1) : 0;
    }
    h = hash128_join(h, before);
    sum.lo += h.lo;
    sum.hi += h.hi;
  }
  return sum;
}

bool node_reaches(const struct conflicts *c, uint32_t a, uint32_t b) {
  const struct node *x = &c->nodes[a], *y = &c->nodes[b];
  if (x->thread == y->thread)
    return y->back >= x->pos;
  return clock_of(c, b)[x->thread] >= x->pos;
}

static bool share_a_cell(const struct conflicts *c, const struct node *x,
                         const struct node *y) {
  for (uint32_t i = 0; i < x->ncells; i++)
    for (uint32_t j = 0; j < y->ncells; j++)
      if (c->cells[x->cells + i] == c->cells[y->cells + j])
        return true;
  return false;
}

bool node_conflicts(const struct conflicts *c, uint32_t a, uint32_t b) {
  const struct node *x = &c->nodes[a], *y = &c->nodes[b];
  if (a >= b || x->thread == y->thread)
    return false;
  if ((x->writes || y->writes) && share_a_cell(c, x, y))
    return true;
  return x->returned && x->returned <= b && c->ops[y->op].first == b;
}

/*
 * Edges are found cell by cell; `seen` keeps a pair that shares several cells
 * from being added twice.
 */

struct cell_users {
  uint32_t *at, *nodes;
};

static void users_init(const struct conflicts *c, struct cell_users *u) {
  uint32_t total = 0;
  u->at = xcalloc((size_t)c->ncells + 2, sizeof *u->at);
  for (uint32_t i = 0; i < c->nnodes; i++)
    for (uint32_t k = 0; k < c->nodes[i].ncells; k++, total++)
      u->at[c->cells[c->nodes[i].cells + k] + 2]++;
  for (uint32_t i = 0; i < c->ncells; i++)
    u->at[i + 2] += u->at[i + 1];
  u->nodes = xcalloc((size_t)total + 1, sizeof *u->nodes);
  for (uint32_t i = 0; i < c->nnodes; i++)
    for (uint32_t k = 0; k < c->nodes[i].ncells; k++)
      u->nodes[u->at[c->cells[c->nodes[i].cells + k] + 1]++] = i;
}

static void mark_sources(const struct conflicts *c, const struct cell_users *u,
                         uint32_t b, uint32_t *seen) {
  const struct node *y = &c->nodes[b];
  for (uint32_t k = 0; k < y->ncells; k++) {
    uint32_t cell = c->cells[y->cells + k];
    for (uint32_t i = u->at[cell]; i < u->at[cell + 1]; i++) {
      uint32_t a = u->nodes[i];
      if (a >= b)
        break;
      const struct node *x = &c->nodes[a];
      if (x->thread != y->thread && (x->writes || y->writes))
        seen[a] = b + 1;
    }
  }
}

void conflict_edges(const struct conflicts *c, struct conflict_edges *out) {
  struct cell_users u;
  users_init(c, &u);
  uint32_t *seen = xcalloc((size_t)c->nnodes + 1, sizeof *seen);
  for (uint32_t b = 0; b < c->nnodes; b++) {
    mark_sources(c, &u, b, seen);
    for (uint32_t a = 0; a < b; a++) {
      bool late = c->nodes[a].returned && node_conflicts(c, a, b);
      if (seen[a] == b + 1 || late)
        vec_push(out, ((struct conflict_edge){a, b}));
    }
  }
  free(seen);
  free(u.at);
  free(u.nodes);
}

static void check_thread(const struct conflicts *c, uint32_t t) {
  for (uint32_t pos = 1; pos <= thread_length(c, t); pos++) {
    uint32_t b = node_at(c, t, pos);
    const uint32_t *clock = clock_of(c, b);
    assert(c->nodes[b].pos == pos && c->nodes[b].thread == t); /* F1 */
    assert(clock[t] == pos);                                   /* F2 */
    assert(c->nodes[b].back < pos);                            /* F4 */
    if (pos == 1)
      continue;
    uint32_t a = node_at(c, t, pos - 1);
    assert(a < b && c->nodes[a].back <= c->nodes[b].back); /* F3 */
    for (uint32_t u = 0; u < c->nthreads; u++)
      assert(clock_of(c, a)[u] <= clock[u]); /* F3 */
  }
}

void conflicts_check_invariants(const struct conflicts *c) {
  for (uint32_t t = 0; t < c->nthreads; t++)
    check_thread(c, t);
  for (uint32_t i = 0; i < c->nnodes; i++)
    for (uint32_t t = 0; t < c->nthreads; t++) {
      uint32_t pos = clock_of(c, i)[t];
      assert(!pos || node_at(c, t, pos) <= i); /* F4 */
    }
}
