/*
 * A known fault is one that was found before.  An execution that ends in it is
 * set aside, so that the search comes to the next one.
 *
 * It is told by its kind, the operation that it happens in, and its places:
 * that of the access, or in a deadlock those where the threads wait.  Places
 * are program counters; several of them can stand for one line.
 *
 * A history that is not linearizable, a broken invariant and a leak have no
 * place of their own: see known_has_place.
 */
#ifndef MODEL_KNOWN_H
#define MODEL_KNOWN_H

#include "model/finding.h"

enum { KNOWN_PLACES = 16, KNOWN_ANY_OP = UINT16_MAX };

struct known_fault {
  enum fault kind;
  uint16_t op; /* or KNOWN_ANY_OP */
  uint32_t nplaces;
  uint64_t places[KNOWN_PLACES]; /* module offsets; none: everywhere in `op` */
};

/* Do equal places make two faults of this kind the same? */
bool known_has_place(enum fault kind);

/* What an execution ended in: `pc` and `thread` of the fault, who waits in a
 * deadlock, the history until then. */
void known_of(struct known_fault *k, enum fault kind, uint64_t pc,
              uint32_t thread, const struct waiting *w, uint32_t nwaiting,
              const struct history *h);
void known_of_finding(struct known_fault *k, const struct finding *f);

/* Is `now` one of these?  In a deadlock further threads may wait. */
bool known_has(const struct known_fault *list, uint32_t n,
               const struct known_fault *now);

#endif
