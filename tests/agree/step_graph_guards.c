/*
 * The graph in which critical sections are one step against the one in which
 * every access is: where both have a state, it leads to the same.  Judged by
 * linearizability, and by the results alone; on objects with locks and on
 * random programs.  A failing execution of the one fails when it is run.
 */
#include "engine_inputs.h"

#include "locate/tree.h"
#include "search/step_graph.h"

#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 4, PROGRAMS = 4 };
#else
enum { CLIENTS = 10, PROGRAMS = 12 };
#endif
enum { MOST_EXECUTIONS = 20000, MOST_STATES = 20000 };

/* ---- who is bad ---- */

struct judged {
  struct map128 bad; /* digests, as of struct engine_record */
  bool results;      /* the results decide, and how it ended */
};

static struct hash128 digest_now(enum rt_end end) {
  uint64_t how[2] = {end, end == RT_FAULT ? rt_fault()->kind : FAULT_NONE};
  return hash128_join(history_digest(rt_history()),
                      hash128(how, sizeof how, 0));
}

static bool is_bad(const struct judged *j, enum rt_end end) {
  if (!j->results)
    return map128_get(&j->bad, digest_now(end)) != NULL;
  struct engine_record r = {.history = *rt_history(), .end = end};
  if (end == RT_FAULT)
    r.fault = rt_fault()->kind;
  return engine_outcome(&r).lo % 3 == 0;
}

static enum judgement ended(void *ctx, enum rt_end end) {
  return is_bad(ctx, end) ? JUDGE_BAD : JUDGE_GOOD;
}

/* By all interleavings; false: there are too many. */
static bool find_bad(const struct client *c, struct judged *j) {
  struct engine_found dfs;
  engine_explore(&dfs, c, ENGINE_DFS, MOST_EXECUTIONS);
  bool all = dfs.end == EXPLORE_ALL && !dfs.cut;
  if (all)
    engine_check(&dfs);
  for (uint32_t i = 0; all && i < dfs.at.len; i++) {
    bool fresh;
    if (!dfs.at.at[i].explained)
      map128_put(&j->bad, dfs.at.at[i].digest, &fresh);
  }
  engine_free(&dfs);
  return all;
}

/* ---- two graphs, side by side ---- */

struct side {
  struct step_graph whole;
  struct tree *tree;
};

static bool draw(struct side *s, const struct client *c, struct judged *j,
                 bool guards) {
  struct explore x = {.judge = {ended, j}, .max_states = MOST_STATES};
  struct step_graph_kind order = {.guards = guards};
  if (rt_prepare(engine.suite, c) != RT_DONE)
    return false;
  *s = (struct side){0};
  step_graph_build(&s->whole, &x, &order);
  vec_free(&x.bad);
  if (s->whole.complete)
    s->tree = tree_new(&s->whole.graph, &(struct tree_options){0});
  return s->whole.complete;
}

static void drop(struct side *s) {
  if (s->tree)
    tree_free(s->tree);
  step_graph_free(&s->whole);
}

struct pairs {
  struct side fine, coarse;
  uint32_t *partner;    /* of the coarse states, + 1 */
  VEC(uint32_t) to_do;  /* coarse states */
  uint32_t folded, met; /* steps that are made with others; states */
};

static void meet(struct pairs *p, uint32_t coarse, uint32_t fine) {
  unsigned a = tree_leads(p->coarse.tree, coarse);
  unsigned b = tree_leads(p->fine.tree, fine);
  CHECK_INT(a, b);
  if (p->partner[coarse])
    return;
  p->partner[coarse] = fine + 1;
  p->met++;
  vec_push(&p->to_do, coarse);
}

/* The only step of the thread, or some other one; UINT32_MAX: it has a choice. */
static uint32_t edge_of(const struct steps *g, uint32_t s, uint32_t thread) {
  uint32_t found = UINT32_MAX, n = 0;
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
    if (g->edges[e].thread == thread) {
      found = e;
      n++;
    }
  return n > 1 ? UINT32_MAX : n ? found : g->first[s];
}

static bool is_same(const struct step *a, const struct step *b) {
  return a->thread == b->thread && a->kind == b->kind && a->addr == b->addr &&
         a->pc == b->pc && a->call == b->call;
}

static void follow(struct pairs *p, uint32_t s, uint32_t e) {
  const struct steps *c = &p->coarse.whole.graph, *f = &p->fine.whole.graph;
  const struct step_edge *edge = &c->edges[e];
  const struct step *step = &c->steps.at[edge->step];
  uint32_t at = p->partner[s] - 1;
  if (edge_of(c, s, edge->thread) == UINT32_MAX)
    return;
  for (uint32_t i = 0; i <= step->more; i++) {
    uint32_t next = at >= STEPS_ENDS ? edge_of(f, at, edge->thread) : 0;
    if (next == UINT32_MAX)
      return;
    if (at >= STEPS_ENDS &&
        is_same(&step[i], &f->steps.at[f->edges[next].step])) {
      at = f->edges[next].to;
      p->folded += i > 0;
    } else {
      /* Nobody conflicts with it. */
      CHECK(i > 0 && step[i].kind != EV_UNLOCK);
    }
  }
  meet(p, edge->to, at);
}

static void walk_together(struct pairs *p) {
  const struct steps *c = &p->coarse.whole.graph;
  p->partner = xcalloc(c->nstates, sizeof *p->partner);
  meet(p, c->root, p->fine.whole.graph.root);
  while (p->to_do.len && !test_errors) {
    uint32_t s = vec_pop(&p->to_do);
    for (uint32_t e = c->first[s]; e < c->first[s + 1]; e++)
      follow(p, s, e);
  }
}

static bool example_fails(const struct side *s, const struct judged *j) {
  struct tree_patterns p;
  tree_path way = {0};
  path steps = {0};
  struct replay r;
  uint64_t effort = UINT64_MAX;
  bool ok = true;
  tree_patterns(s->tree, 1, &p);
  if (p.at.len && CHECK(tree_example(s->tree, &p.at.at[0], &effort, &way))) {
    step_graph_path(&s->whole, way.at, way.len, &steps);
    replay_init(&r, steps.at, steps.len);
    ok = CHECK(is_bad(j, rt_run(&r.driver))) & CHECK(!r.diverged);
    replay_free(&r);
  }
  vec_free(&steps);
  vec_free(&way);
  tree_patterns_free(&p);
  return ok;
}

struct sum {
  uint32_t compared, folded, fewer;
};

static void compare(const struct client *c, bool results, struct sum *sum) {
  struct judged j = {.results = results};
  struct pairs p = {0};
  if (rt_prepare(engine.suite, c) != RT_DONE || !find_bad(c, &j)) {
    map128_free(&j.bad);
    return;
  }
  if (draw(&p.fine, c, &j, false) && draw(&p.coarse, c, &j, true)) {
    walk_together(&p);
    example_fails(&p.coarse, &j);
    CHECK(p.coarse.whole.states <= p.fine.whole.states);
    sum->compared++;
    sum->folded += p.folded;
    sum->fewer += p.coarse.whole.states < p.fine.whole.states;
  }
  if (test_errors)
    fprintf(stderr, "  client %s, results %d\n", engine_text(c), results);
  drop(&p.fine);
  drop(&p.coarse);
  free(p.partner);
  vec_free(&p.to_do);
  map128_free(&j.bad);
}

static struct sum compare_random(uint64_t seed) {
  struct engine_draw d = engine_draw_begin(seed, 1, 2, 1);
  struct sum sum = {0};
  for (uint32_t i = 0; i < CLIENTS && !test_errors && engine_draw(&d); i++) {
    compare(&d.client, false, &sum);
    compare(&d.client, true, &sum);
  }
  engine_draw_end(&d);
  return sum;
}

/* ---- */

static void compare_object(const struct engine_object *o) {
  struct sum sum = compare_random(5);
  CHECK(sum.compared > 0);
  if (!strcmp(o->name, "a queue with two locks"))
    CHECK(sum.folded > 0 && sum.fewer > 0);
}

TEST(states_of_objects_lead_to_the_same) {
  engine_each_object("-O1", compare_object);
}

static void compare_program(uint64_t seed) { compare_random(seed); }

TEST(states_of_random_critical_sections_lead_to_the_same) {
  engine_each_program(&(struct engine_programs){
      .count = PROGRAMS, .write = random_locks, .compare = compare_program});
}

TEST_MAIN
