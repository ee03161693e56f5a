/*
 * From events to code: which lines are to blame for a segment, and which
 * accesses lie in an execution of a block.
 *
 * Every access has a stack of frames, from the operation inwards: the functions
 * that it is in, those that the compiler inlined included, each with the line
 * of the access or of the call that leads to it.  A frame has an "instance": an
 * execution of the function, the same number for all accesses of it.  Two
 * accesses in one inlined copy are of the same instance only if control cannot
 * have left the copy between them (build/scope.h).  A function that the
 * compiler cut in two is one function.
 *
 * A segment becomes a block in an instance that has both of its ends, from the
 * smallest to the largest line that its accesses have there: in the one that
 * place_choose() names, the deepest of the object's own.  A segment of atomic
 * accesses inside of one operation of a library is the library's.  Two calls
 * that the test makes have no instance of the object in common: nothing of the
 * object's is blamed for them.
 *
 * (N1) the accesses of an instance are neighbours in their thread.
 * (N2) accesses that share an instance share all frames outside of it, with
 *      the same lines there.
 *
 * So a segment inside another gets the same function and lines inside the
 * other's, or an instance that was called from those lines.
 *
 * Loops (model/loops.h) are taken into account when they are known
 * (section_find_rounds): an execution of a block inside of a loop ends with the
 * round, and a segment that goes on from one round to another gets a block with
 * the whole loop in it.
 */
#ifndef LOCATE_SECTION_H
#define LOCATE_SECTION_H

#include "code/scope.h"
#include "locate/combine.h"
#include "locate/rank.h"
#include "model/loops.h"

struct section_frame {
  const char *file, *function; /* NULL when unknown */
  uint64_t copy;               /* scope.h */
  uint64_t pc;                 /* of the access or of the call */
  uint32_t line, column;       /* 0 when unknown */
  uint32_t instance;
  enum place_role role;
  /* The lines of the outermost loop that went on to another round since the
   * access before, if that was of the same instance; 0: none. */
  uint32_t crossed_first, crossed_last;
};

/* The frames of a trace's nodes; the names are those of the scopes. */
struct section_trace {
  const struct conflicts *conflicts;
  VEC(struct section_frame) frames;
  uint32_t *at;        /* node n has the frames at[n] … at[n + 1] */
  bool *plain;         /* by node: no atomic access; NULL: unknown */
  bool blames_tests;   /* code of the test may be blamed, too (model/place.h) */
  struct loops *loops; /* NULL: none are known */
};

/* `c` was made from `t` and must live as long; `t` need not. */
void section_trace_init(struct section_trace *s, struct scopes *scopes,
                        const struct trace *t, const struct conflicts *c);
void section_trace_free(struct section_trace *s);
void section_trace_check_invariants(const struct section_trace *s);

/*
 * Tells rounds of loops apart (rounds.c), anew when more loops are known. First
 * the loops that sources do not show are learnt, from all traces; they live on
 * with the section_traces.
 */
void section_learn_loops(const struct section_trace *s, struct loops *loops);
void section_find_rounds(struct section_trace *s, struct loops *loops);

static inline uint32_t section_depth(const struct section_trace *s,
                                     uint32_t node) {
  return s->at[node + 1] - s->at[node];
}
static inline const struct section_frame *
section_frames(const struct section_trace *s, uint32_t node) {
  return s->frames.at + s->at[node];
}

/* Is an access nested in code of the test? */
bool section_has_tests(const struct section_trace *s);

/* How many frames, from the outside, have both; the last is that which a
 * segment between them is blamed on.  0: none that is the user's. */
uint32_t section_common(const struct section_trace *s, struct segment g);

/* A block_fn (combine.h); ctx is the struct section_trace. */
bool section_block(void *ctx, struct segment g, struct code_block *out);
/* The same, whatever loops there are: the lines of the accesses, as the paper
 * has them. */
bool section_lines(void *ctx, struct segment g, struct code_block *out);

/* A units_fn (rank.h); data of a rank_trace is its struct section_trace.  An
 * access in several blocks, one called from another, is in the outermost. */
void section_units(void *ctx, struct cause r, const struct rank_trace *t,
                   uint32_t *unit);

#endif
