/*
 * The search over states by several processes: how a member gives branches
 * away, takes them over, and how member 0 sums up.
 */
#include "search/parallel_search.h"
#include "search/stateful_int.h"

#include <assert.h>
#include <string.h>

enum { NEWS = 64 }; /* transitions between two looks at the others */

/* ---- giving work away ---- */

/* The branches of a node that another member may take.  The top node keeps one;
 * in each other node, one is being searched. */
static uint32_t spare_branches(const struct stateful *w, uint32_t i) {
  const struct stateful_node *n = &w->nodes.at[i];
  bool idle = i + 1 == w->depth && !n->again;
  return idle ? n->left & (n->left - 1) : n->left;
}

/*
 * Every second node that has branches left gives them, the shallowest first.
 * So both members have large parts, and it is long until one asks again.
 *     nodes with branches   0  3  4  9      give 0 and 4, keep 3 and 9
 */
static void pack(struct stateful *w, struct parallel_work *work) {
  bool gives = true;
  work->nnodes = 0;
  for (uint32_t i = 0; i < w->depth && work->nnodes < PARALLEL_NODES; i++) {
    struct stateful_node *n = &w->nodes.at[i];
    uint32_t branches = spare_branches(w, i);
    if (n->path_len > PARALLEL_PATH)
      break;
    if (!branches)
      continue;
    if (gives) {
      work->nodes[work->nnodes++] = (struct parallel_node){
          n->path_len, branches, n->place, n->preempted, n->stays, n->part};
      work->state = n->hash;
      work->path_len = n->path_len;
      n->left &= ~branches;
    }
    gives = !gives;
  }
  assert(work->path_len <= w->path.len && work->path_len <= PARALLEL_PATH);
  memcpy(work->path, w->path.at, work->path_len);
}

static void answer(struct stateful *w) {
  uint32_t who;
  struct parallel_work *work = parallel_asked(w->x->parallel, &who);
  if (!work)
    return;
  work->path_len = 0;
  pack(w, work);
  if (work->nnodes)
    parallel_give(w->x->parallel, who);
  else
    parallel_keep(w->x->parallel, who);
}

/* ---- taking it ---- */

/* The code of another member may have written over its work. */
static bool is_sound(const struct parallel_work *work) {
  bool sound = work->nnodes && work->nnodes <= PARALLEL_NODES &&
               work->path_len <= PARALLEL_PATH;
  for (uint32_t i = 0; sound && i < work->nnodes; i++) {
    const struct parallel_node *n = &work->nodes[i];
    sound = n->left && n->path_len <= work->path_len &&
            (!i || n[-1].path_len < n->path_len); /* F1 */
  }
  return sound;
}

/* Enters the nodes that another member has given; the engine is in the state of
 * the last one then.  False: its path leads to another state here (N4). */
static bool rebuild(struct stateful *w, const struct parallel_work *work) {
  uint32_t at = 0;
  if (!is_sound(work))
    return false;
  vec_reserve(&w->path, work->path_len);
  if (work->path_len)
    memcpy(w->path.at, work->path, work->path_len);
  for (uint32_t i = 0; i < work->nnodes; i++) {
    const struct parallel_node *n = &work->nodes[i];
    w->path.len = n->path_len;
    if (!stateful_retrace(w, at, n->path_len))
      return false;
    at = n->path_len;
    struct stateful_arrival a = {.hash =
                                     stateful_hash(w, n->preempted, n->stays),
                                 .enabled = n->left,
                                 .preempted = n->preempted,
                                 .stays = n->stays};
    stateful_enter(w, &a, n->place, n->part * __builtin_popcount(n->left));
  }
  return hash128_equal(w->nodes.at[w->depth - 1].hash, work->state);
}

static enum explore_end take(struct stateful *w,
                             const struct parallel_work *work) {
  enum rt_end how;
  w->learnt = !stateful_begin(w, &how);
  if (w->learnt)
    return EXPLORE_STOPPED;
  bool same = how == RT_STOPPED && rebuild(w, work);
  w->learnt = stateful_learnt(w);
  if (w->learnt)
    return EXPLORE_STOPPED;
  if (!same) {
    parallel_differ(w->x->parallel);
    return EXPLORE_STOPPED;
  }
  return stateful_search(w);
}

/* ---- budgets ---- */

static void beat(const struct stateful *w) {
  if (w->x->heartbeat)
    ++*w->x->heartbeat;
}

static bool is_late(const struct stateful *w) { return explore_is_late(w->x); }

/* Adds the work since the last time to that of all members. */
static uint64_t tell(struct stateful *w, enum parallel_sum what, uint64_t now,
                     uint64_t *told) {
  int64_t more = (int64_t)(now - *told);
  *told = now;
  return parallel_add(w->x->parallel, what, more);
}

static bool within(struct stateful *w, enum explore_end *end) {
  struct explore *x = w->x;
  uint64_t states = tell(w, PARALLEL_STATES, x->states, &w->added_states);
  uint64_t executions = tell(w, PARALLEL_EXECUTIONS, x->executions + x->cut,
                             &w->added_executions);
  uint64_t bytes = tell(w, PARALLEL_BYTES, stateful_bytes(w), &w->added_bytes);
  if (x->max_states && states >= x->max_states)
    *end = EXPLORE_STATES;
  else if (x->max_executions && executions >= x->max_executions)
    *end = EXPLORE_EXECUTIONS;
  else if (x->max_memory &&
           bytes + visited_bytes(&w->visited, states) > x->max_memory)
    *end = EXPLORE_MEMORY;
  else if (is_late(w))
    *end = EXPLORE_TIME;
  else
    return true;
  return false;
}

bool stateful_budget_together(struct stateful *w, enum explore_end *end) {
  if (w->x->transitions % NEWS)
    return true;
  beat(w);
  int stopped = parallel_stopped(w->x->parallel);
  if (stopped >= 0) {
    *end = (enum explore_end)stopped;
    return false;
  }
  answer(w);
  return within(w, end);
}

/* ---- one member ---- */

/* Waits for work and does it; false: there is no more. */
static bool next_work(struct stateful *w, bool had_work,
                      enum explore_end *end) {
  struct parallel_search *g = w->x->parallel;
  const struct parallel_work *work;
  enum parallel_wait got;
  if (w->x->share)
    *w->x->share = w->done;
  parallel_ask(g, w->x->member, had_work);
  while ((got = parallel_wait(g, w->x->member, &work)) == PARALLEL_AGAIN) {
    beat(w);
    if (is_late(w)) {
      *end = EXPLORE_TIME;
      return true;
    }
  }
  if (got == PARALLEL_OVER)
    return false;
  *end = take(w, work);
  return true;
}

static enum explore_end work(struct stateful *w) {
  struct parallel_search *g = w->x->parallel;
  enum explore_end end = EXPLORE_ALL;
  bool has_work = w->x->member == 0;
  if (stateful_learnt(w)) { /* by rt_learn: more than the others know */
    w->learnt = true;
    end = EXPLORE_STOPPED;
  } else if (has_work) {
    end = stateful_root(w);
  }
  while (end == EXPLORE_ALL && next_work(w, has_work, &end))
    has_work = true;
  if (end != EXPLORE_ALL) {
    parallel_stop(g, end == EXPLORE_BAD ? EXPLORE_STOPPED : end);
    return end;
  }
  int stopped = parallel_stopped(g);
  return stopped >= 0 ? (enum explore_end)stopped : EXPLORE_ALL;
}

/* Leaves the log and the known conflicts for member 0. */
static void hand_over(struct stateful *w) {
  struct parallel_written *to = parallel_written(w->x->parallel, w->x->member);
  struct buf known = {0};
  rt_knowledge(&known);
  uint64_t room = (w->log.cap - w->log.len) * sizeof *w->log.at;
  to->len = w->log.len;
  if (known.len <= room) {
    memcpy(w->log.at + w->log.len, known.at, known.len);
    to->bytes = known.len;
  }
  buf_free(&known);
}

/* Waits until the others have handed over; false: one of them never will. */
static bool wait_for_all(struct stateful *w) {
  while (!parallel_alone(w->x->parallel)) {
    if (parallel_stopped(w->x->parallel) == EXPLORE_STOPPED)
      return false;
    beat(w);
    parallel_nap();
  }
  return true;
}

/*
 * A location that one member saw read and another one saw written is shared, as
 * if one member had seen both.  Otherwise the set of shared locations, and with
 * it every number, would depend on who did what (N2).
 */
static bool agree(struct stateful *w, const struct graph_log *logs,
                  uint32_t n) {
  for (uint32_t i = 1; i < n && !w->learnt; i++) {
    struct buf known = {.at = (char *)(uintptr_t)(logs[i].at + logs[i].len),
                        .len = parallel_written(w->x->parallel, i)->bytes};
    w->learnt = known.len && rt_learn(&known) && stateful_learnt(w);
  }
  return !w->learnt;
}

static enum explore_end sum_up(struct stateful *w, enum explore_end end) {
  struct parallel_search *g = w->x->parallel;
  struct graph_log logs[PARALLEL_MOST];
  uint32_t n = parallel_members(g);
  if (end == EXPLORE_STOPPED || end == EXPLORE_BAD || end == EXPLORE_TIME)
    return end;
  if (!wait_for_all(w))
    return EXPLORE_STOPPED;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t most;
    logs[i] = (struct graph_log){parallel_log(g, i, &most),
                                 parallel_written(g, i)->len};
  }
  if (end == EXPLORE_ALL && !agree(w, logs, n))
    return EXPLORE_STOPPED;
  stateful_conclude(w, logs, n, end == EXPLORE_ALL);
  return end;
}

enum explore_end stateful_together(struct stateful *w) {
  struct parallel_search *g = w->x->parallel;
  w->visited = parallel_visited(g);
  w->log.at = parallel_log(g, w->x->member, &w->log.cap);
  w->log.fixed = true;
  parallel_enter(g);
  enum explore_end end = work(w);
  hand_over(w);
  if (w->x->member == 0)
    end = sum_up(w, end);
  parallel_leave(g);
  w->x->learnt = w->learnt;
  return end;
}
