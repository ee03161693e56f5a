/*
 * One step of the frontier: the configurations that follow when an open
 * operation is placed.  The rules (A) to (E) are those of frontier.c.
 */
#include "history/exact/frontier_int.h"

#include <assert.h>

uint64_t frontier_hint(const struct frontier_stage *g, uint32_t slot) {
  return g->slots.at[slot].op->op->order;
}

/* Hints.  Operations that return take effect in the order of their hints; a
 * crashed one may come at the place of its hint, or not at all. */
static bool hint_allows(const struct frontier *f, const uint64_t *mask,
                        uint32_t slot) {
  const struct frontier_stage *g = &f->now;
  uint64_t hint = frontier_hint(g, slot);
  uint32_t placed = g->hinted;
  if (g->has_taken_hint && hint < g->taken_hint)
    return false;
  for (uint32_t w = 0; w < g->words; w++) {
    uint64_t hinted = mask[w] & g->hints[w];
    placed += (uint32_t)__builtin_popcountll(hinted & ~g->crashed[w]);
    for (uint64_t c = hinted & g->crashed[w]; c; c &= c - 1)
      if (hint < frontier_hint(g, w * 64 + (uint32_t)__builtin_ctzll(c)))
        return false;
  }
  if (placed < f->hints.len && hint > f->hints.at[placed])
    return false;
  return !placed || hint >= f->hints.at[placed - 1];
}

static bool allowed(const struct frontier *f, const uint64_t *mask,
                    uint32_t slot) {
  return !bit_of(f->now.hints, slot) || hint_allows(f, mask, slot);
}

/* (A) with hints: one read may have to wait for another. */
static void settle_hinted(struct frontier *f, struct frontier_config *c) {
  const struct frontier_stage *g = &f->now;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t w = 0; w < g->words; w++)
      for (uint64_t b = f->settled[w] & ~c->mask[w]; b; b &= b - 1) {
        uint32_t slot = w * 64 + (uint32_t)__builtin_ctzll(b);
        if (!allowed(f, c->mask, slot))
          continue;
        bit_set(c->mask, slot);
        more = true;
      }
  }
  for (uint32_t w = 0; w < g->words; w++)
    f->settled[w] &= c->mask[w];
}

/* (A): places all reads that the state explains; f->settled are these.  Returns
 * whether there was one. */
static bool settle(struct frontier *f, struct frontier_config *c) {
  const struct frontier_stage *g = &f->now;
  uint64_t any = 0, hinted = 0;
  for (uint32_t w = 0; w < g->words; w++) {
    f->settled[w] = g->reads[w] & ~c->mask[w];
    any |= f->settled[w];
  }
  if (!any)
    return false;
  row_explained(f, row_of(f, c->state), f->settled, f->settled);
  for (uint32_t w = 0; w < g->words; w++)
    hinted |= f->settled[w] & g->hints[w];
  if (hinted)
    settle_hinted(f, c);
  any = 0;
  for (uint32_t w = 0; w < g->words; w++) {
    c->mask[w] |= f->settled[w];
    any |= f->settled[w];
  }
  return any != 0;
}

/* Adds the reads of f->settled to the order: those without a hint, then the
 * others by hint. */
static uint32_t add_reads(struct frontier *f, uint32_t node) {
  const struct frontier_stage *g = &f->now;
  for (;;) {
    uint32_t best = NO_SLOT;
    for (uint32_t w = 0; w < g->words; w++)
      for (uint64_t b = f->settled[w]; b; b &= b - 1) {
        uint32_t slot = w * 64 + (uint32_t)__builtin_ctzll(b);
        if (!bit_of(g->hints, slot)) {
          node = growth_add(f, node, g->slots.at[slot].id);
          bit_clear(f->settled, slot);
        } else if (best == NO_SLOT ||
                   frontier_hint(g, slot) < frontier_hint(g, best)) {
          best = slot;
        }
      }
    if (best == NO_SLOT)
      return node;
    node = growth_add(f, node, g->slots.at[best].id);
    bit_clear(f->settled, best);
  }
}

static uint32_t add_nodes(struct frontier *f, uint32_t node, uint32_t slot) {
  if (!f->order)
    return NO_NODE;
  return add_reads(f, growth_add(f, node, f->now.slots.at[slot].id));
}

void frontier_wait(struct frontier *f, uint32_t i) {
  const struct frontier_config *c = config_at(&f->work, i);
  uint32_t level = 0;
  for (uint32_t w = 0; w < f->now.words; w++)
    level += (uint32_t)__builtin_popcountll(c->mask[w] & f->now.crashed[w]);
  while (f->levels.len <= level)
    vec_push(&f->levels, 0);
  assert(f->waiting.len == i);
  vec_push(&f->waiting, f->levels.at[level]);
  f->levels.at[level] = i + 1;
}

/* Those with the fewest crashed operations come first, so that configurations
 * that they dominate are not expanded. */
uint32_t frontier_take(struct frontier *f) {
  for (uint32_t l = 0; l < f->levels.len; l++)
    while (f->levels.at[l]) {
      uint32_t i = f->levels.at[l] - 1;
      f->levels.at[l] = f->waiting.at[i];
      if (config_at(&f->work, i)->state != NO_STATE)
        return i;
    }
  return UINT32_MAX;
}

/* (E): a write was placed; all blind writes that are open and not placed get a
 * maybe bit. */
static void overwrite(const struct frontier_stage *g,
                      struct frontier_config *c) {
  uint64_t *maybe = maybe_of(g, c);
  for (uint32_t w = 0; w < g->words; w++)
    maybe[w] = g->blind[w] & ~c->mask[w];
}

/* Adds the configuration that follows `from` by this operation. */
static void place(struct frontier *f, uint32_t slot, uint32_t next,
                  uint32_t prev) {
  const struct frontier_stage *g = &f->now;
  struct frontier_config *from = frontier_from(f), *to = frontier_to(f);
  memcpy(to, from, sizeof *to + g->words * 16ull);
  to->state = next;
  to->prev = prev;
  bit_set(to->mask, slot);
  bit_clear(maybe_of(g, to), slot);
  if (bit_of(g->writes, slot))
    overwrite(g, to);
  if (settle(f, to))
    to->prev = NO_STATE;
  else
    memset(f->settled, 0, g->words * 8ull);
  if (bit_of(to->mask, f->stuck)) {
    bit_clear(to->mask, f->stuck);
    to->prev = NO_STATE;
    uint32_t i = set_add(&f->done, g, to);
    if (i != UINT32_MAX)
      config_at(&f->done, i)->node = add_nodes(f, from->node, slot);
    return;
  }
  bit_clear(maybe_of(g, to), f->stuck);
  uint32_t i = set_add(&f->work, g, to);
  if (i == UINT32_MAX)
    return;
  config_at(&f->work, i)->node = add_nodes(f, from->node, slot);
  frontier_wait(f, i);
}

/* (C): whether the operation leads to the same state without the crashed one.
 */
static bool leads_to(struct frontier *f, uint32_t state, uint32_t slot,
                     uint32_t to) {
  uint32_t next = row_next(f, row_of(f, state), slot), many[TYPE_NEXT];
  if (next != MANY_STATES)
    return next == to;
  uint32_t n = f->type->step(f->type, state, f->now.slots.at[slot].op, many);
  for (uint32_t i = 0; i < n; i++)
    if (many[i] == to)
      return true;
  return false;
}

static void place_one(struct frontier *f, uint32_t slot, uint32_t next) {
  const struct frontier_config *from = frontier_from(f);
  bool crashed = bit_of(f->now.crashed, slot);
  /* A crashed write may serve to overwrite other writes, whose states are not
   * examined: then its effect on the present state says nothing. */
  bool write = bit_of(f->now.writes, slot),
       blind = crashed ? write && f->uncovered : bit_of(f->now.blind, slot);
  if (crashed && !blind && next == from->state)
    return;
  if (from->prev != NO_STATE && from->prev != BLIND_STATE &&
      leads_to(f, from->prev, slot, next))
    return;
  place(f, slot, next, blind ? BLIND_STATE : crashed ? from->state : NO_STATE);
}

/* Whether an open operation that is no write can come after the write. */
static bool is_seen(struct frontier *f, uint32_t slot) {
  const struct frontier_config *from = frontier_from(f);
  const struct frontier_stage *g = &f->now;
  uint64_t any = 0;
  uint32_t next = row_next(f, row_of(f, from->state), slot);
  if (next >= MANY_STATES)
    return next == MANY_STATES;
  for (uint32_t w = 0; w < g->words; w++)
    f->settled[w] = (g->effects[w] | g->crashed[w] | g->reads[w]) &
                    ~g->writes[w] & ~from->mask[w];
  row_explained(f, row_of(f, next), f->settled, f->settled);
  for (uint32_t w = 0; w < g->words; w++)
    any |= f->settled[w];
  return any;
}

/* (C), (E): whether the crashed or blind operation makes a difference to an
 * operation that could come next. */
static bool matters(struct frontier *f, uint32_t slot) {
  const struct frontier_config *from = frontier_from(f);
  const struct frontier_stage *g = &f->now;
  if (bit_of(g->writes, slot))
    return f->unseen && is_seen(f, slot);
  uint32_t next;
  const uint64_t *to = row_difference(f, from->state, slot, &next);
  if (!to || next == MANY_STATES)
    return to;
  for (uint32_t w = 0; w < g->words; w++) {
    uint64_t open =
        (g->effects[w] | g->crashed[w] | g->reads[w]) & ~from->mask[w];
    if (slot >> 6 == w)
      open &= ~((uint64_t)1 << (slot & 63));
    if (to[w] & open)
      return true;
  }
  return false;
}

static void try_slot(struct frontier *f, uint32_t slot) {
  const struct frontier_config *from = frontier_from(f);
  uint32_t before = f->now.slots.at[slot].before;
  if (before != NO_SLOT && !bit_of(from->mask, before)) /* (B) */
    return;
  if (!allowed(f, from->mask, slot))
    return;
  if (from->prev == BLIND_STATE && bit_of(f->now.writes, slot))
    return; /* (E): no operation saw the write before */
  bool option = bit_of(f->now.crashed, slot) ||
                (bit_of(f->now.blind, slot) && f->stuck != slot);
  if (option && !matters(f, slot))
    return;
  uint32_t next = row_next(f, row_of(f, from->state), slot);
  if (next == NO_STATE)
    return;
  if (next != MANY_STATES) {
    place_one(f, slot, next);
    return;
  }
  uint32_t many[TYPE_NEXT];
  uint32_t n =
      f->type->step(f->type, from->state, f->now.slots.at[slot].op, many);
  for (uint32_t i = 0; i < n; i++)
    place_one(f, slot, many[i]);
}

void frontier_expand(struct frontier *f, uint32_t i) {
  const struct frontier_stage *g = &f->now;
  struct frontier_config *from = frontier_from(f);
  memcpy(from, config_at(&f->work, i), f->work.stride * 8ull);
  uint64_t unseen = 0, uncovered = 0;
  for (uint32_t w = 0; w < g->words; w++) {
    unseen |= (g->effects[w] | g->crashed[w] | g->reads[w]) & ~g->writes[w] &
              ~from->mask[w];
    uncovered |= g->blind[w] & ~from->mask[w] & ~from->mask[g->words + w];
  }
  f->uncovered = uncovered;
  f->unseen = unseen;
  for (uint32_t w = 0; w < g->words; w++)
    for (uint64_t b = (g->effects[w] | g->crashed[w]) & ~from->mask[w]; b;
         b &= b - 1)
      try_slot(f, w * 64 + (uint32_t)__builtin_ctzll(b));
}

void frontier_settle(struct frontier *f, uint32_t slot) {
  struct frontier_stage *g = &f->now;
  for (uint32_t i = 0; i < g->set.len; i++) {
    struct frontier_config *c = config_at(&g->set, i);
    if (bit_of(g->hints, slot)) { /* other reads may wait for it */
      if (settle(f, c))
        c->node = add_reads(f, c->node);
      continue;
    }
    if (row_next(f, row_of(f, c->state), slot) == NO_STATE)
      continue;
    bit_set(c->mask, slot);
    c->node = growth_add(f, c->node, g->slots.at[slot].id);
  }
}
