/*
 * Removals that may pass elements: FL_OUT_OF_ORDER(k) and FL_PER_PRODUCER.
 *
 * What the operation would return in order is removed, one element after the
 * other, up to the one that it returns; those that were passed are put back.
 *     FL_OUT_OF_ORDER(1)   [1, 2, 3]   dequeue() returns 1 or 2
 * With FL_PER_PRODUCER elements carry the number of the thread that added them,
 * and an element is passed only by those of other threads.
 *     FL_PER_PRODUCER      [T1: 1, T1: 2, T2: 3]   dequeue() returns 1 or 3
 *
 * Henzinger, Kirsch, Payer, Sezgin and Sokolova, POPL 2013, call the first one
 * k-out-of-order relaxation.
 */
#include "spec/builtin.h"

#include <assert.h>
#include <string.h>

/* How elements are removed one by one, and put back. */
struct removal {
  const char *op, *remove, *back;
  const struct op_def *defs; /* of `back` */
};

static const struct removal passings[] = {
    {"dequeue", "dequeue", "pushfront", deque_defs},
    {"front", "dequeue", "pushfront", deque_defs},
    {"pop", "pop", "pushback", deque_defs},
    {"top", "pop", "pushback", deque_defs},
    {"popfront", "popfront", "pushfront", deque_defs},
    {"peekfront", "popfront", "pushfront", deque_defs},
    {"popback", "popback", "pushback", deque_defs},
    {"peekback", "popback", "pushback", deque_defs},
    {"deletemin", "deletemin", "insert", pqueue_defs},
    {"findmin", "deletemin", "insert", pqueue_defs},
    {"deletemax", "deletemax", "insert", pqueue_defs},
    {"findmax", "deletemax", "insert", pqueue_defs},
};

static const struct removal *passing_of(const struct spec_role *role) {
  for (size_t i = 0; i < sizeof passings / sizeof *passings; i++)
    if (!strcmp(passings[i].op, role->op))
      return &passings[i];
  return NULL;
}

bool builtin_give_reach(struct builtin *b, struct bound_op *o, uint32_t reach,
                        bool per_producer) {
  const struct removal *p = passing_of(o->role);
  if (!p || o->role->result != RESULT_DATA)
    return false;
  o->reach = reach;
  o->per_producer = per_producer;
  o->remove = builtin_asked(known_find(b->about->defs, p->remove, false));
  o->back = builtin_asked(known_find(p->defs, p->back, false));
  b->tagged |= per_producer;
  b->spec.choose = builtin_choose;
  return true;
}

/* Removes the next element; DATUM_NIL: there is none. */
static datum remove_next(struct builtin *b, const struct bound_op *o,
                         uint32_t *state) {
  datum answer = DATUM_NONE;
  bool can = b->type->apply(b->type, *state, &o->remove, &answer, state);
  assert(can); /* S4 */
  return answer;
}

static uint32_t put_back(struct builtin *b, const struct bound_op *o,
                         uint32_t state) {
  struct type_op op = o->back;
  for (uint32_t i = b->passed.len; i-- > 0;) {
    datum answer;
    op.key = op.arg[0] = b->passed.at[i];
    bool can = b->type->apply(b->type, state, &op, &answer, &state);
    assert(can); /* S4 */
  }
  return state;
}

static bool may_come(const struct builtin *b, const struct bound_op *o,
                     datum element) {
  if (!o->per_producer)
    return b->passed.len < o->reach;
  for (uint32_t i = 0; i < b->passed.len; i++)
    if (datum_box(b->passed.at[i])->items[0] == datum_box(element)->items[0])
      return false;
  return true;
}

enum spec_answer builtin_choose(struct spec *spec, const struct client *c,
                                uint32_t state, uint32_t call,
                                const struct value *wanted, uint32_t which,
                                struct value *result, uint32_t *next) {
  struct builtin *b = (struct builtin *)spec;
  const struct bound_op *o = &b->ops[c->calls[call].op];
  uint32_t left = state;
  (void)wanted;
  if (!o->reach)
    return which ? SPEC_NONE : spec->apply(spec, c, state, call, result, next);
  vec_clear(&b->passed);
  while (b->passed.len < o->reach || o->per_producer) {
    datum d = remove_next(b, o, &left);
    if (d == DATUM_NIL)
      break;
    if (may_come(b, o, d) && !which--) {
      datum v = builtin_element(b, d);
      *result = builtin_answer(b, o, datum_to_number(v));
      *next = o->op.only_reads ? state : put_back(b, o, left);
      return SPEC_RETURNS;
    }
    vec_push(&b->passed, d);
  }
  if (b->passed.len || which)
    return SPEC_NONE;
  return spec->apply(spec, c, state, call, result, next); /* it is empty */
}
