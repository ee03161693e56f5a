/* The search over states by several processes: what one of them does. */
#include "search/gang.h"
#include "search/stateful_int.h"

#include <string.h>

enum { NEWS = 64 }; /* transitions between two looks at the others */

/* ---- giving work away ---- */

/* The branches of a node that another member may have.  The top node keeps
 * one; the others have one that is being searched. */
static uint32_t spare_branches(const struct walk *w, uint32_t i) {
  const struct node *n = &w->nodes.at[i];
  bool idle = i + 1 == w->depth && !n->again;
  return idle ? n->left & (n->left - 1) : n->left;
}

/*
 * Every other node that has branches left gives them, the shallowest first: so
 * both have large parts, and it will be long until one asks again.
 */
static void pack(struct walk *w, struct gang_work *work) {
  bool gives = true;
  work->nnodes = 0;
  for (uint32_t i = 0; i < w->depth && work->nnodes < GANG_NODES; i++) {
    struct node *n = &w->nodes.at[i];
    uint32_t branches = spare_branches(w, i);
    if (n->path_len > GANG_PATH)
      break;
    if (!branches)
      continue;
    if (gives) {
      work->nodes[work->nnodes++] = (struct gang_node){
          n->path_len, branches, n->place, n->preempted, n->stays, n->part};
      work->state = n->hash;
      work->path_len = n->path_len;
      n->left &= ~branches;
    }
    gives = !gives;
  }
  memcpy(work->path, w->path.at, work->path_len);
}

static void answer(struct walk *w) {
  uint32_t who;
  struct gang_work *work = gang_asked(w->x->gang, &who);
  if (!work)
    return;
  work->path_len = 0;
  pack(w, work);
  if (work->nnodes)
    gang_give(w->x->gang, who);
  else
    gang_keep(w->x->gang, who);
}

/* ---- taking it ---- */

/* The nodes of what another member has given, and the engine in the last one's
 * state; false: its path leads elsewhere here. */
static bool rebuild(struct walk *w, const struct gang_work *work) {
  uint32_t at = 0;
  vec_reserve(&w->path, work->path_len);
  memcpy(w->path.at, work->path, work->path_len);
  for (uint32_t i = 0; i < work->nnodes; i++) {
    const struct gang_node *n = &work->nodes[i];
    w->path.len = n->path_len;
    if (!walk_retrace(w, at, n->path_len))
      return false;
    at = n->path_len;
    struct arrival a = {.hash = walk_hash(w, n->preempted, n->stays),
                        .enabled = n->left,
                        .preempted = n->preempted,
                        .stays = n->stays};
    walk_enter(w, &a, n->place, n->part * __builtin_popcount(n->left));
  }
  return hash128_equal(w->nodes.at[w->depth - 1].hash, work->state);
}

static enum explore_end take(struct walk *w, const struct gang_work *work) {
  enum rt_end how;
  w->learnt = !walk_begin(w, &how);
  if (w->learnt)
    return EXPLORE_STOPPED;
  bool same = how == RT_STOPPED && rebuild(w, work);
  w->learnt = walk_learnt(w);
  if (w->learnt)
    return EXPLORE_STOPPED;
  if (!same) {
    gang_differ(w->x->gang);
    return EXPLORE_STOPPED;
  }
  return walk_search(w);
}

/* ---- budgets ---- */

static void beat(const struct walk *w) {
  if (w->x->heartbeat)
    ++*w->x->heartbeat;
}

static bool is_late(const struct walk *w) { return explore_is_late(w->x); }

/* Adds what was done since the last time to what all have done. */
static uint64_t tell(struct walk *w, enum gang_sum what, uint64_t now,
                     uint64_t *told) {
  int64_t more = (int64_t)(now - *told);
  *told = now;
  return gang_add(w->x->gang, what, more);
}

static bool within(struct walk *w, enum explore_end *end) {
  struct explore *x = w->x;
  uint64_t states = tell(w, GANG_STATES, x->states, &w->told_states);
  uint64_t executions =
      tell(w, GANG_EXECUTIONS, x->executions + x->cut, &w->told_executions);
  uint64_t bytes = tell(w, GANG_BYTES, walk_bytes(w), &w->told_bytes);
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

bool walk_budget_together(struct walk *w, enum explore_end *end) {
  if (w->x->transitions % NEWS)
    return true;
  beat(w);
  int stopped = gang_stopped(w->x->gang);
  if (stopped >= 0) {
    *end = (enum explore_end)stopped;
    return false;
  }
  answer(w);
  return within(w, end);
}

/* ---- one member's life ---- */

/* Waits for work and does it; false: there will be none. */
static bool next_work(struct walk *w, bool had_work, enum explore_end *end) {
  struct gang *g = w->x->gang;
  const struct gang_work *work;
  enum gang_wait got;
  if (w->x->share)
    *w->x->share = w->done;
  gang_ask(g, w->x->member, had_work);
  while ((got = gang_wait(g, w->x->member, &work)) == GANG_AGAIN) {
    beat(w);
    if (is_late(w)) {
      *end = EXPLORE_TIME;
      return true;
    }
  }
  if (got == GANG_OVER)
    return false;
  *end = take(w, work);
  return true;
}

static enum explore_end work(struct walk *w) {
  struct gang *g = w->x->gang;
  enum explore_end end = EXPLORE_ALL;
  bool has_work = w->x->member == 0;
  if (walk_learnt(w)) { /* before: by rt_learn, more than the others know */
    w->learnt = true;
    end = EXPLORE_STOPPED;
  } else if (has_work) {
    end = walk_root(w);
  }
  while (end == EXPLORE_ALL && next_work(w, has_work, &end))
    has_work = true;
  if (end != EXPLORE_ALL) {
    gang_stop(g, end == EXPLORE_BAD ? EXPLORE_STOPPED : end);
    return end;
  }
  int stopped = gang_stopped(g);
  return stopped >= 0 ? (enum explore_end)stopped : EXPLORE_ALL;
}

/* Leaves the log and what was seen of conflicts for member 0. */
static void hand_over(struct walk *w) {
  struct gang_written *to = gang_written(w->x->gang, w->x->member);
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

/* Until the others have handed over; false: one of them never will. */
static bool wait_for_all(struct walk *w) {
  while (!gang_alone(w->x->gang)) {
    if (gang_stopped(w->x->gang) == EXPLORE_STOPPED)
      return false;
    beat(w);
    gang_nap();
  }
  return true;
}

/*
 * A location that one member saw read and another one saw written is shared, as
 * if one of them had seen both: else what is found to be shared, and with it
 * every number, would depend on who did what.
 */
static bool agree(struct walk *w, const struct graph_log *logs, uint32_t n) {
  for (uint32_t i = 1; i < n && !w->learnt; i++) {
    struct buf known = {.at = (char *)(uintptr_t)(logs[i].at + logs[i].len),
                        .len = gang_written(w->x->gang, i)->bytes};
    w->learnt = known.len && rt_learn(&known) && walk_learnt(w);
  }
  return !w->learnt;
}

static enum explore_end sum_up(struct walk *w, enum explore_end end) {
  struct gang *g = w->x->gang;
  struct graph_log logs[GANG_MOST];
  uint32_t n = gang_members(g);
  if (end == EXPLORE_STOPPED || end == EXPLORE_BAD)
    return end;
  if (!wait_for_all(w))
    return EXPLORE_STOPPED;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t most;
    logs[i] =
        (struct graph_log){gang_log(g, i, &most), gang_written(g, i)->len};
  }
  if (end == EXPLORE_ALL && !agree(w, logs, n))
    return EXPLORE_STOPPED;
  walk_conclude(w, logs, n, end == EXPLORE_ALL);
  return end;
}

enum explore_end walk_together(struct walk *w) {
  struct gang *g = w->x->gang;
  w->visited = gang_visited(g);
  w->log.at = gang_log(g, w->x->member, &w->log.cap);
  w->log.fixed = true;
  gang_enter(g);
  enum explore_end end = work(w);
  hand_over(w);
  if (w->x->member == 0)
    end = sum_up(w, end);
  gang_leave(g);
  w->x->learnt = w->learnt;
  return end;
}
