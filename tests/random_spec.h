/*
 * A random small specification that leaves choices: a table says for a state
 * and an operation which alternatives there are.  Some answer about the wanted
 * result only, as a relation does, others name all that they allow.
 */
#ifndef TESTS_RANDOM_SPEC_H
#define TESTS_RANDOM_SPEC_H

#include "random_history.h"

enum { VAGUE_STATES = 5, VAGUE_OPS = 3, VAGUE_MOST = 3 };

struct vague_choice {
  enum spec_answer answer;
  int64_t result;
  uint32_t next;
};

struct vague {
  struct spec spec;
  bool relation; /* leaves out what is not wanted */
  uint32_t n[VAGUE_STATES][VAGUE_OPS];
  struct vague_choice at[VAGUE_STATES][VAGUE_OPS][VAGUE_MOST];
};

/* The operations a and b, and c, which only reads. */
static const struct row vague_row = {
    "vague", "", {{"a", INT, 0, 0}, {"b", INT, 0, 0}, {"c", INT, 0, 0}}};

static inline enum spec_answer
vague_choose(struct spec *s, const struct client *c, uint32_t state,
             uint32_t call, const struct value *wanted, uint32_t which,
             struct value *result, uint32_t *next) {
  struct vague *v = (struct vague *)s;
  uint32_t op = c->calls[call].op;
  for (uint32_t i = 0; i < v->n[state][op]; i++) {
    const struct vague_choice *k = &v->at[state][op][i];
    struct value r = value_int(k->result);
    if (v->relation && wanted && k->answer == SPEC_RETURNS &&
        !value_equal(r, *wanted))
      continue;
    if (which--)
      continue;
    *result = r;
    *next = k->next;
    return k->answer;
  }
  return SPEC_NONE;
}

static inline bool vague_only_reads(struct spec *s, const struct client *c,
                                    uint32_t call) {
  (void)s;
  return c->calls[call].op == 2;
}

static inline struct hash128 vague_digest(struct spec *s, uint32_t state) {
  (void)s;
  return hash128(&state, sizeof state, 0);
}

static inline void vague_init(struct vague *v, unsigned waits,
                              unsigned faults) {
  *v = (struct vague){.spec = {.name = "vague",
                               .choose = vague_choose,
                               .digest = vague_digest,
                               .only_reads = vague_only_reads}};
  v->relation = chance(50);
  for (uint32_t state = 0; state < VAGUE_STATES; state++)
    for (uint32_t op = 0; op < VAGUE_OPS; op++) {
      uint32_t n = (uint32_t)rng_below(&rng, VAGUE_MOST + 1);
      v->n[state][op] = n;
      for (uint32_t i = 0; i < n; i++) {
        struct vague_choice *k = &v->at[state][op][i];
        bool waiting = chance(waits), failing = op != 2 && chance(faults);
        k->answer = failing ? SPEC_FAULT : waiting ? SPEC_WAITS : SPEC_RETURNS;
        k->result = (int64_t)rng_below(&rng, 3);
        k->next = op == 2 ? state : (uint32_t)rng_below(&rng, VAGUE_STATES);
      }
    }
}

#endif
