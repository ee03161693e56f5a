/*
 * With --time the kinds of clients take turns, so that none waits for another:
 * first the smallest clients, then one call that reads, one call beside
 * several, larger clients at random, and those of the small clients that had
 * too many states once more, with more.  Each goes on where it was, and the
 * next round has twice the budget of steps.
 *
 * (R1) which clients are tried, how and in which order, does not depend on the
 *      time: more time tries those that less time does, and then others.
 *                                                    tests/cli/rounds.sh
 */
#include "campaign/campaign_int.h"

#include "base/clock.h"

#include <assert.h>

static uint64_t steps_of(enum item_kind kind) {
  switch (kind) {
  case ITEM_SWEEP:
    return CAMPAIGN_SWEEP_STEPS;
  case ITEM_OBSERVE:
    return CAMPAIGN_OBSERVE_STEPS;
  case ITEM_VICTIM:
    return CAMPAIGN_VICTIM_STEPS;
  case ITEM_RANDOM:
    return CAMPAIGN_RANDOM_STEPS;
  case ITEM_DEEP:
    return CAMPAIGN_DEEP_STEPS;
  case ITEM_ONE:
    break;
  }
  return 0;
}

void campaign_begin_rounds(struct campaign_plan *p) {
  p->rounds = true;
  p->deep_states = CAMPAIGN_DEEP_STATES;
}

/* Has the kind a client to try? */
static bool has_turn(const struct campaign_plan *p, enum item_kind kind) {
  if (kind == ITEM_DEEP)
    return p->unfinished.len && p->deep_states <= p->set->max_states;
  return !p->done[kind];
}

void campaign_next_turn(struct campaign_plan *p, uint64_t number, bool none) {
  enum item_kind kind = p->kind;
  assert(p->rounds && kind < ITEM_ONE); /* R1 */
  p->next_of[kind] = number;
  p->done[kind] |= none && kind != ITEM_DEEP;
  for (uint32_t tried = 0; tried < ITEM_ONE; tried++) {
    kind = (enum item_kind)((kind + 1) % ITEM_ONE);
    if (kind == ITEM_SWEEP && p->round < 32)
      p->round++;
    if (has_turn(p, kind)) {
      campaign_begin_kind(p, kind, p->next_of[kind],
                          steps_of(kind) << p->round);
      return;
    }
  }
  campaign_finish(p, CAMPAIGN_PASS);
}

/* ---- clients that had too many states ---- */

static uint32_t index_of(const struct campaign_plan *p, uint64_t number) {
  uint32_t i = 0;
  while (i < p->unfinished.len && p->unfinished.at[i] < number)
    i++;
  return i;
}

struct campaign_task *campaign_deep_task(struct campaign_plan *p) {
  struct item i = {.kind = ITEM_DEEP, .count = 1, .max_states = p->deep_states};
  if (p->deep_states > p->set->max_states)
    return NULL;
  if (p->deep == 0)
    p->deep = index_of(p, p->next);
  if (p->deep >= p->unfinished.len) {
    p->more = false;
    return NULL;
  }
  i.first = p->unfinished.at[p->deep++];
  p->more = p->deep < p->unfinished.len;
  struct campaign_task *t = campaign_task(&i);
  campaign_append(p, t);
  return t;
}

/* All were tried with so many states: begin again, with more. */
void campaign_merge_deep(struct campaign_plan *p, struct record *r,
                         uint64_t number) {
  struct totals *t = &p->c->totals;
  uint32_t at = index_of(p, number);
  assert(at < p->unfinished.len && p->unfinished.at[at] == number);
  campaign_add_up(p, r);
  if (r->kind == RECORD_BAD || r->kind == RECORD_SETUP) {
    campaign_keep_bad(p, r);
    campaign_finish(p, CAMPAIGN_BAD);
    return;
  }
  bool last = at + 1 == p->unfinished.len;
  if (r->exhaustive) {
    t->exhaustive++;
    t->sampled--;
    for (uint32_t i = at; i + 1 < p->unfinished.len; i++)
      p->unfinished.at[i] = p->unfinished.at[i + 1];
    p->unfinished.len--;
    p->deep -= p->deep > at;
  }
  if (last) {
    p->deep_states *= CAMPAIGN_DEEPER;
    campaign_next_turn(p, 0, false);
  }
}

/* ---- time ---- */

bool campaign_is_over_time(const struct campaign_plan *p) {
  enum { PART = 20 };       /* of the time, … */
  const double least = 0.1; /* … but so many seconds: what workers may need */
  double over = (p->c->deadline - p->begun) / PART;
  return p->c->deadline &&
         clock_now() >= p->c->deadline + (over > least ? over : least);
}

bool campaign_begin_drawing(struct campaign_plan *p) {
  if (!p->c->deadline || p->drawn || clock_now() >= p->c->deadline)
    return false;
  campaign_drop(p);
  p->drawn = UINT64_MAX;
  p->draws = true;
  p->next = 0;
  p->more = true;
  return true;
}
