/*
 * Where fences are missing, when a client fails under TSO and passes under SC.
 * A fence belongs between two lines of one function: that of a store (0: it is
 * not in this function) and that of a load that was made while the store was in
 * the buffer.
 *
 * Lines that are atomic wait for the buffer, too, so they are another repair.
 * Both are priced by the same count: the correct executions of the smallest
 * failing client that they forbid.
 */
#ifndef MODEL_FENCES_H
#define MODEL_FENCES_H

#include "model/causes.h"

#include <stdbool.h>
#include <stdint.h>

struct missing_fence {
  const char *file, *function;
  uint32_t store_line, load_line, column; /* load_line 0: behind the store, at
                                             the function's end */
};

struct fences_found {
  struct missing_fence *at; /* the smallest set; of the arena */
  uint32_t len;
  uint32_t executions_tried; /* failing ones that showed what is needed */
  bool verified;             /* with them no fault was found, … */
  const char *covered;       /* … in these clients */
  /* Executions of the client, as it is and with them; all 0: not counted. */
  struct tally schedules, left;
  bool dearer; /* the best lines forbid less: see causes */
  const struct ranked_cause *instead; /* lines that forbid as much or more */
};

/* They are what to do; no lines have to be atomic. */
static inline bool fences_come_first(const struct fences_found *f) {
  return f->verified && !f->dearer;
}
/* The correct ones of `all` that are not left; `left` has no others. */
static inline uint64_t tally_lost(const struct tally *all,
                                  const struct tally *left) {
  uint64_t good = all->all - all->bad;
  return left->all < good ? good - left->all : 0;
}

#endif
