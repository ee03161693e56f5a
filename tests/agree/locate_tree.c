/*
 * Labels, patterns and their counts on the graph of states, against the tree of
 * interleavings written out (oracle/plain_tree.h): on random graphs, and on
 * clients of objects and of random programs, where the tree is made by running
 * every interleaving.
 */
#include "engine_inputs.h"
#include "random_program.h"

#include "oracle/plain_tree.h"
#include "search/step_graph.h"

#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 2, PROGRAMS = 3 };
#else
enum { CLIENTS = 3, PROGRAMS = 8 };
#endif
enum { MOST_DEPTH = 300, ALL_PATTERNS = 100000 };

/* ---- comparing ---- */

static void spell(const struct tree_pattern *p, struct buf *out) {
  buf_clear(out);
  for (uint32_t i = 0; i < p->len; i++)
    buf_puts(out, race_letter[p->word[i]]);
}

/* The example is an execution, has the pattern, and the fewest switches. */
static bool check_example(const struct tree *tree, const struct steps *g,
                          const struct tree_pattern *p, uint32_t switches) {
  tree_path way = {0};
  struct buf word = {0}, want = {0};
  uint64_t effort = UINT64_MAX;
  bool ok = CHECK(tree_example(tree, p, &effort, &way));
  uint32_t s = g->root, n = 0;
  spell(p, &want);
  for (uint32_t i = 0; i < way.len && ok; i++) {
    uint32_t e = way.at[i];
    ok &= CHECK(e >= g->first[s] && e < g->first[s + 1]);
    if (tree_leads(tree, s) == LEADS_BOTH)
      buf_puts(&word,
               race_letter[tree_race(tree, s, (uint8_t)g->edges[e].thread)]);
    n += i && g->edges[e].thread != g->edges[way.at[i - 1]].thread;
    s = g->edges[e].to;
  }
  ok = ok && CHECK_INT(s, STEPS_BAD) && CHECK_INT(n, switches) &&
       CHECK_STR(buf_text(&word), buf_text(&want));
  vec_free(&way);
  buf_free(&word);
  buf_free(&want);
  return ok;
}

/* Fewer patterns are the first ones, with the same counts. */
static bool check_fewer(const struct tree *tree, const struct tree_patterns *p,
                        uint32_t most) {
  struct tree_patterns q;
  tree_patterns(tree, most, &q);
  uint32_t n = p->at.len < most ? p->at.len : most;
  bool ok = CHECK_INT(q.at.len, n) && CHECK_INT(q.cut, p->at.len > most);
  for (uint32_t i = 0; ok && i < n; i++)
    ok = CHECK_INT((long long)q.at.at[i].count, (long long)p->at.at[i].count) &&
         CHECK_INT(q.at.at[i].len, p->at.at[i].len) &&
         CHECK(!memcmp(q.at.at[i].word, p->at.at[i].word, q.at.at[i].len));
  ok &= CHECK_INT((long long)q.explained, (long long)p->explained);
  tree_patterns_free(&q);
  return ok;
}

/* Which steps access the set of variables. */
static bool *steps_in_set(const struct steps *g, uint64_t set) {
  bool *in_set = xcalloc(g->steps.len + 1u, sizeof *in_set);
  for (uint32_t i = 0; i < g->steps.len; i++)
    in_set[i] = plain_in_set(set, &g->steps.at[i]);
  return in_set;
}

static bool agree(const struct steps *g, struct plain_tree *plain,
                  enum tree_between between) {
  bool *in_set = between == TREE_VARIABLES ? steps_in_set(g, plain->set) : NULL;
  struct tree_options o = {between, in_set};
  struct tree *tree = tree_new(g, &o);
  struct tree_patterns p;
  struct buf word = {0};
  uint64_t explained = 0;
  plain_patterns(plain, between);
  tree_patterns(tree, ALL_PATTERNS, &p);
  bool ok = CHECK_INT(tree_leads(tree, g->root), plain->nodes.at[0].leads) &
            CHECK_INT((long long)p.failing, (long long)plain->failing) &
            CHECK_INT(p.at.len, plain->words.len) & CHECK(!p.cut);
  for (uint32_t i = 0; ok && i < p.at.len; i++) {
    uint32_t k = 0;
    spell(&p.at.at[i], &word);
    while (k < plain->words.len && strcmp(plain->words.at[k], buf_text(&word)))
      k++;
    ok = CHECK(k < plain->words.len) &&
         CHECK_INT((long long)p.at.at[i].count,
                   (long long)plain->counts.at[k]) &&
         (i > 4 || check_example(tree, g, &p.at.at[i], plain->switches.at[k]));
    explained += p.at.at[i].count;
  }
  ok = ok && CHECK_INT((long long)p.explained, (long long)explained) &&
       check_fewer(tree, &p, 1) && check_fewer(tree, &p, 3);
  buf_free(&word);
  tree_patterns_free(&p);
  tree_free(tree);
  free(in_set);
  return ok;
}

/* Failing executions that have a pattern. */
static uint64_t sum(const struct plain_tree *t) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < t->counts.len; i++)
    n += t->counts.at[i];
  return n;
}

/* ---- random graphs ---- */

enum { STATES = 14, GRAPHS = 1000 };

/* Writes out the graph from one of its states. */
static uint32_t unfold(struct plain_tree *t, const struct steps *g, uint32_t s,
                       const struct tree *follows) {
  uint32_t n = plain_node_new(t, s < STEPS_ENDS ? s : STEPS_ENDS);
  for (uint32_t e = g->first[s]; e < g->first[s + 1] && !t->too_large; e++) {
    if (!tree_follows(follows, s, e))
      continue;
    struct branch b = {g->edges[e].thread,
                       unfold(t, g, g->edges[e].to, follows),
                       g->steps.at[g->edges[e].step]};
    vec_push(&t->nodes.at[n].branches, b);
  }
  return n;
}

static struct step random_step(struct rng *rng, uint8_t thread) {
  static const uint8_t kinds[] = {EV_READ, EV_WRITE, EV_CAS, EV_ATOMIC_READ};
  return (struct step){.pc = 1,
                       .addr = 8 * (1 + rng_below(rng, 3)),
                       .size = 8,
                       .thread = thread,
                       .kind = kinds[rng_below(rng, 4)],
                       .flags = (uint8_t)(rng_below(rng, 4) ? 0 : 3)};
}

/* Some of the addresses that steps have. */
static uint64_t random_set(struct rng *rng) {
  return (1 + rng_below(rng, 7)) << 1;
}

/* Edges lead to later states or to ends, so there are no circles. */
static void random_graph(struct rng *rng, struct steps *g) {
  uint32_t threads = 2 + (uint32_t)rng_below(rng, 2);
  *g = (struct steps){.nstates = STEPS_ENDS + STATES, .root = STEPS_ENDS};
  g->first = xcalloc(g->nstates + 1, sizeof *g->first);
  g->edges = xcalloc((size_t)g->nstates * 8, sizeof *g->edges);
  uint32_t n = 0;
  for (uint32_t s = STEPS_ENDS; s < g->nstates; s++) {
    g->first[s] = n;
    for (uint8_t t = 1; t <= threads; t++) {
      uint64_t ways = rng_below(rng, 8) ? 1 : rng_below(rng, 3);
      while (ways--) {
        uint32_t later = g->nstates - 1 - s;
        uint32_t step = later && rng_below(rng, 6) ? 1 : 0;
        uint32_t to =
            step ? s + 1 + (uint32_t)rng_below(rng, later < 4 ? later : 4)
                 : (uint32_t)rng_below(rng, STEPS_ENDS);
        vec_push(&g->steps, random_step(rng, t));
        g->edges[n].to = to;
        g->edges[n].thread = t;
        g->edges[n++].step = g->steps.len - 1;
      }
    }
  }
  g->first[g->nstates] = n;
}

TEST(random_graphs_agree_with_their_trees) {
  uint32_t with_patterns = 0;
  for (uint64_t seed = 1; seed <= GRAPHS && !test_errors; seed++) {
    struct rng rng = {seed};
    struct steps g;
    struct plain_tree t = {0};
    random_graph(&rng, &g);
    struct tree *tree = tree_new(&g, &(struct tree_options){0});
    CHECK(!tree_has_circles(tree));
    unfold(&t, &g, g.root, tree);
    if (!t.too_large) {
      agree(&g, &t, TREE_ANY);
      with_patterns += t.words.len > 3;
      agree(&g, &t, TREE_REAL_TIME);
      agree(&g, &t, TREE_CONFLICTS);
      t.set = random_set(&rng);
      agree(&g, &t, TREE_VARIABLES);
    }
    if (test_errors)
      fprintf(stderr, "  seed %llu\n", (unsigned long long)seed);
    tree_free(tree);
    plain_tree_free(&t);
    steps_free(&g);
  }
  CHECK(with_patterns > GRAPHS / 20);
}

/* ---- random machines ---- */

enum { MACHINE_STEPS = 3, MACHINE_VALUES = 3 };

/*
 * Threads that each make some steps, on one value; each has a bit.  A step that
 * only reads puts the value into the bit.  What a step does, and at some places
 * which step it is, depends on the bit.
 */
struct machine {
  uint32_t threads, steps;
  uint8_t step[4][MACHINE_STEPS][2]; /* index into the graph's */
  uint8_t makes[4][MACHINE_STEPS][2][MACHINE_VALUES];
  uint64_t bad; /* by value and bits, at the end */
};

struct machine_state {
  uint32_t value, bit[4], at[4];
};

static uint32_t number_of(const struct machine *m,
                          const struct machine_state *s) {
  uint32_t n = s->value, ended = 0;
  for (uint32_t t = 0; t < m->threads; t++) {
    n = n * 2 + s->bit[t];
    ended += s->at[t] == m->steps;
  }
  if (ended == m->threads)
    return m->bad >> n % 64 & 1 ? STEPS_BAD : STEPS_GOOD;
  for (uint32_t t = 0; t < m->threads; t++)
    n = n * (m->steps + 1) + s->at[t];
  return STEPS_ENDS + n;
}

static void read_number(const struct machine *m, uint32_t n,
                        struct machine_state *s) {
  for (uint32_t t = m->threads; t--; n /= m->steps + 1)
    s->at[t] = n % (m->steps + 1);
  for (uint32_t t = m->threads; t--; n /= 2)
    s->bit[t] = n % 2;
  s->value = n;
}

static void random_machine(struct rng *rng, struct machine *m,
                           struct steps *g) {
  *m = (struct machine){.threads = 2 + (uint32_t)rng_below(rng, 2),
                        .bad = rng_next(rng) & rng_next(rng)};
  m->steps = m->threads == 2 ? MACHINE_STEPS : MACHINE_STEPS - 1;
  for (uint8_t t = 0; t < m->threads; t++)
    for (uint32_t i = 0; i < m->steps; i++)
      for (uint32_t bit = 0; bit < 2; bit++) {
        if (!bit || !rng_below(rng, 4))
          vec_push(&g->steps, random_step(rng, t + 1));
        m->step[t][i][bit] = (uint8_t)(g->steps.len - 1);
        for (uint32_t v = 0; v < MACHINE_VALUES; v++)
          m->makes[t][i][bit][v] = (uint8_t)rng_below(rng, MACHINE_VALUES);
      }
}

/* Its graph; states that it never comes to have edges, too. */
static void machine_graph(struct rng *rng, struct steps *g) {
  struct machine m;
  struct machine_state s = {0};
  uint32_t states = MACHINE_VALUES, n = 0;
  *g = (struct steps){0};
  random_machine(rng, &m, g);
  for (uint32_t t = 0; t < m.threads; t++)
    states *= 2 * (m.steps + 1);
  g->nstates = STEPS_ENDS + states;
  g->root = number_of(&m, &s);
  g->first = xcalloc(g->nstates + 1, sizeof *g->first);
  g->edges = xcalloc((size_t)states * m.threads, sizeof *g->edges);
  for (uint32_t i = 0; i < states; i++) {
    g->first[STEPS_ENDS + i] = n;
    for (uint32_t t = 0; t < m.threads; t++) {
      read_number(&m, i, &s);
      if (s.at[t] == m.steps)
        continue;
      uint32_t step = m.step[t][s.at[t]][s.bit[t]];
      if (step_only_reads(&g->steps.at[step]))
        s.bit[t] = s.value & 1;
      else
        s.value = m.makes[t][s.at[t]][s.bit[t]][s.value];
      s.at[t]++;
      g->edges[n].to = number_of(&m, &s);
      g->edges[n].thread = (uint8_t)(t + 1);
      g->edges[n++].step = step;
    }
  }
  g->first[g->nstates] = n;
}

TEST(races_on_sets_of_variables_agree_with_the_definition) {
  uint32_t with_patterns = 0, with_more = 0, with_less = 0;
  for (uint64_t seed = 1; seed <= GRAPHS && !test_errors; seed++) {
    struct rng rng = {seed};
    struct steps g;
    struct plain_tree t = {0};
    machine_graph(&rng, &g);
    struct tree *tree = tree_new(&g, &(struct tree_options){0});
    unfold(&t, &g, g.root, tree);
    if (CHECK(!t.too_large)) {
      agree(&g, &t, TREE_ANY);
      uint64_t any = sum(&t);
      agree(&g, &t, TREE_CONFLICTS);
      uint64_t one = sum(&t);
      t.set = random_set(&rng);
      agree(&g, &t, TREE_VARIABLES);
      with_patterns += t.words.len > 0;
      with_more += sum(&t) > one;
      with_less += sum(&t) < any;
    }
    if (test_errors)
      fprintf(stderr, "  seed %llu\n", (unsigned long long)seed);
    tree_free(tree);
    plain_tree_free(&t);
    steps_free(&g);
  }
  CHECK(with_patterns > GRAPHS / 10);
  CHECK(with_more > GRAPHS / 20); /* than races on a single variable tell of */
  CHECK(with_less > GRAPHS / 20); /* than races between any steps */
}

/* ---- graphs with circles ---- */

/* Turns some edges back, to any state. */
static void make_circles(struct rng *rng, struct steps *g) {
  for (uint32_t e = 0; e < g->first[g->nstates]; e++)
    if (!rng_below(rng, 6))
      g->edges[e].to = STEPS_ENDS + (uint32_t)rng_below(rng, STATES);
}

/* Which states can be come to from s, by steps that are followed or by all? */
static void reach(const struct steps *g, const struct tree *follows, uint32_t s,
                  bool *seen) {
  if (seen[s])
    return;
  seen[s] = true;
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
    if (!follows || tree_follows(follows, s, e))
      reach(g, follows, g->edges[e].to, seen);
}

/* Failing executions from s by steps that are followed; MANY: it goes round. */
static uint64_t count_failing(const struct steps *g, const struct tree *t,
                              uint32_t s, uint32_t depth) {
  uint64_t sum = s == STEPS_BAD;
  if (depth > g->nstates)
    return TREE_MANY / 2;
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
    if (tree_follows(t, s, e))
      sum += count_failing(g, t, g->edges[e].to, depth + 1);
  return sum;
}

static bool check_circles(const struct steps *g) {
  struct tree *t = tree_new(g, &(struct tree_options){TREE_ANY});
  struct tree_patterns p;
  bool all[STEPS_ENDS + STATES] = {0}, followed[STEPS_ENDS + STATES] = {0};
  bool ok = true;
  reach(g, NULL, g->root, all);
  reach(g, t, g->root, followed);
  ok &= CHECK(!memcmp(all, followed, sizeof all));
  for (uint32_t s = STEPS_ENDS; s < g->nstates && ok; s++) {
    bool from[STEPS_ENDS + STATES] = {0};
    reach(g, NULL, s, from);
    if (all[s])
      ok &= CHECK_INT(tree_leads(t, s), (from[STEPS_GOOD] ? LEADS_GOOD : 0) |
                                            (from[STEPS_BAD] ? LEADS_BAD : 0));
  }
  tree_patterns(t, ALL_PATTERNS, &p);
  ok &= CHECK_INT((long long)p.failing,
                  (long long)count_failing(g, t, g->root, 0));
  for (uint32_t i = 0; i < p.at.len && ok; i++)
    ok &= CHECK(p.at.at[i].word[p.at.at[i].len - 1] > RACE_WG);
  tree_patterns_free(&p);
  tree_free(t);
  return ok;
}

TEST(circles_do_not_change_what_states_lead_to) {
  uint32_t with_circles = 0;
  for (uint64_t seed = 1; seed <= GRAPHS && !test_errors; seed++) {
    struct rng rng = {seed};
    struct steps g;
    random_graph(&rng, &g);
    make_circles(&rng, &g);
    struct tree *t = tree_new(&g, &(struct tree_options){0});
    with_circles += tree_has_circles(t);
    tree_free(t);
    if (!check_circles(&g))
      fprintf(stderr, "  seed %llu\n", (unsigned long long)seed);
    steps_free(&g);
  }
  CHECK(with_circles > GRAPHS / 4);
}

/* ---- clients ---- */

struct judged {
  uint64_t class; /* which outcomes are bad */
  uint64_t set;   /* of variables */
};

static bool is_bad(const struct judged *j, enum rt_end end) {
  struct engine_record r = {.history = *rt_history(), .end = end};
  if (end == RT_FAULT) {
    uint64_t fault = rt_fault()->kind;
    return hash128(&fault, sizeof fault, 1).lo % 3 == j->class;
  }
  return engine_outcome(&r).lo % 3 == j->class;
}

static enum judgement ended(void *ctx, enum rt_end end) {
  return is_bad(ctx, end) ? JUDGE_BAD : JUDGE_GOOD;
}

/* Answers to choices in one step; all sequences of them, one by one. */
struct answers {
  uint8_t at[64], of[64];
  uint32_t len, known;
};

static int answer(void *ctx, int n) {
  struct answers *a = ctx;
  if (a->len == 64)
    return 0;
  uint32_t i = a->len++;
  if (i >= a->known)
    a->at[i] = 0;
  a->of[i] = (uint8_t)n;
  return a->at[i];
}

static bool other_answers(struct answers *a) {
  while (a->len && a->at[a->len - 1] + 1 == a->of[a->len - 1])
    a->len--;
  if (!a->len)
    return false;
  a->at[a->len - 1]++;
  a->known = a->len;
  a->len = 0;
  return true;
}

static uint32_t without_interruption(uint32_t enabled) {
  uint32_t holders = 0;
  for (uint32_t t = 0; t < 32; t++)
    if (enabled >> t & 1) {
      struct rt_stand at;
      rt_stand((int)t, &at);
      holders |= at.held ? 1u << t : 0;
    }
  return holders ? holders : enabled;
}

static struct step pending(int t) {
  struct rt_access a;
  struct rt_stand at;
  rt_pending(t, &a);
  rt_stand(t, &at);
  bool calls = at.call != EVENT_NO_CALL && !at.begun;
  return (struct step){.pc = at.pc,
                       .addr = a.addr,
                       .size = a.size,
                       .call = at.call,
                       .thread = (uint8_t)t,
                       .kind = a.kind,
                       .flags = (uint8_t)((calls ? STEP_CALLS : 0) |
                                          (at.held ? STEP_INSIDE : 0))};
}

/* Every interleaving from where the engine is. */
static uint32_t run_all(struct plain_tree *t, const struct judged *j,
                        uint32_t depth) {
  uint32_t n = plain_node_new(t, STEPS_ENDS), enabled = rt_enabled();
  struct snapshot here = {0};
  if (t->sections)
    enabled = without_interruption(enabled);
  t->too_large |= depth > MOST_DEPTH;
  rt_save(&here);
  for (int thread = 0; thread < 32 && !t->too_large; thread++) {
    struct answers a = {0};
    if (!(enabled >> thread & 1))
      continue;
    do {
      struct rt_driver driver = {NULL, answer, &a, .every = false};
      rt_restore(&here);
      struct step s = pending(thread);
      enum rt_end end = rt_step(thread, &driver);
      struct answers now = a;
      t->too_large |= end == RT_CUT;
      if (s.call != EVENT_NO_CALL &&
          (end != RT_STOPPED || rt_call_done(s.call) ||
           pending(thread).call != s.call))
        s.flags |= STEP_RETURNS;
      struct branch b = {.thread = (uint32_t)thread, .step = s};
      b.child =
          end == RT_STOPPED
              ? run_all(t, j, depth + 1)
              : plain_node_new(t, is_bad(j, end) ? STEPS_BAD : STEPS_GOOD);
      vec_push(&t->nodes.at[n].branches, b);
      a = now;
    } while (other_answers(&a) && !t->too_large);
  }
  snapshot_free(&here);
  return n;
}

/* As many executions as dfs runs, and as many bad ones. */
static bool same_as_dfs(const struct plain_tree *t, const struct judged *j,
                        const struct step_graph *whole) {
  struct judged own = *j;
  struct explore x = {.judge = {ended, &own}, .all = true};
  bool ok = CHECK_INT(explore_dfs(&x), EXPLORE_ALL) &&
            CHECK_INT((long long)x.executions, (long long)t->ends) &&
            CHECK_INT((long long)x.bad_count, (long long)t->failing) &&
            CHECK_INT((long long)whole->bad, (long long)t->failing);
  vec_free(&x.bad);
  return ok;
}

/* What is told as an example fails when it is run. */
static bool example_fails(const struct step_graph *whole,
                          const struct judged *j) {
  struct tree *t = tree_new(&whole->graph, &(struct tree_options){0});
  struct tree_patterns p;
  tree_path way = {0};
  path steps = {0};
  struct replay r;
  uint64_t effort = UINT64_MAX;
  bool ok = true;
  tree_patterns(t, 1, &p);
  if (p.at.len && CHECK(tree_example(t, &p.at.at[0], &effort, &way))) {
    step_graph_path(whole, way.at, way.len, &steps);
    replay_init(&r, steps.at, steps.len);
    ok = CHECK(is_bad(j, rt_run(&r.driver))) & CHECK(!r.diverged);
    replay_free(&r);
  }
  vec_free(&steps);
  vec_free(&way);
  tree_patterns_free(&p);
  tree_free(t);
  return ok;
}

static bool compare(const struct client *c, const struct judged *j,
                    const struct step_graph_kind *order, uint32_t *compared,
                    unsigned *root) {
  struct judged own = *j;
  struct step_graph whole;
  struct explore x = {.judge = {ended, &own}, .max_states = 20000};
  struct rt_driver driver = {0};
  struct plain_tree t = {.sections = order->sections};
  bool ok = true;
  if (rt_prepare(engine.suite, c) != RT_DONE)
    return true;
  enum explore_end end = step_graph_build(&whole, &x, order);
  vec_free(&x.bad);
  rt_reduce(order->steps != STEP_GRAPH_ALL);
  if (end == EXPLORE_ALL && whole.complete && !whole.circles &&
      rt_begin(&driver) == RT_STOPPED) {
    run_all(&t, j, 0);
    if (!t.too_large) {
      ++*compared;
      ok &= agree(&whole.graph, &t, TREE_CONFLICTS) &&
            agree(&whole.graph, &t, TREE_REAL_TIME) &&
            agree(&whole.graph, &t, TREE_ANY);
      t.set = UINT64_MAX; /* all of memory, and a part */
      ok &= agree(&whole.graph, &t, TREE_VARIABLES);
      t.set = j->set;
      ok &= agree(&whole.graph, &t, TREE_VARIABLES);
      *root = t.nodes.at[0].leads;
    }
  }
  rt_reduce(false);
  if (ok && whole.complete)
    ok &= example_fails(&whole, j);
  if (ok && !t.too_large && t.ends && order->steps == STEP_GRAPH_ALL &&
      !order->sections)
    ok &= same_as_dfs(&t, j, &whole);
  if (!ok)
    fprintf(stderr, "  client %s, class %d, steps %d, sections %d\n",
            engine_text(c), (int)j->class, (int)order->steps, order->sections);
  plain_tree_free(&t);
  step_graph_free(&whole);
  return ok;
}

/* Whatever the steps are, the client can end in the same ways. */
static void compare_all(const struct client *c, const struct judged *j,
                        uint32_t *compared) {
  unsigned root[3] = {0}, ignored;
  for (int steps = STEP_GRAPH_CONFLICTING; steps <= STEP_GRAPH_ALL; steps++) {
    struct step_graph_kind order = {(enum step_graph_steps)steps, false};
    compare(c, j, &order, compared, &root[steps]);
    order.sections = true;
    compare(c, j, &order, compared, &ignored);
  }
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < a; b++)
      if (root[a] && root[b])
        CHECK_INT(root[a], root[b]);
}

static void compare_random(uint64_t seed) {
  struct rng rng = {seed};
  struct gen_limits limits = {.threads = 3, .ops = 2, .init = 1};
  struct generator *g = generator_new(&engine.object, &limits);
  uint32_t compared = 0;
  for (uint32_t i = 0; i < CLIENTS && !test_errors; i++) {
    struct client c, whole;
    uint32_t threads = i ? 2 + (uint32_t)rng_below(&rng, 2) : 2;
    uint32_t ops = i && threads == 2 ? 1 + (uint32_t)rng_below(&rng, 2) : 1;
    if (!generator_random(g, &rng, threads, ops, &c))
      break;
    generate_final(&engine.object, &c, &whole);
    struct judged j = {rng_below(&rng, 3), rng_next(&rng)};
    compare_all(&whole, &j, &compared);
    client_free(&c);
    client_free(&whole);
  }
  CHECK(compared > 0);
  generator_free(g);
}

static void compare_object(const struct engine_object *o) {
  (void)o;
  compare_random(23);
}

TEST(trees_agree_with_all_interleavings_of_objects) {
  engine_each_object("-O1", compare_object);
}

TEST(trees_agree_with_all_interleavings_of_random_programs) {
  engine_each_program(
      &(struct engine_programs){.count = PROGRAMS, .compare = compare_random});
}

TEST_MAIN
