/* What repairs all failing traces: combining, sparing, joining, ranking. */
#include "locate/blame_int.h"

#include <stdlib.h>

enum {
  MOST_ELIMINATORS = 20000, /* of a trace */
  MOST_CHAINS = 4000000,    /* that the search for them extends */
  MOST_CAUSES = 1000,       /* kept while traces are combined */
  PRICED_WITH = 100,        /* good traces, to tell which causes are kept */
};

void located_forget(struct located *l) {
  causes_free(&l->causes);
  causes_free(&l->lines);
  l->known = false;
}

void located_free(struct located *l) {
  section_trace_free(&l->section);
  conflicts_free(&l->conflicts);
  located_forget(l);
  free(l);
}

void blame_free(struct blame *b) {
  for (uint32_t i = 0; i < b->traces.len; i++)
    located_free(b->traces.at[i]);
  vec_free(&b->traces);
  arena_free(&b->arena);
}

static bool is_asked(const struct located *l, uint32_t outcome) {
  return l->bad && (outcome == ANY_OUTCOME || l->outcome == outcome);
}

/* ---- traces ---- */

void blame_good(const struct blame *b, uint32_t most, rank_traces *out) {
  for (uint32_t i = 0; i < b->traces.len && out->len < most; i++) {
    struct located *l = b->traces.at[i];
    if (!l->bad)
      vec_push(out, ((struct rank_trace){&l->conflicts, &l->section}));
  }
}

static void take_bad(const struct blame *b, uint32_t outcome,
                     rank_traces *out) {
  for (uint32_t i = 0; i < b->traces.len; i++) {
    struct located *l = b->traces.at[i];
    if (is_asked(l, outcome))
      vec_push(out, ((struct rank_trace){&l->conflicts, &l->section}));
  }
}

void blame_find(struct blame *b, struct located *l) {
  struct eliminators e = {0};
  if (l->known)
    return;
  eliminate(&l->conflicts,
            (struct eliminate_limits){.results = MOST_ELIMINATORS,
                                      .steps = MOST_CHAINS},
            &e);
  causes_of_trace(&e, section_block, &l->section, &b->arena, &l->causes);
  causes_of_trace(&e, section_lines, &l->section, &b->arena, &l->lines);
  l->cut = e.cut;
  l->known = true;
  eliminators_free(&e);
}

/* ---- combining ---- */

static uint32_t price(void *ctx, struct cause c) { return rank_price(c, ctx); }

uint32_t blame_most_ranked(const struct blame *b, uint32_t least) {
  uint32_t most = MOST_RANKED / (b->traces.len + 1);
  return most < least ? least : most;
}

/* What repairs all failing traces, or those with one outcome, as blocks of
 * code; whether nothing had to be cut. */
static bool combine(struct blame *b, uint32_t outcome, struct arena *a,
                    struct causes *all) {
  rank_traces good = {0};
  blame_good(b, PRICED_WITH, &good);
  struct rank_input in = {
      .good = good.at, .ngood = good.len, .units = section_units};
  struct combine_limit limit = {MOST_CAUSES, price, &in};
  uint32_t widest = 0; /* repairs of one trace */
  bool complete = true;
  combine_begin(all);
  for (uint32_t i = 0; i < b->traces.len && all->len; i++) {
    struct located *l = b->traces.at[i];
    if (!is_asked(l, outcome))
      continue;
    blame_find(b, l);
    widest = l->causes.len > widest ? l->causes.len : widest;
    limit.most = widest > MOST_CAUSES ? widest : MOST_CAUSES;
    complete &= combine_add(all, &l->causes, limit, a) && !l->cut;
  }
  limit.most =
      blame_most_ranked(b, widest > LEAST_RANKED ? widest : LEAST_RANKED);
  complete &= combine_cut(all, limit);
  vec_free(&good);
  return complete;
}

/* ---- fewer blocks ---- */

static uint32_t longest_bad(const struct rank_input *in) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < in->nbad; i++)
    if (n < in->bad[i].conflicts->nnodes)
      n = in->bad[i].conflicts->nnodes;
  return n;
}

static bool repairs_all(const struct rank_input *in, struct cause r,
                        uint32_t *unit) {
  for (uint32_t i = 0; i < in->nbad; i++) {
    in->units(in->ctx, r, &in->bad[i], unit);
    if (!conflicts_cyclic(in->bad[i].conflicts, unit))
      return false;
  }
  return true;
}

static struct cause without(struct cause c, uint32_t at, struct arena *a) {
  struct code_block *left = arena_alloc(a, c.nblocks * sizeof *left);
  uint32_t n = 0;
  for (uint32_t i = 0; i < c.nblocks; i++)
    if (i != at)
      left[n++] = c.blocks[i];
  return (struct cause){left, n};
}

/*
 * Blocks were combined by their lines, without asking who calls whom: one in a
 * function that is only called from another block is superfluous, and so is
 * each whose traces the others happen to repair.
 */
static void spare_blocks(const struct causes *all, const struct rank_input *in,
                         struct arena *a, struct causes *out) {
  uint32_t *unit = xcalloc((size_t)longest_bad(in) + 1, sizeof *unit);
  for (uint32_t i = 0; i < all->len; i++) {
    struct cause c = all->at[i];
    for (uint32_t k = 0; c.nblocks > 1 && k < c.nblocks;) {
      struct cause fewer = without(c, k, a);
      if (repairs_all(in, fewer, unit))
        c = fewer;
      else
        k++;
    }
    causes_add(out, c);
  }
  free(unit);
}

static bool in_one_function(const struct code_block *a,
                            const struct code_block *b) {
  struct code_block x = *a, y = *b;
  x.first = x.last = y.first = y.last = 0;
  return a->function && !code_block_compare(&x, &y);
}

/* One block for all of a function; false: there is one only. */
static bool join(struct cause c, struct arena *a, struct cause *out) {
  struct code_block *to = arena_alloc(a, c.nblocks * sizeof *to);
  uint32_t n = 0;
  for (uint32_t i = 0; i < c.nblocks; i++) {
    uint32_t k = 0;
    while (k < n && !in_one_function(&to[k], &c.blocks[i]))
      k++;
    if (k == n)
      to[n++] = c.blocks[i];
    else if (to[k].last < c.blocks[i].last)
      to[k].last = c.blocks[i].last; /* they are sorted */
  }
  *out = cause_of(a, to, n);
  return n < c.nblocks;
}

static struct ranked rank_one(struct cause c, const struct rank_input *in) {
  struct causes one = {0};
  struct ranked r;
  vec_push(&one, c);
  rank_causes(&one, in, &r);
  causes_free(&one);
  return r;
}

/*
 * Two blocks of a function are less than one that holds both, but no answer for
 * the author, when the one takes away no more of the good traces: fewer blocks
 * rank before.  (A lock around the second half, say, and a look before it: the
 * smallest blocks end inside of the critical section.)
 */
static void join_blocks(struct causes *all, const struct rank_input *in,
                        struct arena *a) {
  uint32_t kept = 0;
  struct map128 seen = {0};
  for (uint32_t i = 0; i < all->len; i++) {
    struct cause c = all->at[i], one;
    bool fresh;
    if (join(c, a, &one)) {
      struct ranked r = rank_one(one, in);
      if (!r.misses && r.eliminates <= rank_one(c, in).eliminates)
        c = one;
    }
    map128_put(&seen, blame_hash(c), &fresh);
    if (fresh)
      all->at[kept++] = c;
  }
  map128_free(&seen);
  all->len = kept;
}

/* ---- ranking ---- */

static void share_cause(struct ranked_cause *to, const struct ranked *from,
                        struct arena *a) {
  *to = (struct ranked_cause){.cause = cause_copy(a, from->cause),
                              .rank = from->rank,
                              .eliminates = from->eliminates,
                              .events = from->events,
                              .lines = from->lines};
}

static void rank(const struct blame *b, uint32_t outcome,
                 const struct causes *from, struct arena *a,
                 struct ranking *out) {
  rank_traces good = {0}, bad = {0};
  blame_good(b, UINT32_MAX, &good);
  take_bad(b, outcome, &bad);
  out->good = good.len;
  out->bad = bad.len;
  struct rank_input in = {.good = good.at,
                          .ngood = good.len,
                          .bad = bad.at,
                          .nbad = bad.len,
                          .units = section_units};
  struct arena own = {0};
  struct causes all = {0};
  spare_blocks(from, &in, &own, &all);
  join_blocks(&all, &in, &own);
  struct ranked *ranked = xcalloc(all.len + 1, sizeof *ranked);
  rank_causes(&all, &in, ranked);
  out->at = arena_alloc(a, (all.len + 1) * sizeof *out->at);
  for (uint32_t i = 0; i < all.len; i++)
    if (ranked[i].cause.nblocks && !ranked[i].misses)
      share_cause(&out->at[out->len++], &ranked[i], a);
  free(ranked);
  causes_free(&all);
  arena_free(&own);
  vec_free(&good);
  vec_free(&bad);
}

/* Whether that changes anything. */
static bool blame_tests(struct blame *b, bool tests) {
  bool changes = false;
  for (uint32_t i = 0; i < b->traces.len; i++) {
    struct located *l = b->traces.at[i];
    bool some =
        l->section.blames_tests != tests && section_has_tests(&l->section);
    l->section.blames_tests = tests;
    if (some)
      located_forget(l);
    changes |= some;
  }
  return changes;
}

void blame_all(struct blame *b, uint32_t outcome, struct arena *a,
               struct ranking *out) {
  struct arena own = {0};
  struct causes all = {0};
  *out = (struct ranking){0};
  blame_tests(b, false);
  bool complete = combine(b, outcome, &own, &all);
  if (!all.len && blame_tests(b, true))
    complete = combine(b, outcome, &own, &all);
  rank(b, outcome, &all, a, out);
  out->cut = !complete;
  causes_free(&all);
  arena_free(&own);
}
