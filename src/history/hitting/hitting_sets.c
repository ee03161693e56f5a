/* Sets of states and of outcomes, each kept once. */
#include "history/hitting/hitting_sets.h"

#include <stdlib.h>

struct number_set { /* a view; valid until a set is added */
  const uint32_t *at;
  uint32_t n;
};

static struct number_set set_of(const struct number_sets *s, uint32_t id) {
  uint32_t start = s->starts.at[id];
  uint32_t end = id + 1 < s->starts.len ? s->starts.at[id + 1] : s->items.len;
  return (struct number_set){s->items.at + start, end - start};
}

static uint32_t keep(struct number_sets *s, const uint32_t *at, uint32_t n) {
  bool fresh;
  uint32_t *id = map128_put(&s->known, hash128(at, n * sizeof *at, 0), &fresh);
  if (fresh) {
    *id = s->starts.len;
    vec_push(&s->starts, s->items.len);
    for (uint32_t i = 0; i < n; i++)
      vec_push(&s->items, at[i]);
  }
  return *id;
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Keeps the numbers of `scratch`, which come in any order, some of them twice.
 */
static uint32_t keep_scratch(struct hitting_outcomes *o,
                             struct number_sets *to) {
  uint32_t *at = o->scratch.at, n = o->scratch.len, kept = 0;
  if (n > 1)
    qsort(at, n, sizeof *at, by_value);
  for (uint32_t i = 0; i < n; i++)
    if (!i || at[i] != at[i - 1])
      at[kept++] = at[i];
  return keep(to, at, kept);
}

static struct hash128 question(uint32_t set, uint32_t op) {
  uint32_t key[] = {set, op};
  return hash128(key, sizeof key, 0);
}

uint32_t states_initial(struct hitting_outcomes *o) {
  return keep(&o->states, &o->p->type->initial, 1);
}

uint32_t states_after(struct hitting_outcomes *o, uint32_t states,
                      uint32_t op) {
  bool fresh;
  uint32_t *known = map128_put(&o->after_one, question(states, op), &fresh);
  if (!fresh)
    return *known;
  struct type *t = o->p->type;
  struct number_set from = set_of(&o->states, states);
  vec_clear(&o->scratch);
  for (uint32_t i = 0; i < from.n; i++) {
    uint32_t next[TYPE_NEXT];
    uint32_t n = t->step(t, from.at[i], &o->p->ops[op], next);
    o->meter->steps++;
    for (uint32_t k = 0; k < n; k++)
      vec_push(&o->scratch, next[k]);
  }
  *known = o->scratch.len ? keep_scratch(o, &o->states) : NO_OUTCOMES;
  return *known;
}

uint32_t outcomes_initial(struct hitting_outcomes *o) {
  uint32_t states = states_initial(o);
  return keep(&o->outcomes, &states, 1);
}

uint32_t outcomes_after(struct hitting_outcomes *o, uint32_t outcomes,
                        uint32_t op) {
  bool fresh;
  uint32_t *known = map128_put(&o->after_all, question(outcomes, op), &fresh);
  if (!fresh)
    return *known;
  struct number_set from = set_of(&o->outcomes, outcomes);
  VEC(uint32_t) to = {0};
  *known = NO_OUTCOMES;
  for (uint32_t i = 0; i < from.n; i++) {
    uint32_t states = states_after(o, from.at[i], op);
    if (states == NO_OUTCOMES)
      goto out;
    vec_push(&to, states);
  }
  vec_clear(&o->scratch);
  for (uint32_t i = 0; i < to.len; i++)
    vec_push(&o->scratch, to.at[i]);
  *known = keep_scratch(o, &o->outcomes);
out:
  vec_free(&to);
  return *known;
}

uint32_t outcomes_union(struct hitting_outcomes *o, uint32_t a, uint32_t b) {
  if (a == b)
    return a;
  struct number_set x = set_of(&o->outcomes, a), y = set_of(&o->outcomes, b);
  vec_clear(&o->scratch);
  for (uint32_t i = 0; i < x.n; i++)
    vec_push(&o->scratch, x.at[i]);
  for (uint32_t i = 0; i < y.n; i++)
    vec_push(&o->scratch, y.at[i]);
  o->meter->steps += o->scratch.len;
  return keep_scratch(o, &o->outcomes);
}

bool outcomes_include(const struct hitting_outcomes *o, uint32_t all,
                      uint32_t part) {
  struct number_set x = set_of(&o->outcomes, all),
                    y = set_of(&o->outcomes, part);
  uint32_t i = 0;
  for (uint32_t k = 0; k < y.n; k++) {
    while (i < x.n && x.at[i] < y.at[k])
      i++;
    if (i == x.n || x.at[i] != y.at[k])
      return false;
  }
  return true;
}

uint64_t outcomes_bytes(const struct hitting_outcomes *o) {
  return map128_bytes_soon(&o->after_one) + map128_bytes_soon(&o->after_all) +
         map128_bytes_soon(&o->states.known) +
         map128_bytes_soon(&o->outcomes.known) +
         ((uint64_t)o->states.items.cap + o->outcomes.items.cap) * 4;
}

static void sets_free(struct number_sets *s) {
  vec_free(&s->items);
  vec_free(&s->starts);
  map128_free(&s->known);
}

void outcomes_free(struct hitting_outcomes *o) {
  sets_free(&o->states);
  sets_free(&o->outcomes);
  map128_free(&o->after_one);
  map128_free(&o->after_all);
  vec_free(&o->scratch);
}
