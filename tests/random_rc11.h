/*
 * Random small programs for the C11 memory model (oracle/rc11.h): two to four
 * threads with all kinds of accesses, orders, fences and conditions.  A program
 * has a flavour, so that chains of release and acquire, of seq_cst, of fences
 * and of read-modify-writes come about, and a quarter has plain accesses.  Half
 * of them have one of the known shapes, with random orders, fences between the
 * accesses and read-modify-writes in their place.
 */
#ifndef TESTS_RANDOM_RC11_H
#define TESTS_RANDOM_RC11_H

#include "base/rng.h"
#include "oracle/rc11.h"

#include <string.h>

struct rc11_maker {
  struct rc11_program *p;
  struct rng rng;
  unsigned part, nlocations, nregisters;
  unsigned first_register;                     /* of this part */
  unsigned nchanges;                           /* read-modify-writes */
  unsigned plain, fences, changes, sc, strong; /* of 16 */
};

static bool rc11_chance(struct rc11_maker *m, unsigned of16) {
  return rng_below(&m->rng, 16) < of16;
}
static unsigned rc11_pick(struct rc11_maker *m, unsigned n) {
  return (unsigned)rng_below(&m->rng, n);
}

static enum rc11_order rc11_random_order(struct rc11_maker *m,
                                         enum rc11_order strong) {
  if (rc11_chance(m, m->sc))
    return RC11_SC;
  return rc11_chance(m, m->strong) ? strong : RC11_RELAXED;
}

static enum rc11_order rc11_access_order(struct rc11_maker *m,
                                         enum rc11_order strong) {
  return rc11_chance(m, m->plain) ? RC11_PLAIN : rc11_random_order(m, strong);
}

static enum rc11_order rc11_change_order(struct rc11_maker *m) {
  static const enum rc11_order strong[] = {RC11_ACQUIRE, RC11_RELEASE,
                                           RC11_ACQ_REL};
  return rc11_random_order(m, strong[rc11_pick(m, 3)]);
}

/* A register of this part that has a value, or RC11_NONE. */
static uint8_t rc11_known_register(struct rc11_maker *m) {
  unsigned n = m->nregisters - m->first_register;
  return (uint8_t)(n ? m->first_register + rc11_pick(m, n) : RC11_NONE);
}

static struct rc11_operand rc11_random_value(struct rc11_maker *m) {
  struct rc11_operand o = {RC11_NONE, (uint8_t)(1 + rc11_pick(m, 2))};
  if (rc11_chance(m, 3)) {
    o.reg = rc11_known_register(m);
    o.plus = (uint8_t)(o.reg == RC11_NONE ? 1 : rc11_pick(m, 2));
  }
  return o;
}

static void rc11_random_change(struct rc11_maker *m, struct rc11_statement *s) {
  static const enum rc11_kind kinds[] = {RC11_SWAP, RC11_ADD, RC11_CAS};
  static const enum rc11_order failures[] = {RC11_RELAXED, RC11_ACQUIRE,
                                             RC11_SC};
  s->kind = kinds[rc11_pick(m, 3)];
  s->order = rc11_change_order(m);
  s->value = s->kind == RC11_ADD ? (struct rc11_operand){RC11_NONE, 1}
                                 : rc11_random_value(m);
  if (s->kind == RC11_CAS) {
    s->expected = (struct rc11_operand){RC11_NONE, (uint8_t)rc11_pick(m, 2)};
    s->failure = failures[rc11_pick(m, 3)];
  }
}

/* The next statement; false: it is a condition. */
static bool rc11_random_statement(struct rc11_maker *m, bool may_test) {
  static const enum rc11_order fences[] = {RC11_ACQUIRE, RC11_RELEASE,
                                           RC11_ACQ_REL, RC11_SC};
  struct rc11_statement *s = &m->p->part[m->part].at[m->p->part[m->part].n++];
  uint8_t known = rc11_known_register(m);
  *s = (struct rc11_statement){.location = RC11_NONE,
                               .into = RC11_NONE,
                               .value.reg = RC11_NONE,
                               .expected.reg = RC11_NONE,
                               .tested = RC11_NONE};
  if (may_test && known != RC11_NONE && rc11_chance(m, 2)) {
    s->kind = RC11_IF;
    s->tested = known;
    s->unequal = rc11_chance(m, 8);
    s->value.plus = (uint8_t)rc11_pick(m, 2);
    s->body = 1; /* what comes next */
    return false;
  }
  if (rc11_chance(m, m->fences)) {
    s->kind = RC11_FENCE;
    s->order = rc11_chance(m, m->sc) ? RC11_SC : fences[rc11_pick(m, 4)];
    return true;
  }
  s->location = (uint8_t)(RC11_LOCATIONS - 1 - rc11_pick(m, m->nlocations));
  /* A dozen of them on one location have too many ways to fail. */
  if (m->nchanges < 5 && rc11_chance(m, m->changes)) {
    m->nchanges++;
    rc11_random_change(m, s);
  } else if (rc11_chance(m, 8)) {
    s->kind = RC11_STORE;
    s->order = rc11_access_order(m, RC11_RELEASE);
    s->value = rc11_random_value(m);
    return true;
  } else {
    s->kind = RC11_LOAD;
    s->order = rc11_access_order(m, RC11_ACQUIRE);
  }
  if (m->nregisters < RC11_REGISTERS)
    s->into = (uint8_t)m->nregisters++;
  return true;
}

/* n accesses and fences; a condition has one behind it. */
static void rc11_random_part(struct rc11_maker *m, unsigned part, unsigned n) {
  m->part = part;
  m->first_register = m->nregisters;
  while (n && m->p->part[part].n < RC11_STATEMENTS - 1) {
    if (!rc11_random_statement(m, true))
      rc11_random_statement(m, false);
    n--;
  }
}

/* ---- known shapes ---- */

static const char *const rc11_shapes[] = {
    "{x = 1; y = 1} || {a = y; b = x}",
    "{x = 1; a = y} || {y = 1; b = x}",
    "{x = 1; y = 2} || {y = 1; x = 2}",
    "{x = 1; y = 1} || {y = 2; a = x}",
    "{x = 2; y = 1} || {a = y; x = 1}",
    "{x = 1} || {y = 1} || {a = x; b = y} || {c = y; d = x}",
    "{x = 1} || {a = x; y = 1} || {b = y; c = x}",
    "{x = 1; y = 1} || {a = y; z = 1} || {b = z; c = x}",
    "{x = 1} || {a = x; b = y} || {y = 1; c = x}",
    "{x = 1; z = 1} || {a = z; b = y} || {y = 1; c = x}",
    "{x = 1; y = 1} || {a = y; z = 1} || {z = 2; b = x}",
    "{x = 1; y = 1} || {y.add(1).rlx; b = y} || {y = 3; c = x}",
    "{x = 1; y = 1; y = 2} || {a = y; b = x}",
    "{x = 1; y = 1} || {y.add(1).rlx} || {b = y; c = x}",
    "{x = 1; a = x; b = y} || {y = 1; c = y; d = x}",
    "{x = 1; y = 1} || {a = y; if (a == 1) {b = x}}",
};

static void rc11_shape_access(struct rc11_maker *m, struct rc11_statement *s) {
  bool writes = s->kind == RC11_STORE;
  if (s->kind == RC11_ADD ||
      (m->nchanges < 3 && rc11_chance(m, m->changes / 2))) {
    m->nchanges++;
    s->kind = writes ? RC11_SWAP : RC11_ADD;
    if (!writes)
      s->value = (struct rc11_operand){RC11_NONE, 1};
    s->order = rc11_change_order(m);
  } else {
    s->order = rc11_access_order(m, writes ? RC11_RELEASE : RC11_ACQUIRE);
  }
}

static void rc11_shape_part(struct rc11_maker *m, unsigned part) {
  static const enum rc11_order fences[] = {RC11_ACQUIRE, RC11_RELEASE,
                                           RC11_ACQ_REL, RC11_SC};
  struct rc11_program from = *m->p;
  unsigned n = 0;
  for (unsigned i = 0; i < from.part[part].n; i++) {
    struct rc11_statement *to = m->p->part[part].at;
    if (i && n + from.part[part].n - i < RC11_STATEMENTS &&
        to[n - 1].kind != RC11_IF && rc11_chance(m, m->fences))
      to[n++] = (struct rc11_statement){.kind = RC11_FENCE,
                                        .order = fences[rc11_pick(m, 4)],
                                        .location = RC11_NONE,
                                        .into = RC11_NONE,
                                        .value.reg = RC11_NONE,
                                        .expected.reg = RC11_NONE,
                                        .tested = RC11_NONE};
    to[n] = from.part[part].at[i];
    if (to[n].kind != RC11_IF)
      rc11_shape_access(m, &to[n]);
    n++;
  }
  m->p->part[part].n = (uint8_t)n;
}

static void rc11_random_shape(struct rc11_maker *m) {
  struct error e = {0};
  unsigned n = sizeof rc11_shapes / sizeof *rc11_shapes;
  if (rc11_read(m->p, rc11_shapes[rc11_pick(m, n)], &e))
    die("%s", e.text);
  if (rc11_chance(m, 8))
    m->fences = 9;
  for (unsigned t = 1; t <= m->p->nthreads; t++)
    rc11_shape_part(m, t);
}

/* ---- any ---- */

static void rc11_random_parts(struct rc11_maker *m) {
  struct rc11_program *p = m->p;
  m->nlocations = 1 + rc11_pick(m, 3);
  *p = (struct rc11_program){.nthreads = (uint8_t)(2 + rc11_pick(m, 16) / 7)};
  unsigned n = 4 + rc11_pick(m, 5), share[RC11_THREADS] = {0};
  for (unsigned i = 0; i < n; i++)
    share[i < p->nthreads ? i : rc11_pick(m, p->nthreads)]++;
  if (rc11_chance(m, 3))
    rc11_random_part(m, 0, 1 + rc11_pick(m, 2));
  for (unsigned t = 0; t < p->nthreads; t++)
    rc11_random_part(m, t + 1, share[t] < 4 ? share[t] : 4);
  if (rc11_chance(m, 3))
    rc11_random_part(m, rc11_last(p), 1 + rc11_pick(m, 2));
}

__attribute__((unused)) static void random_rc11(struct rc11_program *p,
                                                unsigned number) {
  struct rc11_maker m = {.p = p,
                         .rng = {number * UINT64_C(0x9e3779b97f4a7c15)}};
  static const uint8_t flavours[][4] = {/* fences, changes, sc, strong */
                                        {2, 3, 4, 8},
                                        {1, 2, 12, 8},
                                        {1, 2, 1, 14},
                                        {6, 2, 4, 4},
                                        {1, 9, 3, 8}};
  const uint8_t *f = flavours[rc11_pick(&m, 5)];
  m.fences = f[0];
  m.changes = f[1];
  m.sc = f[2];
  m.strong = f[3];
  m.plain = rc11_chance(&m, 4) ? 6 : 0;
  if (number % 2)
    rc11_random_shape(&m);
  else
    rc11_random_parts(&m);
}

/* ---- making a program smaller ---- */

static void rc11_drop(struct rc11_program *p, unsigned part, unsigned i);

/* Nobody assigns it any more: it is 0. */
static void rc11_forget(struct rc11_program *p, unsigned part, unsigned reg) {
  for (unsigned i = 0; i < p->part[part].n; i++) {
    struct rc11_statement *s = &p->part[part].at[i];
    if (s->value.reg == reg)
      s->value.reg = RC11_NONE;
    if (s->expected.reg == reg)
      s->expected.reg = RC11_NONE;
    if (s->kind == RC11_IF && s->tested == reg)
      rc11_drop(p, part, i--);
  }
}

static void rc11_drop(struct rc11_program *p, unsigned part, unsigned i) {
  struct rc11_statement dropped = p->part[part].at[i];
  for (unsigned k = 0; k < i; k++) {
    struct rc11_statement *s = &p->part[part].at[k];
    if (s->kind == RC11_IF && k + s->body >= i && --s->body == 0) {
      rc11_drop(p, part, i);
      rc11_drop(p, part, k);
      return;
    }
  }
  p->part[part].n--;
  memmove(&p->part[part].at[i], &p->part[part].at[i + 1],
          (p->part[part].n - i) * sizeof dropped);
  if (dropped.into != RC11_NONE)
    rc11_forget(p, part, dropped.into);
}

/* The i-th simpler program; false: there is none. */
__attribute__((unused)) static bool rc11_simpler(const struct rc11_program *p,
                                                 unsigned i,
                                                 struct rc11_program *out) {
  *out = *p;
  for (unsigned t = 0; t <= rc11_last(p); t++)
    for (unsigned k = 0; k < p->part[t].n; k++)
      if (i-- == 0) {
        rc11_drop(out, t, k);
        return true;
      }
  for (unsigned t = 1; t <= p->nthreads && p->nthreads > 1; t++)
    if (!p->part[t].n && i-- == 0) {
      memmove(&out->part[t], &out->part[t + 1],
              (rc11_last(p) - t) * sizeof out->part[t]);
      out->nthreads--;
      return true;
    }
  return false;
}

#endif
