/*
 * Blocks of segments against what the recorded trace and the debug information
 * say by themselves, on executions of real objects, gcc and clang:
 *
 * (A) every access of a segment lies on a line of its block, in the block's
 *     function, and the block has no more lines than that;
 * (B) the block is in the deepest real function, one activation of which has
 *     both ends, or in a function inlined there;
 * (C) a segment inside another gets a block inside the other's, or one in a
 *     function that was called from there;
 * (D) a repair eliminates the trace that it was made from;
 * (E) an inlined function is blamed as if it had been called, or its caller is;
 * (F) what lies in an execution of a block, and nothing else, has a place in
 *     the block's region;
 * (G) where the engine keeps two neighbouring accesses together, they are in
 *     one execution of the block; without optimisation, only there.
 *
 * (A) to (C) are for blocks without loops, the others for those that come out:
 * the loops are those of the sources, and what traces show besides.
 */
#include "engine_objects.h"

#include "code/region.h"
#include "locate/section.h"
#include "source/loops_read.h"

enum { REGIONS_EVERY = 5 }; /* traces: they take the longest */
#ifdef __SANITIZE_ADDRESS__
enum { TRACES = 4, CLIENTS = 2 };
#else
enum { TRACES = 12, CLIENTS = 3 };
#endif

/* Volatile: each access stays, at every level. */
#define HELPERS(how)                                                           \
  HEAD "#define NOINLINE __attribute__((noinline))\n"                          \
       "#define SMALL static " how "\n"                                        \
       "#define BOTH(x) do { low = x; high += x; } while (0)\n"                \
       "typedef volatile int word;\n"                                          \
       "static word low, high, cell[4];\n"                                     \
       "NOINLINE static int get(word *p) {\n  return *p;\n}\n"                 \
       "NOINLINE static void put(word *p, int v) {\n  *p = v;\n}\n"            \
       "SMALL void bump(word *p) {\n"                                          \
       "  int v = get(p);\n"                                                   \
       "  put(p, v + 1);\n"                                                    \
       "}\n"                                                                   \
       "SMALL void swap(word *p, word *q) {\n"                                 \
       "  int v = *p;\n"                                                       \
       "  *p = *q;\n"                                                          \
       "  *q = v;\n"                                                           \
       "}\n"                                                                   \
       "SMALL int find(int v) {\n"                                             \
       "  for (int i = 0; i < 4; i++)\n"                                       \
       "    if (cell[i] == v)\n"                                               \
       "      return i;\n"                                                     \
       "  return 0;\n"                                                         \
       "}\n"                                                                   \
       "SMALL void rise(int v) {\n"                                            \
       "  int i = find(v);\n"                                                  \
       "  bump(&cell[i]);\n"                                                   \
       "  if (cell[i] > 3)\n"                                                  \
       "    cell[i] = 0;\n"                                                    \
       "}\n"                                                                   \
       "NOINLINE static int sum(int k) {\n"                                    \
       "  int v = cell[k];\n"                                                  \
       "  if (k > 0)\n"                                                        \
       "    v += sum(k - 1);\n"                                                \
       "  cell[k] = v;\n"                                                      \
       "  return v;\n"                                                         \
       "}\n"                                                                   \
       "static void add(int n) {\n"                                            \
       "  for (int i = 0; i < n; i++)\n"                                       \
       "    bump(&low);\n"                                                     \
       "  swap(&low, &high);\n"                                                \
       "  bump(&cell[n]);\n"                                                   \
       "}\n"                                                                   \
       "static int all(void) {\n"                                              \
       "  int v = sum(2);\n"                                                   \
       "  BOTH(v);\n"                                                          \
       "  return v + get(&low);\n"                                             \
       "}\n"                                                                   \
       "static void turn(void) {\n"                                            \
       "  for (int i = 0; i < 2; i++) {\n"                                     \
       "    swap(&cell[i], &cell[i + 1]);\n"                                   \
       "    swap(&cell[i + 1], &low);\n"                                       \
       "  }\n"                                                                 \
       "}\n"                                                                   \
       "static void grow(int n) {\n"                                           \
       "  do {\n"                                                              \
       "    rise(n);\n"                                                        \
       "    rise(0);\n"                                                        \
       "  } while (n--);\n"                                                    \
       "}\n"                                                                   \
       "FL_OBJECT(mixed)\nFL_OP(void, add, FL_INT(1, 2))\n"                    \
       "FL_OP(int, all)\nFL_OP(void, turn)\nFL_OP(void, grow, FL_INT(0, 2))\n"

static const char helpers[] = HELPERS("inline __attribute__((always_inline))");
static const char called[] = HELPERS("NOINLINE");

static struct {
  struct lines *lines;
  struct scopes *scopes;
  struct flow *flow;
  struct loops loops;
  bool plain; /* compiled without optimisation */
  uint32_t traces, eliminators, inlined, nested, together, rounds;
} it;

/* ---- the slow way ---- */

/* The place of an event in an activation, or 0 when it is not inside it. */
static uint64_t place_in(const struct trace *t, const struct event *e,
                         uint32_t activation) {
  uint64_t pc = e->pc;
  for (uint32_t a = e->activation; a; a = t->activations[a].parent) {
    if (a == activation)
      return pc;
    pc = t->activations[a].call_pc;
  }
  return 0;
}

static uint32_t common_activation(const struct trace *t, const struct event *x,
                                  const struct event *y) {
  for (uint32_t a = x->activation; a; a = t->activations[a].parent)
    if (place_in(t, y, a))
      return a;
  return 0;
}

/* The line at a place as a function sees it, or 0. */
static uint32_t line_in(uint64_t pc, const char *function) {
  const struct place *p = pc ? lines_place(it.lines, pc - 1) : NULL;
  while (p && (!p->function || strcmp(p->function, function)))
    p = p->next;
  return p ? p->line : 0;
}

static void check_block(const struct trace *t, const struct conflicts *c,
                        struct segment g, const struct code_block *b) {
  const struct node *from = &c->nodes[g.first], *to = &c->nodes[g.last];
  uint32_t a =
      common_activation(t, &t->events[from->event], &t->events[to->event]);
  uint32_t first = UINT32_MAX, last = 0;
  for (uint32_t p = from->pos; p <= to->pos; p++) {
    const struct event *e =
        &t->events[c->nodes[node_at(c, from->thread, p)].event];
    uint32_t line = line_in(place_in(t, e, a), b->function);
    first = line < first ? line : first;
    last = line > last ? line : last;
  }
  CHECK(a != 0);              /* B */
  CHECK_INT(first, b->first); /* A */
  CHECK_INT(last, b->last);
  const struct place *p =
      lines_place(it.lines, place_in(t, &t->events[from->event], a) - 1);
  it.inlined += p->next && !strcmp(p->function, b->function);
}

/* (C); frames of the outer block's instance tell where the inner is called. */
static void check_inside(const struct section_trace *s, struct segment inner,
                         struct segment outer) {
  struct code_block in, out;
  if (!section_block((void *)(uintptr_t)s, inner, &in) ||
      !CHECK(section_block((void *)(uintptr_t)s, outer, &out)))
    return;
  uint32_t n = section_common(s, inner), m = section_common(s, outer);
  const struct section_frame *f = section_frames(s, inner.first);
  CHECK(m <= n);
  if (m == n) {
    CHECK(code_block_covers(&out, &in));
  } else if (m && m <= n) {
    CHECK_STR(f[m - 1].function, out.function);
    CHECK(out.first <= f[m - 1].line && f[m - 1].line <= out.last);
    it.nested++;
  }
}

/* Every pair of ends of an operation, and every one inside another. */
static void check_segments(const struct trace *t, const struct conflicts *c,
                           struct section_trace *s, uint32_t op) {
  uint32_t thread = c->nodes[c->ops[op].first].thread;
  uint32_t begin = c->nodes[c->ops[op].first].pos,
           end = c->nodes[c->ops[op].last].pos;
  for (uint32_t i = begin; i <= end; i++)
    for (uint32_t k = i + 1; k <= end; k++) {
      struct segment g = {node_at(c, thread, i), node_at(c, thread, k)};
      struct code_block b;
      if (!CHECK(section_block(s, g, &b)))
        continue;
      check_block(t, c, g, &b);
      struct segment wider[2] = {g, g};
      wider[0].last = node_at(c, thread, k < end ? k + 1 : k);
      wider[1].first = node_at(c, thread, i > begin ? i - 1 : i);
      check_inside(s, g, wider[0]);
      check_inside(s, g, wider[1]);
    }
}

static bool has_place(const struct region *r, uint64_t pc) {
  for (uint32_t i = 0; i < r->npcs; i++)
    if (r->pcs[i] == pc)
      return true;
  return false;
}

static int number_of(const struct region *r, uint64_t pc) {
  for (uint32_t i = 0; i < r->npcs; i++)
    if (r->pcs[i] == pc)
      return (int)i;
  return -1;
}

/* The outermost frame of a node in the block; its depth. */
static uint32_t depth_in(const struct section_trace *s, uint32_t node,
                         const struct code_block *b) {
  uint32_t i = 0;
  while (!code_block_has_line(b, section_frames(s, node)[i].file,
                              section_frames(s, node)[i].function,
                              section_frames(s, node)[i].line))
    i++;
  return i;
}

/* (G) */
static void check_rounds(const struct conflicts *c,
                         const struct section_trace *s,
                         const struct code_block *b, const struct region *r,
                         const uint32_t *unit) {
  for (uint32_t i = 1; i < c->nnodes; i++) {
    uint32_t x = c->by_thread[i - 1], y = c->by_thread[i];
    if (c->nodes[x].op != c->nodes[y].op || unit[x] == UNIT_ALONE ||
        unit[y] == UNIT_ALONE)
      continue;
    uint32_t n = depth_in(s, x, b);
    const struct section_frame *f = section_frames(s, x) + n,
                               *g = section_frames(s, y) + n;
    if (n != depth_in(s, y, b) || f->instance != g->instance)
      continue;
    bool unmoved = n + 1 < section_depth(s, x) && n + 1 < section_depth(s, y) &&
                   f[1].instance == g[1].instance;
    int from = number_of(r, f->pc), to = number_of(r, g->pc);
    if (!CHECK(from >= 0 && to >= 0))
      continue;
    bool kept = unmoved || r->stays[(uint32_t)from * r->npcs + (uint32_t)to];
    it.together += kept;
    it.rounds += !kept;
    bool same = unit[x] == unit[y];
    if (kept ? !same : same && it.plain) {
      fprintf(stderr, "block %s:%u-%u (loop %u-%u): lines %u:%u, %u:%u: %s\n",
              b->function, b->first, b->last, b->loop_first, b->loop_last,
              f->line, f->column, g->line, g->column,
              kept ? "kept together by the engine" : "not kept together");
      CHECK(false);
    }
  }
}

/* (F) */
static void check_region(const struct trace *t, const struct conflicts *c,
                         const struct section_trace *s,
                         const struct code_block *b) {
  struct cause one = {b, 1};
  struct rank_trace data = {c, s};
  struct regions all;
  struct arena a = {0};
  struct error e = {0};
  uint32_t *unit = xcalloc(c->nnodes + 1, sizeof *unit);
  section_units(NULL, one, &data, unit);
  CHECK_INT(regions_of_cause(it.flow, one, &it.loops, &a, &all, &e), ERR_NONE);
  check_rounds(c, s, b, &all.at[0], unit);
  for (uint32_t i = 0; i < c->nnodes; i++) {
    const struct event *v = &t->events[c->nodes[i].event];
    bool found = has_place(&all.at[0], v->pc);
    for (uint32_t k = v->activation; k; k = t->activations[k].parent)
      found |= has_place(&all.at[0], t->activations[k].call_pc);
    CHECK_INT(found, unit[i] != UNIT_ALONE);
  }
  free(unit);
  arena_free(&a);
}

static void check_repairs(const struct trace *t, const struct conflicts *c,
                          struct section_trace *s) {
  struct eliminators e;
  struct arena a = {0};
  struct causes causes = {0};
  struct rank_trace bad = {c, s};
  struct rank_input in = {NULL, 0, &bad, 1, section_units, NULL};
  eliminate(c, (struct eliminate_limits){.results = 100}, &e);
  CHECK_INT(causes_of_trace(&e, section_block, s, &a, &causes), 0);
  struct ranked *r = xcalloc(causes.len + 1, sizeof *r);
  rank_causes(&causes, &in, r);
  for (uint32_t i = 0; i < causes.len; i++)
    CHECK_INT(r[i].misses, 0); /* D */
  for (uint32_t i = 0; i < causes.len && it.traces % REGIONS_EVERY == 0; i++)
    for (uint32_t k = 0; k < causes.at[i].nblocks; k++)
      check_region(t, c, s, &causes.at[i].blocks[k]);
  it.eliminators += eliminators_count(&e);
  free(r);
  causes_free(&causes);
  eliminators_free(&e);
  arena_free(&a);
}

/* ---- executions ---- */

static struct arena recording;

static void look_at_trace(const struct trace *t) {
  struct accesses accesses = {0};
  struct conflicts c;
  struct section_trace s;
  accesses_from_trace(t, &accesses);
  conflicts_init(&c, accesses.at, accesses.len, 0);
  section_trace_init(&s, it.scopes, t, &c);
  section_trace_check_invariants(&s);
  for (uint32_t op = 0; op < c.nops; op++)
    check_segments(t, &c, &s, op);
  section_learn_loops(&s, &it.loops);
  section_find_rounds(&s, &it.loops);
  check_repairs(t, &c, &s);
  it.traces++;
  section_trace_free(&s);
  conflicts_free(&c);
  vec_free(&accesses);
}

static struct live_path live;
static VEC(path) paths;

static enum judgement keep_path(void *ctx, enum rt_end end) {
  path p = {0};
  (void)ctx;
  (void)end;
  for (uint32_t i = 0; i < live.len; i++)
    vec_push(&p, live.at[i]);
  vec_push(&paths, p);
  return JUDGE_GOOD;
}

static void look_at_client(const struct client *c) {
  if (rt_prepare(engine.suite, c) != RT_DONE)
    return;
  struct explore x = {.judge = {keep_path, NULL},
                      .all = true,
                      .max_executions = TRACES,
                      .seed = 7,
                      .live = &live};
  explore_random(&x);
  vec_free(&x.bad);
  for (uint32_t i = 0; i < paths.len; i++) {
    struct trace t;
    arena_reset(&recording);
    engine_record_path(paths.at[i].at, paths.at[i].len, &recording, &t, NULL);
    look_at_trace(&t);
    vec_free(&paths.at[i]);
  }
  vec_clear(&paths);
}

struct job {
  const struct engine_object *object;
  const char *so, *with;
};

static void open_object(const struct job *job) {
  struct error e = {0};
  engine_open(job->so, &job->object->options);
  it.lines = lines_open(job->so, &e);
  it.flow = it.lines ? flow_open(it.lines, &e) : NULL;
  if (!it.flow)
    die("%s", e.text);
  it.scopes = scopes_open(it.lines, it.flow);
  it.loops.read = loops_read_source;
  it.plain = strstr(job->with, "-O0");
}

static void body(void *arg) {
  const struct job *job = arg;
  struct client c;
  struct rng rng = {5};
  struct gen_limits limits = {.threads = 2, .ops = 2, .init = 1};
  open_object(job);
  if (job->object->client) {
    engine_client(&c, job->object->client);
    look_at_client(&c);
  }
  struct generator *g = generator_new(&engine.object, &limits);
  for (uint32_t i = 0; i < CLIENTS; i++)
    if (generator_random(g, &rng, 2, 2, &c))
      look_at_client(&c);
  CHECK(it.traces > 0);
  if (job->object->text == helpers) /* what this test is about was there */
    CHECK(it.eliminators && it.inlined && it.nested && it.together &&
          it.rounds);
  if (test_errors)
    fprintf(stderr, "with %s, %s\n", job->object->name, job->with);
}

static void look_at(void (*how)(void *), const struct engine_object *o,
                    const char *cc, const char *opt) {
  char with[32];
  snprintf(with, sizeof with, "%s %s", cc, opt);
  engine_cc = cc;
  char *so = engine_build(o->text, opt);
  struct job job = {o, so, with};
  engine_child(how, &job);
  free(so);
}

/* ---- inlined or called ---- */

/*
 * Functions that were not inlined tell the truth about executions of those that
 * were.  A file holds, for each pair of accesses of an operation, the block in
 * each function that has both, the innermost one with a star.
 */
static const char *const alone[] = {"add(2)", "all()", "turn()", "grow(2)"};

static void block_at(const struct section_trace *s, struct segment g,
                     uint32_t depth, struct code_block *out) {
  const struct conflicts *c = s->conflicts;
  const struct node *from = &c->nodes[g.first], *to = &c->nodes[g.last];
  *out = (struct code_block){NULL, section_frames(s, g.first)[depth].function,
                             UINT32_MAX, 0};
  for (uint32_t p = from->pos; p <= to->pos; p++) {
    uint32_t line = section_frames(s, node_at(c, from->thread, p))[depth].line;
    out->first = line < out->first ? line : out->first;
    out->last = line > out->last ? line : out->last;
  }
}

static void print_pair(struct buf *out, const char *operation, struct segment g,
                       const char *star, const struct code_block *b) {
  buf_printf(out, "%s %u %u %s%s %u-%u\n", operation, g.first, g.last, star,
             b->function, b->first, b->last);
}

static void tell_pair(struct section_trace *s, const char *operation,
                      struct segment g, struct buf *truth) {
  uint32_t n = section_common(s, g);
  CHECK(n > 0);
  for (uint32_t depth = n; depth--;) {
    struct code_block b;
    block_at(s, g, depth, &b);
    print_pair(truth, operation, g, depth + 1 == n ? "*" : "", &b);
  }
}

static uint32_t pairs, deepest;

static void compare_pair(struct section_trace *s, const char *operation,
                         struct segment g, const char *truth) {
  struct code_block b;
  struct buf line = {0}, starred = {0};
  if (!CHECK(section_block(s, g, &b)))
    return;
  print_pair(&line, operation, g, "", &b);
  print_pair(&starred, operation, g, "*", &b);
  bool exact = strstr(truth, buf_text(&starred)) != NULL;
  pairs++;
  deepest += exact;
  if (!exact && !CHECK(strstr(truth, buf_text(&line))))
    fprintf(stderr, "  have %s", buf_text(&line));
  buf_free(&line);
  buf_free(&starred);
}

static void each_pair(const char *operation, bool tell, struct buf *truth) {
  struct client client;
  struct accesses accesses = {0};
  struct conflicts c;
  struct section_trace s;
  struct trace t;
  char text[64];
  snprintf(text, sizeof text, "{%s}", operation);
  engine_client(&client, text);
  if (!CHECK_INT(rt_prepare(engine.suite, &client), RT_DONE))
    return;
  arena_reset(&recording);
  engine_record_path(NULL, 0, &recording, &t, NULL);
  accesses_from_trace(&t, &accesses);
  conflicts_init(&c, accesses.at, accesses.len, 0);
  section_trace_init(&s, it.scopes, &t, &c);
  for (uint32_t i = 0; i < c.nnodes; i++)
    for (uint32_t k = i + 1; k < c.nnodes; k++)
      if (tell)
        tell_pair(&s, operation, (struct segment){i, k}, truth);
      else
        compare_pair(&s, operation, (struct segment){i, k}, buf_text(truth));
  section_trace_free(&s);
  conflicts_free(&c);
  vec_free(&accesses);
}

static void tell_or_compare(void *arg) {
  const struct job *job = arg;
  struct error e = {0};
  struct buf truth = {0};
  bool tell = job->object->text == called;
  open_object(job);
  if (!tell && buf_read_file(&truth, "truth", &e))
    die("%s", e.text);
  for (uint32_t i = 0; i < sizeof alone / sizeof *alone; i++)
    each_pair(alone[i], tell, &truth);
  if (tell && buf_write_file(&truth, "truth", &e))
    die("%s", e.text);
  if (!tell) /* not knowing is allowed, as an exception */
    CHECK(pairs > 300 && deepest > pairs * 9 / 10);
  if (test_errors)
    fprintf(stderr, "with %s: %u of %u are innermost\n", job->with, deepest,
            pairs);
  buf_free(&truth);
}

TEST(helpers_inlined_or_not_macros_loops_and_recursion) {
  static const struct engine_object mixed = {
      "mixed", helpers, true, {0}, "{add(2)} || {all(); turn()}", NULL};
  EACH_COMPILER(cc, opt) look_at(body, &mixed, cc, opt);
}

TEST(inlined_functions_are_blamed_as_if_they_had_been_called) {
  static const struct engine_object truth = {"called", called, 1, {0}, 0, 0},
                                    inlined = {"inlined", helpers, 1,
                                               {0},       0,       0};
  EACH_COMPILER(cc, opt) {
    look_at(tell_or_compare, &truth, cc, opt);
    look_at(tell_or_compare, &inlined, cc, opt);
  }
}

TEST(small_objects) {
  for (uint32_t i = 0; i < ENGINE_OBJECTS; i++)
    look_at(body, &engine_objects[i],
            i % 2 && scratch_has("clang") ? "clang" : "gcc",
            i % 3 == 0   ? "-O0"
            : i % 3 == 1 ? "-O1"
                         : "-O2");
}

TEST_MAIN
