/*
 * Merges answers into totals, in the order of the items (C1).  Budgets are
 * checked here, so that they end the campaign at the same item however many
 * processes there are.
 */
#include "campaign/campaign_int.h"

#include "base/clock.h"

#include <assert.h>
#include <string.h>

bool campaign_stateful(const struct campaign_plan *p) {
  return p->set->search == SEARCH_AUTO || p->set->search == SEARCH_STATEFUL;
}

/* Each kind of clients has a part of --time and --max-executions: the sweep
 * ends after half of it, for example. */
static double part_until_end(const struct campaign_plan *p) {
  switch (p->kind) {
  case ITEM_SWEEP:
    return 0.5;
  case ITEM_OBSERVE:
    return 0.6;
  case ITEM_VICTIM:
    return 0.7;
  default:
    return 1;
  }
}

static bool is_late(const struct campaign_plan *p) {
  double all = p->c->deadline - p->begun;
  double part = p->rounds ? 1 : part_until_end(p);
  return p->c->deadline && clock_now() >= p->begun + part * all;
}

static bool has_run_all(const struct campaign_plan *p) {
  return p->set->max_executions &&
         (double)statistics_runs(&p->c->totals.statistics) >=
             (p->rounds ? 1 : part_until_end(p)) *
                 (double)p->set->max_executions;
}

uint64_t campaign_executions_left(const struct campaign_plan *p) {
  uint64_t done = statistics_runs(&p->c->totals.statistics);
  return done < p->set->max_executions ? p->set->max_executions - done : 0;
}

uint64_t campaign_effort(const struct campaign_plan *p) {
  const struct statistics *s = &p->c->totals.statistics;
  return s->events + s->transitions;
}

static bool goes_on(const struct campaign_plan *p) {
  if (is_late(p) || has_run_all(p))
    return false;
  if (p->rounds)
    return campaign_effort(p) < p->until;
  return p->c->deadline || p->set->max_executions ||
         campaign_effort(p) < p->until;
}

static void add_outcomes(struct campaign_plan *p, const struct record *r) {
  outcome_list *all = &p->c->outcomes;
  for (uint32_t i = 0; i < r->outcomes.len; i++) {
    const struct outcome *o = &r->outcomes.at[i];
    uint32_t n = o->results.len, k = 0;
    for (; k < all->len; k++)
      if (all->at[k].results.len == n &&
          (!n || !memcmp(all->at[k].results.at, o->results.at,
                         n * sizeof *o->results.at)))
        break;
    if (k == all->len) {
      struct outcome fresh = {.allowed = true};
      for (uint32_t v = 0; v < n; v++)
        vec_push(&fresh.results, o->results.at[v]);
      vec_push(all, fresh);
    }
    all->at[k].executions += o->executions;
    all->at[k].allowed &= o->allowed;
  }
}

static void add_histories(struct totals *t, const struct record *r) {
  for (uint32_t i = 0; i < r->seen.len; i++) {
    bool fresh;
    map128_put(&t->histories, r->seen.at[i].hash, &fresh);
    t->statistics.histories += fresh;
    t->undecided += fresh && r->seen.at[i].undecided;
  }
}

static void add_chance(struct totals *t, const struct chance *c) {
  if (c->depth && (!t->chance.depth || c->bound < t->chance.bound))
    t->chance = *c;
}

/* Did no execution end, since all were cut or go round in circles? */
static bool has_no_end(const struct record *r) {
  return r->kind == RECORD_DONE && !r->executions && !r->left_out &&
         (r->cut || r->end == EXPLORE_ALL);
}

void campaign_add_up(struct campaign_plan *p, const struct record *r) {
  struct totals *t = &p->c->totals;
  struct statistics *s = &t->statistics;
  s->executions += r->executions;
  s->cut += r->cut;
  s->blocked += r->blocked;
  s->events += r->steps;
  s->states += r->states;
  s->transitions += r->transitions;
  t->faults += r->faults;
  t->touched |= r->touched;
  t->left_out |= r->left_out;
  t->progress += r->progress;
  t->all_left_out |= p->kind != ITEM_ONE && r->left_out && !r->executions;
  t->endless += p->kind != ITEM_ONE && has_no_end(r);
  add_chance(t, &r->chance);
  if (p->kind == ITEM_ONE) {
    add_histories(t, r);
    add_outcomes(p, r);
    t->interleavings += r->interleavings;
    t->circles += r->circles;
  } else {
    s->histories += r->histories;
    t->undecided += r->undecided;
  }
}

/* Did the item run more executions than are left now?  It was given when more
 * were left. */
static bool has_too_many(const struct campaign_plan *p,
                         const struct campaign_task *t,
                         const struct record *r) {
  return p->set->max_executions &&
         r->executions + r->cut > campaign_executions_left(p) &&
         t->item.max_executions > campaign_executions_left(p);
}

void campaign_keep_bad(struct campaign_plan *p, struct record *r) {
  record_free(&p->c->bad);
  p->c->bad = *r;
  *r = (struct record){0};
}

/*
 * The first client with new numbers of calls.  The generator orders clients by
 * weight, 2 * concurrent + initial calls, so all clients of less weight are
 * done.  Example: at weight 7, with at most 2 initial calls, all clients of up
 * to 2 concurrent calls are done, since they weigh at most 6.
 */
static void begin_numbers(struct campaign_plan *p, const struct record *r) {
  struct totals *t = &p->c->totals;
  uint32_t weight = 2 * r->calls + r->init, most = (uint32_t)p->set->init;
  t->calls = r->calls;
  t->init = r->init;
  if (!t->all_full || weight <= most)
    return;
  uint32_t n = (weight - most) / 2; /* calls, if all of them are done */
  if ((weight - most) % 2 == 0 && r->calls <= n)
    n--;
  t->full_calls = n >= 2 ? n : 0;
}

void campaign_begin_kind(struct campaign_plan *p, enum item_kind kind,
                         uint64_t first, uint64_t steps) {
  campaign_drop(p);
  p->kind = kind;
  p->next = first;
  p->deep = 0;
  p->more = true;
  p->from = campaign_effort(p);
  p->until = p->from + steps;
}

static void begin_random(struct campaign_plan *p) {
  campaign_begin_kind(p, ITEM_RANDOM, 0,
                      p->c->target->trial ? CAMPAIGN_REPAIR_SAMPLE_STEPS
                                          : CAMPAIGN_SAMPLE_STEPS);
}

/* A kind's turn is over, in rounds: so is all, if the time is. */
static void end_turn(struct campaign_plan *p, uint64_t number, bool none) {
  if (is_late(p) || has_run_all(p))
    campaign_finish(p, CAMPAIGN_PASS);
  else
    campaign_next_turn(p, number, none);
}

/* All small clients are done, or their budget is used up. */
static void end_sweep(struct campaign_plan *p, uint64_t number, bool none) {
  struct totals *t = &p->c->totals;
  if (p->rounds && t->swept) {
    end_turn(p, number, none);
    return;
  }
  bool exhausted = t->all && t->exhaustive == t->swept;
  if (!t->swept || (exhausted && !p->c->deadline))
    campaign_finish(p, CAMPAIGN_PASS);
  else if (p->c->target->trial)
    begin_random(p);
  else
    campaign_begin_kind(p, ITEM_OBSERVE, 0, CAMPAIGN_OBSERVE_STEPS);
}

static void merge_swept(struct campaign_plan *p, struct record *r,
                        uint64_t number) {
  struct totals *t = &p->c->totals;
  t->all |= r->kind == RECORD_NO_CLIENT && goes_on(p);
  if (!goes_on(p) || r->kind == RECORD_NO_CLIENT) {
    end_sweep(p, number, r->kind == RECORD_NO_CLIENT);
    return;
  }
  if (r->calls != t->calls || r->init != t->init)
    begin_numbers(p, r);
  if (r->kind == RECORD_SKIPPED) {
    t->all_full = false;
    return;
  }
  t->statistics.clients++;
  campaign_add_up(p, r);
  if (r->kind != RECORD_DONE) {
    campaign_keep_bad(p, r);
    campaign_finish(p, CAMPAIGN_BAD);
    return;
  }
  t->swept++;
  t->exhaustive += r->exhaustive;
  t->sampled += !r->exhaustive;
  t->all_full &= r->exhaustive;
  if (p->rounds && !r->exhaustive && campaign_stateful(p))
    vec_push(&p->unfinished, number);
}

/* A client of ITEM_OBSERVE, ITEM_VICTIM or ITEM_RANDOM. */
static void merge_beyond(struct campaign_plan *p, struct record *r,
                         uint64_t number) {
  struct totals *t = &p->c->totals;
  bool over = !goes_on(p) || r->kind == RECORD_NO_CLIENT;
  if (over && p->rounds) {
    end_turn(p, number, r->kind == RECORD_NO_CLIENT);
    return;
  }
  if (over && p->kind == ITEM_OBSERVE) {
    campaign_begin_kind(p, ITEM_VICTIM, 0, CAMPAIGN_VICTIM_STEPS);
    return;
  }
  if (over && p->kind == ITEM_VICTIM) {
    begin_random(p);
    return;
  }
  if (over) {
    campaign_finish(p, CAMPAIGN_PASS);
    return;
  }
  if (r->kind == RECORD_SETUP || r->kind == RECORD_SKIPPED)
    return; /* random initial calls may misuse the object */
  t->statistics.clients++;
  campaign_add_up(p, r);
  if (r->kind == RECORD_BAD) {
    campaign_keep_bad(p, r);
    campaign_finish(p, CAMPAIGN_BAD);
    return;
  }
  t->beyond += r->exhaustive;
  t->sampled += !r->exhaustive;
}

void campaign_end_one(struct campaign_plan *p) {
  bool bad = p->c->bad.kind != RECORD_DONE;
  campaign_finish(p, bad ? CAMPAIGN_BAD : CAMPAIGN_PASS);
}

/* A part of the one client; it may end the whole search. */
static void merge_part(struct campaign_plan *p, struct record *r,
                       bool handed_back) {
  struct totals *t = &p->c->totals;
  bool all = p->c->target->want_outcomes;
  const enum explore_end end = r->end; /* a bad record is moved away */
  const enum record_kind kind = r->kind;
  campaign_add_up(p, r);
  if (r->kind == RECORD_SETUP ||
      (r->kind == RECORD_BAD &&
       (p->c->bad.kind == RECORD_DONE || r->switches < p->c->bad.switches)))
    campaign_keep_bad(p, r);
  if (kind == RECORD_SETUP || (p->c->bad.kind == RECORD_BAD && !all)) {
    t->end = EXPLORE_BAD;
    campaign_end_one(p);
  } else if (end != EXPLORE_ALL && !handed_back) {
    if (!p->drawn || end != EXPLORE_TIME)
      t->end = end;
    bool large = end == EXPLORE_STATES || end == EXPLORE_MEMORY;
    if (!large || !campaign_begin_drawing(p))
      campaign_end_one(p);
  } else if (p->set->max_executions && !campaign_executions_left(p) &&
             (p->first->next || p->more)) {
    t->end = EXPLORE_EXECUTIONS;
    campaign_end_one(p);
  }
}

void campaign_insert_leftover(struct campaign_plan *p, struct campaign_task *t,
                              const struct record *r) {
  assert(t->item.cut && t->item.kind == ITEM_ONE);
  struct campaign_task **at = &t->next;
  uint32_t begin = 0;
  double done = t->item.share;
  for (uint32_t i = 0; i < r->leftover.ends.len; i++) {
    uint32_t end = r->leftover.ends.at[i];
    struct item item = {.kind = ITEM_ONE,
                        .search = t->item.search,
                        .cut = true,
                        .share = r->leftover.share.at[i],
                        .max_executions = CAMPAIGN_CHUNK};
    done -= item.share;
    buf_put(&item.below, r->leftover.bytes.at + begin, end - begin);
    buf_put(&item.knowledge, t->item.knowledge.at, t->item.knowledge.len);
    struct campaign_task *fresh = campaign_task(&item);
    fresh->next = *at;
    *at = fresh;
    at = &fresh->next;
    p->given++;
    begin = end;
  }
  if (!*at)
    p->last = at;
  p->share += done;
}

void campaign_take_death(struct campaign_plan *p, struct campaign_task *t) {
  p->c->death = t->death;
  t->death = (struct pool_death){0};
  campaign_finish(p, t->hangs ? CAMPAIGN_HANGS : CAMPAIGN_DEATH);
}

static void merge_record(struct campaign_plan *p, const struct campaign_task *t,
                         struct record *r, uint64_t number) {
  switch (t->item.kind) {
  case ITEM_SWEEP:
    merge_swept(p, r, number);
    break;
  case ITEM_OBSERVE:
  case ITEM_VICTIM:
  case ITEM_RANDOM:
    merge_beyond(p, r, number);
    break;
  case ITEM_DEEP:
    if (goes_on(p))
      campaign_merge_deep(p, r, number);
    else
      end_turn(p, number, false);
    break;
  case ITEM_ONE:
    merge_part(p, r, t->item.cut && r->end == EXPLORE_EXECUTIONS);
    break;
  }
}

/* False: the task stays in the list, to be done again with fewer executions, or
 * the list has changed. */
static bool merge_task(struct campaign_plan *p, struct campaign_task *t) {
  enum item_kind kind = p->kind;
  uint32_t round = p->round;
  bool drawn = p->drawn;
  for (uint32_t i = 0; i < t->records.len; i++) {
    struct record *r = &t->records.at[i];
    if (has_too_many(p, t, r)) {
      t->item.first += i;
      t->item.count = 1;
      t->item.max_executions = campaign_executions_left(p);
      for (uint32_t k = 0; k < t->records.len; k++)
        record_free(&t->records.at[k]);
      vec_clear(&t->records);
      t->state = TASK_WAITING;
      return false;
    }
    merge_record(p, t, r, t->item.first + i);
    if (p->over || p->kind != kind || p->round != round ||
        (p->drawn && !drawn)) /* the list has changed */
      return false;
  }
  if (t->died)
    campaign_take_death(p, t);
  return !p->over;
}

void campaign_merge(struct campaign_plan *p) {
  if (p->parallel.runs) /* merge_members merges its answers */
    return;
  while (!p->over && p->first && p->first->state == TASK_ANSWERED) {
    struct campaign_task *t = p->first;
    assert(p->given && !t->dropped && t->item.kind == p->kind);
    assert(t->item.kind == ITEM_ONE || !t->next ||
           t->item.first < t->next->item.first); /* C1 */
    if (!merge_task(p, t))
      continue;
    p->first = t->next;
    if (!p->first)
      p->last = &p->first;
    p->given--;
    campaign_free_task(t);
  }
}
