/*
 * Depth-first search over native states.  A state is everything that decides
 * what can still happen and how it will be judged: memory, stacks, scheduler,
 * results so far and, for each call, the set of calls that were completed
 * before it.  A state that was entered before is not entered again.
 *
 * Accesses that cannot conflict are no branching points (rt_reduce); when a
 * location turns out to be shared, the search begins again with that known.
 *
 * (A) every outcome, and every history up to equal verdict, that dfs finds is
 *     found.                                     tests/agree/stateful_dfs.c
 * (B) the same with the reduction switched off.  tests/agree/stateful_dfs.c
 */
#include "base/map128.h"
#include "search/explore.h"

#include <string.h>

struct node {
  struct snapshot state;
  uint32_t left;  /* threads whose step was not tried yet */
  uint8_t thread; /* whose step is being tried … */
  uint8_t again;  /* … once more, with other answers to its choices */
  uint32_t path_len;
  uint32_t index; /* into walk.ways */
  uint64_t ways;  /* complete executions from here, as far as counted */
};

struct walk {
  struct explore *x;
  VEC(struct node) nodes; /* nodes[0 … depth) are in use; buffers are kept */
  uint32_t depth;
  path path;
  /* answers to choices within the step in progress */
  uint8_t answer[64], of[64];
  uint32_t nanswers, known;
  struct map128 visited; /* to index + 1 */
  VEC(uint64_t) ways;    /* by state; OPEN while it is being searched */
};

/* Counts stay at this when they would grow beyond. */
#define MANY (UINT64_MAX - 1)
#define OPEN UINT64_MAX

static uint64_t plus(uint64_t a, uint64_t b) {
  return a > MANY - b ? MANY : a + b;
}

static int choose(void *ctx, int n) {
  struct walk *w = ctx;
  if (w->nanswers == 64)
    return 0;
  uint32_t i = w->nanswers++;
  if (i >= w->known)
    w->answer[i] = 0;
  w->of[i] = (uint8_t)n;
  vec_push(&w->path, (uint8_t)(PATH_CHOICE | w->answer[i]));
  return w->answer[i];
}

/* The next sequence of answers for the same step; false: all were tried. */
static bool next_answers(struct walk *w) {
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

static void enter(struct walk *w) {
  if (w->depth == w->nodes.len)
    vec_push(&w->nodes, (struct node){0});
  struct node *n = &w->nodes.at[w->depth++];
  n->left = rt_enabled();
  n->again = 0;
  n->path_len = w->path.len;
  n->ways = 0;
  n->index = w->ways.len;
  vec_push(&w->ways, OPEN);
  rt_save(&n->state);
}

/* The top node is done: what it counted belongs to the node above it too. */
static void leave(struct walk *w) {
  struct node *n = &w->nodes.at[--w->depth];
  w->ways.at[n->index] = n->ways;
  if (w->depth) {
    struct node *up = &w->nodes.at[w->depth - 1];
    up->ways = plus(up->ways, n->ways);
  } else {
    w->x->interleavings = n->ways;
  }
}

/* A state that was met before.  One that is open is met again by going round
 * in a circle: such executions do not end, and are not counted. */
static void meet(struct walk *w, struct node *n, uint32_t index) {
  if (w->ways.at[index] == OPEN)
    w->x->circles++;
  else
    n->ways = plus(n->ways, w->ways.at[index]);
}

static void live(struct walk *w) {
  struct live_path *l = w->x->live;
  if (!l || w->path.len > LIVE_PATH_MAX)
    return;
  memcpy(l->at, w->path.at, w->path.len);
  l->len = w->path.len;
}

static void current_path(void *ctx, path *out) {
  const struct walk *w = ctx;
  path_expand(w->path.at, w->path.len, out);
}

static bool must_restart(void) {
  bool stack = rt_found_shared_stack(); /* both must be asked */
  return rt_found_conflict() || stack;
}

/* What the search itself holds: the table, the counts, the snapshots. */
static uint64_t memory(const struct walk *w) {
  uint64_t bytes = map128_bytes(&w->visited) + w->ways.cap * sizeof(uint64_t);
  for (uint32_t i = 0; i < w->nodes.len; i++)
    bytes += w->nodes.at[i].state.cap;
  return bytes;
}

/* One pass; *again when it learnt something that invalidates it. */
static enum explore_end pass(struct walk *w, bool *again) {
  struct explore *x = w->x;
  struct rt_driver driver = {NULL, choose, w, .every = false};
  *again = false;
  w->depth = 0;
  vec_clear(&w->path);
  map128_clear(&w->visited);
  vec_clear(&w->ways);
  x->interleavings = x->circles = 0;
  w->nanswers = w->known = 0;
  enum rt_end how = rt_begin(&driver);
  if (must_restart()) {
    *again = true;
    return EXPLORE_ALL;
  }
  if (how != RT_STOPPED || !rt_enabled()) {
    if (how == RT_STOPPED)
      how = rt_run(&driver); /* nothing to decide at all */
    enum explore_end only = EXPLORE_ALL;
    explore_judge(x, how, current_path, w, &only);
    x->interleavings = how != RT_CUT;
    return only;
  }
  bool first;
  *map128_put(&w->visited, rt_hash(true), &first) = 0;
  enter(w);
  x->states++;
  enum explore_end end = EXPLORE_ALL;
  bool fresh_node = true; /* the engine is in the state of the top node */
  while (w->depth) {
    struct node *n = &w->nodes.at[w->depth - 1];
    if (!n->again) {
      if (!n->left) {
        leave(w);
        fresh_node = false;
        continue;
      }
      n->thread = (uint8_t)__builtin_ctz(n->left);
      n->left &= n->left - 1;
      w->known = 0;
    }
    if (!fresh_node)
      rt_restore(&n->state);
    fresh_node = false;
    w->path.len = n->path_len;
    vec_push(&w->path, n->thread);
    w->nanswers = 0;
    live(w);
    how = rt_step(n->thread, &driver);
    x->transitions++;
    n->again = next_answers(w);
    if (must_restart()) {
      *again = true;
      return EXPLORE_ALL;
    }
    if (how == RT_STOPPED) {
      bool fresh;
      uint32_t *known = map128_put(&w->visited, rt_hash(true), &fresh);
      if (!fresh) {
        meet(w, n, *known);
      } else {
        *known = w->ways.len;
        x->states++;
        enter(w);
        fresh_node = true;
        if (x->max_states && x->states >= x->max_states)
          return EXPLORE_STATES;
        if (x->max_memory && x->states % 1024 == 0 && memory(w) > x->max_memory)
          return EXPLORE_MEMORY;
      }
    } else {
      n->ways = plus(n->ways, how != RT_CUT);
      if (!explore_judge(x, how, current_path, w, &end))
        return end;
    }
    if (!explore_budget(x, x->transitions, &end))
      return end;
  }
  return EXPLORE_ALL;
}

enum { MOST_CALLS = 64 }; /* that a state tells apart in the real-time order */

enum explore_end explore_stateful(struct explore *x) {
  const struct client *c = rt_history()->client;
  if (c && c->ncalls > MOST_CALLS)
    return explore_dfs(x);
  struct walk w = {.x = x};
  rt_reduce(!x->no_reduction);
  if (x->live)
    x->live->only_choices = false;
  enum explore_end end;
  bool again;
  do {
    explore_again(x);
    x->states = 0;
    end = pass(&w, &again);
  } while (again);
  rt_reduce(false);
  for (uint32_t i = 0; i < w.nodes.len; i++)
    snapshot_free(&w.nodes.at[i].state);
  vec_free(&w.nodes);
  vec_free(&w.path);
  map128_free(&w.visited);
  vec_free(&w.ways);
  return end;
}

/* ---- from reduced to full paths ---- */

struct expansion {
  const uint8_t *at;
  uint32_t len, next;
  struct rt_trail *trail;
  VEC(uint32_t) choice_at; /* trail positions of choices */
  VEC(uint8_t) choices;
};

static int follow(void *ctx, uint32_t enabled, int current) {
  struct expansion *e = ctx;
  if (e->next < e->len && !(e->at[e->next] & PATH_CHOICE))
    return e->at[e->next++];
  return enabled >> current & 1 ? current : __builtin_ctz(enabled);
}

static int follow_choice(void *ctx, int n) {
  struct expansion *e = ctx;
  (void)n;
  uint8_t k = 0;
  if (e->next < e->len && e->at[e->next] & PATH_CHOICE)
    k = e->at[e->next++] & (uint8_t)~PATH_CHOICE;
  vec_push(&e->choice_at, e->trail->len);
  vec_push(&e->choices, k);
  return k;
}

/*
 * Early accesses of a call (before its first step) wait for that step; their
 * threads' other accesses come at once.  They commute with everything between,
 * since nobody conflicts with them.
 */
static void unfold(const struct expansion *e, path *out) {
  uint32_t held[RT_MAX_THREADS] = {0}, c = 0;
  const struct rt_trail *r = e->trail;
  for (uint32_t i = 0; i < r->len; i++) {
    uint8_t t = r->at[i] & (RT_TRAIL_EMPTY - 1);
    if (r->at[i] & RT_TRAIL_EARLY)
      held[t]++;
    else {
      bool empty = r->at[i] & RT_TRAIL_EMPTY && held[t];
      for (; held[t]; held[t]--)
        vec_push(out, t);
      if (!empty)
        vec_push(out, t);
    }
    for (; c < e->choices.len && e->choice_at.at[c] <= i + 1; c++)
      vec_push(out, (uint8_t)(PATH_CHOICE | e->choices.at[c]));
  }
  for (uint8_t t = 0; t < RT_MAX_THREADS; t++)
    for (; held[t]; held[t]--)
      vec_push(out, t);
}

void path_expand(const uint8_t *at, uint32_t len, path *out) {
  struct rt_trail trail = {0};
  struct expansion e = {.at = at, .len = len, .trail = &trail};
  struct rt_driver driver = {follow, follow_choice, &e, .every = true};
  rt_trail(&trail);
  rt_run(&driver);
  rt_trail(NULL);
  unfold(&e, out);
  free(trail.at);
  vec_free(&e.choice_at);
  vec_free(&e.choices);
}
