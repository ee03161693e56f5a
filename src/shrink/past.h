/*
 * What a failing history has to say about how it came to fail: its smallest
 * prefix that is not linearizable, and an order that explains what came before.
 * The CGVT paper's H_p(b) and OpOrder (Zhang, Wu, Zhang, Localization of
 * Linearizability Faults on the Coarse-grained Level, section III A).
 *
 * (P1) `order` holds every call of the prefix once, initial calls first, final
 *      calls last, those of one thread in their order; `failing` is the last,
 *      but where what came before needs its effect.
 * (P2) `order` up to any of `sizes` explains a prefix of the history: it can
 *      be made one call after the other instead.  (Only the specification can
 *      tell: tests/agree/shrink_prefixes.c.)
 */
#ifndef SHRINK_PAST_H
#define SHRINK_PAST_H

#include "check/prefixes.h"

struct past {
  const struct history *history;
  VEC(uint32_t) order; /* P1 */
  VEC(uint32_t)
  sizes;               /* of witnesses, growing; the first is that of the
                          initial calls alone */
  VEC(uint32_t) calls; /* of threads, in the order in which they were called */
  uint32_t failing;    /* its return ends the prefix */
  bool exact; /* the prefix is the smallest; else the whole history, since the
                 budget did not suffice */
};

/* False: the history is linearizable (or so it seems within the budget, in
 * calls of the specification; 0: none) and there is no past to speak of; with
 * `anyway` there is one all the same: of an execution that crashed, say. */
bool past_find(struct past *p, const struct history *failing, struct spec *s,
               uint64_t budget, bool anyway);
void past_free(struct past *p);

#endif
