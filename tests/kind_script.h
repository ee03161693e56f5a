/* Traces in the making, for tests of kinds of fault. */
#ifndef KIND_SCRIPT_H
#define KIND_SCRIPT_H

#include "base/vec.h"
#include "locate/kinds.h"

enum { A = 0x1000, B = 0x2000, C = 0x3000, L = 0x4000, M = 0x5000 };

/* A trace in the making: a line of it is a call of one of the functions below;
 * call n belongs to thread n. */
struct script {
  VEC(struct event) events;
  struct block block;
  struct decisions decisions;
};

static inline uint32_t put(struct script *s, uint8_t kind, uint8_t thread,
                           uint32_t line, uint64_t addr, uint64_t old,
                           uint64_t value) {
  struct event e = {.kind = kind,
                    .thread = thread,
                    .call = thread,
                    .pc = line,
                    .addr = addr,
                    .size = 8,
                    .value = {value},
                    .old = {old}};
  vec_push(&s->events, e);
  return s->events.len - 1;
}

static inline uint32_t reads(struct script *s, uint8_t t, uint32_t line,
                             uint64_t addr, uint64_t value) {
  return put(s, EV_READ, t, line, addr, 0, value);
}
static inline uint32_t writes(struct script *s, uint8_t t, uint32_t line,
                              uint64_t addr, uint64_t old, uint64_t value) {
  return put(s, EV_WRITE, t, line, addr, old, value);
}
static inline uint32_t swaps(struct script *s, uint8_t t, uint32_t line,
                             uint64_t addr, uint64_t old, uint64_t value) {
  return put(s, EV_CAS, t, line, addr, old, value);
}
static inline uint32_t does(struct script *s, uint8_t t, uint32_t line,
                            uint8_t kind, uint64_t addr) {
  return put(s, kind, t, line, addr, 0, 0);
}
static inline void returns(struct script *s, uint8_t t) {
  put(s, EV_RETURN, t, 0, 0, 0, 0);
}

/* What other executions have shown: a read of `value` at line `look`, with
 * `act` after it or without (0). */
static inline void knows(struct script *s, uint32_t look, uint64_t value,
                         uint32_t act) {
  struct script other = {0};
  reads(&other, 1, look, A, value);
  if (act)
    does(&other, 1, act, EV_WRITE, B);
  returns(&other, 1);
  struct trace t = {.events = other.events.at, .nevents = other.events.len};
  decisions_add(&s->decisions, &(struct kind_trace){&t, NULL});
  vec_free(&other.events);
}

/* How many patterns of the kind there are; *first is the first of them. */
static inline uint32_t match(struct script *s, enum kind k,
                             struct kind_found *first) {
  struct trace t = {.events = s->events.at,
                    .nevents = s->events.len,
                    .blocks = &s->block,
                    .nblocks = s->block.size != 0};
  struct kind_trace view = {&t, NULL};
  struct kind_matches m;
  decisions_add(&s->decisions, &view);
  kinds_match(k, &view, &s->decisions, &m);
  if (m.len && first)
    *first = m.at[0];
  decisions_free(&s->decisions);
  vec_free(&s->events);
  return m.len;
}

#endif
