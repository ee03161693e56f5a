/*
 * Labels, patterns and their counts on the graph of states, against the tree of
 * interleavings written out, in which every execution is a leaf of its own: on
 * random graphs, and on clients of objects and of random programs, where the
 * tree is made by running every interleaving.
 */
#include "engine_inputs.h"
#include "random_program.h"

#include "locate/tree.h"
#include "search/step_graph.h"

#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 2, PROGRAMS = 3 };
#else
enum { CLIENTS = 3, PROGRAMS = 8 };
#endif
enum { MOST_NODES = 40000, MOST_DEPTH = 300, ALL_PATTERNS = 100000 };

/* ---- the tree ---- */

struct branch {
  uint32_t thread, child;
  struct step step;
};

struct plain_node {
  VEC(struct branch) branches; /* by thread */
  uint32_t end;                /* STEPS_…; STEPS_ENDS: none */
  unsigned leads;
};

struct plain_tree {
  VEC(struct plain_node) nodes;
  bool sections;
  enum tree_between between;
  bool too_large;
  /* of each pattern: its letters, how many executions, fewest switches */
  VEC(char *) words;
  VEC(uint64_t) counts;
  VEC(uint32_t) switches;
  uint64_t failing, ends;
};

static uint32_t new_node(struct plain_tree *t, uint32_t end) {
  t->too_large |= t->nodes.len >= MOST_NODES;
  t->ends += end < STEPS_ENDS;
  vec_push(&t->nodes, ((struct plain_node){.end = end}));
  return t->nodes.len - 1;
}

static void forget_patterns(struct plain_tree *t) {
  for (uint32_t i = 0; i < t->words.len; i++)
    free(t->words.at[i]);
  vec_clear(&t->words);
  vec_clear(&t->counts);
  vec_clear(&t->switches);
  t->failing = 0;
}

static void free_tree(struct plain_tree *t) {
  forget_patterns(t);
  for (uint32_t i = 0; i < t->nodes.len; i++)
    vec_free(&t->nodes.at[i].branches);
  vec_free(&t->nodes);
  vec_free(&t->words);
  vec_free(&t->counts);
  vec_free(&t->switches);
}

static unsigned label(struct plain_tree *t, uint32_t n) {
  unsigned leads = t->nodes.at[n].end == STEPS_GOOD  ? LEADS_GOOD
                   : t->nodes.at[n].end == STEPS_BAD ? LEADS_BAD
                                                     : LEADS_NOWHERE;
  for (uint32_t i = 0; i < t->nodes.at[n].branches.len; i++)
    leads |= label(t, t->nodes.at[n].branches.at[i].child);
  return t->nodes.at[n].leads = leads;
}

static unsigned leads_by(const struct plain_tree *t, uint32_t n,
                         uint32_t thread) {
  const struct plain_node *p = &t->nodes.at[n];
  unsigned leads = 0;
  for (uint32_t i = 0; i < p->branches.len; i++)
    if (p->branches.at[i].thread == thread)
      leads |= t->nodes.at[p->branches.at[i].child].leads;
  return leads;
}

typedef VEC(struct step) some_steps;

static void section(const struct plain_tree *t, const struct branch *b,
                    some_steps *out) {
  const struct plain_node *p = &t->nodes.at[b->child];
  vec_push(out, b->step);
  for (uint32_t i = 0; i < p->branches.len; i++)
    if (p->branches.at[i].thread == b->thread) {
      if (p->branches.at[i].step.flags & STEP_INSIDE)
        section(t, &p->branches.at[i], out);
      return;
    }
}

static bool are_timed(const struct plain_tree *t, const struct step *a,
                      const struct step *b) {
  return t->between == TREE_REAL_TIME && steps_timed(a, b);
}

static bool sections_depend(const struct plain_tree *t, const struct branch *a,
                            const struct branch *b) {
  some_steps x = {0}, y = {0};
  bool some = false, nested = false;
  section(t, a, &x);
  section(t, b, &y);
  for (uint32_t i = 1; i < x.len; i++)
    nested |= step_locks(&x.at[i]);
  for (uint32_t i = 1; i < y.len; i++)
    nested |= step_locks(&y.at[i]);
  for (uint32_t i = 0; i < x.len; i++)
    for (uint32_t k = 0; k < y.len; k++)
      some |= are_timed(t, &x.at[i], &y.at[k]) ||
              (steps_conflict(&x.at[i], &y.at[k]) &&
               (nested || !step_guards(&x.at[i]) || !step_guards(&y.at[k])));
  vec_free(&x);
  vec_free(&y);
  return some;
}

static bool branches_depend(const struct plain_tree *t, const struct branch *a,
                            const struct branch *b) {
  const struct step *s = &a->step, *u = &b->step;
  if (t->sections || (step_locks(s) && step_locks(u) && s->addr == u->addr))
    return sections_depend(t, a, b);
  return steps_conflict(s, u) || are_timed(t, s, u);
}

/* Do two threads decide something between them? */
static bool meet(const struct plain_tree *t, uint32_t n, uint32_t x,
                 uint32_t y) {
  const struct plain_node *p = &t->nodes.at[n];
  unsigned a = leads_by(t, n, x), b = leads_by(t, n, y);
  bool some = t->between == TREE_ANY;
  for (uint32_t i = 0; i < p->branches.len; i++)
    for (uint32_t k = 0; k < p->branches.len; k++) {
      const struct branch *c = &p->branches.at[i], *d = &p->branches.at[k];
      if (c->thread == x && d->thread == y && t->nodes.at[c->child].leads &&
          t->nodes.at[d->child].leads)
        some |= branches_depend(t, c, d);
    }
  return x != y && a && b && a != b && some;
}

/* The letter of a node when this thread wins. */
static const char *letter(const struct plain_tree *t, uint32_t n,
                          uint32_t thread) {
  bool part = false, seen[4] = {0}, any[4] = {0};
  for (uint32_t x = 0; x < 8; x++) {
    any[leads_by(t, n, x)] = true;
    for (uint32_t y = 0; y < 8; y++)
      if (meet(t, n, x, y)) {
        part |= x == thread;
        seen[leads_by(t, n, x)] = true;
      }
  }
  if (!part)
    return "";
  if (seen[LEADS_GOOD] && seen[LEADS_BAD])
    return any[LEADS_BOTH] ? "WBg" : "G";
  return seen[LEADS_GOOD] ? "Wg" : "Bg";
}

static void note_pattern(struct plain_tree *t, const char *word,
                         uint32_t switches) {
  uint32_t i = 0;
  while (i < t->words.len && strcmp(t->words.at[i], word))
    i++;
  if (i == t->words.len) {
    vec_push(&t->words, xstrdup(word));
    vec_push(&t->counts, 0);
    vec_push(&t->switches, UINT32_MAX);
  }
  t->counts.at[i]++;
  if (switches < t->switches.at[i])
    t->switches.at[i] = switches;
}

/* Goes down to every leaf; `decided`: a race has taken all hope. */
static void read_paths(struct plain_tree *t, uint32_t n, struct buf *word,
                       bool decided, int last, uint32_t switches) {
  const struct plain_node *p = &t->nodes.at[n];
  if (p->end == STEPS_BAD) {
    t->failing++;
    if (decided)
      note_pattern(t, buf_text(word), switches);
  }
  for (uint32_t i = 0; i < p->branches.len; i++) {
    const struct branch *b = &p->branches.at[i];
    size_t len = word->len;
    bool falls =
        p->leads == LEADS_BOTH && t->nodes.at[b->child].leads == LEADS_BAD;
    const char *l = p->leads == LEADS_BOTH ? letter(t, n, b->thread) : "";
    bool ok = !falls || (leads_by(t, n, b->thread) == LEADS_BAD && *l);
    buf_puts(word, l);
    read_paths(t, b->child, word, falls ? ok : decided, (int)b->thread,
               switches + (last >= 0 && last != (int)b->thread));
    word->len = len;
    if (word->at)
      word->at[len] = 0;
  }
}

static void find_patterns(struct plain_tree *t, enum tree_between between) {
  struct buf word = {0};
  forget_patterns(t);
  t->between = between;
  label(t, 0);
  read_paths(t, 0, &word, false, -1, 0);
  buf_free(&word);
}

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

static bool agree(const struct steps *g, struct plain_tree *plain,
                  enum tree_between between) {
  struct tree_options o = {between};
  struct tree *tree = tree_new(g, &o);
  struct tree_patterns p;
  struct buf word = {0};
  uint64_t explained = 0;
  find_patterns(plain, between);
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
  return ok;
}

/* ---- random graphs ---- */

enum { STATES = 14, GRAPHS = 1000 };

/* Writes out the graph from one of its states. */
static uint32_t unfold(struct plain_tree *t, const struct steps *g, uint32_t s,
                       const struct tree *follows) {
  uint32_t n = new_node(t, s < STEPS_ENDS ? s : STEPS_ENDS);
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
                       .addr = 8 * (1 + rng_below(rng, 2)),
                       .size = 8,
                       .thread = thread,
                       .kind = kinds[rng_below(rng, 4)],
                       .flags = (uint8_t)(rng_below(rng, 4) ? 0 : 3)};
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
    }
    if (test_errors)
      fprintf(stderr, "  seed %llu\n", (unsigned long long)seed);
    tree_free(tree);
    free_tree(&t);
    steps_free(&g);
  }
  CHECK(with_patterns > GRAPHS / 20);
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
  uint32_t n = new_node(t, STEPS_ENDS), enabled = rt_enabled();
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
      b.child = end == RT_STOPPED
                    ? run_all(t, j, depth + 1)
                    : new_node(t, is_bad(j, end) ? STEPS_BAD : STEPS_GOOD);
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
  free_tree(&t);
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
    struct judged j = {rng_below(&rng, 3)};
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
