/*
 * What repairs each failing trace by itself: blame_each, which finds equal
 * eliminators and equal answers by hashes, against its definition, which
 * compares all with all, on random small traces, some of them failing.
 */
#include "agree/locate_traces.h"
#include "locate/blame.h"
#include "oracle/naive.h"
#include "test.h"

enum { TRACES = 12 };

static const char *const functions[] = {"push", "pop"};

/* Line n of its function for the nth access of an operation. */
static struct located *some_trace(struct rng *r, const struct shape *s) {
  struct accesses a = {0};
  struct located *l = xcalloc(1, sizeof *l);
  random_trace(r, s, &a);
  conflicts_init(&l->conflicts, a.at, a.len, 0);
  const struct conflicts *c = &l->conflicts;
  l->section.conflicts = c;
  l->section.at = xcalloc((size_t)c->nnodes + 1, sizeof *l->section.at);
  for (uint32_t i = 0; i < c->nnodes; i++) {
    const struct node *n = &c->nodes[i];
    struct section_frame f = {.file = "a.c",
                              .function = functions[c->ops[n->op].id % 2],
                              .role = PLACE_OBJECT,
                              .instance = n->op};
    f.line = n->pos - c->nodes[c->ops[n->op].first].pos + 1;
    vec_push(&l->section.frames, f);
    l->section.at[i + 1] = l->section.frames.len;
  }
  l->bad = rng_below(r, 2);
  l->outcome =
      l->bad && rng_below(r, 3) ? (uint32_t)rng_below(r, 2) : ANY_OUTCOME;
  l->calls = (uint32_t)rng_below(r, 5);
  vec_free(&a);
  return l;
}

/* An interval for each execution of a block of the cause, others alone. */
static bool eliminates(const struct located *l, struct cause cause) {
  const struct conflicts *c = &l->conflicts;
  uint32_t *dense = xcalloc((size_t)c->nnodes + 1, sizeof *dense), n = 0;
  for (uint32_t k = 0; k < c->nnodes; k++) {
    uint32_t node = c->by_thread[k], before = k ? c->by_thread[k - 1] : node;
    const struct section_frame *f = section_frames(&l->section, node);
    bool same = false;
    for (uint32_t b = 0; b < cause.nblocks; b++)
      same |= k && c->nodes[node].op == c->nodes[before].op &&
              code_block_has_line(&cause.blocks[b], f->file, f->function,
                                  f->line) &&
              code_block_has_line(&cause.blocks[b], f->file, f->function,
                                  f->line - 1);
    dense[node] = same ? dense[before] : n++;
  }
  bool cyclic = naive_cyclic(c, dense);
  free(dense);
  return cyclic;
}

static uint32_t count_eliminated(const struct blame *b, struct cause c) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->traces.len; i++)
    n += !b->traces.at[i]->bad && eliminates(b->traces.at[i], c);
  return n;
}

/* The optimal eliminators of one trace, in lines. */
static void repairs_of(const struct located *l, struct arena *a,
                       struct causes *out) {
  struct eliminators e;
  eliminate(&l->conflicts, (struct eliminate_limits){0}, &e);
  causes_of_trace(&e, section_lines, (void *)&l->section, a, out);
  eliminators_free(&e);
}

static bool is_answer(const struct blame *b, const struct causes_found *f,
                      const struct trace_answer *t, const struct causes *of) {
  if (t->len != of->len)
    return false;
  for (uint32_t i = 0; i < t->len; i++) {
    struct cause c = f->single[t->at[i].single].cause;
    uint32_t k = 0, better = 0;
    while (k < of->len && !cause_equal(of->at[k], c))
      k++;
    if (k == of->len)
      return false;
    for (k = 0; k < of->len; k++)
      better += count_eliminated(b, of->at[k]) < count_eliminated(b, c);
    if (t->at[i].rank != better + 1 || (i && t->at[i - 1].rank > t->at[i].rank))
      return false;
  }
  return true;
}

static uint32_t answers_for(const struct blame *b, const struct causes_found *f,
                            const struct located *l, const struct causes *of) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->nanswers; i++)
    n += f->answers[i].outcome == l->outcome &&
         is_answer(b, f, &f->answers[i], of);
  return n;
}

static bool check_singles(const struct blame *b, const struct causes_found *f) {
  for (uint32_t i = 0; i < f->nsingle; i++) {
    const struct trace_cause *s = &f->single[i];
    uint32_t traces = 0;
    for (uint32_t k = 0; k < b->traces.len; k++) {
      const struct located *l = b->traces.at[k];
      for (uint32_t j = 0; l->bad && j < l->lines.len; j++)
        traces += cause_equal(l->lines.at[j], s->cause);
    }
    for (uint32_t k = 0; k < i; k++)
      if (cause_equal(f->single[k].cause, s->cause))
        return CHECK(!"an eliminator stands there twice");
    if (!CHECK_INT(s->traces, traces) ||
        !CHECK_INT(s->eliminates, count_eliminated(b, s->cause)))
      return false;
  }
  return true;
}

TEST(each_trace_has_one_answer_that_has_its_eliminators_by_rank) {
  struct rng r = {1};
  struct shape shape = {3, 2, 4, 12, 4, 0};
  uint32_t shared = 0, ranked = 0;
  for (uint32_t i = 0; i < 400; i++) {
    struct blame b = {0};
    struct arena a = {0};
    struct causes_found f = {0};
    uint64_t bad = 0, told = 0, accesses = 0, events = 0;
    for (uint32_t k = 0; k < TRACES; k++)
      vec_push(&b.traces, some_trace(&r, &shape));
    blame_each(&b, &a, &f);
    blame_measure(&b, &f);
    bool ok = check_singles(&b, &f) && CHECK(!f.single_cut);
    for (uint32_t k = 0; k < TRACES && ok; k++) {
      const struct located *l = b.traces.at[k];
      struct causes of = {0};
      accesses += l->conflicts.nnodes;
      events += l->conflicts.nnodes + l->calls;
      if (!l->bad)
        continue;
      bad++;
      repairs_of(l, &a, &of);
      ok = CHECK_INT(answers_for(&b, &f, l, &of), 1);
      causes_free(&of);
    }
    for (uint32_t k = 0; k < f.nanswers; k++) {
      told += f.answers[k].traces;
      shared += f.answers[k].len && f.answers[k].traces > 1;
      ranked +=
          f.answers[k].len && f.answers[k].at[f.answers[k].len - 1].rank > 1;
    }
    ok = ok && CHECK_INT(told, bad) && CHECK_INT(f.all_accesses, accesses) &&
         CHECK_INT(f.all_events, events);
    arena_free(&a);
    blame_free(&b);
    if (!ok)
      break;
  }
  CHECK(shared > 10 && ranked > 100);
}

TEST_MAIN
