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
#include "program_outcomes.h"

#include <assert.h>

enum { MOST_BUFFER = 4, MOST_CHOICES = MOST_THREADS };

/* ---- the state ---- */

struct buffered {
  uint64_t value;
  uint8_t address, size;
};

struct thread {
  uint64_t r, v, kept;
  struct buffered buffer[MOST_BUFFER]; /* oldest first */
  uint8_t nbuffer;
  uint8_t at;       /* operation */
  uint8_t started;  /* else it is not there yet */
  uint8_t pointer;  /* an address, or 0 */
  uint8_t argument; /* likewise */
  uint8_t blocks;   /* allocated so far */
};

struct machine {
  struct thread thread[MOST_THREADS];
  uint8_t memory[MEMORY];
  uint32_t freed;    /* blocks */
  uint8_t ending;    /* a fault, or ENDS */
  uint8_t mutex[2];  /* who has it, plus 1, or 0 */
  uint8_t writer;    /* of the reader-writer lock: is there one? */
  uint8_t readers;   /* of it */
  uint8_t waiters;   /* at the condition variable: a set of threads */
  uint8_t woken;     /* by a signal or by the barrier: likewise */
  uint8_t semaphore; /* its value */
  uint8_t arrived;   /* at the barrier: a set */
  uint8_t once;      /* ONCE_NEW … */
};

enum { ONCE_NEW, ONCE_RUNS, ONCE_DONE };

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

/* The block at an address is given back: whoever touches it is wrong. */
static bool is_freed(const struct machine *m, unsigned address) {
  return address >= HEAP && m->freed >> (address - HEAP) / 4 & 1;
}

static unsigned address_of(struct machine *m, const struct thread *t,
                           const struct operation *o) {
  unsigned address = o->pointer ? t->pointer : o->address;
  if (is_freed(m, address))
    m->ending = FREED;
  return address;
}

/* A write of v; false: the buffer is full. */
static bool put(const struct model *model, struct machine *m, struct thread *t,
                const struct operation *o) {
  if (model->tso && t->nbuffer == model->buffer)
    return false;
  unsigned address = address_of(m, t, o);
  if (!model->tso) {
    write_memory(m, address, o->size, t->v);
    return true;
  }
  struct buffered *b = &t->buffer[t->nbuffer++];
  b->address = (uint8_t)address;
  b->size = o->size;
  b->value = t->v;
  return true;
}

/* Reads and writes. */
static bool access_step(const struct model *model, struct machine *m,
                        struct thread *t, const struct operation *o) {
  switch (o->kind) {
  case OP_READ:
    t->v = seen(m, t, address_of(m, t, o), o->size);
    return true;
  case OP_READ_POINTER:
    t->v = t->pointer = (uint8_t)seen(m, t, o->address, o->size);
    return true;
  case OP_AWAIT:
    t->v = seen(m, t, o->address, o->size);
    return t->v != 0;
  default:
    return put(model, m, t, o);
  }
}

/* Read-modify-writes and the like. */
static bool atomic_step(struct machine *m, struct thread *t,
                        const struct operation *o) {
  uint64_t old = read_memory(m, o->address, o->size);
  switch (o->kind) {
  case OP_SWAP:
    write_memory(m, o->address, o->size, t->v);
    t->v = old;
    break;
  case OP_SWAP_POINTER:
    write_memory(m, o->address, o->size, t->pointer);
    t->v = t->pointer = (uint8_t)old;
    break;
  case OP_FETCH_ADD:
    write_memory(m, o->address, o->size, old + o->k);
    t->v = old;
    break;
  default: /* OP_CAS */
    if (old == o->k)
      write_memory(m, o->address, o->size, o->k2);
    t->v = old == o->k;
  }
  return true;
}

/* Something is taken if it can be; trying, v tells; else the thread waits. */
static bool take(struct thread *t, bool can, bool tries) {
  if (tries)
    t->v = can;
  return can || tries;
}

static bool lock_step(struct machine *m, unsigned n, struct thread *t,
                      const struct operation *o) {
  bool can;
  switch (o->kind) {
  case OP_LOCK:
  case OP_TRYLOCK:
    can = !m->mutex[o->k];
    if (can)
      m->mutex[o->k] = (uint8_t)(n + 1);
    return take(t, can, o->kind == OP_TRYLOCK);
  case OP_UNLOCK:
    assert(m->mutex[o->k] == n + 1);
    m->mutex[o->k] = 0;
    return true;
  case OP_READ_LOCK:
  case OP_TRY_READ_LOCK:
    can = !m->writer;
    m->readers += can;
    return take(t, can, o->kind == OP_TRY_READ_LOCK);
  case OP_READ_UNLOCK:
    m->readers--;
    return true;
  case OP_WRITE_LOCK:
  case OP_TRY_WRITE_LOCK:
    can = !m->writer && !m->readers;
    m->writer |= can;
    return take(t, can, o->kind == OP_TRY_WRITE_LOCK);
  default: /* OP_WRITE_UNLOCK */
    m->writer = 0;
    return true;
  }
}

/* Which waiter a signal wakes, and when a timed wait is over, is open. */
static bool condition_step(struct machine *m, unsigned n, struct thread *t,
                           const struct operation *o, unsigned choice) {
  uint8_t me = (uint8_t)(1u << n), one = (uint8_t)(1u << choice);
  switch (o->kind) {
  case OP_WAIT:
    assert(m->mutex[o->k] == n + 1);
    m->mutex[o->k] = 0;
    m->waiters |= me;
    return !choice;
  case OP_WOKEN:
  case OP_WOKEN_OR_LATE:
    t->kept = choice;
    if (choice) { /* the time is over */
      if (o->kind == OP_WOKEN || choice > 1 || !(m->waiters & me))
        return false;
      m->waiters &= (uint8_t)~me;
      return true;
    }
    if (!(m->woken & me))
      return false;
    m->woken &= (uint8_t)~me;
    return true;
  case OP_BROADCAST:
    one = m->waiters;
    break;
  default: /* OP_SIGNAL */
    if (m->waiters && !(m->waiters & one))
      return false;
    if (!m->waiters)
      one = 0;
  }
  m->waiters &= (uint8_t)~one;
  m->woken |= one;
  return !choice || (one && o->kind == OP_SIGNAL);
}

static bool other_step(struct machine *m, unsigned n, struct thread *t,
                       const struct operation *o) {
  uint8_t me = (uint8_t)(1u << n);
  switch (o->kind) {
  case OP_FENCE:
    return true;
  case OP_SEM_WAIT:
  case OP_SEM_TRY: {
    bool can = m->semaphore > 0;
    m->semaphore -= can;
    return take(t, can, o->kind == OP_SEM_TRY);
  }
  case OP_SEM_POST:
    m->semaphore++;
    return true;
  case OP_SEM_GET:
    t->v = m->semaphore;
    return true;
  case OP_ARRIVE: /* the second lets both go; v: is this the last? */
    t->v = m->arrived != 0;
    m->woken |= t->v ? m->arrived | me : 0;
    m->arrived = t->v ? 0 : me;
    return true;
  case OP_LEAVE:
    if (!(m->woken & me))
      return false;
    m->woken &= (uint8_t)~me;
    return true;
  case OP_ONCE:
    if (m->once == ONCE_RUNS)
      return false;
    t->v = m->once == ONCE_NEW;
    m->once = t->v ? ONCE_RUNS : ONCE_DONE;
    return true;
  case OP_ONCE_DONE:
    m->once = ONCE_DONE;
    return true;
  case OP_FREE:
    if (is_freed(m, t->pointer))
      m->ending = FREED;
    m->freed |= 1u << (t->pointer - HEAP) / 4;
    return true;
  default:
    die("%s is no step", operations[o->kind].word);
  }
}

static void run_on(const struct model *model, struct machine *m, unsigned n);

static bool thread_step(const struct model *model, struct machine *m,
                        struct thread *t, const struct operation *o) {
  struct thread *other = &m->thread[o->k];
  if (o->kind == OP_START) {
    other->started = 1;
    other->argument = o->address;
    run_on(model, m, o->k);
    return true;
  }
  t->v = other->r;
  return model->code[o->k].at[other->at].kind == OP_END && !other->nbuffer;
}

/* The step of the operation that thread n is at, if it can be made, and made
 * in this way. */
static bool make_step(const struct model *model, struct machine *m, unsigned n,
                      const struct operation *o, unsigned choice) {
  struct thread *t = &m->thread[n];
  switch (o->kind) {
  case OP_EITHER:
    if (choice == 1)
      t->at = (uint8_t)(o->jump - 1);
    return choice < 2;
  case OP_READ:
  case OP_READ_POINTER:
  case OP_AWAIT:
  case OP_WRITE:
    return !choice && access_step(model, m, t, o);
  default:
    if (t->nbuffer) /* the others need it empty */
      return false;
  }
  switch (o->kind) {
  case OP_SWAP:
  case OP_SWAP_POINTER:
  case OP_FETCH_ADD:
  case OP_CAS:
    return !choice && atomic_step(m, t, o);
  case OP_LOCK:
  case OP_TRYLOCK:
  case OP_UNLOCK:
  case OP_READ_LOCK:
  case OP_TRY_READ_LOCK:
  case OP_READ_UNLOCK:
  case OP_WRITE_LOCK:
  case OP_TRY_WRITE_LOCK:
  case OP_WRITE_UNLOCK:
    return !choice && lock_step(m, n, t, o);
  case OP_WAIT:
  case OP_WOKEN:
  case OP_WOKEN_OR_LATE:
  case OP_SIGNAL:
  case OP_BROADCAST:
    return condition_step(m, n, t, o, choice);
  case OP_START:
  case OP_JOIN:
    return !choice && thread_step(model, m, t, o);
  default:
    return !choice && other_step(m, n, t, o);
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
    case OP_GO:
      t->at = o->jump;
      break;
    case OP_LOOP:
    case OP_OTHERWISE:
      break;
    case OP_KEEP:
      t->kept = t->v;
      break;
    case OP_KEPT:
      t->v = t->kept;
      break;
    case OP_ARG:
      t->v = t->pointer = t->argument;
      break;
    case OP_MALLOC:
      assert(t->blocks < BLOCKS);
      t->pointer = (uint8_t)(HEAP + 4 * (BLOCKS * n + t->blocks++));
      break;
    default:
      die("%s is a step", operations[o->kind].word);
    }
  }
}

static bool step(const struct model *model, struct machine *m, unsigned n,
                 unsigned choice) {
  struct thread *t = &m->thread[n];
  const struct operation *o = &model->code[n].at[t->at];
  if (!t->started || o->kind == OP_END || !make_step(model, m, n, o, choice))
    return false;
  t->at++;
  run_on(model, m, n);
  return true;
}

/* ---- all states ---- */

struct states { /* those that were met: a hash table */
  uint8_t *at;
  uint32_t *slot;
  size_t size; /* of a state, which has no padding that is not 0 */
  uint32_t n, cap, most;
};

static uint64_t state_hash(const uint8_t *state, size_t size) {
  uint64_t h = 14695981039346656037u; /* FNV-1a, by words */
  for (size_t i = 0; i + 8 <= size; i += 8) {
    uint64_t word;
    memcpy(&word, state + i, 8);
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 29;
  }
  return h;
}

static void states_grow(struct states *s) {
  s->cap = s->cap ? 2 * s->cap : 1024;
  s->at = realloc(s->at, s->cap / 2 * s->size);
  free(s->slot);
  s->slot = calloc(s->cap, sizeof *s->slot);
  for (uint32_t i = 0; i < s->n; i++) {
    uint64_t h = state_hash(s->at + i * s->size, s->size);
    while (s->slot[h % s->cap])
      h++;
    s->slot[h % s->cap] = i + 1;
  }
}

/* False: it was met before. */
static bool states_add(struct states *s, const void *state) {
  if (2 * (s->n + 1) > s->cap)
    states_grow(s);
  uint64_t h = state_hash(state, s->size);
  for (; s->slot[h % s->cap]; h++)
    if (!memcmp(s->at + (s->slot[h % s->cap] - 1) * s->size, state, s->size))
      return false;
  memcpy(s->at + s->n++ * s->size, state, s->size);
  s->slot[h % s->cap] = s->n;
  return true;
}

static void states_free(struct states *s) {
  free(s->at);
  free(s->slot);
}

/* What end() returns. */
static uint64_t see_all(const struct machine *m) {
  uint64_t r = 0;
  for (unsigned i = 0; i < NVARIABLES; i++)
    if (variables[i].ends) {
      uint64_t v = read_memory(m, variables[i].address, variables[i].size);
      r = r * 1000 + v;
    }
  unsigned g = (unsigned)read_memory(m, 72, 8);
  return g ? r * 1000 + read_memory(m, g, 4) : r;
}

static bool has_ended(const struct model *model, const struct machine *m) {
  for (unsigned t = 0; t < model->program->nthreads; t++)
    if (m->thread[t].started &&
        (model->code[t].at[m->thread[t].at].kind != OP_END ||
         m->thread[t].nbuffer))
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
    for (unsigned choice = 0; choice < MOST_CHOICES && all; choice++) {
      memcpy(&next, m, sizeof next);
      if (step(model, &next, t, choice)) {
        stuck = false;
        all = run_all(model, &next, states, out);
      }
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
__attribute__((unused)) static bool machine_outcomes(const struct program *p,
                                                     unsigned buffer,
                                                     uint32_t most,
                                                     struct outcome_set *out) {
  struct model model = {.program = p, .tso = buffer, .buffer = buffer};
  struct states states = {.size = sizeof(struct machine), .most = most};
  struct machine start;
  memset(&start, 0, sizeof start);
  *out = (struct outcome_set){0};
  for (unsigned t = 0; t < p->nthreads; t++)
    code_of_thread(p, t, &model.code[t]);
  for (unsigned t = 0; t < p->nthreads; t++)
    if ((start.thread[t].started = t < p->nclients))
      run_on(&model, &start, t);
  start.semaphore = 1;
  bool all = run_all(&model, &start, &states, out);
  states_free(&states);
  return all;
}

#endif
