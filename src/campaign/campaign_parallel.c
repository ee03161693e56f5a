/*
 * A client with too many states for one process: all processes are members of
 * one search.  When a member is killed, or finds a conflict that the others do
 * not know, the search begins again.
 */
#include "campaign/campaign_int.h"

#include "search/parallel_search.h"

void campaign_learn(struct buf *to, const struct record *r) {
  wire_put_bytes(to, r->knowledge.at, r->knowledge.len);
}

void campaign_begin_parallel(struct campaign_plan *p) {
  struct parallel_state *g = &p->parallel;
  parallel_reset(g->search, pool_local_slots(p->pool));
  uint32_t n = parallel_members(g->search); /* at most the slots */
  g->runs = true;
  g->aborted = g->killed = g->learnt = false;
  g->members = n;
  g->answers = 0;
  for (uint32_t k = 0; k < n; k++) {
    struct item i = {.kind = ITEM_ONE,
                     .search = p->set->search,
                     .max_states = p->set->max_states,
                     .max_executions = p->set->max_executions,
                     .parallel = true,
                     .member = k};
    buf_put(&i.knowledge, g->knowledge.at, g->knowledge.len);
    struct campaign_task *t = campaign_task(&i);
    campaign_append(p, t);
    campaign_give(p, k, t);
  }
}

static void abort_parallel(struct campaign_plan *p) {
  if (!p->parallel.aborted)
    parallel_abort(p->parallel.search);
  p->parallel.aborted = true;
}

/* The members could not compare their states, for example because the code
 * stores addresses that differ between processes: one process searches. */
static void search_in_one(struct campaign_plan *p) {
  struct item i = {.kind = ITEM_ONE,
                   .search = p->set->search,
                   .max_states = p->set->max_states};
  campaign_drop(p);
  campaign_append(p, campaign_task(&i));
}

/* Did a member stop without a fault that would explain it? */
static bool gave_up(const struct campaign_plan *p) {
  bool stopped = false, found = false;
  for (const struct campaign_task *t = p->first; t; t = t->next) {
    found |= t->records.at[0].end == EXPLORE_BAD;
    stopped |= t->records.at[0].end == EXPLORE_STOPPED;
  }
  return stopped && !found;
}

/* The answers that are there; the end is the one that leaves most open. */
void campaign_merge_members(struct campaign_plan *p) {
  struct totals *t = &p->c->totals;
  struct record *best = NULL;
  for (struct campaign_task *m = p->first; m; m = m->next) {
    if (!m->records.len)
      continue;
    struct record *r = &m->records.at[0];
    campaign_add_up(p, r);
    if (r->kind == RECORD_BAD && (!best || record_better(r, best)))
      best = r;
    if (r->end != EXPLORE_STOPPED && r->end > t->end)
      t->end = r->end;
  }
  if (best)
    campaign_keep_bad(p, best);
}

/* Merges the members' answers into one. */
static void merge_members(struct campaign_plan *p) {
  struct totals *t = &p->c->totals;
  campaign_merge_members(p);
  bool best = p->c->bad.kind == RECORD_BAD;
  bool large = t->end == EXPLORE_STATES || t->end == EXPLORE_MEMORY;
  if (best || !large || !campaign_begin_drawing(p))
    campaign_end_one(p);
}

static void end_parallel(struct campaign_plan *p) {
  struct parallel_state *g = &p->parallel;
  struct campaign_task *dead = NULL;
  g->runs = false;
  for (struct campaign_task *t = p->first; t; t = t->next) {
    if (t->died)
      dead = t;
    for (uint32_t i = 0; i < t->records.len; i++)
      if (t->records.at[i].learnt) {
        campaign_learn(&g->knowledge, &t->records.at[i]);
        g->learnt = true;
      }
  }
  if (dead) {
    campaign_take_death(p, dead);
  } else if (g->killed && ++g->tries >= CAMPAIGN_TRIES) {
    campaign_finish(p, CAMPAIGN_KILLED);
  } else if (g->killed || g->learnt) {
    campaign_drop(p);
    campaign_begin_parallel(p);
  } else if (gave_up(p)) {
    search_in_one(p);
  } else {
    merge_members(p);
  }
}

bool campaign_wants_parallel(const struct campaign_plan *p,
                             const struct campaign_task *t) {
  const struct record *r = &t->records.at[0];
  return p->parallel.search && !t->item.parallel && r->end == EXPLORE_STATES &&
         (r->kind == RECORD_DONE || p->c->target->want_outcomes) &&
         t->item.max_states < p->set->max_states;
}

void campaign_member_ended(struct campaign_plan *p, bool all) {
  if (all)
    abort_parallel(p);
  if (++p->parallel.answers == p->parallel.members)
    end_parallel(p);
}
