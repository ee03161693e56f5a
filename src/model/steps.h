/*
 * The graph of a client's states, for analyses that ask which of its steps
 * decide: an edge for each step of a thread, with what that step accesses.
 * Every path from the root to an end is an interleaving, so the graph stands
 * for the tree of all interleavings, with equal subtrees drawn once.
 *
 * (N1) states 0, 1 and 2 are the ends STEPS_GOOD, STEPS_BAD and STEPS_CUT; they
 *      have no edges.
 * (N2) the edges of state s are edges[first[s] … first[s + 1]); they are sorted
 *      by thread; two of one thread differ in the answers to choices.
 *
 * There may be circles: executions that go round for ever.
 */
#ifndef MODEL_STEPS_H
#define MODEL_STEPS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { STEPS_GOOD, STEPS_BAD, STEPS_CUT, STEPS_ENDS };

/* The step begins its call, its call returns in it, its thread has a lock. */
enum { STEP_CALLS = 1, STEP_RETURNS = 2, STEP_INSIDE = 4 };

/* What a step does; equal ones are one. */
struct step {
  uint64_t pc; /* return address of the hook, as module offset; 0: unknown */
  uint64_t addr, size;
  uint32_t call; /* of the client, or EVENT_NO_CALL */
  uint8_t thread;
  uint8_t kind;  /* enum event_kind; a CAS may turn out to fail */
  uint8_t flags; /* STEP_… */
  uint8_t unused;
  uint32_t more; /* so many behind it in `steps` are made in one go with it */
  uint32_t unused2;
};

struct step_edge {
  uint32_t to;
  uint32_t step : 26, thread : 6;
};

struct steps {
  uint32_t nstates, root;
  bool sections;   /* no other thread steps between a lock and its unlock */
  uint32_t *first; /* nstates + 1 */
  struct step_edge *edges;
  VEC(struct step) steps;
};

void steps_free(struct steps *g);
void steps_check_invariants(const struct steps *g); /* asserts N1, N2 */

/* Do two steps of different threads touch the same bytes, not both only
 * reading? */
bool steps_conflict(const struct step *a, const struct step *b);
/* Do both stand for the same access of a thread, in whatever states? */
bool step_is_same(const struct step *a, const struct step *b);

/* Does one begin a call and the other end one, so that real time orders them?
 */
bool steps_timed(const struct step *a, const struct step *b);
bool step_locks(const struct step *s);
/* A lock, an unlock: nothing but its lock is concerned. */
bool step_guards(const struct step *s);
/* It leaves memory as it is; a lock, a semaphore and the like do not. */
bool step_only_reads(const struct step *s);

/*
 * The step of an edge and those that its thread makes behind it while it has a
 * lock: of a lock, the whole critical section, as it is when nobody interrupts.
 * Where a thread can choose, one way is taken.
 */
typedef VEC(uint32_t) step_list; /* indices into `steps` */
void steps_section(const struct steps *g, uint32_t edge, step_list *out);
/* The state behind it. */
uint32_t steps_section_end(const struct steps *g, uint32_t edge);

/* What the step of an edge is about: of a lock with which more is made, the
 * first access to memory. */
const struct step *steps_about(const struct steps *g, uint32_t edge);

#endif
