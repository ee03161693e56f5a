/*
 * Compiled code to ranked causes: Afek's stack (figure 1 of the root-causing
 * paper) under the engine, every class of traces once, against the model of the
 * same client in locate_afek.c: as many classes, good and bad, the same two
 * blocks, and the same numbers of good traces that they eliminate.
 */
#include "engine.h"
#include "test.h"

#include "locate/combine.h"
#include "locate/rank.h"

/* Numbered as in the figure. */
static const char stack[] =
    "#include <faultline.h>\n"
    "#include <stdlib.h>\n"
    "struct stack { int range, items[8]; };\n"
    "static struct stack *new(void) {\n"
    "  return calloc(1, sizeof(struct stack));\n"
    "}\n"
    "static void push(struct stack *s, int x) {\n"
    "#line 2\n"
    "  int i = __atomic_fetch_add(&s->range, 1, __ATOMIC_SEQ_CST);\n"
    "  s->items[i] = x;\n"
    "}\n"
    "static int pop(struct stack *s) {\n"
    "#line 5\n"
    "  int t = s->range - 1;\n"
    "  int x = 0;\n"
    "  for (int i = t; i >= 0; i--) {\n"
    "    x = s->items[i];\n"
    "    s->items[i] = 0;\n"
    "    if (x) break;\n"
    "  }\n"
    "  return x;\n"
    "}\n"
    "FL_OBJECT(stack, new)\n"
    "FL_OP(void, push, FL_INT(1, 2))\n"
    "FL_OP(int, pop)\n";

/* One trace, with the place of each of its nodes. */
struct located {
  struct conflicts c;
  struct code_block *at;
  bool good;
};

static struct live_path live;
static VEC(path) paths;
static VEC(struct located) traces;

static enum judgement keep_path(void *ctx, enum rt_end end) {
  path p = {0};
  (void)ctx;
  (void)end;
  for (uint32_t i = 0; i < live.len; i++)
    vec_push(&p, live.at[i]);
  vec_push(&paths, p);
  return JUDGE_GOOD;
}

static struct code_block place_of(struct lines *l, const struct event *e) {
  const struct place *p = lines_place(l, e->pc - 1);
  return (struct code_block){"stack.c", p->function, p->line, p->line};
}

static void record(const path *p, struct lines *l, struct spec *spec) {
  struct arena a = {0};
  struct trace t;
  struct accesses accesses = {0};
  struct located x = {0};
  struct check check = {0};
  engine_record_path(p->at, p->len, &a, &t, NULL);
  accesses_from_trace(&t, &accesses);
  conflicts_init(&x.c, accesses.at, accesses.len, 0);
  x.at = xcalloc(x.c.nnodes + 1, sizeof *x.at);
  for (uint32_t i = 0; i < x.c.nnodes; i++)
    x.at[i] = place_of(l, &t.events[x.c.nodes[i].event]);
  check_linearize(&t.history, spec, CRITERION_SEQUENTIAL, 0, &check);
  x.good = check.answer == CHECK_YES;
  vec_push(&traces, x);
  check_free(&check);
  vec_free(&accesses);
  arena_free(&a);
}

static bool block_of(void *ctx, struct segment s, struct code_block *out) {
  const struct located *x = ctx;
  *out = x->at[s.first];
  for (uint32_t i = s.first; i <= s.last; i++)
    if (x->c.nodes[i].op == x->c.nodes[s.first].op) {
      uint32_t line = x->at[i].first;
      out->first = line < out->first ? line : out->first;
      out->last = line > out->last ? line : out->last;
    }
  return true;
}

static void units(void *ctx, struct cause r, const struct rank_trace *t,
                  uint32_t *unit) {
  const struct located *x = t->data;
  (void)ctx;
  for (uint32_t i = 0; i < t->conflicts->nnodes; i++) {
    unit[i] = UNIT_ALONE;
    for (uint32_t b = 0; b < r.nblocks; b++)
      if (code_block_covers(&r.blocks[b], &x->at[i]))
        unit[i] = b;
  }
}

static void explain(void) {
  struct arena a = {0};
  struct causes every = {0}, combined = {0};
  VEC(struct rank_trace) good = {0}, bad = {0};
  combine_begin(&combined);
  for (uint32_t i = 0; i < traces.len; i++) {
    struct rank_trace t = {&traces.at[i].c, &traces.at[i]};
    struct eliminators e;
    struct causes one = {0};
    if (traces.at[i].good) {
      vec_push(&good, t);
      continue;
    }
    vec_push(&bad, t);
    eliminate(&traces.at[i].c, (struct eliminate_limits){0}, &e);
    causes_of_trace(&e, block_of, &traces.at[i], &a, &one);
    combine_add(&combined, &one, (struct combine_limit){0}, &a);
    for (uint32_t k = 0; k < one.len; k++)
      causes_add(&every, one.at[k]);
    causes_free(&one);
    eliminators_free(&e);
  }
  CHECK_INT(good.len, 93);
  CHECK_INT(bad.len, 62);
  struct rank_input in = {good.at, good.len, bad.at, bad.len, units, NULL};
  struct ranked r[2];
  if (CHECK_INT(every.len, 2)) {
    rank_causes(&every, &in, r);
    CHECK_INT(r[0].cause.blocks[0].first, 8);
    CHECK_INT(r[0].cause.blocks[0].last, 9);
    CHECK_INT(r[0].eliminates, 62);
    CHECK_INT(r[0].misses, 0);
    CHECK_INT(r[1].cause.blocks[0].first, 2);
    CHECK_INT(r[1].cause.blocks[0].last, 3);
    CHECK_INT(r[1].eliminates, 81);
  }
  if (CHECK_INT(combined.len, 1))
    CHECK_STR(combined.at[0].blocks[0].function, "pop");
  causes_free(&every);
  causes_free(&combined);
  vec_free(&good);
  vec_free(&bad);
  arena_free(&a);
}

static void body(void *arg) {
  struct error e = {0};
  struct client c;
  engine_open(arg, NULL);
  struct lines *l = lines_open(arg, &e);
  engine_client(&c, "{push(1)} || {push(2); pop()} || {pop()}");
  if (!CHECK(l) || !CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE))
    return;
  struct explore x = {.judge = {keep_path, NULL},
                      .all = true,
                      .no_real_time = true,
                      .live = &live};
  CHECK_INT(explore_dpor(&x), EXPLORE_ALL);
  CHECK_INT(paths.len, 155);
  struct spec *spec = spec_implementation();
  spec_implementation_client(spec, &c);
  for (uint32_t i = 0; i < paths.len; i++)
    record(&paths.at[i], l, spec);
  explain();
  spec_free(spec);
}

TEST(afeks_stack_under_the_engine_is_that_of_the_model) {
  char *so = engine_build(stack, NULL);
  engine_child(body, so);
  free(so);
}

TEST_MAIN
