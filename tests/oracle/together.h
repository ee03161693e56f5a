/* The definition of set linearizability, for the types of builtin_meet.c. */
#ifndef ORACLE_TOGETHER_H
#define ORACLE_TOGETHER_H

#include "check/check.h"

struct together {
  enum { TOGETHER_EXCHANGER, TOGETHER_RENDEZVOUS, TOGETHER_BARRIER } type;
  bool waits;       /* a call that is alone waits; else it returns 0 or false */
  uint32_t parties; /* of a barrier … */
  bool leader;      /* … one of whose calls returns true, the others false */
};

/* All sequences of classes; up to about 7 operations.  Operation 0 is
 * exchange(v), put(v) or wait(), operation 1 take(). */
bool check_together(const struct history *h, enum criterion criterion,
                    const struct together *t);

#endif
