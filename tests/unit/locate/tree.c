#include "locate/tree.h"

#include "base/arena.h"
#include "model/event.h"
#include "test.h"

/* ---- graphs by hand: edges in the order of their states ---- */

enum { ROOT = STEPS_ENDS };

struct hand_edge {
  uint32_t from, thread, to;
};

/* Every step writes the same location, so all of them depend. */
static void build(struct steps *g, const struct hand_edge *e, uint32_t n) {
  *g = (struct steps){.root = ROOT, .nstates = ROOT + 1};
  for (uint32_t i = 0; i < n; i++) {
    if (e[i].from >= g->nstates)
      g->nstates = e[i].from + 1;
    if (e[i].to >= g->nstates)
      g->nstates = e[i].to + 1;
  }
  g->first = xcalloc(g->nstates + 1u, sizeof *g->first);
  g->edges = xcalloc(n + 1u, sizeof *g->edges);
  for (uint32_t i = 0; i < n; i++) {
    g->first[e[i].from + 1]++;
    g->edges[i].to = e[i].to;
    g->edges[i].thread = e[i].thread;
    g->edges[i].step = i;
    vec_push(&g->steps, ((struct step){.addr = 64,
                                       .size = 8,
                                       .thread = (uint8_t)e[i].thread,
                                       .kind = EV_WRITE}));
  }
  for (uint32_t s = 0; s < g->nstates; s++)
    g->first[s + 1] += g->first[s];
}
#define BUILD(g, e) build(g, e, sizeof(e) / sizeof *(e))

static const char *words(const struct tree_patterns *p) {
  static char text[400];
  size_t len = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < p->at.len; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s", i ? " " : "");
    for (uint32_t k = 0; k < p->at.at[i].len; k++)
      len += (size_t)snprintf(text + len, sizeof text - len, "%s",
                              race_letter[p->at.at[i].word[k]]);
    len += (size_t)snprintf(text + len, sizeof text - len, ":%llu",
                            (unsigned long long)p->at.at[i].count);
  }
  return text;
}

static struct tree *whole(const struct steps *g) {
  return tree_new(g, &(struct tree_options){TREE_ANY});
}

TEST(two_children_make_the_labels_of_the_paper) {
  const struct hand_edge e[] = {
      {ROOT, 1, ROOT + 1},       {ROOT, 2, ROOT + 2},
      {ROOT + 1, 1, ROOT + 3},   {ROOT + 1, 2, STEPS_GOOD},
      {ROOT + 2, 1, ROOT + 3},   {ROOT + 2, 2, STEPS_BAD},
      {ROOT + 3, 1, STEPS_GOOD}, {ROOT + 3, 2, STEPS_BAD},
  };
  struct steps g;
  struct tree_patterns p;
  BUILD(&g, e);
  struct tree *t = whole(&g);
  CHECK_INT(tree_leads(t, ROOT), LEADS_BOTH);
  CHECK_INT(tree_race(t, ROOT, 1), RACE_NONE); /* both open: GG */
  CHECK_INT(tree_race(t, ROOT + 1, 1), RACE_WG);
  CHECK_INT(tree_race(t, ROOT + 2, 2), RACE_BG);
  CHECK_INT(tree_race(t, ROOT + 3, 2), RACE_G);
  CHECK_INT(tree_leads_by(t, ROOT + 2, 2), LEADS_BAD);
  tree_patterns(t, 10, &p);
  CHECK_STR(words(&p), "Bg:1 WgG:1 BgG:1");
  CHECK_INT((long long)p.failing, 3);
  tree_patterns_free(&p);
  tree_free(t);
  steps_free(&g);
}

TEST(a_node_with_one_child_does_not_count) {
  const struct hand_edge e[] = {
      {ROOT, 1, ROOT + 1},
      {ROOT + 1, 2, ROOT + 2},
      {ROOT + 2, 1, STEPS_GOOD},
      {ROOT + 2, 2, STEPS_BAD},
  };
  struct steps g;
  struct tree_patterns p;
  BUILD(&g, e);
  struct tree *t = whole(&g);
  tree_patterns(t, 10, &p);
  CHECK_STR(words(&p), "G:1");
  tree_patterns_free(&p);
  tree_free(t);
  steps_free(&g);
}

TEST(three_threads_can_lead_to_all_three) {
  const struct hand_edge e[] = {
      {ROOT, 1, STEPS_GOOD},     {ROOT, 2, STEPS_BAD},     {ROOT, 3, ROOT + 1},
      {ROOT + 1, 1, STEPS_GOOD}, {ROOT + 1, 2, STEPS_BAD},
  };
  struct steps g;
  struct tree_patterns p;
  BUILD(&g, e);
  struct tree *t = whole(&g);
  CHECK_INT(tree_race(t, ROOT, 3), RACE_WBG);
  tree_patterns(t, 10, &p);
  CHECK_STR(words(&p), "WBg:1 WBgG:1");
  tree_patterns_free(&p);
  tree_free(t);
  steps_free(&g);
}

/* Thread 1 goes round for ever between two states; only out of them there are
 * ends, and going round is not counted. */
TEST(circles_lead_nowhere_by_themselves) {
  const struct hand_edge e[] = {
      {ROOT, 1, ROOT + 1},       {ROOT, 2, STEPS_BAD},    {ROOT + 1, 1, ROOT},
      {ROOT + 1, 2, STEPS_GOOD}, {ROOT + 2, 1, ROOT + 2},
  };
  struct steps g;
  struct tree_patterns p;
  BUILD(&g, e);
  struct tree *t = whole(&g);
  CHECK(tree_has_circles(t));
  CHECK_INT(tree_leads(t, ROOT), LEADS_BOTH);
  CHECK_INT(tree_leads(t, ROOT + 1), LEADS_BOTH);
  CHECK_INT(tree_race(t, ROOT, 2), RACE_BG);
  CHECK_INT(tree_race(t, ROOT + 1, 2), RACE_WG);
  tree_patterns(t, 10, &p);
  CHECK_STR(words(&p), "Bg:1");
  CHECK_INT((long long)p.failing, 1);
  tree_patterns_free(&p);
  tree_free(t);
  steps_free(&g);
}

TEST(a_state_that_only_goes_round_leads_nowhere) {
  const struct hand_edge e[] = {
      {ROOT, 1, ROOT + 1},
      {ROOT, 2, STEPS_BAD},
      {ROOT + 1, 1, ROOT + 1},
  };
  struct steps g;
  BUILD(&g, e);
  struct tree *t = whole(&g);
  CHECK_INT(tree_leads(t, ROOT + 1), LEADS_NOWHERE);
  CHECK_INT(tree_leads(t, ROOT), LEADS_BAD);
  CHECK_INT(tree_race(t, ROOT, 2), RACE_NONE);
  tree_free(t);
  steps_free(&g);
}

TEST(independent_steps_race_only_when_asked) {
  const struct hand_edge e[] = {
      {ROOT, 1, STEPS_GOOD},
      {ROOT, 2, ROOT + 1},
      {ROOT + 1, 1, STEPS_GOOD},
      {ROOT + 1, 2, STEPS_BAD},
  };
  struct steps g;
  struct tree_patterns p;
  BUILD(&g, e);
  g.steps.at[1].addr = 128; /* thread 2's first step is about something else */
  struct tree *t = tree_new(&g, &(struct tree_options){0});
  CHECK_INT(tree_race(t, ROOT, 2), RACE_NONE);
  tree_patterns(t, 10, &p);
  CHECK_STR(words(&p), "G:1");
  tree_patterns_free(&p);
  tree_free(t);
  t = whole(&g);
  tree_patterns(t, 10, &p);
  CHECK_STR(words(&p), "WgG:1");
  tree_patterns_free(&p);
  tree_free(t);
  steps_free(&g);
}

TEST(locks_alone_do_not_race) {
  struct step a = {.addr = 64, .size = 1, .thread = 1, .kind = EV_LOCK};
  struct step b = a;
  b.thread = 2;
  CHECK(steps_conflict(&a, &b));
  const struct hand_edge e[] = {
      {ROOT, 1, ROOT + 1},
      {ROOT, 2, STEPS_BAD},
      {ROOT + 1, 1, STEPS_GOOD},
      {ROOT + 1, 2, STEPS_BAD},
  };
  struct steps g;
  BUILD(&g, e);
  g.steps.at[0] = a;
  g.steps.at[1] = b;
  g.steps.at[2].flags = STEP_INSIDE;
  g.steps.at[2].addr = 128; /* writes where nobody else does */
  struct tree *t = tree_new(&g, &(struct tree_options){0});
  CHECK_INT(tree_race(t, ROOT, 1), RACE_NONE);
  tree_free(t);
  steps_free(&g);
}

/* A ladder of n diamonds, each of which doubles the executions. */
TEST(counts_stay_at_the_largest) {
  VEC(struct hand_edge) e = {0};
  uint32_t n = 70, s = ROOT;
  struct steps g;
  struct tree_patterns p;
  for (uint32_t i = 0; i < n; i++, s += 3) {
    vec_push(&e, ((struct hand_edge){s, 1, s + 1}));
    vec_push(&e, ((struct hand_edge){s, 2, s + 2}));
    vec_push(&e, ((struct hand_edge){s + 1, 2, s + 3}));
    vec_push(&e, ((struct hand_edge){s + 2, 1, s + 3}));
  }
  vec_push(&e, ((struct hand_edge){s, 1, STEPS_GOOD}));
  vec_push(&e, ((struct hand_edge){s, 2, STEPS_BAD}));
  build(&g, e.at, e.len);
  struct tree *t = whole(&g);
  tree_patterns(t, 10, &p);
  CHECK_INT(p.at.len, 1);
  CHECK(p.failing == TREE_MANY && p.at.at[0].count == TREE_MANY);
  tree_patterns_free(&p);
  tree_free(t);
  steps_free(&g);
  vec_free(&e);
}

TEST(a_drawing_has_the_way_and_its_races) {
  const struct hand_edge e[] = {
      {ROOT, 1, STEPS_GOOD},    {ROOT, 2, ROOT + 1},
      {ROOT + 1, 2, ROOT + 2},  {ROOT + 2, 1, STEPS_GOOD},
      {ROOT + 2, 2, STEPS_BAD},
  };
  struct steps g;
  struct tree_patterns p;
  struct arena a = {0};
  struct drawing d;
  tree_path way = {0};
  uint64_t effort = 1000;
  BUILD(&g, e);
  struct tree *t = whole(&g);
  tree_patterns(t, 10, &p);
  CHECK(tree_example(t, &p.at.at[0], &effort, &way));
  tree_draw(t, &way, 100, &a, &d);
  CHECK_INT(d.nnodes, 6);
  CHECK_INT(d.nedges, 5);
  CHECK(!d.condensed && d.nodes[0].critical && d.nodes[0].on_way);
  tree_draw(t, &way, 3, &a, &d); /* the node between is left out */
  CHECK_INT(d.nnodes, 5);
  CHECK_INT(d.nedges, 4);
  CHECK(d.condensed);
  tree_patterns_free(&p);
  vec_free(&way);
  arena_free(&a);
  tree_free(t);
  steps_free(&g);
}

TEST_MAIN
