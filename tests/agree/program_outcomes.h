/*
 * How a program may end: what its threads have seen, or a fault; and sets of
 * that.
 */
#ifndef PROGRAM_OUTCOMES_H
#define PROGRAM_OUTCOMES_H

#include "program.h"

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

static bool outcome_in(const struct outcome_set *s,
                       const struct program_outcome *o) {
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
__attribute__((unused)) static bool
outcomes_within(const struct outcome_set *a, const struct outcome_set *b) {
  for (unsigned i = 0; i < a->n; i++)
    if (!outcome_in(b, &a->at[i]))
      return false;
  return true;
}

#endif
