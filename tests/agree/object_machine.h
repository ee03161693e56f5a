/*
 * Clients of random objects on the machine of program_machine.h: is every
 * history linearizable?  By brute force, sharing no code with the engine.
 *
 * An object is a program whose threads are its operations.  A call begins
 * with its first step and returns with its last one; the history is, for each
 * call, its result and the calls that had returned when it began.  It is
 * linearizable when some order of all calls that keeps "returned before" gives
 * these results, made one after the other on the machine itself.
 *
 * Lines can be atomic: while a thread is between two steps of one call on such
 * lines, no other thread makes a step; an execution in which it would have to
 * wait there does not count.
 */
#ifndef OBJECT_MACHINE_H
#define OBJECT_MACHINE_H

#include "program_machine.h"

enum { INITIAL = 2, FINAL = 3, PARTS = 4, MOST_CALLS = 12, MOST_BLOCKS = 8 };

/* Two threads, and what comes before and behind them; numbers of operations. */
struct object_client {
  uint8_t n[PARTS];
  uint8_t call[PARTS][4];
};

struct atomic_lines { /* of one function, and which operation that is */
  uint8_t operation, first, last;
};

struct object_run {
  struct model model;
  const struct program *object;
  const struct object_client *client;
  struct atomic_lines block[MOST_BLOCKS];
  unsigned nblocks;
  struct states states;
  uint8_t line[PARTS][MOST_OPERATIONS]; /* of an operation of the machine … */
  uint8_t of[PARTS][MOST_OPERATIONS]; /* … and the call that it is part of */
  uint8_t operation[MOST_CALLS];      /* of a call */
  unsigned ncalls;
  bool fails;
};

/* The state, and the history so far. */
struct object_state {
  struct machine m;
  uint64_t result[MOST_CALLS];
  uint16_t before[MOST_CALLS]; /* sets of calls */
  uint16_t begun, returned;
  uint8_t inside; /* the thread that is not to be interrupted, plus 1 */
  uint8_t pad[3];
};

/* ---- the code of a client ---- */

/* One call; a call without a step has one of its own. */
static void add_call(struct object_run *x, unsigned part, unsigned op) {
  const struct program *p = x->object;
  struct code *c = &x->model.code[part];
  unsigned from = c->n;
  bool steps = false;
  for (unsigned i = 0; i < p->length[op]; i++) {
    struct buf text = {0};
    unsigned at = c->n;
    expand(p, p->line[op][i], true, &text);
    read_code(c, buf_text(&text));
    buf_free(&text);
    for (; at < c->n; at++) {
      x->line[part][at] = (uint8_t)i;
      steps |= operations[c->at[at].kind].step;
    }
  }
  if (!steps)
    read_code(c, "fence");
  memset(&x->of[part][from], (int)x->ncalls, c->n - from);
  x->operation[x->ncalls++] = (uint8_t)op;
}

static void make_code(struct object_run *x) {
  x->ncalls = 0;
  static const uint8_t order[PARTS] = {INITIAL, 0, 1, FINAL};
  for (unsigned k = 0; k < PARTS; k++) {
    unsigned part = order[k];
    x->model.code[part] = (struct code){.thread = part};
    for (unsigned i = 0; i < x->client->n[part]; i++)
      add_call(x, part, x->client->call[part][i]);
    struct code *c = &x->model.code[part];
    x->of[part][c->n] = MOST_CALLS;
    c->at[c->n++] = (struct operation){.kind = OP_END};
  }
}

/* ---- one after the other ---- */

/* Runs operation `op` alone and gives its result. */
static uint64_t run_alone(const struct program *p, unsigned op,
                          struct machine *m) {
  struct model model = {.program = p};
  code_of_thread(p, op, &model.code[0]);
  memset(&m->thread[0], 0, sizeof m->thread[0]);
  m->thread[0].started = 1;
  run_on(&model, m, 0);
  while (step(&model, m, 0, 0))
    ;
  return m->thread[0].r;
}

/* Is there an order of the calls that are not `done`? */
static bool has_order(const struct object_run *x, const struct object_state *s,
                      unsigned done, const struct machine *m) {
  if (done == (1u << x->ncalls) - 1)
    return true;
  for (unsigned k = 0; k < x->ncalls; k++) {
    struct machine next;
    if (done >> k & 1 || (s->before[k] & ~done))
      continue;
    memcpy(&next, m, sizeof next);
    if (run_alone(x->object, x->operation[k], &next) == s->result[k] &&
        has_order(x, s, done | 1u << k, &next))
      return true;
  }
  return false;
}

/* ---- all interleavings ---- */

static bool in_block(const struct object_run *x, unsigned part, unsigned at,
                     unsigned b) {
  return x->of[part][at] < MOST_CALLS &&
         x->operation[x->of[part][at]] == x->block[b].operation &&
         x->line[part][at] >= x->block[b].first &&
         x->line[part][at] <= x->block[b].last;
}

static bool stays_inside(const struct object_run *x, unsigned part,
                         unsigned from, unsigned to) {
  bool inside = false;
  for (unsigned b = 0; b < x->nblocks; b++)
    inside |= x->of[part][from] == x->of[part][to] &&
              in_block(x, part, from, b) && in_block(x, part, to, b);
  return inside;
}

static bool object_step(const struct object_run *x, struct object_state *s,
                        unsigned part) {
  struct thread *t = &s->m.thread[part];
  unsigned from = t->at, call = x->of[part][from];
  if (!step(&x->model, &s->m, part, 0))
    return false;
  if (!(s->begun >> call & 1)) {
    s->begun |= (uint16_t)(1u << call);
    s->before[call] = s->returned;
  }
  if (x->of[part][t->at] != call) {
    s->returned |= (uint16_t)(1u << call);
    s->result[call] = t->r;
    t->r = 0;
  }
  s->inside = stays_inside(x, part, from, t->at) ? (uint8_t)(part + 1) : 0;
  return true;
}

static void run_part(const struct object_run *x, struct object_state *s,
                     unsigned part) {
  s->m.thread[part].started = 1;
  run_on(&x->model, &s->m, part);
  while (object_step(x, s, part))
    ;
  s->inside = 0;
}

static void object_end(struct object_run *x, const struct object_state *at) {
  struct object_state s;
  struct machine start;
  memcpy(&s, at, sizeof s);
  run_part(x, &s, FINAL);
  memset(&start, 0, sizeof start);
  if (s.returned != (1u << x->ncalls) - 1 || !has_order(x, &s, 0, &start))
    x->fails = true;
}

static void object_all(struct object_run *x, const struct object_state *s) {
  struct object_state next;
  bool stuck = true;
  if (x->fails || !states_add(&x->states, s))
    return;
  for (unsigned t = 0; t < 2; t++) {
    if (s->inside && s->inside != t + 1)
      continue;
    memcpy(&next, s, sizeof next);
    if (!object_step(x, &next, t))
      continue;
    stuck = false;
    object_all(x, &next);
  }
  if (stuck && !s->inside)
    object_end(x, s);
}

/* Has the client a history that is not linearizable? */
static bool client_fails(const struct program *object,
                         const struct object_client *c,
                         const struct atomic_lines *block, unsigned nblocks) {
  static struct object_run x; /* large */
  struct object_state start;
  memset(&x, 0, sizeof x);
  memset(&start, 0, sizeof start);
  x.model.program = x.object = object;
  x.client = c;
  x.nblocks = nblocks;
  if (nblocks)
    memcpy(x.block, block, nblocks * sizeof *block);
  x.states.size = sizeof start;
  make_code(&x);
  run_part(&x, &start, INITIAL);
  for (unsigned t = 0; t < 2; t++) {
    start.m.thread[t].started = 1;
    run_on(&x.model, &start.m, t);
  }
  object_all(&x, &start);
  states_free(&x.states);
  return x.fails;
}

#endif
