/*
 * Inside of flow: the instructions of the object, and the graph of one
 * function's blocks.
 *
 * (F1) instructions are sorted by address.
 * (F2) block 0 is the entry.
 */
#ifndef CODE_FLOW_INT_H
#define CODE_FLOW_INT_H

#include "code/flow.h"

enum flow_kind {
  FLOW_PLAIN,  /* goes on behind itself; so does a call */
  FLOW_JUMP,   /* to `target` */
  FLOW_EITHER, /* behind itself or to `target` */
  FLOW_TABLE,  /* to one of `ntargets` */
  FLOW_RETURN,
  FLOW_STOP, /* never comes back: abort, a trap */
  FLOW_LOST, /* a jump to who knows where */
};

struct flow_insn {
  uint64_t pc, target; /* of a jump, or the entry of the function it calls */
  uint32_t size;
  uint32_t symbol; /* whose code it is: index into lines->symbols */
  uint32_t targets, ntargets;
  uint8_t kind;
  uint8_t steps; /* visible accesses that it makes, by a hook */
  bool calls;    /* the function at `target` */
  bool indirect; /* calls something through a pointer */
};

struct flow {
  struct lines *lines;
  VEC(struct flow_insn) insns;
  VEC(uint64_t) targets; /* of jump tables */
  VEC(uint8_t) marks;    /* scratch of graph building, one for each insn */
};

struct flow_block {
  uint32_t first, end; /* instructions; none: a call of `callee`, then return */
  uint64_t callee;
  uint32_t succ, nsucc; /* into succs */
  bool returns;         /* ends in a return */
};

struct flow_graph {
  VEC(struct flow_block) blocks;
  VEC(uint32_t) succs;
  bool unknown; /* a jump could not be followed */
};

/* UINT32_MAX: no instruction begins there. */
uint32_t flow_insn_at(const struct flow *f, uint64_t pc);

/* False when there is no code at `entry`. */
bool flow_graph_of(struct flow *f, uint64_t entry, struct flow_graph *g);
void flow_graph_free(struct flow_graph *g);

#endif
