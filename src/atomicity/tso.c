/* Executions with commits: the conflicts, as pairs. */
#include "atomicity/tso.h"
#include "atomicity/tso_int.h"

#include <string.h>

void tso_buffered(const struct txn_event *e, uint32_t n, bool *buffered) {
  /* By thread, objects written since its last fence. */
  VEC(struct { VEC(uint32_t) written; }) threads = {0};
  for (uint32_t i = 0; i < n; i++) {
    while (threads.len <= e[i].thread) {
      vec_reserve(&threads, threads.len + 1);
      memset(&threads.at[threads.len++], 0, sizeof *threads.at);
    }
    uint32_t k = 0, *at = threads.at[e[i].thread].written.at;
    uint32_t len = threads.at[e[i].thread].written.len;
    buffered[i] = false;
    if (tso_fences(&e[i]))
      vec_clear(&threads.at[e[i].thread].written);
    else if (e[i].kind == TXN_READ || e[i].kind == TXN_WRITE) {
      while (k < len && at[k] != e[i].object)
        k++;
      if (e[i].kind == TXN_READ)
        buffered[i] = k < len;
      else if (k == len)
        vec_push(&threads.at[e[i].thread].written, e[i].object);
    }
  }
  for (uint32_t t = 0; t < threads.len; t++)
    vec_free(&threads.at[t].written);
  vec_free(&threads);
}

bool tso_same_thread(const struct txn_event *a, const struct txn_event *b,
                     bool a_buffered) {
  if (tso_fences(a) || tso_fences(b) || a->object == b->object)
    return true;
  return !(b->kind == TXN_READ &&
           (a->kind == TXN_WRITE || (a->kind == TXN_READ && a_buffered)));
}

/* An execution with what its reads and commits belong to. */
struct execution {
  const struct txn_event *e;
  uint32_t n;
  bool *buffered;
  uint32_t *commit; /* write: of its commit, or n */
  uint32_t *source; /* read from the own buffer: of the write; else n */
  bool program_order;
};

static void find_sources(struct execution *x) {
  for (uint32_t i = 0; i < x->n; i++)
    x->commit[i] = x->source[i] = x->n;
  for (uint32_t i = 0; i < x->n; i++)
    if (x->e[i].kind == TXN_COMMIT)
      x->commit[x->e[i].issue] = i;
  for (uint32_t i = 0; i < x->n; i++) {
    const struct txn_event *r = &x->e[i], *w;
    for (uint32_t j = i; r->kind == TXN_READ && x->buffered[i] && j-- > 0;) {
      w = &x->e[j];
      if (w->thread != r->thread || w->object != r->object ||
          w->kind != TXN_WRITE)
        continue;
      if (x->commit[j] > i)
        x->source[i] = j;
      break;
    }
  }
}

static void execution_init(struct execution *x, const struct txn_event *e,
                           uint32_t n, bool program_order) {
  *x = (struct execution){.e = e, .n = n, .program_order = program_order};
  x->buffered = xcalloc((size_t)n + 1, sizeof *x->buffered);
  x->commit = xcalloc((size_t)n + 1, sizeof *x->commit);
  x->source = xcalloc((size_t)n + 1, sizeof *x->source);
  tso_buffered(e, n, x->buffered);
  find_sources(x);
}

static void execution_free(struct execution *x) {
  free(x->buffered);
  free(x->commit);
  free(x->source);
}

/* A read from the buffer and a commit of another thread while the write that it
 * reads is in the buffer: accesses to two different resources. */
static bool parallel(const struct execution *x, uint32_t r, uint32_t c) {
  uint32_t w = x->source[r];
  return x->e[r].kind == TXN_READ && w < x->n && w < c && c < x->commit[w];
}

static bool other_threads(const struct execution *x, uint32_t i, uint32_t j) {
  const struct txn_event *a = &x->e[i], *b = &x->e[j];
  if (tso_hand_over(a, b))
    return true;
  bool ra = a->kind == TXN_READ, rb = b->kind == TXN_READ;
  bool wa = a->kind == TXN_COMMIT || a->kind == TXN_RMW;
  bool wb = b->kind == TXN_COMMIT || b->kind == TXN_RMW;
  if (!(ra || wa) || !(rb || wb) || (ra && rb) || a->object != b->object)
    return false;
  return !parallel(x, i, j) && !parallel(x, j, i);
}

static bool one_thread(const struct execution *x, uint32_t i, uint32_t j) {
  const struct txn_event *a = &x->e[i], *b = &x->e[j];
  bool ca = a->kind == TXN_COMMIT, cb = b->kind == TXN_COMMIT;
  if ((ca && cb) || tso_fences(a) || tso_fences(b))
    return true;
  if (ca || cb)
    return cb && b->issue == i;
  return x->program_order || tso_same_thread(a, b, x->buffered[i]);
}

static bool in_conflict(const struct execution *x, uint32_t i, uint32_t j) {
  if (tso_mark(&x->e[i]) || tso_mark(&x->e[j]))
    return false;
  return x->e[i].thread == x->e[j].thread ? one_thread(x, i, j)
                                          : other_threads(x, i, j);
}

bool tso_conflict(const struct txn_event *e, uint32_t n, uint32_t i,
                  uint32_t j) {
  struct execution x;
  execution_init(&x, e, n, false);
  bool yes = in_conflict(&x, i, j);
  execution_free(&x);
  return yes;
}

static void add_conflicts(const struct execution *x, struct conflict_graph *g) {
  for (uint32_t i = 0; i < x->n; i++)
    for (uint32_t j = i + 1; j < x->n; j++)
      if (in_conflict(x, i, j))
        conflict_graph_add(g, i, j);
}

static bool acyclic(const struct txn_event *e, uint32_t n, const uint32_t *node,
                    bool program_order, struct conflict_cycle *cycle) {
  struct execution x;
  struct conflict_graph g;
  uint32_t most = 0;
  for (uint32_t i = 0; i < n; i++)
    most = node[i] > most ? node[i] : most;
  execution_init(&x, e, n, program_order);
  conflict_graph_init(&g, node, most + 1);
  add_conflicts(&x, &g);
  bool cyclic = conflict_graph_cycle(&g, cycle);
  conflict_graph_free(&g);
  execution_free(&x);
  return !cyclic;
}

bool tso_serializable(const struct txn_event *e, uint32_t n,
                      struct conflict_cycle *cycle) {
  uint32_t *node = xmalloc(((size_t)n + 1) * sizeof *node);
  for (uint32_t i = 0; i < n; i++)
    node[i] = e[i].txn;
  bool yes = acyclic(e, n, node, false, cycle);
  free(node);
  return yes;
}

bool tso_sc_equivalent(const struct txn_event *e, uint32_t n,
                       struct conflict_cycle *cycle) {
  uint32_t *node = xmalloc(((size_t)n + 1) * sizeof *node);
  for (uint32_t i = 0; i < n; i++)
    node[i] = e[i].kind == TXN_COMMIT ? e[i].issue : i;
  bool yes = acyclic(e, n, node, true, cycle);
  free(node);
  return yes;
}

bool tso_transaction_fenced(const struct txn_event *e, uint32_t n) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < n; i++)
    most = e[i].txn > most ? e[i].txn : most;
  bool *open = xcalloc((size_t)most + 1, sizeof *open), fenced = true;
  for (uint32_t i = 0; i < n; i++)
    if (!tso_mark(&e[i]) && e[i].kind != TXN_COMMIT)
      open[e[i].txn] = !tso_fences(&e[i]);
  for (uint32_t t = 0; t <= most; t++)
    fenced = fenced && !open[t];
  free(open);
  return fenced;
}
