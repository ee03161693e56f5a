/*
 * From classes of traces to causes: what repairs all failing traces, those
 * first that take away the fewest good ones (the root-causing paper,
 * sections 4.2 and 6.2), and what repairs each failing trace by itself (its
 * Table 2).  Traces are those of a client (diagnose/causes.c) or of files
 * (locate/trace_set.h).
 *
 * Limits.  While traces are combined, a thousand repairs are kept, those that
 * take away the fewest good traces; but never fewer than one trace has by
 * itself.  That is k^n for the traces of the paper's figure 4.  Whatever a
 * limit has cut is told: `cut` and `single_cut` of struct causes_found.
 *
 * (A) all k^n repairs of figure 4 are found.         tests/cli/explain.sh
 * (B) each failing trace has its own, by rank.  tests/agree/locate_blame.c
 */
#ifndef LOCATE_BLAME_H
#define LOCATE_BLAME_H

#include "base/arena.h"
#include "locate/section.h"
#include "model/causes.h"

#define ANY_OUTCOME UINT32_MAX

/* One class of traces: those with the same accesses, and the same order of
 * those that conflict. */
struct located {
  struct conflicts conflicts;
  struct section_trace section;
  bool bad;         /* some execution of it fails … */
  bool mixed;       /* … and another one does not: calls overlap otherwise */
  bool given;       /* a good one, from a file */
  uint32_t outcome; /* results of the calls, by a number of the caller's */
  uint32_t calls;   /* events that are a call or a return */
  struct causes causes; /* what repairs it, if `known`; `cut`: not all */
  struct causes lines;  /* the same, with the lines of accesses alone */
  bool known, cut;
};

typedef VEC(struct located *) located_list;

void located_free(struct located *l);
/* Its repairs have to be found again: more loops are known. */
void located_forget(struct located *l);

struct blame {
  located_list traces;
  struct arena arena; /* of what is known of each of them */
};

void blame_free(struct blame *b); /* with the traces */

struct ranking {
  struct ranked_cause *at;
  uint32_t len;
  uint64_t good, bad; /* traces */
  bool cut;
};

/*
 * What repairs all failing traces, or those with one outcome, in the memory of
 * `a`.  Nothing, when a failing trace has no repair.  Code of the test is
 * blamed only where nothing of the object's can be.
 */
void blame_all(struct blame *b, uint32_t outcome, struct arena *a,
               struct ranking *out);

/*
 * What repairs single failing traces: `single`, `single_cut` and `answers`; of
 * an answer the outcome is told, but not its results.  Whether code of the test
 * is blamed is as blame_all has left it.
 */
void blame_each(struct blame *b, struct arena *a, struct causes_found *out);

/* How large the traces are, without those that are given. */
void blame_measure(const struct blame *b, struct causes_found *out);

#endif
