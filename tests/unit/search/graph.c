/* What is told of a graph of states, against walking all of its paths. */
#include "test.h"

#include "base/rng.h"
#include "search/graph.h"

#include <string.h>

enum { STATES = 7, THREADS = 3, MOST_EDGES = 40, ROUNDS = 3000 };

struct plain_edge {
  uint32_t from, to; /* states, or GRAPH_GOOD … */
  uint8_t step[12];
  uint32_t len;
};

struct plain {
  struct plain_edge at[MOST_EDGES];
  uint32_t n;
};

/* Each state has up to three threads; a step may ask for answers.  `forward`:
 * without circles. */
static void draw(struct rng *rng, bool forward, struct plain *p) {
  p->n = 0;
  for (uint32_t s = 0; s < STATES; s++)
    for (uint8_t t = 0; t < THREADS; t++) {
      if (rng_below(rng, 3) == 0)
        continue;
      uint32_t answers = rng_below(rng, 5) == 0 ? 2 : 0;
      for (uint32_t a = 0; a < (answers ? answers : 1); a++) {
        struct plain_edge *e = &p->at[p->n++];
        e->from = s;
        e->step[0] = t;
        e->len = 1;
        if (answers) {
          uint32_t before = s % 2 ? 9 : 0; /* more than a word */
          for (uint32_t i = 0; i < before; i++)
            e->step[e->len++] = PATH_CHOICE | 1;
          e->step[e->len++] = (uint8_t)(PATH_CHOICE | a);
        }
        uint64_t low = forward ? s + 1 : 0;
        uint64_t to = low + rng_below(rng, STATES + 3 - low);
        e->to = to < STATES ? (uint32_t)to : GRAPH_ENDS + (uint32_t)to - STATES;
      }
    }
}

/* ---- slowly ---- */

static uint64_t count_from(const struct plain *p, uint32_t s, bool bad) {
  if (s >= GRAPH_ENDS)
    return s == GRAPH_BAD || (s == GRAPH_GOOD && !bad);
  uint64_t n = 0;
  for (uint32_t i = 0; i < p->n; i++)
    if (p->at[i].from == s)
      n += count_from(p, p->at[i].to, bad);
  return n;
}

static uint64_t paths_from(const struct plain *p, uint32_t s) {
  return count_from(p, s, false);
}

static uint64_t bad_paths_from(const struct plain *p, uint32_t s) {
  return count_from(p, s, true);
}

static void reach(const struct plain *p, bool to[STATES][STATES + 3]) {
  memset(to, 0, STATES * (STATES + 3) * sizeof(bool));
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t t = p->at[i].to;
    to[p->at[i].from][t < GRAPH_ENDS ? t : STATES + t - GRAPH_ENDS] = true;
  }
  for (uint32_t k = 0; k < STATES; k++)
    for (uint32_t i = 0; i < STATES; i++)
      for (uint32_t j = 0; to[i][k] && j < STATES + 3; j++)
        to[i][j] |= to[k][j];
}

static uint64_t circles_of(const struct plain *p, bool *endless) {
  bool to[STATES][STATES + 3];
  uint64_t n = 0;
  reach(p, to);
  *endless = false;
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t a = p->at[i].from, b = p->at[i].to;
    if (b >= GRAPH_ENDS || !to[b][a] || (a && !to[0][a]))
      continue;
    n++;
    *endless |= to[a][STATES] || to[a][STATES + 1];
  }
  return n;
}

/* The least switches by relaxing until nothing changes. */
static uint32_t least_switches(const struct plain *p) {
  uint32_t d[STATES][THREADS + 1], best = UINT32_MAX;
  memset(d, 0xff, sizeof d);
  d[0][THREADS] = 0;
  for (uint32_t round = 0; round < STATES * (THREADS + 1); round++)
    for (uint32_t i = 0; i < p->n; i++)
      for (uint32_t last = 0; last <= THREADS; last++) {
        const struct plain_edge *e = &p->at[i];
        uint32_t now = d[e->from][last];
        if (now == UINT32_MAX)
          continue;
        now += last < THREADS && last != e->step[0];
        if (e->to == GRAPH_BAD && now < best)
          best = now;
        if (e->to < GRAPH_ENDS && now < d[e->to][e->step[0]])
          d[e->to][e->step[0]] = now;
      }
  return best;
}

/* ---- comparing ---- */

struct logs {
  uint64_t words[3][MOST_EDGES * GRAPH_WORDS];
  struct graph_log at[3];
};

/* The edges in random order, in three logs, states with other numbers. */
static void write_logs(const struct plain *p, struct rng *rng, struct logs *l,
                       uint32_t place[STATES]) {
  struct plain mixed = *p;
  uint64_t len[3] = {0};
  for (uint32_t s = 0; s < STATES; s++)
    place[s] = (uint32_t)(s * 1000 + rng_below(rng, 1000));
  for (uint32_t i = mixed.n; i > 1; i--) {
    uint64_t k = rng_below(rng, i);
    struct plain_edge t = mixed.at[k];
    mixed.at[k] = mixed.at[i - 1];
    mixed.at[i - 1] = t;
  }
  for (uint32_t i = 0; i < mixed.n; i++) {
    const struct plain_edge *e = &mixed.at[i];
    uint64_t k = rng_below(rng, 3);
    uint32_t to = e->to < GRAPH_ENDS ? place[e->to] : e->to;
    len[k] +=
        graph_edge(&l->words[k][len[k]], place[e->from], to, e->step, e->len);
  }
  for (uint32_t k = 0; k < 3; k++)
    l->at[k] = (struct graph_log){l->words[k], len[k]};
}

/* Whether the path leads to a bad end. */
static bool leads_to_bad(const struct plain *p, const path *way) {
  uint32_t s = 0, at = 0;
  while (s < GRAPH_ENDS) {
    const struct plain_edge *found = NULL;
    for (uint32_t i = 0; i < p->n; i++)
      if (p->at[i].from == s && at + p->at[i].len <= way->len &&
          !memcmp(way->at + at, p->at[i].step, p->at[i].len))
        found = &p->at[i];
    if (!found)
      return false;
    at += found->len;
    s = found->to;
  }
  return s == GRAPH_BAD && at == way->len;
}

static bool compare(const struct plain *p, struct rng *rng, bool forward,
                    path *before) {
  static struct logs logs;
  uint32_t place[STATES];
  write_logs(p, rng, &logs, place);
  struct graph *g = graph_new(logs.at, 3, place[0]);
  struct graph_count c = graph_count(g);
  bool endless, ok = true;
  ok &= CHECK_INT((long long)c.circles, (long long)circles_of(p, &endless));
  if (forward)
    ok &= CHECK_INT((long long)c.interleavings, (long long)paths_from(p, 0)) &
          CHECK_INT((long long)c.bad, (long long)bad_paths_from(p, 0));
  if (endless)
    ok &= CHECK(c.interleavings == GRAPH_MANY);
  path way = {0};
  uint32_t least = least_switches(p);
  bool found = graph_fewest(g, &way);
  ok &= CHECK_INT(found, least != UINT32_MAX);
  if (found)
    ok &= CHECK(leads_to_bad(p, &way)) &
          CHECK_INT(path_switches(way.at, way.len), least);
  /* The same edges in another order: the same path. */
  if (before->len)
    ok &= CHECK_INT(way.len, before->len) &&
          CHECK(!memcmp(way.at, before->at, way.len));
  vec_free(before);
  *before = way;
  graph_free(g);
  return ok;
}

TEST(graphs_are_counted_and_shortest_ways_found) {
  struct rng rng = {4};
  for (uint32_t i = 0; i < ROUNDS && !test_errors; i++) {
    struct plain p;
    path way = {0};
    draw(&rng, i % 2, &p);
    for (int k = 0; k < 3; k++)
      if (!compare(&p, &rng, i % 2, &way))
        fprintf(stderr, "  round %u\n", i);
    vec_free(&way);
  }
}

TEST(counts_stay_when_there_are_too_many) {
  enum { LONG = 100 };
  static uint64_t words[2 * LONG * GRAPH_WORDS];
  uint64_t len = 0;
  for (uint32_t s = 0; s < LONG; s++)
    for (uint8_t t = 0; t < 2; t++)
      len +=
          graph_edge(&words[len], s, s + 1 < LONG ? s + 1 : GRAPH_GOOD, &t, 1);
  struct graph_log log = {words, len};
  struct graph *g = graph_new(&log, 1, 0);
  struct graph_count c = graph_count(g);
  CHECK(c.interleavings == GRAPH_MANY);
  CHECK_INT(c.circles, 0);
  path way = {0};
  CHECK(!graph_fewest(g, &way));
  graph_free(g);
}

TEST_MAIN
