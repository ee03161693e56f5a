/*
 * What makes the schedules of hitting families (hitting_family.c), for the
 * search among them.
 */
#ifndef HISTORY_HITTING_HITTING_INT_H
#define HISTORY_HITTING_HITTING_INT_H

#include "base/map128.h"
#include "history/hitting/hitting.h"

/*
 * A part of the history that everything before it precedes and that precedes
 * everything behind it; schedules are made of those of the parts.
 */
struct hitting_part {
  uint32_t first, len; /* operations */
};

/* Distinct schedules of a part, one behind the other, for one thread and as
 * many elements of the tuple. */
struct local {
  bool made;
  VEC(uint16_t) at;
  uint32_t n;
};

struct family;

struct whole {
  const struct log_problem *p;
  VEC(uint32_t) threads;
  VEC(struct hitting_part) parts; /* with more than one operation */
  uint32_t singles;               /* parts with one */
  /* By the number of elements; threads × parts each.  They stay for larger
   * families. */
  VEC(struct local *) locals;
  uint64_t bytes; /* of them */
  struct local *making;
  const struct family *of;
  struct map128 known; /* to that family */
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
void whole_open(struct whole *w);
void whole_close(struct whole *w);
/* Calls `each` as hitting_family does.  For growing d, all of them with one
 * `struct whole`, parts are made once. */
void whole_make(struct whole *w, uint32_t d);

#endif
