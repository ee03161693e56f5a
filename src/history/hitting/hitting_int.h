/* The maker of hitting families (hitting_family.c), for the search among them.
 */
#ifndef HISTORY_HITTING_HITTING_INT_H
#define HISTORY_HITTING_HITTING_INT_H

#include "base/map128.h"
#include "history/hitting/hitting.h"

/* A part of the history: all operations before it precede it, and it precedes
 * all after it.  A schedule consists of schedules of the parts. */
struct hitting_part {
  uint32_t first, len; /* operations */
};

/* Distinct schedules of a part, one after the other, for one thread and one
 * number of elements of the tuple. */
struct part_schedules {
  bool made;
  VEC(uint16_t) at;
  uint32_t n;
};

struct part_family;

struct family_maker { /* makes the schedules of whole families */
  const struct log_problem *p;
  VEC(uint32_t) threads;
  VEC(struct hitting_part) parts; /* with more than one operation */
  uint32_t singles;               /* parts with one */
  /* By the number of elements; threads × parts each.  Larger families use them
   * again. */
  VEC(struct part_schedules *) locals;
  uint64_t bytes; /* of them */
  struct part_schedules *making;
  const struct part_family *of;
  struct map128 known; /* schedules of that family */
  uint32_t repeated;
  uint16_t *schedule; /* singles stand in their places already */
  hitting_fn *each;
  void *ctx;
};

static inline bool is_first_of_thread(const struct log_problem *p,
                                      uint32_t op) {
  for (uint32_t i = 0; i < op; i++)
    if (p->ops[i].op->process == p->ops[op].op->process)
      return false;
  return true;
}

/* With p, each and ctx set; the problem stays the caller's. */
void whole_open(struct family_maker *w);
void whole_close(struct family_maker *w);
/* Calls `each` as hitting_family does.  With one struct for growing d, the
 * schedules of parts are made once. */
void whole_make(struct family_maker *w, uint32_t d);

#endif
