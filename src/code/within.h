/*
 * Part of an object's code, chosen instruction by instruction, and where
 * control can go in it.
 *
 * Compilers move instructions.  What lies between two chosen instructions of
 * one basic block is taken as chosen too, whatever it says of itself: control
 * that runs straight through has not been elsewhere.  Calls are not moved: what
 * contains one is no such gap.  They also add moves of their own, which have
 * no line: at the beginning of a basic block these seem to be on the line of
 * whatever stands before it, and so do those that pass arguments to an inlined
 * function.  A few are taken with what follows them.
 *
 * A "place" is the address behind a call or an access.
 */
#ifndef CODE_WITHIN_H
#define CODE_WITHIN_H

#include "code/flow.h"

enum within {
  WITHIN_NOT,
  WITHIN_YES,
  WITHIN_UNKNOWN, /* goes with what stands around it */
  WITHIN_SUNK,    /* likewise, if it is no call: what was to be computed before,
                     where control cannot come back to */
};

typedef enum within within_fn(void *ctx, uint64_t pc);

struct within_code {
  const struct flow *f;
  uint8_t *part;    /* of each instruction: enum within */
  uint8_t *reached; /* scratch of a walk */
  uint32_t *todo;   /* likewise */
};

void within_init(struct within_code *w, const struct flow *f, within_fn *choose,
                 void *ctx);
void within_free(struct within_code *w);

/* Takes in what was put off: a basic block of one or two instructions of an
 * earlier line (`int n = 0;`) through which control falls from a chosen
 * instruction to another one. */
void within_take_late(struct within_code *w);

/* The instruction that ends at `place`, or UINT32_MAX. */
uint32_t within_insn(const struct flow *f, uint64_t place);

/*
 * What can be reached from a place without leaving the part; afterwards
 * within_reached() tells it for instructions.
 */
void within_walk(struct within_code *w, uint64_t from);
bool within_reached(const struct within_code *w, uint32_t insn);

/*
 * Can control go from one place to another, passing neither on the way, and
 * leave the part in between?
 */
bool within_left(struct within_code *w, uint64_t from, uint64_t to);

#endif
