/*
 * Reference implementations in C against the built-in types that they
 * implement: on random histories, right and wrong ones, stuck ones and such
 * with pending calls, the verdicts are the same, and where two histories stand
 * in the same place for the built-in type they do for the model.
 */
#include "engine.h"
#include "random_history.h"

#include "spec/reference.h"

enum { ROUNDS = 400 };

/* The operations of a row of random_history.h, in its order, with a body that
 * nobody runs. */
static const char head[] = "#include <faultline.h>\n"
                           "#include <stdbool.h>\n"
                           "#include <stdlib.h>\n"
                           "#include <string.h>\n";

static const char stack[] =
    "static void a(int v) { (void)v; } static int b(void) { return 0; }\n"
    "struct item { int v; struct item *below; };\n"
    "struct model { struct item *top; };\n"
    "static struct model *begin(void) { return calloc(1, 8); }\n"
    "static void push(struct model *m, int v) {\n"
    "  struct item *i = malloc(sizeof *i);\n"
    "  i->v = v; i->below = m->top; m->top = i; }\n"
    "static int pop(struct model *m) {\n"
    "  struct item *i = m->top; if (!i) return -1;\n"
    "  int v = i->v; m->top = i->below; free(i); return v; }\n"
    "FL_OBJECT(object) FL_OP(void, a, FL_INT(1, 3)) FL_OP(int, b)\n"
    "FL_SPEC(model, begin, a = push, b = pop)\n";

/* A global as the state, and calls that wait. */
static const char bounded[] =
    "static bool a(int v) { return v; } static int b(void) { return 0; }\n"
    "static int c(void) { return 0; } static int d(void) { return 0; }\n"
    "static int n, at[2];\n"
    "static void begin(void) { n = 0; }\n"
    "static bool push(int v) {\n"
    "  if (n == 2) return false; at[n++] = v; return true; }\n"
    "static int pop(void) { if (!n) fl_waits(); int v = at[--n]; at[n] = 0;\n"
    "  return v; }\n"
    "static int size(void) { return n; }\n"
    "static int top(void) { if (!n) fl_waits(); return at[n - 1]; }\n"
    "FL_OBJECT(object) FL_OP(bool, a, FL_INT(1, 3))\n"
    "FL_OP(int, b, FL_BLOCKING) FL_OP(int, c) FL_OP(int, d, FL_BLOCKING)\n"
    "FL_SPEC(model, begin, a = push, b = pop, c = size, d = top)\n";

static const char queue[] =
    "static void a(int v) { (void)v; } static int b(void) { return 0; }\n"
    "static int c(void) { return 0; }\n"
    "struct model { int n, *at; };\n"
    "static struct model *begin(void) { return calloc(1, 16); }\n"
    "static void put(struct model *m, int v) {\n"
    "  if (m->n == 2) fl_waits();\n"
    "  m->at = realloc(m->at, sizeof(int) * (m->n + 1));\n"
    "  m->at[m->n++] = v; }\n"
    "static int get(struct model *m) {\n"
    "  if (!m->n) fl_waits(); int v = m->at[0];\n"
    "  memmove(m->at, m->at + 1, sizeof(int) * --m->n);\n"
    "  if (m->n) m->at = realloc(m->at, sizeof(int) * m->n);\n"
    "  else { free(m->at); m->at = NULL; } return v; }\n"
    "static int first(struct model *m) { if (!m->n) fl_waits();\n"
    "  return m->at[0]; }\n"
    "FL_OBJECT(object) FL_OP(void, a, FL_INT(1, 3), FL_BLOCKING)\n"
    "FL_OP(int, b, FL_BLOCKING) FL_OP(int, c, FL_BLOCKING)\n"
    "FL_SPEC(model, begin, a = put, b = get, c = first)\n";

static const char map[] =
    "static bool a(int k, int v) { return k == v; }\n"
    "static int b(int k) { return k; } static bool c(int k) { return k; }\n"
    "static bool d(int k, int o, int n) { return k + o + n; }\n"
    "struct model { int at[8]; };\n"
    "static struct model *begin(void) { return calloc(1, 32); }\n"
    "static bool put(struct model *m, int k, int v) {\n"
    "  bool fresh = !m->at[k]; m->at[k] = v; return fresh; }\n"
    "static int get(struct model *m, int k) { return m->at[k]; }\n"
    "static bool removes(struct model *m, int k) {\n"
    "  bool there = m->at[k]; m->at[k] = 0; return there; }\n"
    "static bool cas(struct model *m, int k, int o, int n) {\n"
    "  if (!m->at[k] || m->at[k] != o) return false;\n"
    "  m->at[k] = n; return true; }\n"
    "FL_OBJECT(object) FL_OP(bool, a, FL_INT(1, 3), FL_INT(1, 3))\n"
    "FL_OP(int, b, FL_INT(1, 3)) FL_OP(bool, c, FL_INT(1, 3))\n"
    "FL_OP(bool, d, FL_INT(1, 3), FL_INT(1, 3), FL_INT(1, 3))\n"
    "FL_SPEC(model, begin, a = put, b = get, c = removes, d = cas)\n";

static const char counter[] =
    "static void a(void) {} static void b(void) {}\n"
    "static int c(void) { return 0; } static int d(int n) { return n; }\n"
    "static int e(void) { return 0; }\n"
    "struct model { int v; };\n"
    "static struct model *begin(void) { return calloc(1, 4); }\n"
    "static void inc(struct model *m) { m->v++; }\n"
    "static void dec(struct model *m) { m->v--; }\n"
    "static int get(struct model *m) { return m->v; }\n"
    "static int add(struct model *m, int n) { return (m->v += n) - n; }\n"
    "static int next(struct model *m) { return ++m->v; }\n"
    "FL_OBJECT(object) FL_OP(void, a) FL_OP(void, b) FL_OP(int, c)\n"
    "FL_OP(int, d, FL_INT(1, 3)) FL_OP(int, e)\n"
    "FL_SPEC(model, begin, a = inc, b = dec, c = get, d = add, e = next)\n";

/* The same as relations. */
static const char stack_relation[] =
    "static void a(int v) { (void)v; } static int b(void) { return 0; }\n"
    "struct model { int n, at[9]; };\n"
    "static struct model *begin(void) { return calloc(1, 40); }\n"
    "static bool push(struct model *m, int v) { m->at[m->n++] = v;\n"
    "  return true; }\n"
    "static bool pop(struct model *m, int result) {\n"
    "  int top = m->n ? m->at[m->n - 1] : -1;\n"
    "  if (m->n) m->at[--m->n] = 0; /* undone when it is not allowed */\n"
    "  return result == top; }\n"
    "FL_OBJECT(object) FL_OP(void, a, FL_INT(1, 3)) FL_OP(int, b)\n"
    "FL_SPEC(relation, begin, a = push, b = pop)\n";

static const char set_relation[] =
    "static bool a(int v) { return v; } static bool b(int v) { return v; }\n"
    "static int c(int v) { return v; }\n"
    "struct model { bool at[8]; };\n"
    "static struct model *begin(void) { return calloc(1, 8); }\n"
    "static bool add(struct model *m, int v, bool result) {\n"
    "  bool fresh = !m->at[v]; m->at[v] = true; return result == fresh; }\n"
    "static bool removes(struct model *m, int v, bool result) {\n"
    "  bool there = m->at[v]; m->at[v] = false; return result == there; }\n"
    "static bool has(struct model *m, int v, int result) {\n"
    "  return result == m->at[v]; }\n"
    "FL_OBJECT(object) FL_OP(bool, a, FL_INT(1, 3))\n"
    "FL_OP(bool, b, FL_INT(1, 3)) FL_OP(int, c, FL_INT(1, 3))\n"
    "FL_SPEC(relation, begin, a = add, b = removes, c = has)\n";

/* What may be handed out in any order, as a model that chooses and as a
 * relation: they agree with each other, on the histories of a stack. */
static const char bag[] =
    "static void a(int v) { (void)v; } static int b(void) { return 0; }\n"
    "struct model { int n[4]; };\n"
    "static struct model *begin(void) { return calloc(1, 16); }\n"
    "static void push(struct model *m, int v) { m->n[v]++; }\n"
    "static int pop(struct model *m) {\n"
    "  int kinds = !!m->n[1] + !!m->n[2] + !!m->n[3], v = 0;\n"
    "  if (!kinds) return -1;\n"
    "  for (int k = 1 + fl_choose(kinds); k; ) k -= !!m->n[++v];\n"
    "  m->n[v]--; return v; }\n"
    "static bool allows_push(struct model *m, int v) { m->n[v]++;\n"
    "  return true; }\n"
    "static bool allows_pop(struct model *m, int r) {\n"
    "  if (r == -1) return m->n[1] + m->n[2] + m->n[3] == 0;\n"
    "  return r >= 1 && r <= 3 && m->n[r]-- > 0; }\n"
    "FL_OBJECT(object) FL_OP(void, a, FL_INT(1, 3)) FL_OP(int, b)\n"
    "FL_SPEC(relation, begin, a = allows_push, b = allows_pop)\n"
    "FL_OBJECT(other) FL_OP(void, a, FL_INT(1, 3)) FL_OP(int, b)\n"
    "FL_SPEC(model, begin, a = push, b = pop)\n";

static struct pair {
  const char *text;
  uint32_t row; /* of random_history.h */
  char *so;
} pairs[] = {{stack, 0, NULL},        {bounded, 1, NULL},
             {queue, 3, NULL},        {map, 6, NULL},
             {counter, 9, NULL},      {stack_relation, 0, NULL},
             {set_relation, 5, NULL}, {bag, 0, NULL}};

struct sides {
  struct spec *of[2];  /* the model or relation, what it is compared with */
  struct spec *source; /* of histories: the built-in type */
  struct check check[2];
  struct map128 standing;             /* the built-in type's → an index */
  VEC(struct hash128) model_standing; /* by that index */
  uint32_t answers[4], stuck, pending, guessed, alike;
};

static void compare_standing(struct sides *s, const struct history *h,
                             const struct row *row) {
  struct hash128 at[2];
  bool known[2], fresh;
  for (int i = 0; i < 2; i++)
    known[i] = check_standing(h, s->of[i], 4096, &at[i]);
  if (!CHECK_INT(known[0], known[1]))
    show(h, row);
  if (!known[0] || !known[1])
    return;
  /* Which calls were made is not a part of it. */
  uint64_t made[2] = {0};
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    made[0] |= (uint64_t)!hop_pending(&h->ops[i]) << i;
  struct hash128 key = hash128_join(at[1], hash128(made, sizeof made, 0));
  uint32_t *slot = map128_put(&s->standing, key, &fresh);
  if (fresh) {
    *slot = s->model_standing.len;
    vec_push(&s->model_standing, at[0]);
    return;
  }
  s->alike++;
  if (!CHECK(hash128_equal(s->model_standing.at[*slot], at[0])))
    show(h, row);
}

static void compare_histories(struct sides *s, const struct row *row) {
  struct hop ops[MAX_CALLS];
  struct history h = {.ops = ops};
  struct client c;
  random_client(&c, row, count_ops(row));
  map128_clear(&s->standing);
  vec_clear(&s->model_standing);
  for (int round = 0; round < 6; round++) {
    random_history(&h, s->source, &c);
    for (uint32_t n = round % 3; n--;)
      spoil(&h);
    for (int i = 0; i < 2; i++)
      check_linearize(&h, s->of[i], CRITERION_LINEARIZABLE, 0, &s->check[i]);
    s->answers[s->check[1].answer]++;
    s->stuck += h.stuck;
    uint32_t pending = 0;
    for (uint32_t i = 0; i < c.ncalls; i++)
      pending += hop_called(&ops[i]) && hop_pending(&ops[i]);
    s->pending += pending;
    /* A relation does not know all results of a call that is pending. */
    if (s->of[0]->guesses && pending && s->check[0].answer == CHECK_UNKNOWN) {
      s->guessed++;
      if (!CHECK_INT(s->check[1].answer, CHECK_NO))
        show(&h, row);
    } else if (!CHECK_INT(s->check[0].answer, s->check[1].answer)) {
      show(&h, row);
    }
    if (s->check[1].answer == CHECK_YES && !h.stuck && !s->of[0]->guesses)
      compare_standing(s, &h, row);
    if (test_errors)
      break;
  }
  client_free(&c);
}

static void compare(void *arg) {
  const struct pair *p = arg;
  const struct row *row = &rows[p->row];
  struct suite suite;
  struct error e = {0};
  struct sides s = {0};
  rng.state = 11 + p->row;
  engine_open(p->so, NULL);
  s.of[0] = spec_reference(engine.suite, NULL, NULL, &e);
  CHECK_STR(e.text, "");
  s.source = row_spec(row, &suite, &e);
  s.of[1] = engine.suite->next
                ? spec_reference(engine.suite->next, NULL, NULL, &e)
                : s.source;
  if (!CHECK(s.of[0] && s.of[1]))
    return;
  for (uint32_t i = 0; i < ROUNDS && !test_errors; i++)
    compare_histories(&s, row);
  /* The test compares what it says. */
  CHECK(s.answers[CHECK_YES] > 200 && s.answers[CHECK_NO] > 100);
  CHECK(s.pending > 50);
  CHECK(s.of[0]->guesses ? s.guessed > 20 : s.alike > 100);
  CHECK((p->row != 1 && p->row != 3) || s.stuck > 100);
  spec_free(s.source);
  spec_free(s.of[0]);
  if (s.of[1] != s.source)
    spec_free(s.of[1]);
  for (int i = 0; i < 2; i++)
    check_free(&s.check[i]);
}

TEST(a_model_in_c_agrees_with_the_type_that_it_implements) {
  for (size_t i = 0; i < LEN(pairs); i++) {
    char *text = xasprintf("%s%s", head, pairs[i].text);
    pairs[i].so = engine_build(text, NULL);
    engine_child(compare, &pairs[i]);
    free(pairs[i].so);
    free(text);
  }
}

TEST_MAIN
