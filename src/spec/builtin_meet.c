/*
 * Calls that take effect together (S9): exchanger, barrier, rendezvous.
 *
 * The state is the class that is not complete yet: for each call in it its
 * number, what it brings, and what it has to get if that is known.  Between
 * classes it is empty: these objects remember nothing.
 *     exchange(1) = 2 joins    [0, 1, 2]     exchange(2) = 1 completes it: []
 * Calls of one thread never meet, so initial and final calls are alone.
 */
#include "spec/builtin.h"

#include <assert.h>

/* A call of the class. */
enum { ID, BRINGS, GETS, FIELDS };

struct meeting {
  struct builtin *b;
  const struct client *c;
  uint32_t call;
  const struct value *wanted; /* NULL: free */
  struct value *result;
  uint32_t *next;
};

static datum member(const struct builtin *b, uint32_t i, int field) {
  return b->contents.at[i * FIELDS + (uint32_t)field];
}

static uint32_t members(const struct builtin *b) {
  return b->contents.len / FIELDS;
}

static void read_class(struct builtin *b, uint32_t state) {
  vec_clear(&b->contents);
  b->type->contents(b->type, state, &b->contents);
}

/* Is the call initial or final, or one of its thread in the class? */
static bool cannot_meet(const struct meeting *m) {
  if (!m->c->calls[m->call].thread)
    return true;
  for (uint32_t i = 0; i < members(m->b); i++) {
    int64_t id = datum_to_number(member(m->b, i, ID));
    if (m->c->calls[id].thread == m->c->calls[m->call].thread)
      return true;
  }
  return false;
}

/* The class with one more; `gets` DATUM_NONE: anything. */
static enum spec_answer join(const struct meeting *m, uint32_t state,
                             datum brings, datum gets) {
  struct type_op push =
      builtin_asked(known_find(deque_defs, "pushback", false));
  datum fields[FIELDS] = {datum_number(m->call), brings, gets}, answer;
  for (int i = 0; i < FIELDS; i++) {
    push.arg[0] = fields[i];
    bool can = m->b->type->apply(m->b->type, state, &push, &answer, &state);
    assert(can); /* S4 */
  }
  *m->next = state;
  return SPEC_JOINS;
}

static enum spec_answer complete(const struct meeting *m) {
  *m->next = m->b->spec.initial;
  return SPEC_RETURNS;
}

/* The data that a result stands for; false: it is none. */
static datum wanted_data(const struct meeting *m) {
  return m->wanted && m->wanted->kind != VALUE_VOID
             ? datum_number((int64_t)m->wanted->bits)
             : DATUM_NONE;
}

/* A value that one call brings, as another one's operation returns it. */
static datum as_result(const struct builtin *b, const struct client *c,
                       uint32_t call, int64_t brings) {
  const struct bound_op *o = &b->ops[c->calls[call].op];
  struct value v = builtin_value(o->type, o->size, brings);
  return v.kind == VALUE_VOID ? DATUM_NONE : datum_number((int64_t)v.bits);
}

static struct value value_of_data(const struct bound_op *o, datum d) {
  return builtin_value(o->type, o->size, datum_to_number(d));
}

/* exchange(v): alone, or with the value of another one. */
static enum spec_answer exchange(const struct meeting *m, uint32_t state,
                                 uint32_t which) {
  const struct call *k = &m->c->calls[m->call];
  const struct bound_op *o = &m->b->ops[k->op];
  datum mine = datum_number(k->args[0]);
  if (!members(m->b)) {
    *m->next = state;
    *m->result = which ? m->wanted ? *m->wanted : value_void() : o->none;
    if (!which)
      return o->waits_none ? SPEC_WAITS : SPEC_RETURNS;
    return which == 1 && !cannot_meet(m) ? join(m, state, mine, wanted_data(m))
                                         : SPEC_NONE;
  }
  uint32_t other = (uint32_t)datum_to_number(member(m->b, 0, ID));
  datum gets = member(m->b, 0, GETS);
  if (which || cannot_meet(m) ||
      (gets != DATUM_NONE && gets != as_result(m->b, m->c, other, k->args[0])))
    return SPEC_NONE;
  *m->result = value_of_data(o, member(m->b, 0, BRINGS));
  return complete(m);
}

/* put(v) with take(): the one that comes first waits for the other kind. */
static enum spec_answer hand_over(const struct meeting *m, uint32_t state,
                                  uint32_t which) {
  const struct call *k = &m->c->calls[m->call];
  const struct bound_op *o = &m->b->ops[k->op];
  bool puts = o->role->data;
  if (!members(m->b)) {
    bool waits = puts ? o->waits_full : o->waits_none;
    *m->next = state;
    *m->result = puts        ? which ? o->ok : o->full
                 : !which    ? o->none
                 : m->wanted ? *m->wanted
                             : value_void();
    if (!which)
      return waits ? SPEC_WAITS : SPEC_RETURNS;
    return which == 1 && !cannot_meet(m)
               ? join(m, state, puts ? datum_number(k->args[0]) : DATUM_NONE,
                      puts ? DATUM_NONE : wanted_data(m))
               : SPEC_NONE;
  }
  uint32_t other = (uint32_t)datum_to_number(member(m->b, 0, ID));
  datum gets = member(m->b, 0, GETS);
  bool other_puts = m->b->ops[m->c->calls[other].op].role->data;
  if (which || cannot_meet(m) || other_puts == puts)
    return SPEC_NONE;
  if (puts && gets != DATUM_NONE &&
      gets != as_result(m->b, m->c, other, k->args[0]))
    return SPEC_NONE;
  *m->result = puts ? o->ok : value_of_data(o, member(m->b, 0, BRINGS));
  return complete(m);
}

/* wait(): as many as there are parties.  With `leader` one of them gets it. */
static enum spec_answer arrive(const struct meeting *m, uint32_t state,
                               uint32_t which) {
  const struct call *k = &m->c->calls[m->call];
  const struct bound_op *o = &m->b->ops[k->op];
  uint32_t n = members(m->b), parties = m->b->parties;
  bool led = false;
  for (uint32_t i = 0; i < n; i++)
    led |= member(m->b, i, BRINGS) == DATUM_TRUE;
  if (!n && parties > 1 && !which--) {
    *m->next = state;
    return SPEC_WAITS;
  }
  if (parties > 1 && cannot_meet(m))
    return SPEC_NONE;
  bool may_lead = m->b->has_leader && !led;
  bool may_follow = !m->b->has_leader || led || n + 1 < parties;
  bool leads = may_lead && !which;
  if (which >= (uint32_t)may_lead + may_follow)
    return SPEC_NONE;
  *m->result = leads ? o->leader : o->ok;
  return n + 1 < parties ? join(m, state, datum_bool(leads), DATUM_NONE)
                         : complete(m);
}

static enum spec_answer choose(struct spec *spec, const struct client *c,
                               uint32_t state, uint32_t call,
                               const struct value *wanted, uint32_t which,
                               struct value *result, uint32_t *next) {
  struct builtin *b = (struct builtin *)spec;
  struct meeting m = {b, c, call, wanted, result, next};
  read_class(b, state);
  if (b->about == &builtin_exchanger)
    return exchange(&m, state, which);
  return b->about == &builtin_barrier ? arrive(&m, state, which)
                                      : hand_over(&m, state, which);
}

static const struct op_def meet_defs[] = {
    {"exchange", "v", 0, ROLE_OTHER, GIVES_ITEM},
    {"put", "v", 0, ROLE_OTHER, GIVES_SUCCESS},
    {"take", "", 0, ROLE_OTHER, GIVES_ITEM},
    {"wait", "", 0, ROLE_OTHER, GIVES_NOTHING},
    {0}};
static const struct spec_role exchanger_roles[] = {
    {"exchange swap", "exchange", RESULT_DATA, .data = 1}, {0}};
static const struct spec_role rendezvous_roles[] = {
    {"put send offer push", "put", RESULT_STATUS, .data = 1},
    {"take receive poll pop", "take", RESULT_DATA},
    {0}};
static const struct spec_role barrier_roles[] = {
    {"wait arrive await", "wait", RESULT_STATUS}, {0}};

const struct builtin_type builtin_exchanger = {exchanger_roles, meet_defs,
                                               open_deque, .choose = choose};
const struct builtin_type builtin_rendezvous = {rendezvous_roles, meet_defs,
                                                open_deque, .choose = choose};
const struct builtin_type builtin_barrier = {barrier_roles, meet_defs,
                                             open_deque, .choose = choose};
