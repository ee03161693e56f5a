/*
 * What a repair eliminates: the linear check of serializability against a
 * search for cycles in the whole graph, and against the eliminators themselves.
 */
#include "agree/locate_traces.h"
#include "locate/rank.h"
#include "oracle/naive.h"
#include "test.h"

/* Random intervals of the operations; in `dense`, numbered for the oracle. */
static void some_units(struct rng *r, const struct conflicts *c, uint32_t *unit,
                       uint32_t *dense) {
  uint32_t n = 0, odds = 1 + (uint32_t)rng_below(r, 4);
  for (uint32_t k = 0; k < c->nnodes; k++) {
    uint32_t node = c->by_thread[k];
    const struct node *x = &c->nodes[node];
    bool first = c->ops[x->op].first == node;
    uint32_t before = first ? node : c->by_thread[k - 1];
    if (!first && rng_below(r, odds + 1)) {
      if (unit[before] == UNIT_ALONE)
        unit[before] = dense[before];
      unit[node] = unit[before];
      dense[node] = dense[before];
    } else {
      unit[node] = UNIT_ALONE;
      dense[node] = n++;
    }
  }
}

TEST(the_linear_check_finds_every_cycle) {
  struct rng r = {1};
  struct accesses a = {0};
  struct shape s = {4, 3, 4, 14, 8, 15};
  uint32_t answers[2] = {0};
  uint32_t unit[32], dense[32];
  for (uint32_t i = 0; i < 6000; i++) {
    struct conflicts c;
    random_trace(&r, &s, &a);
    conflicts_init(&c, a.at, a.len, i % 2 ? CONFLICTS_REAL_TIME : 0);
    some_units(&r, &c, unit, dense);
    bool want = naive_cyclic(&c, dense);
    answers[want]++;
    bool ok = CHECK_INT(conflicts_cyclic(&c, unit), want);
    conflicts_free(&c);
    if (!ok) {
      print_trace(&a);
      break;
    }
  }
  CHECK(answers[0] > 1000 && answers[1] > 1000);
  vec_free(&a);
}

static void units_of(const struct conflicts *c, const struct segment *s,
                     uint32_t n, uint32_t *unit) {
  for (uint32_t i = 0; i < c->nnodes; i++) {
    unit[i] = UNIT_ALONE;
    for (uint32_t k = 0; k < n; k++)
      if (c->nodes[i].op == c->nodes[s[k].first].op && s[k].first <= i &&
          i <= s[k].last)
        unit[i] = k;
  }
}

static uint32_t neighbour(const struct conflicts *c, uint32_t node, int by) {
  return node_at(c, c->nodes[node].thread, c->nodes[node].pos + (uint32_t)by);
}

TEST(an_eliminator_eliminates_and_nothing_smaller_does) {
  struct rng r = {2};
  struct accesses a = {0};
  struct shape shape = {5, 2, 5, 24, 24, 30};
  uint32_t tried = 0, unit[32];
  for (uint32_t i = 0; i < 8000; i++) {
    struct conflicts c;
    struct eliminators e;
    random_trace(&r, &shape, &a);
    conflicts_init(&c, a.at, a.len, 0);
    eliminate(&c, (struct eliminate_limits){0}, &e);
    for (uint32_t k = 0; k < eliminators_count(&e); k++) {
      struct segment s[8];
      uint32_t n = eliminator_size(&e, k);
      memcpy(s, eliminator_segments(&e, k), n * sizeof *s);
      units_of(&c, s, n, unit);
      CHECK(conflicts_cyclic(&c, unit));
      for (uint32_t j = 0; j < 2 * n; j++, tried++) {
        struct segment whole = s[j / 2];
        if (j % 2)
          s[j / 2].first = neighbour(&c, whole.first, 1);
        else
          s[j / 2].last = neighbour(&c, whole.last, -1);
        units_of(&c, s, n, unit);
        CHECK(!conflicts_cyclic(&c, unit));
        s[j / 2] = whole;
      }
    }
    eliminators_free(&e);
    conflicts_free(&c);
  }
  CHECK(tried > 5000);
  vec_free(&a);
}

TEST_MAIN
