/*
 * The graph of states: built from logs, then its paths are counted (Tarjan,
 * SIAM J. Computing 1(2), 1972) and its bad path with the fewest switches is
 * found (Dijkstra, Numerische Mathematik 1, 1959).
 */
#include "search/graph.h"

#include "base/scc.h"
#include "base/slow.h"

#include <assert.h>
#include <string.h>

/*
 * Bits of an edge's word, from the lowest: whence, whereto, thread, how many
 * words of answers follow.  Behind the answers there is at least one NO_ANSWER.
 */
enum {
  TO_SHIFT = VISITED_BITS,
  THREAD_SHIFT = 2 * VISITED_BITS,
  WORDS_SHIFT = THREAD_SHIFT + 5,
};
static_assert(WORDS_SHIFT + 4 <= 64, "an edge fits a word");
#define PLACE_MASK ((1u << VISITED_BITS) - 1)
#define NO_ANSWER 0xff

uint32_t graph_edge(uint64_t to[GRAPH_WORDS], uint32_t from, uint32_t into,
                    const uint8_t *step, uint32_t len) {
  uint32_t words = len > 1 ? (len - 1) / 8 + 1 : 0;
  to[0] = from | (uint64_t)into << TO_SHIFT |
          (uint64_t)step[0] << THREAD_SHIFT | (uint64_t)words << WORDS_SHIFT;
  uint8_t *side = (uint8_t *)(to + 1);
  memset(side, NO_ANSWER, words * 8);
  for (uint32_t i = 1; i < len; i++)
    side[i - 1] = step[i] & (uint8_t)~PATH_CHOICE;
  return 1 + words;
}

/* ---- from logs to a graph with indices ---- */

enum { GOOD, BAD, CUT, FIRST_STATE }; /* ends count as states */

struct state_edge {
  uint32_t to;
  uint32_t thread : 5, answers : 27; /* an index into sides, or 0 */
};

struct graph {
  uint32_t root, nstates, nedges, places;
  uint32_t *first; /* edges of state s: edges[first[s] … first[s + 1]) */
  struct state_edge *edges;
  uint32_t *noted; /* by edge: which one of the logs it was */
  uint32_t nput;
  VEC(const uint8_t *) sides;
  uint32_t *number; /* place to index; 0: not met */
  const struct graph_log *logs;
  uint32_t nlogs;
};

static uint32_t number_of(struct graph *g, uint32_t place) {
  if (place >= GRAPH_ENDS)
    return place - GRAPH_ENDS;
  if (!g->number[place])
    g->number[place] = g->nstates++;
  return g->number[place];
}

static uint32_t from_of(uint64_t w) { return (uint32_t)w & PLACE_MASK; }
static uint32_t to_of(uint64_t w) {
  return (uint32_t)(w >> TO_SHIFT) & PLACE_MASK;
}
static uint32_t thread_of(uint64_t w) { return w >> THREAD_SHIFT & 31; }
static uint32_t words_of(uint64_t w) { return w >> WORDS_SHIFT & 15; }

static void measure(struct graph *g, const uint64_t *w) {
  uint32_t from = from_of(*w), to = to_of(*w);
  if (from >= g->places)
    g->places = from + 1;
  if (to < GRAPH_ENDS && to >= g->places)
    g->places = to + 1;
}

typedef void each_edge(struct graph *g, const uint64_t *w);

static void each(struct graph *g, each_edge *f) {
  for (uint32_t i = 0; i < g->nlogs; i++)
    for (uint64_t k = 0; k < g->logs[i].len;
         k += 1 + words_of(g->logs[i].at[k]))
      f(g, &g->logs[i].at[k]);
}

static void meet(struct graph *g, const uint64_t *w) {
  number_of(g, from_of(*w));
  number_of(g, to_of(*w));
  g->nedges++;
}

static void count_out(struct graph *g, const uint64_t *w) {
  g->first[g->number[from_of(*w)] + 1]++;
}

/* While edges are put in, first[s] is where the next one of s goes: see fill.
 */
static void put(struct graph *g, const uint64_t *w) {
  struct state_edge e = {number_of(g, to_of(*w)), thread_of(*w), 0};
  if (words_of(*w)) {
    e.answers = g->sides.len;
    vec_push(&g->sides, (const uint8_t *)(w + 1));
  }
  uint32_t at = g->first[g->number[from_of(*w)]]++;
  g->edges[at] = e;
  g->noted[at] = g->nput++;
}

static void fill(struct graph *g) {
  g->first = xcalloc(g->nstates + 2u, sizeof *g->first);
  g->edges = xmalloc((g->nedges + 1u) * sizeof *g->edges);
  g->noted = xmalloc((g->nedges + 1u) * sizeof *g->noted);
  each(g, count_out);
  for (uint32_t s = 1; s <= g->nstates; s++)
    g->first[s] += g->first[s - 1];
  each(g, put);
  memmove(g->first + 1, g->first, (g->nstates + 1u) * sizeof *g->first);
  g->first[0] = 0;
  assert(g->first[g->nstates] == g->nedges && g->nput == g->nedges);
}

struct graph *graph_new(const struct graph_log *logs, uint32_t n,
                        uint32_t root) {
  struct graph *g = xcalloc(1, sizeof *g);
  g->logs = logs;
  g->nlogs = n;
  g->nstates = FIRST_STATE;
  g->places = root + 1;
  each(g, measure);
  g->number = xcalloc(g->places, sizeof *g->number);
  vec_push(&g->sides, NULL);
  g->root = number_of(g, root);
  each(g, meet);
  fill(g);
  free(g->number);
  g->number = NULL;
  check_slow((graph_check_invariants(g), true));
  return g;
}

void graph_free(struct graph *g) {
  free(g->first);
  free(g->edges);
  free(g->noted);
  vec_free(&g->sides);
  free(g);
}

uint64_t graph_bytes(uint64_t states, uint64_t edges) {
  return states * 40 + edges * (sizeof(struct state_edge) + 28);
}

/* ---- counting, component by component ---- */

/*
 * Components are completed before those that lead to them, so what can be
 * counted from their successors is known then.
 */
struct path_counter {
  struct graph *g;
  struct scc scc;
  struct path_counts { /* complete paths from a state … */
    uint64_t all, bad;
  } * ways; /* … whose component is complete */
  uint64_t circles;
};

static uint64_t plus(uint64_t a, uint64_t b) {
  return a > GRAPH_MANY - b ? GRAPH_MANY : a + b;
}

static bool next_state(void *ctx, uint32_t s, uint32_t *at, uint32_t *to) {
  const struct path_counter *c = ctx;
  uint32_t e = c->g->first[s] + *at;
  if (e == c->g->first[s + 1])
    return false;
  ++*at;
  *to = c->g->edges[e].to;
  return true;
}

/* What the states of a component reach; while they are open, an edge between
 * them is a step of a circle. */
static void count_component(void *ctx, const uint32_t *states, uint32_t n) {
  struct path_counter *c = ctx;
  const struct graph *g = c->g;
  struct path_counts sum = {0};
  uint64_t inside = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t e = g->first[states[i]]; e < g->first[states[i] + 1]; e++)
      if (scc_is_complete(&c->scc, g->edges[e].to)) {
        sum.all = plus(sum.all, c->ways[g->edges[e].to].all);
        sum.bad = plus(sum.bad, c->ways[g->edges[e].to].bad);
      } else {
        inside++;
      }
  c->circles += inside;
  if (inside && sum.all)
    sum.all = GRAPH_MANY;
  if (inside && sum.bad)
    sum.bad = GRAPH_MANY;
  for (uint32_t i = 0; i < n; i++)
    c->ways[states[i]] = sum;
}

struct graph_count graph_count(struct graph *g) {
  struct path_counter c = {
      .g = g, .scc = {.next = next_state, .complete = count_component}};
  c.scc.ctx = &c;
  scc_init(&c.scc, g->nstates);
  c.ways = xcalloc(g->nstates, sizeof *c.ways);
  for (uint32_t end = 0; end < FIRST_STATE; end++)
    scc_leave_out(&c.scc, end);
  c.ways[GOOD] = (struct path_counts){1, 0};
  c.ways[BAD] = (struct path_counts){1, 1};
  scc_from(&c.scc, g->root);
  struct graph_count n = {c.ways[g->root].all, c.ways[g->root].bad, c.circles};
  scc_free(&c.scc);
  free(c.ways);
  return n;
}

/* ---- fewest switches ---- */

/*
 * Dijkstra's search, backwards from the bad ends, over edges: the cost of an
 * edge is that of the best way to a bad end that begins with it.  A cost is a
 * number of switches and, below it, one of steps.  Every step costs something,
 * so the way found does not go round a circle.
 *     T1 a -> T1 b -> T2 c -> BAD    costs 1 switch and 3 steps from a
 */
#define SWITCH (1ull << 32)
#define NO_WAY UINT64_MAX

struct edge_cost {
  uint64_t cost;
  uint32_t edge;
};

struct cheapest_ways {
  const struct graph *g;
  uint32_t *from;       /* by edge */
  uint32_t *into_first; /* edges into state s: into[into_first[s] …) */
  uint32_t *into;
  uint64_t *cost;
  VEC(struct edge_cost) heap;
};

static bool earlier(const struct cheapest_ways *w, uint32_t a, uint32_t b) {
  return w->heap.at[a].cost < w->heap.at[b].cost;
}

static void swap(struct cheapest_ways *w, uint32_t a, uint32_t b) {
  struct edge_cost t = w->heap.at[a];
  w->heap.at[a] = w->heap.at[b];
  w->heap.at[b] = t;
}

static void push(struct cheapest_ways *w, uint32_t edge, uint64_t cost) {
  if (cost >= w->cost[edge])
    return;
  w->cost[edge] = cost;
  vec_push(&w->heap, ((struct edge_cost){cost, edge}));
  for (uint32_t i = w->heap.len - 1; i && earlier(w, i, (i - 1) / 2);
       i = (i - 1) / 2)
    swap(w, i, (i - 1) / 2);
}

static struct edge_cost pop(struct cheapest_ways *w) {
  struct edge_cost top = w->heap.at[0];
  w->heap.at[0] = vec_pop(&w->heap);
  for (uint32_t i = 0;;) {
    uint32_t least = i, n = w->heap.len;
    if (2 * i + 1 < n && earlier(w, 2 * i + 1, least))
      least = 2 * i + 1;
    if (2 * i + 2 < n && earlier(w, 2 * i + 2, least))
      least = 2 * i + 2;
    if (least == i)
      return top;
    swap(w, i, least);
    i = least;
  }
}

static void turn_round(struct cheapest_ways *w) {
  const struct graph *g = w->g;
  w->from = xmalloc((g->nedges + 1u) * sizeof *w->from);
  w->into = xmalloc((g->nedges + 1u) * sizeof *w->into);
  w->into_first = xcalloc(g->nstates + 2u, sizeof *w->into_first);
  w->cost = xmalloc((g->nedges + 1u) * sizeof *w->cost);
  memset(w->cost, 0xff, (g->nedges + 1u) * sizeof *w->cost);
  for (uint32_t s = 0; s < g->nstates; s++)
    for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++) {
      w->from[e] = s;
      w->into_first[g->edges[e].to + 1]++;
    }
  for (uint32_t s = 1; s <= g->nstates; s++)
    w->into_first[s] += w->into_first[s - 1];
  for (uint32_t e = 0; e < g->nedges; e++)
    w->into[w->into_first[g->edges[e].to]++] = e;
  memmove(w->into_first + 1, w->into_first,
          (g->nstates + 1u) * sizeof *w->into_first);
  w->into_first[0] = 0;
}

/* Costs of all edges that cost no more than the best of the root's. */
static void find_costs(struct cheapest_ways *w) {
  const struct graph *g = w->g;
  uint64_t best = NO_WAY;
  for (uint32_t i = w->into_first[BAD]; i < w->into_first[BAD + 1]; i++)
    push(w, w->into[i], 1);
  while (w->heap.len && w->heap.at[0].cost <= best) {
    struct edge_cost top = pop(w);
    uint32_t s = w->from[top.edge];
    if (top.cost > w->cost[top.edge])
      continue; /* a cheaper way was found since */
    if (s == g->root)
      best = top.cost;
    for (uint32_t i = w->into_first[s]; i < w->into_first[s + 1]; i++) {
      uint32_t e = w->into[i];
      bool switches = g->edges[e].thread != g->edges[top.edge].thread;
      push(w, e, top.cost + 1 + (switches ? SWITCH : 0));
    }
  }
}

static int compare_answers(const struct graph *g, uint32_t a, uint32_t b) {
  uint32_t x = g->edges[a].answers, y = g->edges[b].answers;
  if (!x || !y)
    return (x != 0) - (y != 0);
  const uint8_t *p = g->sides.at[x], *q = g->sides.at[y];
  while (*p == *q && *p != NO_ANSWER)
    p++, q++;
  return *p - *q;
}

static bool comes_first(const struct graph *g, uint32_t a, uint32_t b) {
  uint32_t x = g->edges[a].thread, y = g->edges[b].thread;
  return x != y ? x < y : compare_answers(g, a, b) < 0;
}

/* The edge to go on with, from state s after a step of thread `last`. */
static uint32_t best_edge(const struct cheapest_ways *w, uint32_t s, int last) {
  const struct graph *g = w->g;
  uint32_t best = UINT32_MAX;
  uint64_t least = NO_WAY;
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++) {
    if (w->cost[e] == NO_WAY)
      continue;
    bool switches = last >= 0 && (int)g->edges[e].thread != last;
    uint64_t cost = w->cost[e] + (switches ? SWITCH : 0);
    if (cost < least || (cost == least && comes_first(g, e, best))) {
      least = cost;
      best = e;
    }
  }
  return best;
}

static void add_edge(const struct graph *g, const struct state_edge *e,
                     path *out) {
  vec_push(out, (uint8_t)e->thread);
  const uint8_t *a = g->sides.at[e->answers];
  for (uint32_t i = 0; a && a[i] != NO_ANSWER; i++)
    vec_push(out, (uint8_t)(PATH_CHOICE | a[i]));
}

static bool same_step(const struct graph *g, uint32_t a, uint32_t b) {
  return g->edges[a].thread == g->edges[b].thread && !compare_answers(g, a, b);
}

void graph_check_invariants(const struct graph *g) {
  for (uint32_t s = 0; s < g->nstates; s++)
    for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
      for (uint32_t k = g->first[s]; k < e; k++)
        assert(!same_step(g, e, k)); /* E1 */
}

bool graph_fewest(struct graph *g, path *out) {
  struct cheapest_ways w = {.g = g};
  turn_round(&w);
  find_costs(&w);
  int last = -1;
  bool found = best_edge(&w, g->root, last) != UINT32_MAX;
  for (uint32_t s = g->root; found && s != BAD;) {
    uint32_t best = best_edge(&w, s, last);
    assert(best != UINT32_MAX); /* the way goes on to its end */
    const struct state_edge *e = &g->edges[best];
    add_edge(g, e, out);
    last = (int)e->thread;
    s = e->to;
  }
  free(w.from);
  free(w.into);
  free(w.into_first);
  free(w.cost);
  vec_free(&w.heap);
  return found;
}

/* ---- the graph itself ---- */

uint32_t graph_states(const struct graph *g) { return g->nstates; }
uint32_t graph_edges(const struct graph *g) { return g->nedges; }
uint32_t graph_root(const struct graph *g) { return g->root; }

uint32_t graph_first(const struct graph *g, uint32_t state) {
  return g->first[state];
}

struct graph_step graph_step(const struct graph *g, uint32_t edge) {
  const struct state_edge *e = &g->edges[edge];
  return (struct graph_step){e->to, g->noted[edge], (uint8_t)e->thread};
}

void graph_step_path(const struct graph *g, uint32_t edge, path *out) {
  add_edge(g, &g->edges[edge], out);
}
