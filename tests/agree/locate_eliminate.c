/*
 * Optimal eliminators and chordless cycles against the paper's own algorithms
 * and against the definition, on random small traces.
 */
#include "agree/locate_traces.h"
#include "oracle/naive.h"
#include "test.h"

static void print_eliminators(const char *who, const struct eliminators *e) {
  fprintf(stderr, "  %s:", who);
  for (uint32_t i = 0; i < eliminators_count(e); i++) {
    fprintf(stderr, " {");
    for (uint32_t k = 0; k < eliminator_size(e, i); k++)
      fprintf(stderr, "[%u,%u]", eliminator_segments(e, i)[k].first,
              eliminator_segments(e, i)[k].last);
    fprintf(stderr, "}");
  }
  fprintf(stderr, "\n");
}

typedef void oracle_fn(const struct conflicts *c, struct eliminators *out);

/* Whether the oracle says the same; frees its answer. */
static bool same(const struct conflicts *c, const struct eliminators *fast,
                 const char *who, oracle_fn *oracle) {
  struct eliminators slow;
  oracle(c, &slow);
  eliminators_sort(&slow);
  bool equal = eliminators_equal(fast, &slow);
  if (!equal) {
    print_eliminators("fast", fast);
    print_eliminators(who, &slow);
  }
  eliminators_free(&slow);
  return equal;
}

static void unpruned(const struct conflicts *c, struct eliminators *out) {
  eliminate(c, (struct eliminate_limits){.unpruned = true}, out);
}

static void sequences(const struct conflicts *c, struct eliminators *out) {
  naive_sequences(c, out, NULL);
}

struct tally {
  uint32_t none, some; /* traces without and with eliminators */
  uint32_t segments[8];
};

static void count(struct tally *t, const struct eliminators *e) {
  *(eliminators_count(e) ? &t->some : &t->none) += 1;
  for (uint32_t i = 0; i < eliminators_count(e); i++)
    t->segments[eliminator_size(e, i)]++;
}

static void compare(const struct shape *shape, uint32_t rounds, uint64_t seed,
                    oracle_fn *const *oracles, const char *const *who,
                    struct tally *t) {
  struct rng r = {seed};
  struct accesses a = {0};
  for (uint32_t i = 0; i < rounds; i++) {
    random_trace(&r, shape, &a);
    struct conflicts c;
    conflicts_init(&c, a.at, a.len, rng_below(&r, 2) ? CONFLICTS_REAL_TIME : 0);
    conflicts_check_invariants(&c);
    struct eliminators fast;
    eliminate(&c, (struct eliminate_limits){0}, &fast);
    eliminators_sort(&fast);
    count(t, &fast);
    bool ok = CHECK(!fast.cut);
    for (uint32_t k = 0; oracles[k]; k++)
      ok &= CHECK(same(&c, &fast, who[k], oracles[k]));
    if (!ok) {
      fprintf(stderr, "  seed %llu, round %u\n", (unsigned long long)seed, i);
      print_trace(&a);
    }
    eliminators_free(&fast);
    conflicts_free(&c);
    if (!ok)
      break;
  }
  vec_free(&a);
}

static oracle_fn *const all[] = {naive_definition, naive_decompositions,
                                 sequences, naive_cycles, NULL};
static const char *const all_names[] = {"definition", "decompositions",
                                        "sequences", "cycles"};

TEST(eliminators_of_tiny_traces_are_the_papers) {
  struct tally t = {0};
  struct shape s = {3, 2, 3, 7, 3, 12};
  compare(&s, 6000, 1, all, all_names, &t);
  CHECK(t.none > 500 && t.some > 500);
  CHECK(t.segments[1] > 500 && t.segments[2] > 20);
}

static oracle_fn *const by_definition[] = {naive_definition, naive_cycles,
                                           NULL};
static const char *const by_definition_names[] = {"definition", "cycles"};

TEST(eliminators_of_small_traces_are_minimal_decompositions) {
  struct tally t = {0};
  struct shape s = {4, 2, 5, 13, 12, 20};
  compare(&s, 3000, 2, by_definition, by_definition_names, &t);
  CHECK(t.none > 50 && t.some > 500);
  CHECK(t.segments[1] > 500 && t.segments[2] > 100 && t.segments[3] > 5);
}

static oracle_fn *const by_cycles[] = {naive_cycles, unpruned, NULL};
static const char *const by_cycles_names[] = {"cycles", "unpruned"};

TEST(eliminators_of_more_threads_are_those_of_the_cycles) {
  struct tally t = {0};
  struct shape s = {6, 1, 6, 30, 40, 0};
  compare(&s, 15000, 3, by_cycles, by_cycles_names, &t);
  CHECK(t.segments[2] > 500 && t.segments[3] > 100 && t.segments[4] > 5);
}

static bool go_on(void *ctx, const struct cycle *cycle) {
  (void)ctx;
  (void)cycle;
  return true;
}

TEST(sequences_and_cycles_are_as_many) {
  struct rng r = {4};
  struct accesses a = {0};
  struct shape s = {4, 2, 3, 8, 5, 0};
  uint64_t total = 0;
  for (uint32_t i = 0; i < 3000; i++) {
    random_trace(&r, &s, &a);
    struct conflicts c;
    conflicts_init(&c, a.at, a.len, 0);
    struct eliminators e;
    uint64_t want, have;
    naive_sequences(&c, &e, &want);
    have = cycles_each(&c, go_on, NULL);
    total += have;
    if (!CHECK_INT(have, want))
      print_trace(&a);
    eliminators_free(&e);
    conflicts_free(&c);
    if (have != want)
      break;
  }
  CHECK(total > 1000);
  vec_free(&a);
}

TEST(reachability_is_that_of_paths) {
  struct rng r = {5};
  struct accesses a = {0};
  struct shape s = {4, 3, 4, 14, 6, 15};
  uint32_t yes = 0, no = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    random_trace(&r, &s, &a);
    struct conflicts c;
    conflicts_init(&c, a.at, a.len, i % 2 ? CONFLICTS_REAL_TIME : 0);
    bool ok = true;
    for (uint32_t x = 0; x < c.nnodes; x++)
      for (uint32_t y = 0; y < c.nnodes; y++) {
        bool reaches = node_reaches(&c, x, y);
        ok &= CHECK_INT(reaches, naive_reaches(&c, x, y));
        *(reaches ? &yes : &no) += 1;
      }
    conflicts_free(&c);
    if (!ok) {
      print_trace(&a);
      break;
    }
  }
  CHECK(yes > 1000 && no > 1000);
  vec_free(&a);
}

/* Swaps neighbours of different threads, where it makes no difference or where
 * it does; whether any swap was of conflicting accesses. */
static bool shuffle(struct rng *r, struct accesses *a) {
  bool conflicting = false;
  for (uint32_t k = 0; k < 20; k++) {
    uint32_t i = (uint32_t)rng_below(r, a->len - 1);
    struct access *x = &a->at[i], *y = x + 1, old = *x;
    if (x->thread == y->thread || conflicting)
      continue;
    conflicting = x->addr < y->addr + y->size && y->addr < x->addr + x->size &&
                  (x->kind == ACCESS_WRITE || y->kind == ACCESS_WRITE);
    *x = *y;
    *y = old;
  }
  return conflicting;
}

TEST(equivalent_traces_have_one_digest) {
  struct rng r = {6};
  struct accesses a = {0};
  struct shape s = {4, 2, 4, 14, 12, 0};
  uint32_t counts[2] = {0};
  for (uint32_t i = 0; i < 3000; i++) {
    struct conflicts c, d;
    random_trace(&r, &s, &a);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < a.len; k++)
      if (a.at[k].kind != ACCESS_RETURN)
        a.at[kept++] = a.at[k];
    a.len = kept;
    conflicts_init(&c, a.at, a.len, 0);
    bool differs = shuffle(&r, &a);
    conflicts_init(&d, a.at, a.len, 0);
    CHECK_INT(!hash128_equal(conflicts_digest(&c), conflicts_digest(&d)),
              differs);
    counts[differs]++;
    conflicts_free(&c);
    conflicts_free(&d);
  }
  CHECK(counts[0] > 500 && counts[1] > 500);
  vec_free(&a);
}

TEST_MAIN
