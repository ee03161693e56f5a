#include "check/choice.h"

bool states_have(const state_list *l, uint32_t state) {
  for (uint32_t i = 0; i < l->len; i++)
    if (l->at[i] == state)
      return true;
  return false;
}

uint32_t states_behind(const state_list *before, const struct history *h,
                       struct spec *s, enum criterion criterion, uint32_t id,
                       bool open, state_list *behind) {
  uint32_t applied = 0;
  const struct value *wanted = open ? NULL : &h->ops[id].result;
  bool excused = !open && order_excuses(h, s, criterion, id);
  for (uint32_t i = 0; i < before->len; i++) {
    struct value result;
    uint32_t next, which = 0;
    enum spec_answer a;
    if (excused && !states_have(behind, before->at[i]))
      vec_push(behind, before->at[i]);
    do {
      a = spec_choose(s, h->client, before->at[i], id, wanted, which++, &result,
                      &next);
      if ((a == SPEC_RETURNS || a == SPEC_JOINS) &&
          (!wanted || value_equal(result, *wanted)) &&
          !states_have(behind, next))
        vec_push(behind, next);
    } while (a != SPEC_NONE && s->choose);
    applied += which;
  }
  return applied;
}

/* The pending calls in `used` have joined and led to the state: can others
 * complete the class? */
static bool may_complete(const struct history *h, struct spec *s,
                         uint32_t state, bool open, bool *used, uint32_t *one) {
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    if (used[i] || !hop_called(&h->ops[i]) || !hop_pending(&h->ops[i]))
      continue;
    struct value result;
    uint32_t next;
    enum spec_answer a;
    used[i] = true;
    for (uint32_t which = 0;
         (a = spec_choose(s, h->client, state, i, NULL, which, &result,
                          &next)) != SPEC_NONE;
         which++)
      if ((a == SPEC_RETURNS && open) ||
          (a == SPEC_JOINS && may_complete(h, s, next, true, used, one))) {
        *one = i;
        used[i] = false;
        return true;
      }
    used[i] = false;
  }
  return false;
}

bool pending_meet(const struct history *h, struct spec *s, uint32_t state,
                  uint32_t *one) {
  if (!s->joins)
    return false;
  bool *used = xcalloc(h->client->ncalls + 1, sizeof *used);
  bool meet = may_complete(h, s, state, false, used, one);
  free(used);
  return meet;
}

uint32_t states_waiting(const state_list *l, const struct history *h,
                        struct spec *s, uint32_t id, state_list *waiting) {
  uint32_t applied = 0;
  for (uint32_t i = 0; i < l->len; i++) {
    struct value result;
    uint32_t next, which = 0;
    enum spec_answer a;
    do
      a = spec_choose(s, h->client, l->at[i], id, NULL, which++, &result,
                      &next);
    while (a != SPEC_WAITS && a != SPEC_NONE && s->choose);
    if (a == SPEC_WAITS)
      vec_push(waiting, l->at[i]);
    applied += which;
  }
  return applied;
}

static void add_result(struct expectation *e, struct value v) {
  for (uint32_t i = 0; i < e->results.len; i++)
    if (value_equal(e->results.at[i], v))
      return;
  vec_push(&e->results, v);
}

uint32_t expectation_add(struct expectation *e, const struct history *h,
                         struct spec *s, uint32_t state, uint32_t id) {
  struct value result;
  uint32_t next, which = 0;
  enum spec_answer a;
  do {
    a = spec_choose(s, h->client, state, id, NULL, which++, &result, &next);
    if (a == SPEC_RETURNS)
      add_result(e, result);
    e->waits |= a == SPEC_WAITS;
  } while (a != SPEC_NONE && s->choose);
  return which;
}

void expectation_take(struct expectation *e, struct value *expected,
                      bool *waits, expected_list *also) {
  bool any = e->results.len;
  *expected = any ? e->results.at[0] : value_void();
  *waits = e->waits && !any;
  vec_clear(also);
  for (uint32_t i = 1; i < e->results.len; i++)
    vec_push(also, e->results.at[i]);
  vec_clear(&e->results);
  e->waits = false;
}
