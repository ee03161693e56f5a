/*
 * What a program may do, by brute force: the definition that the engine is
 * compared with.  It shares no code with the engine.
 *
 * A state of the machine is its memory, and of each thread the operation that
 * it is at, the value v, the register r and, under TSO, its store buffer.  The
 * machine is run from every state that it can be in, by every thread that can
 * make a step; states that were met are not run again.
 *
 * Under TSO (Sewell et al., x86-TSO, CACM 53(7), 2010) a write enters the FIFO
 * buffer of its thread and is committed later, in a step of its own; a read
 * takes each byte from the newest write of its own buffer that has it, else
 * from memory; everything else that other threads can see needs the buffer to
 * be empty (docs/tso.md).  Under SC a write is in memory at once.
 *
 * An execution has ended when all threads have and all buffers are empty; it
 * is stuck when no step is possible before that.
 */
#ifndef PROGRAM_MACHINE_H
#define PROGRAM_MACHINE_H

#include "program_code.h"

#include <assert.h>

enum { MOST_BUFFER = 4 };

enum ending { ENDS, STUCK, ASSERTS, FREED, OTHER };
static const char *const ending_words[] = {
    "ends", "waits for ever", "assertion fails", "uses freed memory", "other"};

struct program_outcome {
  enum ending ending;
  uint64_t result[MOST_THREADS + 1]; /* of the client's threads and end() */
};

struct outcome_set {
  struct program_outcome *at;
  unsigned n;
};

/* ---- sets of outcomes ---- */

static bool outcome_in(const struct outcome_set *s, const struct program_outcome *o) {
  for (unsigned i = 0; i < s->n; i++)
    if (!memcmp(&s->at[i], o, sizeof *o))
      return true;
  return false;
}

static void outcome_add(struct outcome_set *s, enum ending ending,
                        const uint64_t *results, unsigned n) {
  struct program_outcome o;
  memset(&o, 0, sizeof o);
  o.ending = ending;
  if (ending == ENDS)
    memcpy(o.result, results, n * sizeof *results);
  if (outcome_in(s, &o))
    return;
  s->at = realloc(s->at, (s->n + 1) * sizeof o);
  memcpy(&s->at[s->n++], &o, sizeof o);
}

/* Is every outcome of a one of b? */
static bool outcomes_within(const struct outcome_set *a,
                            const struct outcome_set *b) {
  for (unsigned i = 0; i < a->n; i++)
    if (!outcome_in(b, &a->at[i]))
      return false;
  return true;
}

/* ---- the state ---- */

struct buffered {
  uint64_t value;
  uint8_t address, size;
};

struct thread {
  uint64_t r, v;
  struct buffered buffer[MOST_BUFFER]; /* oldest first */
  uint8_t nbuffer;
  uint8_t at; /* operation */
};

struct machine {
  struct thread thread[MOST_THREADS];
  uint8_t memory[MEMORY];
  uint8_t ending; /* a fault, or ENDS */
};

struct model { /* what is run, how */
  const struct program *program;
  struct code code[MOST_THREADS];
  bool tso;
  unsigned buffer; /* so many writes fit in */
};

/* ---- memory ---- */

static uint64_t read_memory(const struct machine *m, unsigned address,
                            unsigned size) {
  uint64_t value = 0;
  for (unsigned i = size; i-- > 0;)
    value = value << 8 | m->memory[address + i];
  return value;
}

static void write_memory(struct machine *m, unsigned address, unsigned size,
                         uint64_t value) {
  for (unsigned i = 0; i < size; i++)
    m->memory[address + i] = (uint8_t)(value >> 8 * i);
}

/* One byte as the thread sees it. */
static uint8_t seen_byte(const struct machine *m, const struct thread *t,
                         unsigned address) {
  for (unsigned i = t->nbuffer; i-- > 0;) {
    const struct buffered *b = &t->buffer[i];
    if (address >= b->address && address < (unsigned)b->address + b->size)
      return (uint8_t)(b->value >> 8 * (address - b->address));
  }
  return m->memory[address];
}

static uint64_t seen(const struct machine *m, const struct thread *t,
                     unsigned address, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = size; i-- > 0;)
    value = value << 8 | seen_byte(m, t, address + i);
  return value;
}

static void commit(struct machine *m, struct thread *t) {
  struct buffered oldest = t->buffer[0];
  t->nbuffer--;
  memmove(t->buffer, t->buffer + 1, t->nbuffer * sizeof oldest);
  memset(&t->buffer[t->nbuffer], 0, sizeof oldest);
  write_memory(m, oldest.address, oldest.size, oldest.value);
}

/* ---- steps ---- */

/* A write of v; false: the buffer is full. */
static bool put(const struct model *model, struct machine *m, struct thread *t,
                const struct operation *o) {
  if (!model->tso) {
    write_memory(m, o->address, o->size, t->v);
    return true;
  }
  if (t->nbuffer == model->buffer)
    return false;
  struct buffered *b = &t->buffer[t->nbuffer++];
  b->address = o->address;
  b->size = o->size;
  b->value = t->v;
  return true;
}

/* The step of the operation that thread t is at, if it can be made. */
static bool make_step(const struct model *model, struct machine *m,
                      struct thread *t, const struct operation *o) {
  uint64_t old;
  switch (o->kind) {
  case OP_READ:
    t->v = seen(m, t, o->address, o->size);
    return true;
  case OP_AWAIT:
    t->v = seen(m, t, o->address, o->size);
    return t->v != 0;
  case OP_WRITE:
    return put(model, m, t, o);
  default:
    if (t->nbuffer) /* the others need it empty */
      return false;
  }
  switch (o->kind) {
  case OP_SWAP:
    old = read_memory(m, o->address, o->size);
    write_memory(m, o->address, o->size, t->v);
    t->v = old;
    return true;
  case OP_FETCH_ADD:
    t->v = read_memory(m, o->address, o->size);
    write_memory(m, o->address, o->size, t->v + o->k);
    return true;
  case OP_CAS:
    t->v = read_memory(m, o->address, o->size) == o->k;
    if (t->v)
      write_memory(m, o->address, o->size, o->k2);
    return true;
  case OP_FENCE:
    return true;
  default:
    die("%s is no step", operations[o->kind].word);
  }
}

/* Operations that nobody else can see, up to the next step. */
static void run_on(const struct model *model, struct machine *m, unsigned n) {
  struct thread *t = &m->thread[n];
  for (;;) {
    const struct operation *o = &model->code[n].at[t->at];
    if (operations[o->kind].step || o->kind == OP_END || m->ending)
      return;
    t->at++;
    switch (o->kind) {
    case OP_SET:
      t->v = o->k;
      break;
    case OP_ADD:
      t->v += o->k;
      break;
    case OP_AND:
      t->v &= o->k;
      break;
    case OP_SHIFT:
      t->v >>= o->k;
      break;
    case OP_IS:
      t->v = t->v == o->k;
      break;
    case OP_BITS:
      t->v = (t->v & ~(uint64_t)o->k) | o->k2;
      break;
    case OP_SEE:
      t->r = t->r * 1000 + t->v;
      break;
    case OP_ASSERT_NOT:
      if (t->v == o->k)
        m->ending = ASSERTS;
      break;
    case OP_IF:
      t->at = t->v ? t->at : o->jump;
      break;
    case OP_IF_ZERO:
      t->at = t->v ? o->jump : t->at;
      break;
    case OP_AGAIN:
      t->at = o->jump;
      break;
    case OP_LOOP:
      break;
    default:
      die("%s is a step", operations[o->kind].word);
    }
  }
}

static bool step(const struct model *model, struct machine *m, unsigned n) {
  struct thread *t = &m->thread[n];
  const struct operation *o = &model->code[n].at[t->at];
  if (o->kind == OP_END || !make_step(model, m, t, o))
    return false;
  t->at++;
  run_on(model, m, n);
  return true;
}

/* ---- all states ---- */

struct states { /* those that were met: a hash table */
  struct machine *at;
  uint32_t *slot;
  uint32_t n, cap, most;
};

static uint64_t state_hash(const struct machine *m) {
  const uint8_t *byte = (const uint8_t *)m;
  uint64_t h = 14695981039346656037u; /* FNV-1a, by words */
  for (size_t i = 0; i + 8 <= sizeof *m; i += 8) {
    uint64_t word;
    memcpy(&word, byte + i, 8);
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 29;
  }
  return h;
}

static void states_grow(struct states *s) {
  s->cap = s->cap ? 2 * s->cap : 1024;
  s->at = realloc(s->at, s->cap / 2 * sizeof *s->at);
  free(s->slot);
  s->slot = calloc(s->cap, sizeof *s->slot);
  for (uint32_t i = 0; i < s->n; i++) {
    uint64_t h = state_hash(&s->at[i]);
    while (s->slot[h % s->cap])
      h++;
    s->slot[h % s->cap] = i + 1;
  }
}

/* False: it was met before. */
static bool states_add(struct states *s, const struct machine *m) {
  if (2 * (s->n + 1) > s->cap)
    states_grow(s);
  uint64_t h = state_hash(m);
  for (; s->slot[h % s->cap]; h++)
    if (!memcmp(&s->at[s->slot[h % s->cap] - 1], m, sizeof *m))
      return false;
  memcpy(&s->at[s->n++], m, sizeof *m);
  s->slot[h % s->cap] = s->n;
  return true;
}

/* What end() returns. */
static uint64_t see_all(const struct machine *m) {
  uint64_t r = 0;
  for (unsigned i = 0; i < NVARIABLES; i++)
    if (variables[i].ends) {
      uint64_t v = read_memory(m, variables[i].address, variables[i].size);
      r = r * 1000 + v;
    }
  return r;
}

static bool has_ended(const struct model *model, const struct machine *m) {
  for (unsigned t = 0; t < model->program->nthreads; t++)
    if (model->code[t].at[m->thread[t].at].kind != OP_END ||
        m->thread[t].nbuffer)
      return false;
  return true;
}

static void note_end(const struct model *model, const struct machine *m,
                     enum ending ending, struct outcome_set *out) {
  uint64_t result[MOST_THREADS + 1];
  unsigned n = model->program->nclients;
  for (unsigned t = 0; t < n; t++)
    result[t] = m->thread[t].r;
  result[n] = see_all(m);
  outcome_add(out, ending, result, n + 1);
}

/* Everything that can follow m; false: there is too much. */
static bool run_all(const struct model *model, const struct machine *m,
                    struct states *states, struct outcome_set *out) {
  struct machine next;
  bool stuck = true, all = true;
  if (!states_add(states, m))
    return true;
  if (states->n > states->most)
    return false;
  if (m->ending) {
    note_end(model, m, m->ending, out);
    return true;
  }
  for (unsigned t = 0; t < model->program->nthreads && all; t++) {
    memcpy(&next, m, sizeof next);
    if (step(model, &next, t)) {
      stuck = false;
      all = run_all(model, &next, states, out);
    }
    if (all && m->thread[t].nbuffer) {
      memcpy(&next, m, sizeof next);
      commit(&next, &next.thread[t]);
      stuck = false;
      all = run_all(model, &next, states, out);
    }
  }
  if (stuck)
    note_end(model, m, has_ended(model, m) ? ENDS : STUCK, out);
  return all;
}

/* All outcomes of a program; false: it has more states than `most`. */
static bool machine_outcomes(const struct program *p, unsigned buffer,
                             uint32_t most, struct outcome_set *out) {
  struct model model = {.program = p, .tso = buffer, .buffer = buffer};
  struct states states = {.most = most};
  struct machine start;
  memset(&start, 0, sizeof start);
  *out = (struct outcome_set){0};
  for (unsigned t = 0; t < p->nthreads; t++)
    code_of_thread(p, t, &model.code[t]);
  for (unsigned t = 0; t < p->nthreads; t++)
    run_on(&model, &start, t);
  bool all = run_all(&model, &start, &states, out);
  free(states.at);
  free(states.slot);
  return all;
}

#endif
