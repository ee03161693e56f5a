/* What repairs single failing traces, and how large traces are. */
#include "locate/blame_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct hash128 hash_text(struct hash128 h, const char *text) {
  return hash128_join(
      h, hash128(text ? text : "", text ? strlen(text) : 0, text != NULL));
}

struct hash128 blame_hash(struct cause c) {
  struct hash128 h = {c.nblocks, 0};
  for (uint32_t i = 0; i < c.nblocks; i++) {
    const struct code_block *b = &c.blocks[i];
    uint32_t lines[] = {b->first, b->last, b->loop_first, b->loop_last};
    h = hash_text(hash_text(h, b->file), b->function);
    h = hash128_join(h, hash128(lines, sizeof lines, 0));
  }
  return h;
}

/* ---- distinct eliminators ---- */

struct each {
  struct blame *blame;
  VEC(struct trace_cause) single; /* the causes are the traces' own */
  VEC(uint32_t) of;               /* by trace, an index for each eliminator */
  VEC(uint32_t) ends;             /* by failing trace: where its indices end */
  uint32_t widest;                /* eliminators of one trace */
  bool cut;
};

static void take_single(struct each *x) {
  struct map128 known = {0};
  for (uint32_t i = 0; i < x->blame->traces.len; i++) {
    struct located *l = x->blame->traces.at[i];
    if (!l->bad)
      continue;
    blame_find(x->blame, l);
    x->cut |= l->cut;
    x->widest = l->lines.len > x->widest ? l->lines.len : x->widest;
    for (uint32_t k = 0; k < l->lines.len; k++) {
      bool fresh;
      uint32_t *at = map128_put(&known, blame_hash(l->lines.at[k]), &fresh);
      if (fresh) {
        *at = x->single.len;
        vec_push(&x->single, ((struct trace_cause){l->lines.at[k], 0, 0}));
      }
      x->single.at[*at].traces++;
      vec_push(&x->of, *at);
    }
    vec_push(&x->ends, x->of.len);
  }
  map128_free(&known);
}

static int more_frequent(const void *a, const void *b) {
  const struct trace_cause *x = *(struct trace_cause *const *)a,
                           *y = *(struct trace_cause *const *)b;
  if (x->traces != y->traces)
    return x->traces < y->traces ? 1 : -1;
  return cause_compare(x->cause, y->cause);
}

/* Sorts them and cuts what is too much; indices follow, NONE to what is cut. */
#define NONE UINT32_MAX

static void sort_single(struct each *x) {
  uint32_t n = x->single.len, most = blame_most_ranked(x->blame, x->widest);
  struct trace_cause **order = xcalloc(n + 1, sizeof *order);
  struct trace_cause *sorted = xcalloc(n + 1, sizeof *sorted);
  uint32_t *now = xcalloc(n + 1, sizeof *now);
  for (uint32_t i = 0; i < n; i++)
    order[i] = &x->single.at[i];
  if (n)
    qsort(order, n, sizeof *order, more_frequent);
  for (uint32_t i = 0; i < n; i++) {
    sorted[i] = *order[i];
    now[order[i] - x->single.at] = i < most ? i : NONE;
  }
  if (n)
    memcpy(x->single.at, sorted, n * sizeof *sorted);
  if (n > most) {
    x->single.len = most;
    x->cut = true;
  }
  for (uint32_t i = 0; i < x->of.len; i++)
    x->of.at[i] = now[x->of.at[i]];
  free(order);
  free(sorted);
  free(now);
}

static void price_single(struct each *x) {
  rank_traces good = {0};
  blame_good(x->blame, UINT32_MAX, &good);
  struct rank_input in = {
      .good = good.at, .ngood = good.len, .units = section_units};
  for (uint32_t i = 0; i < x->single.len; i++)
    x->single.at[i].eliminates = rank_price(x->single.at[i].cause, &in);
  vec_free(&good);
}

/* ---- answers ---- */

static int compare_singles(const struct trace_cause *all, uint32_t i,
                           uint32_t k) {
  const struct trace_cause *x = &all[i], *y = &all[k];
  if (x->eliminates != y->eliminates)
    return x->eliminates < y->eliminates ? -1 : 1;
  if (x->cause.nblocks != y->cause.nblocks)
    return x->cause.nblocks < y->cause.nblocks ? -1 : 1;
  uint64_t m = cause_lines(x->cause), n = cause_lines(y->cause);
  if (m != n)
    return m < n ? -1 : 1;
  return cause_compare(x->cause, y->cause);
}

static int better(const void *a, const void *b, void *all) {
  const struct trace_rank *x = a, *y = b;
  return compare_singles(all, x->single, y->single);
}

/* The eliminators of a failing trace in the order of their ranks. */
static struct trace_answer answer_of(const struct each *x, uint32_t bad,
                                     uint32_t outcome, struct arena *a) {
  uint32_t begin = bad ? x->ends.at[bad - 1] : 0, end = x->ends.at[bad];
  struct trace_answer t = {.traces = 1, .outcome = outcome};
  t.at = arena_alloc(a, (end - begin + 1) * sizeof *t.at);
  for (uint32_t i = begin; i < end; i++)
    if (x->of.at[i] != NONE)
      t.at[t.len++] = (struct trace_rank){x->of.at[i], 0};
  const struct trace_cause *all = x->single.at;
  if (t.len)
    qsort_r(t.at, t.len, sizeof *t.at, better, x->single.at);
  for (uint32_t i = 0; i < t.len; i++) {
    bool same = i && all[t.at[i].single].eliminates ==
                         all[t.at[i - 1].single].eliminates;
    t.at[i].rank = same ? t.at[i - 1].rank : i + 1;
  }
  return t;
}

static int more_traces(const void *a, const void *b, void *all) {
  const struct trace_answer *x = a, *y = b;
  if (x->traces != y->traces)
    return x->traces < y->traces ? 1 : -1;
  if (x->outcome != y->outcome)
    return x->outcome < y->outcome ? -1 : 1;
  for (uint32_t i = 0; i < x->len && i < y->len; i++)
    if (x->at[i].single != y->at[i].single)
      return compare_singles(all, x->at[i].single, y->at[i].single);
  return x->len < y->len ? -1 : x->len > y->len;
}

static void answer_all(struct each *x, struct arena *a,
                       struct causes_found *out) {
  struct map128 known = {0};
  uint32_t bad = 0;
  out->answers = arena_alloc(a, (x->ends.len + 1) * sizeof *out->answers);
  out->nanswers = 0;
  for (uint32_t i = 0; i < x->blame->traces.len; i++) {
    const struct located *l = x->blame->traces.at[i];
    if (!l->bad)
      continue;
    struct trace_answer t = answer_of(x, bad++, l->outcome, a);
    bool fresh;
    struct hash128 h = {t.outcome, t.len}; /* no seed: small ones collide */
    h = hash128_join(h, hash128(t.at, t.len * sizeof *t.at, 0));
    uint32_t *at = map128_put(&known, h, &fresh);
    if (fresh) {
      *at = out->nanswers;
      out->answers[out->nanswers++] = t;
    } else {
      out->answers[*at].traces++;
    }
  }
  assert(bad == x->ends.len);
  if (out->nanswers)
    qsort_r(out->answers, out->nanswers, sizeof *out->answers, more_traces,
            x->single.at);
  map128_free(&known);
}

void blame_each(struct blame *b, struct arena *a, struct causes_found *out) {
  struct each x = {.blame = b};
  take_single(&x);
  sort_single(&x);
  price_single(&x);
  answer_all(&x, a, out);
  out->nsingle = x.single.len;
  out->single = arena_copy(a, x.single.at, x.single.len * sizeof *out->single);
  for (uint32_t i = 0; i < out->nsingle; i++)
    out->single[i].cause = cause_copy(a, out->single[i].cause);
  out->single_cut = x.cut;
  vec_free(&x.single);
  vec_free(&x.of);
  vec_free(&x.ends);
}

/* ---- sizes ---- */

static uint32_t count_conflicts(const struct conflicts *c) {
  struct conflict_edges edges = {0};
  conflict_edges(c, &edges);
  uint32_t n = edges.len;
  free(edges.at);
  return n;
}

void blame_measure(const struct blame *b, struct causes_found *out) {
  for (uint32_t i = 0; i < b->traces.len; i++) {
    const struct located *l = b->traces.at[i];
    if (l->given)
      continue;
    uint32_t accesses = l->conflicts.nnodes;
    uint32_t conflicts = count_conflicts(&l->conflicts);
    out->all_events += accesses + l->calls;
    out->all_accesses += accesses;
    out->all_conflicts += conflicts;
    if (l->bad && accesses > out->events) {
      out->events = accesses;
      out->conflicts = conflicts;
    }
  }
}
