/*
 * The exact engines against the definition, on random small logs of all shapes:
 * linearizable and not, with pending operations, with known orders, with types
 * that have several next states, with types whose states are dropped all the
 * time.  Compared are the verdict, the shortest bad prefix and how much the
 * longest order of the depth-first search explains; orders are verified, cores
 * checked by the definition.  Hitting families of all depths must agree, too.
 */
#include "history/hitting/hitting.h"
#include "log_types.h"
#include "oracle/log_brute.h"
#include "random_log.h"
#include "test.h"

#ifdef __SANITIZE_ADDRESS__ /* ten times slower */
enum { ROUNDS = 2000, LARGER = 200 };
#else
enum { ROUNDS = 14000, LARGER = 1000 };
#endif
enum { MOST_OPS = 8 };

static const struct {
  const char *log, *type;
} shapes[] = {{"register", "register"},
              {"cas-register", "cas-register"},
              {"register", "blurred"},
              {"queue", "queue"},
              {"queue", "bag"},
              {"stack", "stack"},
              {"set", "set"},
              {"counter", "counter"},
              {"map", "map"}};
#define NSHAPES (sizeof shapes / sizeof *shapes)

static struct rng rng;

struct tally {
  uint32_t yes, no;
  uint32_t pending[2], hinted[2]; /* linearizable, not */
  uint32_t forgotten;
};

static void show(const struct log_problem *p) {
  struct buf b = {0};
  for (uint32_t i = 0; i < p->nops; i++) {
    const struct log_op *o = p->ops[i].op;
    buf_printf(&b, "  [%u, %d] ", o->call,
               o->ret == LOG_PENDING ? -1 : (int)o->ret);
    log_print_op(p->log, o, &b);
    if (o->order != LOG_NO_HINT)
      buf_printf(&b, " order %u", (unsigned)o->order);
    buf_putc(&b, '\n');
  }
  fprintf(stderr, "%s:\n%s", p->type->shape, buf_text(&b));
  buf_free(&b);
}

/* The core alone, with the same times. */
static bool core_is_bad(const struct log_problem *p,
                        const struct log_answer *a) {
  struct log_problem core = *p;
  struct log_answer brute = {0};
  uint32_t last = 0;
  core.ops = xcalloc(p->nops + 1, sizeof *core.ops);
  core.nops = 0;
  for (uint32_t i = 0; i < a->core.len; i++) {
    assert(i == 0 || a->core.at[i] > last); /* sorted */
    last = a->core.at[i];
    core.ops[core.nops++] = p->ops[last];
  }
  check_log_brute(&core, &brute);
  bool bad = brute.verdict == LOG_VIOLATION;
  log_answer_free(&brute);
  free(core.ops);
  return bad;
}

static bool same(const struct log_problem *p, const struct log_answer *brute,
                 const struct log_answer *a, bool parts) {
  bool ok = CHECK_INT(a->verdict, brute->verdict);
  if (!ok)
    return false;
  const char *fault =
      order_fault(p, a->order.at, a->order.len, a->verdict == LOG_LINEARIZABLE);
  ok &= CHECK_STR(fault, NULL);
  if (a->verdict != LOG_VIOLATION)
    return ok;
  ok &= CHECK_INT(a->at, brute->at);
  ok &= CHECK(core_is_bad(p, a));
  /* The frontier's order is one that comes furthest in time; that of several
   * parts ends with the first of them. */
  uint32_t n = order_completed(p, a), most = order_completed(p, brute);
  if (!strcmp(a->method, "linearize") && !parts)
    return ok & CHECK_INT(n, most);
  return ok & CHECK(n <= most);
}

/* As the tool does it: monitors, which may not know all that search does. */
static bool agree_as_used(const struct log_problem *p,
                          const struct log_answer *brute) {
  struct log_options o = {.want_order = true};
  struct log_answer a = {0};
  check_log(p, &o, &a);
  bool ok = CHECK_INT(a.verdict, brute->verdict);
  if (ok && a.verdict == LOG_LINEARIZABLE)
    ok &= CHECK_STR(order_fault(p, a.order.at, a.order.len, true), NULL);
  else if (ok && a.at != UINT32_MAX)
    ok &= CHECK_INT(a.at, brute->at);
  log_answer_free(&a);
  return ok;
}

/* Families of all depths know the answer, unless operations are pending. */
static bool agree_hitting(const struct log_problem *p,
                          const struct log_answer *brute) {
  struct log_budget none = {0};
  struct hitting h;
  bool pending = false;
  if (p->nops > 6)
    return true;
  for (uint32_t i = 0; i < p->nops; i++)
    pending |= p->ops[i].op->ret == LOG_PENDING;
  check_hitting(p, 0, false, &none, &h);
  bool ok = pending && h.verdict == LOG_UNKNOWN
                ? CHECK(h.limit != NULL)
                : CHECK_INT(h.verdict, brute->verdict);
  if (h.verdict == LOG_LINEARIZABLE)
    ok &= CHECK_STR(order_fault(p, h.order.at, h.order.len, true), NULL);
  hitting_free(&h);
  return ok;
}

static bool agree(const struct log_problem *p, const struct log_answer *brute) {
  struct log_budget none = {0};
  struct log_answer a = {0};
  bool ok = true;
  check_frontier(p, &none, true, &a);
  ok &= same(p, brute, &a, false);
  check_depth_first(p, &none, true, &a);
  ok &= same(p, brute, &a, false);
  check_exact(p, &none, true, &a);
  ok &= same(p, brute, &a, false);
  for (int parts = 0; parts < 2; parts++) {
    struct log_options o = {
        .no_monitor = true, .no_partition = !parts, .want_order = true};
    check_log(p, &o, &a);
    ok &= same(p, brute, &a, parts);
  }
  log_answer_free(&a);
  return ok;
}

static void count(struct tally *t, const struct log_problem *p,
                  const struct log_answer *a) {
  bool pending = false, hinted = false;
  for (uint32_t i = 0; i < p->nops; i++) {
    pending |= p->ops[i].op->ret == LOG_PENDING;
    hinted |= p->ops[i].op->order != LOG_NO_HINT;
  }
  bool no = a->verdict == LOG_VIOLATION;
  *(no ? &t->no : &t->yes) += 1;
  t->pending[no] += pending;
  t->hinted[no] += hinted;
}

/* Orders that are known of some operations: those of a witness, or not. */
static void give_hints(struct log *l, const struct log_answer *a) {
  bool wrong = rng_below(&rng, 3) == 0;
  for (uint32_t i = 0; i < a->order.len; i++)
    if (rng_below(&rng, 100) < 60)
      l->ops.at[a->order.at[i]].order = 10 + i / (1 + i % 2);
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    if ((wrong || o->ret == LOG_PENDING) && rng_below(&rng, 100) < 30)
      o->order = 8 + rng_below(&rng, l->ops.len + 4);
  }
}

static void one_log(struct type *t, const char *shape, uint64_t seed,
                    struct tally *tally) {
  struct log_answer brute = {0};
  struct log_problem p;
  struct error e = {0};
  struct random_log want = {
      .shape = shape,
      .seed = seed,
      .operations = 1 + (uint32_t)rng_below(&rng, MOST_OPS),
      .processes = 1 + (uint32_t)rng_below(&rng, 4),
      .values = 1 + (uint32_t)rng_below(&rng, 3),
      .keys = 1 + (uint32_t)rng_below(&rng, 3),
      .pending = rng_below(&rng, 2) ? (uint32_t)rng_below(&rng, 50) : 0,
      .mutations = (uint32_t)rng_below(&rng, 4)};
  struct log l = random_log(&want);
  if (!CHECK(log_problem_make(&p, &l, t, &e)))
    return;
  check_log_brute(&p, &brute);
  if (rng_below(&rng, 3) == 0) {
    give_hints(&l, &brute);
    check_log_brute(&p, &brute);
  }
  count(tally, &p, &brute);
  bool built_in = t->free; /* monitors rely on its roles */
  if (!agree(&p, &brute) || !agree_hitting(&p, &brute) ||
      (built_in && !agree_as_used(&p, &brute))) {
    fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    show(&p);
  }
  log_answer_free(&brute);
  free(p.ops);
  log_free(&l);
}

TEST(engines_answer_like_brute) {
  struct tally all = {0};
  for (uint32_t s = 0; s < NSHAPES; s++) {
    struct tally t = {0};
    rng.state = 77 + s;
    for (uint32_t i = 0; i < ROUNDS && test_errors < 5; i++) {
      struct toy toy;
      toy_init(&toy, shapes[s].type);
      toy.state_bytes = i % 2 ? 600 << 10 : 16;
      one_log(&toy.type, shapes[s].log, (uint64_t)s << 32 | i, &t);
      all.forgotten += toy.forgotten;
      toy_free(&toy);
    }
    printf("%s: %u linearizable, %u not\n", shapes[s].type, t.yes, t.no);
    CHECK(t.yes > ROUNDS / 10);
    CHECK(t.no > ROUNDS / 20);
    for (int k = 0; k < 2; k++) {
      all.pending[k] += t.pending[k];
      all.hinted[k] += t.hinted[k];
    }
  }
  printf("pending: %u and %u, hinted: %u and %u, states dropped %u times\n",
         all.pending[0], all.pending[1], all.hinted[0], all.hinted[1],
         all.forgotten);
  for (int k = 0; k < 2; k++) {
    CHECK(all.pending[k] > ROUNDS / 10);
    CHECK(all.hinted[k] > ROUNDS / 10);
  }
  CHECK(all.forgotten > ROUNDS / 10);
}

/* The types of the tool itself. */
TEST(engines_answer_like_brute_with_built_in_types) {
  for (uint32_t s = 0; random_log_shapes[s]; s++) {
    struct error e = {0};
    struct tally t = {0};
    rng.state = 177 + s;
    for (uint32_t i = 0; i < ROUNDS / 4 && test_errors < 5; i++) {
      /* A new one now and then: an old one has numbered most states. */
      struct type *type = type_open(random_log_shapes[s], DATUM_NONE, &e);
      if (!CHECK_STR(e.text, ""))
        break;
      for (uint32_t k = 0; k < 4 && test_errors < 5; k++)
        one_log(type, random_log_shapes[s], (uint64_t)s << 40 | (i * 4 + k),
                &t);
      type_free(type);
    }
    CHECK(t.yes > ROUNDS / 10);
    CHECK(t.no > ROUNDS / 20);
  }
}

/* Larger ones, where the definition has no chance: the two against each other.
 */
static void two_engines(struct type *t, const char *shape, uint64_t seed,
                        uint32_t decided[2]) {
  struct log_budget enough = {.steps = 100000};
  struct log_answer a = {0}, b = {0};
  struct log_problem p;
  struct error e = {0};
  struct random_log want = {
      .shape = shape,
      .seed = seed,
      .operations = 10 + (uint32_t)rng_below(&rng, 30),
      .processes = 2 + (uint32_t)rng_below(&rng, 6),
      .values = 1 + (uint32_t)rng_below(&rng, 4),
      .pending = rng_below(&rng, 2) ? (uint32_t)rng_below(&rng, 15) : 0,
      .mutations = (uint32_t)rng_below(&rng, 3)};
  struct log l = random_log(&want);
  if (!CHECK(log_problem_make(&p, &l, t, &e)))
    return;
  check_frontier(&p, &enough, true, &a);
  check_depth_first(&p, &enough, true, &b);
  if (a.verdict != LOG_UNKNOWN && b.verdict != LOG_UNKNOWN) {
    decided[a.verdict]++;
    bool ok = CHECK_INT(a.verdict, b.verdict);
    if (a.at != UINT32_MAX && b.at != UINT32_MAX)
      ok &= CHECK_INT(a.at, b.at);
    bool whole = a.verdict == LOG_LINEARIZABLE;
    ok &= CHECK_STR(order_fault(&p, a.order.at, a.order.len, whole), NULL);
    ok &= CHECK_STR(order_fault(&p, b.order.at, b.order.len, whole), NULL);
    if (!ok) {
      fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
      show(&p);
    }
  }
  log_answer_free(&a);
  log_answer_free(&b);
  free(p.ops);
  log_free(&l);
}

TEST(engines_agree_on_larger_logs) {
  for (uint32_t s = 0; random_log_shapes[s]; s++) {
    struct error e = {0};
    uint32_t decided[2] = {0};
    struct type *type = type_open(random_log_shapes[s], DATUM_NONE, &e);
    if (!CHECK_STR(e.text, ""))
      break;
    rng.state = 277 + s;
    for (uint32_t i = 0; i < LARGER && test_errors < 5; i++)
      two_engines(type, random_log_shapes[s], (uint64_t)s << 50 | i, decided);
    printf("%s: %u linearizable, %u not\n", random_log_shapes[s], decided[0],
           decided[1]);
    CHECK(decided[0] > LARGER / 10);
    CHECK(decided[1] > LARGER / 20);
    type_free(type);
  }
}

TEST_MAIN
