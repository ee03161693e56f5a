/*
 * Which prefix of a history is the first that is not linearizable, and how are
 * those before it explained?  One depth-first search answers for all prefixes
 * at once, instead of one check for each.
 *
 * An event is a call or a return.  H_p(n) is the history of the first n events.
 * An operation that has been called and has not returned is pending in it: its
 * result is free, whatever it returns later.
 *
 * (P1) events are sorted by time, initial calls first and final calls last.
 *      Of equal times the call comes first: equal times order nothing.
 * (P2) the witness of H_p(n) is `order` up to size[n]: each begins with those
 *      of all shorter prefixes.
 * (P3) a prefix of a linearizable history is linearizable; so the witnesses of
 *      all n < end, and the search that found none for H_p(end), are the whole
 *      answer.                                tests/agree/shrink_prefixes.c
 */
#ifndef CHECK_PREFIXES_H
#define CHECK_PREFIXES_H

#include "check/check.h"

struct prefix_event {
  uint32_t call; /* id */
  bool returns;
};

struct prefixes {
  VEC(struct prefix_event) events; /* P1 */
  /*
   * YES: the whole history is linearizable.  NO, SPEC_FAULT: H_p(end) is not.
   * UNKNOWN: the budget, or a limit of the specification, ended the search;
   * H_p(end - 1) is linearizable.
   */
  enum check_answer answer;
  uint32_t end;        /* number of events; YES: one more than there are */
  VEC(uint32_t) order; /* a witness of H_p(end - 1): ids of calls … */
  VEC(uint32_t) size;  /* … and how much of it one of H_p(n) is, n < end */
  uint64_t applied;    /* calls of spec_apply: the effort */
};

/* Real time orders: there is no other criterion.  A stuck history that fails
 * only because a pending operation need not wait has end == events.len + 1 and
 * NO.  `out` is {0} at first; budget as for check_linearize. */
void check_prefixes(const struct history *h, struct spec *s, uint64_t budget,
                    struct prefixes *out);
void prefixes_free(struct prefixes *p);

#endif
