/* Open operations of the frontier: their slots, kinds, and the heap of their
 * returns. */
#include "history/exact/frontier_int.h"

#include <assert.h>

void stage_init(struct frontier_stage *g, uint32_t initial) {
  *g = (struct frontier_stage){.words = 1};
  g->effects = xcalloc(1, 8);
  g->reads = xcalloc(1, 8);
  g->crashed = xcalloc(1, 8);
  g->hints = xcalloc(1, 8);
  g->blind = xcalloc(1, 8);
  g->writes = xcalloc(1, 8);
  uint64_t one[sizeof(struct frontier_config) / 8 + 2] = {0};
  struct frontier_config *c = (struct frontier_config *)one;
  c->state = initial;
  c->prev = NO_STATE;
  c->node = NO_NODE;
  set_clear(&g->set, 1, 0);
  set_add(&g->set, g, c);
}

static uint64_t *widen_mask(uint64_t *mask, uint32_t from, uint32_t to) {
  mask = xrealloc(mask, to * sizeof *mask);
  memset(mask + from, 0, (to - from) * sizeof *mask);
  return mask;
}

static void widen(struct frontier_stage *g) {
  uint32_t to = g->words + (g->words + 3) / 4;
  g->effects = widen_mask(g->effects, g->words, to);
  g->reads = widen_mask(g->reads, g->words, to);
  g->crashed = widen_mask(g->crashed, g->words, to);
  g->hints = widen_mask(g->hints, g->words, to);
  g->blind = widen_mask(g->blind, g->words, to);
  g->writes = widen_mask(g->writes, g->words, to);
  set_widen(&g->set, g->words, to);
  g->words = to;
}

static uint32_t free_slot(struct frontier_stage *g) {
  for (uint32_t w = 0; w < g->words; w++) {
    uint64_t open = g->effects[w] | g->reads[w] | g->crashed[w];
    if (~open)
      return w * 64 + (uint32_t)__builtin_ctzll(~open);
  }
  widen(g);
  return free_slot(g);
}

static uint32_t return_of(const struct frontier_stage *g, uint32_t slot) {
  return g->slots.at[slot].op->op->ret;
}

static void heap_add(struct frontier_stage *g, uint32_t slot) {
  vec_push(&g->returns, slot);
  uint32_t i = g->returns.len - 1, *at = g->returns.at,
           ret = return_of(g, slot);
  for (; i && return_of(g, at[(i - 1) / 2]) > ret; i = (i - 1) / 2)
    at[i] = at[(i - 1) / 2];
  at[i] = slot;
}

static void heap_take(struct frontier_stage *g) {
  uint32_t last = vec_pop(&g->returns), n = g->returns.len, i = 0,
           *at = g->returns.at;
  if (!n)
    return;
  uint32_t ret = return_of(g, last);
  for (uint32_t c = 1; c < n; c = 2 * i + 1) {
    c += c + 1 < n && return_of(g, at[c + 1]) < return_of(g, at[c]);
    if (return_of(g, at[c]) >= ret)
      break;
    at[i] = at[c];
    i = c;
  }
  at[i] = last;
}

uint32_t stage_next_return(const struct frontier_stage *g) {
  return g->returns.len ? g->returns.at[0] : NO_SLOT;
}

/* Operations that are alike form a line by return, crashed ones by call;
 * `before` is the one in front. */
static void line_up(struct frontier_stage *g, uint32_t slot) {
  struct frontier_slot *s = &g->slots.at[slot];
  uint32_t before = NO_SLOT, behind = NO_SLOT;
  if (op_has_hint(s->op))
    return;
  for (uint32_t i = 0; i < g->slots.len; i++) {
    const struct frontier_slot *o = &g->slots.at[i];
    if (o->print != s->print || !o->op || i == slot ||
        !op_is_like(o->op, s->op) ||
        op_is_pending(o->op) != op_is_pending(s->op))
      continue;
    bool first = o->op->op->ret < s->op->op->ret ||
                 (op_is_pending(o->op) && o->id < s->id);
    if (first && (before == NO_SLOT || return_of(g, i) > return_of(g, before) ||
                  (op_is_pending(o->op) && o->id > g->slots.at[before].id)))
      before = i;
    if (!first && (behind == NO_SLOT || return_of(g, i) < return_of(g, behind)))
      behind = i;
  }
  s->before = before;
  if (behind != NO_SLOT)
    g->slots.at[behind].before = slot;
}

uint32_t stage_open(struct frontier_stage *g, const struct type_op *op,
                    uint32_t id, bool pending_hints, bool blind) {
  uint32_t slot = free_slot(g);
  while (g->slots.len <= slot)
    vec_push(&g->slots, (struct frontier_slot){0});
  g->slots.at[slot] = (struct frontier_slot){
      .op = op, .id = id, .before = NO_SLOT, .print = op_print(op)};
  if (op_has_hint(op))
    bit_set(g->hints, slot);
  if (blind && op_is_blind(op))
    bit_set(g->writes, slot);
  if (op_is_pending(op)) {
    bit_set(g->crashed, slot);
  } else {
    /* A read with a hint forbids crashed operations with smaller hints once it
     * is placed: then it is not placed at once. */
    bool eager = op_only_reads(op) && !(op_has_hint(op) && pending_hints);
    bit_set(eager ? g->reads : g->effects, slot);
    if (blind && op_is_blind(op) && !op_has_hint(op))
      bit_set(g->blind, slot);
    heap_add(g, slot);
    if (op->op->ret > g->horizon)
      g->horizon = op->op->ret;
  }
  if (!bit_of(g->reads, slot))
    line_up(g, slot);
  return slot;
}

/* If the operation returns, it must be the next to return. */
void stage_close(struct frontier_stage *g, uint32_t slot) {
  struct frontier_slot *s = &g->slots.at[slot];
  if (!op_is_pending(s->op)) {
    assert(stage_next_return(g) == slot);
    heap_take(g);
    g->returned++;
    g->hinted += op_has_hint(s->op);
  }
  for (uint32_t i = 0; i < g->slots.len; i++)
    if (g->slots.at[i].before == slot)
      g->slots.at[i].before = s->before;
  bit_clear(g->effects, slot);
  bit_clear(g->reads, slot);
  bit_clear(g->crashed, slot);
  bit_clear(g->hints, slot);
  bit_clear(g->blind, slot);
  bit_clear(g->writes, slot);
  *s = (struct frontier_slot){.before = NO_SLOT};
}

static uint64_t *copy_mask(uint64_t *to, const uint64_t *from, uint32_t words) {
  to = xrealloc(to, words * sizeof *to);
  memcpy(to, from, words * sizeof *to);
  return to;
}

#define COPY_VEC(TO, FROM)                                                     \
  do {                                                                         \
    vec_reserve(TO, (FROM)->len);                                              \
    if ((FROM)->len)                                                           \
      memcpy((TO)->at, (FROM)->at, (FROM)->len * sizeof *(FROM)->at);          \
    (TO)->len = (FROM)->len;                                                   \
  } while (0)

void stage_copy(struct frontier_stage *to, const struct frontier_stage *from) {
  struct frontier_stage t = *to;
  *to = *from;
  to->slots.at = t.slots.at;
  to->slots.len = t.slots.len;
  to->slots.cap = t.slots.cap;
  to->returns.at = t.returns.at;
  to->returns.len = t.returns.len;
  to->returns.cap = t.returns.cap;
  to->set = t.set;
  COPY_VEC(&to->slots, &from->slots);
  COPY_VEC(&to->returns, &from->returns);
  to->effects = copy_mask(t.effects, from->effects, from->words);
  to->reads = copy_mask(t.reads, from->reads, from->words);
  to->crashed = copy_mask(t.crashed, from->crashed, from->words);
  to->hints = copy_mask(t.hints, from->hints, from->words);
  to->blind = copy_mask(t.blind, from->blind, from->words);
  to->writes = copy_mask(t.writes, from->writes, from->words);
  set_copy(&to->set, &from->set);
}

uint64_t stage_bytes(const struct frontier_stage *g) {
  return g->slots.cap * sizeof *g->slots.at + g->returns.cap * 4 +
         (uint64_t)g->words * 48 + set_bytes(&g->set);
}

void stage_free(struct frontier_stage *g) {
  vec_free(&g->slots);
  vec_free(&g->returns);
  free(g->effects);
  free(g->reads);
  free(g->crashed);
  free(g->hints);
  free(g->blind);
  free(g->writes);
  set_free(&g->set);
}
