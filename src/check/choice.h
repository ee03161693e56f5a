/*
 * What a call of a history may have done at a place of an order: nothing, if it
 * failed without a reason (K6), or one of the alternatives of the
 * specification, asked for what the call has returned.
 */
#ifndef CHECK_CHOICE_H
#define CHECK_CHOICE_H

#include "check/order.h"

static inline enum spec_answer choice(const struct history *h, struct spec *s,
                                      enum criterion criterion, uint32_t state,
                                      uint32_t id, uint32_t which,
                                      struct value *result, uint32_t *next) {
  const struct hop *o = &h->ops[id];
  if (s->may_fail && order_excuses(h, s, criterion, id)) {
    *result = o->result;
    *next = state;
    if (!which--)
      return SPEC_RETURNS;
  }
  if (!s->choose)
    return which ? SPEC_NONE
                 : spec_apply(s, h->client, state, id, result, next);
  return spec_choose(s, h->client, state, id,
                     hop_pending(o) ? NULL : &o->result, which, result, next);
}

/* May a call have more than one? */
static inline bool choice_is_several(const struct spec *s) {
  return s->choose || s->may_fail;
}

typedef VEC(uint32_t) state_list; /* distinct */

bool states_have(const state_list *l, uint32_t state);
/* Adds the states behind the call, for any of those before it: with its result,
 * or with any if it is `open`.  Returns the calls of spec_choose. */
uint32_t states_behind(const state_list *before, const struct history *h,
                       struct spec *s, enum criterion criterion, uint32_t id,
                       bool open, state_list *behind);
/* Could pending operations of the history form a class and return (K7)?  Then
 * *one is the last of them. */
bool pending_meet(const struct history *h, struct spec *s, uint32_t state,
                  uint32_t *one);
/* Those in which the call may wait (S7). */
uint32_t states_waiting(const state_list *l, const struct history *h,
                        struct spec *s, uint32_t id, state_list *waiting);

/* What the specification allows a call to do there, whatever it did. */
struct expectation {
  expected_list results; /* distinct, as they come */
  bool waits;            /* it may wait */
};

/* Adds what it allows in this state.  Returns the calls of spec_choose. */
uint32_t expectation_add(struct expectation *e, const struct history *h,
                         struct spec *s, uint32_t state, uint32_t id);
/* As the fields of a refutation; empties the expectation. */
void expectation_take(struct expectation *e, struct value *expected,
                      bool *waits, expected_list *also);

#endif
