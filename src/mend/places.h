/*
 * Where else the data of a block is used: the places of the accesses that
 * conflict with those of a cause's blocks, seen in some executions of given
 * clients.  What other operations do to the same data is seen in random ones:
 * of that, only accesses that are not atomic must not be left without a lock.
 * Runs in a worker.
 */
#ifndef MEND_PLACES_H
#define MEND_PLACES_H

#include "hunt/hunt.h"
#include "locate/rivals.h"

/* The functions that an access is in, from the operation inwards. */
struct place_stack {
  struct code_block *frames; /* each with one line */
  uint32_t depth;
  uint32_t inside;    /* which blocks of the cause it is in: a bit each … */
  uint32_t conflicts; /* … or has an access that conflicts with it */
  bool elsewhere; /* seen in random clients only, and not an atomic access */
  /* The critical section that it is in, as a trace shows it: from the line that
   * takes the first lock to the one that gives the last back, in the innermost
   * function that has both and the access.  No function: in none. */
  struct code_block section;
};

struct places {
  struct place_stack *at;
  uint32_t len;
  bool is_locked;    /* a lock is held at an access inside … */
  bool share_a_lock; /* … one lock at all those that conflict */
};

struct places_question {
  const struct target *target;
  struct cause cause;
  char *const *clients;
  uint32_t nclients;
  uint32_t others; /* random clients, to see what other operations do */
};

extern const struct noun noun_places;
/* For worker_run: arg is a struct places_question, the answer a struct places.
 */
int places_find(void *arg, struct work *s);

#endif
