/*
 * The example of the root-causing paper, whole: every interleaving of
 *     {push(a)} || {push(b); pop()} || {pop()}
 * on Afek's stack (figure 1), one trace of each class, what repairs those in
 * which both pops return b, and how many good traces each repair eliminates.
 * The stack is modelled here, an access a step; the counts are those of another
 * exhaustive model of this client.
 */
#include "test.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/map128.h"
#include "base/vec.h"
#include "locate/combine.h"
#include "locate/rank.h"

enum { RANGE, ITEMS, THREADS = 3, MAX = 32, A = 'a', B = 'b' };

struct thread {
  uint8_t calls; /* left: bit 0 a push, bit 1 a pop after it */
  uint8_t value; /* that it pushes */
  uint8_t line;  /* of the next step; 0 is between calls */
  int8_t i;
  uint8_t x;
};

struct step {
  uint8_t thread, op, line, location, writes;
};

struct state {
  uint8_t range, items[2], result[THREADS];
  struct thread threads[THREADS];
  struct step steps[MAX];
  uint32_t nsteps;
};

static void record(struct state *s, uint32_t t, uint8_t line, uint8_t location,
                   bool writes) {
  uint8_t op = (uint8_t)(2 * t + (line > 3));
  s->steps[s->nsteps++] = (struct step){(uint8_t)t, op, line, location, writes};
}

static void begin_call(struct thread *t) {
  t->line = t->calls & 1 ? 2 : t->calls ? 5 : 0;
}

static void end_call(struct thread *t) {
  t->calls &= (uint8_t)(t->calls - 1);
  begin_call(t);
}

static void pop_next(struct state *s, uint32_t n) {
  struct thread *t = &s->threads[n];
  t->line = 8;
  if (t->i >= 0)
    return;
  s->result[n] = 0;
  end_call(t);
}

/* One access of thread n. */
static void step(struct state *s, uint32_t n) {
  struct thread *t = &s->threads[n];
  uint8_t line = t->line;
  bool writes = line == 2 || line == 3 || line == 9;
  uint8_t location = line == 2 || line == 5 ? RANGE : (uint8_t)(ITEMS + t->i);
  record(s, n, line, location, writes);
  switch (line) {
  case 2:
    t->i = (int8_t)s->range++;
    t->line = 3;
    break;
  case 3:
    s->items[t->i] = t->value;
    end_call(t);
    break;
  case 5:
    t->i = (int8_t)(s->range - 1);
    pop_next(s, n);
    break;
  case 8:
    t->x = s->items[t->i];
    t->line = 9;
    break;
  case 9:
    s->items[t->i] = 0;
    if (t->x) {
      s->result[n] = t->x;
      end_call(t);
    } else {
      t->i--;
      pop_next(s, n);
    }
  }
}

/* One trace of each class. */
struct found {
  struct step steps[MAX];
  struct conflicts c;
  uint8_t result[THREADS];
};

struct world {
  struct map128 classes;
  VEC(struct found) traces;
  bool sequential; /* only whole calls */
  bool legal[256][256];
};

static void conflicts_of(const struct state *s, struct conflicts *c) {
  struct accesses a = {0};
  for (uint32_t i = 0; i < s->nsteps; i++) {
    const struct step *x = &s->steps[i];
    vec_push(&a, ((struct access){x->writes ? ACCESS_WRITE : ACCESS_READ, i,
                                  x->thread, x->op, x->location, 1}));
  }
  conflicts_init(c, a.at, a.len, 0);
  vec_free(&a);
}

static void finished(struct world *w, const struct state *s) {
  if (w->sequential) {
    w->legal[s->result[1]][s->result[2]] = true;
    return;
  }
  struct found f;
  bool fresh;
  conflicts_of(s, &f.c);
  map128_put(&w->classes, conflicts_digest(&f.c), &fresh);
  if (!fresh) {
    conflicts_free(&f.c);
    return;
  }
  memcpy(f.steps, s->steps, sizeof f.steps);
  memcpy(f.result, s->result, sizeof f.result);
  vec_push(&w->traces, f);
}

static void explore(struct world *w, const struct state *s) {
  bool ended = true;
  for (uint32_t n = 0; n < THREADS; n++) {
    if (!s->threads[n].line)
      continue;
    struct state next = *s;
    uint8_t calls = s->threads[n].calls;
    do
      step(&next, n);
    while (w->sequential && next.threads[n].calls == calls);
    explore(w, &next);
    ended = false;
  }
  if (ended)
    finished(w, s);
}

static void explore_all(struct world *w, bool sequential) {
  struct state s = {.threads = {{.calls = 1, .value = A},
                                {.calls = 3, .value = B},
                                {.calls = 2}}};
  for (uint32_t n = 0; n < THREADS; n++)
    begin_call(&s.threads[n]);
  w->sequential = sequential;
  explore(w, &s);
}

static const char *function_of(uint32_t line) {
  return line < 4 ? "push" : "pop";
}

static bool block_of(void *ctx, struct segment s, struct code_block *out) {
  const struct found *f = ctx;
  *out = (struct code_block){"stack.c", NULL, UINT32_MAX, 0};
  for (uint32_t i = s.first; i <= s.last; i++) {
    uint32_t line = f->steps[i].line;
    if (f->c.nodes[i].op != f->c.nodes[s.first].op)
      continue;
    out->first = line < out->first ? line : out->first;
    out->last = line > out->last ? line : out->last;
    out->function = function_of(line);
  }
  return true;
}

/* A run of accesses to lines of a block, whatever their order, is one. */
static void units(void *ctx, struct cause r, const struct rank_trace *t,
                  uint32_t *unit) {
  const struct found *f = t->data;
  (void)ctx;
  for (uint32_t k = 0; k < t->conflicts->nnodes; k++) {
    uint32_t i = t->conflicts->by_thread[k], line = f->steps[i].line;
    struct code_block at = {"stack.c", function_of(line), line, line};
    unit[i] = UNIT_ALONE;
    for (uint32_t b = 0; b < r.nblocks; b++)
      if (code_block_covers(&r.blocks[b], &at))
        unit[i] = b;
  }
}

static const char *text_of(struct cause c) {
  static struct buf b;
  buf_clear(&b);
  cause_print(c, &b);
  return buf_text(&b);
}

typedef VEC(struct rank_trace) trace_vec;

/* Which are good, and which have both pops return b. */
static uint32_t sort_out(struct world *w, trace_vec *good, trace_vec *both_b) {
  uint32_t bad = 0;
  for (uint32_t i = 0; i < w->traces.len; i++) {
    const struct found *f = &w->traces.at[i];
    struct rank_trace t = {&f->c, f};
    if (w->legal[f->result[1]][f->result[2]])
      vec_push(good, t);
    else
      bad++;
    if (f->result[1] == B && f->result[2] == B)
      vec_push(both_b, t);
  }
  return bad;
}

/* The repairs of each trace: all of them, and their combination. */
static void repair(const trace_vec *traces, struct arena *a,
                   struct causes *every, struct causes *combined) {
  combine_begin(combined);
  for (uint32_t i = 0; i < traces->len; i++) {
    struct eliminators e;
    struct causes one = {0};
    void *found = (void *)(uintptr_t)traces->at[i].data;
    eliminate(traces->at[i].conflicts, (struct eliminate_limits){0}, &e);
    causes_of_trace(&e, block_of, found, a, &one);
    CHECK(combine_add(combined, &one, (struct combine_limit){0}, a));
    for (uint32_t k = 0; k < one.len; k++)
      causes_add(every, one.at[k]);
    causes_free(&one);
    eliminators_free(&e);
  }
}

TEST(lines_8_and_9_before_lines_2_and_3) {
  struct world w = {0};
  struct arena a = {0};
  trace_vec good = {0}, both_b = {0};
  struct causes every = {0}, combined = {0};
  struct ranked r[2];
  explore_all(&w, true);
  explore_all(&w, false);
  CHECK_INT(w.traces.len, 155);
  CHECK_INT(sort_out(&w, &good, &both_b), 62);
  CHECK_INT(good.len, 93);
  CHECK_INT(both_b.len, 36);
  repair(&both_b, &a, &every, &combined);
  struct rank_input in = {good.at,    good.len, both_b.at,
                          both_b.len, units,    NULL};
  if (CHECK_INT(every.len, 2)) {
    rank_causes(&every, &in, r);
    CHECK_STR(text_of(r[0].cause), "stack.c:8-9");
    CHECK_INT(r[0].eliminates, 62);
    CHECK_INT(r[0].misses, 0);
    CHECK_STR(text_of(r[1].cause), "stack.c:2-3");
    CHECK_INT(r[1].eliminates, 81);
    CHECK_INT(r[1].misses, 4);
  }
  /* An atomic push does not repair every trace, an atomic lines 8-9 does. */
  if (CHECK_INT(combined.len, 1))
    CHECK_STR(text_of(combined.at[0]), "stack.c:8-9");
  for (uint32_t i = 0; i < w.traces.len; i++)
    conflicts_free(&w.traces.at[i].c);
  vec_free(&w.traces);
  vec_free(&good);
  vec_free(&both_b);
  causes_free(&every);
  causes_free(&combined);
  map128_free(&w.classes);
  arena_free(&a);
}

TEST_MAIN
