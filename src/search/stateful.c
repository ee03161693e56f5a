/*
 * Depth-first search over native states.  A state is everything that decides
 * what can still happen and how it will be judged: memory, stacks, scheduler,
 * and what the judge says matters of the history (explore.h).  If the judge
 * cannot say, all of the history matters: the results so far and, for each
 * call, the set of calls that were completed before it.  With bounded
 * preemptions, the state also has the last thread and the number of
 * preemptions.  A state that was entered before is not entered again.
 *     T1: x = 1   T2: y = 1    x y and y x lead to one state: 4 states, not 5
 *
 * Accesses that cannot conflict are no branching points (rt_reduce).  When a
 * location turns out to be shared, the search begins again with that known.
 *     T1: l = 1; x = 1   T2: x = 2    l is T1's own: 2 orders, not 3
 *
 * Several processes can search together (parallel_search.h): each searches
 * depth first, and an idle one takes over branches near another one's root.
 *
 * (A) every outcome, and every history up to equal verdict, that dfs finds is
 *     found.                                     tests/agree/stateful_dfs.c
 * (B) the same with the reduction switched off.  tests/agree/stateful_dfs.c
 * (C) the same by any number of members.  tests/agree/parallel_search.c
 */
#include "search/stateful_int.h"

#include "base/slow.h"

#include <assert.h>
#include <string.h>

/* ---- answers to choices within a step ---- */

static int choose(void *ctx, int n) {
  struct stateful *w = ctx;
  if (w->nanswers == GRAPH_ANSWERS)
    return 0;
  uint32_t i = w->nanswers++;
  if (i >= w->known)
    w->answer[i] = 0;
  w->of[i] = (uint8_t)n;
  vec_push(&w->path, (uint8_t)(PATH_CHOICE | w->answer[i]));
  return w->answer[i];
}

/* The next sequence of answers for the same step; false: all were tried. */
static bool next_answers(struct stateful *w) {
  while (w->nanswers) {
    uint32_t i = w->nanswers - 1;
    if (w->answer[i] + 1 < w->of[i]) {
      w->answer[i]++;
      w->known = w->nanswers;
      return true;
    }
    w->nanswers--;
  }
  w->known = 0;
  return false;
}

/* While the state behind this step is searched, other steps have choices. */
static void save_answers(struct stateful *w, struct stateful_node *n) {
  for (uint32_t i = 0; i < w->known; i++)
    vec_push(&w->saved, w->answer[i]);
  vec_push(&w->saved, (uint8_t)w->known); /* F3 */
  n->again = AGAIN_SAVED;
}

static void load_answers(struct stateful *w, struct stateful_node *n) {
  assert(w->saved.len); /* F3 */
  w->known = vec_pop(&w->saved);
  assert(w->known <= GRAPH_ANSWERS && w->known <= w->saved.len);
  for (uint32_t i = w->known; i--;)
    w->answer[i] = vec_pop(&w->saved);
  n->again = AGAIN;
}

/* Which part of all sequences of answers this one is, if all answers to a
 * choice count equally. */
static double part_of_answers(const struct stateful *w) {
  double part = 1;
  for (uint32_t i = 0; i < w->nanswers; i++)
    part /= w->of[i];
  return part;
}

/* ---- going where a path leads ---- */

static int answer_again(void *ctx, int n) {
  struct stateful *w = ctx;
  (void)n;
  if (w->traced < w->path.len && w->path.at[w->traced] & PATH_CHOICE)
    return w->path.at[w->traced++] & ~PATH_CHOICE;
  return 0; /* there were more answers than are noted */
}

/* Makes the step of w->path at `traced` again. */
static bool retrace_step(struct stateful *w) {
  struct rt_driver driver = {NULL, answer_again, w, .every = false};
  uint8_t t = w->path.at[w->traced++];
  return rt_enabled() >> t & 1 && rt_step(t, &driver) == RT_STOPPED;
}

bool stateful_retrace(struct stateful *w, uint32_t from, uint32_t to) {
  bool ok = true;
  w->traced = from;
  while (ok && w->traced < to)
    ok = retrace_step(w);
  return ok;
}

bool stateful_begin(struct stateful *w, enum rt_end *how) {
  struct rt_driver driver = {NULL, choose, w, .every = false};
  live_begin(w->x->live);
  vec_clear(&w->path);
  w->nanswers = w->known = 0;
  *how = rt_begin(&driver);
  return !stateful_learnt(w);
}

bool stateful_learnt(const struct stateful *w) {
  bool stack = rt_found_shared_stack(); /* both must be asked */
  bool conflict = rt_found_conflict();
  return stack || (conflict && !w->x->no_reduction);
}

/* ---- nodes ---- */

/*
 * The state of a node is held for the RECENT nodes at the top of the stack, if
 * several threads can step there, and for each EVERY-th node.  The search comes
 * back to the other nodes late or never.  When it does, the steps from the
 * nearest held node below are made again, and the states on the way are held,
 * since the search comes back to these next.  bench/README.md has figures.
 */
enum { RECENT = 32, EVERY = 32 };

static bool is_held(const struct stateful_node *n) { return n->state.len != 0; }

static void hold(struct stateful *w, struct stateful_node *n) {
  if (w->spare.len)
    n->state = vec_pop(&w->spare);
  uint32_t before = n->state.cap;
  rt_save(&n->state);
  w->held += n->state.cap - before;
}

static void drop(struct stateful *w, struct stateful_node *n) {
  if (!is_held(n))
    return;
  n->state.len = 0;
  vec_push(&w->spare, n->state);
  n->state = (struct snapshot){0};
}

static void thin_out(struct stateful *w) {
  uint32_t old = w->depth - 1 - RECENT;
  if (w->depth > RECENT && old % EVERY)
    drop(w, &w->nodes.at[old]);
}

static void go_back(struct stateful *w) {
  uint32_t top = w->depth - 1, at = top;
  while (!is_held(&w->nodes.at[at])) {
    assert(at); /* F2 */
    at--;
  }
  rt_restore(&w->nodes.at[at].state);
  for (; at < top; at++) {
    struct stateful_node *next = &w->nodes.at[at + 1];
    bool ok = stateful_retrace(w, w->nodes.at[at].path_len, next->path_len);
    assert(ok);
    hold(w, next);
  }
}

/* The thread that can be left only by a preemption, or NOBODY. */
static uint8_t stayer(const struct stateful *w, uint32_t enabled,
                      uint8_t last) {
  return w->x->bound_preemptions && enabled >> last & 1 ? last : NOBODY;
}

static struct hash128 state_hash(const struct explore *x) {
  struct hash128 standing;
  if (!x->judge.standing || x->no_reduction)
    return rt_hash(true);
  struct hash128 h = rt_hash(false); /* before: the judge may use the engine */
  if (x->judge.standing(x->judge.ctx, &standing))
    return hash128_join(h, standing);
  return rt_hash(true);
}

struct hash128 stateful_hash(const struct stateful *w, uint32_t preempted,
                             uint8_t stays) {
  struct hash128 h = state_hash(w->x);
  if (!w->x->bound_preemptions)
    return h;
  uint64_t with[4] = {h.lo, h.hi, preempted, stays};
  return hash128(with, sizeof with, 0);
}

/* The state that the engine is in, after a step of thread `last`. */
static struct stateful_arrival look(const struct stateful *w, uint8_t last,
                                    uint32_t preempted) {
  const struct explore_watch *watch = w->x->watch;
  uint32_t enabled = rt_enabled();
  if (watch)
    enabled = watch->may(watch->ctx, enabled);
  if (rt_is_buffer(last))
    last = (uint8_t)rt_current();
  uint8_t stays = stayer(w, enabled, last);
  if (stays != NOBODY && preempted >= w->x->preemptions)
    enabled = 1u << stays | rt_buffers(enabled);
  return (struct stateful_arrival){stateful_hash(w, preempted, stays), enabled,
                                   preempted, stays};
}

void stateful_enter(struct stateful *w, const struct stateful_arrival *a,
                    uint32_t place, double part) {
  assert(a->enabled);
  assert(!w->depth ||
         w->nodes.at[w->depth - 1].path_len < w->path.len); /* F1 */
  if (w->depth == w->nodes.len)
    vec_push(&w->nodes, (struct stateful_node){0});
  struct stateful_node *n = &w->nodes.at[w->depth++];
  *n = (struct stateful_node){.left = a->enabled,
                              .stays = a->stays,
                              .preempted = a->preempted,
                              .hash = a->hash,
                              .place = place,
                              .path_len = w->path.len,
                              .part = part / __builtin_popcount(a->enabled)};
  if (a->enabled & (a->enabled - 1) || (w->depth - 1) % EVERY == 0)
    hold(w, n);
  thin_out(w);
  w->is_at_top = true; /* F4 */
  check_slow((stateful_check_invariants(w), true));
}

void stateful_check_invariants(const struct stateful *w) {
  uint32_t saved = 0;
  assert(!w->depth || is_held(&w->nodes.at[0])); /* F2 */
  for (uint32_t i = 0; i < w->depth; i++) {
    const struct stateful_node *n = &w->nodes.at[i];
    assert(n->path_len <= w->path.len);
    assert(!i || n[-1].path_len < n->path_len); /* F1 */
    saved += n->again == AGAIN_SAVED;
  }
  for (uint32_t at = w->saved.len; at; saved--) { /* F3 */
    assert(saved && w->saved.at[at - 1] < at);
    at -= 1u + w->saved.at[at - 1];
  }
  assert(!saved);
}

/* The number of preemptions behind the step that is tried at node n. */
static uint32_t preempted_then(const struct stateful_node *n) {
  return n->preempted + (n->stays != NOBODY && n->stays != n->thread &&
                         !rt_is_buffer(n->thread));
}

/* ---- the search ---- */

static void show_path(struct stateful *w) {
  struct live_path *l = w->x->live;
  if (!l || w->path.len > LIVE_PATH_MAX)
    return;
  /* The path up to the node above has not changed. */
  uint32_t from = w->depth > 1 ? w->nodes.at[w->depth - 2].path_len : 0;
  memcpy(l->at + from, w->path.at + from, w->path.len - from);
  l->len = w->path.len;
}

static void current_path(void *ctx, path *out) {
  const struct stateful *w = ctx;
  path_expand(w->path.at, w->path.len, out);
}

/* Notes the step from the top node; false: there is no room. */
static bool note_edge(struct stateful *w, uint32_t into) {
  const struct stateful_node *n = &w->nodes.at[w->depth - 1];
  const struct explore_watch *watch = w->x->watch;
  if (!w->x->graph)
    return true;
  if (watch)
    watch->stepped(watch->ctx, n->thread, into >= GRAPH_ENDS);
  if (w->log.len + GRAPH_WORDS > w->log.cap) {
    if (w->log.fixed)
      return false;
    w->log.cap = w->log.cap ? 2 * w->log.cap : 1024;
    w->log.at = xrealloc(w->log.at, w->log.cap * sizeof *w->log.at);
  }
  w->log.len += graph_edge(&w->log.at[w->log.len], n->place, into,
                           w->path.at + n->path_len, w->path.len - n->path_len);
  return true;
}

static bool arrive(struct stateful *w, double part, enum explore_end *end) {
  struct stateful_node *n = &w->nodes.at[w->depth - 1];
  struct stateful_arrival a = look(w, n->thread, preempted_then(n));
  bool fresh;
  uint32_t place = visited_put(&w->visited, a.hash, &fresh);
  if (place == VISITED_FULL || !note_edge(w, place)) {
    *end = EXPLORE_MEMORY;
    return false;
  }
  if (!fresh) {
    w->done += part;
    return true;
  }
  w->x->states++;
  if (n->again)
    save_answers(w, n);
  stateful_enter(w, &a, place, part);
  return true;
}

static bool judge(struct stateful *w, enum rt_end how, enum explore_end *end) {
  struct explore *x = w->x;
  uint64_t before = x->bad_count;
  /* The path with the fewest switches is found in the graph; the first one is
   * for a search that has no time for that. */
  bool later = x->graph && x->all && (before || x->watch);
  bool on = explore_judge(x, how, later ? NULL : current_path, w, end);
  w->last_bad = x->bad_count != before;
  return on;
}

static bool finish(struct stateful *w, enum rt_end how, double part,
                   enum explore_end *end) {
  uint32_t path_len = w->path.len;
  if (!judge(w, how, end))
    return false;
  assert(w->path.len == path_len); /* the judge made no step of the search */
  w->done += part;
  if (note_edge(w, how == RT_CUT || how == RT_LEFT_OUT ? GRAPH_CUT
                   : w->last_bad                       ? GRAPH_BAD
                                                       : GRAPH_GOOD))
    return true;
  *end = EXPLORE_MEMORY;
  return false;
}

/* Makes the next step from the top node; false: it has none. */
static bool step(struct stateful *w, enum rt_end *how) {
  struct rt_driver driver = {NULL, choose, w, .every = false};
  struct stateful_node *n = &w->nodes.at[w->depth - 1];
  if (!n->again) {
    if (!n->left)
      return false;
    n->thread = (uint8_t)__builtin_ctz(n->left);
    n->left &= n->left - 1;
    w->known = 0;
  } else if (n->again == AGAIN_SAVED) {
    load_answers(w, n);
  }
  w->path.len = n->path_len; /* before go_back, which reads it */
  if (!w->is_at_top)
    go_back(w);
  w->is_at_top = false; /* F4 */
  vec_push(&w->path, n->thread);
  w->nanswers = 0;
  show_path(w);
  if (w->x->watch)
    w->x->watch->stepping(w->x->watch->ctx, n->thread);
  *how = rt_step(n->thread, &driver);
  w->x->transitions++;
  return true;
}

static void leave(struct stateful *w) {
  assert(w->depth);
  drop(w, &w->nodes.at[--w->depth]);
  w->is_at_top = false;
}

enum explore_end stateful_search(struct stateful *w) {
  enum explore_end end = EXPLORE_ALL;
  while (w->depth) {
    enum rt_end how;
    if (!step(w, &how)) {
      leave(w);
      continue;
    }
    struct stateful_node *n = &w->nodes.at[w->depth - 1];
    double part = n->part * part_of_answers(w);
    n->again = next_answers(w) ? AGAIN : 0;
    if (stateful_learnt(w)) {
      w->learnt = true;
      return EXPLORE_STOPPED;
    }
    bool on =
        how == RT_STOPPED ? arrive(w, part, &end) : finish(w, how, part, &end);
    if (!on || !stateful_budget(w, &end))
      return end;
  }
  return EXPLORE_ALL;
}

/* Nothing is decided in this client: there is one execution. */
static enum explore_end only_one(struct stateful *w, enum rt_end how) {
  struct rt_driver driver = {NULL, choose, w, .every = false};
  enum explore_end end = EXPLORE_ALL;
  if (how == RT_STOPPED)
    how = rt_run(&driver);
  if (!explore_judge(w->x, how, current_path, w, &end))
    return end;
  w->x->interleavings = how != RT_CUT && how != RT_LEFT_OUT;
  w->x->bad_interleavings = w->x->bad_count;
  w->done = 1;
  return EXPLORE_ALL;
}

enum explore_end stateful_root(struct stateful *w) {
  enum rt_end how;
  if (!stateful_begin(w, &how)) {
    w->learnt = true;
    return EXPLORE_STOPPED;
  }
  if (how != RT_STOPPED || !rt_enabled()) {
    w->trivial = true;
    return only_one(w, how);
  }
  struct stateful_arrival a = look(w, 0, 0);
  bool fresh;
  w->root = visited_put(&w->visited, a.hash, &fresh);
  assert(fresh && !w->depth); /* the set is empty before */
  w->x->states++;
  stateful_enter(w, &a, w->root, 1);
  return stateful_search(w);
}

/* ---- budgets ---- */

/* Memory of the search, without that of the visited states. */
uint64_t stateful_bytes(const struct stateful *w) {
  uint64_t edges = w->x->graph ? w->x->transitions : 0;
  return w->held + w->nodes.cap * sizeof *w->nodes.at +
         w->log.len * sizeof *w->log.at +
         (edges ? graph_bytes(w->x->states, edges) : 0);
}

static bool budget_alone(struct stateful *w, enum explore_end *end) {
  struct explore *x = w->x;
  if (x->max_states && x->states >= x->max_states && w->is_at_top) {
    *end = EXPLORE_STATES;
    return false;
  }
  if (x->max_memory && x->transitions % 1024 == 0 &&
      visited_bytes(&w->visited, x->states) + stateful_bytes(w) >
          x->max_memory) {
    *end = EXPLORE_MEMORY;
    return false;
  }
  return explore_budget(x, x->transitions, end);
}

bool stateful_budget(struct stateful *w, enum explore_end *end) {
  if (w->x->share && w->x->transitions % 64 == 0)
    *w->x->share = w->done;
  if (w->x->work && w->x->transitions % 64 == 0)
    *w->x->work = w->x->states;
  return w->x->parallel ? stateful_budget_together(w, end)
                        : budget_alone(w, end);
}

/* ---- the graph ---- */

void stateful_conclude(struct stateful *w, const struct graph_log *logs,
                       uint32_t n, bool complete) {
  struct explore *x = w->x;
  if (!x->graph || w->trivial)
    return;
  struct graph *g = graph_new(logs, n, w->root);
  if (complete) {
    struct graph_count count = graph_count(g);
    x->interleavings = count.interleavings;
    x->bad_interleavings = count.bad;
    x->circles = count.circles;
  }
  if (complete && x->watch)
    x->watch->graph(x->watch->ctx, g);
  vec_clear(&w->path);
  if (x->all && !x->watch && graph_fewest(g, &w->path)) {
    vec_clear(&x->bad);
    path_expand(w->path.at, w->path.len, &x->bad);
    path_put_marks(&x->bad);
    x->bad_switches = path_switches(x->bad.at, x->bad.len);
  }
  graph_free(g);
}

/* ---- */

static void forget(struct stateful *w) {
  struct explore *x = w->x;
  explore_again(x);
  if (x->watch)
    x->watch->again(x->watch->ctx);
  x->states = x->transitions = x->interleavings = x->circles = 0;
  x->bad_interleavings = 0;
  while (w->depth)
    leave(w);
  vec_clear(&w->saved);
  w->log.len = 0;
  w->done = 0;
  w->learnt = w->trivial = false;
}

static enum explore_end alone(struct stateful *w) {
  enum explore_end end;
  struct visited own = {0}, *kept = w->x->visited ? w->x->visited : &own;
  visited_for(kept, w->x->max_states);
  w->visited = *kept;
  for (;;) {
    end = stateful_root(w);
    if (!w->learnt)
      break;
    forget(w);
    visited_clear(&w->visited);
  }
  struct graph_log log = {w->log.at, w->log.len};
  if (end != EXPLORE_TIME) /* there is none left */
    stateful_conclude(w, &log, 1, end == EXPLORE_ALL);
  visited_clear(&w->visited);
  *kept = w->visited;
  visited_unmap(&own);
  free(w->log.at);
  return end;
}

static void release(struct stateful *w) {
  while (w->depth)
    leave(w);
  for (uint32_t i = 0; i < w->spare.len; i++)
    snapshot_free(&w->spare.at[i]);
  vec_free(&w->spare);
  vec_free(&w->saved);
  vec_free(&w->nodes);
  vec_free(&w->path);
}

enum { MOST_CALLS = 64 }; /* of a client: sets of calls are 64-bit masks */

enum explore_end explore_stateful(struct explore *x) {
  const struct client *c = rt_history()->client;
  if (c && c->ncalls > MOST_CALLS && !x->parallel)
    return explore_dfs(x);
  struct stateful w = {.x = x};
  explore_begin_graphs(x);
  rt_reduce(!x->no_reduction);
  rt_guards(x->guards && !x->no_reduction);
  if (x->live)
    x->live->only_choices = false;
  forget(&w);
  enum explore_end end = x->parallel ? stateful_together(&w) : alone(&w);
  if (x->share)
    *x->share = w.done;
  rt_reduce(false);
  rt_guards(false);
  explore_end_graphs(x);
  release(&w);
  return end;
}
