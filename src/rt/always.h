/* What must hold in every state: FL_ALWAYS (always.c). */
#ifndef RT_ALWAYS_H
#define RT_ALWAYS_H

#include "rt/engine.h"

/* False: a function does not hold in this state; E.fault says which. */
bool fl__always_holds(void) FL_HIDDEN;

static inline bool fl__has_always(void) {
  return E.suite && E.suite->abi >= 4 && E.suite->always;
}

#endif
