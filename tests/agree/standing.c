/*
 * Where a history stands (check_standing), against the definition: two
 * beginnings of histories of one client with the same operations returned and
 * open, and equal standings, have the same continuations that an order
 * explains.  All beginnings, and all continuations, of random small clients are
 * gone through.
 *
 * And the search over states that goes by it (src/cli/judge.c) against the one
 * that compares whole histories: as many interleavings, as many of them bad,
 * and the same fewest switches.
 */
#include "engine_objects.h"
#include "random_program.h"
#include "random_spec.h"

#include "hunt/checker.h"

#include <sys/mman.h>

/* ---- histories ---- */

enum { TREES = 25, MOST_RESULTS = 3, TREE_CALLS = 4 };

struct trees {
  uint64_t beginnings, alike, good, bad;
};

struct tree {
  struct spec *s;
  struct history h;
  struct hop ops[MAX_CALLS];
  uint32_t now;
  VEC(struct value) results[MAX_CALLS]; /* that a call may have */
  struct map128 known;                  /* what stands where it stands … */
  VEC(struct hash128) futures;          /* … and how it can go on */
  struct check check;
  struct trees *sum;
};

static void learn_result(struct tree *t, uint32_t id, struct value v) {
  bool is_new = t->results[id].len < MOST_RESULTS;
  for (uint32_t i = 0; i < t->results[id].len; i++)
    is_new &= !value_equal(t->results[id].at[i], v);
  if (is_new)
    vec_push(&t->results[id], v);
}

/* What the calls return in some order. */
static void learn_results(struct tree *t) {
  const struct client *c = t->h.client;
  for (int round = 0; round < 40; round++) {
    uint32_t state = t->s->initial, next;
    for (int step = 0; step < 6; step++) {
      uint32_t id = (uint32_t)rng_below(&rng, c->ncalls), which = 0;
      struct value v;
      if (t->s->choose)
        which = (uint32_t)rng_below(&rng, 3);
      if (spec_choose(t->s, c, state, id, NULL, which, &v, &next) !=
          SPEC_RETURNS)
        continue;
      state = next;
      learn_result(t, id, v);
    }
  }
}

/* The operations that were called, and those that returned, and where it
 * stands. */
static struct hash128 key(struct tree *t) {
  uint64_t what[2] = {0, 0};
  struct hash128 standing;
  for (uint32_t i = 0; i < t->h.client->ncalls; i++) {
    what[0] |= (uint64_t)hop_called(&t->ops[i]) << i;
    what[1] |= (uint64_t)!hop_pending(&t->ops[i]) << i;
  }
  CHECK(check_standing(&t->h, t->s, UINT32_MAX, &standing));
  return hash128_join(hash128(what, sizeof what, 0), standing);
}

static struct hash128 leaf(struct tree *t) {
  check_linearize(&t->h, t->s, CRITERION_LINEARIZABLE, 0, &t->check);
  CHECK(t->check.answer == CHECK_YES || t->check.answer == CHECK_NO);
  *(t->check.answer == CHECK_YES ? &t->sum->good : &t->sum->bad) += 1;
  return (struct hash128){t->check.answer, 1};
}

static struct hash128 future(struct tree *t);

/* Behind the next event of the thread of this call, with each result. */
static struct hash128 behind(struct tree *t, uint32_t id) {
  struct hop *o = &t->ops[id], before = *o;
  struct hash128 sum = {id, 2};
  t->now++;
  if (!hop_called(o)) {
    o->call = t->now;
    sum = hash128_join(sum, future(t));
  } else {
    o->ret = t->now;
    for (uint32_t i = 0; i < t->results[id].len; i++) {
      o->result = t->results[id].at[i];
      sum = hash128_join(sum, future(t));
    }
  }
  *o = before;
  t->now--;
  return sum;
}

/* All that can follow, and which of it is explained. */
static struct hash128 future(struct tree *t) {
  const struct client *c = t->h.client;
  struct hash128 sum = {0, 0};
  bool ends = true;
  for (uint32_t id = c->ninit, thread = 0; id < c->ncalls; id++) {
    if (!hop_pending(&t->ops[id]) || c->calls[id].thread == thread)
      continue;
    thread = c->calls[id].thread; /* the first of it that has not returned */
    ends = false;
    sum = hash128_join(sum, behind(t, id));
  }
  if (ends)
    sum = leaf(t);
  bool fresh;
  uint32_t *at = map128_put(&t->known, key(t), &fresh);
  t->sum->beginnings++;
  if (fresh) {
    *at = t->futures.len;
    vec_push(&t->futures, sum);
  } else {
    t->sum->alike++;
    CHECK(hash128_equal(t->futures.at[*at], sum));
  }
  return sum;
}

static bool begin(struct tree *t) {
  const struct client *c = t->h.client;
  uint32_t state = t->s->initial;
  for (uint32_t i = 0; i < c->ncalls; i++)
    t->ops[i] = (struct hop){HISTORY_PENDING, HISTORY_PENDING, {0, 0}};
  for (uint32_t i = 0; i < c->ninit; i++) {
    if (spec_choose(t->s, c, state, i, NULL, 0, &t->ops[i].result, &state) !=
        SPEC_RETURNS)
      return false;
    t->ops[i].call = t->now++;
    t->ops[i].ret = t->now++;
  }
  learn_results(t);
  for (uint32_t i = c->ninit; t->s->may_fail && i < c->ncalls; i++)
    if (t->s->may_fail[c->calls[i].op]) {
      t->results[i].len -= t->results[i].len == MOST_RESULTS;
      learn_result(t, i, value_int(0));
    }
  return true;
}

static void try_client(struct spec *s, const struct client *c,
                       struct trees *sum) {
  struct tree t = {.s = s, .h = {.client = c}, .sum = sum};
  t.h.ops = t.ops;
  if (begin(&t))
    future(&t);
  for (uint32_t i = 0; i < MAX_CALLS; i++)
    vec_free(&t.results[i]);
  vec_free(&t.futures);
  map128_free(&t.known);
  check_free(&t.check);
}

static void small_client(struct client *c, const struct row *row,
                         uint32_t nops) {
  *c = (struct client){0};
  for (uint32_t i = (uint32_t)rng_below(&rng, 3); i; i--)
    client_add_init(c, random_call(row, nops, 2));
  uint32_t threads = 2 + (uint32_t)rng_below(&rng, 2), left = TREE_CALLS;
  for (uint32_t t = 1; t <= threads; t++) {
    uint32_t n = t == threads ? left : left + t > threads + 1 ? 2 : 1;
    for (left -= n; n; n--)
      client_add(c, t, random_call(row, nops, 2));
  }
}

TEST(histories_that_stand_alike_go_on_alike) {
  for (unsigned i = 0; i < LEN(rows) && test_errors < 5; i++) {
    struct suite suite;
    struct error e = {0};
    struct trees sum = {0};
    uint32_t nops = count_ops(&rows[i]);
    rng.state = 100 + i;
    struct spec *s =
        spec_builtin(suite_make(&suite, rows[i].type, rows[i].roles,
                                rows[i].ops, nops, 1, 2),
                     &e);
    if (!CHECK_STR(e.text, ""))
      continue;
    for (int k = 0; k < TREES && test_errors < 5; k++) {
      struct client c;
      struct unreasoned u;
      small_client(&c, &rows[i], nops);
      if (k % 2)
        unreasoned_take(&u, s, &rows[i], nops);
      try_client(s, &c, &sum);
      s->may_fail = NULL;
      client_free(&c);
    }
    printf("%s: %llu beginnings, %llu stand where others do; %llu explained, "
           "%llu not\n",
           rows[i].type, (unsigned long long)sum.beginnings,
           (unsigned long long)sum.alike, (unsigned long long)sum.good,
           (unsigned long long)sum.bad);
    /* Else nothing is compared. */
    CHECK(sum.alike > sum.beginnings / 4);
    CHECK(sum.good > 100 && sum.bad > 100);
    spec_free(s);
  }
}

TEST(histories_that_stand_alike_go_on_alike_where_there_are_choices) {
  struct trees sum = {0};
  rng.state = 90;
  for (int k = 0; k < 3 * TREES && test_errors < 5; k++) {
    struct vague v;
    struct client c;
    vague_init(&v, 10, 0);
    small_client(&c, &vague_row, VAGUE_OPS);
    try_client(&v.spec, &c, &sum);
    client_free(&c);
  }
  CHECK(sum.alike > sum.beginnings / 4);
  CHECK(sum.good > 100 && sum.bad > 100);
}

TEST(what_it_takes_too_long_to_find_is_not_known) {
  struct suite suite;
  struct error e = {0};
  uint32_t nops = count_ops(&rows[0]);
  struct spec *s = spec_builtin(
      suite_make(&suite, rows[0].type, rows[0].roles, rows[0].ops, nops, 1, 2),
      &e);
  struct client c = {0};
  struct hop ops[3];
  struct history h = {.client = &c, .ops = ops};
  struct hash128 out;
  for (uint32_t t = 1; t <= 3; t++) {
    client_add(&c, t, (struct call){.op = 0, .nargs = 1, .args = {t}});
    ops[t - 1] = (struct hop){t, HISTORY_PENDING, {0, 0}};
  }
  /* Each subset in each order: 1 + 3 + 6 + 6. */
  CHECK(check_standing(&h, s, 16, &out));
  CHECK(!check_standing(&h, s, 10, &out));
  s->digest = NULL;
  CHECK(!check_standing(&h, s, 16, &out));
  client_free(&c);
  spec_free(s);
}

/* ---- the engine ---- */

/* Sanitizers make it several times slower: less of the same then. */
#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 6, PROGRAMS = 3 };
#else
enum { CLIENTS = 20, PROGRAMS = 10 };
#endif
enum { MOST_STATES = 20000 };

struct searched {
  enum explore_end end;
  uint64_t states, interleavings, bad, cut;
  uint32_t switches; /* the fewest */
};

static struct searched search(const struct client *c, struct spec *s,
                              bool implementation, bool guards, bool standing) {
  struct searched r = {.end = EXPLORE_STOPPED};
  if (rt_prepare(engine.suite, c) != RT_DONE)
    return r;
  struct checker j = {
      .suite = engine.suite, .spec = s, .implementation = implementation};
  checker_client(&j, c);
  struct explore x = {.judge = checker_judge(&j),
                      .max_states = MOST_STATES,
                      .all = true,
                      .graph = true,
                      .guards = guards};
  CHECK(x.judge.standing != NULL);
  if (!standing)
    x.judge.standing = NULL;
  r.end = explore_stateful(&x);
  r.states = x.states;
  r.interleavings = x.interleavings;
  r.bad = x.bad_interleavings;
  r.cut = x.cut;
  r.switches = x.bad.len ? x.bad_switches : UINT32_MAX;
  vec_free(&x.bad);
  checker_free(&j);
  return r;
}

struct agreement {
  uint32_t compared, fewer, bad;
};

static bool compare(const struct client *c, struct agreement *sum) {
  struct error e = {0};
  struct spec *s = spec_builtin(engine.suite, &e);
  bool implementation = !s, ok = CHECK_STR(e.text, "");
  if (!s)
    s = spec_implementation();
  for (int guards = 0; guards < 2 && ok; guards++) {
    struct searched whole = search(c, s, implementation, guards, false),
                    by_standing = search(c, s, implementation, guards, true);
    if (whole.end != EXPLORE_ALL || whole.cut)
      break;
    ok &= CHECK_INT(by_standing.end, EXPLORE_ALL);
    ok &= CHECK_INT(by_standing.interleavings, whole.interleavings);
    ok &= CHECK_INT(by_standing.bad, whole.bad);
    ok &= CHECK_INT(by_standing.switches, whole.switches);
    ok &= CHECK(by_standing.states <= whole.states);
    sum->compared++;
    sum->fewer += by_standing.states < whole.states;
    sum->bad += whole.bad != 0;
  }
  if (!ok)
    fprintf(stderr, "  client %s\n", engine_text(c));
  spec_free(s);
  return ok;
}

static struct agreement compare_random(uint64_t seed) {
  struct agreement sum = {0};
  struct rng r = {seed};
  struct gen_limits limits = {.threads = 3, .ops = 3, .init = 2};
  struct generator *g = generator_new(&engine.object, &limits);
  bool ok = true;
  for (uint32_t i = 0; i < CLIENTS && ok; i++) {
    struct client c, whole;
    uint32_t threads = 2 + (uint32_t)rng_below(&r, 2);
    uint32_t ops = 1 + (uint32_t)rng_below(&r, threads == 2 ? 3 : 2);
    if (!generator_random(g, &r, threads, ops, &c))
      break;
    generate_final(&engine.object, &c, &whole);
    ok = compare(&whole, &sum);
    client_free(&c);
    client_free(&whole);
  }
  generator_free(g);
  return sum;
}

/* Out of the child. */
static struct agreement *total;

static void add_up(struct agreement sum) {
  total->compared += sum.compared;
  total->fewer += sum.fewer;
  total->bad += sum.bad;
}

static void compare_object(void *arg) {
  struct engine_object *o = arg;
  engine_open(o->so, &o->options);
  struct agreement sum = compare_random(1);
  if (o->client) {
    struct client c = {0};
    engine_client(&c, o->client);
    compare(&c, &sum);
    client_free(&c);
  }
  CHECK(sum.compared > 0);
  add_up(sum);
  if (test_errors)
    fprintf(stderr, "  object: %s\n", o->name);
}

static void begin_total(void) {
  total = mmap(NULL, sizeof *total, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void end_total(void) {
  printf("%u compared, %u with fewer states, %u with bad executions\n",
         total->compared, total->fewer, total->bad);
  /* Else nothing is compared. */
  CHECK(total->fewer > total->compared / 10);
  CHECK(total->bad > total->compared / 10);
  munmap(total, sizeof *total);
}

TEST(searches_of_objects_agree) {
  begin_total();
  for (size_t i = 0; i < ENGINE_OBJECTS; i++) {
    struct engine_object *o = &engine_objects[i];
    o->so = engine_build(o->text, "-O1");
    engine_child(compare_object, o);
    free(o->so);
  }
  end_total();
}

static const char deque[] =
    "#include <faultline.h>\n"
    "static int at[16], left, right;\n"
    "static void begin(void) { left = right = 8; }\n"
    "static void end(void) {}\n"
    "static void push_left(int v) { at[--left] = v; }\n"
    "static void push_right(int v) { int r = right; at[r] = v;\n"
    "  right = r + 1; }\n"
    "static int pop_left(void) { int l = left;\n"
    "  if (l == right) return -1;\n"
    "  left = l + 1; return at[l]; }\n"
    "static int pop_right(void) { if (left == right) return -1;\n"
    "  return at[__atomic_sub_fetch(&right, 1, __ATOMIC_SEQ_CST)]; }\n"
    "FL_OBJECT(deque, begin, end)\n"
    "FL_OP(void, push_left, FL_INT(1, 2))\n"
    "FL_OP(void, push_right, FL_INT(1, 2))\n"
    "FL_OP(int, pop_left)\nFL_OP(int, pop_right)\n"
    "FL_SPEC(deque, push_left = push_left, push_right = push_right,\n"
    "  pop_left = pop_left, pop_right = pop_right, empty = -1)\n";

TEST(searches_of_an_object_with_a_type_agree) {
  struct engine_object o = {.name = "deque", .text = deque};
  begin_total();
  o.so = engine_build(o.text, "-O1");
  engine_child(compare_object, &o);
  free(o.so);
  end_total();
}

struct program {
  char *so;
  uint64_t seed;
  const char *text;
};

static void compare_program(void *arg) {
  struct program *p = arg;
  engine_open(p->so, NULL);
  add_up(compare_random(p->seed));
  if (test_errors)
    fprintf(stderr, "  seed %llu of\n%s\n", (unsigned long long)p->seed,
            p->text);
}

TEST(searches_of_random_programs_agree) {
  const char *more = getenv("PROGRAMS"); /* to search for longer by hand */
  uint64_t programs = more ? strtoull(more, NULL, 10) : PROGRAMS;
  begin_total();
  for (uint64_t seed = 1; seed <= programs && !test_errors; seed++) {
    struct rng r = {seed};
    struct buf text = {0};
    (seed % 2 ? random_program : random_locks)(&r, &text);
    struct program p = {.seed = seed, .text = buf_text(&text)};
    p.so = engine_build(p.text, seed % 3 ? "-O1" : "-O2");
    engine_child(compare_program, &p);
    free(p.so);
    buf_free(&text);
  }
  end_total();
}

TEST_MAIN
