#include "base/scc.h"

#include "base/buf.h"
#include "base/rng.h"
#include "test.h"

#include <assert.h>

enum { NODES = 9 };

struct small_graph {
  uint8_t edge[NODES][NODES];
  uint32_t component[NODES], count;
  struct buf said;
};

static bool next(void *ctx, uint32_t node, uint32_t *at, uint32_t *to) {
  struct small_graph *g = ctx;
  while (*at < NODES)
    if (g->edge[node][(*at)++]) {
      *to = *at - 1;
      return true;
    }
  return false;
}

static void complete(void *ctx, const uint32_t *nodes, uint32_t n) {
  struct small_graph *g = ctx;
  g->count++;
  for (uint32_t i = 0; i < n; i++) {
    CHECK_INT(g->component[nodes[i]], 0); /* G1 */
    g->component[nodes[i]] = g->count;
    buf_printf(&g->said, "%s%u", i ? " " : "{", nodes[i]);
  }
  buf_puts(&g->said, "}");
}

static void walk(struct small_graph *g, uint32_t root, uint32_t without) {
  struct scc s = {.ctx = g, .next = next, .complete = complete};
  scc_init(&s, NODES);
  if (without < NODES)
    scc_leave_out(&s, without);
  scc_from(&s, root);
  scc_free(&s);
}

TEST(the_example_of_the_header) {
  struct small_graph g = {0};
  g.edge[0][1] = g.edge[1][2] = g.edge[2][1] = g.edge[2][3] = 1;
  walk(&g, 0, NODES);
  CHECK_STR(buf_text(&g.said), "{3}{1 2}{0}");
  buf_free(&g.said);
}

TEST(a_node_that_is_left_out_is_not_entered) {
  struct small_graph g = {0};
  g.edge[0][1] = g.edge[1][2] = g.edge[2][1] = g.edge[2][3] = 1;
  walk(&g, 0, 2);
  CHECK_STR(buf_text(&g.said), "{1}{0}");
  buf_free(&g.said);
}

/* Two nodes are in one component if each reaches the other. */
TEST(random_graphs_have_the_components_that_reachability_says) {
  struct rng r = {1};
  for (int round = 0; round < 2000; round++) {
    struct small_graph g = {0};
    uint8_t reach[NODES][NODES] = {0};
    for (int a = 0; a < NODES; a++)
      for (int b = 0; b < NODES; b++)
        g.edge[a][b] = reach[a][b] = rng_below(&r, 6) == 0;
    for (int k = 0; k < NODES; k++)
      for (int a = 0; a < NODES; a++)
        for (int b = 0; b < NODES; b++)
          reach[a][b] |= reach[a][k] & reach[k][b];
    walk(&g, 0, NODES);
    for (int a = 0; a < NODES; a++) {
      CHECK_INT(g.component[a] != 0, a == 0 || reach[0][a]);
      for (int b = 0; b < NODES && g.component[a]; b++) {
        if (a != b && g.component[b])
          CHECK_INT(g.component[a] == g.component[b],
                    reach[a][b] && reach[b][a]);
        if (g.edge[a][b])
          CHECK(g.component[b] <= g.component[a]); /* G2 */
      }
    }
    buf_free(&g.said);
  }
}

TEST_MAIN
