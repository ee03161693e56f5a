/*
 * The x86-TSO machine, by brute force: what the engine and the analyses are
 * compared with.  It shares no code with them.
 *
 * A program is a few threads of straight-line operations on a few variables,
 * all 0 at first.  Variables are bytes: an operation of several touches as many
 * that follow each other, at once.  Under TSO a write enters the FIFO buffer of
 * its thread and is committed later; a read takes the newest write to its
 * variable in its own thread's buffer, else the memory; a fence, a seq_cst
 * write and an rmw are possible only when the own buffer is empty.  An
 * execution ends when all threads have ended and all buffers are empty.  Under
 * SC a write commits at once, and no execution has commit events.
 *
 *   struct tso_program sb = {
 *       2, {{TSO_W(0, 1), TSO_R(1)}, {TSO_W(1, 1), TSO_R(0)}}};
 *   struct tso_result r;
 *   tso_enumerate(&sb, &(struct tso_options){.tso = true}, &r);
 *   r.executions; tso_possible(&r, 2, (int[]){0, 0}, 0, NULL);
 *   tso_result_free(&r);
 *
 * BEGIN and END mark a transaction.  They are no steps: a BEGIN happens with
 * the operation after it, an END with the one before it.
 */
#ifndef TSO_MACHINE_H
#define TSO_MACHINE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TSO_THREADS = 4, TSO_OPS = 24, TSO_VARS = 8, TSO_EVENTS = 128 };

enum tso_kind {
  TSO_STOP, /* the end of a thread's operations */
  TSO_WRITE,
  TSO_SC_WRITE, /* drains, then writes at once: xchg without its result */
  TSO_READ,
  TSO_RMW, /* exchange: reads what was there, writes value */
  TSO_ADD, /* fetch and add */
  TSO_FENCE,
  TSO_BEGIN,
  TSO_END,
  TSO_COMMIT /* in executions only */
};

struct tso_op {
  uint8_t kind, var, value;
  uint8_t size; /* in variables; 0: one */
};
#define TSO_W(VAR, VALUE)                                                      \
  { TSO_WRITE, (VAR), (VALUE), 1 }
#define TSO_SCW(VAR, VALUE)                                                    \
  { TSO_SC_WRITE, (VAR), (VALUE), 1 }
#define TSO_R(VAR)                                                             \
  { TSO_READ, (VAR), 0, 1 }
#define TSO_X(VAR, VALUE)                                                      \
  { TSO_RMW, (VAR), (VALUE), 1 }
#define TSO_A(VAR, VALUE)                                                      \
  { TSO_ADD, (VAR), (VALUE), 1 }
#define TSO_F                                                                  \
  { TSO_FENCE, 0, 0, 1 }
#define TSO_B                                                                  \
  { TSO_BEGIN, 0, 0, 1 }
#define TSO_E                                                                  \
  { TSO_END, 0, 0, 1 }

struct tso_program {
  uint8_t nthreads;
  struct tso_op thread[TSO_THREADS][TSO_OPS + 1];
};

struct tso_event {
  uint8_t kind, thread, var, size;
  uint8_t op;     /* its number in its thread; of a commit, its write's */
  uint8_t value;  /* read or written; of several, of the first */
  uint8_t old;    /* rmw: what was there */
  bool issued;    /* a write that went into the buffer */
  bool forwarded; /* a read from the own buffer */
  uint8_t issue;  /* commit: index of the write in the execution */
};

struct tso_execution {
  struct tso_event event[TSO_EVENTS];
  unsigned n;
  unsigned nregs; /* results of reads and rmws, thread by thread, byte by
                     byte */
  uint8_t reg[TSO_THREADS * TSO_OPS];
  uint8_t memory[TSO_VARS];
};

struct tso_options {
  bool tso;
  unsigned buffer;    /* capacity; a write waits while it is full.  0: none */
  bool drain_at_once; /* a fence or rmw is possible at any time, and commits the
                         own buffer in the same step */
  /* When given: the threads whose operations happen, in this order (BEGIN and
   * END not counted); only commits are free.  These are the executions of one
   * trace. */
  const uint8_t *order;
  unsigned norder;
  void (*seen)(const struct tso_execution *, void *); /* may be NULL */
  void *arg;
};

struct tso_outcome {
  unsigned nregs;
  uint8_t reg[TSO_THREADS * TSO_OPS];
  uint8_t memory[TSO_VARS];
};

struct tso_result {
  uint64_t executions;
  struct tso_outcome *outcome; /* each once */
  unsigned noutcomes;
};

struct tso_state {
  uint8_t next[TSO_THREADS]; /* operation */
  uint8_t memory[TSO_VARS];
  uint8_t buffer[TSO_THREADS][TSO_OPS]; /* indices of events, oldest first */
  uint8_t nbuffer[TSO_THREADS];
  uint8_t reg[TSO_THREADS][TSO_OPS], nreg[TSO_THREADS];
  unsigned nevents, norder;
};

struct tso_search {
  const struct tso_program *program;
  const struct tso_options *options;
  struct tso_result *result;
  struct tso_execution x; /* events[0 .. state.nevents) are valid */
};

/* Of several variables, each gets another value. */
static inline uint8_t tso_byte(uint8_t value, unsigned k) {
  return (uint8_t)(value + 16 * k);
}

static inline struct tso_event *tso_emit(struct tso_search *s,
                                         struct tso_state *m, unsigned thread,
                                         struct tso_op op) {
  uint8_t size = op.size ? op.size : 1;
  assert(m->nevents < TSO_EVENTS && op.var + size <= TSO_VARS);
  struct tso_event *e = &s->x.event[m->nevents++];
  *e = (struct tso_event){.kind = op.kind,
                          .thread = (uint8_t)thread,
                          .var = op.var,
                          .size = size,
                          .op = m->next[thread],
                          .value = op.value};
  return e;
}

static inline void tso_commit(struct tso_search *s, struct tso_state *m,
                              unsigned thread) {
  uint8_t issue = m->buffer[thread][0];
  const struct tso_event w = s->x.event[issue];
  m->nbuffer[thread]--;
  memmove(m->buffer[thread], m->buffer[thread] + 1, m->nbuffer[thread]);
  struct tso_op op = {TSO_COMMIT, w.var, w.value, w.size};
  struct tso_event *e = tso_emit(s, m, thread, op);
  e->op = w.op;
  e->issue = issue;
  for (unsigned k = 0; k < w.size; k++)
    m->memory[w.var + k] = tso_byte(w.value, k);
}

static inline void tso_read(struct tso_search *s, struct tso_state *m,
                            unsigned t, struct tso_op op) {
  struct tso_event *e = tso_emit(s, m, t, op);
  for (unsigned k = 0; k < e->size; k++) {
    unsigned at = op.var + k;
    uint8_t value = m->memory[at];
    for (unsigned i = 0; i < m->nbuffer[t]; i++) {
      const struct tso_event *w = &s->x.event[m->buffer[t][i]];
      if (at < w->var || at >= (unsigned)w->var + w->size)
        continue;
      value = tso_byte(w->value, at - w->var);
      e->forwarded = true;
    }
    e->value = k ? e->value : value;
    assert(m->nreg[t] < TSO_OPS);
    m->reg[t][m->nreg[t]++] = value;
  }
}

static inline void tso_marks(struct tso_search *s, struct tso_state *m,
                             unsigned t, enum tso_kind kind) {
  for (; s->program->thread[t][m->next[t]].kind == kind; m->next[t]++)
    tso_emit(s, m, t, s->program->thread[t][m->next[t]]);
}

static inline const struct tso_op *
tso_next(const struct tso_search *s, const struct tso_state *m, unsigned t) {
  const struct tso_op *op = &s->program->thread[t][m->next[t]];
  while (op->kind == TSO_BEGIN)
    op++;
  assert(op->kind != TSO_END); /* a transaction with nothing in it */
  return op;
}

static inline bool tso_drains(enum tso_kind kind) {
  return kind == TSO_FENCE || kind == TSO_RMW || kind == TSO_ADD ||
         kind == TSO_SC_WRITE;
}

static inline bool tso_enabled(const struct tso_search *s,
                               const struct tso_state *m, unsigned t) {
  const struct tso_options *o = s->options;
  const struct tso_op *op = tso_next(s, m, t);
  if (op->kind == TSO_STOP)
    return false;
  if (o->order && (m->norder >= o->norder || o->order[m->norder] != t))
    return false;
  if (tso_drains(op->kind))
    return o->drain_at_once || !m->nbuffer[t];
  return !(o->tso && op->kind == TSO_WRITE && o->buffer &&
           m->nbuffer[t] == o->buffer);
}

static inline void tso_step(struct tso_search *s, struct tso_state *m,
                            unsigned t) {
  const struct tso_op op = *tso_next(s, m, t);
  if (tso_drains(op.kind))
    while (m->nbuffer[t])
      tso_commit(s, m, t);
  tso_marks(s, m, t, TSO_BEGIN);
  struct tso_event *e;
  switch (op.kind) {
  case TSO_READ:
    tso_read(s, m, t, op);
    break;
  case TSO_WRITE:
    e = tso_emit(s, m, t, op);
    e->issued = s->options->tso;
    if (e->issued)
      m->buffer[t][m->nbuffer[t]++] = (uint8_t)(m->nevents - 1);
    for (unsigned k = 0; k < e->size && !e->issued; k++)
      m->memory[op.var + k] = tso_byte(op.value, k);
    break;
  case TSO_SC_WRITE:
    e = tso_emit(s, m, t, op);
    for (unsigned k = 0; k < e->size; k++)
      m->memory[op.var + k] = tso_byte(op.value, k);
    break;
  case TSO_RMW:
  case TSO_ADD:
    e = tso_emit(s, m, t, op);
    e->old = m->memory[op.var];
    assert(op.kind == TSO_RMW || e->size == 1); /* no carry */
    if (op.kind == TSO_ADD)
      e->value = (uint8_t)(e->old + op.value);
    for (unsigned k = 0; k < e->size; k++) {
      assert(m->nreg[t] < TSO_OPS);
      m->reg[t][m->nreg[t]++] = m->memory[op.var + k];
      m->memory[op.var + k] = tso_byte(e->value, k);
    }
    break;
  default:
    assert(op.kind == TSO_FENCE);
    tso_emit(s, m, t, op);
  }
  m->next[t]++;
  m->norder++;
  tso_marks(s, m, t, TSO_END);
}

static inline void tso_finish(struct tso_search *s, const struct tso_state *m) {
  struct tso_result *r = s->result;
  struct tso_outcome o = {0};
  for (unsigned t = 0; t < s->program->nthreads; t++)
    for (unsigned i = 0; i < m->nreg[t]; i++)
      o.reg[o.nregs++] = m->reg[t][i];
  memcpy(o.memory, m->memory, sizeof o.memory);
  r->executions++;
  unsigned i = 0;
  while (i < r->noutcomes && memcmp(&r->outcome[i], &o, sizeof o))
    i++;
  if (i == r->noutcomes) {
    r->outcome = realloc(r->outcome, (r->noutcomes + 1) * sizeof o);
    assert(r->outcome);
    memcpy(&r->outcome[r->noutcomes++], &o, sizeof o);
  }
  if (!s->options->seen)
    return;
  s->x.n = m->nevents;
  s->x.nregs = o.nregs;
  memcpy(s->x.reg, o.reg, sizeof o.reg);
  memcpy(s->x.memory, o.memory, sizeof o.memory);
  s->options->seen(&s->x, s->options->arg);
}

static inline void tso_explore(struct tso_search *s,
                               const struct tso_state *m) {
  bool ended = true;
  for (unsigned t = 0; t < s->program->nthreads; t++) {
    struct tso_state after;
    ended = ended && !m->nbuffer[t] && tso_next(s, m, t)->kind == TSO_STOP;
    if (tso_enabled(s, m, t)) {
      after = *m;
      tso_step(s, &after, t);
      tso_explore(s, &after);
    }
    if (m->nbuffer[t]) {
      after = *m;
      tso_commit(s, &after, t);
      tso_explore(s, &after);
    }
  }
  if (ended)
    tso_finish(s, m);
}

/* Runs every execution; the callback gets each, the result the outcomes. */
static inline void tso_enumerate(const struct tso_program *p,
                                 const struct tso_options *o,
                                 struct tso_result *r) {
  struct tso_search s = {.program = p, .options = o, .result = r};
  struct tso_state start = {.nevents = 0};
  *r = (struct tso_result){.executions = 0};
  tso_explore(&s, &start);
}

static inline void tso_result_free(struct tso_result *r) {
  free(r->outcome);
  *r = (struct tso_result){.executions = 0};
}

/* Whether some execution ends with these registers and memory; -1 is any. */
static inline bool tso_possible(const struct tso_result *r, unsigned nregs,
                                const int *reg, unsigned nvars,
                                const int *memory) {
  for (unsigned i = 0; i < r->noutcomes; i++) {
    const struct tso_outcome *o = &r->outcome[i];
    bool same = true;
    assert(nregs <= o->nregs);
    for (unsigned j = 0; j < nregs; j++)
      same = same && (reg[j] < 0 || reg[j] == o->reg[j]);
    for (unsigned j = 0; j < nvars; j++)
      same = same && (memory[j] < 0 || memory[j] == o->memory[j]);
    if (same)
      return true;
  }
  return false;
}

#endif
